/* The modes of an inlet in the flux that flows in (-bc_<label>_polymer_at). */
#ifndef RHX_BOUNDARY_INFLOW_IMPL_H
#define RHX_BOUNDARY_INFLOW_IMPL_H
#include "boundary/boundary.h"

/* Owned nodes where the modes are given in the flux that flows in: normal[n][dim] = integral N n over the label's faces,
 * val[n][nmodes][ntens] of the unknown; list: the nodes, NULL if no rank has any. */
typedef struct {
  PetscInt n, *node;
  PetscReal *normal;
  PetscScalar *val;
  IS list;
} RhxInflowNodes;

PetscErrorCode RhxBoundarySetUpInflow(RhxBoundary bc, PetscInt *winner); /* takes its nodes out of those of modes */
PetscErrorCode RhxBoundaryImposeInflow(RhxBoundary bc, PetscScalar *x);  /* x[nowned][bs] begins with what flows in */
PetscErrorCode RhxBoundaryDestroyInflow(RhxBoundary bc);

#endif
