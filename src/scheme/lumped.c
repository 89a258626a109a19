/* Scheme `lumped`: explicit, lumped mass (share/doc/theory.md, section 7). Euler step of a state (u, p, s):
 *   s+ = s - dt M^-1 R_s,  u^ = u - dt/rho M^-1 R_u,  boundary values of t + dt, then
 *   projection:   (dt/rho + tau_0) K dp = -(R_p(u, p) + D (u^ - u)),  p+ = p + dp,  u+ = u^ - dt/rho M^-1 grad dp
 *   dissipation:  u+ = u^,  eps/rho K p+ = -D u+          (div u = eps/rho lap p; eps a relaxation time of div u)
 * M row-sum lumped or scaled diagonal, K the Laplacian, D the divergence. Heun averages the state with two Euler steps. */
#include "petsc_compat.h"
#include "plugin/option.h"
#include "scheme/lumped_impl.h"
#include <math.h>
#include <petsc/private/tsimpl.h>

#define SLOT(member) offsetof(RhxLumpedOptions, member)
static const RhxRow lumped_rows[] = {
    {"dt", RHX_REAL, 0, SLOT(dt), "0.01", RHX_GT, 0, 0, NULL, "s", "time step; with a CFL target the largest one"},
    {"cfl", RHX_REAL, 0, SLOT(cfl), "0", RHX_GE, 0, 0, NULL, "1",
     "target of dt over the limits of convection, viscosity, elastic waves, relaxation and the stepper's growth of "
     "waves "
     "(share/doc/time-step.md): 0.9 runs; 0: fixed time step"},
    {"dt_min", RHX_REAL, 0, SLOT(dt_min), "0", RHX_GE, 0, 0, NULL, "s",
     "time step below which a CFL target ends the run; 0: a millionth of dt"},
    {"variant", RHX_CHOICE, 0, SLOT(variant), "default", RHX_ANY, 0, 0, "default|ayyad", "",
     "default: projection and row-sum mass; ayyad: dissipation and scaled diagonal mass, unless said otherwise"},
    {"stepper", RHX_CHOICE, 0, SLOT(stepper), "euler", RHX_ANY, 0, 0, "euler|heun", "",
     "forward Euler, or Heun for time accuracy"},
    {"pressure", RHX_CHOICE, 0, SLOT(pressure), "auto", RHX_ANY, 0, 0, "auto|projection|dissipation", "",
     "how the pressure follows; auto: as the variant says. Its solver takes PETSc's options with the prefix "
     "-pressure_, such as -pressure_pc_type gamg -pressure_ksp_rtol 1e-6"},
    {"mass", RHX_CHOICE, 0, SLOT(mass), "auto", RHX_ANY, 0, 0, "auto|row_sum|diagonal", "",
     "lumped mass; auto: as the variant says"},
    {"dissipation_eps", RHX_REAL, 0, SLOT(eps), "0.01", RHX_GT, 0, 0, NULL, "s",
     "relaxation time of div u (dissipation); stable for dt < 2 eps"},
    {"graph", RHX_BOOL, 0, SLOT(graph), "true", RHX_ANY, 0, 0, NULL, "",
     "on a device: record a step as one graph where nothing depends on time; false: launch by launch, which tells the "
     "time of "
     "the pressure solve"},
    {"rate", RHX_CHOICE, 0, SLOT(rate), "lagged", RHX_ANY, 0, 0, "lagged|zero", "",
     "rate in the strong residuals: of the last step, or zero"},
};
static const RhxOptionTable lumped_table = {"scheme", "scheme_lumped_", PETSC_STATIC_ARRAY_LENGTH(lumped_rows),
                                            lumped_rows};

