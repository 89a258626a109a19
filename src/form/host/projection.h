/* What makes projections of integrals: the lumped or the consistent mass. For form and src/step. */
#ifndef RHX_PROJECTION_H
#define RHX_PROJECTION_H
#include "form/form.h"

typedef struct _RhxProjection *RhxProjection;

/* aux[nlocal][naux]: from integrals of N times the values, summed over ranks, to nodal values, in ghosts too. Collective. */
PetscErrorCode RhxProjectionSolve(RhxForm form, PetscScalar *aux);
PetscErrorCode RhxProjectionDestroy(RhxProjection *p);
/* Least eigenvalue of M^-1 M_c, of all ranks, where elements are not distorted. */
PetscErrorCode RhxFormMassLeast(RhxForm form, double *mu);
#endif
