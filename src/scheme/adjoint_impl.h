/* Adjoint modes of (J + lambda M) v = 0: w^H (J + lambda M) = 0. */
#ifndef RHX_ADJOINT_IMPL_H
#define RHX_ADJOINT_IMPL_H
#include "scheme/spectrum.h"
#include <petscmat.h>

/* Of m solutions w, in re and im of `from`, those of mode[n]: combinations of the w of the same lambda with w_i^H M v_j = 1 for i = j
 * and 0 for the other modes of that lambda. Where a value has fewer w than modes these stay without, *lacking of them. */
PetscErrorCode RhxAdjointMatch(Mat M, PetscInt n, RhxEigenmode *mode, PetscInt m, const RhxEigenmode *from,
                               PetscInt *lacking);
/* w^H A x of parts, A real, y = A x: for x real */
PetscErrorCode RhxAdjointDot(const RhxEigenmode *m, Vec y, double dot[2]);
#endif
