/* Scheme `steady`: one step is the steady state, R(u, p, s) = 0 with what is given, by Newton's method (SNES).
 *
 *   J dx = -R,  J exact, projections included (form/host/tangent.h), rows of given values those of the identity, their columns too where that is asked for
 *
 * GMRES with J, preconditioned by the factors of dR/dx at fixed projections. With dt > 0 a pseudo-transient start comes before:
 * one iteration a step of R + M (x - x_old)/dt_k, dt_k = dt |R_0|/|R_k|, until |R| has fallen by START. Where that fails from the
 * first state, it is tried from the flow whose viscosity is that of this state without what is given: of rest, one viscosity everywhere.
 *
 * A continuation is a step a value of a law's parameter, or of the time of what is given; the time of the run is that value. Each begins at the last state or at one
 * extrapolated from the last two or three, whichever has the smallest residual. Where Newton's method does not converge from there nor
 * from the last state, the way from the last value is halved, and doubled again after a step that went well. A run from a checkpoint
 * of one goes on behind its value. Of a parameter that the case gives to each mode, the value is that of the largest; the others keep
 * their ratios to it. Without one, where the first state leads nowhere, a parameter is followed so within the step (climb.c). */
#include "petsc_compat.h"
#include "scheme/steady_impl.h"
#include <stdlib.h>
#include <string.h>

#define START 1e-3      /* of the first residual: from there on Newton's method is alone */
#define MOST_STEPS 200  /* of the pseudo-transient start */
#define MOST_GROWTH 5.0 /* of its time step from one to the next */
#define MOST_HALVINGS 6 /* of the way between two values of a continuation, */
#define MOST_ALONG 10 /* of the length of a step along a branch, which may bend within a small part of the first one */
#define SAME_VALUE 1e-6   /* of `by`: a value that is an end */
#define MOST_POINTS "200" /* of one by arc length, where no option says */

enum { PROJECTION_CONSISTENT, PROJECTION_LUMPED };
enum { BY_VALUE, BY_ARC };
typedef struct {
  RhxSchemeOptions common;
  double time;
  int projection, along, points, given, climb, watch;
  RhxRenewOptions renew;
  char continuation[RHX_STRING_LENGTH];
} Options;

/* What a checkpoint keeps of a continuation; weights of the fields follow. */
enum { KEPT_VALUE, KEPT_WAY, KEPT_HALVINGS, KEPT_FIRST, KEPT_REACHED, KEPT_POINTS, KEPT_DIRECTION, NKEPT };

