/* Scheme `lumped`: explicit, lumped mass (ayyad-2020; NUMERICS.md). Euler step of a state (u, p, s):
 *   s+ = s - dt M^-1 R_s,  u^ = u - dt/rho M^-1 R_u,  boundary values of t + dt, then
 *   projection:   (dt/rho + tau_0) K dp = -(R_p(u, p) + D (u^ - u)),  p+ = p + dp,  u+ = u^ - dt/rho M^-1 grad dp
 *   dissipation:  u+ = u^,  eps/rho K p+ = -D u+          (div u = eps/rho lap p; eps a relaxation time of div u)
 * M row-sum lumped or scaled diagonal, K the Laplacian, D the divergence. Heun averages the state with two Euler steps. */
#include "petsc_compat.h"
#include "plugin/option.h"
#include "scheme/pressure.h"
#include "scheme/scheme.h"
#include <petsc/private/tsimpl.h>

enum { STEPPER_EULER, STEPPER_HEUN };
enum { PRESSURE_AUTO, PRESSURE_PROJECTION, PRESSURE_DISSIPATION };
enum { MASS_AUTO, MASS_ROW_SUM, MASS_DIAGONAL };

typedef struct {
  double dt, cfl, eps;
  int variant, stepper, pressure, mass, rate;
} LumpedOptions;

#define SLOT(member) offsetof(LumpedOptions, member)
static const RhxRow lumped_rows[] = {
    {"dt", RHX_REAL, 0, SLOT(dt), "0.01", RHX_GT, 0, 0, NULL, "s", "time step; with a CFL target the largest one"},
    {"cfl", RHX_REAL, 0, SLOT(cfl), "0", RHX_GE, 0, 0, NULL, "1",
     "CFL target of the convective, viscous and elastic limits; 0: fixed time step"},
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
    {"rate", RHX_CHOICE, 0, SLOT(rate), "lagged", RHX_ANY, 0, 0, "lagged|zero", "",
     "rate in the strong residuals: of the last step, or zero"},
};
static const RhxOptionTable lumped_table = {"scheme", "scheme_lumped_", PETSC_STATIC_ARRAY_LENGTH(lumped_rows),
                                            lumped_rows};

typedef struct {
  RhxForm form; /* borrowed, as bc */
  RhxBoundary bc;
  LumpedOptions opt;
  RhxPressure pressure;
  PetscReal *mass; /* [nlocal] */
  PetscBool mass_owned;
  PetscScalar *x, *y, *xdot;  /* [nlocal][bs] state with ghosts, result of an Euler step, last rate */
  PetscScalar *z;             /* [nowned][bs] second Euler step of Heun */
  PetscScalar *aux, *r;       /* [nlocal][naux], [nlocal][bs] */
  PetscScalar *du, *div, *dp; /* [nlocal][dim], [nlocal], [nlocal] */
  PetscScalar *value;         /* [nowned] pressure at fixed nodes */
  Vec rate;                   /* [global] copy of xdot for checkpoints */
  PetscBool have_rates;       /* info.stats are of the last state */
  RhxStepInfo info;
} Lumped;

