/* Inlets through which more flows out than in: a velocity of the wrong sign. */
#include "boundary/impl.h"

#define TIMES 16   /* between the end of ramps and the end of what is looked at */
#define CLOSE 1e-6 /* of the flow that passes: no flow out of all inlets */

/* normal[nlocal][dim] of a label: integral N n at its owned nodes. Collective. */
static PetscErrorCode find_normals(const RhxCondition *c, PetscReal **normal)
{
  const RhxSpace space = c->bc->space;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal * space->dim + 1, normal));
  RhxConditionAddNormals(c->faces, space->dim, *normal);
  PetscCall(RhxSpaceReduce(space, space->dim, *normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flow out of the domain through the label at t, as its given nodes have it, m^3/s (2D: m^2/s); NaN: it is not known. Collective. */
static PetscErrorCode find_rate(RhxCondition *c, double t, const PetscReal *normal, double *rate)
{
  const RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim;
  double sum = 0;
  PetscErrorCode code;
  PetscReal *u;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(c->v.n * dim + 1, &u));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = c->type->velocity(c, t, c->v.n, c->v.x, u);
  PetscCall(PetscPopErrorHandler());
  if (code || bc->failure[0]) sum = NAN;
  bc->failure[0] = '\0'; /* it is told when it is met */
  for (PetscInt k = 0; k < c->v.n; k++)
    for (PetscInt d = 0; d < dim; d++) sum += u[k * dim + d] * normal[c->v.node[k] * dim + d];
  PetscCall(PetscFree(u));
  PetscCallMPI(MPI_Allreduce(&sum, rate, 1, MPI_DOUBLE, MPI_SUM, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all inlets at t; most: the one out of which most flows, NULL: they take more in. */
static PetscErrorCode look(RhxBoundary bc, double t, PetscReal *const *normal, RhxCondition **most, double *rate)
{
  double total = 0, size = 0;

  PetscFunctionBegin;
  *most = NULL;
  *rate = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    double one;
    if (!normal[i]) continue;
    PetscCall(find_rate(c, t, normal[i], &one));
    total += one;
    size += PetscAbsReal(one);
    if (!(one > *rate)) continue;
    *rate = one;
    *most = c;
  }
  if (!(total > CLOSE * size)) *most = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetOutward(RhxBoundary bc, double t, double end, const char **label, double *rate)
{
  PetscReal **normal;
  RhxCondition *most, *then;
  double full = t, later;
  PetscBool changes = PETSC_FALSE;

  PetscFunctionBegin;
  *label = NULL;
  PetscCall(PetscCalloc1(bc->ncond, &normal));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!(c->gives & RHX_TYPE_INWARD) || !(c->gives & RHX_TYPE_VELOCITY)) continue;
    PetscCall(find_normals(c, &normal[i]));
    full = PetscMax(full, c->opt->ramp);
    changes = (PetscBool)(changes || c->velocity_time);
  }
  PetscCall(look(bc, full, normal, &most, rate));
  for (int k = 1; changes && most && k <= TIMES; k++) {
    PetscCall(look(bc, full + (end - full) * k / (TIMES + PETSC_SQRT2), normal, &then, &later));
    if (!then) most = NULL;
  }
  if (most) *label = most->label;
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(PetscFree(normal[i]));
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