#define SLOT(member) offsetof(Options, member)
static const RhxRow rows[] = {
    {"dt", RHX_REAL, 0, offsetof(RhxSchemeOptions, dt), "0", RHX_GE, 0, 0, NULL, "s",
     "first time step of a pseudo-transient start, for a Newton's method that does not converge from the initial "
     "state; "
     "0: none"},
    {"projection", RHX_CHOICE, 0, SLOT(projection), "consistent", RHX_ANY, 0, 0, "consistent|lumped", "",
     "mass of the projections that stabilisers ask for; lumped, as in explicit schemes, is of lower accuracy"},
    {"time", RHX_REAL, 0, SLOT(time), "0", RHX_ANY, 0, 0, NULL, "s",
     "time at which conditions and sources are taken; they may not change after it, but for a continuation in t"},
    {"continuation", RHX_STRING, 0, SLOT(continuation), "", RHX_ANY, 0, 0, NULL, "",
     "a parameter of a law or a stabiliser, form_density, or t, the time of conditions and sources, whose formulas "
     "then "
     "say how a flow rate, a velocity or a force grows, and its values, such as physics_oldroydb_lambda=0:0.1:0.7 or "
     "t=0.1:0.1:1 (from:by:to): a step each, whose time is the value (of modes with values of their own that of the "
     "largest, to which the others keep their ratios); the way to a value is halved where Newton's method does not "
     "converge; a bound that the parameter does not reach is taken as a limit"},
    {"continuation_type", RHX_CHOICE, 0, SLOT(along), "value", RHX_ANY, 0, 0, "value|arclength", "",
     "arclength: along the branch of states, whose parameter may turn (folds); `by` is the change of the first step, "
     "the run ends "
     "where the branch leaves the values from..to, and its time is the arc length in units of the parameter"},
    {"continuation_points", RHX_INT, 0, SLOT(points), MOST_POINTS, RHX_GE, 2, 0, NULL, "1",
     "most states of a continuation by arc length"},
    {"continuation_watch", RHX_BOOL, 0, SLOT(watch), "true", RHX_ANY, 0, 0, NULL, "",
     "branch points that a continuation passes are told, by the sign of the Jacobian's determinant: factors of it at "
     "each state, with projections as unknowns, which take some times the memory of Newton's and, of several modes, "
     "more time "
     "than it, as the end of a run tells; where MUMPS factors (-solver direct)"},
    {"climb", RHX_BOOL, 0, SLOT(climb), "true", RHX_ANY, 0, 0, NULL, "",
     "where Newton's method does not converge from the first state, a parameter grows to its value as with a "
     "continuation, from a tenth of it: the density where inertia is large, the longest relaxation time of a law, or "
     "what makes the viscosity vary"},
    RHX_GIVEN_ROW(Options, given),
    RHX_RENEW_ROWS(Options, renew, "always"),
};
static const RhxOptionTable table = {"scheme", "scheme_steady_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

static PetscErrorCode impose_odd(void *ctx, PetscScalar *aux)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryImposeAuxiliary((RhxBoundary)ctx, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_continuation(RhxScheme sc, RhxSteady *st)
{
  RhxRange *r = &st->range;
  char number[32];
  PetscFunctionBegin;
  st->time = ((const Options *)sc->opt)->time;
  PetscCall(RhxRangeRead(sc, ((const Options *)sc->opt)->continuation, r));
  if (!r->how.option[0]) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(number, sizeof(number), "%g", st->time);
  PetscCheck(!r->how.time || st->time == 0.0, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_time: got %s beside -scheme_steady_continuation %s, which says the times, expected one of "
             "them",
             number, ((const Options *)sc->opt)->continuation);
  if (r->how.time) st->time = r->from;
  st->way = r->by;
  sc->parameter = r->how.option;
  PetscCall(PetscCalloc1(NKEPT + sc->form->space->nfields, &st->kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a file that a run wrote they have their defaults, partner or not. */
static PetscErrorCode check_partners(const Options *o)
{
  PetscFunctionBegin;
  PetscCheck(o->along == BY_VALUE || o->continuation[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation_type: got arclength without -scheme_steady_continuation, where it does "
             "nothing; expected -scheme_steady_continuation option=from:by:to too, or value");
  PetscCheck(o->points == atoi(MOST_POINTS) || o->along == BY_ARC, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation_points: got %d without -scheme_steady_continuation_type arclength, where it "
             "does nothing; expected arclength with -scheme_steady_continuation option=from:by:to, or " MOST_POINTS,
             o->points);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode configure(RhxScheme sc)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  PetscCall(check_partners(o));
  sc->settings.varies = (PetscBool)(o->continuation[0] != '\0' || o->climb);
  if (o->projection == PROJECTION_CONSISTENT) sc->settings.projection_corrections = RHX_CONSISTENT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode arrays(RhxScheme sc)
{
  RhxSteady *st;
  PetscFunctionBegin;
  if (((const Options *)sc->opt)->projection == PROJECTION_CONSISTENT)
    PetscCall(RhxFormSetConsistent(sc->form, impose_odd, sc->bc));
  PetscCall(PetscNew(&st));
  sc->data = st;
  PetscCall(read_continuation(sc, st));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(RhxScheme sc)
{
  const Options *o = (const Options *)sc->opt;
  const RhxRenewOptions *renew = &o->renew;
  RhxSteady *st = (RhxSteady *)sc->data;
  char of_pc[16] = ""; /* -pc_renew stays where it is with -pc_type renew only */
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_renew", of_pc, sizeof(of_pc), NULL));
  PetscCheck(renew->policy != RHX_RENEW_CFL && strcmp(of_pc, RhxRenewNames[RHX_RENEW_CFL]) != 0, sc->form->comm,
             PETSC_ERR_USER_INPUT,
             "-pc_renew cfl: got -scheme steady, which has no time step, expected demand, iterations, interval, always "
             "or never");
  PetscCall(RhxNewtonCreate(sc, renew, NULL, &st->nt));
  PetscCall(RhxNewtonEliminate(st->nt, o->given));
  if (sc->parameter)
    PetscCall(RhxWatchCreate(st->nt, sc->parameter, (PetscBool)(o->along == BY_ARC),
                             (PetscBool)(o->watch && st->range.from != st->range.to), &st->watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxScheme sc)
{
  RhxSteady *st = (RhxSteady *)sc->data;
  PetscFunctionBegin;
  if (st) PetscCall(RhxArcDestroy(&st->arc));
  if (st) PetscCall(RhxWatchDestroy(&st->watch));
  if (st) PetscCall(RhxNewtonDestroy(&st->nt));
  for (PetscInt k = 0; st && k < RHX_MOST_STATES; k++) PetscCall(VecDestroy(&st->state[k]));
  if (st) PetscCall(PetscFree(st->kept));
  PetscCall(PetscFree(sc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is given may change after the time, at which all is taken, only where a continuation says how far. */
static PetscErrorCode check_conditions(RhxScheme sc)
{
  const RhxSteady *st = (const RhxSteady *)sc->data;
  const RhxRange *r = &st->range;
  const double first = r->how.time ? PetscMin(r->from, r->to) : st->time;
  const char *label = NULL;
  char number[32], moving[512];
  PetscBool steady;
  PetscFunctionBegin;
  snprintf(number, sizeof(number), "%g", first);
  PetscCall(RhxBoundarySetTime(sc->bc, st->time));
  PetscCall(RhxBoundaryNameMoving(sc->bc, first, PETSC_TRUE, sizeof(moving), moving));
  PetscCall(RhxBoundaryIsSteady(sc->bc, first, PETSC_TRUE, &steady));
  if (r->how.time) PetscCall(RhxBoundaryGetPulsating(sc->bc, &label));
  PetscCheck(!label, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got t and -bc_%s_profile womersley, which is that of a pulse and of no "
             "steady flow, expected developed or parabolic",
             label);
  PetscCheck(steady || r->how.time, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme steady: got conditions or sources that change after t = %s s (%s), expected a "
             "-scheme_steady_time at which ramps are over, and no formula in t, or -scheme_steady_continuation "
             "t=from:by:to",
             number, moving);
  PetscCheck(!r->how.time || !steady || r->from == r->to, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation: got t, of which no condition and no source depends after t = %s s, expected "
             "formulas in t, such as -bc_inlet_flow_rate \"0.2*t\"",
             number);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends where the steady residual has fallen by START; what happens later is Newton's. */
static PetscErrorCode pseudo_transient(RhxScheme sc, RhxNewton nt, double *steps)
{
  double dt = ((const Options *)sc->opt)->common.dt, first, least, last, now;
  PetscBool solved;
  PetscFunctionBegin;
  *steps = 0.0;
  if (!(dt > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxNewtonResidual(nt, &first));
  least = PetscMax(START * first, nt->rounding);
  for (last = now = first; *steps < MOST_STEPS && now > least; *steps += 1.0) {
    PetscCall(RhxNewtonSolve(nt, 1.0 / dt, 1, &solved));
    PetscCall(RhxNewtonResidual(nt, &now));
    PetscCheck(now <= PETSC_MAX_REAL, sc->form->comm, PETSC_ERR_NOT_CONVERGED,
               "-scheme steady: the pseudo-transient start blew up in step %g with a time step of %g s: expected a "
               "smaller -scheme_steady_dt",
               *steps + 1.0, dt);
    dt *= PetscMin(last / now, MOST_GROWTH);
    last = now;
  }
  if (!(now <= least))
    PetscCall(PetscPrintf(sc->form->comm,
                          "pseudo-transient start: %d steps, after which the residual has fallen to %.3g of the first, "
                          "expected %g: another -scheme_steady_dt may be better\n",
                          MOST_STEPS, now / first, START));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates and numbers of sc->y. */
static PetscErrorCode take_stats(RhxScheme sc, double t)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->begin(ops, t, 1.0, 0.0));
  PetscCall(ops->table->stage(ops, 0.0, 0.0, 0.0, NULL));
  PetscCall(ops->table->ghosts(ops, sc->y));
  PetscCall(ops->table->project(ops, sc->y, sc->aux, NULL));
  PetscCall(ops->table->residual(ops, RHX_ROWS_FLOW, sc->y, sc->xdot, sc->aux, sc->r, PETSC_TRUE, NULL));
  PetscCall(ops->table->stats(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a step tells: the state does not change any more, over a time step that is none. */
static PetscErrorCode report(RhxScheme sc, double t, const RhxNewton nt)
{
  const RhxOps ops = sc->ops;
  RhxStepResult *rs = &ops->result;
  PetscFunctionBegin;
  PetscCall(take_stats(sc, t));
  nt->wi = rs->stats.wi;
  PetscCall(ops->table->measure(ops, sc->y, sc->y, sc->rate));
  PetscCall(ops->table->begin(ops, t, 0.0, 0.0));
  rs->continuity = 0.0;
  PetscCall(RhxNewtonTakeWork(nt, nt->iterations, &sc->work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operations are at the time of what is given. */
static PetscErrorCode take_time(RhxScheme sc, const RhxSteady *st)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->begin(ops, st->time, 0.0, 0.0));
  PetscCall(ops->table->stage(ops, 0.0, 0.0, 0.0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSteadySet(RhxScheme sc, const RhxParameter *parameter, double value)
{
  RhxSteady *st = (RhxSteady *)sc->data;
  PetscFunctionBegin;
  if (!parameter->time) {
    PetscCall(RhxParameterSet(sc, parameter, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  st->time = value;
  PetscCall(take_time(sc, st));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSteadyMove(TS ts, RhxScheme sc, const RhxParameter *parameter, double value)
{
  RhxSteady *st = (RhxSteady *)sc->data;
  PetscFunctionBegin;
  PetscCall(RhxSteadySet(sc, parameter, value));
  if (strcmp(st->range.how.option, parameter->option)) PetscFunctionReturn(PETSC_SUCCESS);
  st->value = st->kept[KEPT_VALUE] = sc->value = RhxRangeCalled(&st->range, value);
  if (((const Options *)sc->opt)->along != BY_ARC) PetscCall(TSSetTime(ts, st->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxSteadyGetTime(RhxScheme sc) { return ((const RhxSteady *)sc->data)->time; }

/* nt->x becomes sc->x with what is given. */
static PetscErrorCode begin(RhxScheme sc, RhxSteady *st)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(sc->ops->table->values(sc->ops, PETSC_FALSE));
  PetscCall(RhxDrivenRecall(st->nt->eq->driven));
  PetscCall(RhxEquationsStore(st->nt->eq, sc->x, st->nt->x));
  PetscCall(VecGetArray(st->nt->x, &a));
  PetscCall(RhxBoundaryImpose(sc->bc, RHX_BC_ALL, a));
  PetscCall(VecRestoreArray(st->nt->x, &a));
  PetscCall(RhxNewtonBegin(st->nt, st->time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = the polynomial through the last n states, at a value. */
static PetscErrorCode extrapolate(RhxNewton nt, const RhxSteady *st, PetscInt n, double value, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(x));
  for (PetscInt k = 0; k < n; k++) {
    double weight = 1.0;
    for (PetscInt l = 0; l < n; l++)
      if (l != k) weight *= (value - st->at[l]) / (st->at[k] - st->at[l]);
    PetscCall(VecAXPY(x, weight, st->state[k]));
  }
  PetscCall(RhxEquationsImpose(nt->eq, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the last state in nt->x to the start for a value; *states: of how many it was made. */
static PetscErrorCode predict(RhxNewton nt, const RhxSteady *st, double value, PetscInt *states)
{
  double least, norm;
  Vec best;
  PetscFunctionBegin;
  *states = 1;
  if (st->nstates < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxNewtonResidual(nt, &least));
  PetscCall(VecDuplicate(nt->x, &best));
  PetscCall(VecCopy(nt->x, best));
  for (PetscInt n = 2; n <= st->nstates; n++) {
    PetscCall(extrapolate(nt, st, n, value, nt->x));
    PetscCall(RhxNewtonResidual(nt, &norm));
    if (!(norm < least)) continue;
    least = norm;
    *states = n;
    PetscCall(VecCopy(nt->x, best));
  }
  PetscCall(VecCopy(best, nt->x));
  PetscCall(VecDestroy(&best));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nt->x is the state of a value. */
PetscErrorCode RhxSteadyRemember(RhxSteady *st, double value)
{
  Vec oldest = st->state[RHX_MOST_STATES - 1];
  PetscFunctionBegin;
  for (PetscInt k = RHX_MOST_STATES - 1; k; k--) {
    st->state[k] = st->state[k - 1];
    st->at[k] = st->at[k - 1];
  }
  if (!oldest) PetscCall(VecDuplicate(st->nt->x, &oldest));
  PetscCall(VecCopy(st->nt->x, oldest));
  st->state[0] = oldest;
  st->at[0] = value;
  st->nstates = PetscMin(st->nstates + 1, RHX_MOST_STATES);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton(RhxScheme sc, RhxSteady *st, PetscBool *solved)
{
  double steps;
  PetscFunctionBegin;
  PetscCall(pseudo_transient(sc, st->nt, &steps));
  PetscCall(RhxNewtonSolve(st->nt, 0.0, 0, solved));
  if (*solved) PetscCall(RhxNewtonSay(st->nt, (PetscInt)steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From sc->x or what it and those before it predict for a value, to st->nt->x. */
static PetscErrorCode solve_next(RhxScheme sc, RhxSteady *st, double value, PetscBool *solved)
{
  PetscInt states;
  PetscFunctionBegin;
  PetscCall(begin(sc, st));
  PetscCall(predict(st->nt, st, value, &states));
  if (states > 1) {
    PetscCall(RhxNewtonForce(st->nt, PETSC_TRUE));
    PetscCall(newton(sc, st, solved));
    PetscCall(RhxNewtonForce(st->nt, PETSC_FALSE));
    if (*solved) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscPrintf(sc->form->comm, "Newton: not from the extrapolated state; from the last one\n"));
    PetscCall(begin(sc, st));
  }
  PetscCall(newton(sc, st, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From sc->x to st->nt->x. */
PetscErrorCode RhxSteadySolve(RhxScheme sc, RhxSteady *st, PetscBool *solved)
{
  SNESConvergedReason reason;
  PetscBool linear;
  PetscFunctionBegin;
  PetscCall(begin(sc, st));
  PetscCall(newton(sc, st, solved));
  PetscCall(SNESGetConvergedReason(st->nt->snes, &reason));
  if (*solved || st->begun ||
      !(reason == SNES_DIVERGED_LINE_SEARCH || reason == SNES_DIVERGED_MAX_IT || reason == SNES_DIVERGED_LINEAR_SOLVE))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDrivenRecall(st->nt->eq->driven));
  PetscCall(RhxEquationsStore(st->nt->eq, sc->x, st->nt->x));
  PetscCall(RhxNewtonStream(st->nt, &linear));
  if (!linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(sc->form->comm, "Newton: not from the first state; from the flow with its viscosity\n"));
  PetscCall(newton(sc, st, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What checkpoints keep ---- */

static PetscErrorCode numbers(RhxScheme sc, char name[256], PetscInt *n, double **values)
{
  const RhxSteady *st = (const RhxSteady *)sc->data;
  PetscFunctionBegin;
  if (!st->range.how.option[0]) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(name, 256, "%s %.200s", ((const Options *)sc->opt)->along == BY_ARC ? "branch along" : "continuation of",
           st->range.how.option);
  *n = NKEPT + sc->form->space->nfields;
  *values = st->kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void keep(RhxScheme sc, RhxSteady *st)
{
  st->kept[KEPT_VALUE] = sc->value = st->value;
  st->kept[KEPT_WAY] = st->way;
  st->kept[KEPT_HALVINGS] = (double)st->halvings;
  st->kept[KEPT_FIRST] = st->first;
  st->kept[KEPT_REACHED] = st->reached;
  st->kept[KEPT_POINTS] = (double)st->points;
  sc->sign = st->watch->sign;
  if (st->arc) RhxArcGet(st->arc, st->kept + NKEPT, &st->kept[KEPT_DIRECTION]);
}

/* Is the state that the run begins with one of this continuation, with values to come? */
static PetscBool goes_on(const RhxSteady *st, PetscBool by_arc, PetscInt nfields)
{
  const double *k = st->kept, done = (k[KEPT_VALUE] - st->range.from) / st->range.by,
               all = (st->range.to - st->range.from) / st->range.by;
  for (PetscInt i = 0; i < NKEPT + nfields; i++)
    if (!(fabs(k[i]) <= PETSC_MAX_REAL) || (i >= NKEPT && k[i] < 0.0)) return PETSC_FALSE;
  if (k[KEPT_WAY] == 0.0 || !(done >= 0.0 && done < all)) return PETSC_FALSE;
  if (k[KEPT_HALVINGS] < 0.0 || k[KEPT_HALVINGS] > (by_arc ? MOST_ALONG : MOST_HALVINGS)) return PETSC_FALSE;
  if (!by_arc) return (PetscBool)(k[KEPT_WAY] / st->range.by > 0.0);
  return (PetscBool)(k[KEPT_WAY] > 0.0 && k[KEPT_FIRST] > 0.0 && k[KEPT_DIRECTION] != 0.0 &&
                     fabs(k[KEPT_DIRECTION]) <= 1.0 && k[KEPT_POINTS] >= 1.0 && k[KEPT_POINTS] < 1e9);
}

/* What a restart has read; its state is on either side of the next bifurcation. */
static PetscErrorCode recall(RhxScheme sc, RhxSteady *st, PetscBool by_arc, PetscBool *begun)
{
  PetscFunctionBegin;
  *begun = goes_on(st, by_arc, sc->form->space->nfields);
  if (!*begun) PetscFunctionReturn(PETSC_SUCCESS);
  st->value = st->kept[KEPT_VALUE];
  st->way = st->kept[KEPT_WAY];
  st->halvings = (PetscInt)st->kept[KEPT_HALVINGS];
  st->first = st->kept[KEPT_FIRST];
  st->reached = st->kept[KEPT_REACHED];
  st->points = (PetscInt)st->kept[KEPT_POINTS];
  PetscCall(PetscPrintf(sc->form->comm, "continuation: goes on from %s = %.8g\n", st->range.how.option, st->value));
  PetscCall(RhxSteadySet(sc, &st->range.how, RhxRangeTaken(&st->range, st->value)));
  PetscCall(begin(sc, st));
  PetscCall(RhxWatchTake(st->watch, st->value, PETSC_FALSE, NULL, &sc->passed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- By arc length ---- */

static PetscErrorCode create_arc(RhxScheme sc, RhxSteady *st)
{
  PetscFunctionBegin;
  const double from = RhxRangeTaken(&st->range, st->range.from), to = RhxRangeTaken(&st->range, st->range.to);
  PetscCall(RhxArcCreate(sc, st->nt, &st->range.how, PetscMin(from, to), PetscMax(from, to), st->range.by, &st->arc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The branch of the checkpoint, at its state. */
static PetscErrorCode resume_arc(RhxScheme sc, RhxSteady *st)
{
  PetscFunctionBegin;
  PetscCall(RhxSteadySet(sc, &st->range.how, RhxRangeTaken(&st->range, st->value)));
  PetscCall(begin(sc, st));
  PetscCall(create_arc(sc, st));
  PetscCall(RhxArcResume(st->arc, RhxRangeTaken(&st->range, st->value), st->kept + NKEPT, st->kept[KEPT_DIRECTION]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin_arc(RhxScheme sc, RhxSteady *st)
{
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(RhxSteadySet(sc, &st->range.how, RhxRangeTaken(&st->range, st->range.from)));
  PetscCall(RhxSteadySolve(sc, st, &solved));
  if (!solved) PetscCall(RhxNewtonFail(st->nt, ", the first state of the continuation", RHX_STEADY_HINT));
  PetscCall(create_arc(sc, st));
  PetscCall(RhxArcStart(st->arc, RhxRangeTaken(&st->range, st->range.from), &st->first));
  st->value = sc->end = st->range.from;
  st->way = st->first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The branch has left the values: the last state is that at their end. */
static PetscErrorCode end_arc(RhxScheme sc, RhxSteady *st, double value, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(RhxSteadySet(sc, &st->range.how, value));
  PetscCall(RhxEquationsSetTime(st->nt->eq, st->time));
  PetscCall(RhxEquationsImpose(st->nt->eq, st->nt->x));
  PetscCall(RhxNewtonSolve(st->nt, 0.0, 0, solved));
  if (*solved) sc->done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next state of the branch; turned: the parameter did, at *fold. */
static PetscErrorCode advance_arc(RhxScheme sc, RhxSteady *st, PetscBool *turned, double *fold)
{
  PetscBool solved = PETSC_FALSE, left = PETSC_FALSE;
  double value = 0.0;
  PetscFunctionBegin;
  while (!solved) {
    char where[512];
    PetscCall(RhxArcStep(st->arc, st->way, &value, &solved, &left));
    if (left) PetscCall(end_arc(sc, st, value, &solved));
    if (solved && !sc->done) PetscCall(RhxArcAccept(st->arc, value, st->way, &solved, turned, fold));
    if (solved) break;
    snprintf(where, sizeof(where), ", %s = %.8g after %.8g, the last that converged, by arc length",
             st->range.how.option, value, st->value);
    if (st->halvings == MOST_ALONG)
      PetscCall(RhxNewtonFailAt(st->nt, "correction of the predicted state", where, RHX_STEADY_HINT));
    st->way *= 0.5;
    st->halvings++;
  }
  /* where the end of the values cuts a step, the length that the tangent gives to the rest */
  sc->end += sc->done ? PetscMin(st->way * fabs(st->range.by), fabs((value - st->value) / st->kept[KEPT_DIRECTION])) /
                            st->first
                      : st->way / st->first * fabs(st->range.by);
  st->value = RhxRangeCalled(&st->range, value);
  if (sc->done) PetscFunctionReturn(PETSC_SUCCESS);
  st->way = RhxArcNext(st->arc, st->way, (PetscBool)(st->halvings > 0));
  if (st->halvings) st->halvings--;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode follow_arc(RhxScheme sc, RhxSteady *st)
{
  PetscBool begun = PETSC_TRUE, turned = PETSC_FALSE;
  double fold;
  PetscFunctionBegin;
  if (!st->arc) PetscCall(recall(sc, st, PETSC_TRUE, &begun));
  if (!st->arc && begun) PetscCall(resume_arc(sc, st));
  sc->done = PETSC_FALSE;
  sc->end = st->reached;
  if (!begun)
    PetscCall(begin_arc(sc, st));
  else
    PetscCall(advance_arc(sc, st, &turned, &fold));
  PetscCall(RhxWatchTake(st->watch, st->value, (PetscBool)(!turned && !sc->done), turned ? &fold : NULL, &sc->passed));
  st->reached = sc->end;
  PetscCall(sc->ops->table->values(sc->ops, PETSC_FALSE));
  if (++st->points >= ((const Options *)sc->opt)->points) sc->done = PETSC_TRUE;
  if (begun) PetscCall(RhxNewtonSay(st->nt, 0));
  PetscCall(PetscPrintf(sc->form->comm, "continuation: %s = %.8g\n", st->range.how.option, st->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- By value ---- */

/* The value after the last one; what is left of a rounding is no step of its own. */
static double next_value(const RhxSteady *st)
{
  const double value = st->begun ? st->value + st->way : st->range.from;
  return (st->range.to - value) / st->range.by > SAME_VALUE ? value : st->range.to;
}

/* One value of the continuation, or one nearer to the last. */
PetscErrorCode RhxSteadyFollow(RhxScheme sc, RhxSteady *st, size_t size, char *failed)
{
  PetscBool solved = PETSC_FALSE;
  PetscFunctionBegin;
  failed[0] = '\0';
  if (!st->begun) PetscCall(recall(sc, st, PETSC_FALSE, &st->begun));
  while (!solved) {
    const double value = next_value(st);
    PetscCall(RhxSteadySet(sc, &st->range.how, RhxRangeTaken(&st->range, value)));
    PetscCall(st->begun ? solve_next(sc, st, value, &solved) : RhxSteadySolve(sc, st, &solved));
    if (solved) {
      PetscCall(RhxSteadyRemember(st, value));
      PetscCall(PetscPrintf(sc->form->comm, "continuation: %s = %.8g\n", st->range.how.option, value));
      PetscCall(RhxWatchTake(st->watch, value, PETSC_FALSE, NULL, &sc->passed));
      st->value = value;
      if (st->halvings) st->way *= 2.0;
      if (st->halvings) st->halvings--;
      break;
    }
    if (!st->begun || st->halvings == MOST_HALVINGS) {
      snprintf(failed, size,
               st->begun ? ", %s = %.8g after %.8g, the last that converged" : ", %s = %.8g, the first value",
               st->range.how.option, value, st->value);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    st->way *= 0.5;
    st->halvings++;
  }
  st->begun = PETSC_TRUE;
  sc->done = (PetscBool)(st->value == st->range.to);
  sc->end = st->value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The scheme ---- */

static PetscErrorCode fail(RhxScheme sc, RhxSteady *st)
{
  char text[RHX_ADVICE];
  PetscFunctionBegin;
  PetscCall(RhxEquationsLoad(st->nt->eq, sc->y, st->nt->x));
  PetscCall(take_stats(sc, st->time));
  st->nt->wi = sc->ops->result.stats.wi;
  PetscCall(RhxRangeAdvise(sc->form, RHX_STEADY_HINT, sizeof(text), text));
  PetscCall(RhxNewtonFail(st->nt, "", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_force(RhxScheme sc, RhxEquations eq)
{
  double force;
  PetscFunctionBegin;
  if (!eq->driven) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetForce(sc->bc, &force));
  PetscCall(PetscPrintf(sc->form->comm, "driving force: %.10g N/m^3, for a mean velocity of %.10g m/s\n", force,
                        eq->driven->aim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step(RhxScheme sc)
{
  RhxSteady *st = (RhxSteady *)sc->data;
  PetscBool solved = PETSC_TRUE;
  char failed[512] = "";
  PetscFunctionBegin;
  PetscCall(RhxNewtonStepBegins(st->nt));
  PetscCall(take_time(sc, st));
  PetscCall(RhxDrivenKeep(st->nt->eq->driven));
  sc->done = st->found = PETSC_TRUE;
  sc->end = st->time;
  if (st->range.how.option[0] && ((const Options *)sc->opt)->along == BY_ARC)
    PetscCall(follow_arc(sc, st));
  else if (st->range.how.option[0])
    PetscCall(RhxSteadyFollow(sc, st, sizeof(failed), failed));
  else
    PetscCall(RhxSteadySolve(sc, st, &solved));
  if (failed[0]) PetscCall(RhxNewtonFail(st->nt, failed, RHX_STEADY_HINT));
  if (!solved && ((const Options *)sc->opt)->climb) PetscCall(RhxSteadyClimb(sc, st, &solved));
  if (!solved) PetscCall(fail(sc, st));
  if (st->range.how.option[0]) keep(sc, st);
  PetscCall(RhxEquationsLoad(st->nt->eq, sc->y, st->nt->x));
  PetscCall(say_force(sc, st->nt->eq));
  PetscCall(report(sc, st->time, st->nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RhxScheme sc, PetscViewer viewer)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Newton's method, projections by the %s mass\n",
                                   o->projection == PROJECTION_LUMPED ? "lumped" : "consistent"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode summary(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCall(RhxNewtonSayWork(((const RhxSteady *)sc->data)->nt, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxSchemeType RhxSchemeSteady = {.name = "steady",
                                 .options = &table,
                                 .size = sizeof(Options),
                                 .settings = {.without_pressure = PETSC_TRUE, .strong_rate = PETSC_TRUE},
                                 .newton = PETSC_TRUE,
                                 .configure = configure,
                                 .arrays = arrays,
                                 .prepare = prepare,
                                 .destroy = destroy,
                                 .step = step,
                                 .numbers = numbers,
                                 .given = check_conditions,
                                 .summary = summary,
                                 .view = view};

PetscErrorCode RhxSteadyCheck(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCheck(sc->type == &RhxSchemeSteady, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-scheme: got '%s', expected steady: what is asked for is about a steady state", sc->type->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state that is a checkpoint's is of its value, else of the first one. */
static PetscErrorCode take_value(RhxScheme sc, RhxSteady *st)
{
  const RhxRange *r = &st->range;
  double value, off;
  PetscBool kept;
  PetscFunctionBegin;
  if (!r->how.option[0] || st->found) PetscFunctionReturn(PETSC_SUCCESS);
  value = st->kept[KEPT_VALUE];
  off = PetscMax(PetscMin(r->from, r->to) - value, value - PetscMax(r->from, r->to));
  kept = (PetscBool)(st->kept[KEPT_WAY] != 0.0 && off <= SAME_VALUE * fabs(r->by));
  st->value = sc->value = kept ? value : r->from;
  PetscCall(RhxSteadySet(sc, &r->how, RhxRangeTaken(r, st->value)));
  PetscCall(PetscPrintf(sc->form->comm, "continuation: the state is taken for that of %s = %.8g, %s\n", r->how.option,
                        st->value,
                        kept ? "the checkpoint's value" : "the first value: the checkpoint has none of these"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSteadyGetNewton(RhxScheme sc, RhxNewton *nt, double *t)
{
  PetscFunctionBegin;
  PetscCall(RhxSteadyCheck(sc));
  PetscCall(RhxFormAsk(sc->form, RHX_ASK_LINEARISED, "", ""));
  RhxSteady *st = (RhxSteady *)sc->data;
  PetscCall(take_value(sc, st));
  *nt = st->nt;
  *t = st->time;
  PetscCall(check_conditions(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
