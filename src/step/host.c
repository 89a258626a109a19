/* The operations on the host. */
#include "boundary/film.h"
#include "form/patch.h"
#include "kernels/implicit.h"
#include "kernels/step.h"
#include "petsc_compat.h"
#include "step/host_impl.h"
#include "step/numbers_impl.h"
#include <math.h>
#include <petsctime.h>

static PetscErrorCode host_allocate(RhxOps ops, RhxArray a)
{
  PetscScalar *at;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)ops->form->space->nlocal * a->width, &at));
  a->at = at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_setup(RhxOps ops)
{
  RhxStepHost *h;
  PetscFunctionBegin;
  PetscCall(PetscNew(&h));
  ops->data = h;
  PetscCall(PetscCalloc1(ops->form->space->nowned, &h->value));
  PetscCall(PetscMalloc1(ops->form->space->bs, &h->block));
  if (ops->settings.mass_corrections || ops->settings.implicit || ops->settings.mass_products)
    PetscCall(PetscMalloc1((size_t)ops->form->space->nlocal * ops->form->space->bs, &h->product));
  if (ops->settings.transport)
    PetscCall(PetscMalloc1((size_t)ops->form->space->nlocal * ops->form->space->ntens, &h->mode));
  if (ops->settings.implicit) {
    PetscCall(PetscMalloc1(ops->form->space->nlocal, &h->inverse));
    PetscCall(RhxStepInverseDiameter(ops, h->inverse));
  }
  if (ops->settings.implicit && ops->settings.tracked) PetscCall(RhxStepHostSubscalesCreate(ops));
  for (RhxArray a = ops->arrays; a; a = a->next) PetscCall(host_allocate(ops, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_destroy(RhxOps ops)
{
  PetscFunctionBegin;
  for (RhxArray a = ops->arrays; a; a = a->next) PetscCall(PetscFree(a->at));
  PetscCall(PetscFree(((RhxStepHost *)ops->data)->value));
  PetscCall(PetscFree(((RhxStepHost *)ops->data)->block));
  PetscCall(PetscFree(((RhxStepHost *)ops->data)->product));
  PetscCall(PetscFree(((RhxStepHost *)ops->data)->mode));
  PetscCall(PetscFree(((RhxStepHost *)ops->data)->inverse));
  PetscCall(RhxStepHostSubscalesDestroy(ops));
  PetscCall(PetscFree(ops->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_has_room(RhxOps ops, PetscInt n, PetscInt width, PetscBool *has)
{
  PetscFunctionBegin;
  (void)ops, (void)n, (void)width;
  *has = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_load(RhxOps ops, RhxArray a, const PetscScalar *from)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy((PetscScalar *)a->at, from, (size_t)ops->form->space->nowned * a->width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_store(RhxOps ops, RhxArray a, PetscScalar *to)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(to, (const PetscScalar *)a->at, (size_t)ops->form->space->nowned * a->width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_put(RhxOps ops, RhxArray a, PetscInt at, double value)
{
  PetscFunctionBegin;
  (void)ops;
  ((PetscScalar *)a->at)[at] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_fetch(RhxOps ops, RhxArray a, IS nodes, PetscScalar *values)
{
  const PetscScalar *all = (const PetscScalar *)a->at;
  const PetscInt *node, width = a->width;
  PetscInt n;
  PetscFunctionBegin;
  (void)ops;
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(PetscArraycpy(values + (size_t)i * width, all + (size_t)node[i] * width, width));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_store_part(RhxOps ops, RhxArray a, PetscInt first, PetscInt n, PetscScalar *to)
{
  const PetscScalar *from = a->at;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ops->form->space->nowned; i++)
    PetscCall(PetscArraycpy(to + (size_t)i * a->width + first, from + (size_t)i * a->width + first, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_copy(RhxOps ops, RhxArray from, RhxArray to)
{
  PetscFunctionBegin;
  PetscCall(host_load(ops, to, (const PetscScalar *)from->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_ghosts(RhxOps ops, RhxArray a)
{
  PetscScalar *v = (PetscScalar *)a->at;
  PetscFunctionBegin;
  PetscCall(RhxSpaceGlobalToLocal(ops->form->space, a->width, v, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A step ---- */

static PetscErrorCode host_begin(RhxOps ops, double t, double dt, double before)
{
  PetscFunctionBegin;
  RhxStepBegin(ops, t, dt, before);
  PetscCall(RhxStepBeginPressure(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_stage(RhxOps ops, double at, double part, double end, RhxArray clear)
{
  PetscFunctionBegin;
  (void)clear;
  ops->stage_t = ops->t + at * ops->dt;
  ops->stage_dt = RhxStepPart(ops, part) * ops->dt;
  ops->stage_end = ops->stage_t + (end - at) * ops->dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_replay(RhxOps ops, int key, RhxOpsBody body, void *context)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  PetscFunctionBegin;
  RhxStepHistory(ops, key, &h->part, &h->known, &h->share);
  PetscCall(body(context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_finish(RhxOps ops)
{
  RhxStepResult *rs = &ops->result;
  double all[4] = {rs->du_dt, rs->ds_dt, rs->finite ? 0.0 : 1.0, rs->continuity};
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_MAX, ops->form->comm));
  rs->du_dt = PetscSqrtReal(all[0]);
  rs->ds_dt = PetscSqrtReal(all[1]);
  rs->finite = (PetscBool)(all[2] == 0.0);
  rs->continuity = all[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_stats(RhxOps ops)
{
  PetscFunctionBegin;
  (void)ops; /* the residual has reduced them */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_values(RhxOps ops, PetscBool end)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(ops->bc, end ? ops->stage_end : ops->stage_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The form ---- */

static PetscErrorCode host_project(RhxOps ops, RhxArray x, RhxArray aux, RhxArray clear)
{
  PetscFunctionBegin;
  (void)clear;
  PetscCall(
      RhxBoundaryProject(ops->bc, ops->stage_t, ops->stage_dt, (const PetscScalar *)x->at, (PetscScalar *)aux->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_residual(RhxOps ops, unsigned rows, RhxArray x, RhxArray xdot, RhxArray aux, RhxArray r,
                                    PetscBool stats, RhxArray clear)
{
  double film;
  PetscFunctionBegin;
  (void)clear;
  PetscCall(RhxFormResidual(ops->form, rows, ops->stage_t, ops->stage_dt, (const PetscScalar *)x->at,
                            ops->settings.strong_rate ? (const PetscScalar *)xdot->at : NULL,
                            (const PetscScalar *)aux->at, (PetscScalar *)r->at, stats ? &ops->result.stats : NULL));
  if (rows & RHX_ROWS_MODES)
    PetscCall(RhxBoundaryAddInflow(ops->bc, ops->settings.transport ? 0.0 : ops->stage_dt, ops->mass,
                                   (const PetscScalar *)x->at, (PetscScalar *)r->at));
  if (rows & RHX_ROWS_SCALARS) PetscCall(RhxBoundaryAddFilm(ops->bc, (const PetscScalar *)x->at, (PetscScalar *)r->at));
  if (stats) PetscCall(RhxFormStatsReduce(ops->form, &ops->result.stats));
  if (stats) PetscCall(RhxStepFilmRate(ops, &film));
  if (stats) ops->result.stats.relaxation += film;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_divergence(RhxOps ops, RhxArray v, RhxArray b)
{
  PetscFunctionBegin;
  PetscCall(host_ghosts(ops, v));
  PetscCall(RhxFormDivergence(ops->form, (const PetscScalar *)v->at, (PetscScalar *)b->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The boundary's part of the gradient of p less `rise` (NULL: 0) at open nodes. */
void RhxStepHostAddOpen(const RhxOpenNodes *open, const PetscScalar *rise, PetscInt dim, const PetscScalar *p,
                        PetscScalar *slope)
{
  for (PetscInt i = 0; i < open->n; i++)
    for (PetscInt d = 0; d < dim; d++)
      slope[(size_t)open->node[i] * dim + d] -= (p[open->node[i]] - (rise ? rise[i] : 0.0)) * open->normal[i * dim + d];
}

static PetscErrorCode host_gradient(RhxOps ops, RhxArray phi, RhxArray g)
{
  const RhxOpenNodes *open = &ops->form->open;
  const PetscScalar *p = (const PetscScalar *)phi->at;
  PetscScalar *slope = (PetscScalar *)g->at;
  PetscFunctionBegin;
  if (!((RhxStepHost *)ops->data)->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormGradient(ops->form, p, slope));
  RhxStepHostAddOpen(open, open->rise, ops->form->space->dim, p, slope);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Nodes ---- */

/* Largest |R_p| / m over rows of free pressure, this rank. */
static PetscErrorCode continuity_residual(RhxOps ops, const PetscScalar *r, double *largest)
{
  PetscScalar *mark = ((RhxStepHost *)ops->data)->value;
  const RhxSpace sp = ops->form->space;
  const PetscInt *fixed, p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscInt nfixed;
  PetscFunctionBegin;
  *largest = 0.0;
  PetscCall(RhxBoundaryGetPressureNodes(ops->bc, &nfixed, &fixed, NULL));
  PetscCall(PetscArrayzero(mark, sp->nowned));
  for (PetscInt i = 0; i < nfixed; i++) mark[fixed[i]] = 1.0;
  for (PetscInt i = 0; i < sp->nowned; i++)
    if (mark[i] == 0.0) {
      const double v = PetscAbsScalar(r[(size_t)i * sp->bs + p]) / sp->mass[i];
      if (!(v <= *largest)) *largest = v;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n values of a sum from value k on. */
static void add_up(const RhxSum *sum, size_t k, PetscInt n, PetscScalar *r)
{
  const PetscScalar *first = (const PetscScalar *)sum->term[0]->at + k;
  for (PetscInt c = 0; c < n; c++) r[c] = sum->weight[0] * first[c];
  for (int j = 1; j < sum->n; j++) {
    const PetscScalar *term = (const PetscScalar *)sum->term[j]->at + k;
    for (PetscInt c = 0; c < n; c++) r[c] += sum->weight[j] * term[c];
  }
}

/* v: velocity of y, less that of x unless it is NULL. */
static void take_velocity(RhxSpace sp, const PetscScalar *y, const PetscScalar *x, PetscScalar *v)
{
  const PetscInt bs = sp->bs, dim = sp->dim, u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < dim; c++)
      v[(size_t)i * dim + c] = y[(size_t)i * bs + u + c] - (x ? x[(size_t)i * bs + u + c] : 0.0);
}

static PetscErrorCode host_update(RhxOps ops, RhxArray base, const RhxSum *sum, RhxArray less, RhxArray to,
                                  RhxArray vel, PetscBool continuity)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt bs = sp->bs;
  const PetscScalar *x = (const PetscScalar *)base->at;
  PetscScalar *y = (PetscScalar *)to->at, *ri = ((RhxStepHost *)ops->data)->block;
  PetscFunctionBegin;
  if (continuity) PetscCall(continuity_residual(ops, (const PetscScalar *)sum->term[0]->at, &ops->result.continuity));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double a = ops->stage_dt / ops->mass[i];
    const PetscScalar *xi = x + (size_t)i * bs;
    PetscScalar *yi = y + (size_t)i * bs;
    add_up(sum, (size_t)i * bs, bs, ri);
    for (const RhxField *f = sp->field; f < sp->field + sp->nfields; f++) {
      const PetscInt end = f->offset + f->components;
      const double b = a / f->mass;
      if (f->mass == 0.0)
        for (PetscInt c = f->offset; c < end; c++) yi[c] = xi[c];
      else
        for (PetscInt c = f->offset; c < end; c++) yi[c] = xi[c] - b * ri[c];
    }
  }
  PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_ALL & ~RHX_BC_PRESSURE, y));
  if (vel) take_velocity(sp, y, less ? (const PetscScalar *)less->at : NULL, (PetscScalar *)vel->at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_predict(RhxOps ops, RhxArray state, RhxArray slope, RhxArray to, RhxArray rate)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim, u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY),
                 s = RhxFieldsStart(sp->fields, RHX_GROUP_MODES),
                 nmodes = ops->settings.transport ? sp->nmodes * sp->ntens : 0;
  const PetscScalar *x = (const PetscScalar *)state->at, *xdot = (const PetscScalar *)slope->at;
  PetscScalar *y = (PetscScalar *)to->at, *v = (PetscScalar *)rate->at;
  PetscFunctionBegin;
  PetscCall(host_copy(ops, state, to));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = u; c < u + dim; c++) y[(size_t)i * bs + c] += ops->dt * xdot[(size_t)i * bs + c];
  for (PetscInt i = 0; nmodes && i < sp->nowned; i++)
    for (PetscInt c = s; c < s + nmodes; c++) y[(size_t)i * bs + c] += ops->dt * xdot[(size_t)i * bs + c];
  PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_VELOCITY | (nmodes ? RHX_BC_MODES : 0u), y));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < dim; c++) {
      const size_t k = (size_t)i * bs + u + c;
      v[(size_t)i * dim + c] = ops->lead / ops->dt * (y[k] - x[k]) - ops->late * xdot[k];
    }
  PetscCall(host_ghosts(ops, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_hold(RhxOps ops, RhxArray slope, RhxArray from, RhxArray to)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *xdot = (const PetscScalar *)slope->at;
  const PetscReal *inverse = ((RhxStepHost *)ops->data)->inverse;
  PetscScalar *y = (PetscScalar *)to->at;
  PetscFunctionBegin;
  PetscCall(host_copy(ops, from, to));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    PetscScalar *v = y + (size_t)i * sp->bs + u;
    double square = 0.0;
    for (PetscInt d = 0; d < sp->dim; d++) square += PetscSqr(v[d] * ops->dt * inverse[i]);
    for (PetscInt d = 0; d < sp->dim; d++)
      v[d] -= RHX_HELD * square / (1.0 + RHX_HELD * square) * ops->dt * xdot[(size_t)i * sp->bs + u + d];
  }
  PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_VELOCITY, y));
  PetscCall(host_ghosts(ops, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_bend(RhxOps ops, double weight, RhxArray slope, RhxArray before, RhxArray state)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *xdot = (const PetscScalar *)slope->at, *earlier = (const PetscScalar *)before->at;
  PetscScalar *y = (PetscScalar *)state->at;
  PetscFunctionBegin;
  if (ops->bend == 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = u; c < u + sp->dim; c++) {
      const size_t k = (size_t)i * sp->bs + c;
      y[k] += weight * ops->bend * (xdot[k] - earlier[k]);
    }
  PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_VELOCITY, y));
  PetscCall(host_ghosts(ops, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of a mode at y. */
static void take_mode_rate(RhxOps ops, PetscInt mode, const PetscScalar *x, const PetscScalar *xdot,
                           const PetscScalar *y, PetscScalar *v)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt width = sp->ntens, first = RhxFieldsStart(sp->fields, RHX_GROUP_MODES) + mode * width;
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < width; c++) {
      const size_t k = (size_t)i * sp->bs + first + c;
      v[(size_t)i * width + c] = ops->lead / ops->dt * (y[k] - x[k]) - ops->late * xdot[k];
    }
}

static PetscErrorCode host_transport(RhxOps ops, PetscBool again, RhxArray start, RhxArray slope, RhxArray aux,
                                     RhxArray res, RhxArray state)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt width = sp->ntens;
  PetscScalar *y = (PetscScalar *)state->at, *v = ((RhxStepHost *)ops->data)->mode;
  RhxTransportResult found;
  PetscFunctionBegin;
  if (!again) ops->result.polymer = (RhxTransportResult){.finite = PETSC_TRUE, .converged = PETSC_TRUE};
  for (PetscInt m = 0; m < sp->nmodes; m++) {
    const PetscInt first = RhxFieldsStart(sp->fields, RHX_GROUP_MODES) + m * width;
    take_mode_rate(ops, m, (const PetscScalar *)start->at, (const PetscScalar *)slope->at, y, v);
    PetscCall(RhxSpaceGlobalToLocal(sp, width, v, v));
    PetscCall(RhxTransportSolve(ops->polymer, m, (PetscBool)(again && sp->nmodes == 1), ops->stage_t, ops->stage_dt,
                                1.0 / ops->stage_dt, y, (const PetscScalar *)aux->at, (const PetscScalar *)res->at, v,
                                &found));
    ops->result.polymer = RhxTransportWorse(ops->result.polymer, found);
    for (PetscInt i = 0; i < sp->nowned; i++)
      for (PetscInt c = 0; c < width; c++) y[(size_t)i * sp->bs + first + c] += v[(size_t)i * width + c];
  }
  PetscCall(host_ghosts(ops, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of R_p that subscales of a stabiliser's bound of tau, 2 tau_0, follow in a step. They begin with the first. */
static double follow(RhxOps ops)
{
  return ops->settings.tracked && !ops->fresh ? -expm1(-ops->dt / (ops->form->rho * ops->result.stats.tau)) : 1.0;
}

static PetscErrorCode host_momentum(RhxOps ops, RhxArray state, RhxArray before, RhxArray aux, RhxArray res,
                                    RhxArray change, RhxArray to)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim, u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *x = (const PetscScalar *)state->at, *start = (const PetscScalar *)before->at,
                    *r = (const PetscScalar *)res->at;
  PetscScalar *y = (PetscScalar *)to->at, *v = (PetscScalar *)change->at, *ahead = ((RhxStepHost *)ops->data)->ahead;
  PetscFunctionBegin;
  PetscCall(continuity_residual(ops, r, &ops->result.continuity));
  PetscCall(host_ghosts(ops, change));
  PetscCall(RhxTransportSolve(ops->momentum, 0, PETSC_FALSE, ops->stage_t, ops->stage_dt,
                              ops->form->rho / ops->stage_dt, x, (const PetscScalar *)aux->at, r, v,
                              &ops->result.momentum));
  PetscCall(host_copy(ops, state, to));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < dim; c++) {
      const size_t k = (size_t)i * bs + u + c;
      y[k] += v[(size_t)i * dim + c];
      if (ahead) v[(size_t)i * dim + c] += ahead[(size_t)i * dim + c] = x[k] - start[k];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_rates(RhxOps ops, RhxArray start, RhxArray r, RhxArray w)
{
  const size_t n = (size_t)ops->form->space->nowned * ops->form->space->bs;
  const RhxSum sum = {1, {r}, {1.0}};
  const PetscScalar *x = (const PetscScalar *)start->at;
  PetscScalar *rate = (PetscScalar *)w->at;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(ops->bc, ops->t + ops->dt));
  PetscCall(host_update(ops, start, &sum, NULL, w, NULL, PETSC_FALSE));
  for (size_t k = 0; k < n; k++) rate[k] = (rate[k] - x[k]) / ops->stage_dt;
  PetscCall(host_ghosts(ops, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_add_mass(RhxOps ops, double weight, RhxArray first, RhxArray w, RhxArray r)
{
  const RhxSpace sp = ops->form->space;
  const PetscScalar *before = first ? (const PetscScalar *)first->at : NULL,
                    *product = ((RhxStepHost *)ops->data)->product;
  PetscScalar *to = (PetscScalar *)r->at;
  PetscInt n = sp->nowned;
  const PetscInt *row = RhxFormGetPatchRows(ops->form, &n), end = RhxStepEndOfMass(ops);
  PetscFunctionBegin;
  PetscCall(RhxFormMassProduct(ops->form, sp->bs, (const PetscScalar *)w->at, ((RhxStepHost *)ops->data)->product));
  for (PetscInt l = 0; l < n; l++) {
    const PetscInt i = row ? row[l] : l;
    if (i >= sp->nowned) continue;
    for (const RhxField *f = sp->field; f < sp->field + sp->nfields; f++)
      for (PetscInt c = f->offset; f->mass != 0.0 && c < PetscMin(f->offset + f->components, end); c++) {
        const size_t k = (size_t)i * sp->bs + c;
        to[k] += (before ? before[k] : 0.0) + weight * f->mass * product[k];
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_combine(RhxOps ops, double a, RhxArray first, double b, RhxArray second, RhxArray to,
                                   RhxArray change)
{
  const RhxSpace sp = ops->form->space;
  const PetscScalar *x = (const PetscScalar *)first->at, *z = (const PetscScalar *)second->at;
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE), u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  PetscScalar *y = (PetscScalar *)to->at, *v = change ? (PetscScalar *)change->at : NULL;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->bs; c++) {
      const size_t k = (size_t)i * sp->bs + c;
      y[k] = c == p ? z[k] : a * x[k] + b * z[k];
    }
  PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_ALL, y));
  for (PetscInt i = 0; v && i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->dim; c++) {
      const size_t k = (size_t)i * sp->bs + u + c, at = (size_t)i * sp->dim + c;
      v[at] = b * v[at] + a * x[k] + b * z[k] - y[k];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_tell(RhxOps ops, double lag, RhxArray x, RhxArray slope, RhxArray y)
{
  const PetscInt bs = ops->form->space->bs, p = RhxFieldsStart(ops->form->space->fields, RHX_GROUP_PRESSURE);
  PetscScalar *to = (PetscScalar *)y->at;
  PetscFunctionBegin;
  PetscCall(host_copy(ops, x, y));
  for (PetscInt i = 0; i < ops->form->space->nowned; i++)
    to[(size_t)i * bs + p] += lag * ((const PetscScalar *)slope->at)[(size_t)i * bs + p];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |v|^2 of a field of x, times scale; this rank. */
static double largest_square(RhxOps ops, const PetscScalar *x, RhxFieldGroup group, PetscInt k, double scale)
{
  const RhxField *f = RhxFieldsGet(ops->form->space->fields, group, k);
  const PetscInt bs = ops->form->space->bs, first = f->offset, n = f->components;
  double largest = 0.0;
  for (PetscInt i = 0; i < ops->form->space->nowned; i++) {
    const PetscScalar *v = x + (size_t)i * bs + first;
    double s = 0.0;
    for (PetscInt c = 0; c < n; c++) s += v[c] * v[c];
    if (s > largest) largest = s;
  }
  return scale * largest;
}

/* Largest |s|^2 of all modes over their moduli, of scalars over their scale. */
static double largest_mode(RhxOps ops, const PetscScalar *x)
{
  double largest = 0.0;
  for (PetscInt k = 0; k < ops->form->space->nmodes; k++)
    largest = PetscMax(largest, largest_square(ops, x, RHX_GROUP_MODES, k, 1.0 / PetscSqr(ops->form->scale[k])));
  for (PetscInt k = 0; k < ops->form->nscalars; k++)
    largest =
        PetscMax(largest, largest_square(ops, x, RHX_GROUP_SCALARS, k, 1.0 / PetscSqr(ops->form->scalar[k].set.scale)));
  return largest;
}

static PetscErrorCode host_norms(RhxOps ops, RhxArray a, double norm[RHX_NNORMS])
{
  const PetscScalar *x = (const PetscScalar *)a->at;
  PetscFunctionBegin;
  norm[RHX_NORM_VELOCITY] = PetscSqrtReal(largest_square(ops, x, RHX_GROUP_VELOCITY, 0, 1.0));
  norm[RHX_NORM_PRESSURE] = PetscSqrtReal(largest_square(ops, x, RHX_GROUP_PRESSURE, 0, 1.0));
  norm[RHX_NORM_MODES] = PetscSqrtReal(largest_mode(ops, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Squares of this rank; `finish` takes the roots of the largest. */
static PetscErrorCode host_measure(RhxOps ops, RhxArray start, RhxArray end, RhxArray slope)
{
  const size_t n = (size_t)ops->form->space->nowned * ops->form->space->bs;
  const PetscScalar *x = (const PetscScalar *)start->at, *y = (const PetscScalar *)end->at;
  PetscScalar *rate = (PetscScalar *)slope->at;
  double sum = 0.0;
  PetscFunctionBegin;
  for (size_t k = 0; k < n; k++) {
    rate[k] = (y[k] - x[k]) / ops->dt;
    sum += RHX_LOST(y[k]); /* not zero: some value is lost */
  }
  ops->result.finite = (PetscBool)(sum == 0.0);
  ops->result.du_dt = largest_square(ops, rate, RHX_GROUP_VELOCITY, 0, 1.0);
  ops->result.ds_dt = largest_mode(ops, rate);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pressure ---- */

/* Values that the pressure takes at fixed nodes, less those of x if the increment is solved for. */
static PetscErrorCode fixed_pressures(RhxOps ops, const PetscScalar *x)
{
  const RhxSpace sp = ops->form->space;
  PetscScalar *value = ((RhxStepHost *)ops->data)->value;
  const PetscScalar *given, *kept = ((RhxStepHost *)ops->data)->kept;
  const PetscInt *fixed, p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscInt nfixed;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetPressureNodes(ops->bc, &nfixed, &fixed, NULL));
  PetscCall(RhxBoundaryGetPressureValues(ops->bc, &given));
  for (PetscInt i = 0; i < nfixed; i++)
    value[fixed[i]] = given[i] - (x ? x[(size_t)fixed[i] * sp->bs + p] : 0.0) - (kept ? kept[fixed[i]] : 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The increment at open nodes is that of the pressure behind them. */
static void raise_open(RhxOps ops, PetscScalar *b)
{
  const RhxOpenNodes *open = &ops->form->open;
  const PetscScalar *known = ((RhxStepHost *)ops->data)->kept_rise;
  const double part = RhxStepOpenPart(ops);
  for (PetscInt i = 0; open->rise && i < open->n; i++)
    b[open->node[i]] += part * open->diagonal[i] * (open->rise[i] - (known ? known[i] : 0.0));
}

/* At nodes whose pressure is given no balance is asked for. */
static PetscErrorCode clear_fixed(RhxOps ops, PetscScalar *asked)
{
  const PetscInt *fixed;
  PetscInt nfixed;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetPressureNodes(ops->bc, &nfixed, &fixed, NULL));
  for (PetscInt i = 0; i < nfixed; i++) asked[fixed[i]] = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* e of explicit steps that hand it on */
static PetscScalar lacked(RhxOps ops, int key, PetscInt i)
{
  return ((const PetscScalar *)ops->asked[key]->at)[i] - ((const PetscScalar *)ops->done[key]->at)[i];
}

static PetscErrorCode host_pressure(RhxOps ops, double factor, RhxArray state, RhxArray res, RhxArray xdot,
                                    RhxArray rhs, RhxArray guess, RhxArray clear)
{
  const RhxStepHost *h = (const RhxStepHost *)ops->data;
  const RhxSpace sp = ops->form->space;
  const RhxArray asked = ops->asked[ops->key];
  const int before = 1 - ops->key, from = ops->second ? ops->key : before;
  const PetscInt bs = sp->bs, p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  const PetscScalar *x = (const PetscScalar *)state->at, *r = (const PetscScalar *)res->at,
                    *rate = (const PetscScalar *)xdot->at, *kept = h->kept;
  PetscScalar *b = (PetscScalar *)rhs->at, *phi = (PetscScalar *)guess->at,
              *now = asked ? (PetscScalar *)asked->at : NULL;
  const double step = ops->stage_dt / ops->form->rho,
               part = ops->settings.tracked && ops->settings.implicit && !ops->fresh ? 0.0
                                                                                     : follow(ops), /* there b has it */
      rest = now ? (1.0 - part) * (ops->second ? 1.0 : h->share) : 0.0,
               lead = ops->settings.tracked ? 0.0 : 0.5 * ops->result.stats.tau; /* tau_0, half of the bound of tau */
  PetscFunctionBegin;
  (void)clear;
  if (factor == 0.0)
    for (PetscInt i = 0; i < sp->nowned; i++) {
      const PetscScalar change = b[i] + part * r[(size_t)i * bs + p] + (rest > 0.0 ? rest * lacked(ops, from, i) : 0.0);
      if (now)
        now[i] = ops->second ? 0.5 * (change + (h->share > 0.0 ? h->share * lacked(ops, before, i) : 0.0)) : change;
      b[i] = -change / (step + lead);
      phi[i] = ops->stage_dt * rate[(size_t)i * bs + p] - (kept ? kept[i] : 0.0);
    }
  else
    for (PetscInt i = 0; i < sp->nowned; i++) {
      b[i] *= factor;
      phi[i] = x[(size_t)i * bs + p];
    }
  if (factor == 0.0) raise_open(ops, b);
  if (now) PetscCall(clear_fixed(ops, now));
  PetscCall(fixed_pressures(ops, factor == 0.0 ? x : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_solve(RhxOps ops, RhxArray b, RhxArray phi)
{
  RhxStepHost *h = (RhxStepHost *)ops->data;
  PetscLogDouble t0, t1;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxPressureSolve(ops->pressure, (const PetscScalar *)b->at, h->value, (PetscScalar *)phi->at,
                             &ops->result.iterations, &h->solved));
  for (PetscInt i = 0; h->kept && h->solved && i < ops->form->space->nlocal; i++)
    ((PetscScalar *)phi->at)[i] += h->kept[i];
  PetscCall(PetscTime(&t1));
  ops->result.pressure_seconds += t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_correct(RhxOps ops, RhxArray state, RhxArray phi, RhxArray grad, RhxArray to, RhxArray start,
                                   RhxArray rate)
{
  const RhxSpace sp = ops->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim, u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  const double b = ops->stage_dt / ops->form->rho;
  const PetscScalar *x = (const PetscScalar *)state->at, *dp = (const PetscScalar *)phi->at;
  PetscScalar *y = (PetscScalar *)to->at, *g = grad ? (PetscScalar *)grad->at : NULL;
  const PetscBool solved = ((RhxStepHost *)ops->data)->solved;
  PetscFunctionBegin;
  for (PetscInt i = 0; solved && i < sp->nowned; i++) {
    const double a = b / ops->mass[i];
    y[(size_t)i * bs + p] = g ? x[(size_t)i * bs + p] + dp[i] : dp[i];
    for (PetscInt c = 0; g && c < dim; c++) y[(size_t)i * bs + u + c] -= a * g[(size_t)i * dim + c];
  }
  if (solved && g) PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_VELOCITY, y));
  if (solved && g && ops->done[0]) {
    for (PetscInt i = 0; i < sp->nowned; i++)
      for (PetscInt c = 0; c < dim; c++) g[(size_t)i * dim + c] *= b / ops->mass[i];
    PetscCall(RhxBoundaryFreeVelocity(ops->bc, g));
  }
  if (g) PetscCall(RhxBoundaryRaisePressure(ops->bc));
  if (rate) PetscCall(host_measure(ops, start, to, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxOpsTable RhxOpsHost = {.setup = host_setup,
                                .destroy = host_destroy,
                                .allocate = host_allocate,
                                .has_room = host_has_room,
                                .load = host_load,
                                .store = host_store,
                                .fetch = host_fetch,
                                .put = host_put,
                                .store_part = host_store_part,
                                .begin = host_begin,
                                .stage = host_stage,
                                .replay = host_replay,
                                .close = host_ghosts,
                                .finish = host_finish,
                                .stats = host_stats,
                                .values = host_values,
                                .project = host_project,
                                .residual = host_residual,
                                .divergence = host_divergence,
                                .gradient = host_gradient,
                                .ghosts = host_ghosts,
                                .copy = host_copy,
                                .update = host_update,
                                .predict = host_predict,
                                .hold = host_hold,
                                .bend = host_bend,
                                .transport = host_transport,
                                .momentum = host_momentum,
                                .rates = host_rates,
                                .add_mass = host_add_mass,
                                .combine = host_combine,
                                .measure = host_measure,
                                .tell = host_tell,
                                .norms = host_norms,
                                .subscales = RhxStepHostSubscales,
                                .handed = RhxStepHostHanded,
                                .pressure = host_pressure,
                                .solve = host_solve,
                                .correct = host_correct,
                                .tangent = &RhxTangentHost,
                                .nodal = &RhxNodalHost};
