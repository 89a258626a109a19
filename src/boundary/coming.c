/* Scalar fields that a label gives to the fluid that comes in, -bc_<label>_<field> "inflow <formula>": (w, max(-u.n, 0) (c - c_in)) by nodes, as
 * an upwind flux, R_a += max(-u_a.n_a, 0) (c_a - c_in,a). It is a film whose coefficient follows the flow: in steps in time that of the step's
 * start, in `steady` and `monolithic` that of each iterate, with its derivative. */
#include "boundary/coming_impl.h"
#include "boundary/impl.h"

struct RhxComing {
  PetscReal *normal; /* [owned nodes of the label][dim] integral of N n over its faces on all ranks */
  PetscScalar *flow; /* [owned nodes][bs] what it was told last */
};

static PetscBool comes(const RhxCondition *c, PetscInt k)
{
  return (PetscBool)(c->scalar[k].kind == RHX_SCALAR_INFLOW);
}

PetscErrorCode RhxConditionSetUpComing(RhxCondition *c)
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  PetscBool any = PETSC_FALSE;
  PetscReal *normal;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->bc->form->nscalars; k++) any = (PetscBool)(any || comes(c, k));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&c->coming));
  PetscCall(PetscCalloc2(n * dim, &c->coming->normal, n * c->bc->space->bs, &c->coming->flow));
  PetscCall(RhxConditionFindNormals(c, &normal));
  for (PetscInt i = 0; i < n * dim; i++) c->coming->normal[i] = normal[(size_t)c->faces->node[i / dim] * dim + i % dim];
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionDestroyComing(RhxCondition *c)
{
  PetscFunctionBegin;
  if (c->coming) PetscCall(PetscFree2(c->coming->normal, c->coming->flow));
  PetscCall(PetscFree(c->coming));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionTellComing(RhxCondition *c, const PetscScalar *flow)
{
  PetscFunctionBegin;
  if (c->coming) PetscCall(PetscArraycpy(c->coming->flow, flow, (size_t)c->faces->nnodes * c->bc->space->bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max(-u.n, 0) of owned node i of the label, m^3/s (2D: m^2/s); x[bs]: the flow there. */
static PetscReal inward(const RhxCondition *c, PetscInt i, const PetscScalar *x)
{
  const PetscInt dim = c->bc->space->dim, u = RhxFieldsStart(c->bc->space->fields, RHX_GROUP_VELOCITY);
  PetscReal sum = 0;

  for (PetscInt d = 0; d < dim; d++) sum -= PetscRealPart(x[u + d]) * c->coming->normal[i * dim + d];
  return PetscMax(sum, 0);
}

/* c_in at the owned nodes, allocated. */
static PetscErrorCode evaluate(const RhxCondition *c, PetscInt k, double t, PetscReal **value)
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  PetscReal *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, value));
  PetscCall(PetscMalloc1(n * dim + 1, &x));
  for (PetscInt i = 0; i < n * dim; i++) x[i] = c->bc->space->x[(size_t)c->faces->node[i / dim] * dim + i % dim];
  PetscCall(RhxBoundaryFormula(c->bc, c->scalar[k].formula, t, n, x, 1, *value));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionAddComing(const RhxCondition *c, PetscInt k, double t)
{
  const RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim, bs = bc->space->bs, width = bc->form->nscalars, at = bc->form->first_scalar + k;
  RhxFilmNodes *film = &bc->film;
  PetscReal *given;

  PetscFunctionBegin;
  if (!comes(c, k)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(evaluate(c, k, t, &given));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscInt node = c->faces->node[i];
    const PetscScalar *x = c->coming->flow + (size_t)i * bs;
    const PetscReal flux = inward(c, i, x);
    PetscInt row;
    if (!(flux > 0)) continue;
    PetscCall(PetscFindInt(node, film->n, film->node, &row));
    film->value[row * width + k] += flux;
    bc->fluxes[(size_t)node * bs + at] += flux * given[i];
    for (PetscInt d = 0; d < dim; d++)
      film->slope[(row * width + k) * dim + d] += c->coming->normal[i * dim + d] * (x[at] - given[i]);
  }
  PetscCall(PetscFree(given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionSumComing(const RhxCondition *c, PetscInt k, double t, const PetscScalar *x, double *sum)
{
  const PetscInt bs = c->bc->space->bs, at = c->bc->form->first_scalar + k;
  PetscReal *given;

  PetscFunctionBegin;
  if (!comes(c, k)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(evaluate(c, k, t, &given));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscScalar *there = x + (size_t)c->faces->node[i] * bs;
    *sum += inward(c, i, there) * (given[i] - PetscRealPart(there[at]));
  }
  PetscCall(PetscFree(given));
  PetscFunctionReturn(PETSC_SUCCESS);
}
