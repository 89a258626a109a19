/* The registry of schemes, and what all have in common as TS types: set-up, the choice of dt, a step. */
#include "scheme/scheme.h"
#include "boundary/slip.h"
#include "petsc_compat.h"
#include "scheme/colours_impl.h"
#include "scheme/device_factors_impl.h"
#include "scheme/polynomial_impl.h"
#include "scheme/renewpc_impl.h"
#include "scheme/type_impl.h"
#include <math.h>
#include <petsc/private/tsimpl.h>

/* One line a scheme. */
#define SCHEMES(X) X(RhxSchemeLumped) X(RhxSchemeFractionalStep) X(RhxSchemeSteady) X(RhxSchemeMonolithic)

#define DECLARE(type) extern RhxSchemeType type;
SCHEMES(DECLARE)
static RhxSchemeType *first;

#define ROUNDING 1e-12

static const char *const limit_names[] = {"convective", "viscous", "elastic", "relaxation", "growth"};

/* ---- The time step ---- */

double RhxMostOfLimits(const double rate[RHX_NLIMITS])
{
  const double most = PetscMax(rate[RHX_LIMIT_VISCOUS], PetscMax(rate[RHX_LIMIT_ELASTIC], rate[RHX_LIMIT_RELAXATION]));
  return PetscMax(most + rate[RHX_LIMIT_CONVECTIVE], rate[RHX_LIMIT_GROWTH]);
}

void RhxNameMostOfLimits(const double rate[RHX_NLIMITS], double most, size_t size, char *name)
{
  const double c = rate[RHX_LIMIT_CONVECTIVE];
  int k = RHX_LIMIT_VISCOUS;
  for (int i = k; i < RHX_LIMIT_GROWTH; i++)
    if (rate[i] > rate[k]) k = i;
  if (most > (1.0 + 1e-12) * RhxMostOfLimits(rate))
    snprintf(name, size, "dissipation");
  else if (rate[RHX_LIMIT_GROWTH] >= c + rate[k])
    snprintf(name, size, "%s", limit_names[RHX_LIMIT_GROWTH]);
  else if (c < 0.1 * most || rate[k] < 0.1 * most)
    snprintf(name, size, "%s", limit_names[c > rate[k] ? RHX_LIMIT_CONVECTIVE : k]);
  else
    snprintf(name, size, "%s + %s", limit_names[RHX_LIMIT_CONVECTIVE], limit_names[k]);
}

double RhxEulerLimits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  const RhxFormStats *st = &sc->ops->result.stats;
  rate[RHX_LIMIT_CONVECTIVE] = st->convective * sc->mass_factor;
  rate[RHX_LIMIT_VISCOUS] = st->viscous * sc->mass_factor;
  rate[RHX_LIMIT_ELASTIC] = st->elastic * sc->mass_factor;
  rate[RHX_LIMIT_RELAXATION] = st->relaxation;
  rate[RHX_LIMIT_GROWTH] = st->growth;
  return RhxMostOfLimits(rate);
}

double RhxHeunGrowth(RhxScheme sc)
{
  const RhxFormStats *st = &sc->ops->result.stats;
  const double w = sc->mass_factor * (st->convective + st->elastic);
  return cbrt(0.25 * w * w * st->waves * PetscSqr(sc->mass_factor));
}

static double limits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  return sc->type->limits ? sc->type->limits(sc, rate) : RhxEulerLimits(sc, rate);
}

