/* Inlets that give the polymer in the flux that flows in: (S, max(-u.n, 0) (s - s_in)) over the label, by nodes
 * (share/doc/theory.md, section 6). Nodes whose velocity another label gives, such as a wall's, keep their values. */
#include "boundary/impl.h"

static PetscBool by_flux(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && (c->gives & RHX_TYPE_STRESS) && c->opt->polymer_at == RHX_POLYMER_AT_FLUX);
}

/* taken[node]: the condition that gives the modes there in their flux, -1: none. */
static void take(RhxBoundary bc, PetscInt *winner, PetscInt *taken)
{
  for (PetscInt i = 0; i < bc->space->nowned; i++) taken[i] = -1;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt j = 0; by_flux(&bc->cond[i]) && j < bc->cond[i].v.n; j++) {
      const PetscInt node = bc->cond[i].v.node[j];
      if (winner[node] != i) continue;
      taken[node] = i;
      winner[node] = -1;
    }
}

static PetscErrorCode set_nodes(RhxBoundary bc, RhxCondition *c)
{
  const PetscInt dim = bc->space->dim;
  RhxInflowNodes *in = &bc->inflow;
  PetscReal *sum;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nlocal * dim, &sum));
  RhxConditionAddNormals(c->faces, dim, sum);
  PetscCall(RhxSpaceReduce(bc->space, dim, sum));
  c->inflow.start = in->n;
  for (PetscInt j = 0; j < c->inflow.n; j++, in->n++) {
    in->node[in->n] = c->inflow.node[j];
    PetscCall(PetscArraycpy(in->normal + in->n * dim, sum + c->inflow.node[j] * dim, dim));
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUpInflow(RhxBoundary bc, PetscInt *winner)
{
  const PetscInt dim = bc->space->dim, width = bc->form->nmodes * bc->space->ntens;
  RhxInflowNodes *in = &bc->inflow;
  PetscInt *taken, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(bc->space->nowned, &taken));
  take(bc, winner, taken);
  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscCall(RhxNodeSetCreate(bc, &bc->cond[i], i, taken, &bc->cond[i].inflow));
    n += bc->cond[i].inflow.n;
  }
  PetscCall(PetscFree(taken));
  PetscCall(PetscMalloc2(n, &in->node, n * dim, &in->normal));
  PetscCall(PetscCalloc1(n * width, &in->val));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (by_flux(&bc->cond[i])) PetscCall(set_nodes(bc, &bc->cond[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddInflow(RhxBoundary bc, double dt, const PetscReal *mass, const PetscScalar *x,
                                    PetscScalar *r)
{
  const RhxSpace space = bc->space;
  const RhxInflowNodes *in = &bc->inflow;
  const PetscInt dim = space->dim, bs = space->bs, width = bc->form->nmodes * space->ntens,
                 u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY),
                 s = RhxFieldsStart(space->fields, RHX_GROUP_MODES);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < in->n; i++) {
    const PetscScalar *at = x + (size_t)in->node[i] * bs, *given = in->val + i * width;
    PetscScalar *to = r + (size_t)in->node[i] * bs + s;
    PetscReal inward = 0, slow;
    for (PetscInt d = 0; d < dim; d++) inward -= at[u + d] * in->normal[i * dim + d];
    slow = PetscMax(1, dt * inward / mass[in->node[i]]);
    for (PetscInt k = 0; inward > 0 && k < width; k++) to[k] = (to[k] + inward * (at[s + k] - given[k])) / slow;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryImposeInflow(RhxBoundary bc, PetscScalar *x)
{
  const RhxInflowNodes *in = &bc->inflow;
  const PetscInt width = bc->form->nmodes * bc->space->ntens, s = RhxFieldsStart(bc->space->fields, RHX_GROUP_MODES);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < in->n; i++)
    PetscCall(PetscArraycpy(x + (size_t)in->node[i] * bc->space->bs + s, in->val + i * width, width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroyInflow(RhxBoundary bc)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(PetscFree2(bc->cond[i].inflow.node, bc->cond[i].inflow.x));
  PetscCall(PetscFree2(bc->inflow.node, bc->inflow.normal));
  PetscCall(PetscFree(bc->inflow.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}
