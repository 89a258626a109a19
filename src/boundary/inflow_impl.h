/* The modes in the flux that flows in: of inlets (-bc_<label>_polymer_at), of open labels (-bc_<label>_polymer_inflow). */
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
PetscErrorCode RhxBoundaryImposeInflow(RhxBoundary bc, PetscScalar *x);  /* x[nowned][bs] begins with inlets' */
PetscBool RhxConditionBringsStress(const RhxCondition *c); /* an open label that gives the modes of what comes in */
PetscErrorCode RhxBoundaryDestroyInflow(RhxBoundary bc);
/* stress.c: unknown s[n][nmodes][ntens] that the label gives by RHX_POLYMER_DEVELOPED, FORMULA or REST. */
PetscErrorCode RhxConditionStress(RhxCondition *c, int polymer, double t, PetscInt n, const PetscReal *x, PetscReal *s);

#endif
