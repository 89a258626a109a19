/* Which condition gives velocity, pressure and stress of each owned node, and the flat lists of given values. */
#include "boundary/impl.h"
#include "boundary/scalar_impl.h"

static PetscErrorCode set_roles(RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nowned, &bc->role));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxFaces *faces = bc->cond[i].faces;
    for (PetscInt j = 0; j < faces->nnodes; j++) bc->role[faces->node[j]] |= bc->cond[i].type->flags;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool gives_pressure(const RhxCondition *c) { return (PetscBool)((c->gives & RHX_TYPE_PRESSURE) != 0); }

static PetscBool gives_stress(RhxBoundary bc, const RhxCondition *c)
{
  return (PetscBool)(bc->form->nmodes && (c->gives & RHX_TYPE_STRESS));
}

/* winner[node] = condition with the lowest rank among those of the node, the first of equals; -1: none. */
static void choose(RhxBoundary bc, RhxFieldGroup group, PetscInt *winner)
{
  for (PetscInt i = 0; i < bc->space->nowned; i++) winner[i] = -1;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if ((group == RHX_GROUP_PRESSURE && !gives_pressure(c)) || (group == RHX_GROUP_MODES && !gives_stress(bc, c)))
      continue;
    for (PetscInt j = 0; j < c->faces->nnodes; j++) {
      PetscInt *w = &winner[c->faces->node[j]];
      if (*w < 0 || (group == RHX_GROUP_VELOCITY && c->type->priority < bc->cond[*w].type->priority)) *w = i;
    }
  }
}

