/* The ends of steps that are no stages (endpoint_impl.h). */
#include "form/relaxation.h"
#include "petsc_compat.h"
#include "scheme/endpoint_impl.h"
#include <petsc/private/tsimpl.h>

#define ASIDE 0.5        /* of what a given value changes by in a step: more beside it is no error of the formula */
#define SWINGS 4         /* changes in a row that turn, */
#define SWING 0.01       /* each at least this part of the whole: told */
#define NO_PRESSURE 1e-4 /* of rho U^2 + eta U/L: less is none, and what solvers leave of it turns as it likes */
#define SHORT 0.25       /* of the step before: a step in which what ends of steps lack of continuity is a pressure */

struct _RhxEndpoint {
  RhxNewton nt; /* borrowed, as ts */
  TS ts;
  Vec before;      /* the integrator's state at the step's start */
  Vec change;      /* of the pressure in the last step, [p], */
  PetscInt swings; /* how many in a row have turned, and how often the mean velocity has been beside its aim by turns */
  PetscInt turns;
  double beside;      /* m/s, of the last step's start */
  double start, last; /* of the step; length of the one before, s */
  PetscBool told;     /* that a short one has another pressure */
  Vec given[2];
};

PetscErrorCode RhxEndpointCreate(RhxNewton nt, TS ts, RhxEndpoint *ep)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(ep));
  (*ep)->nt = nt;
  (*ep)->ts = ts;
  PetscCall(VecDuplicate(ts->vec_sol, &(*ep)->before));
  PetscCall(VecDuplicate(ts->vec_sol, &(*ep)->change));
  for (int k = 0; k < 2; k++) PetscCall(VecDuplicate(nt->x, &(*ep)->given[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEndpointDestroy(RhxEndpoint *ep)
{
  PetscFunctionBegin;
  if (!*ep) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*ep)->before));
  PetscCall(VecDestroy(&(*ep)->change));
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&(*ep)->given[k]));
  PetscCall(PetscFree(*ep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is given at t, but for the pressure, into x, as steps' ends have it. */
static PetscErrorCode give(RhxEndpoint ep, double t, Vec x)
{
  const RhxBoundary bc = ep->nt->eq->bc;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(bc, t));
  PetscCall(VecGetArray(x, &a));
  PetscCall(RhxBoundaryImpose(bc, RHX_BC_ALL & ~RHX_BC_PRESSURE, a));
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integrator's state at t, of a step whose other end is at `other`, where it is not by the formula beside what is given: that is by
 * (dt^2/8) g'', which is no more than ASIDE of what changes over the step, else it has not followed a value that is another one. */
static PetscErrorCode mend(RhxEndpoint ep, double t, double other)
{
  const RhxNewton nt = ep->nt;
  const PetscScalar *there, *then;
  PetscScalar *x;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxScalingToState(nt->scaling, ep->ts->vec_sol, nt->x));
  PetscCall(VecCopy(nt->x, ep->given[0]));
  PetscCall(VecCopy(nt->x, ep->given[1]));
  PetscCall(give(ep, other, ep->given[1]));
  PetscCall(give(ep, t, ep->given[0]));
  PetscCall(VecGetLocalSize(nt->x, &n));
  PetscCall(VecGetArray(nt->x, &x));
  PetscCall(VecGetArrayRead(ep->given[0], &there));
  PetscCall(VecGetArrayRead(ep->given[1], &then));
  for (PetscInt i = 0; i < n; i++)
    if (!(PetscAbsScalar(x[i] - there[i]) <= ASIDE * PetscAbsScalar(then[i] - there[i]))) x[i] = there[i];
  PetscCall(VecRestoreArrayRead(ep->given[1], &then));
  PetscCall(VecRestoreArrayRead(ep->given[0], &there));
  PetscCall(VecRestoreArray(nt->x, &x));
  PetscCall(RhxScalingFromState(nt->scaling, nt->x, ep->ts->vec_sol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stage's share of the step's end, 1: the stage is the end. */
static PetscErrorCode get_stage(RhxEndpoint ep, PetscReal *stage)
{
  PetscReal of_rate, gamma;
  PetscBool alpha, endpoint = PETSC_FALSE;
  PetscFunctionBegin;
  *stage = 1.0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ep->ts, TSALPHA, &alpha));
  if (alpha)
    PetscCall(TSAlphaGetParams(ep->ts, &of_rate, stage, &gamma));
  else
    PetscCall(TSThetaGetEndpoint(ep->ts, &endpoint));
  if (!alpha && !endpoint) PetscCall(TSThetaGetTheta(ep->ts, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEndpointRate(RhxEndpoint ep, PetscReal *rate)
{
  PetscBool alpha, endpoint = PETSC_FALSE;
  PetscFunctionBegin;
  *rate = 1.0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ep->ts, TSALPHA, &alpha));
  if (!alpha) PetscCall(TSThetaGetEndpoint(ep->ts, &endpoint));
  if (endpoint) PetscCall(TSThetaGetTheta(ep->ts, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Told once: the trapezoidal rule does not damp a pressure that a start leaves beside its own. */
static PetscErrorCode tell_swings(RhxEndpoint ep, double change, double size)
{
  char text[32];
  PetscFunctionBegin;
  if (++ep->swings != SWINGS) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "%.2g", sqrt(change / size));
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)ep->ts), PETSC_STDERR,
                         "rheoplex: warning: the pressure%s swings from step to step, and forces with it, which this "
                         "integrator damps slowly or not at all: got changes of %s of it that turn each step, "
                         "expected a start without an abrupt acceleration, or -ts_type bdf\n",
                         ep->nt->eq->driven ? " or the driving force" : "", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pressure of the flow, Pa, squared: rho U^2 + eta U/L, L the longest side of the domain. u2: mean of |u|^2, (m/s)^2. */
static PetscErrorCode get_pressure(RhxForm form, double u2, double *p2)
{
  double side[3], length = 0.0, eta;
  PetscFunctionBegin;
  PetscCall(RhxSpaceGetExtent(form->space, side));
  for (PetscInt k = 0; k < form->space->dim; k++) length = PetscMax(length, side[k]);
  PetscCall(RhxFormViscosityAt(form, sqrt(u2) / length, &eta));
  *p2 = PetscSqr(form->rho * u2 + eta * sqrt(u2) / length);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over nodes, squared, in the units of the case. */
enum { TURN, CHANGE, LAST, SIZE, SPEED, NSUMS }; /* TURN: change times the last one */

static PetscErrorCode sum_changes(RhxEndpoint ep, RhxSpace sp, double sum[NSUMS])
{
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE), u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  const double unit = RhxScalingUnit(ep->nt->scaling, p), speed = RhxScalingUnit(ep->nt->scaling, u);
  const PetscScalar *before, *end;
  PetscScalar *last;
  PetscFunctionBegin;
  for (int k = 0; k < NSUMS; k++) sum[k] = 0.0;
  PetscCall(VecGetArrayRead(ep->before, &before));
  PetscCall(VecGetArrayRead(ep->ts->vec_sol, &end));
  PetscCall(VecGetArray(ep->change, &last));
  for (PetscInt i = 0; i < sp->nowned * sp->bs; i += sp->bs) {
    const double d = unit * PetscRealPart(end[i + p] - before[i + p]), l = PetscRealPart(last[i + p]);
    sum[TURN] += d * l;
    sum[CHANGE] += d * d;
    sum[LAST] += l * l;
    sum[SIZE] += PetscSqr(unit * PetscRealPart(end[i + p]));
    for (PetscInt k = 0; k < sp->dim; k++) sum[SPEED] += PetscSqr(speed * PetscRealPart(end[i + u + k]));
    last[i + p] = d;
  }
  PetscCall(VecRestoreArray(ep->change, &last));
  PetscCall(VecRestoreArrayRead(ep->ts->vec_sol, &end));
  PetscCall(VecRestoreArrayRead(ep->before, &before));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, NSUMS, MPI_DOUBLE, MPI_SUM, sp->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_for_swings(RhxEndpoint ep)
{
  const RhxForm form = ep->nt->eq->form;
  const double nodes = (double)form->space->nglobal;
  double sum[NSUMS], flow = 0.0;
  PetscFunctionBegin;
  PetscCall(sum_changes(ep, form->space, sum));
  PetscCall(get_pressure(form, sum[SPEED] / nodes, &flow));
  if (sum[TURN] < -0.5 * sqrt(sum[CHANGE] * sum[LAST]) && sum[CHANGE] > PetscSqr(SWING) * sum[SIZE] &&
      sum[CHANGE] > PetscSqr(NO_PRESSURE) * flow * nodes)
    PetscCall(tell_swings(ep, sum[CHANGE], sum[SIZE]));
  else if (ep->swings < SWINGS)
    ep->swings = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Told once: a step's stage takes out in dt what the end of the step before lacks of continuity, of the size of that step's dt squared. */
static PetscErrorCode look_at_short(RhxEndpoint ep, double stage)
{
  const RhxForm form = ep->nt->eq->form;
  const double dt = ep->ts->ptime - ep->start, last = ep->last, nodes = (double)form->space->nglobal;
  double sum[NSUMS], flow = 0.0;
  char text[32];
  PetscFunctionBegin;
  ep->last = dt;
  if (ep->told || !(dt < SHORT * last)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(sum_changes(ep, form->space, sum));
  PetscCall(get_pressure(form, sum[SPEED] / nodes, &flow));
  sum[CHANGE] *= PetscSqr(stage);
  if (!(sum[CHANGE] > PetscSqr(SWING) * sum[SIZE] && sum[CHANGE] > PetscSqr(NO_PRESSURE) * flow * nodes))
    PetscFunctionReturn(PETSC_SUCCESS);
  ep->told = PETSC_TRUE;
  snprintf(text, sizeof(text), "%.2g", sqrt(sum[CHANGE] / sum[SIZE]));
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)ep->ts), PETSC_STDERR,
                         "rheoplex: warning: the pressure of a step that is short beside the one before, and forces "
                         "with it, may not be that of the flow: got a change of %s of it in "
                         "%g s at t = %g s behind a step of %g s, by an integrator that meets continuity inside its "
                         "steps; expected times that are due further apart than a step, or -ts_type bdf\n",
                         text, dt, (double)ep->ts->ptime, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Told once: a mean velocity that is met inside the steps, and at their ends by none. */
static PetscErrorCode look_at_mean(RhxEndpoint ep, double t)
{
  const RhxBoundary bc = ep->nt->eq->bc;
  double mean, aim, beside;
  char text[32];
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDrive(bc, &(PetscBool){PETSC_FALSE}, NULL, &mean));
  PetscCall(RhxBoundaryGetAim(bc, t, &aim));
  beside = mean - aim;
  if (ep->turns >= SWINGS) PetscFunctionReturn(PETSC_SUCCESS);
  ep->turns = beside * ep->beside < 0.0 && PetscAbsReal(beside) > SWING * PetscAbsReal(aim) ? ep->turns + 1 : 0;
  ep->beside = beside;
  if (ep->turns != SWINGS) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "%.3g", mean);
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)ep->ts), PETSC_STDERR,
                         "rheoplex: warning: the mean velocity swings about that of -form_mean_velocity, which this "
                         "integrator meets inside its steps: got %s m/s at the end of one, expected a start that has "
                         "it, or -ts_type bdf\n",
                         text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEndpointBegin(RhxEndpoint ep, double t, double dt)
{
  PetscFunctionBegin;
  if (ep->nt->eq->driven) PetscCall(look_at_mean(ep, t));
  ep->start = t;
  PetscCall(mend(ep, t, t + dt));
  PetscCall(VecCopy(ep->ts->vec_sol, ep->before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEndpointEnd(RhxEndpoint ep)
{
  const RhxSpace sp = ep->nt->eq->form->space;
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  const PetscScalar *before;
  PetscScalar *end;
  PetscReal stage;
  PetscFunctionBegin;
  PetscCall(get_stage(ep, &stage));
  if (stage == 1.0)
    PetscCall(look_for_swings(ep));
  else
    PetscCall(look_at_short(ep, stage));
  PetscCall(VecGetArrayRead(ep->before, &before));
  PetscCall(VecGetArray(ep->ts->vec_sol, &end));
  for (PetscInt i = p; i < sp->nowned * sp->bs; i += sp->bs) end[i] = (1.0 - stage) * before[i] + stage * end[i];
  PetscCall(VecRestoreArray(ep->ts->vec_sol, &end));
  PetscCall(VecRestoreArrayRead(ep->before, &before));
  PetscCall(mend(ep, ep->ts->ptime, ep->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