static PetscErrorCode TSSetUp_Lumped(TS ts)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscFunctionBegin;
  PetscCheck(lu->form && lu->bc, PetscObjectComm((PetscObject)ts), PETSC_ERR_ORDER,
             "RhxSchemeSetProblem() must come before TSSetUp()");
  lu->mass = lu->form->space->mass;
  if (lu->opt.mass == RHX_MASS_DIAGONAL) {
    lu->mass_owned = PETSC_TRUE;
    PetscCall(PetscMalloc1(lu->form->space->nlocal, &lu->mass));
    PetscCall(RhxFormDiagonalMass(lu->form, lu->mass));
  }
  PetscCall(RhxSpaceCreateVec(lu->form->space, lu->form->space->bs, &lu->rate));
  PetscCall(RhxPressureCreate(lu->form, lu->bc, lu->device, &lu->pressure));
  lu->side = lu->device ? &RhxLumpedDevice : &RhxLumpedHost;
  lu->resident = (PetscBool)(lu->device != NULL);
  PetscCall(lu->side->setup(lu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSReset_Lumped(TS ts)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscFunctionBegin;
  PetscCall(RhxLumpedKeepReset(lu));
  if (lu->side) PetscCall(lu->side->destroy(lu));
  lu->side = NULL;
  if (lu->mass_owned) PetscCall(PetscFree(lu->mass));
  lu->mass_owned = PETSC_FALSE;
  PetscCall(VecDestroy(&lu->rate));
  PetscCall(RhxPressureDestroy(&lu->pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSDestroy_Lumped(TS ts)
{
  PetscFunctionBegin;
  PetscCall(TSReset_Lumped(ts));
  PetscCall(PetscFree(ts->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetFromOptions_Lumped(TS ts, RhxOptionItems PetscOptionsObject)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscFunctionBegin;
  (void)PetscOptionsObject;
  PetscCall(RhxOptionTableRead(PetscObjectComm((PetscObject)ts), &lumped_table, NULL, &lu->opt));
  if (lu->opt.pressure == RHX_PRESSURE_AUTO)
    lu->opt.pressure = lu->opt.variant ? RHX_PRESSURE_DISSIPATION : RHX_PRESSURE_PROJECTION;
  if (lu->opt.mass == RHX_MASS_AUTO) lu->opt.mass = lu->opt.variant ? RHX_MASS_DIAGONAL : RHX_MASS_ROW_SUM;
  ts->time_step = lu->opt.dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSView_Lumped(TS ts, PetscViewer viewer)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, pressure by %s, %s mass, dt %g s\n",
                                   lu->opt.stepper == RHX_STEPPER_HEUN ? "Heun" : "forward Euler",
                                   lu->opt.pressure == RHX_PRESSURE_DISSIPATION ? "dissipation" : "projection",
                                   lu->opt.mass == RHX_MASS_DIAGONAL ? "scaled diagonal" : "row-sum", lu->opt.dt));
  if (lu->pressure) PetscCall(RhxPressureView(lu->pressure, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates whose product with dt is 1 at the limits, in the order of RhxStepInfo.cfl. Heun amplifies elastic waves from
 * dt = (4 p/w^4)^(1/3) on where forward Euler does from p/w^2 on (p their damping), and convected ones not at all. */
static void limits(RhxLumped lu, double rate[RHX_NLIMITS])
{
  const RhxFormStats *st = &lu->info.stats;
  const double w = st->convective + st->elastic;
  rate[RHX_LIMIT_CONVECTIVE] = st->convective;
  rate[RHX_LIMIT_VISCOUS] = st->viscous;
  rate[RHX_LIMIT_ELASTIC] = st->elastic;
  rate[RHX_LIMIT_RELAXATION] = st->relaxation;
  rate[RHX_LIMIT_GROWTH] = lu->opt.stepper == RHX_STEPPER_HEUN ? cbrt(0.25 * w * w * st->waves) : st->growth;
}

/* Convection has to share a step with viscosity, relaxation or elastic waves: its stabilisation acts on the same waves. */
static double step_rate(RhxLumped lu)
{
  double rate[RHX_NLIMITS], most;
  limits(lu, rate);
  most = PetscMax(rate[RHX_LIMIT_VISCOUS], PetscMax(rate[RHX_LIMIT_ELASTIC], rate[RHX_LIMIT_RELAXATION]));
  most = PetscMax(most + rate[RHX_LIMIT_CONVECTIVE], rate[RHX_LIMIT_GROWTH]);
  if (lu->opt.pressure == RHX_PRESSURE_DISSIPATION) most = PetscMax(most, 0.5 / lu->opt.eps);
  return most;
}

/* Time step for the CFL target from the rates of the last state; the first step asks for the rates alone. */
static PetscErrorCode choose_step(TS ts, RhxLumped lu, double *dt)
{
  PetscFunctionBegin;
  *dt = ts->time_step;
  if (lu->opt.cfl > 0.0) {
    double rate, all[RHX_NLIMITS];
    int which = 0;
    if (!lu->have_rates) {
      lu->have_rates = PETSC_TRUE;
      PetscCall(lu->side->rates(lu, ts->ptime));
    }
    *dt = lu->opt.dt;
    const double least = lu->opt.dt_min > 0.0 ? lu->opt.dt_min : 1e-6 * lu->opt.dt;
    rate = step_rate(lu);
    if (rate * *dt > lu->opt.cfl) *dt = lu->opt.cfl / rate;
    limits(lu, all);
    for (int i = 1; i < RHX_NLIMITS; i++)
      if (all[i] > all[which]) which = i;
    PetscCheck(*dt >= least, PetscObjectComm((PetscObject)ts), PETSC_ERR_NOT_CONVERGED,
               "-scheme_lumped_cfl %g: the %s limit asks for a time step of %g s at t = %g s, below %g s "
               "(-scheme_lumped_dt_min%s)",
               lu->opt.cfl, RhxLumpedLimitName[which], *dt, (double)ts->ptime, least,
               lu->opt.dt_min > 0.0 ? "" : ", by default a millionth of -scheme_lumped_dt");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shortens dt so that steps end at the mark and at the final time; end: of this step. What is left between one and two
 * steps is halved: no step is shorter than half of dt, unless times lie closer than that. It depends on t and dt alone, so
 * that a restart repeats it. */
static void meet(TS ts, RhxLumped lu, double *dt, double *end)
{
  const double near = 1e-6 * *dt;
  const double target = lu->mark > ts->ptime + near && lu->mark < ts->max_time - near ? lu->mark : ts->max_time;
  const double left = target - ts->ptime;
  if (left <= *dt + near) {
    *dt = left;
    *end = target;
    return;
  }
  if (left < 2.0 * *dt - near) *dt = 0.5 * left;
  *end = ts->ptime + *dt;
}

PetscErrorCode RhxLumpedLoadState(TS ts)
{
  RhxLumped lu = (RhxLumped)ts->data;
  const PetscScalar *a;
  PetscObjectState now;
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &now));
  if (lu->resident && lu->known == now) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(ts->vec_sol, &a));
  PetscCall(lu->side->load(lu, a));
  PetscCall(VecRestoreArrayRead(ts->vec_sol, &a));
  lu->known = now;
  lu->stale = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode store_state(TS ts)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscScalar *a;
  PetscFunctionBegin;
  if (!lu->stale) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(ts->vec_sol, &a));
  PetscCall(lu->side->store(lu, a));
  PetscCall(VecRestoreArray(ts->vec_sol, &a));
  PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &lu->known));
  lu->stale = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSStep_Lumped(TS ts)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscLogDouble t0, t1;
  double dt, end, t = ts->ptime;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxLumpedLoadState(ts));
  PetscCall(choose_step(ts, lu, &dt));
  meet(ts, lu, &dt, &end);
  PetscCall(lu->side->step(lu, t, dt));
  lu->stale = PETSC_TRUE;
  if (!lu->resident || !lu->lazy || ts->numbermonitors) PetscCall(store_state(ts));
  ts->ptime = end;
  PetscCall(PetscTime(&t1));
  lu->info.step = ts->steps + 1;
  lu->info.t = ts->ptime;
  lu->info.dt = dt;
  lu->info.seconds = t1 - t0;
  limits(lu, lu->info.cfl);
  for (int i = 0; i < RHX_NLIMITS; i++) lu->info.cfl[i] *= dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_problem(TS ts, RhxForm form, RhxBoundary bc)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscFunctionBegin;
  lu->form = form;
  lu->bc = bc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_mark(TS ts, PetscReal mark)
{
  PetscFunctionBegin;
  ((RhxLumped)ts->data)->mark = mark;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_info(TS ts, const RhxStepInfo **info)
{
  PetscFunctionBegin;
  *info = &((RhxLumped)ts->data)->info;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate as a Vec: the scheme's on the way out, the checkpoint's on the way in (set). */
static PetscErrorCode exchange_rate(TS ts, Vec *rate, PetscBool set)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(lu->rate, &a));
  if (set)
    PetscCall(lu->side->load_rate(lu, a));
  else
    PetscCall(lu->side->store_rate(lu, a));
  PetscCall(VecRestoreArray(lu->rate, &a));
  *rate = lu->rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the first step its dt is that of the options. */
static PetscErrorCode get_balance(TS ts, RhxBalance *balance)
{
  RhxLumped lu = (RhxLumped)ts->data;
  PetscFunctionBegin;
  *balance = (RhxBalance){.t = ts->ptime,
                          .dt = lu->info.dt > 0.0 ? lu->info.dt : lu->opt.dt,
                          .mass = lu->mass,
                          .strong_rate = (PetscBool)(lu->opt.rate == RHX_RATE_LAGGED)};
  PetscCall(exchange_rate(ts, &balance->rate, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_lazy(TS ts)
{
  PetscFunctionBegin;
  ((RhxLumped)ts->data)->lazy = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_device(TS ts, RhxDevice device)
{
  PetscFunctionBegin;
  ((RhxLumped)ts->data)->device = device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode provides(TS ts, unsigned *capabilities)
{
  PetscFunctionBegin;
  *capabilities = ((RhxLumped)ts->data)->opt.pressure == RHX_PRESSURE_DISSIPATION ? RHX_PROVIDES_PRESSURE : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSCreate_Lumped(TS ts)
{
  RhxLumped lu;
  PetscFunctionBegin;
  PetscCall(PetscNew(&lu));
  ts->data = lu;
  lu->mark = PETSC_MAX_REAL;
  ts->ops->setup = TSSetUp_Lumped;
  ts->ops->step = TSStep_Lumped;
  ts->ops->reset = TSReset_Lumped;
  ts->ops->destroy = TSDestroy_Lumped;
  ts->ops->setfromoptions = TSSetFromOptions_Lumped;
  ts->ops->view = TSView_Lumped;
  ts->default_adapt_type = TSADAPTNONE;
  ts->usessnes = PETSC_FALSE;
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeSetProblem_C", set_problem));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGetInfo_C", get_info));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeSetMark_C", set_mark));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeExchangeRate_C", exchange_rate));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeGetBalance_C", get_balance));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeProvides_C", provides));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeSetDevice_C", set_device));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeStoreState_C", store_state));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeSetLazy_C", set_lazy));
  PetscCall(RhxLumpedKeepSetUp(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeRegister_Lumped(void)
{
  PetscFunctionBegin;
  PetscCall(TSRegister(RHXTSLUMPED, TSCreate_Lumped));
  PetscCall(RhxOptionTableRegister(&lumped_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
