/* Conditions with a state: moved on after a step by what they measure, kept by checkpoints. And what a type may ask. */
#include "boundary/coming_impl.h"
#include "boundary/coupling_impl.h"
#include "boundary/drive_impl.h"
#include "boundary/impl.h"
#include "boundary/memory.h"
#include "boundary/memory_impl.h"
#include "boundary/scalar_impl.h"
#include "boundary/warmth_impl.h"
#include "space/face.h"
#include <math.h>
#include <string.h>

const char *RhxConditionGetLabel(const RhxCondition *c) { return c->label; }
MPI_Comm RhxConditionGetComm(const RhxCondition *c) { return c->bc->comm; }
PetscInt RhxConditionGetDimension(const RhxCondition *c) { return c->bc->space->dim; }
void *RhxConditionGetOptions(RhxCondition *c) { return c->own; }
double *RhxConditionGetState(RhxCondition *c) { return c->state; }

void RhxConditionGetGeometry(const RhxCondition *c, PetscReal *area, PetscReal normal[3])
{
  if (area) *area = c->geo.area;
  for (PetscInt d = 0; normal && d < 3; d++) normal[d] = c->geo.normal[d];
}

PetscBool RhxConditionMoves(const RhxCondition *c)
{
  return (PetscBool)(c->type->advance || c->type->follow || c->coming);
}

PetscBool RhxConditionIsLater(const RhxCondition *c, double t) { return (PetscBool)(t > c->kept[2 * c->type->nstate]); }