PetscErrorCode RhxNodeSetCreate(RhxBoundary bc, const RhxCondition *c, PetscInt number, const PetscInt *winner,
                                RhxNodeSet *set)
{
  PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->faces->nnodes, &set->node, c->faces->nnodes * dim, &set->x));
  for (PetscInt j = 0; j < c->faces->nnodes; j++) {
    PetscInt node = c->faces->node[j];
    if (winner[node] != number) continue;
    PetscCall(PetscArraycpy(set->x + set->n * dim, bc->space->x + node * dim, dim));
    set->node[set->n++] = node;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shear components of the tensors at the symmetry nodes whose modes no condition gives: index list or its length. */
static PetscInt symmetry_shear(RhxBoundary bc, const PetscInt *winner, PetscInt *idx)
{
  PetscInt n = 0, dim = bc->space->dim, ntens = bc->space->ntens;

  for (PetscInt i = 0; i < bc->aux.n; i++) {
    PetscInt node = bc->aux.node[i];
    if (node >= bc->space->nowned || winner[node] >= 0 || RhxNodeIsTurned(bc, node)) continue;
    for (PetscInt k = 0; k < bc->space->nfields; k++) {
      const RhxField *f = &bc->space->field[k];
      if (f->reflection != RHX_REFLECTS_SHEAR) continue;
      for (PetscInt a = 0; a < dim; a++)
        for (PetscInt b = a + 1; b < (ntens == 6 ? 3 : dim); b++) {
          const PetscReal *normal = bc->aux.normal + i * dim;
          if ((normal[a] != 0) == (b < dim && normal[b] != 0)) continue; /* theta is along every plane */
          if (idx) idx[n] = node * bc->space->bs + f->offset + rhx_tensor_index(dim, ntens, a, b);
          n++;
        }
    }
  }
  return n;
}

PetscErrorCode RhxFixedCreate(PetscInt n, RhxFixed *fixed)
{
  PetscFunctionBegin;
  fixed->n = n;
  PetscCall(PetscMalloc1(n, &fixed->idx));
  PetscCall(PetscCalloc1(n, &fixed->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_velocity(RhxBoundary bc)
{
  PetscInt n = 0, dim = bc->space->dim;
  RhxFixed *fixed = &bc->fixed[RHX_GROUP_VELOCITY];
  const PetscInt offset = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    c->v.start = n;
    if (c->type->flags & RHX_TYPE_VELOCITY) n += c->v.n * dim;
  }
  PetscCall(RhxFixedCreate(n, fixed));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!(c->type->flags & RHX_TYPE_VELOCITY)) continue;
    for (PetscInt j = 0; j < c->v.n * dim; j++)
      fixed->idx[c->v.start + j] = c->v.node[j / dim] * bc->space->bs + offset + j % dim;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_pressure(RhxBoundary bc)
{
  PetscInt n = 0, any;
  RhxFixed *fixed = &bc->fixed[RHX_GROUP_PRESSURE];
  const PetscInt offset = RhxFieldsStart(bc->space->fields, RHX_GROUP_PRESSURE);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    bc->cond[i].p.start = n;
    n += bc->cond[i].p.n;
  }
  PetscCall(RhxFixedCreate(n, fixed));
  PetscCall(PetscMalloc1(n, &bc->pressure_node));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxNodeSet *p = &bc->cond[i].p;
    for (PetscInt j = 0; j < p->n; j++) {
      bc->pressure_node[p->start + j] = p->node[j];
      fixed->idx[p->start + j] = p->node[j] * bc->space->bs + offset;
    }
  }
  bc->npressure = any = n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, bc->comm));
  bc->pressure_free = PetscNot(any > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_modes(RhxBoundary bc, const PetscInt *winner)
{
  PetscInt n = 0, values = bc->form->nmodes * bc->space->ntens;
  RhxFixed *fixed = &bc->fixed[RHX_GROUP_MODES];
  const PetscInt offset = RhxFieldsStart(bc->space->fields, RHX_GROUP_MODES);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    bc->cond[i].s.start = n;
    n += bc->cond[i].s.n * values;
  }
  PetscCall(RhxFixedCreate(n + symmetry_shear(bc, winner, NULL), fixed));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxNodeSet *s = &bc->cond[i].s;
    for (PetscInt j = 0; j < s->n * values; j++)
      fixed->idx[s->start + j] = s->node[j / values] * bc->space->bs + offset + j % values;
  }
  symmetry_shear(bc, winner, fixed->idx + n);
  PetscCall(RhxOddPartsCreate(bc, RHX_AUX_TENSOR, winner, &bc->turned.shear));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUpNodes(RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(set_roles(bc));
  PetscCall(PetscMalloc1(bc->space->nowned, &bc->winner));
  choose(bc, RHX_GROUP_VELOCITY, bc->winner);
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(RhxNodeSetCreate(bc, &bc->cond[i], i, bc->winner, &bc->cond[i].v));
  PetscCall(list_velocity(bc));
  choose(bc, RHX_GROUP_PRESSURE, bc->winner);
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(RhxNodeSetCreate(bc, &bc->cond[i], i, bc->winner, &bc->cond[i].p));
  PetscCall(list_pressure(bc));
  PetscCall(RhxBoundarySetUpSymmetry(bc));
  choose(bc, RHX_GROUP_MODES, bc->winner);
  PetscCall(RhxBoundarySetUpInflow(bc, bc->winner));
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(RhxNodeSetCreate(bc, &bc->cond[i], i, bc->winner, &bc->cond[i].s));
  PetscCall(list_modes(bc, bc->winner));
  PetscCall(RhxBoundaryListScalars(bc));
  PetscCall(PetscFree(bc->winner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroyNodes(RhxBoundary bc)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    PetscCall(PetscFree2(c->v.node, c->v.x));
    PetscCall(PetscFree2(c->p.node, c->p.x));
    PetscCall(PetscFree2(c->s.node, c->s.x));
  }
  for (PetscInt q = 0; q < RHX_NGROUPS; q++) {
    PetscCall(PetscFree(bc->fixed[q].idx));
    PetscCall(PetscFree(bc->fixed[q].val));
  }
  PetscCall(RhxBoundaryDestroyInflow(bc));
  PetscCall(RhxBoundaryDestroyFilm(bc));
  PetscCall(PetscFree(bc->role));
  PetscCall(PetscFree(bc->winner));
  PetscCall(PetscFree(bc->pressure_node));
  PetscFunctionReturn(PETSC_SUCCESS);
}
