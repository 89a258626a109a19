/* The report of `rheoplex check`: everything that a run would use, without running. */
#include "boundary/slip.h"
#include "case/continuation_impl.h"
#include "case/impl.h"
#include "case/version.h"
#include <math.h>

#define MANY_FILES 5000 /* of fields */

/* Unknowns, and memory: what the set-up took and what a run adds (copies of the state, fields on their way out). */
static PetscErrorCode view_size(RhxCase rc, PetscViewer viewer)
{
  RhxSpace space = rc->space;
  PetscLogDouble mine, all, run;

  PetscFunctionBegin;
  PetscCall(PetscMemoryGetCurrentUsage(&mine));
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, rc->comm));
  run = 8.0 * space->nglobal * (3.0 * space->bs + 3.0 * (space->nmodes * 13.0 + 12.0));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "Unknowns: %" PetscInt_FMT " on %" PetscInt_FMT " nodes:", space->nglobal * space->bs, space->nglobal));
  for (PetscInt i = 0; i < space->nfields; i++)
    PetscCall(
        PetscViewerASCIIPrintf(viewer, " %s (%" PetscInt_FMT ")", space->field[i].name, space->field[i].components));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\nMemory: %.0f MB after the set-up, about %.0f MB in a run (all ranks)\n",
                                   all / 1e6, (all + run) / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_stop(RhxCase rc, PetscViewer viewer)
{
  const PetscBool steady = (PetscBool)!strcmp(rc->general.scheme, "steady");
  char breaks[512], kept[768];
  PetscFunctionBegin;
  if (rc->variable[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "Polymer variable: %s\n", rc->variable));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Scheme: %s;", rc->choice[0] ? rc->choice : rc->general.scheme));
  if (steady) PetscCall(PetscViewerASCIIPrintf(viewer, " stops at the steady state;"));
  if (!steady && rc->stop.steady_tol > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, " stops at steady state (%g);", rc->stop.steady_tol));
  if (!steady && rc->stop.time > 0) PetscCall(PetscViewerASCIIPrintf(viewer, " stops at t = %g s;", rc->stop.time));
  if (!steady && rc->stop.steps > 0) PetscCall(PetscViewerASCIIPrintf(viewer, " stops after step %d;", rc->stop.steps));
  PetscCall(PetscViewerASCIIPrintf(viewer, " reports in units of U = %.6g m/s, D = %.6g m\n", rc->option.velocity,
                                   rc->option.length));
  PetscCall(RhxContinuationDescribe(rc, sizeof(kept), kept));
  if (kept[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "Kept of the %s\n", kept));
  RhxCaseDescribeBreaks_Private(rc, sizeof(breaks), breaks);
  if (breaks[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "Time: %s\n", breaks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps from the start to -stop_time or -stop_steps with the first one's length, which meet the interval; 0: neither is given. */
static double count_steps(RhxCase rc, const RhxGivenTime *interval, double t, double dt)
{
  const double to_time = rc->stop.time > 0 ? RhxCaseCountMet_Private(interval, rc->stop.time - t, dt) : 0;
  const double left = rc->stop.steps - rc->first_step;
  return rc->stop.steps > 0 && (!(to_time > 0) || left < to_time) ? left : to_time;
}

/* The state becomes one of the given velocity, and of the modes where they are given, at every node. */
static PetscErrorCode fill(RhxCase rc, const RhxLargestGiven *most)
{
  const RhxSpace space = rc->space;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), width = space->nmodes * space->ntens;
  const PetscInt s = width ? RhxFieldsStart(space->fields, RHX_GROUP_MODES) : 0;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArray(rc->x, &x));
  for (PetscInt i = 0; i < space->nowned; i++) {
    PetscCall(PetscArraycpy(x + i * space->bs + u, most->velocity, space->dim));
    if (most->size > 0) PetscCall(PetscArraycpy(x + i * space->bs + s, most->modes, width));
  }
  PetscCall(VecRestoreArray(rc->x, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* limit and *dt: as of RhxSchemeFindStep, of that state. */
static PetscErrorCode find_step_of(RhxCase rc, const RhxLargestGiven *most, double limit[RHX_NLIMITS], double *dt)
{
  double cfl;
  Vec x;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(VecCopy(rc->x, x));
  PetscCall(fill(rc, most));
  PetscCall(RhxSchemeFindStep(rc->ts, limit, dt, &cfl));
  PetscCall(VecCopy(x, rc->x));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_steps(RhxCase rc, const RhxGivenTime *interval, double t, double dt, double later,
                                 double cfl, PetscViewer viewer)
{
  const double first = count_steps(rc, interval, t, dt);
  const double steps = PetscMax(first, count_steps(rc, interval, t, later));
  const PetscBool met = (PetscBool)(interval->time > 0 && interval->time < dt);
  char text[128] = "", step[320];

  PetscFunctionBegin;
  snprintf(step, sizeof(step), "%.3g s%s%s", met ? interval->time : dt, met ? " by -" : "",
           met ? interval->option : "");
  if (steps > 1.1 * first)
    snprintf(text, sizeof(text), "; about %.0f steps by the first limits, %.0f by the second%s", first, steps,
             rc->stop.steady_tol > 0 || rc->stop.settled[0] || rc->stop.periodic[0] ? ", at most" : "");
  else if (first > 0)
    snprintf(text, sizeof(text), "; %s%.0f steps%s", cfl > 0 ? "about " : "", first,
             rc->stop.steady_tol > 0 || rc->stop.settled[0] || rc->stop.periodic[0] ? " at most" : "");
  PetscCall(PetscViewerASCIIPrintf(viewer, "Time step: %s%s%s\n", step,
                                   cfl > 0 ? " at the start, then as its limits go" : "", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A longer step than that of slip is refused, or follows it. flow: of which the bound is, told if it is below *told. *dt is lowered to what a
 * target takes then. */
static PetscErrorCode view_slip(RhxCase rc, const char *flow, double speed, double cfl, double *told, double *dt,
                                PetscViewer viewer)
{
  const char *label;
  char text[128];
  double most;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetSlipStep(rc->ts, speed, &most, &label));
  if (!label || most >= *told) PetscFunctionReturn(PETSC_SUCCESS);
  *told = most;
  snprintf(text, sizeof(text), "%.9g s%s", most,
           cfl > 0                     ? ", which steps follow"
           : *dt * (1 - 1e-12) <= most ? ""
                                       : ", which the time step is beyond: the run is refused");
  PetscCall(PetscViewerASCIIPrintf(viewer, "Time step limit by the friction of the wall with slip '%s'%s: %s\n", label,
                                   flow, text));
  if (cfl > 0) *dt = PetscMin(*dt, PetscMin(cfl, RHX_SLIP_SHARE) * most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the flow that the conditions make. *later: its time step, for a target; else dt. */
static PetscErrorCode view_flow(RhxCase rc, double t, double dt, double cfl, double slips, double *later,
                                PetscViewer viewer)
{
  const char *const inflow = rc->form->nmodes ? ", the modes of the start" : "";
  double limit[RHX_NLIMITS], own;
  char text[256], u[128];
  RhxLargestGiven most;

  PetscFunctionBegin;
  *later = dt;
  PetscCall(RhxBoundaryGetLargest(rc->bc, t, RhxCaseLookUntil_Private(rc, t), &most));
  if (!(most.speed > 0)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  no condition gives a velocity: a flow that becomes faster than at the "
                                             "start needs smaller steps\n"));
    PetscCall(PetscFree(most.modes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(find_step_of(rc, &most, limit, &own));
  RhxReportLimits(limit, sizeof(text), text);
  snprintf(u, sizeof(u), rc->space->dim > 2 ? "(%.3g, %.3g, %.3g)" : "(%.3g, %.3g)", 0.0 + most.velocity[0],
           0.0 + most.velocity[1], 0.0 + most.velocity[2]); /* no -0 */
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "Time step limits with the fastest velocity that is given, %s m/s, everywhere%s: %s\n", u,
      most.size > 0 ? ", and the modes of the inflow" : inflow, text));
  if (cfl > 0) *later = PetscMin(dt, own);
  PetscCall(view_slip(rc, " where the fastest velocity that is given slips along it", most.speed, cfl, &slips, later,
                      viewer));
  PetscCall(PetscFree(most.modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often fields are written, by steps of this length, where that is many files. */
static PetscErrorCode view_files(RhxCase rc, const RhxGivenTime *interval, double t, double dt, PetscViewer viewer)
{
  PetscReal every_dt = 0.0;
  PetscInt every = 0;
  double by_time = 0.0, by_steps = 0.0;
  PetscBool fields;

  PetscFunctionBegin;
  PetscCall(RhxOutputHasFields(rc->output, &fields));
  if (!fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-output_dt", &every_dt, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-output_every", &every, NULL));
  if (every_dt > 0.0 && rc->stop.time > t) by_time = (rc->stop.time - t) / every_dt;
  if (every > 0) by_steps = count_steps(rc, interval, t, dt) / every;
  if (PetscMax(by_time, by_steps) >= MANY_FILES)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  fields are written about %.2g times, a file each (-output_%s)\n",
                                     PetscMax(by_time, by_steps),
                                     by_steps > by_time ? "every" : "dt, which steps are shortened to meet"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_step(RhxCase rc, PetscViewer viewer)
{
  double limit[RHX_NLIMITS], dt, later, cfl, slips = PETSC_INFINITY;
  RhxGivenTime interval;
  char text[256];
  PetscReal t;

  PetscFunctionBegin;
  PetscCall(RhxSchemeFindStep(rc->ts, limit, &dt, &cfl));
  if (!(dt > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetTime(rc->ts, &t));
  RhxReportLimits(limit, sizeof(text), text);
  PetscCall(PetscViewerASCIIPrintf(viewer, "Time step limits of the state at the start (CFL 1): %s\n",
                                   text[0] ? text : "none"));
  PetscCall(view_slip(rc, "", 0.0, cfl, &slips, &dt, viewer));
  PetscCall(view_flow(rc, t, dt, cfl, slips, &later, viewer));
  PetscCall(RhxCaseShortestInterval_Private(rc, dt, &interval));
  PetscCall(view_steps(rc, &interval, t, dt, later, cfl, viewer));
  PetscCall(view_files(rc, &interval, t, later, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows from them. */
static PetscErrorCode view_conditions(RhxCase rc, PetscViewer viewer)
{
  PetscBool steady;
  PetscReal t;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCall(RhxSchemeGetGivenTime(rc->ts, &t));
  PetscCall(RhxCaseViewSlip_Private(rc, t, viewer));
  PetscCall(RhxCaseViewBehind_Private(rc, t, steady, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCheck(RhxCase rc, PetscViewer viewer)
{
  char units[512];

  PetscFunctionBegin;
  PetscCall(RhxCaseRestart_Private(rc));
  PetscCall(RhxCaseBeginConditions_Private(rc));
  PetscCall(RhxCaseCheckStop_Private(rc));
  PetscCall(RhxCaseWarnOfGiven_Private(rc));
  PetscCall(RhxCaseJudgeFields_Private(rc, PETSC_TRUE));
  PetscCall(RhxCaseDescribeUnits_Private(rc, sizeof(units), units));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Case: %s, %s\n", rc->option.name, units));
  PetscCall(RhxMeshView(rc->mesh, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Boundary conditions\n"));
  PetscCall(RhxBoundaryView(rc->bc, viewer));
  PetscCall(view_conditions(rc, viewer));
  PetscCall(view_size(rc, viewer));
  PetscCall(RhxFormView(rc->form, viewer));
  if (rc->stabilisers[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "Stabiliser: %s\n", rc->stabilisers));
  PetscCall(view_stop(rc, viewer));
  PetscCall(view_step(rc, viewer));
  PetscCall(RhxPluginsView(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
