/* What comes back in through open labels. */
#ifndef RHX_BOUNDARY_BACKFLOW_H
#define RHX_BOUNDARY_BACKFLOW_H
#include "boundary/boundary.h"

PetscBool RhxBoundaryIsUnguarded(RhxBoundary bc, const char *label); /* open, with -bc_<label>_backflow 0 */
/* An open label with -bc_<label>_backflow, and whether what flows in through one of them in x[nowned][bs], which then has rho (u.n) u there,
 * holds the velocity; NULL: there is none, or no convection. Collective. */
PetscErrorCode RhxBoundaryIsHeldByBackflow(RhxBoundary bc, const PetscScalar *x, const char **label, PetscBool *held);
#endif
