/* What makes projections of integrals: the lumped or the consistent mass. For form and src/step. */
#ifndef RHX_PROJECTION_H
#define RHX_PROJECTION_H
#include "form/form.h"

typedef struct _RhxProjection *RhxProjection;

/* aux[nlocal][naux]: from integrals of N times the values, summed over ranks, to nodal values, in ghosts too. tolerance: relative,
 * of a solve with the consistent mass; 0: beneath that of Newton's method. Collective. */
PetscErrorCode RhxProjectionSolve(RhxForm form, double tolerance, PetscScalar *aux);
PetscErrorCode RhxProjectionDestroy(RhxProjection *p);
/* Least eigenvalue of M^-1 M_c, of all ranks, where elements are not distorted. */
PetscErrorCode RhxFormMassLeast(RhxForm form, double *mu);
#endif
