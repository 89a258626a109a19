/* The operations on a device. Work joins its stream; between steps nothing but t, dt and the scalars of kernels/step.h
 * travels. */
#include "petsc_compat.h"
#include "step/device_impl.h"
#include "step/numbers_impl.h"
#include <math.h>
#include <petsctime.h>

_Static_assert(sizeof(RhxClock) == RHX_CLOCK_DOUBLES * sizeof(double), "kernels/clock.h: RHX_CLOCK_DOUBLES");
_Static_assert(sizeof(RhxFormStats) == (RHX_S_CONTINUITY - RHX_S_STATS) * sizeof(double),
               "kernels/step.h: RHX_S_STATS");
_Static_assert(offsetof(RhxFormStats, viscous) == (RHX_S_VISCOUS - RHX_S_STATS) * sizeof(double), "kernels/step.h");
_Static_assert(offsetof(RhxFormStats, tau) == (RHX_S_TAU - RHX_S_STATS) * sizeof(double), "kernels/step.h");

static PetscErrorCode run(RhxOps ops, RhxStepKernel kernel, PetscInt threads, void **arguments)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const unsigned blocks = (unsigned)((threads + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(ops->device, d->kernel[kernel], (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                      arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Arrays that passes over the elements add to ---- */

static size_t size_of(RhxOps ops, RhxArray a) { return (size_t)ops->form->space->nlocal * a->width; }

/* What an operation sets to zero on its way. */
static RhxZero on_the_way(RhxOps ops, RhxArray clear)
{
  if (!clear) return RHX_NO_ZERO;
  clear->zero = PETSC_TRUE;
  return (RhxZero){clear->at, size_of(ops, clear)};
}

/* Zeros, unless an operation before has seen to them. */
static PetscErrorCode expect_zero(RhxOps ops, RhxArray a)
{
  PetscFunctionBegin;
  if (!a->zero) PetscCall(RhxDeviceZero(ops->device, a->at, sizeof(double) * size_of(ops, a)));
  a->zero = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Times ---- */

static PetscErrorCode device_begin(RhxOps ops, double t, double dt, double before)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  RhxStepBegin(ops, t, dt, before);
  *d->host_clock = (RhxClock){
      .step = {t, dt}, .follow = ops->fresh ? HUGE_VAL : dt, .lead = ops->lead, .late = ops->late, .bend = ops->bend};
  d->begun = PETSC_FALSE;
  PetscCall(RhxStepBeginPressure(ops));
  for (RhxArray a = ops->arrays; a; a = a->next) a->zero = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_stage(RhxOps ops, double at, double part, double end, RhxArray clear)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxZero zero = on_the_way(ops, clear);
  int n = (int)zero.n;
  const PetscInt threads = (PetscInt)d->nblocks * RHX_STEP_THREADS;
  PetscFunctionBegin;
  ops->stage_t = ops->t + at * ops->dt;
  ops->stage_dt = RhxStepPart(ops, part) * ops->dt;
  ops->stage_end = ops->stage_t + (end - at) * ops->dt;
  d->at = at;
  d->more = end - at;
  if (d->begun)
    PetscCall(run(ops, RHX_STEP_STAGE, threads, RHX_ARGUMENTS(&d->clock, &at, &part, &n, &zero.array)));
  else
    PetscCall(run(ops, RHX_STEP_BEGIN, threads,
                  RHX_ARGUMENTS(&d->host_clock, &d->clock, &at, &part, &d->s, &n, &zero.array)));
  d->begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_values(RhxOps ops, PetscBool end)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(RhxStepDeviceValues(ops, d->at, end ? d->more : 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The form ---- */

static PetscErrorCode device_ghosts(RhxOps ops, RhxArray a)
{
  PetscFunctionBegin;
  PetscCall(RhxExchangeGhosts(((RhxStepDevice)ops->data)->halo, RHX_EXCHANGE_DOUBLE, a->width, a->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Correction `which` of the projections into `to`, with their conditions. */
static PetscErrorCode correct_projections(RhxOps ops, int which, void *from, void *to)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int width = (int)ops->form->naux;
  PetscFunctionBegin;
  PetscCall(run(ops, RHX_STEP_CORRECT, (PetscInt)d->mass.n * width,
                RHX_ARGUMENTS(&d->mass, &width, &which, &d->correction, &d->ivolume, &d->projected[0], &from, &to)));
  PetscCall(RhxExchangeAdd(d->halo, width, to));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, width, to));
  PetscCall(RhxBoundaryDeviceImposeAuxiliary(d->bc, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode correct_all_projections(RhxOps ops, RhxArray aux)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const size_t bytes = sizeof(double) * (size_t)ops->form->space->nlocal * aux->width;
  const PetscInt n = ops->form->corrections;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceCopy(ops->device, d->projected[0], aux->at, bytes, RHX_COPY_ON_DEVICE));
  for (PetscInt k = 0; k < n; k++)
    PetscCall(correct_projections(ops, (int)k, k % 2 ? d->projected[1] : aux->at, k % 2 ? aux->at : d->projected[1]));
  if (n % 2) PetscCall(RhxDeviceCopy(ops->device, aux->at, d->projected[1], bytes, RHX_COPY_ON_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceCorrectProjections(RhxOps ops, RhxArray aux)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryDeviceImposeAuxiliary(((RhxStepDevice)ops->data)->bc, aux->at));
  PetscCall(correct_all_projections(ops, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceProject(RhxOps ops, const void *clock, RhxArray x, RhxArray aux, RhxArray clear)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  if (!ops->form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(expect_zero(ops, aux));
  PetscCall(RhxFormDeviceProject(d->form, clock, x->at, d->source, aux->at, on_the_way(ops, clear)));
  PetscCall(RhxExchangeAdd(d->halo, aux->width, aux->at));
  if (RhxFormIsConsistent(ops->form)) PetscCall(RhxStepDeviceSolveProjections(ops, aux));
  PetscCall(device_ghosts(ops, aux));
  PetscCall(RhxStepDeviceCorrectProjections(ops, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_project(RhxOps ops, RhxArray x, RhxArray aux, RhxArray clear)
{
  PetscFunctionBegin;
  PetscCall(RhxStepDeviceProject(ops, ((RhxStepDevice)ops->data)->clock, x, aux, clear));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest rates over all ranks, on the device and in `result`. */
static PetscErrorCode share_stats(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxFormStats *stats = &ops->result.stats;
  PetscFunctionBegin;
  if (d->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceCopy(ops->device, stats, d->s, sizeof(*stats), RHX_COPY_TO_HOST));
  PetscCall(RhxFormStatsReduce(ops->form, stats));
  stats->relaxation += d->film_rate;
  PetscCall(RhxDeviceCopy(ops->device, d->s, stats, sizeof(*stats), RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceResidual(RhxOps ops, unsigned rows, const void *clock, RhxArray x, const void *xdot,
                                     RhxArray aux, RhxArray r, void *stats, RhxArray clear)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)size_of(ops, r);
  double slow = ops->settings.transport ? 0.0 : 1.0;
  PetscFunctionBegin;
  PetscCall(expect_zero(ops, r));
  PetscCall(RhxFormDeviceResidual(d->form, rows & RHX_ROWS_ALL, clock, x->at, xdot, aux->at, d->source, r->at, stats,
                                  on_the_way(ops, clear)));
  if (rows & RHX_ROWS_FLOW) PetscCall(RhxFacesDeviceAdd(d->faces, clock, x->at, xdot, aux->at, d->source, r->at));
  if (d->load && (rows & RHX_ROWS_SCALARS)) PetscCall(run(ops, RHX_STEP_LOAD, n, RHX_ARGUMENTS(&n, &d->load, &r->at)));
  PetscCall(RhxExchangeAdd(d->halo, r->width, r->at));
  if (d->inflow.n && (rows & RHX_ROWS_MODES))
    PetscCall(run(ops, RHX_STEP_INFLOW, (PetscInt)d->inflow.n * d->inflow.width,
                  RHX_ARGUMENTS(&d->inflow, &slow, &clock, &d->imass, &x->at, &r->at)));
  if (rows & RHX_ROWS_SCALARS) PetscCall(RhxStepDeviceAddFilm(ops, PETSC_FALSE, x, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceAddFilm(RhxOps ops, PetscBool product, RhxArray v, RhxArray r)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int of = product;
  PetscFunctionBegin;
  if (d->film.n)
    PetscCall(
        run(ops, RHX_STEP_FILM, (PetscInt)d->film.n * d->film.width, RHX_ARGUMENTS(&d->film, &of, &v->at, &r->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceInflowProduct(RhxOps ops, RhxArray x, RhxArray v, RhxArray r)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  if (d->inflow.n)
    PetscCall(run(ops, RHX_STEP_INFLOW_PRODUCT, (PetscInt)d->inflow.n * d->inflow.width,
                  RHX_ARGUMENTS(&d->inflow, &x->at, &v->at, &r->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_residual(RhxOps ops, unsigned rows, RhxArray x, RhxArray xdot, RhxArray aux, RhxArray r,
                                      PetscBool stats, RhxArray clear)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(RhxStepDeviceResidual(ops, rows, d->clock, x, xdot->at, aux, r, stats ? d->s : NULL, clear));
  if (stats) PetscCall(RhxStepFilmRate(ops, &d->film_rate));
  if (stats) PetscCall(share_stats(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_divergence(RhxOps ops, RhxArray v, RhxArray b)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(device_ghosts(ops, v));
  PetscCall(expect_zero(ops, b));
  PetscCall(RhxFormDeviceDivergence(d->form, v->at, b->at));
  PetscCall(RhxExchangeAdd(d->halo, 1, b->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_gradient(RhxOps ops, RhxArray phi, RhxArray g)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->open.n;
  PetscFunctionBegin;
  PetscCall(expect_zero(ops, g));
  PetscCall(RhxFormDeviceGradient(d->form, phi->at, g->at));
  PetscCall(RhxExchangeAdd(d->halo, g->width, g->at));
  if (n)
    PetscCall(
        run(ops, RHX_STEP_OPEN, n, RHX_ARGUMENTS(&n, &d->open_node, &d->open_normal, &d->rise, &phi->at, &g->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Nodes ---- */

/* y: the new state, or with `rates` the rates that lead there. */
static PetscErrorCode advance(RhxOps ops, RhxArray base, const RhxSum *r, RhxArray less, RhxArray y, RhxArray v,
                              PetscBool continuity, int rates)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  void *minus = less ? less->at : NULL, *velocity = v ? v->at : NULL, *s = continuity ? d->s : NULL;
  RhxStageSum sum = {.n = r->n};
  _Static_assert(RHX_SUM_TERMS == RHX_MAX_STAGES, "terms of a sum");
  PetscFunctionBegin;
  for (int j = 0; j < r->n; j++) {
    sum.term[j] = (const double *)r->term[j]->at;
    sum.weight[j] = r->weight[j];
  }
  y->zero = PETSC_FALSE;
  if (v) v->zero = PETSC_FALSE;
  PetscCall(run(ops, RHX_STEP_ADVANCE, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &d->clock, &d->per_rate, &d->imass, &d->ivolume, &d->given, &base->at, &sum, &minus,
                              &y->at, &velocity, &s, &rates)));
  if (d->planes) {
    PetscCall(RhxBoundaryDeviceRemoveOdd(d->bc, y->at));
    if (v) PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, v->width, v->at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_update(RhxOps ops, RhxArray base, const RhxSum *r, RhxArray less, RhxArray y, RhxArray v,
                                    PetscBool continuity)
{
  PetscFunctionBegin;
  PetscCall(advance(ops, base, r, less, y, v, continuity, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_rates(RhxOps ops, RhxArray start, RhxArray r, RhxArray w)
{
  const RhxSum sum = {1, {r}, {1.0}};
  PetscFunctionBegin;
  PetscCall(RhxStepDeviceValues(ops, 1.0, 0.0));
  PetscCall(advance(ops, start, &sum, NULL, w, NULL, PETSC_FALSE, 1));
  PetscCall(device_ghosts(ops, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_add_mass(RhxOps ops, double weight, RhxArray first, RhxArray w, RhxArray r)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  void *before = first ? first->at : NULL;
  int end = (int)RhxStepEndOfMass(ops);
  PetscFunctionBegin;
  PetscCall(run(ops, RHX_STEP_ADD_MASS, (PetscInt)d->mass.n * r->width,
                RHX_ARGUMENTS(&d->mass, &d->per_rate, &end, &weight, &before, &w->at, &r->at)));
  PetscCall(RhxExchangeAdd(d->halo, r->width, r->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_combine(RhxOps ops, double a, RhxArray x, double b, RhxArray z, RhxArray y, RhxArray v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  void *none = NULL, **at_v = v ? &v->at : &none;
  PetscFunctionBegin;
  PetscCall(run(ops, RHX_STEP_COMBINE, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &d->given, &a, &x->at, &b, &z->at, &y->at, at_v)));
  if (d->planes) PetscCall(RhxBoundaryDeviceRemoveOdd(d->bc, y->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_tell(RhxOps ops, double lag, RhxArray x, RhxArray slope, RhxArray y)
{
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(run(ops, RHX_STEP_TELL, (PetscInt)n * y->width, RHX_ARGUMENTS(&n, &lag, &x->at, &slope->at, &y->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* what: RHX_FINISH_... of kernels/step.h; x: the state that y is compared with or corrected from; others as there is use. */
static PetscErrorCode finish_nodes(RhxOps ops, int what, RhxArray x, RhxArray phi, RhxArray g, RhxArray y,
                                   RhxArray rate)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  void *none = NULL, **at_phi = phi ? &phi->at : &none, **at_g = g ? &g->at : &none,
       **at_rate = rate ? &rate->at : &none;
  PetscFunctionBegin;
  if (what & RHX_FINISH_MEASURE && d->reports) what |= RHX_FINISH_REPORT;
  PetscCall(
      run(ops, RHX_STEP_FINISH, (PetscInt)d->nfinish * RHX_STEP_THREADS,
          RHX_ARGUMENTS(&n, &what, &d->clock, &d->irho, &d->imass, &d->given, &d->inverse_scale, &x->at, at_phi, at_g,
                        &y->at, at_rate, &d->health, &d->s, &d->ticket, &d->boundary, &d->host_s, &d->chunk)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_measure(RhxOps ops, RhxArray start, RhxArray y, RhxArray rate)
{
  PetscFunctionBegin;
  PetscCall(finish_nodes(ops, RHX_FINISH_MEASURE, start, NULL, NULL, y, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_norms(RhxOps ops, RhxArray x, double norm[RHX_NNORMS])
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(run(ops, RHX_STEP_NORMS, (PetscInt)d->nblocks * RHX_STEP_THREADS,
                RHX_ARGUMENTS(&n, &d->inverse_scale, &x->at, &d->norm, &d->ticket, &d->host_s)));
  PetscCall(RhxDeviceSynchronize(ops->device));
  for (int i = 0; i < RHX_NNORMS; i++) norm[i] = PetscSqrtReal(d->host_s[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pressure ---- */

/* As raise_open on the host; what the pressure rises by changes with every pressure. */
static PetscErrorCode raise_open(RhxOps ops, void *b)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxOpenNodes *open = &ops->form->open;
  void *known = RhxStepMomentumKnownRise(ops);
  int n = (int)open->n;
  PetscFunctionBegin;
  if (!d->rise || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceCopy(ops->device, d->rise, open->rise, sizeof(double) * open->n, RHX_COPY_TO_DEVICE));
  PetscCall(run(ops, RHX_STEP_RISE, n, RHX_ARGUMENTS(&n, &d->open_node, &d->open_diagonal, &d->rise, &known, &b)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_pressure(RhxOps ops, double factor, RhxArray x, RhxArray r, RhxArray xdot, RhxArray b,
                                      RhxArray phi, RhxArray clear)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxZero zero = on_the_way(ops, clear);
  int n = (int)ops->form->space->nowned, nzero = (int)zero.n, increment = factor == 0.0, second = ops->second,
      tracked = !ops->settings.tracked                  ? 0
                : ops->settings.implicit && !ops->fresh ? 2
                                                        : 1;
  const int key = ops->key, from = ops->second ? key : 1 - key;
  const RhxArray own[] = {ops->asked[from], ops->done[from], ops->asked[1 - key], ops->done[1 - key], ops->asked[key]};
  void *none = NULL, **at[5];
  PetscFunctionBegin;
  for (int k = 0; k < 5; k++) at[k] = own[k] ? &own[k]->at : &none;
  PetscCall(run(ops, RHX_STEP_RHS, n,
                RHX_ARGUMENTS(&n, &increment, &tracked, &d->clock, &d->irho, &factor, &d->s, &d->given, &d->lift,
                              &x->at, &r->at, &xdot->at, &second, at[0], at[1], at[2], at[3], at[4], &b->at, &phi->at,
                              &nzero, &zero.array)));
  if (!n && zero.n) PetscCall(RhxDeviceZero(ops->device, zero.array, sizeof(double) * zero.n)); /* no threads */
  if (increment) PetscCall(raise_open(ops, b->at));
  if (increment) PetscCall(RhxStepMomentumLessKnown(ops, b, phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v less its mean over all ranks */
static PetscErrorCode centre(RhxOps ops, void *v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned, all = (int)ops->form->space->nglobal, blocks = d->nblocks;
  void *sums = d->part, *mine = sums;
  const PetscInt threads = (PetscInt)d->nblocks * RHX_STEP_THREADS;
  PetscMPIInt rank, size;
  PetscFunctionBegin;
  if (d->link) {
    PetscCallMPI(MPI_Comm_rank(ops->form->comm, &rank));
    PetscCallMPI(MPI_Comm_size(ops->form->comm, &size));
    sums = d->sums;
    mine = (double *)sums + d->first[rank];
    blocks = d->first[size - 1] + d->count[size - 1];
  }
  PetscCall(run(ops, RHX_STEP_SUM, threads, RHX_ARGUMENTS(&n, &v, &mine)));
  if (d->link) PetscCall(RhxLinkGather(d->link, RHX_EXCHANGE_DOUBLE, d->count, d->first, sums));
  PetscCall(run(ops, RHX_STEP_CENTRE, threads, RHX_ARGUMENTS(&n, &all, &blocks, &sums, &v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver on the host, as options can ask for: right-hand side and solution travel. */
static PetscErrorCode solve_on_host(RhxOps ops, RhxArray b, RhxArray phi)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  PetscLogDouble t0, t1;
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxDeviceCopy(ops->device, d->host_b, b->at, sizeof(PetscScalar) * sp->nowned, RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceCopy(ops->device, d->host_phi, phi->at, sizeof(PetscScalar) * sp->nowned, RHX_COPY_TO_HOST));
  PetscCall(RhxPressureSolve(ops->pressure, d->host_b, d->host_b, d->host_phi, &ops->result.iterations, &solved));
  if (solved)
    PetscCall(RhxDeviceCopy(ops->device, phi->at, d->host_phi, sizeof(PetscScalar) * sp->nlocal, RHX_COPY_TO_DEVICE));
  else /* not finite, as b: the step is found to be so */
    PetscCall(RhxDeviceCopy(ops->device, phi->at, d->host_b, sizeof(PetscScalar) * sp->nowned, RHX_COPY_TO_DEVICE));
  PetscCall(PetscTime(&t1));
  ops->result.pressure_seconds += t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_solve(RhxOps ops, RhxArray b, RhxArray phi)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  double milliseconds = 0.0;
  PetscFunctionBegin;
  if (!d->on_device) {
    PetscCall(solve_on_host(ops, b, phi));
    PetscCall(RhxStepMomentumAddKnown(ops, phi));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (d->free) {
    PetscCall(centre(ops, b->at));
    PetscCall(centre(ops, phi->at));
  }
  if (!d->recordable) PetscCall(RhxDeviceTimerBegin(ops->device));
  PetscCall(RhxPressureEnqueue(ops->pressure, b->at, phi->at));
  if (!d->recordable) PetscCall(RhxDeviceTimerEnd(ops->device, &milliseconds));
  ops->result.pressure_seconds += 1e-3 * milliseconds;
  PetscCall(device_ghosts(ops, phi));
  PetscCall(RhxStepMomentumAddKnown(ops, phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One kernel corrects and measures, unless planes come between or the states differ that it reads. */
static PetscErrorCode device_correct(RhxOps ops, RhxArray x, RhxArray phi, RhxArray g, RhxArray y, RhxArray start,
                                     RhxArray rate)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const int update = RHX_FINISH_UPDATE | (g ? RHX_FINISH_PROJECT : 0) | (g && ops->done[0] ? RHX_FINISH_TAKE : 0);
  PetscFunctionBegin;
  if (g) PetscCall(RhxBoundaryRaisePressure(ops->bc));
  if (rate && !d->planes && start == x) {
    PetscCall(finish_nodes(ops, update | RHX_FINISH_MEASURE, x, phi, g, y, rate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(finish_nodes(ops, update, x, phi, g, y, NULL));
  if (d->planes) PetscCall(RhxBoundaryDeviceRemoveOdd(d->bc, y->at));
  if (d->planes && g && ops->done[0]) PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, g->width, g->at));
  if (rate) PetscCall(device_measure(ops, start, y, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A step ---- */

/* Fluxes and scalars to the host, unless the last kernel did that. */
static PetscErrorCode device_close(RhxOps ops, RhxArray y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(device_ghosts(ops, y)); /* for the fluxes and the next step */
  if (d->reports) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(ops, RHX_STEP_FLUX, d->nflux * RHX_STEP_THREADS, RHX_ARGUMENTS(&d->boundary, &y->at, &d->part)));
  PetscCall(run(ops, RHX_STEP_REPORT, 1,
                RHX_ARGUMENTS(&d->nfinish, &d->health, &d->nflux, &d->part, &d->boundary, &y->at, &d->s, &d->host_s)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over all ranks; the rank of the least value tells where it is. */
static PetscErrorCode share_measures(MPI_Comm comm, double largest[4], double sum[4], RhxStepMeasures *m)
{
  struct {
    double value;
    int rank;
  } least = {m->min_eigenvalue, 0};
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &least.rank));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 4, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  PetscCallMPI(MPI_Bcast(m->x, 3, MPI_DOUBLE, least.rank, comm));
  PetscCallMPI(MPI_Bcast(&m->mode, 1, MPIU_INT, least.rank, comm));
  m->min_eigenvalue = least.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Least eigenvalue with its place, sums and maxima over all ranks. */
static PetscErrorCode collect(RhxOps ops, const double *s)
{
  const RhxSpace sp = ops->form->space;
  const RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMeasures *m = &ops->result.measures;
  double largest[4] = {s[RHX_S_DU], s[RHX_S_DS], s[RHX_S_BAD], s[RHX_S_CONTINUITY]}, sum[4];
  PetscFunctionBegin;
  *m = (RhxStepMeasures){.there = PETSC_TRUE, .min_eigenvalue = 1.0, .mode = -1};
  if (ops->form->nmodes) m->min_eigenvalue = s[RHX_S_LEAST];
  if (ops->form->nmodes && sp->nowned)
    for (PetscInt i = 0; i < sp->dim; i++) m->x[i] = sp->x[(size_t)s[RHX_S_NODE] * sp->dim + i];
  m->mode = ops->form->nmodes ? (PetscInt)s[RHX_S_MODE] : -1;
  for (int i = 0; i < 3; i++) sum[i] = s[RHX_S_FLUX + i];
  sum[3] = ops->form->nmodes ? s[RHX_S_NBAD] : 0.0;
  if (!d->serial) PetscCall(share_measures(sp->comm, largest, sum, m));
  m->nbad = (PetscInt)sum[3];
  for (int i = 0; i < 3; i++) m->flux[i] = sum[i];
  ops->result.du_dt = PetscSqrtReal(largest[0]);
  ops->result.ds_dt = PetscSqrtReal(largest[1]);
  ops->result.finite = (PetscBool)(largest[2] == 0.0);
  ops->result.continuity = largest[3];
  if (d->serial) {
    PetscCall(PetscMemcpy(&ops->result.stats, s, sizeof(RhxFormStats)));
    ops->result.stats.relaxation += d->film_rate;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_finish(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepResult *rs = &ops->result;
  PetscFunctionBegin;
  PetscCall(RhxDeviceSynchronize(ops->device));
  PetscCall(collect(ops, d->host_s));
  if (d->momentum) PetscCall(RhxStepMomentumFinish(ops));
  if (d->polymer) rs->polymer = RhxStepTransportResult(d->polymer);
  if (d->on_device) PetscCall(RhxPressureFinish(ops->pressure, rs->finite, &rs->iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_stats(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(ops->device, &ops->result.stats, d->s, sizeof(RhxFormStats), RHX_COPY_TO_HOST));
  if (d->serial) ops->result.stats.relaxation += d->film_rate; /* else it is in them */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Memory ---- */

static size_t owned_bytes(RhxOps ops, PetscInt width)
{
  return sizeof(PetscScalar) * (size_t)ops->form->space->nowned * width;
}

static PetscErrorCode device_load(RhxOps ops, RhxArray a, const PetscScalar *from)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(ops->device, a->at, from, owned_bytes(ops, a->width), RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_store(RhxOps ops, RhxArray a, PetscScalar *to)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(ops->device, to, a->at, owned_bytes(ops, a->width), RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_fetch(RhxOps ops, RhxArray a, IS nodes, PetscScalar *values)
{
  RhxPicked p;
  int width = (int)a->width;
  PetscFunctionBegin;
  PetscCall(RhxStepDevicePicked(ops, nodes, width, &p));
  PetscCall(run(ops, RHX_STEP_PICK, (PetscInt)p->n * width, RHX_ARGUMENTS(&p->n, &width, &p->node, &a->at, &p->value)));
  PetscCall(RhxDeviceCopy(ops->device, values, p->value, sizeof(*values) * (size_t)p->n * width, RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_put(RhxOps ops, RhxArray a, PetscInt at, double value)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(ops->device, (double *)a->at + at, &value, sizeof(value), RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Packed there, so that nothing else travels. */
static PetscErrorCode device_store_part(RhxOps ops, RhxArray a, PetscInt first, PetscInt n, PetscScalar *to)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int nodes = (int)ops->form->space->nowned, width = (int)a->width, from = (int)first, part = (int)n;
  PetscScalar *packed;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (n == a->width) {
    PetscCall(device_store(ops, a, to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (n > d->packed_width) {
    PetscCall(RhxDeviceFree(ops->device, d->packed));
    d->packed = NULL;
    PetscCall(RhxDeviceMalloc(ops->device, owned_bytes(ops, n), "a part of the state", &d->packed));
    d->packed_width = n;
  }
  PetscCall(PetscMalloc1((size_t)nodes * part, &packed));
  PetscCall(
      run(ops, RHX_STEP_PART, (PetscInt)nodes * part, RHX_ARGUMENTS(&nodes, &width, &from, &part, &a->at, &d->packed)));
  PetscCall(RhxDeviceCopy(ops->device, packed, d->packed, owned_bytes(ops, n), RHX_COPY_TO_HOST));
  for (int i = 0; i < nodes; i++)
    PetscCall(PetscArraycpy(to + (size_t)i * width + from, packed + (size_t)i * part, part));
  PetscCall(PetscFree(packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_copy(RhxOps ops, RhxArray from, RhxArray to)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(ops->device, to->at, from->at, owned_bytes(ops, to->width), RHX_COPY_ON_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For n arrays, and as much again. */
static PetscErrorCode device_has_room(RhxOps ops, PetscInt n, PetscInt width, PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceHasRoom(ops->device, 2 * n * owned_bytes(ops, width), has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxOpsTable RhxOpsDevice = {.setup = RhxStepDeviceSetUp,
                                  .destroy = RhxStepDeviceDestroy,
                                  .allocate = RhxStepDeviceAllocate,
                                  .has_room = device_has_room,
                                  .load = device_load,
                                  .store = device_store,
                                  .fetch = device_fetch,
                                  .put = device_put,
                                  .store_part = device_store_part,
                                  .begin = device_begin,
                                  .stage = device_stage,
                                  .replay = RhxStepDeviceReplay,
                                  .close = device_close,
                                  .finish = device_finish,
                                  .stats = device_stats,
                                  .values = device_values,
                                  .project = device_project,
                                  .residual = device_residual,
                                  .divergence = device_divergence,
                                  .gradient = device_gradient,
                                  .ghosts = device_ghosts,
                                  .copy = device_copy,
                                  .update = device_update,
                                  .predict = RhxStepMomentumPredict,
                                  .hold = RhxStepMomentumHold,
                                  .bend = RhxStepMomentumBend,
                                  .transport = RhxStepTransportSolve,
                                  .momentum = RhxStepMomentumSolve,
                                  .rates = device_rates,
                                  .add_mass = device_add_mass,
                                  .combine = device_combine,
                                  .measure = device_measure,
                                  .tell = device_tell,
                                  .norms = device_norms,
                                  .subscales = RhxStepMomentumSubscales,
                                  .handed = RhxStepMomentumHanded,
                                  .pressure = device_pressure,
                                  .solve = device_solve,
                                  .correct = device_correct,
                                  .tangent = &RhxTangentDevice,
                                  .nodal = &RhxNodalDevice};