/* Before the first step: result.stats of the state, as the first stage will have them. */
static PetscErrorCode find_stats(RhxScheme sc, double t, double dt)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->begin(ops, t, dt, 0.0));
  PetscCall(ops->table->stage(ops, 0.0, 1.0, 1.0, RhxStageFirst(sc)));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, sc->x, sc->aux, sc->r));
  PetscCall(ops->table->residual(ops, RHX_ROWS_ALL, sc->x, sc->xdot, sc->aux, sc->r, PETSC_TRUE, NULL));
  PetscCall(ops->table->stats(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FIRST_BEHIND 0.01 /* a step behind a jump of what is given, of the longest one, */
#define SHARE_BEHIND 0.1  /* and of the time since then; */
#define LEAST_BETWEEN 20  /* steps between two jumps */
#define BEYOND 1.1        /* of the limits of stability: told before the first step, or when the flow passes them, */
#define AGAIN 2.0         /* and once more at so many times what was told */

/* Limits of stability are none of it, or none that are followed. */
static PetscBool is_free(RhxScheme sc)
{
  const PetscBool implicit = (PetscBool)(sc->settings.implicit && !sc->form->nmodes && !sc->form->nscalars);
  return (PetscBool)(implicit || sc->type->newton || sc->type->integrator);
}

/* Growth alone is no limit of stability, nor is the Courant number of modes whose transport is implicit. */
static double most_of_stability(RhxScheme sc, double rate[RHX_NLIMITS])
{
  rate[RHX_LIMIT_GROWTH] = 0.0;
  if (sc->settings.transport && !sc->form->nscalars) rate[RHX_LIMIT_CONVECTIVE] = 0.0;
  return RhxMostOfLimits(rate);
}

/* A constant time step that the state at the start does not allow an explicit scheme. */
static PetscErrorCode look_at_step(TS ts, RhxScheme sc, double dt)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)ts);
  const char *const name = sc->type->name;
  const RhxFormStats last = sc->ops->result.stats;
  double rate[RHX_NLIMITS], most;
  char bound[64];
  PetscFunctionBegin;
  if (sc->looked || is_free(sc)) PetscFunctionReturn(PETSC_SUCCESS);
  sc->looked = PETSC_TRUE;
  PetscCall(find_stats(sc, ts->ptime, dt));
  (void)limits(sc, rate);
  most = most_of_stability(sc, rate);
  sc->ops->result.stats = last;
  if (!(dt * most > BEYOND)) PetscFunctionReturn(PETSC_SUCCESS);
  sc->told = dt * most;
  RhxNameMostOfLimits(rate, most, sizeof(bound), bound);
  PetscCall(PetscPrintf(
      comm,
      "rheoplex: warning: the time step, %g s, is %.3g times the %s limit of the state at the start: expected at "
      "most %.3g s (-scheme_%s_dt), or -scheme_%s_cfl 0.9\n",
      dt, dt * most, bound, 1.0 / most, name, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A CFL target beyond what an explicit scheme is stable with. */
static PetscErrorCode look_at_target(TS ts, RhxScheme sc)
{
  const double cfl = ((const RhxSchemeOptions *)sc->opt)->cfl;
  const char *const name = sc->type->name;
  char got[32];
  PetscFunctionBegin;
  if (sc->looked || is_free(sc)) PetscFunctionReturn(PETSC_SUCCESS);
  sc->looked = PETSC_TRUE;
  if (!(cfl > BEYOND)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(got, sizeof(got), "%g", cfl);
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)ts),
                        "rheoplex: warning: -scheme_%s_cfl %s asks for time steps of %s times the limits of stability: "
                        "expected at most 1, "
                        "as -scheme_%s_cfl 0.9\n",
                        name, got, got, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeLookLater(TS ts, size_t size, char *text)
{
  RhxScheme sc;
  double rate[RHX_NLIMITS], most;
  char bound[64];
  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RhxSchemeGet(ts, &sc));
  if (((const RhxSchemeOptions *)sc->opt)->cfl > 0.0 || is_free(sc)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(rate, sc->info.cfl, RHX_NLIMITS));
  most = most_of_stability(sc, rate);
  if (!(most > PetscMax(BEYOND, AGAIN * sc->told))) PetscFunctionReturn(PETSC_SUCCESS);
  sc->told = PETSC_INFINITY;
  RhxNameMostOfLimits(rate, most, sizeof(bound), bound);
  snprintf(
      text, size,
      "rheoplex: warning: at t = %g s the time step, %g s, is %.3g times the %s limit of the flow, which grew past "
      "it: expected at most %.3g s (-scheme_%s_dt), or -scheme_%s_cfl 0.9\n",
      sc->info.t - sc->info.dt, sc->info.dt, most, bound, sc->info.dt / most, sc->type->name, sc->type->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeTellHalved(TS ts, size_t size, char *text)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(PetscStrncpy(text, sc->halved, size));
  sc->halved[0] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetSlipStep(TS ts, double speed, double *dt, const char **label)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *label = NULL;
  if (sc->type->newton || sc->type->integrator) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetSlipStep(sc->bc, ts->ptime, speed, dt, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that follow limits stay below that of slip too, which is no share of viscosity's: theory.md, 6. */
static PetscErrorCode respect_slip(TS ts, double cfl, double *dt, size_t size, char *bound)
{
  const char *label;
  double most;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGetSlipStep(ts, 0.0, &most, &label));
  if (!label || *dt <= PetscMin(cfl, RHX_SLIP_SHARE) * most) PetscFunctionReturn(PETSC_SUCCESS);
  *dt = PetscMin(cfl, RHX_SLIP_SHARE) * most;
  snprintf(bound, size, "wall friction ('%.200s')", label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a limit that asks for too short a step. */
static PetscErrorCode find_remedy(RhxScheme sc, const char *bound, size_t size, char *remedy)
{
  char option[128];
  PetscBool transient = PETSC_FALSE;
  PetscFunctionBegin;
  remedy[0] = '\0';
  for (PetscInt k = 0; k < sc->form->nstabilisers && !transient; k++)
    PetscCall(RhxSchemeHasTransientTau(sc->form, k, option, &transient));
  if (sc->amplifies && strstr(bound, "growth"))
    snprintf(remedy, size,
             "; it is of waves of what is carried and hardly diffuses, such as a scalar field of little diffusivity, "
             "which forward Euler amplifies: -scheme_lumped_stepper heun");
  else if (strstr(bound, "viscous") && transient && RhxFormHasAsked(sc->form, RHX_ASK_DIVERGENCE))
    snprintf(remedy, size, "; the part of div u stiffens as the step falls: %s steady", option);
  else if (strstr(bound, "viscous"))
    snprintf(remedy, size,
             "; steps of Newton's method have no such limit: -scheme monolithic, or -scheme steady for a flow that "
             "comes to rest");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dt, or what the target leaves of it by the rates of the last state; bound: what bounds it. */
static PetscErrorCode respect_target(TS ts, RhxScheme sc, double cfl, double *dt, size_t size, char *bound)
{
  double all[RHX_NLIMITS];
  const double rate = limits(sc, all);
  PetscFunctionBegin;
  if (rate * *dt > cfl) *dt = cfl / rate;
  RhxNameMostOfLimits(all, rate, size, bound);
  PetscCall(respect_slip(ts, cfl, dt, size, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error where the step dt of a target is less than the least, of which the longest, most, says what it is unless it is given. */
static PetscErrorCode check_least(TS ts, RhxScheme sc, double cfl, double most, double dt, const char *bound)
{
  const double given = ((const RhxSchemeOptions *)sc->opt)->dt_min, least = given > 0.0 ? given : 1e-6 * most;
  const char *const name = sc->type->name;
  char remedy[512], without[256] = "";
  PetscFunctionBegin;
  if (dt >= least) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_remedy(sc, bound, sizeof(remedy), remedy));
  if (!(given > 0.0)) snprintf(without, sizeof(without), ", by default a millionth of -scheme_%s_dt %g", name, most);
  SETERRQ(
      PetscObjectComm((PetscObject)ts), PETSC_ERR_NOT_CONVERGED,
      "-scheme_%s_cfl %g: the %s limit asks for a time step of %g s at t = %g s, below %g s (-scheme_%s_dt_min%s)%s",
      name, cfl, bound, dt, (double)ts->ptime, least, name, without, remedy);
}

/* Time step for the CFL target from the rates of the last state; the first step asks for the rates alone. */
static PetscErrorCode choose_step(TS ts, RhxScheme sc, double *dt)
{
  const RhxSchemeOptions *o = (const RhxSchemeOptions *)sc->opt;
  const char *const name = sc->type->name;
  char bound[256];
  PetscFunctionBegin;
  *dt = ts->time_step;
  if (sc->adapts && (sc->next > 0.0 || sc->before > 0.0)) *dt = sc->next > 0.0 ? sc->next : sc->before;
  if (!(o->cfl > 0.0)) {
    PetscCall(look_at_step(ts, sc, ts->time_step));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(look_at_target(ts, sc));
  PetscCheck(o->dt_min <= o->dt, PetscObjectComm((PetscObject)ts), PETSC_ERR_USER_INPUT,
             "-scheme_%s_dt_min: got %g, expected at most -scheme_%s_dt %g, the largest time step", name, o->dt_min,
             name, o->dt);
  if (!sc->have_stats) PetscCall(find_stats(sc, ts->ptime, o->dt));
  sc->have_stats = PETSC_TRUE;
  *dt = sc->adapts ? PetscMin(*dt, o->dt) : o->dt;
  PetscCall(respect_target(ts, sc, o->cfl, dt, sizeof(bound), bound));
  PetscCall(check_least(ts, sc, o->cfl, o->dt, *dt, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeCheckTimeStep(TS ts, PetscReal dt, PetscReal cfl)
{
  RhxScheme sc;
  const RhxSchemeOptions *o;
  double step = dt;
  char bound[256];
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  o = sc->opt;
  if (dt == o->dt && cfl == o->cfl) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(bound, sizeof(bound), "got %g, expected at least %g, that of -scheme_%s_dt_min", dt, o->dt_min,
           sc->type->name); /* PETSc writes 1 as "1." */
  PetscCheck(!(cfl > 0.0) || o->dt_min <= dt, PetscObjectComm((PetscObject)ts), PETSC_ERR_USER_INPUT,
             "-scheme_%s_dt: %s", sc->type->name, bound);
  if (!(cfl > 0.0) && !sc->type->newton && !sc->type->integrator)
    PetscCall(RhxBoundaryCheckSlipStep(sc->bc, ts->ptime, dt));
  if (!(cfl > 0.0) || !sc->have_stats) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(respect_target(ts, sc, cfl, &step, sizeof(bound), bound));
  PetscCall(check_least(ts, sc, cfl, dt, step, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeFindStep(TS ts, double limit[RHX_NLIMITS], double *dt, double *cfl)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *dt = *cfl = 0.0;
  if (sc->type->newton || sc->type->integrator) PetscFunctionReturn(PETSC_SUCCESS);
  *cfl = ((const RhxSchemeOptions *)sc->opt)->cfl;
  PetscCall(RhxSchemeLoad(ts, sc));
  PetscCall(find_stats(sc, ts->ptime, ts->time_step));
  (void)limits(sc, limit);
  for (int i = 0; i < RHX_NLIMITS; i++) limit[i] = limit[i] > 0.0 ? 1.0 / limit[i] : 0.0;
  PetscCall(choose_step(ts, sc, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an abrupt change sets going is followed by steps that grow with the time behind it, and what lasts for a while by some: nothing
 * else bounds those of implicit schemes. */
static double resolve_jumps(TS ts, RhxScheme sc)
{
  const double longest = ((const RhxSchemeOptions *)sc->opt)->dt;
  double dt = sc->lasts / LEAST_BETWEEN;
  if (!(sc->type->integrator || sc->settings.implicit)) return PETSC_INFINITY;
  if (sc->jump > -PETSC_INFINITY)
    dt = PetscMin(dt, PetscMax(FIRST_BEHIND * longest, SHARE_BEHIND * (ts->ptime - sc->jump)));
  return dt;
}

/* Shortens dt so that steps end at the mark and at the final time; end: of this step. What is left between one and two
 * steps is halved: no step is shorter than half of dt, unless times lie closer than that. It depends on t and dt alone, so
 * that a restart repeats it. */
static void meet(TS ts, RhxScheme sc, double *dt, double *end)
{
  const double near = RHX_NEAR * *dt;
  const double target = sc->mark > ts->ptime + near && sc->mark < ts->max_time - near ? sc->mark : ts->max_time;
  const double left = target - ts->ptime;
  if (left <= *dt + near) {
    *dt = left;
    *end = target;
    return;
  }
  if (left < 2.0 * *dt - near) *dt = 0.5 * left;
  *end = ts->ptime + *dt;
}

/* ---- A step ---- */

static PetscErrorCode body(void *context)
{
  RhxScheme sc = (RhxScheme)context;
  PetscFunctionBegin;
  PetscCall(sc->type->step(sc));
  PetscCall(sc->ops->table->close(sc->ops, sc->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void swap(RhxArray *a, RhxArray *b)
{
  const RhxArray c = *a;
  *a = *b;
  *b = c;
}

/* The new state and rate become the last good ones. A pressure that lags is of the middle of its step: by its slope between the
 * middles of the last two steps it is told at the end. */
static void accept(RhxScheme sc, double dt)
{
  if (sc->pressure_lags) sc->lag = sc->before > 0.0 ? dt * dt / (dt + sc->before) : 0.0;
  sc->ops->earlier = sc->before;
  sc->before = dt;
  sc->ops->history = PETSC_TRUE;
  swap(&sc->x, &sc->y);
  swap(&sc->xdot, &sc->rate);
  sc->turn = !sc->turn;
}

static void tell(RhxScheme sc, PetscInt step, double t, double dt, double seconds)
{
  const RhxStepResult *rs = &sc->ops->result;
  RhxStepInfo *info = &sc->info;
  *info = (RhxStepInfo){.step = step,
                        .t = t,
                        .dt = dt,
                        .stats = rs->stats,
                        .du_dt = rs->du_dt,
                        .ds_dt = rs->ds_dt,
                        .iterations = rs->iterations,
                        .work = sc->work,
                        .pressure_seconds = rs->pressure_seconds,
                        .continuity = rs->continuity,
                        .finite = rs->finite,
                        .steady = sc->type->newton,
                        .done = sc->done,
                        .seconds = seconds,
                        .measures = rs->measures};
  info->bound = dt * limits(sc, info->cfl);
  for (int i = 0; i < RHX_NLIMITS; i++) info->cfl[i] *= dt;
}

static PetscErrorCode attempt(RhxScheme sc, double t, double dt)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryForesee(sc->bc, t, dt, sc->settings.implicit ? sc->before : 0.0));
  if (sc->settings.tracked && !(sc->before > 0.0)) PetscCall(RhxStageSettle(sc, t, dt));
  PetscCall(sc->ops->table->begin(sc->ops, t, dt, sc->before));
  sc->lead = sc->settings.implicit ? sc->ops->lead : 0.0;
  sc->late = sc->ops->late;
  PetscCall(sc->ops->table->replay(sc->ops, sc->turn, body, sc));
  PetscCall(sc->ops->table->finish(sc->ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The implicit solve that did not converge, the polymer's before momentum's; NULL: all did, or had nothing finite to solve for. */
static const RhxTransportResult *failed(RhxScheme sc)
{
  const RhxStepResult *rs = &sc->ops->result;
  if (!rs->polymer.converged && rs->polymer.finite) return &rs->polymer;
  return !rs->momentum.converged && rs->momentum.finite ? &rs->momentum : NULL;
}

static const char *name_of(RhxScheme sc, const RhxTransportResult *found)
{
  return found == &sc->ops->result.polymer ? "transport" : "momentum";
}

/* What RhxSchemeTellHalved says of the step: the first, tenth, hundredth, ... that is halved. */
static void note_halved(RhxScheme sc, const RhxTransportResult *found, double t, double dt)
{
  const char *const what = name_of(sc, found), *const scheme = sc->type->name;
  const PetscBool target = (PetscBool)(((const RhxSchemeOptions *)sc->opt)->cfl > 0.0);
  char preconditioner[64] = "", which[64] = "";
  sc->nhalved++;
  if (sc->nhalved < sc->next_halved) return;
  if (sc->nhalved > 1) snprintf(which, sizeof(which), " (the %" PetscInt_FMT "th)", sc->nhalved);
  sc->next_halved = 10 * sc->nhalved;
  snprintf(preconditioner, sizeof(preconditioner), "-%s_pc_type%s", what, sc->device ? " with -device cpu" : "");
  snprintf(sc->halved, sizeof(sc->halved),
           "rheoplex: warning: the %s solve did not converge at t = %g s with the time step %g s, which is halved%s: "
           "got %s at residual norm %g after %" PetscInt_FMT " iterations, expected convergence: -%s_ksp_max_it, "
           "%s, or smaller steps (-scheme_%s_%s)\n",
           what, t, dt, which, found->reason, found->norm, found->iterations, what, preconditioner, scheme,
           target ? "cfl" : "dt");
}

/* An implicit solve that does not converge may with half of dt, from what the first attempt began with. */
static PetscErrorCode attempt_twice(RhxScheme sc, double t, double *dt, double *end)
{
  const RhxOps ops = sc->ops;
  const RhxFormStats stats = ops->result.stats;
  const RhxTransportResult *found;
  const char *what;
  PetscFunctionBegin;
  if (sc->spare) PetscCall(ops->table->copy(ops, sc->rate, sc->spare));
  PetscCall(attempt(sc, t, *dt));
  found = failed(sc);
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  note_halved(sc, found, t, *dt);
  ops->result.stats = stats;
  if (sc->spare) PetscCall(ops->table->copy(ops, sc->spare, sc->rate));
  *dt *= 0.5;
  *end = t + *dt;
  PetscCall(attempt(sc, t, *dt));
  found = failed(sc);
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  what = name_of(sc, found);
  SETERRQ(sc->form->comm, PETSC_ERR_NOT_CONVERGED,
          "The %s solve did not converge at t = %g s, nor with half of the time step, %g s: got %s at residual norm "
          "%g after %" PetscInt_FMT " iterations, expected convergence (options -scheme_%s_dt, -%s_ksp_rtol, "
          "-%s_ksp_max_it, -%s_pc_type)",
          what, t, *dt, found->reason, found->norm, found->iterations, sc->type->name, what, what, what);
}

static PetscErrorCode TSStep_Scheme(TS ts)
{
  RhxScheme sc = (RhxScheme)ts->data;
  PetscLogDouble t0, t1;
  double dt, end = 0.0, t = ts->ptime;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxSchemeLoad(ts, sc));
  PetscCall(choose_step(ts, sc, &dt));
  if (sc->growth > 0.0 && sc->before > 0.0) dt = PetscMin(dt, sc->growth * sc->before);
  dt = PetscMin(dt, resolve_jumps(ts, sc));
  if (sc->type->newton)
    dt = 0.0;
  else
    meet(ts, sc, &dt, &end);
  if (!(((const RhxSchemeOptions *)sc->opt)->cfl > 0.0) && !sc->type->newton && !sc->type->integrator)
    PetscCall(RhxBoundaryCheckSlipStep(sc->bc, t, dt));
  sc->took = 0.0;
  PetscCall(attempt_twice(sc, t, &dt, &end));
  if (sc->took > 0.0 && sc->took < (1.0 - ROUNDING) * dt) {
    dt = sc->took;
    end = t + dt;
  }
  sc->good = sc->ops->result.finite;
  if (sc->good) accept(sc, dt);
  sc->stale = PETSC_TRUE;
  if (!sc->device || !sc->lazy || ts->numbermonitors) PetscCall(RhxSchemeStore(ts, sc));
  if (sc->type->newton) end = sc->end;
  ts->ptime = end;
  PetscCall(PetscTime(&t1));
  tell(sc, ts->steps + 1, end, dt, t1 - t0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The TS type ---- */

static PetscErrorCode ask_for_arrays(RhxScheme sc)
{
  const RhxSpace sp = sc->form->space;
  const struct {
    RhxArray *array;
    PetscInt width;
    const char *what;
  } all[] = {{&sc->x, sp->bs, "the state"},       {&sc->y, sp->bs, "the new state"},
             {&sc->xdot, sp->bs, "the rates"},    {&sc->rate, sp->bs, "the new rates"},
             {&sc->r, sp->bs, "the residual"},    {&sc->aux, sc->form->naux, "the projections"},
             {&sc->v, sp->dim, "a vector field"}, {&sc->b, 1, "the pressure"},
             {&sc->phi, 1, "the pressure"}};
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++)
    PetscCall(RhxOpsArray(sc->ops, all[i].width, all[i].what, all[i].array));
  if (sc->settings.mass_corrections > 0) PetscCall(RhxOpsArray(sc->ops, sp->bs, "rates", &sc->w));
  if (sc->settings.mass_corrections > 1) PetscCall(RhxOpsArray(sc->ops, sp->bs, "a residual", &sc->first));
  if (sc->type->arrays) PetscCall(sc->type->arrays(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A TS of PETSc 3.24 copies its Vec before every step, for TSRollBack, which no scheme has: 7 ms of a step of 1M nodes that takes
 * 3 ms on a device. A Vec copied to itself costs nothing. */
static PetscErrorCode keep_no_copy(TS ts)
{
  PetscFunctionBegin;
#if PETSC_VERSION_GE(3, 24, 0)
  if (!ts->vec_sol) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference((PetscObject)ts->vec_sol));
  PetscCall(VecDestroy(&ts->vec_sol0));
  ts->vec_sol0 = ts->vec_sol;
#else
  (void)ts;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -form_quadrature auto (theory.md, 4): where the gates of a wake hold with one point a triangle, which saves a sixth of a step. */
static PetscErrorCode choose_quadrature(RhxScheme sc)
{
  const RhxSpace sp = sc->form->space;
  char given[16] = "auto";
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-form_quadrature", given, sizeof(given), NULL));
  if (strcmp(given, "auto") || !sc->settings.implicit || sc->form->nmodes || sp->dim != 2 || sp->ntypes != 1 ||
      RhxFormFindRefusal(sc->form, RHX_ASK_CENTROID))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormUseCentroid(sc->form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is known before anything is compiled. */
static PetscErrorCode ask(RhxScheme sc)
{
  PetscFunctionBegin;
  if (sc->device) PetscCall(RhxFormAsk(sc->form, RHX_ASK_DEVICE, "", ""));
  if (sc->type->newton || sc->type->integrator) PetscCall(RhxFormAsk(sc->form, RHX_ASK_NEWTON, sc->type->name, ""));
  PetscCall(choose_quadrature(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetUp_Scheme(TS ts)
{
  RhxScheme sc = (RhxScheme)ts->data;
  PetscFunctionBegin;
  PetscCheck(sc->form && sc->bc, PetscObjectComm((PetscObject)ts), PETSC_ERR_ORDER,
             "RhxSchemeSetProblem() must come before TSSetUp()");
  PetscCall(ask(sc));
  if (sc->type->choose) PetscCall(sc->type->choose(sc));
  PetscCall(keep_no_copy(ts));
  PetscCall(RhxSpaceCreateVec(sc->form->space, sc->form->space->bs, &sc->rate_vec));
  PetscCall(RhxOpsCreate(sc->form, sc->bc, sc->device, &sc->settings, &sc->ops));
  PetscCall(RhxFormMassFactor(sc->form, sc->settings.mass_corrections, &sc->mass_factor));
  PetscCall(ask_for_arrays(sc));
  PetscCall(RhxOpsSetUp(sc->ops));
  if (sc->type->prepare) PetscCall(sc->type->prepare(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSReset_Scheme(TS ts)
{
  RhxScheme sc = (RhxScheme)ts->data;
  PetscFunctionBegin;
  PetscCall(RhxSchemeForget(sc));
  if (sc->type->destroy) PetscCall(sc->type->destroy(sc));
  PetscCall(RhxOpsDestroy(&sc->ops));
  PetscCall(RhxSchemeFreePatches(sc));
  PetscCall(VecDestroy(&sc->rate_vec));
  PetscCall(VecDestroy(&sc->state_vec));
  PetscCall(VecDestroy(&sc->part_vec));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_scheme(TS ts, RhxScheme *sc)
{
  PetscFunctionBegin;
  *sc = (RhxScheme)ts->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSDestroy_Scheme(TS ts)
{
  PetscFunctionBegin;
  PetscCall(TSReset_Scheme(ts));
  PetscCall(PetscFree(((RhxScheme)ts->data)->opt));
  PetscCall(PetscFree(ts->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGet_C", NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetFromOptions_Scheme(TS ts, RhxOptionItems PetscOptionsObject)
{
  RhxScheme sc = (RhxScheme)ts->data;
  PetscFunctionBegin;
  (void)PetscOptionsObject;
  PetscCall(RhxOptionTableRead(PetscObjectComm((PetscObject)ts), sc->type->options, NULL, sc->opt));
  if (sc->type->configure) PetscCall(sc->type->configure(sc));
  ts->time_step = ((RhxSchemeOptions *)sc->opt)->dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSView_Scheme(TS ts, PetscViewer viewer)
{
  RhxScheme sc = (RhxScheme)ts->data;
  PetscFunctionBegin;
  if (sc->type->view) PetscCall(sc->type->view(sc, viewer));
  if (sc->ops && sc->ops->polymer) PetscCall(RhxTransportView(sc->ops->polymer, viewer));
  if (sc->ops && sc->ops->momentum) PetscCall(RhxTransportView(sc->ops->momentum, viewer));
  if (sc->ops && sc->ops->pressure) PetscCall(RhxPressureView(sc->ops->pressure, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxSchemeType *find(const char *name)
{
  RhxSchemeType *type = first;
  while (type && strcmp(type->name, name)) type = type->next;
  return type;
}

/* TSSetType has set the name of the type. */
static PetscErrorCode TSCreate_Scheme(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(PetscNew(&sc));
  ts->data = sc;
  sc->type = find(((PetscObject)ts)->type_name);
  sc->settings = sc->type->settings;
  sc->provides = sc->type->provides;
  sc->mark = PETSC_MAX_REAL;
  sc->jump = -PETSC_INFINITY;
  sc->lasts = PETSC_INFINITY;
  PetscCall(PetscCalloc(sc->type->size, &sc->opt));
  ts->ops->setup = TSSetUp_Scheme;
  ts->ops->step = TSStep_Scheme;
  ts->ops->reset = TSReset_Scheme;
  ts->ops->destroy = TSDestroy_Scheme;
  ts->ops->setfromoptions = TSSetFromOptions_Scheme;
  ts->ops->view = TSView_Scheme;
  ts->default_adapt_type = TSADAPTNONE;
  ts->usessnes = PETSC_FALSE;
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGet_C", get_scheme));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The registry ---- */

PetscErrorCode RhxSchemeGet(TS ts, RhxScheme *sc)
{
  PetscFunctionBegin;
  PetscUseMethod(ts, "RhxSchemeGet_C", (TS, RhxScheme *), (ts, sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeRegister(RhxSchemeType *type)
{
  PetscFunctionBegin;
  if (!find(type->name)) {
    RhxSchemeType **last = &first;
    while (*last) last = &(*last)->next;
    *last = type;
  }
  PetscCall(TSRegister(type->name, TSCreate_Scheme));
  PetscCall(RhxOptionTableRegister(type->options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeRegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(TSInitializePackage());
  PetscCall(RhxRenewPCRegister());
  PetscCall(RhxColoursRegister());
  PetscCall(RhxCudssRegister());
  PetscCall(RhxPolynomialRegister());
#define REGISTER(type) PetscCall(RhxSchemeRegister(&type));
  SCHEMES(REGISTER)
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeHasTransientTau(RhxForm form, PetscInt k, char option[128], PetscBool *transient)
{
  char tau[32] = "";
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, 128, "-stabiliser_%s_tau", form->stabiliser[k].plugin->name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, tau, sizeof(tau), NULL));
  *transient = (PetscBool)!strcmp(tau, "transient");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeHasIntegrators(const char *name, PetscBool *has, PetscBool *newton)
{
  const RhxSchemeType *type = find(name);
  PetscFunctionBegin;
  *has = (PetscBool)(type && type->integrator);
  *newton = (PetscBool)(type && type->newton);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeNames(size_t size, char *names)
{
  size_t used = 0;
  PetscFunctionBegin;
  names[0] = '\0';
  for (const RhxSchemeType *type = first; type && used + 1 < size; type = type->next) {
    PetscCall(PetscSNPrintf(names + used, size - used, "%s%s", used ? ", " : "", type->name));
    PetscCall(PetscStrlen(names, &used));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetType(TS ts, const char *name)
{
  char names[512];
  PetscFunctionBegin;
  PetscCall(RhxSchemeNames(sizeof(names), names));
  PetscCheck(find(name), PetscObjectComm((PetscObject)ts), PETSC_ERR_USER_INPUT,
             "-scheme: got '%s', expected auto or a scheme of Rheoplex: %s", name, names);
  PetscCall(TSSetType(ts, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