PetscErrorCode RhxConditionSetUpState(RhxCondition *c)
{
  PetscFunctionBegin;
  if (c->type->setup) PetscCall(c->type->setup(c));
  PetscCall(PetscArraycpy(c->kept + c->type->nstate, c->kept, c->type->nstate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals over this rank's faces of u.n and p. */
static void integrate(const RhxCondition *c, double sum[2])
{
  const RhxSpace space = c->bc->space;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscInt p = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), *at = c->faces->at;

  for (PetscInt k = 0; k < c->faces->ngroups; k++) {
    const RhxFaceGroup *g = &c->faces->group[k];
    for (PetscInt f = 0; f < g->n; f++, at += g->nfn)
      for (PetscInt q = 0; q < g->nfq; q++) {
        double n[3], area = RhxFaceNormal(g, space->dim, f, q, n);
        for (PetscInt a = 0; a < g->nfn; a++) {
          const PetscScalar *x = c->flow + (size_t)at[a] * space->bs;
          const double N = g->N[q * g->nn + g->fnode[a]];
          for (PetscInt d = 0; d < space->dim; d++) sum[0] += N * x[u + d] * n[d];
          sum[1] += N * x[p] * area;
        }
      }
  }
}

PetscErrorCode RhxConditionMeasure(RhxCondition *c, double *flux, double *pressure)
{
  double sum[2] = {0, 0};

  PetscFunctionBegin;
  PetscCheck(c->flow, c->bc->comm, PETSC_ERR_ORDER, "RhxConditionMeasure of label '%s': expected it in advance only",
             c->label);
  integrate(c, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, c->bc->comm));
  *flux = sum[0];
  *pressure = sum[1] / c->geo.area;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flow at the label's nodes, of which it may measure; the caller frees it. */
static PetscErrorCode take_flow(RhxCondition *c, RhxFetchFn fetch, void *ctx)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(c->faces->nodes, &n));
  PetscCall(PetscMalloc1(n * c->bc->space->bs + 1, &c->flow)); /* not NULL where a rank has none */
  PetscCall(fetch(ctx, c->faces->nodes, c->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(RhxCondition *c, double t, double dt, RhxFetchFn fetch, void *ctx)
{
  const PetscInt nstate = c->type->nstate;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(c->kept + nstate, c->kept, nstate));
  c->kept[2 * nstate] = t;
  PetscCall(take_flow(c, fetch, ctx));
  if (c->type->follow) {
    double mean;
    PetscCall(RhxConditionMeasure(c, &c->flux, &mean));
  }
  if (c->type->advance) PetscCall(c->type->advance(c, t, dt));
  RhxConditionTellWarmth(c, c->flow);
  PetscCall(RhxConditionTellComing(c, c->flow));
  PetscCall(PetscFree(c->flow));
  c->moved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryAdvance(RhxBoundary bc, double t, double dt, RhxFetchFn fetch, void *ctx)
{
  const double way = bc->rest ? HUGE_VAL : dt;

  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&RhxGivenEvent));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (RhxConditionMoves(&bc->cond[i])) PetscCall(advance(&bc->cond[i], t, way, fetch, ctx));
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(RhxMemoryAdvance(&bc->cond[i], t));
  if (RhxBoundaryHasMemories(bc)) PetscCall(RhxBoundaryRaise(bc));
  PetscCall(RhxBoundaryFollow(bc, t));
  PetscCall(RhxDriveAdvance(bc, dt, fetch, ctx));
  bc->past[RHX_PAST_STEP] = dt;
  PetscCall(RhxEventEnd(&RhxGivenEvent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryForesee(RhxBoundary bc, double t, double dt, double before)
{
  PetscFunctionBegin;
  if (!(dt > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxEventBegin(&RhxGivenEvent));
  if (bc->past[RHX_PAST_STEP] > 0) PetscCall(RhxBoundaryForeseeFollowing(bc, t, dt));
  PetscCall(RhxDriveForesee(bc, t, dt, before));
  PetscCall(RhxEventEnd(&RhxGivenEvent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_flow(RhxCondition *c, RhxFetchFn fetch, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(take_flow(c, fetch, ctx));
  if (c->type->begin) PetscCall(c->type->begin(c));
  RhxConditionTellWarmth(c, c->flow);
  PetscCall(RhxConditionTellComing(c, c->flow));
  PetscCall(PetscFree(c->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryMeet(RhxBoundary bc, double t, RhxFetchFn fetch, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!c->type->tangent && !c->coming) continue;
    PetscCall(tell_flow(c, fetch, ctx));
    PetscCall(RhxConditionTraction(c, t));
  }
  if (bc->film.rubs || bc->film.comes) {
    PetscCall(RhxBoundaryScalars(bc, t));
    PetscCall(RhxBoundaryRaise(bc));
  }
  bc->version++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt bs;
  const PetscScalar *x; /* [nlocal][bs] */
} Local;

static PetscErrorCode fetch_local(void *ctx, IS nodes, PetscScalar *x)
{
  const Local *from = ctx;
  const PetscInt *node;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt k = 0; k < n; k++)
    PetscCall(PetscArraycpy(x + (size_t)k * from->bs, from->x + (size_t)node[k] * from->bs, from->bs));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionMeasureFlux(RhxCondition *c, const PetscScalar *x, double *flux)
{
  Local local = {.bs = c->bc->space->bs, .x = x};
  double pressure;

  PetscFunctionBegin;
  PetscCall(take_flow(c, fetch_local, &local));
  PetscCall(RhxConditionMeasure(c, flux, &pressure));
  PetscCall(PetscFree(c->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBegin(RhxBoundary bc, const PetscScalar *x)
{
  const RhxSpace space = bc->space;
  PetscScalar *all = NULL;
  Local local = {.bs = space->bs};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!c->type->begin && !c->coming) continue;
    if (!all) {
      PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, &all));
      PetscCall(RhxSpaceGlobalToLocal(space, space->bs, x, all));
      local.x = all;
    }
    PetscCall(tell_flow(c, fetch_local, &local));
    c->moved = PETSC_TRUE;
  }
  PetscCall(PetscFree(all));
  PetscCall(RhxDriveBegin(bc, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetState(RhxBoundary bc, PetscInt which, char name[256], PetscInt *n, double **values,
                                   PetscBool *tacit)
{
  PetscFunctionBegin;
  *n = 0;
  *tacit = PETSC_FALSE;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!c->type->nstate || which--) continue;
    PetscCall(PetscSNPrintf(name, 256, "condition_%s_%s", c->label, c->type->entry.name));
    *n = 2 * c->type->nstate + 1;
    *values = c->kept;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (bc->drive_force && !which--) {
    PetscCall(PetscStrncpy(name, "driving_force", 256));
    RhxDriveGetState(bc, n, values);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (bc->drive_force && !which--) { /* what older checkpoints lack */
    PetscCall(PetscStrncpy(name, "driving_drag", 256));
    *n = 1;
    *values = RhxDriveGetDrag(bc);
    *tacit = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((bc->drive_force || bc->drive) && !which--) {
    PetscCall(PetscStrncpy(name, "step_before", 256));
    *n = RHX_NPAST;
    *values = bc->past;
    *tacit = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!RhxConditionHasLevel(c) || which--) continue;
    PetscCall(PetscSNPrintf(name, 256, "outlet_pressure_%s", c->label));
    *n = 2;
    *values = c->level[0];
    *tacit = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryStateChanged(RhxBoundary bc)
{
  PetscFunctionBegin;
  bc->sources_moved = PETSC_TRUE;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!bc->cond[i].type->nstate) continue;
    bc->cond[i].moved = PETSC_TRUE;
    bc->evaluated = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
