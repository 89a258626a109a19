/* Scheme `monolithic`: velocity, pressure, all modes and scalar fields of an implicit step together, by an integrator of PETSc's TS,
 *
 *   F(x, x_t) = R(x, x_t) + M x_t = 0 where x is free, x = g(t) where it is given  (equations_impl.h),
 *
 * a differential-algebraic system of index 2 in the pressure. Newton's method has the exact Jacobian by products; the matrix that
 * preconditions it is kept as long as it serves (renew_impl.h). No tau holds dt: the state at rest is that of `steady`. */
#include "petsc_compat.h"
#include "scheme/endpoint_impl.h"
#include "scheme/firststep_impl.h"
#include "scheme/newton_impl.h"
#include "scheme/sdirk_impl.h"
#include <petsc/private/tsimpl.h>

#define TOLERANCE 1e-8 /* of Newton's residual, over that of rest with what is given and over M x/dt */
#define LINEAR_TOLERANCE 1e-4
#define MOST_OVER_FLOW \
  100                   /* residual that the tolerance is of, over the flow's own: a run that is being lost has any */
#define MOST_FAILURES 6 /* of Newton's method in a step, each with a quarter of dt */
#define ERROR 1e-4      /* of adaptive steps */
#define MOST_TRIES 4    /* of the first of them */
#define ROUNDING 1e-12  /* of a step that was taken as it was asked for, over it */
#define MOST_STATES (RHX_MOST_HISTORY + 1)

#define PREFIX "scheme_monolithic_"
#define PRESSURE "pc_pressure"

static const char *const integrators[] = {TSBDF, TSBEULER, TSTHETA, TSCN, TSALPHA, TSARKIMEX};
enum { BDF, BEULER, THETA, CN, ALPHA, ARKIMEX, NINTEGRATORS };
enum { PROJECTION_CONSISTENT, PROJECTION_LUMPED };

typedef struct {
  RhxSchemeOptions common;
  int integrator, projection, pressure, given;
  double velocity;
  RhxRenewOptions renew;
} Options;

typedef struct {
  TS ts;
  RhxNewton nt;
  RhxSdirk sdirk;             /* stages of arkimex; else NULL */
  double cfl;                 /* of the step */
  Vec slope;                  /* x_t of the last residual */
  Vec tolerance[RHX_NGROUPS]; /* absolute, of a group of fields; infinite in other rows */
  double part[RHX_NGROUPS];   /* all rows over those of the group */
  PetscInt ngroups;
  PetscErrorCode (*error)(TS, NormType, PetscInt *, PetscReal *); /* of the integrator */
  double atol;
  PetscReal snes_atol; /* of -snes_atol; each step takes a larger one */
  double flow; /* residual of the flow: the largest yet of rest with what is given, and what the run began with */
  PetscInt steps, rejected; /* over the run */
  PetscInt tries;           /* of the run's first step, whose errors were looked at */
  /* Accepted states of bdf since it began, the present one first: it needs `most` for a step of its order and its first guess. */
  PetscInt nstates, most; /* most 0: they are not kept */
  double at[MOST_STATES];
  Vec state[MOST_STATES];
  double share[MOST_STATES]; /* of the force that keeps a mean velocity, whose place in them has the pressure */
  PetscBool recall;          /* the next step begins with them, [0] is still to come */
  RhxEndpoint endpoint;      /* of theta, cn and alpha; else NULL */
  Vec from, to;              /* of a step that is known, else NULL; borrowed */
} Monolithic;

