/* Inlets and open labels that give the polymer in the flux that flows in: (S, max(-u.n, 0) (s - s_in)) over the label, by
 * nodes (share/doc/theory.md, section 6). Nodes whose velocity another label gives, such as a wall's, keep their values. */
#include "boundary/impl.h"

static PetscBool by_flux(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && (c->gives & RHX_TYPE_STRESS) && c->opt->polymer_at == RHX_POLYMER_AT_FLUX);
}

PetscBool RhxConditionBringsStress(const RhxCondition *c)
{
  const int brings = c->opt->polymer_inflow; /* of a type that does not take the option AUTO */
  return (PetscBool)(c->bc->form->nmodes && (c->gives & RHX_TYPE_OPEN) && brings && brings != RHX_POLYMER_FREE);
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

/* Of open labels those where nothing gives the velocity or the modes. */
static PetscErrorCode take_open(RhxBoundary bc, const PetscInt *winner, PetscInt *taken)
{
  PetscInt n, *held;
  PetscBool *given;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGivenVelocity(bc, &n, &held));
  PetscCall(PetscCalloc1(bc->space->nowned, &given));
  for (PetscInt i = 0; i < n; i++) given[held[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt j = 0; RhxConditionBringsStress(&bc->cond[i]) && j < bc->cond[i].faces->nnodes; j++) {
      const PetscInt node = bc->cond[i].faces->node[j];
      if (!given[node] && winner[node] < 0 && taken[node] < 0) taken[node] = i;
    }
  PetscCall(PetscFree(given));
  PetscCall(PetscFree(held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of the labels that `gives` tells: a node's normal is over its faces in all of them, for two may share it. */
static PetscErrorCode set_normals(RhxBoundary bc, PetscBool (*gives)(const RhxCondition *))
{
  const PetscInt dim = bc->space->dim;
  PetscReal *normal;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nlocal * dim, &normal));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (gives(&bc->cond[i])) RhxConditionAddNormals(bc->cond[i].faces, dim, normal);
  PetscCall(RhxSpaceReduce(bc->space, dim, normal));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxNodeSet *set = &bc->cond[i].inflow;
    for (PetscInt j = 0; gives(&bc->cond[i]) && j < set->n * dim; j++)
      bc->inflow.normal[set->start * dim + j] = normal[set->node[j / dim] * dim + j % dim];
  }
  PetscCall(PetscFree(normal));
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
  PetscCall(take_open(bc, winner, taken));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxNodeSet *set = &bc->cond[i].inflow;
    PetscCall(RhxNodeSetCreate(bc, &bc->cond[i], i, taken, set));
    set->start = in->n;
    in->n += set->n;
  }
  PetscCall(PetscFree(taken));
  PetscCall(PetscMalloc2(in->n, &in->node, in->n * dim, &in->normal));
  PetscCall(PetscCalloc1(in->n * width, &in->val));
  for (PetscInt i = 0; i < bc->ncond; i++)
    PetscCall(PetscArraycpy(in->node + bc->cond[i].inflow.start, bc->cond[i].inflow.node, bc->cond[i].inflow.n));
  PetscCall(set_normals(bc, by_flux));
  PetscCall(set_normals(bc, RhxConditionBringsStress));
  PetscCallMPI(MPI_Allreduce(&in->n, &n, 1, MPIU_INT, MPI_SUM, bc->comm));
  if (n) PetscCall(ISCreateGeneral(PETSC_COMM_SELF, in->n, in->node, PETSC_USE_POINTER, &in->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max(-u.n, 0) of node i, m^3/s (2D: m^2/s). */
static PetscReal inward(const RhxInflowNodes *in, PetscInt i, PetscInt dim, const PetscScalar *u)
{
  PetscReal sum = 0;
  for (PetscInt d = 0; d < dim; d++) sum -= u[d] * in->normal[i * dim + d];
  return PetscMax(sum, 0);
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
    const PetscReal flux = inward(in, i, dim, at + u), slow = PetscMax(1, dt * flux / mass[in->node[i]]);
    for (PetscInt k = 0; flux > 0 && k < width; k++) to[k] = (to[k] + flux * (at[s + k] - given[k])) / slow;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddInflowDiagonal(RhxBoundary bc, const PetscScalar *x, PetscScalar *diagonal)
{
  const RhxInflowNodes *in = &bc->inflow;
  const PetscInt dim = bc->space->dim, bs = bc->space->bs, u = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < in->n; i++) diagonal[in->node[i]] += inward(in, i, dim, x + (size_t)in->node[i] * bs + u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAddInflowProduct(RhxBoundary bc, const PetscScalar *x, const PetscScalar *v, PetscScalar *r)
{
  const RhxSpace space = bc->space;
  const RhxInflowNodes *in = &bc->inflow;
  const PetscInt dim = space->dim, bs = space->bs, width = bc->form->nmodes * space->ntens,
                 u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY),
                 s = RhxFieldsStart(space->fields, RHX_GROUP_MODES);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < in->n; i++) {
    const size_t first = (size_t)in->node[i] * bs;
    const PetscReal flux = inward(in, i, dim, x + first + u);
    PetscReal more = 0;
    for (PetscInt d = 0; d < dim; d++) more -= v[first + u + d] * in->normal[i * dim + d];
    for (PetscInt k = 0; flux > 0 && k < width; k++)
      r[first + s + k] += flux * v[first + s + k] + more * (x[first + s + k] - in->val[i * width + k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetInflowNodes(RhxBoundary bc, IS *nodes)
{
  PetscFunctionBegin;
  *nodes = bc->inflow.list;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* block[bs][bs] of node i, zero elsewhere; x[bs] there. */
static void set_block(RhxBoundary bc, PetscInt i, const PetscScalar *x, PetscScalar *block)
{
  const RhxSpace space = bc->space;
  const RhxInflowNodes *in = &bc->inflow;
  const PetscInt dim = space->dim, bs = space->bs, width = bc->form->nmodes * space->ntens,
                 u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY),
                 s = RhxFieldsStart(space->fields, RHX_GROUP_MODES);
  const PetscReal flux = inward(in, i, dim, x + u);

  for (PetscInt k = 0; k < width; k++) {
    PetscScalar *row = block + (s + k) * bs;
    row[s + k] = flux;
    for (PetscInt d = 0; d < dim; d++)
      row[u + d] = flux > 0 ? -in->normal[i * dim + d] * (x[s + k] - in->val[i * width + k]) : 0;
  }
}

PetscErrorCode RhxBoundaryGetInflowBlocks(RhxBoundary bc, const PetscScalar *x, PetscScalar *block)
{
  const PetscInt bs = bc->space->bs;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(block, (size_t)bc->inflow.n * bs * bs));
  for (PetscInt i = 0; i < bc->inflow.n; i++) set_block(bc, i, x + (size_t)i * bs, block + (size_t)i * bs * bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryImposeInflow(RhxBoundary bc, PetscScalar *x)
{
  const RhxInflowNodes *in = &bc->inflow;
  const PetscInt width = bc->form->nmodes * bc->space->ntens, s = RhxFieldsStart(bc->space->fields, RHX_GROUP_MODES);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxNodeSet *set = &bc->cond[i].inflow;
    for (PetscInt j = set->start; by_flux(&bc->cond[i]) && j < set->start + set->n; j++)
      PetscCall(PetscArraycpy(x + (size_t)in->node[j] * bc->space->bs + s, in->val + j * width, width));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroyInflow(RhxBoundary bc)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(PetscFree2(bc->cond[i].inflow.node, bc->cond[i].inflow.x));
  PetscCall(ISDestroy(&bc->inflow.list));
  PetscCall(PetscFree2(bc->inflow.node, bc->inflow.normal));
  PetscCall(PetscFree(bc->inflow.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}
