/* What the time of a run went into. */
#include "case/times_impl.h"

#define DEAR (1.0 / 3.0) /* of the steps' time, that diagnostics take: told */

/* text: what takes more than DEAR of these seconds of steps, "": nothing does. */
static PetscErrorCode describe_cost(RhxCase rc, double stepping, size_t size, char *text)
{
  RhxDiagnosticsCost cost;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticsGetCost(rc->diagnostics, &cost));
  text[0] = '\0';
  if (!cost.costliest || !(cost.seconds > DEAR * stepping)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text, size,
                          "diagnostics take %.0f %% of the steps' time, most of it '%s' with %.2g s a row: "
                          "-diagnostic_%s_every asks for fewer",
                          100 * cost.seconds / stepping, cost.costliest->name,
                          cost.costliest->seconds / (double)cost.costliest->nrows, cost.costliest->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportCost(RhxCase rc, double since)
{
  RhxReport *report = &rc->report;
  const double stepping = since - report->output_seconds;
  char text[256];

  PetscFunctionBegin;
  if (report->told_cost || !(rc->option.report_seconds > 0.0 && stepping > rc->option.report_seconds))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe_cost(rc, stepping, sizeof(text), text));
  report->told_cost = (PetscBool)(text[0] != '\0');
  if (text[0]) PetscCall(RhxReportSay(rc, "%s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of an event, mean of the ranks: their slowest ones need not be the same rank's. 0 if no room registered it. */
static PetscErrorCode event_seconds(RhxCase rc, const char *name, RhxLogStage stage, double *seconds)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(RhxStageEventSeconds_Private(name, stage, seconds));
  PetscCallMPI(MPI_Comm_size(rc->comm, &size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_SUM, rc->comm));
  *seconds /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Start-up of the device; on the CPU nothing. */
static PetscErrorCode say_device(RhxCase rc)
{
  RhxDeviceBinaryCount made;
  double step, bytes;

  PetscFunctionBegin;
  if (!rc->device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceBinariesMade(&made));
  PetscCall(event_seconds(rc, "RhxDeviceSetUp", RHX_NSTAGES, &step));
  PetscCall(PetscPrintf(rc->comm,
                        "  device: opened in %.2f s, step set up there in %.2f s; %" PetscInt_FMT
                        " programs in %.2f s (%" PetscInt_FMT " compiled, %" PetscInt_FMT " from the cache)\n",
                        rc->device_seconds, step, made.compiled + made.cached, made.seconds, made.compiled,
                        made.cached));
  PetscCall(RhxDeviceHeldMost(rc->comm, rc->device, &bytes));
  PetscCall(PetscPrintf(rc->comm, "  memory of the device: at most %.3g GiB taken, %.0f bytes a node\n",
                        bytes / 1073741824.0, bytes / rc->space->nglobal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { RESIDUAL, PROJECTIONS, PRESSURE, MOMENTUM, MODES, GIVEN, BRANCHES, SETUPS, SOLVES, DIAGNOSTICS, NPARTS };

/* Percent of the steps' seconds, and what is left. */
static PetscErrorCode find_parts(RhxCase rc, double stepping, double part[NPARTS], double *rest)
{
  static const char *const name[SETUPS] = {"RhxResidual",  "RhxProject", "RhxPressure",    "RhxMomentum",
                                           "RhxTransport", "RhxGiven",   "RhxBranchPoints"};
  RhxDiagnosticsCost cost;

  PetscFunctionBegin;
  for (int i = 0; i < SETUPS; i++) PetscCall(event_seconds(rc, name[i], RHX_STAGE_STEPS, &part[i]));
  PetscCall(RhxDiagnosticsGetCost(rc->diagnostics, &cost));
  part[SETUPS] = rc->report.setups;
  part[SOLVES] = rc->report.solves;
  part[DIAGNOSTICS] = cost.seconds;
  *rest = 100.0;
  for (int i = 0; i < NPARTS; i++) {
    part[i] *= 100 / stepping;
    if (!(rc->device && i <= MODES)) *rest -= part[i]; /* there they are of the host alone */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportTimes(RhxCase rc, PetscInt nsteps, double total)
{
  const double stepping = total - rc->report.output_seconds, a_step = stepping / PetscMax(1, nsteps);
  double part[NPARTS], rest = 0.0;
  PetscBool implicit;
  char cost[256];

  PetscFunctionBegin;
  PetscCall(RhxSchemeHasNewton(rc->ts, &implicit));
  PetscCall(find_parts(rc, stepping, part, &rest));
  PetscCall(describe_cost(rc, stepping, sizeof(cost), cost));
  PetscCall(PetscPrintf(rc->comm, "  wall time: set-up %.2f s, output %.2f s, %" PetscInt_FMT " steps %.2f s\n",
                        rc->setup_seconds, rc->report.output_seconds, nsteps, stepping));
  PetscCall(say_device(rc));
  PetscCall(
      PetscPrintf(rc->comm, "  a step: %.3g s, %.3g microseconds a node; ", a_step, 1e6 * a_step / rc->space->nglobal));
  if (!rc->device)
    PetscCall(PetscPrintf(rc->comm, "residual %.1f %%, projections %.1f %%, ", part[RESIDUAL], part[PROJECTIONS]));
  if (implicit)
    PetscCall(PetscPrintf(rc->comm, "set-ups of the preconditioner %.1f %%, linear solves %.1f %%, ", part[SETUPS],
                          part[SOLVES]));
  else if (!rc->device)
    PetscCall(PetscPrintf(rc->comm, "pressure %.1f %%, ", part[PRESSURE]));
  if (!rc->device && part[MOMENTUM] > 0.0) PetscCall(PetscPrintf(rc->comm, "momentum %.1f %%, ", part[MOMENTUM]));
  if (!rc->device && part[MODES] > 0.0) PetscCall(PetscPrintf(rc->comm, "modes %.1f %%, ", part[MODES]));
  if (part[BRANCHES] > 0.0)
    PetscCall(PetscPrintf(rc->comm, "branch points %.1f %% (-scheme_steady_continuation_watch), ", part[BRANCHES]));
  if (part[DIAGNOSTICS] > 0.0) PetscCall(PetscPrintf(rc->comm, "diagnostics %.1f %%, ", part[DIAGNOSTICS]));
  PetscCall(PetscPrintf(rc->comm, "what is given%s %.1f %%, rest%s %.1f %%\n", rc->device ? " (found by the host)" : "",
                        part[GIVEN], rc->device ? " (on the device)" : "", rest));
  if (cost[0]) PetscCall(PetscPrintf(rc->comm, "  %s\n", cost));
  PetscFunctionReturn(PETSC_SUCCESS);
}