static PetscErrorCode TSSetUp_Lumped(TS ts)
{
  Lumped *lu = (Lumped *)ts->data;
  RhxSpace sp;
  size_t n, nl;
  PetscFunctionBegin;
  PetscCheck(lu->form && lu->bc, PetscObjectComm((PetscObject)ts), PETSC_ERR_ORDER,
             "RhxSchemeSetProblem() must come before TSSetUp()");
  sp = lu->form->space;
  n = (size_t)sp->nowned;
  nl = (size_t)sp->nlocal;
  PetscCall(PetscCalloc4(nl * sp->bs, &lu->x, nl * sp->bs, &lu->y, nl * sp->bs, &lu->xdot, n * sp->bs, &lu->z));
  PetscCall(PetscCalloc2(nl * PetscMax(lu->form->naux, 1), &lu->aux, nl * sp->bs, &lu->r));
  PetscCall(PetscCalloc4(nl * sp->dim, &lu->du, nl, &lu->div, nl, &lu->dp, n, &lu->value));
  lu->mass = sp->mass;
  if (lu->opt.mass == MASS_DIAGONAL) {
    lu->mass_owned = PETSC_TRUE;
    PetscCall(PetscMalloc1(nl, &lu->mass));
    PetscCall(RhxFormDiagonalMass(lu->form, lu->mass));
  }
  PetscCall(RhxSpaceCreateVec(sp, sp->bs, &lu->rate));
  PetscCall(RhxPressureCreate(lu->form, lu->bc, &lu->pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSReset_Lumped(TS ts)
{
  Lumped *lu = (Lumped *)ts->data;
  PetscFunctionBegin;
  PetscCall(PetscFree4(lu->x, lu->y, lu->xdot, lu->z));
  PetscCall(PetscFree2(lu->aux, lu->r));
  PetscCall(PetscFree4(lu->du, lu->div, lu->dp, lu->value));
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

/* TS makes an SNES of its own, which reads options without a prefix and is never used: they are mistakes. */
static PetscErrorCode refuse_unprefixed(MPI_Comm comm)
{
  static const char *const name[] = {"ksp_type",    "ksp_rtol", "ksp_atol",  "ksp_max_it",
                                     "ksp_monitor", "pc_type",  "snes_type", "snes_rtol"};
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(name); i++) {
    char option[64];
    PetscBool set;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", name[i]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
    PetscCheck(!set, comm, PETSC_ERR_USER_INPUT,
               "Scheme 'lumped' has one solver, that of the pressure: got -%s, expected -pressure_%s", name[i],
               name[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSSetFromOptions_Lumped(TS ts, RhxOptionItems PetscOptionsObject)
{
  Lumped *lu = (Lumped *)ts->data;
  PetscFunctionBegin;
  (void)PetscOptionsObject;
  PetscCall(refuse_unprefixed(PetscObjectComm((PetscObject)ts)));
  PetscCall(RhxOptionTableRead(PetscObjectComm((PetscObject)ts), &lumped_table, NULL, &lu->opt));
  if (lu->opt.pressure == PRESSURE_AUTO)
    lu->opt.pressure = lu->opt.variant ? PRESSURE_DISSIPATION : PRESSURE_PROJECTION;
  if (lu->opt.mass == MASS_AUTO) lu->opt.mass = lu->opt.variant ? MASS_DIAGONAL : MASS_ROW_SUM;
  ts->time_step = lu->opt.dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSView_Lumped(TS ts, PetscViewer viewer)
{
  Lumped *lu = (Lumped *)ts->data;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, pressure by %s, %s mass, dt %g s\n",
                                   lu->opt.stepper == STEPPER_HEUN ? "Heun" : "forward Euler",
                                   lu->opt.pressure == PRESSURE_DISSIPATION ? "dissipation" : "projection",
                                   lu->opt.mass == MASS_DIAGONAL ? "scaled diagonal" : "row-sum", lu->opt.dt));
  if (lu->pressure) PetscCall(RhxPressureView(lu->pressure, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |R_p| / m over rows of free pressure, this rank. */
static PetscErrorCode continuity_residual(Lumped *lu, double *largest)
{
  const RhxSpace sp = lu->form->space;
  const PetscInt *fixed;
  PetscInt nfixed;
  PetscBool free;
  PetscFunctionBegin;
  *largest = 0.0;
  PetscCall(RhxBoundaryGetPressureNodes(lu->bc, &nfixed, &fixed, &free));
  PetscCall(PetscArrayzero(lu->value, sp->nowned));
  for (PetscInt i = 0; i < nfixed; i++) lu->value[fixed[i]] = 1.0;
  for (PetscInt i = 0; i < sp->nowned; i++)
    if (lu->value[i] == 0.0) {
      const double v = PetscAbsScalar(lu->r[(size_t)i * sp->bs + sp->dim]) / sp->mass[i];
      if (!(v <= *largest)) *largest = v;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u^ and s+ into y (owned), with the boundary values of t + dt. */
static PetscErrorCode advance_momentum(Lumped *lu, double t, double dt, const PetscScalar *x, PetscScalar *y,
                                       PetscBool first)
{
  const RhxSpace sp = lu->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(lu->bc, t));
  PetscCall(RhxFormProject(lu->form, t, dt, x, lu->aux));
  PetscCall(RhxBoundaryImposeAuxiliary(lu->bc, lu->aux));
  PetscCall(RhxFormResidual(lu->form, RHX_ROWS_FLOW | RHX_ROWS_MODES, t, dt, x,
                            lu->opt.rate == RHX_RATE_LAGGED ? lu->xdot : NULL, lu->aux, lu->r,
                            first ? &lu->info.stats : NULL));
  if (first) {
    PetscCall(RhxFormStatsReduce(lu->form, &lu->info.stats));
    PetscCall(continuity_residual(lu, &lu->info.continuity));
  }
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double a = dt / lu->mass[i], b = a / lu->form->rho;
    const PetscScalar *xi = x + (size_t)i * bs, *ri = lu->r + (size_t)i * bs;
    PetscScalar *yi = y + (size_t)i * bs;
    for (PetscInt c = 0; c < dim; c++) yi[c] = xi[c] - b * ri[c];
    yi[dim] = xi[dim];
    for (PetscInt c = dim + 1; c < bs; c++) yi[c] = xi[c] - a * ri[c];
  }
  PetscCall(RhxBoundarySetTime(lu->bc, t + dt));
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_VELOCITY | RHX_BC_MODES, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* div[nlocal] = D v, v[nowned][dim] = velocity of y minus (minus ? that of x : 0) */
static PetscErrorCode divergence_of(Lumped *lu, const PetscScalar *y, const PetscScalar *x, PetscBool minus)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->dim; c++)
      lu->du[(size_t)i * sp->dim + c] = y[(size_t)i * sp->bs + c] - (minus ? x[(size_t)i * sp->bs + c] : 0.0);
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->dim, lu->du, lu->du));
  PetscCall(RhxFormDivergence(lu->form, lu->du, lu->div));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that the pressure of y takes at fixed nodes, less `from` there. */
static PetscErrorCode fixed_pressures(Lumped *lu, PetscScalar *y, const PetscScalar *from)
{
  const RhxSpace sp = lu->form->space;
  const PetscInt *fixed;
  PetscInt nfixed;
  PetscBool free;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetPressureNodes(lu->bc, &nfixed, &fixed, &free));
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_PRESSURE, y));
  for (PetscInt i = 0; i < nfixed; i++) {
    const size_t at = (size_t)fixed[i] * sp->bs + sp->dim;
    lu->value[fixed[i]] = y[at] - (from ? from[at] : 0.0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode project(Lumped *lu, double dt, const PetscScalar *x, PetscScalar *y)
{
  const RhxSpace sp = lu->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim;
  const double b = dt / lu->form->rho, tau0 = 0.5 * lu->info.stats.tau; /* half of the bound of tau */
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(divergence_of(lu, y, x, PETSC_TRUE));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    lu->div[i] = -(lu->div[i] + lu->r[(size_t)i * bs + dim]) / (b + tau0);
    lu->dp[i] = dt * lu->xdot[(size_t)i * bs + dim]; /* guess: the last increment */
  }
  PetscCall(fixed_pressures(lu, y, x));
  PetscCall(RhxPressureSolve(lu->pressure, lu->div, lu->value, lu->dp, &lu->info.iterations, &solved));
  if (!solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormGradient(lu->form, lu->dp, lu->du));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double a = b / lu->mass[i];
    y[(size_t)i * bs + dim] = x[(size_t)i * bs + dim] + lu->dp[i];
    for (PetscInt c = 0; c < dim; c++) y[(size_t)i * bs + c] -= a * lu->du[(size_t)i * dim + c];
  }
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_VELOCITY | RHX_BC_PRESSURE, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dissipate(Lumped *lu, PetscScalar *y)
{
  const RhxSpace sp = lu->form->space;
  const PetscInt bs = sp->bs, dim = sp->dim;
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(divergence_of(lu, y, NULL, PETSC_FALSE));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    lu->div[i] *= -lu->form->rho / lu->opt.eps;
    lu->dp[i] = y[(size_t)i * bs + dim];
  }
  PetscCall(fixed_pressures(lu, y, NULL));
  PetscCall(RhxPressureSolve(lu->pressure, lu->div, lu->value, lu->dp, &lu->info.iterations, &solved));
  if (solved)
    for (PetscInt i = 0; i < sp->nowned; i++) y[(size_t)i * bs + dim] = lu->dp[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One Euler step from x (local, ghosts valid) into y (owned). */
static PetscErrorCode euler(Lumped *lu, double t, double dt, const PetscScalar *x, PetscScalar *y, PetscBool first)
{
  PetscFunctionBegin;
  PetscCall(advance_momentum(lu, t, dt, x, y, first));
  if (lu->opt.pressure == PRESSURE_PROJECTION)
    PetscCall(project(lu, dt, x, y));
  else
    PetscCall(dissipate(lu, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = (x + z)/2 with z two Euler steps on; the pressure is that of the second. */
static PetscErrorCode heun(Lumped *lu, double t, double dt)
{
  const RhxSpace sp = lu->form->space;
  PetscFunctionBegin;
  PetscCall(euler(lu, t, dt, lu->x, lu->y, PETSC_TRUE));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, lu->y, lu->y));
  PetscCall(euler(lu, t + dt, dt, lu->y, lu->z, PETSC_FALSE));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < sp->bs; c++) {
      const size_t k = (size_t)i * sp->bs + c;
      lu->y[k] = c == sp->dim ? lu->z[k] : 0.5 * (lu->x[k] + lu->z[k]);
    }
  PetscCall(RhxBoundarySetTime(lu->bc, t + dt));
  PetscCall(RhxBoundaryImpose(lu->bc, RHX_BC_VELOCITY | RHX_BC_PRESSURE | RHX_BC_MODES, lu->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |v|^2 of components [first, first + n) of the rates, times scale; this rank. */
static double largest_rate(const Lumped *lu, PetscInt first, PetscInt n, double scale)
{
  const PetscInt bs = lu->form->space->bs;
  double largest = 0.0;
  for (PetscInt i = 0; i < lu->form->space->nowned; i++) {
    const PetscScalar *v = lu->xdot + (size_t)i * bs + first;
    double s = 0.0;
    for (PetscInt c = 0; c < n; c++) s += v[c] * v[c];
    if (s > largest) largest = s;
  }
  return scale * largest;
}

/* xdot = (y - x)/dt, x = y; largest nodal rates of u and of c, and whether all is finite. */
static PetscErrorCode accept(Lumped *lu, double dt)
{
  const RhxSpace sp = lu->form->space;
  const size_t n = (size_t)sp->nowned * sp->bs;
  double m[3] = {0.0, 0.0, 0.0}, sum = 0.0; /* |du/dt|^2, |dc/dt|^2, not finite */
  PetscFunctionBegin;
  for (size_t k = 0; k < n; k++) {
    lu->xdot[k] = (lu->y[k] - lu->x[k]) / dt;
    lu->x[k] = lu->y[k];
  }
  for (size_t k = 0; k < n; k++) sum += 0.0 * lu->y[k]; /* not zero: some value is not finite */
  if (!(sum == 0.0)) m[2] = 1.0;
  m[0] = largest_rate(lu, 0, sp->dim, 1.0);
  for (PetscInt k = 0; k < sp->nmodes; k++)
    m[1] = PetscMax(m[1], largest_rate(lu, sp->dim + 1 + k * sp->ntens, sp->ntens, 1.0 / PetscSqr(lu->form->scale[k])));
  double all[4] = {m[0], m[1], m[2], lu->info.continuity};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_MAX, sp->comm));
  lu->info.du_dt = PetscSqrtReal(all[0]);
  lu->info.ds_dt = PetscSqrtReal(all[1]);
  lu->info.finite = (PetscBool)(all[2] == 0.0);
  lu->info.continuity = all[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The viscous rate that multiplies dt to 1 at the stability limit of forward Euler: 2 dim nu/h^2. */
static double viscous_rate(const Lumped *lu) { return 2.0 * lu->form->space->dim * lu->info.stats.viscous; }

/* Time step for the CFL target from the rates of the last state; the first step asks for the rates alone. */
static PetscErrorCode choose_step(TS ts, Lumped *lu, double *dt)
{
  PetscFunctionBegin;
  *dt = ts->time_step;
  if (lu->opt.cfl > 0.0) {
    RhxFormStats *st = &lu->info.stats;
    if (!lu->have_rates) {
      lu->have_rates = PETSC_TRUE;
      PetscCall(RhxBoundarySetTime(lu->bc, ts->ptime));
      PetscCall(RhxFormProject(lu->form, ts->ptime, lu->opt.dt, lu->x, lu->aux));
      PetscCall(RhxFormResidual(lu->form, RHX_ROWS_FLOW, ts->ptime, lu->opt.dt, lu->x, NULL, lu->aux, lu->r, st));
      PetscCall(RhxFormStatsReduce(lu->form, st));
    }
    *dt = lu->opt.dt;
    const double rates[3] = {st->convective, viscous_rate(lu), st->elastic};
    for (int i = 0; i < 3; i++)
      if (rates[i] * *dt > lu->opt.cfl) *dt = lu->opt.cfl / rates[i];
  }
  if (ts->ptime + *dt > ts->max_time - 1e-6 * *dt) *dt = ts->max_time - ts->ptime;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSStep_Lumped(TS ts)
{
  Lumped *lu = (Lumped *)ts->data;
  const RhxSpace sp = lu->form->space;
  PetscLogDouble t0, t1;
  PetscScalar *a;
  double dt, t = ts->ptime;
  PetscFunctionBegin;
  PetscCall(PetscTime(&t0));
  PetscCall(VecGetArray(ts->vec_sol, &a));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, a, lu->x));
  if (lu->form->needs_rate) PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, lu->xdot, lu->xdot));
  PetscCall(choose_step(ts, lu, &dt));
  if (lu->opt.stepper == STEPPER_HEUN)
    PetscCall(heun(lu, t, dt));
  else
    PetscCall(euler(lu, t, dt, lu->x, lu->y, PETSC_TRUE));
  PetscCall(accept(lu, dt));
  PetscCall(PetscArraycpy(a, lu->x, (size_t)sp->nowned * sp->bs));
  PetscCall(VecRestoreArray(ts->vec_sol, &a));
  ts->ptime = t + dt >= ts->max_time - 1e-6 * dt ? ts->max_time : t + dt;
  PetscCall(PetscTime(&t1));
  lu->info.step = ts->steps + 1;
  lu->info.t = ts->ptime;
  lu->info.dt = dt;
  lu->info.seconds = t1 - t0;
  lu->info.cfl[0] = dt * lu->info.stats.convective;
  lu->info.cfl[1] = dt * viscous_rate(lu);
  lu->info.cfl[2] = dt * lu->info.stats.elastic;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_problem(TS ts, RhxForm form, RhxBoundary bc)
{
  Lumped *lu = (Lumped *)ts->data;
  PetscFunctionBegin;
  lu->form = form;
  lu->bc = bc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_info(TS ts, const RhxStepInfo **info)
{
  PetscFunctionBegin;
  *info = &((Lumped *)ts->data)->info;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate as a Vec: the scheme's on the way out, the checkpoint's on the way in (set). */
static PetscErrorCode exchange_rate(TS ts, Vec *rate, PetscBool set)
{
  Lumped *lu = (Lumped *)ts->data;
  const RhxSpace sp = lu->form->space;
  const size_t n = (size_t)sp->nowned * sp->bs;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(lu->rate, &a));
  if (set)
    PetscCall(PetscArraycpy(lu->xdot, a, n));
  else
    PetscCall(PetscArraycpy(a, lu->xdot, n));
  PetscCall(VecRestoreArray(lu->rate, &a));
  *rate = lu->rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode provides(TS ts, unsigned *capabilities)
{
  PetscFunctionBegin;
  *capabilities = ((Lumped *)ts->data)->opt.pressure == PRESSURE_DISSIPATION ? RHX_PROVIDES_PRESSURE : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TSCreate_Lumped(TS ts)
{
  Lumped *lu;
  PetscFunctionBegin;
  PetscCall(PetscNew(&lu));
  ts->data = lu;
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
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeExchangeRate_C", exchange_rate));
  PetscCall(PetscObjectComposeFunction((PetscObject)ts, "RhxSchemeProvides_C", provides));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeRegister_Lumped(void)
{
  PetscFunctionBegin;
  PetscCall(TSRegister(RHXTSLUMPED, TSCreate_Lumped));
  PetscCall(RhxOptionTableRegister(&lumped_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
