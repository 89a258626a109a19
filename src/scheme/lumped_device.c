/* Device side of scheme `lumped`: the formulas at the head of lumped.c, by kernels. Between steps nothing but t, dt and the
 * scalars of kernels/step.cuh travels. On one rank, where nothing depends on time, a step is one recorded graph. */
#include "scheme/lumped_device.h"
#include "petsc_compat.h"
#include <petsctime.h>

/* ---- One Euler step ---- */

static PetscErrorCode run(RhxLumped lu, RhxStepKernel kernel, PetscInt threads, void **arguments)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const unsigned blocks = (unsigned)((threads + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(lu->device, d->kernel[kernel], (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                      arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Arrays that passes over the elements add to: each is set to zero by a kernel before ---- */

/* Of the first pass of an Euler step, set to zero where the step begins. */
static RhxZero first_result(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const size_t n = lu->form->space->nlocal;
  return lu->form->naux ? (RhxZero){d->aux, n * lu->form->naux} : (RhxZero){d->r, n * lu->form->space->bs};
}

static PetscErrorCode begin(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  RhxZero zero = first_result(lu);
  int n = (int)zero.n;
  PetscFunctionBegin;
  PetscCall(run(lu, RHX_STEP_BEGIN, (PetscInt)d->nblocks * RHX_STEP_THREADS,
                RHX_ARGUMENTS(&d->host_clock, &d->clock, &d->s, &n, &zero.array)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tick(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  RhxZero zero = first_result(lu);
  int n = (int)zero.n;
  PetscFunctionBegin;
  PetscCall(run(lu, RHX_STEP_TICK, (PetscInt)d->nblocks * RHX_STEP_THREADS, RHX_ARGUMENTS(&d->clock, &n, &zero.array)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values, tractions and sources of time t; what has not changed stays. A graph is recorded only where nothing changes. */
static PetscErrorCode set_time(RhxLumped lu, double t)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  PetscInt values, sources;
  PetscFunctionBegin;
  if (d->recording) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundarySetTime(lu->bc, t));
  PetscCall(RhxBoundaryGetVersions(lu->bc, &values, &sources));
  if (values != d->values) {
    PetscCall(RhxFacesDeviceUpdate(d->faces));
    PetscCall(RhxBoundaryDeviceUpdate(d->bc));
  }
  if (d->source && sources != d->sources)
    PetscCall(RhxDeviceCopy(lu->device, d->source, lu->form->source, sizeof(PetscScalar) * (size_t)sp->nlocal * sp->bs,
                            RHX_COPY_TO_DEVICE));
  d->values = values;
  d->sources = sources;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest rates over all ranks, on the device and in `info`. */
static PetscErrorCode share_stats(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  if (d->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceCopy(lu->device, &lu->info.stats, d->s, sizeof(RhxFormStats), RHX_COPY_TO_HOST));
  PetscCall(RhxFormStatsReduce(lu->form, &lu->info.stats));
  PetscCall(RhxDeviceCopy(lu->device, d->s, &lu->info.stats, sizeof(RhxFormStats), RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode residual(RhxLumped lu, void *x, PetscBool stats)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  const RhxZero r = {d->r, (size_t)sp->nlocal * sp->bs}, b = {d->b, sp->nlocal};
  PetscFunctionBegin;
  if (lu->form->naux) {
    PetscCall(RhxFormDeviceProject(d->form, d->clock, x, d->source, d->aux, r));
    PetscCall(RhxExchangeAdd(d->halo, lu->form->naux, d->aux));
    PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, lu->form->naux, d->aux));
    PetscCall(RhxBoundaryDeviceImposeAuxiliary(d->bc, d->aux));
  }
  PetscCall(RhxFormDeviceResidual(d->form, d->clock, x, d->xdot, d->aux, d->source, d->r, stats ? d->s : NULL, b));
  PetscCall(RhxFacesDeviceAdd(d->faces, d->clock, x, d->xdot, d->aux, d->source, d->r));
  PetscCall(RhxExchangeAdd(d->halo, sp->bs, d->r));
  if (stats) PetscCall(share_stats(lu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u^ and s+ into y, with the boundary values of t + dt; b = D u^, for the projection D (u^ - u). */
static PetscErrorCode advance_momentum(RhxLumped lu, double t, double dt, void *x, void *y, PetscBool first)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  int n = (int)sp->nowned, minus = lu->opt.pressure == RHX_PRESSURE_PROJECTION;
  void *s = first ? d->s : NULL;
  PetscFunctionBegin;
  PetscCall(set_time(lu, t));
  PetscCall(residual(lu, x, first));
  PetscCall(set_time(lu, t + dt));
  PetscCall(
      run(lu, RHX_STEP_ADVANCE, (PetscInt)n * sp->bs,
          RHX_ARGUMENTS(&n, &d->clock, &d->irho, &d->imass, &d->ivolume, &d->given, &x, &d->r, &minus, &y, &d->u, &s)));
  if (d->planes) {
    PetscCall(RhxBoundaryDeviceProjectPlanes(d->bc, sp->bs, y));
    PetscCall(RhxBoundaryDeviceProjectPlanes(d->bc, sp->dim, d->u));
  }
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, sp->dim, d->u));
  PetscCall(RhxFormDeviceDivergence(d->form, d->u, d->b));
  PetscCall(RhxExchangeAdd(d->halo, 1, d->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Partial sums of this rank in host_part become one number, such that dividing by n gives the mean over all ranks. */
static PetscErrorCode share_mean(RhxLumped lu, int n)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  double sum = 0.0;
  PetscFunctionBegin;
  PetscCall(RhxDeviceSynchronize(lu->device));
  for (int k = 0; k < d->nblocks; k++) sum += d->host_part[k];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, lu->form->comm));
  d->host_part[0] = sum / (double)lu->form->space->nglobal * n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode centre(RhxLumped lu, void *v)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  int n = (int)lu->form->space->nowned, blocks = d->serial ? d->nblocks : 1;
  void *part = d->serial ? d->part : d->host_part;
  const PetscInt threads = (PetscInt)d->nblocks * RHX_STEP_THREADS;
  PetscFunctionBegin;
  PetscCall(run(lu, RHX_STEP_SUM, threads, RHX_ARGUMENTS(&n, &v, &part)));
  if (!d->serial) PetscCall(share_mean(lu, n));
  PetscCall(run(lu, RHX_STEP_CENTRE, threads, RHX_ARGUMENTS(&n, &blocks, &part, &v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver on the host, as options can ask for: right-hand side and solution travel. */
static PetscErrorCode solve_on_host(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  PetscLogDouble t0, t1;
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxDeviceCopy(lu->device, d->host_b, d->b, sizeof(PetscScalar) * sp->nowned, RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceCopy(lu->device, d->host_phi, d->phi, sizeof(PetscScalar) * sp->nowned, RHX_COPY_TO_HOST));
  PetscCall(RhxPressureSolve(lu->pressure, d->host_b, d->host_b, d->host_phi, &lu->info.iterations, &solved));
  if (solved)
    PetscCall(RhxDeviceCopy(lu->device, d->phi, d->host_phi, sizeof(PetscScalar) * sp->nlocal, RHX_COPY_TO_DEVICE));
  else /* not finite, as b: the step is found to be so */
    PetscCall(RhxDeviceCopy(lu->device, d->phi, d->host_b, sizeof(PetscScalar) * sp->nowned, RHX_COPY_TO_DEVICE));
  PetscCall(PetscTime(&t1));
  lu->info.pressure_seconds += t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K phi = b from the divergence in b; x: the state at the start of the Euler step. */
static PetscErrorCode solve(RhxLumped lu, void *x)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  int n = (int)lu->form->space->nowned, project = lu->opt.pressure == RHX_PRESSURE_PROJECTION;
  int nzero = project ? (int)(lu->form->space->nlocal * lu->form->space->dim) : 0; /* of the gradient, in u */
  double factor = -lu->form->rho / lu->opt.eps, milliseconds = 0.0;
  PetscFunctionBegin;
  PetscCall(run(lu, RHX_STEP_RHS, n,
                RHX_ARGUMENTS(&n, &project, &d->clock, &d->irho, &factor, &d->s, &d->given, &d->lift, &x, &d->r,
                              &d->xdot, &d->b, &d->phi, &nzero, &d->u)));
  if (!d->on_device) {
    PetscCall(solve_on_host(lu));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (d->free) {
    PetscCall(centre(lu, d->b));
    PetscCall(centre(lu, d->phi));
  }
  if (!d->recordable) PetscCall(RhxDeviceTimerBegin(lu->device));
  PetscCall(RhxPressureEnqueue(lu->pressure, d->b, d->phi));
  if (!d->recordable) PetscCall(RhxDeviceTimerEnd(lu->device, &milliseconds));
  lu->info.pressure_seconds += 1e-3 * milliseconds;
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, 1, d->phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* what: RHX_FINISH_... of kernels/step.h; x: the state that y is compared with or corrected from. */
static PetscErrorCode finish(RhxLumped lu, int what, void *x, void *y)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  int n = (int)lu->form->space->nowned;
  PetscFunctionBegin;
  if (what & RHX_FINISH_MEASURE && d->reports) what |= RHX_FINISH_REPORT;
  PetscCall(
      run(lu, RHX_STEP_FINISH, (PetscInt)d->nfinish * RHX_STEP_THREADS,
          RHX_ARGUMENTS(&n, &what, &d->clock, &d->irho, &d->imass, &d->given, &d->inverse_scale, &x, &d->phi, &d->u, &y,
                        &d->rate, &d->health, &d->s, &d->ticket, &d->boundary, &d->host_s, &d->chunk)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One Euler step from x into y; last: y is the step's result and gets measured. */
static PetscErrorCode euler(RhxLumped lu, double t, double dt, void *x, void *y, PetscBool first, PetscBool last)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const RhxSpace sp = lu->form->space;
  const int project = lu->opt.pressure == RHX_PRESSURE_PROJECTION;
  const int update = RHX_FINISH_UPDATE | (project ? RHX_FINISH_PROJECT : 0);
  PetscFunctionBegin;
  PetscCall(advance_momentum(lu, t, dt, x, y, first));
  PetscCall(solve(lu, x));
  if (project) {
    PetscCall(RhxFormDeviceGradient(d->form, d->phi, d->u));
    PetscCall(RhxExchangeAdd(d->halo, sp->dim, d->u));
  }
  if (last && !d->planes) {
    PetscCall(finish(lu, update | RHX_FINISH_MEASURE, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(finish(lu, update, x, y));
  if (d->planes) PetscCall(RhxBoundaryDeviceProjectPlanes(d->bc, sp->bs, y));
  if (last) PetscCall(finish(lu, RHX_FINISH_MEASURE, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = (x + z)/2 with z two Euler steps on; the pressure is that of the second. */
static PetscErrorCode heun(RhxLumped lu, double t, double dt)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  int n = (int)lu->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(euler(lu, t, dt, d->x, d->y, PETSC_TRUE, PETSC_FALSE));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, lu->form->space->bs, d->y));
  PetscCall(tick(lu));
  PetscCall(euler(lu, t + dt, dt, d->y, d->z, PETSC_FALSE, PETSC_FALSE));
  PetscCall(set_time(lu, t + dt));
  PetscCall(
      run(lu, RHX_STEP_AVERAGE, (PetscInt)n * lu->form->space->bs, RHX_ARGUMENTS(&n, &d->given, &d->x, &d->z, &d->y)));
  if (d->planes) PetscCall(RhxBoundaryDeviceProjectPlanes(d->bc, lu->form->space->bs, d->y));
  PetscCall(finish(lu, RHX_FINISH_MEASURE, d->x, d->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A step ---- */

/* Fluxes and scalars to the host, unless the last kernel did that. */
static PetscErrorCode report(RhxLumped lu)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  if (d->reports) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(lu, RHX_STEP_FLUX, d->nflux * RHX_STEP_THREADS, RHX_ARGUMENTS(&d->boundary, &d->y, &d->part)));
  PetscCall(run(lu, RHX_STEP_REPORT, 1,
                RHX_ARGUMENTS(&d->nfinish, &d->health, &d->nflux, &d->part, &d->boundary, &d->y, &d->s, &d->host_s)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode whole_step(RhxLumped lu, double t, double dt)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  PetscCall(begin(lu));
  if (lu->form->needs_rate) PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, lu->form->space->bs, d->xdot));
  if (lu->opt.stepper == RHX_STEPPER_HEUN)
    PetscCall(heun(lu, t, dt));
  else
    PetscCall(euler(lu, t, dt, d->x, d->y, PETSC_TRUE, PETSC_TRUE));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, lu->form->space->bs,
                              d->y)); /* for the fluxes and the next step */
  PetscCall(report(lu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Records the step's graph if nothing will change any more and the solver is recordable. */
static PetscErrorCode record(RhxLumped lu, double t)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscBool steady;
  PetscErrorCode code;
  PetscFunctionBegin;
  if (d->graph[d->turn] || !d->recordable || !d->warm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryIsSteady(lu->bc, t, &steady));
  if (!steady) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_time(lu, t));
  PetscCall(RhxDeviceGraphBegin(lu->device));
  d->recording = PETSC_TRUE;
  code = whole_step(lu, t, 0.0);
  d->recording = PETSC_FALSE;
  PetscCall(RhxDeviceGraphEnd(lu->device, &d->graph[d->turn]));
  PetscCall(code);
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
static PetscErrorCode collect(RhxLumped lu, const double *s)
{
  const RhxSpace sp = lu->form->space;
  const RhxStepDevice d = (RhxStepDevice)lu->data;
  RhxStepMeasures *m = &lu->info.measures;
  double largest[4] = {s[RHX_S_DU], s[RHX_S_DS], s[RHX_S_BAD], s[RHX_S_CONTINUITY]}, sum[4];
  PetscFunctionBegin;
  *m = (RhxStepMeasures){.there = PETSC_TRUE, .min_eigenvalue = 1.0, .mode = -1};
  if (lu->form->nmodes) m->min_eigenvalue = s[RHX_S_LEAST];
  if (lu->form->nmodes && sp->nowned)
    for (PetscInt i = 0; i < sp->dim; i++) m->x[i] = sp->x[(size_t)s[RHX_S_NODE] * sp->dim + i];
  m->mode = lu->form->nmodes ? (PetscInt)s[RHX_S_MODE] : -1;
  for (int i = 0; i < 3; i++) sum[i] = s[RHX_S_FLUX + i];
  sum[3] = lu->form->nmodes ? s[RHX_S_NBAD] : 0.0;
  if (!d->serial) PetscCall(share_measures(sp->comm, largest, sum, m));
  m->nbad = (PetscInt)sum[3];
  for (int i = 0; i < 3; i++) m->flux[i] = sum[i];
  lu->info.du_dt = PetscSqrtReal(largest[0]);
  lu->info.ds_dt = PetscSqrtReal(largest[1]);
  lu->info.finite = (PetscBool)(largest[2] == 0.0);
  lu->info.continuity = largest[3];
  if (d->serial) PetscCall(PetscMemcpy(&lu->info.stats, s, sizeof(RhxFormStats)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The new state and rate become the last good ones. */
static void accept(RhxStepDevice d)
{
  void *x = d->x, *xdot = d->xdot;
  d->x = d->y;
  d->y = x;
  d->xdot = d->rate;
  d->rate = xdot;
  d->turn = !d->turn;
  d->good = PETSC_TRUE;
}

static PetscErrorCode device_step(RhxLumped lu, double t, double dt)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  d->host_clock[0] = t;
  d->host_clock[1] = dt;
  lu->info.pressure_seconds = 0.0;
  PetscCall(record(lu, t));
  if (d->graph[d->turn])
    PetscCall(RhxDeviceGraphLaunch(lu->device, d->graph[d->turn]));
  else
    PetscCall(whole_step(lu, t, dt));
  PetscCall(RhxDeviceSynchronize(lu->device));
  d->warm = PETSC_TRUE;
  PetscCall(collect(lu, d->host_s));
  d->good = PETSC_FALSE;
  if (d->on_device) PetscCall(RhxPressureFinish(lu->pressure, lu->info.finite, &lu->info.iterations));
  if (lu->info.finite) accept(d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- State ---- */

static PetscErrorCode move_out(RhxLumped lu, PetscScalar *to, const void *from)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(lu->device, to, from, sizeof(PetscScalar) * (size_t)sp->nowned * sp->bs, RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode move_in(RhxLumped lu, void *to, const PetscScalar *from)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(lu->device, to, from, sizeof(PetscScalar) * (size_t)sp->nowned * sp->bs, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_load(RhxLumped lu, const PetscScalar *x)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  PetscCall(move_in(lu, d->x, x));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, lu->form->space->bs, d->x));
  d->good = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_store(RhxLumped lu, PetscScalar *x)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  PetscCall(move_out(lu, x, d->good ? d->x : d->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_norms(RhxLumped lu, double norm[RHX_NNORMS])
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  int n = (int)lu->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(run(lu, RHX_STEP_NORMS, (PetscInt)d->nblocks * RHX_STEP_THREADS,
                RHX_ARGUMENTS(&n, &d->inverse_scale, &d->x, &d->norm, &d->ticket, &d->host_s)));
  PetscCall(RhxDeviceSynchronize(lu->device));
  for (int i = 0; i < RHX_NNORMS; i++) norm[i] = PetscSqrtReal(d->host_s[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device where twice the memory of all copies is free when the first is made. */
static PetscErrorCode device_keep(RhxLumped lu, int slot, PetscBool *kept)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  const size_t bytes = sizeof(double) * (size_t)lu->form->space->nowned * lu->form->space->bs;
  PetscFunctionBegin;
  if (!d->asked) PetscCall(RhxDeviceHasRoom(lu->device, 2 * RHX_KEPT_STATES * bytes, &d->keeps));
  d->asked = PETSC_TRUE;
  *kept = d->keeps;
  if (!*kept) PetscFunctionReturn(PETSC_SUCCESS);
  if (!d->kept[slot]) PetscCall(RhxDeviceMalloc(lu->device, bytes, "a copy of the state", &d->kept[slot]));
  PetscCall(RhxDeviceCopy(lu->device, d->kept[slot], d->x, bytes, RHX_COPY_ON_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_store_kept(RhxLumped lu, int slot, PetscScalar *x)
{
  PetscFunctionBegin;
  PetscCall(move_out(lu, x, ((RhxStepDevice)lu->data)->kept[slot]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_load_rate(RhxLumped lu, const PetscScalar *rate)
{
  PetscFunctionBegin;
  PetscCall(move_in(lu, ((RhxStepDevice)lu->data)->xdot, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_store_rate(RhxLumped lu, PetscScalar *rate)
{
  PetscFunctionBegin;
  PetscCall(move_out(lu, rate, ((RhxStepDevice)lu->data)->xdot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_rates(RhxLumped lu, double t)
{
  RhxStepDevice d = (RhxStepDevice)lu->data;
  PetscFunctionBegin;
  d->host_clock[0] = t;
  d->host_clock[1] = lu->opt.dt;
  PetscCall(begin(lu));
  PetscCall(set_time(lu, t));
  PetscCall(residual(lu, d->x, PETSC_TRUE));
  PetscCall(RhxDeviceCopy(lu->device, &lu->info.stats, d->s, sizeof(RhxFormStats), RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxLumpedSide RhxLumpedDevice = {.setup = RhxStepDeviceSetUp,
                                       .destroy = RhxStepDeviceDestroy,
                                       .load = device_load,
                                       .store = device_store,
                                       .norms = device_norms,
                                       .keep = device_keep,
                                       .store_kept = device_store_kept,
                                       .load_rate = device_load_rate,
                                       .store_rate = device_store_rate,
                                       .rates = device_rates,
                                       .step = device_step};