#define SLOT(member) offsetof(Options, member)
static const RhxRow rows[] = {
    RHX_SCHEME_ROWS,
    {"integrator", RHX_CHOICE, 0, SLOT(integrator), "bdf", RHX_ANY, 0, 0, "bdf|beuler|theta|cn|alpha|arkimex", "",
     "integrator of PETSc, the same as -ts_type: backward differentiation (of order 2; -ts_bdf_order), backward Euler, "
     "the theta "
     "method, Crank and Nicolson, generalised alpha, Runge-Kutta of order 2 or 3 with implicit stages "
     "(-ts_arkimex_type sdirk2 or sdirk3); with PETSc's own options"},
    {"projection", RHX_CHOICE, 0, SLOT(projection), "consistent", RHX_ANY, 0, 0, "consistent|lumped", "",
     "mass of the projections that stabilisers ask for; lumped, as in explicit schemes, is of lower accuracy"},
    {"velocity", RHX_REAL, 0, SLOT(velocity), "0", RHX_GE, 0, 0, NULL, "m/s",
     "velocity that -ts_atol is a part of, where steps are chosen by their error (-ts_adapt_type basic); 0: "
     "-case_velocity, or the fastest that is given"},
    {PRESSURE, RHX_CHOICE, 0, SLOT(pressure), "auto", RHX_ANY, 0, 0, "auto|fixed|projected", "",
     "matrix that preconditions, where the stabilisation projects the pressure's gradient: at a fixed projection, or "
     "with "
     "the derivative of the projected pressure, which small time steps want; auto: by the share of the stabilisation, "
     "on the host, with -solver split and in 2D with factors"},
    RHX_GIVEN_ROW(Options, given),
    RHX_RENEW_ROWS(Options, renew, "demand"),
};
static const RhxOptionTable table = {"scheme", PREFIX, PETSC_STATIC_ARRAY_LENGTH(rows), rows};

/* What PETSc's integrators take without a look, or refuse without the option's name. */
static const RhxRow own_rows[NINTEGRATORS] = {
    [BDF] = {"bdf_order", RHX_INT, 0, 0, NULL, RHX_IN, 1, 6, NULL, "1", "order"},
    [THETA] = {"theta_theta", RHX_REAL, 0, 0, NULL, RHX_IN, 0.5, 1, NULL, "1",
               "share of the new time; less is unstable"},
    [ALPHA] = {"alpha_radius", RHX_REAL, 0, 0, NULL, RHX_IN, 0, 1, NULL, "1", "spectral radius of large steps"},
};

/* ---- What the integrator calls ---- */

