/* The report of `rheoplex check`: everything that a run would use, without running. */
#include "case/impl.h"
#include "case/version.h"
#include <math.h>

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
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "Scheme: %s; stops", rc->choice[0] ? rc->choice : rc->general.scheme));
  if (rc->stop.steady_tol > 0) PetscCall(PetscViewerASCIIPrintf(viewer, " at steady state (%g);", rc->stop.steady_tol));
  if (rc->stop.time > 0) PetscCall(PetscViewerASCIIPrintf(viewer, " at t = %g s;", rc->stop.time));
  if (rc->stop.steps > 0) PetscCall(PetscViewerASCIIPrintf(viewer, " after step %d;", rc->stop.steps));
  PetscCall(PetscViewerASCIIPrintf(viewer, " reports in units of U = %.6g m/s, D = %.6g m\n", rc->option.velocity,
                                   rc->option.length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps from the start to -stop_time or -stop_steps with the first one's length; 0: neither is given. */
static double count_steps(RhxCase rc, double t, double dt)
{
  const double to_time = rc->stop.time > 0 ? ceil((rc->stop.time - t) / dt - 1e-6) : 0;
  return rc->stop.steps > 0 && (!(to_time > 0) || rc->stop.steps < to_time) ? rc->stop.steps : to_time;
}

static PetscErrorCode view_step(RhxCase rc, PetscViewer viewer)
{
  double limit[RHX_NLIMITS], dt, cfl, steps;
  char text[256];
  PetscReal t;

  PetscFunctionBegin;
  if (rc->option.restart[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeFindStep(rc->ts, limit, &dt, &cfl));
  if (!(dt > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetTime(rc->ts, &t));
  RhxReportLimits(limit, sizeof(text), text);
  PetscCall(PetscViewerASCIIPrintf(viewer, "Time step limits of the state at the start (CFL 1): %s\n",
                                   text[0] ? text : "none"));
  snprintf(text, sizeof(text), "%.3g s", dt);
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "Time step: %s%s", text, cfl > 0 ? " at the start, then as its limits go" : ""));
  steps = count_steps(rc, t, dt);
  snprintf(text, sizeof(text), "; %s%.0f steps%s", cfl > 0 ? "about " : "", steps,
           rc->stop.steady_tol > 0 || rc->stop.settled[0] ? " at most" : "");
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", steps > 0 ? text : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCheck(RhxCase rc, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(RhxCaseCheckStop_Private(rc));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Case: %s\n", rc->option.name));
  PetscCall(RhxMeshView(rc->mesh, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Boundary conditions\n"));
  PetscCall(RhxBoundaryView(rc->bc, viewer));
  PetscCall(view_size(rc, viewer));
  PetscCall(RhxFormView(rc->form, viewer));
  PetscCall(view_stop(rc, viewer));
  PetscCall(view_step(rc, viewer));
  PetscCall(RhxPluginsView(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
