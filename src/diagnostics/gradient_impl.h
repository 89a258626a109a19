/* Derivatives of diagnostics with respect to the state, added to global Vecs of node blocks. Collective. */
#ifndef RHX_DIAGNOSTICS_GRADIENT_IMPL_H
#define RHX_DIAGNOSTICS_GRADIENT_IMPL_H
#include "boundary/boundary.h"

/* Components first to first + n - 1 of v += local[nlocal][n], summed over ranks; local is changed. */
PetscErrorCode RhxGradientAdd(RhxSpace space, PetscInt first, PetscInt n, PetscScalar *local, Vec v);
/* Of force[d] f[d] + torque[d] m[d] of RhxLabelForce without swirl: with respect to the pressure, which parts of shared nodes hold, and to
 * the reactions. There: whether these do not depend on the state in other ways (walls with friction). */
PetscErrorCode RhxForcesGradient(RhxForm form, RhxBoundary bc, const char *label, const double centre[3],
                                 const double f[3], const double m[3], Vec x, Vec reactions);
PetscBool RhxForcesHaveGradient(RhxForm form, RhxBoundary bc);
#endif
