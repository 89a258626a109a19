/* The inertia M of the state: the consistent mass, times rho in rows of the velocity, 1 in those of modes, 0 in those of the
 * pressure (RhxField.mass). */
#ifndef RHX_INERTIA_H
#define RHX_INERTIA_H
#include "form/form.h"
#include <petscmat.h>

/* r[nlocal][bs] += factor M v in the owned part, v[nlocal][bs] with its ghosts. Collective. */
PetscErrorCode RhxFormAddInertia(RhxForm form, double factor, const PetscScalar *v, PetscScalar *r);
/* A += factor M, a matrix of RhxFormCreateBlockMatrix, which is not yet assembled afterwards. Collective. */
PetscErrorCode RhxFormAddInertiaMatrix(RhxForm form, double factor, Mat A);
#endif
