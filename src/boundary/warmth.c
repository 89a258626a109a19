/* The heat of friction at walls that slip, tau |u| of each node and its part of the wall: a flux of the fields of plugins with RHX_WARMS into
 * the fluid, where the label does not give their value. Of the flow that the condition was told last, as its traction is. */
#include "boundary/impl.h"
#include "boundary/warmth_impl.h"
#include "form/scalars.h"
#include "space/face.h"

struct RhxWarmth {
  PetscInt n;
  PetscReal *area, *normal,
      *u; /* [n] of the label's nodes, their part of this rank's faces; [n][dim] unit normal; velocity */
};

/* K m/s per W/m^2 of field k; 0: the label's friction is none of its business. */
static PetscErrorCode rate_of(const RhxCondition *c, PetscInt k, double *rate)
{
  PetscFunctionBegin;
  *rate = 0;
  if (c->scalar[k].kind != RHX_SCALAR_VALUE) PetscCall(RhxFormWarming(c->bc->form, k, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_areas(const RhxCondition *c, PetscReal *area)
{
  const PetscInt *at = c->faces->at;
  double n[3];

  for (PetscInt k = 0; k < c->faces->ngroups; k++) {
    const RhxFaceGroup *g = &c->faces->group[k];
    for (PetscInt f = 0; f < g->n; f++, at += g->nfn)
      for (PetscInt q = 0; q < g->nfq; q++) {
        const double part = RhxFaceNormal(g, c->bc->space->dim, f, q, n);
        for (PetscInt a = 0; a < g->nfn; a++) area[at[a]] += part * g->N[q * g->nn + g->fnode[a]];
      }
  }
}

/* Of the label's faces on all ranks: a corner with a wall that moves into this one has a velocity that does not slip along it. */
static PetscErrorCode find_normals(const RhxCondition *c, PetscReal *normal)
{
  const PetscInt dim = c->bc->space->dim, *node;
  PetscReal *sum;

  PetscFunctionBegin;
  PetscCall(RhxConditionFindNormals(c, &sum));
  PetscCall(RhxSpaceGlobalToLocal(c->bc->space, dim, sum, sum));
  PetscCall(ISGetIndices(c->faces->nodes, &node));
  for (PetscInt i = 0; i < c->warmth->n; i++) {
    PetscReal size = 0;
    for (PetscInt d = 0; d < dim; d++) size += PetscSqr(sum[(size_t)node[i] * dim + d]);
    for (PetscInt d = 0; d < dim; d++)
      normal[i * dim + d] = size > 0 ? sum[(size_t)node[i] * dim + d] / PetscSqrtReal(size) : 0;
  }
  PetscCall(ISRestoreIndices(c->faces->nodes, &node));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionSetUpWarmth(RhxCondition *c, PetscBool *warms)
{
  PetscFunctionBegin;
  *warms = PETSC_FALSE;
  for (PetscInt k = 0; k < c->bc->form->nscalars && c->type->friction && !*warms; k++) {
    double rate;
    PetscCall(rate_of(c, k, &rate));
    *warms = (PetscBool)(rate != 0);
  }
  if (!*warms) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&c->warmth));
  PetscCall(ISGetLocalSize(c->faces->nodes, &c->warmth->n));
  PetscCall(PetscCalloc3(c->warmth->n, &c->warmth->area, c->warmth->n * c->bc->space->dim, &c->warmth->normal,
                         c->warmth->n * c->bc->space->dim, &c->warmth->u));
  find_areas(c, c->warmth->area);
  PetscCall(find_normals(c, c->warmth->normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionDestroyWarmth(RhxCondition *c)
{
  PetscFunctionBegin;
  if (c->warmth) PetscCall(PetscFree3(c->warmth->area, c->warmth->normal, c->warmth->u));
  PetscCall(PetscFree(c->warmth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxConditionTellWarmth(RhxCondition *c, const PetscScalar *flow)
{
  const PetscInt dim = c->bc->space->dim, u = RhxFieldsStart(c->bc->space->fields, RHX_GROUP_VELOCITY);

  for (PetscInt i = 0; c->warmth && i < c->warmth->n * dim; i++)
    c->warmth->u[i] = PetscRealPart(flow[(size_t)(i / dim) * c->bc->space->bs + u + i % dim]);
}

/* heat[n], W, of each node of the label and this rank's faces, and slope[n][dim] dheat/du; slope may be NULL. u[n][dim]: becomes that along the
 * wall. */
static PetscErrorCode find_heat(RhxCondition *c, double t, PetscReal *u, PetscReal *heat, PetscReal *slope)
{
  const PetscInt dim = c->bc->space->dim, n = c->warmth->n;
  PetscReal *speed, *tau, *rise;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &speed, n, &tau, n, &rise));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *normal = c->warmth->normal + i * dim;
    PetscReal through = 0;
    speed[i] = 0;
    for (PetscInt d = 0; d < dim; d++) through += u[i * dim + d] * normal[d];
    for (PetscInt d = 0; d < dim; d++) {
      u[i * dim + d] -= through * normal[d];
      speed[i] += PetscSqr(u[i * dim + d]);
    }
    speed[i] = PetscSqrtReal(speed[i]);
  }
  PetscCall(c->type->friction(c, t, n, speed, tau, slope ? rise : NULL));
  for (PetscInt i = 0; i < n; i++) heat[i] = c->warmth->area[i] * tau[i] * speed[i];
  for (PetscInt i = 0; slope && i < n * dim; i++) {
    const PetscInt a = i / dim;
    slope[i] = speed[a] > 0 ? c->warmth->area[a] * (tau[a] + rise[a] * speed[a]) * u[i] / speed[a] : 0;
  }
  PetscCall(PetscFree3(speed, tau, rise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionAddWarmth(RhxCondition *c, double t, PetscScalar *load, PetscScalar *slope)
{
  const RhxSpace space = c->bc->space;
  const PetscInt dim = space->dim, width = c->bc->form->nscalars, *node;
  PetscReal *heat, *rise;

  PetscFunctionBegin;
  if (!c->warmth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(c->warmth->n, &heat, c->warmth->n * dim, &rise));
  PetscCall(find_heat(c, t, c->warmth->u, heat, rise));
  PetscCall(ISGetIndices(c->faces->nodes, &node));
  for (PetscInt k = 0; k < width; k++) {
    const PetscInt offset = RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k)->offset;
    double rate;
    PetscCall(rate_of(c, k, &rate));
    for (PetscInt i = 0; i < c->warmth->n; i++) {
      load[(size_t)node[i] * space->bs + offset] += rate * heat[i];
      for (PetscInt d = 0; d < dim; d++) slope[((size_t)node[i] * width + k) * dim + d] += rate * rise[i * dim + d];
    }
  }
  PetscCall(ISRestoreIndices(c->faces->nodes, &node));
  PetscCall(PetscFree2(heat, rise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionSumWarmth(RhxCondition *c, PetscInt k, double t, const PetscScalar *x, double *sum)
{
  const RhxSpace space = c->bc->space;
  const PetscInt dim = space->dim, first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), *node;
  PetscReal *heat, *u;
  double rate;

  PetscFunctionBegin;
  if (!c->warmth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(rate_of(c, k, &rate));
  PetscCall(PetscMalloc2(c->warmth->n, &heat, c->warmth->n * dim, &u));
  PetscCall(ISGetIndices(c->faces->nodes, &node));
  for (PetscInt i = 0; i < c->warmth->n * dim; i++)
    u[i] = PetscRealPart(x[(size_t)node[i / dim] * space->bs + first + i % dim]);
  PetscCall(ISRestoreIndices(c->faces->nodes, &node));
  PetscCall(find_heat(c, t, u, heat, NULL));
  for (PetscInt i = 0; i < c->warmth->n; i++) *sum += rate * heat[i];
  PetscCall(PetscFree2(heat, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