static PetscErrorCode at_time(Monolithic *mn, double t)
{
  PetscFunctionBegin;
  if (t != mn->nt->eq->t) PetscCall(RhxEquationsSetTime(mn->nt->eq, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode function(TS ts, PetscReal t, Vec z, Vec zdot, Vec f, void *ctx)
{
  Monolithic *mn = (Monolithic *)ctx;
  const RhxNewton nt = mn->nt;
  PetscFunctionBegin;
  (void)ts;
  PetscCall(RhxNewtonSolved(nt));
  PetscCall(at_time(mn, t));
  PetscCall(RhxScalingToState(nt->scaling, zdot, mn->slope));
  if (mn->to) {
    PetscCall(VecZeroEntries(f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxScalingToState(nt->scaling, z, nt->now));
  PetscCall(RhxNewtonEvaluate(nt, nt->now, mn->slope, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(TS ts, PetscReal t, Vec z, Vec zdot, PetscReal shift, Mat J, Mat P, void *ctx)
{
  Monolithic *mn = (Monolithic *)ctx;
  const RhxNewton nt = mn->nt;
  PetscInt iteration;
  PetscFunctionBegin;
  (void)ts, (void)J, (void)P;
  PetscCall(at_time(mn, t));
  PetscCall(RhxScalingToState(nt->scaling, z, nt->now));
  PetscCall(RhxScalingToState(nt->scaling, zdot, nt->rate));
  PetscCall(RhxNewtonLinearise(nt, nt->now, nt->rate, shift));
  PetscCall(SNESGetIterationNumber(nt->snes, &iteration));
  PetscCall(RhxNewtonPrepare(nt, iteration, mn->cfl));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode before_stage(TS ts, PetscReal t)
{
  Monolithic *mn;
  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &mn));
  if (mn->sdirk) PetscCall(RhxSdirkGive(mn->sdirk, t));
  PetscCall(at_time(mn, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of unknowns that are the state at the stage's time. Of a step that is known it is the solution: its end, and the mean in the
 * middle, where bdf begins. */
static PetscErrorCode guess(SNES snes, Vec z, void *ctx)
{
  const Monolithic *mn = (const Monolithic *)ctx;
  const RhxNewton nt = mn->nt;
  const Vec x = nt->now;
  PetscFunctionBegin;
  (void)snes;
  PetscCall(PetscObjectSetName((PetscObject)z, "state"));
  PetscCall(RhxScalingToState(nt->scaling, z, x));
  if (mn->sdirk) PetscCall(RhxSdirkGuess(mn->sdirk, mn->slope, x));
  if (!mn->to)
    PetscCall(RhxEquationsImpose(nt->eq, x));
  else if (nt->eq->t > mn->ts->ptime + 0.75 * mn->ts->time_step)
    PetscCall(VecCopy(mn->to, x));
  else
    PetscCall(VecAXPBYPCZ(x, 0.5, 0.5, 0.0, mn->from, mn->to));
  PetscCall(RhxScalingFromState(nt->scaling, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local error: the largest of those of velocity, modes and scalar fields, each in the mean square of its own rows; none of a step of
 * stages over a jump: what the embedded formula leaves of that does not become less with dt. Nor, after MOST_TRIES, of a first step: at rest what begins abruptly
 * moves all of an incompressible flow at once, in steps of any length. */
static PetscErrorCode local_error(TS ts, NormType type, PetscInt *order, PetscReal *error)
{
  Monolithic *mn;
  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &mn));
  const PetscBool begins = (PetscBool)(!mn->steps && mn->tries++ >= MOST_TRIES);
  const PetscBool jumps = (PetscBool)((mn->sdirk && !(ts->ptime > mn->nt->sc->jump)) || begins);
  *error = -1.0;
  for (PetscInt k = 0; !mn->to && !jumps && k < mn->ngroups; k++) {
    PetscReal one;
    ts->vatol = mn->tolerance[k];
    PetscCall(mn->error(ts, type, order, &one));
    if (one > 0.0 && type == NORM_2) one *= mn->part[k];
    *error = PetscMax(*error, one);
  }
  ts->vatol = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode read_options(RhxScheme sc, Monolithic *mn)
{
  const Options *o = (const Options *)sc->opt;
  const RhxRow *own = &own_rows[o->integrator];
  TSAdapt adapt;
  PetscReal atol = ERROR, rtol = ERROR;
  PetscInt failures = MOST_FAILURES, rejections = 10;
  PetscFunctionBegin;
  PetscCall(TSGetAdapt(mn->ts, &adapt));
  if (own->name) PetscCall(RhxRowsCheck(sc->form->comm, "ts_", 1, own));
  PetscObjectOptionsBegin((PetscObject)mn->ts);
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSAdaptSetFromOptions(adapt, PetscOptionsObject));
  PetscCall(PetscOptionsReal("-ts_atol", "", "TSSetTolerances", atol, &atol, NULL));
  PetscCall(PetscOptionsReal("-ts_rtol", "", "TSSetTolerances", rtol, &rtol, NULL));
  PetscCall(PetscOptionsInt("-ts_max_snes_failures", "", "TSSetMaxSNESFailures", failures, &failures, NULL));
  PetscCall(PetscOptionsInt("-ts_max_reject", "", "TSSetMaxStepRejections", rejections, &rejections, NULL));
  if (mn->ts->ops->setfromoptions) PetscCall(mn->ts->ops->setfromoptions(mn->ts, PetscOptionsObject));
  PetscOptionsEnd();
  mn->atol = atol;
  PetscCall(TSSetTolerances(mn->ts, PETSC_CURRENT, NULL, rtol, NULL));
  PetscCall(TSSetMaxSNESFailures(mn->ts, failures));
  PetscCall(TSSetMaxStepRejections(mn->ts, rejections));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_integrator(RhxScheme sc, Monolithic *mn)
{
  const int which = ((const Options *)sc->opt)->integrator;
  SNES snes;
  PetscFunctionBegin;
  PetscCall(TSCreate(sc->form->comm, &mn->ts));
  PetscCall(TSSetType(mn->ts, integrators[which]));
  PetscCall(TSSetProblemType(mn->ts, TS_NONLINEAR));
  PetscCall(TSSetEquationType(mn->ts, TS_EQ_DAE_IMPLICIT_INDEX2));
  PetscCall(TSSetApplicationContext(mn->ts, mn));
  PetscCall(TSGetSNES(mn->ts, &snes));
  PetscCall(RhxNewtonCreate(sc, &((const Options *)sc->opt)->renew, mn->ts, &mn->nt));
  PetscCall(RhxNewtonEliminate(mn->nt, ((const Options *)sc->opt)->given));
  PetscCall(TSSetDM(mn->ts, mn->nt->eq->dm));
  PetscCall(RhxProjectedCreate(mn->nt->eq, PREFIX PRESSURE, ((const Options *)sc->opt)->pressure, &mn->nt->projected));
  PetscCall(VecDuplicate(mn->nt->x, &mn->slope));
  PetscCall(TSSetIFunction(mn->ts, NULL, function, mn));
  PetscCall(TSSetIJacobian(mn->ts, mn->nt->J, mn->nt->eq->P, jacobian, mn));
  PetscCall(TSSetPreStage(mn->ts, before_stage));
  if (which != ALPHA) PetscCall(SNESSetComputeInitialGuess(snes, guess, mn));
  if (which == ARKIMEX) PetscCall(RhxSdirkCreate(mn->ts, mn->nt->eq, &mn->sdirk));
  PetscCall(SNESSetForceIteration(snes, PETSC_TRUE));
  PetscCall(SNESSetMaxLinearSolveFailures(snes, 2));
  PetscCall(TSSetMaxTime(mn->ts, 0.5 * PETSC_MAX_REAL)); /* TSStep wants one */
  PetscCall(TSSetExactFinalTime(mn->ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetErrorIfStepFails(mn->ts, PETSC_FALSE));
  PetscCall(read_options(sc, mn));
  PetscCall(RhxNewtonSetUpSolver(mn->nt, TOLERANCE, LINEAR_TOLERANCE));
  PetscCall(SNESGetTolerances(snes, &mn->snes_atol, NULL, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of field m of a group: the velocity of the options; the modulus (stress) or 1; a scalar's scale. */
static PetscErrorCode get_scale(RhxScheme sc, RhxFieldGroup group, PetscInt m, PetscReal *scale)
{
  PetscReal end = 0.0, fastest;
  PetscFunctionBegin;
  *scale = group == RHX_GROUP_MODES     ? sc->form->scale[m]
           : group == RHX_GROUP_SCALARS ? sc->form->scalar[m].set.scale
                                        : ((const Options *)sc->opt)->velocity;
  if (*scale > 0.0 || group != RHX_GROUP_VELOCITY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stop_time", &end, NULL));
  PetscCall(RhxBoundaryGetFastest(sc->bc, 0.0, end, &fastest, NULL));
  *scale = 1.0;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", scale, NULL));
  *scale = PetscMax(*scale, fastest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Absolute tolerances of a step's error, atol of the scale. */
static PetscErrorCode set_error_scale(RhxScheme sc, Monolithic *mn, RhxFieldGroup group)
{
  const RhxSpace sp = sc->form->space;
  const PetscInt k = mn->ngroups++;
  const PetscInt width = RhxFieldsEnd(sp->fields, group) - RhxFieldsStart(sp->fields, group);
  PetscScalar *a;
  PetscFunctionBegin;
  mn->part[k] = PetscSqrtReal((double)sp->bs / width);
  PetscCall(VecDuplicate(mn->nt->x, &mn->tolerance[k]));
  PetscCall(VecSet(mn->tolerance[k], PETSC_MAX_REAL));
  PetscCall(VecGetArray(mn->tolerance[k], &a));
  for (PetscInt m = 0; m < sp->fields->count[group]; m++) {
    const RhxField *f = RhxFieldsGet(sp->fields, group, m);
    PetscReal scale;
    PetscCall(get_scale(sc, group, m, &scale));
    for (PetscInt c = f->offset; c < f->offset + f->components; c++)
      for (PetscInt i = 0; i < sp->nowned; i++)
        a[(size_t)i * sp->bs + c] = mn->atol * scale / RhxScalingUnit(mn->nt->scaling, c);
  }
  PetscCall(VecRestoreArray(mn->tolerance[k], &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the options of adaptive steps: TSSetUp prepares what estimates errors for them alone. */
static PetscErrorCode set_up_integrator(RhxScheme sc, Monolithic *mn)
{
  Vec x;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(mn->nt->x, &x));
  PetscCall(TSSetSolution(mn->ts, x));
  PetscCall(VecDestroy(&x));
  PetscCall(TSSetUp(mn->ts));
  mn->error = mn->sdirk ? RhxSdirkError : mn->ts->ops->evaluatewlte;
  mn->ts->ops->evaluatewlte = local_error;
  PetscCall(set_error_scale(sc, mn, RHX_GROUP_VELOCITY));
  if (sc->form->nmodes) PetscCall(set_error_scale(sc, mn, RHX_GROUP_MODES));
  if (sc->form->nscalars) PetscCall(set_error_scale(sc, mn, RHX_GROUP_SCALARS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode impose_odd(void *ctx, PetscScalar *aux)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryImposeAuxiliary((RhxBoundary)ctx, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode configure(RhxScheme sc)
{
  PetscFunctionBegin;
  if (((const Options *)sc->opt)->projection == PROJECTION_CONSISTENT)
    sc->settings.projection_corrections = RHX_CONSISTENT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode arrays(RhxScheme sc)
{
  const Options *o = (const Options *)sc->opt;
  Monolithic *mn;
  PetscFunctionBegin;
  PetscCheck(o->given == RHX_GIVEN_ROWS || o->integrator != ALPHA, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_monolithic_dirichlet symmetric: got -ts_type alpha, whose stages do not begin with the values "
             "that are given at their time, expected bdf, beuler, theta, cn or arkimex, or rows");
  if (o->projection == PROJECTION_CONSISTENT) PetscCall(RhxFormSetConsistent(sc->form, impose_odd, sc->bc));
  PetscCall(RhxFormNeedMass(sc->form));
  PetscCall(RhxOpsArray(sc->ops, sc->form->space->bs, "the rate of the balance", &sc->slope));
  PetscCall(PetscNew(&mn));
  sc->data = mn;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_history(RhxScheme sc, Monolithic *mn)
{
  PetscInt order = 0;
  PetscFunctionBegin;
  if (((const Options *)sc->opt)->integrator == BDF) PetscCall(TSBDFGetOrder(mn->ts, &order));
  if (!order) PetscFunctionReturn(PETSC_SUCCESS);
  mn->most = order + 1;
  for (PetscInt k = 0; k < mn->most; k++) PetscCall(VecDuplicate(mn->nt->x, &mn->state[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(RhxScheme sc)
{
  const int which = ((const Options *)sc->opt)->integrator;
  Monolithic *mn = (Monolithic *)sc->data;
  PetscFunctionBegin;
  PetscCall(create_integrator(sc, mn));
  PetscCall(set_up_integrator(sc, mn));
  PetscCall(create_history(sc, mn));
  if (which == THETA || which == CN || which == ALPHA) PetscCall(RhxEndpointCreate(mn->nt, mn->ts, &mn->endpoint));
  sc->adapts = (PetscBool)strcmp(((PetscObject)mn->ts->adapt)->type_name, TSADAPTNONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxScheme sc)
{
  Monolithic *mn = (Monolithic *)sc->data;
  PetscFunctionBegin;
  if (mn) {
    PetscCall(TSDestroy(&mn->ts));
    PetscCall(RhxSdirkDestroy(&mn->sdirk));
    PetscCall(RhxNewtonDestroy(&mn->nt));
    PetscCall(VecDestroy(&mn->slope));
    PetscCall(RhxEndpointDestroy(&mn->endpoint));
    for (PetscInt k = 0; k < mn->ngroups; k++) PetscCall(VecDestroy(&mn->tolerance[k]));
    for (PetscInt k = 0; k < mn->most; k++) PetscCall(VecDestroy(&mn->state[k]));
  }
  PetscCall(PetscFree(sc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A step ---- */

/* ---- Earlier states ---- */

/* The share of a driving force is an unknown in a row of the pressure, at a node that the ranks choose. */
static PetscErrorCode take_share(Monolithic *mn, PetscInt k)
{
  const RhxDriven driven = mn->nt->eq->driven;
  PetscFunctionBegin;
  if (!driven) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDrivenTake(driven, mn->state[k], &mn->share[k]));
  PetscCall(RhxDrivenPut(driven, driven->level, mn->state[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_share(Monolithic *mn, PetscInt k)
{
  const RhxDriven driven = mn->nt->eq->driven;
  PetscFunctionBegin;
  if (driven) PetscCall(RhxDrivenPut(driven, mn->share[k], mn->state[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x at t is the present state. */
static PetscErrorCode keep(Monolithic *mn, double t, Vec x)
{
  const Vec oldest = mn->most ? mn->state[mn->most - 1] : NULL;
  PetscFunctionBegin;
  if (!mn->most) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = mn->most - 1; k; k--) {
    mn->state[k] = mn->state[k - 1];
    mn->at[k] = mn->at[k - 1];
    mn->share[k] = mn->share[k - 1];
  }
  mn->state[0] = oldest;
  mn->at[0] = t;
  PetscCall(VecCopy(x, oldest));
  PetscCall(take_share(mn, 0));
  mn->nstates = PetscMin(mn->nstates + 1, mn->most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integrator goes once more through the states that are known, without a solve: its history is then theirs. */
static PetscErrorCode go_again(Monolithic *mn)
{
  const TS ts = mn->ts;
  PetscFunctionBegin;
  PetscCall(TSRestartStep(ts));
  for (PetscInt k = 0; k < mn->nstates; k++) PetscCall(put_share(mn, k));
  PetscCall(RhxScalingFromState(mn->nt->scaling, mn->state[mn->nstates - 1], ts->vec_sol));
  for (PetscInt k = mn->nstates - 1; k; k--) {
    mn->from = mn->state[k];
    mn->to = mn->state[k - 1];
    PetscCall(TSSetTime(ts, mn->at[k]));
    PetscCall(TSSetTimeStep(ts, mn->at[k - 1] - mn->at[k]));
    PetscCall(TSStep(ts));
  }
  mn->from = mn->to = NULL;
  for (PetscInt k = 0; k < mn->nstates; k++) PetscCall(take_share(mn, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state becomes the integrator's; one that it does not know, as of a restart, has the history that was recalled, or none. */
static PetscErrorCode hand_over(RhxScheme sc, Monolithic *mn, double t)
{
  const Vec now = mn->nt->old, change = mn->nt->rate;
  PetscReal other;
  PetscFunctionBegin;
  PetscCall(RhxEquationsStore(mn->nt->eq, sc->x, now));
  PetscCall(RhxScalingToState(mn->nt->scaling, mn->ts->vec_sol, change));
  PetscCall(VecAXPY(change, -1.0, now));
  PetscCall(VecNorm(change, NORM_INFINITY, &other));
  PetscCall(RhxScalingFromState(mn->nt->scaling, now, mn->ts->vec_sol));
  if (mn->recall && mn->at[1] < t) {
    mn->at[0] = t;
    PetscCall(VecCopy(now, mn->state[0]));
    PetscCall(take_share(mn, 0));
    PetscCall(go_again(mn));
  } else if (mn->recall || !(other == 0.0) || !mn->steps) {
    PetscCall(TSRestartStep(mn->ts));
    mn->nstates = 0;
  }
  mn->recall = PETSC_FALSE;
  if (!mn->nstates) PetscCall(keep(mn, t, now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_history(RhxScheme sc, PetscInt *n, const double **t, const Vec **x)
{
  const Monolithic *mn = (const Monolithic *)sc->data;
  PetscFunctionBegin;
  *n = sc->adapts && mn->nstates < mn->most ? 0 : PetscMax(mn->nstates - 1, 0);
  *t = mn->at + 1;
  *x = mn->state + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode numbers(RhxScheme sc, char name[256], PetscInt *n, double **values)
{
  PetscBool driven;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDrive(sc->bc, &driven, NULL, NULL));
  *n = driven && ((const Options *)sc->opt)->integrator == BDF ? MOST_STATES : 0;
  PetscCall(PetscStrncpy(name, "force of earlier states", 256));
  *values = ((Monolithic *)sc->data)->share;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_history(RhxScheme sc, PetscInt n, const double *t, const Vec *x)
{
  Monolithic *mn = (Monolithic *)sc->data;
  PetscFunctionBegin;
  n = PetscMin(n, mn->most - 1);
  for (PetscInt k = 1; k < n; k++)
    if (!(t[k] < t[k - 1])) n = k;
  if (n <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; k++) {
    mn->at[k + 1] = t[k];
    PetscCall(VecCopy(x[k], mn->state[k + 1]));
  }
  mn->nstates = n + 1;
  mn->recall = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's tolerance of this step from nt->x: over the residual of rest and of the present state with what is given at its end, and
 * over M x/dt; the last two at most MOST_OVER_FLOW times what the flow itself has. */
static PetscErrorCode set_tolerance(Monolithic *mn, double t, double dt)
{
  const RhxNewton nt = mn->nt;
  PetscReal rtol, stol;
  double inertia, scale, rounding, atol;
  PetscInt its, evaluations;
  PetscFunctionBegin;
  PetscCall(RhxEquationsHold(nt->eq, nt->x));
  PetscCall(RhxEquationsSetTime(nt->eq, t + dt));
  PetscCall(RhxEquationsImpose(nt->eq, nt->x));
  PetscCall(RhxNewtonBegin(nt, t + dt));
  PetscCall(RhxEquationsInertia(nt->eq, nt->x, nt->f));
  PetscCall(RhxScalingNorm(nt->scaling, nt->f, &inertia));
  nt->scale = PetscMax(nt->scale, inertia / dt);
  PetscCall(SNESGetTolerances(nt->snes, NULL, &rtol, &stol, &its, &evaluations));
  mn->flow = PetscMax(mn->flow, mn->flow > 0.0 ? nt->rest : nt->scale);
  scale = PetscMin(nt->scale, MOST_OVER_FLOW * mn->flow);
  PetscCall(RhxNewtonRounding(nt, &rounding));
  atol = PetscMax(PetscMax(mn->snes_atol, rounding), rtol * scale);
  nt->bound = atol;
  PetscCall(SNESSetTolerances(nt->snes, atol, rtol, stol, its, evaluations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fail(RhxScheme sc, Monolithic *mn, double t)
{
  const PetscBool newton = (PetscBool)(mn->ts->reason == TS_DIVERGED_NONLINEAR_SOLVE);
  char where[128];
  PetscFunctionBegin;
  PetscCheck(newton, sc->form->comm, PETSC_ERR_NOT_CONVERGED,
             "-scheme monolithic: the step from t = %g s was rejected %" PetscInt_FMT
             " times, the last time with a time step of "
             "%g s: expected fewer (options -ts_max_reject, -ts_atol, -ts_rtol, -ts_adapt_dt_min)",
             t, mn->ts->reject, (double)mn->ts->time_step);
  snprintf(where, sizeof(where), ", after t = %g s, the last good time, with a time step of %g s", t,
           (double)mn->ts->time_step);
  PetscCall(
      RhxNewtonFail(mn->nt, where,
                    "a smaller -scheme_monolithic_dt, steps by their error (-ts_adapt_type basic), a start that is "
                    "raised more slowly (-bc_<label>_ramp)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(RhxScheme sc, Monolithic *mn)
{
  const RhxOps ops = sc->ops;
  const double t = ops->t, dt = ops->dt;
  PetscReal rate = 1.0;
  PetscFunctionBegin;
  PetscCall(RhxNewtonStepBegins(mn->nt));
  PetscCall(hand_over(sc, mn, t));
  if (mn->endpoint) PetscCall(RhxEndpointBegin(mn->endpoint, t, dt));
  PetscCall(RhxScalingToState(mn->nt->scaling, mn->ts->vec_sol, mn->nt->x));
  PetscCall(RhxEquationsBeginStep(mn->nt->eq, t, mn->nt->x));
  if (mn->nt->eq->driven) RhxDrivenScale(mn->nt->eq->driven, sc->form->rho / dt);
  PetscCall(set_tolerance(mn, t, dt));
  PetscCall(ops->table->stats(ops));
  mn->cfl = dt * ops->result.stats.convective;
  mn->nt->wi = ops->result.stats.wi;
  mn->ts->num_snes_failures = mn->ts->reject = 0;
  mn->ts->snes_its = 0;
  PetscCall(TSSetTime(mn->ts, t));
  PetscCall(TSSetTimeStep(mn->ts, dt));
  PetscCall(RhxFirstStep(mn->ts, mn->ngroups, mn->tolerance, mn->part));
  PetscCall(RhxNewtonTakeWork(mn->nt, mn->ts->snes_its, &sc->work));
  PetscCall(RhxNewtonCheckOptions(mn->nt));
  if (mn->ts->reason < 0) PetscCall(fail(sc, mn, t));
  if (mn->endpoint) PetscCall(RhxEndpointRate(mn->endpoint, &rate));
  if (mn->endpoint) PetscCall(RhxEndpointEnd(mn->endpoint));
  PetscCall(VecScale(mn->slope, rate));
  mn->steps++;
  mn->rejected += mn->ts->reject;
  sc->took = mn->ts->ptime - t;
  sc->next = sc->adapts ? (double)mn->ts->time_step : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of the state at the step's start, for its limits. */
static PetscErrorCode start(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->stage(ops, 0.0, 1.0, 1.0, NULL));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, sc->x, sc->aux, NULL));
  PetscCall(ops->table->residual(ops, RHX_ROWS_ALL, sc->x, sc->xdot, sc->aux, sc->r, PETSC_TRUE, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const double dt = ops->dt;
  Monolithic *mn = (Monolithic *)sc->data;
  const RhxNewton nt = mn->nt;
  PetscFunctionBegin;
  PetscCall(start(sc));
  PetscCall(advance(sc, mn));
  PetscCall(RhxScalingToState(nt->scaling, mn->ts->vec_sol, nt->x));
  PetscCall(RhxEquationsLoad(nt->eq, sc->y, nt->x));
  PetscCall(RhxScalingFromState(nt->scaling, nt->x, mn->ts->vec_sol));
  PetscCall(keep(mn, mn->ts->ptime, nt->x));
  PetscCall(RhxOpsLoadVec(ops, sc->slope, mn->slope));
  PetscCall(ops->table->begin(ops, ops->t, sc->took, 0.0));
  if (PetscAbsReal(sc->took - dt) > ROUNDING * dt) { /* a device has the step's dt from its stage */
    PetscCall(start(sc));
    PetscCall(ops->table->values(ops, PETSC_TRUE));
  }
  PetscCall(ops->table->measure(ops, sc->x, sc->y, sc->rate));
  ops->result.continuity = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fewer states than bdf needs leave it what a restart does not have, the middle of its first step. */
static PetscErrorCode saved(RhxScheme sc)
{
  Monolithic *mn = (Monolithic *)sc->data;
  const double *t;
  const Vec *x;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(get_history(sc, &n, &t, &x));
  if (n && n < mn->most - 1) mn->recall = PETSC_TRUE;
  if (!n && mn->steps) PetscCall(TSRestartStep(mn->ts));
  if (!n) mn->nstates = 0;
  RhxRenewForget(&mn->nt->renew);
  RhxProjectedForget(mn->nt->projected);
  sc->next = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Courant number is what a CFL target holds; elastic waves are shown. */
static double limits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  for (int i = 0; i < RHX_NLIMITS; i++) rate[i] = 0.0;
  rate[RHX_LIMIT_CONVECTIVE] = sc->ops->result.stats.convective;
  rate[RHX_LIMIT_ELASTIC] = sc->ops->result.stats.elastic;
  return rate[RHX_LIMIT_CONVECTIVE];
}

static PetscErrorCode view(RhxScheme sc, PetscViewer viewer)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  %s, projections by the %s mass, preconditioner renewed: %s\n", integrators[o->integrator],
      o->projection == PROJECTION_LUMPED ? "lumped" : "consistent", RhxRenewNames[o->renew.policy]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode summary(RhxScheme sc)
{
  const Monolithic *mn = (const Monolithic *)sc->data;
  char steps[64];
  PetscFunctionBegin;
  snprintf(steps, sizeof(steps), "%" PetscInt_FMT " steps, %" PetscInt_FMT " rejected, ", mn->steps, mn->rejected);
  PetscCall(RhxNewtonSayWork(mn->nt, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxSchemeType RhxSchemeMonolithic = {
    .name = "monolithic",
    .options = &table,
    .size = sizeof(Options),
    .settings = {.without_pressure = PETSC_TRUE, .strong_rate = PETSC_TRUE, .mass_products = PETSC_TRUE},
    .integrator = PETSC_TRUE,
    .configure = configure,
    .arrays = arrays,
    .prepare = prepare,
    .destroy = destroy,
    .step = step,
    .get_history = get_history,
    .set_history = set_history,
    .numbers = numbers,
    .saved = saved,
    .limits = limits,
    .summary = summary,
    .view = view};
