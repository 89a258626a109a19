/* The run: restart, the loop of TS with what follows each step, the end. */
#include "boundary/timescale.h"
#include "case/continuation_impl.h"
#include "case/control_impl.h"
#include "case/error.h"
#include "case/history_impl.h"
#include "case/impl.h"
#include "diagnostics/store.h"
#include "plugin/doing.h"
#include <stdlib.h>
#include <string.h>

#define OUTSIDE 0.1 /* of the nodes, of another mesh than that of a checkpoint */

#define ROUNDING 1e-6 /* of a step */

/* A continuation's time is its parameter; a run in time begins at that of the conditions of its state. */
static PetscErrorCode take_time(RhxCase rc, const RhxRestart *at, double *t)
{
  PetscBool steady;
  char text[256]; /* PETSc writes 2 as "2." */

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  *t = steady ? at->t : at->given_t;
  rc->another_time = (PetscBool)(*t != at->t);
  snprintf(text, sizeof(text), "whose parameter is %g: the run begins at the time of its conditions, t = %g s", at->t,
           *t);
  if (rc->another_time)
    PetscCall(PetscPrintf(rc->comm, "%s is of a continuation, %s (-scheme_steady_time)\n", rc->option.restart, text));
  PetscCall(TSSetTime(rc->ts, *t));
  PetscCall(TSSetStepNumber(rc->ts, at->step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseRestart_Private(RhxCase rc)
{
  RhxRestart at = {.take = (RhxRestartFields)rc->option.restart_fields,
                   .may_lack = (PetscBool)(rc->restart.missing_fields == RHX_MISSING_INITIAL)};
  Vec rate;
  PetscScalar *x;
  double t = 0.0;
  PetscBool mapped, same, changes;

  PetscFunctionBegin;
  if (!rc->option.restart[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseRate_Private(rc, &rate));
  PetscCall(RhxCaseRestartMesh_Private(rc, &at.mesh));
  RhxBoundaryForgetLevels(rc->bc);
  PetscCall(RhxCheckpointRead(rc->form, rc->option.restart, &at, rc->x, rate, rc->nnumbers, rc->numbers));
  if (at.mesh)
    PetscCall(PetscPrintf(rc->comm,
                          "%s: interpolated from its mesh of %" PetscInt_FMT " nodes; %" PetscInt_FMT
                          " nodes lie outside it and take the values of its nearest node\n",
                          rc->option.restart, at.nodes, at.noutside));
  if (at.mesh && at.noutside > OUTSIDE * rc->space->nglobal)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -case_restart_mesh map: got %" PetscInt_FMT " of %" PetscInt_FMT
                           " nodes outside the mesh of the checkpoint, expected few: are both in the same place and "
                           "unit (-mesh_scale)?\n",
                           at.noutside, rc->space->nglobal));
  if (at.rounded > 0.0)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -case_restart: got nodes up to %.3g m from where they are in '%s', "
                           "expected 0: the meshes are taken for one, whose coordinates were rounded to 32 bits\n",
                           at.rounded, rc->option.restart));
  same = (PetscBool)(at.take == RHX_RESTART_SAME && !at.mesh && !at.lacking[0]);
  if (same) PetscCall(RhxCaseReadHistory_Private(rc, rc->option.restart));
  mapped = (PetscBool)(at.mesh != NULL);
  PetscCall(RhxMeshDestroy(&at.mesh));
  PetscCall(RhxBoundaryStateChanged(rc->bc));
  if (at.take != RHX_RESTART_SAME)
    PetscCall(PetscPrintf(rc->comm,
                          "%s: velocity and pressure are taken, %" PetscInt_FMT " modes by their conformation\n",
                          rc->option.restart, at.nconverted));
  PetscCall(RhxCaseSayNew_Private(rc, at.lacking, at.parameters));
  PetscCall(take_time(rc, &at, &t));
  PetscCall(RhxSchemeSetRate(rc->ts, at.dt, at.has_rate,
                             (PetscBool)(at.has_rate && at.take == RHX_RESTART_SAME && !at.lacking[0])));
  PetscCall(RhxCaseReadMemory_Private(rc, rc->option.restart, at.given_t, PetscNot(mapped)));
  PetscCall(VecGetArray(rc->x, &x));
  PetscCall(RhxBoundaryMeetFluxes(rc->bc, at.given_t, x));
  PetscCall(RhxBoundaryRestartPressure(rc->bc, at.given_t, mapped, x, &changes));
  PetscCall(VecRestoreArray(rc->x, &x));
  if (same && !changes) PetscCall(RhxCaseReadHanded_Private(rc, rc->option.restart));
  rc->first_step = at.step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a run that was to come to rest: that it has not. */
static PetscErrorCode say_ended(RhxCase rc, const char *what, PetscBool itself, double du, double dc, double farthest)
{
  const char *const tol = strrchr(rc->stop.periodic, ':');

  PetscFunctionBegin;
  if (!itself && tol && !(farthest > 0.0))
    snprintf(rc->why, sizeof(rc->why), "%s, not periodic: fewer than three periods have ended (-stop_periodic %.100s)",
             what, rc->stop.periodic);
  else if (!itself && tol)
    snprintf(rc->why, sizeof(rc->why),
             farthest <= atof(tol + 1)
                 ? "%s, before -stop_min_time, the end of a ramp or a mean velocity that is given: from period to "
                   "period %.2e of the largest value change (-stop_periodic %.100s)"
                 : "%s, not periodic: from period to period %.2e of the largest value change or are left to change "
                   "(-stop_periodic %.100s)",
             what, farthest, rc->stop.periodic);
  else if (itself || !(rc->stop.steady_tol > 0))
    PetscCall(PetscStrncpy(rc->why, what, sizeof(rc->why)));
  else
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why),
                            !(du <= rc->stop.steady_tol && dc <= rc->stop.steady_tol)
                                ? "%s, not at rest: |du/dt| = %.2e U^2/D, |dc/dt| = %.2e U/D, -stop_steady_tol %g"
                                : "%s, before -stop_min_time, the end of a ramp or a mean velocity that is given: "
                                  "|du/dt| = %.2e U^2/D, |dc/dt| = %.2e U/D, -stop_steady_tol %g",
                            what, du, dc, rc->stop.steady_tol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCheckStop_Private(RhxCase rc)
{
  PetscReal t, end;
  PetscInt step, steps;
  PetscBool itself;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &itself));
  /* t is the parameter of a continuation then, which ends by itself */
  if (itself) PetscCall(TSSetMaxTime(rc->ts, 0.5 * PETSC_MAX_REAL));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(TSGetStepNumber(rc->ts, &step));
  PetscCall(TSGetMaxTime(rc->ts, &end));
  PetscCall(TSGetMaxSteps(rc->ts, &steps));
  PetscCheck(itself || rc->stop.steady_tol > 0 || rc->stop.settled[0] || rc->stop.periodic[0] || end < PETSC_MAX_REAL ||
                 steps < RHX_NO_STEPS || rc->stop.wall_time > 0,
             rc->comm, PETSC_ERR_USER_INPUT,
             "nothing would stop this run: give -stop_time, -stop_steps, -stop_steady_tol, -stop_settled or "
             "-stop_periodic, or for the state at rest alone -scheme steady");
  PetscCheck(t < end && step < steps, rc->comm, PETSC_ERR_USER_INPUT,
             "the run would end where it starts, at t = %g and step %" PetscInt_FMT ": raise -stop_time or -stop_steps",
             (double)t, step);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(RhxCase rc, PetscInt step, double t, double dt, PetscBool last)
{
  char problem[RHX_MESSAGE];
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  if (rc->field_step == step) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(RhxStageBegin_Private(RHX_STAGE_OUTPUT));
  PetscCall(RhxSchemeStoreState(rc->ts));
  PetscCall(RhxOutputFields(rc->output, step, t, dt, rc->x, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  PetscCall(RhxDiagnosticsFields(rc->diagnostics, &(RhxDiagnosticStep){step, t, dt, last, rc->at_rest, PETSC_FALSE}));
  PetscCall(RhxStageEnd_Private());
  PetscCall(PetscTime(&end));
  rc->field_step = step;
  rc->report.output_seconds += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* by_clock: the run goes on as if there were none. */
static PetscErrorCode write_checkpoint(RhxCase rc, PetscInt step, double t, double dt, PetscBool by_clock)
{
  const char *file;
  char point[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];
  Vec state, rate;
  RhxStore store = {0};
  RhxKept *kept;
  RhxHanded handed = {.nodes = NULL, .memory = NULL};
  double given;
  PetscInt n;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  if (rc->checkpoint_step == step) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(RhxStageBegin_Private(RHX_STAGE_OUTPUT));
  PetscCall(RhxSchemeGetState(rc->ts, &state));
  PetscCall(RhxOutputGetCheckpointFile(rc->output, &file));
  PetscCall(RhxCaseRate_Private(rc, &rate));
  PetscCall(RhxDiagnosticsCollect(rc->diagnostics, &store));
  PetscCall(RhxCaseGivenTime_Private(rc, t, &given));
  PetscCall(RhxBoundaryNoteLevels(rc->bc, given));
  PetscCall(RhxCaseAddHistory_Private(rc, store.n, store.kept, &handed, &n, &kept));
  const RhxBeside beside = {rc->nnumbers, rc->numbers, n, kept, &given};
  PetscCall(RhxCheckpointWrite(rc->form, file, step, t, dt, state, rate, &beside, rc->unsaved));
  PetscCall(RhxOutputMind(rc->output, rc->unsaved));
  PetscCall(RhxContinuationFile(rc, step, t, sizeof(point), point));
  if (point[0]) {
    PetscCall(RhxCheckpointWrite(rc->form, point, step, t, dt, state, rate, &beside, problem));
    PetscCall(RhxOutputMind(rc->output, problem));
  }
  PetscCall(PetscFree(kept));
  PetscCall(VecDestroy(&handed.nodes));
  PetscCall(PetscFree(handed.memory));
  PetscCall(RhxStoreDestroy(&store));
  if (!by_clock) PetscCall(RhxSchemeSaved(rc->ts));
  PetscCall(RhxStageEnd_Private());
  PetscCall(PetscTime(&end));
  rc->checkpoint_step = step;
  rc->saved = end;
  rc->report.output_seconds += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWriteStart(RhxCase rc, const char *suffix, Vec x)
{
  char file[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];
  PetscReal t, dt;
  double given;
  PetscInt step;
  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, suffix, sizeof(file), file));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(RhxCaseGivenTime_Private(rc, t, &given));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  PetscCall(TSGetStepNumber(rc->ts, &step));
  PetscCall(RhxCheckpointWrite(rc->form, file, step, t, dt, x, NULL,
                               &(RhxBeside){.nnumbers = rc->nnumbers, .numbers = rc->numbers, .given_t = &given},
                               problem));
  PetscCheck(!problem[0], rc->comm, PETSC_ERR_FILE_WRITE, "%s", problem);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scripts in situ; of the state what they ask for. */
static PetscErrorCode show(RhxCase rc, PetscInt step, double t, double dt, PetscBool last)
{
  PetscBool wants;
  PetscInt first, past;
  PetscLogDouble begin, end;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxInsituWants(rc->insitu, step, t, last, &wants, &first, &past));
  if (!wants) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(RhxStageBegin_Private(RHX_STAGE_OUTPUT));
  PetscCall(RhxSchemeGetPart(rc->ts, first, past, &x));
  PetscCall(RhxInsituShow(rc->insitu, step, t, dt, last, x));
  PetscCall(RhxStageEnd_Private());
  PetscCall(PetscTime(&end));
  rc->report.output_seconds += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step to come ends at the latest where the next fields, checkpoint, scripts or row of a diagnostic are due, or what is given jumps. */
static PetscErrorCode mark_next(RhxCase rc, double t)
{
  double fields, rows, scripts, due, last, next;
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(RhxOutputNextTime(rc->output, t, &fields));
  PetscCall(RhxDiagnosticsNextTime(rc->diagnostics, t, &rows));
  PetscCall(RhxInsituNextTime(rc->insitu, t, &scripts));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  PetscCall(RhxCaseFindLaterBreaks_Private(rc));
  RhxBreaksAround(rc->breaks, t, &last, &next);
  if (rc->step.begins <= t) last = PetscMax(last, rc->step.begins);
  due = PetscMin(PetscMin(fields, rows), scripts);
  PetscCall(RhxSchemeSetMark(rc->ts, next <= due + ROUNDING * dt ? next : due)); /* of two within rounding the jump */
  PetscCall(RhxSchemeSetJump(rc->ts, last, next - PetscMax(last, 0.0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the reason of the end, and whether the clock asks for a line; all ranks agree. asked: by the control file. */
static PetscErrorCode decide_stop(RhxCase rc, const RhxStepInfo *info, PetscBool asked, PetscBool *last)
{
  TSConvergedReason reason;
  double du = RhxReportVelocityRate(rc, info), dc = RhxReportStressRate(rc, info);
  int mine[4] = {RhxSignalReceived(), RhxReportLineIsDue(rc), RhxReportTimeIsOver(rc), 0}, any[4];
  const RhxDiagnosticStep now = {.step = info->step, .t = info->t, .dt = info->dt};
  PetscBool early = (PetscBool)(info->t < RhxBoundaryGetRampsEnd(rc->bc, rc->stop.min_time)), meets;
  PetscBool settled, itself, periodic, due;
  double period, farthest;
  PetscLogDouble clock;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &itself));
  PetscCall(RhxBoundaryMeetsAim(rc->bc, info->t, &meets));
  early = (PetscBool)(early || !meets);
  PetscCall(RhxDiagnosticsGetSettled(rc->diagnostics, &settled));
  PetscCall(RhxStageBegin_Private(RHX_STAGE_DIAGNOSTICS));
  PetscCall(RhxDiagnosticsGetPeriodic(rc->diagnostics, &now, &periodic, &period, &farthest));
  PetscCall(RhxStageEnd_Private());
  PetscCall(PetscTime(&clock));
  PetscCall(RhxOutputClockDue(rc->output, clock - rc->saved, &due));
  mine[3] = due;
  PetscCallMPI(MPI_Allreduce(mine, any, 4, MPI_INT, MPI_MAX, rc->comm));
  rc->report.overdue = (PetscBool)any[1];
  rc->save = (PetscBool)any[3];
  PetscCall(TSGetConvergedReason(rc->ts, &reason));
  if (any[0]) {
    rc->cut = PETSC_TRUE;
    rc->signal = any[0];
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why), "signal %d received: the step is finished, the state is saved",
                            any[0]));
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  } else if (asked) {
    rc->cut = PETSC_TRUE;
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why), "the control file asks for it"));
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  } else if (info->done) {
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why), "the steady state is found"));
    rc->at_rest = PETSC_TRUE;
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  } else if (!itself && !early && rc->stop.steady_tol > 0 && du <= rc->stop.steady_tol && dc <= rc->stop.steady_tol) {
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why),
                            "steady: |du/dt| = %.2e U^2/D and |dc/dt| = %.2e U/D are below -stop_steady_tol %g", du, dc,
                            rc->stop.steady_tol));
    rc->at_rest = PETSC_TRUE;
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  } else if (!itself && !early && settled) {
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why), "settled: -stop_settled %.200s", rc->stop.settled));
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  } else if (!itself && !early && periodic) {
    PetscCall(PetscSNPrintf(rc->why, sizeof(rc->why), "periodic in period %.0f: -stop_periodic %.200s", period,
                            rc->stop.periodic));
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  } else if (reason == TS_CONVERGED_TIME) {
    PetscCall(say_ended(rc, "the final time is reached", itself, du, dc, farthest));
  } else if (reason == TS_CONVERGED_ITS) {
    PetscCall(say_ended(rc, "the last step is reached", itself, du, dc, farthest));
  } else if (any[2]) {
    rc->cut = PETSC_TRUE;
    snprintf(rc->why, sizeof(rc->why), "the %g s of -stop_wall_time are over: the step is finished, the state is saved",
             rc->stop.wall_time);
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_USER));
  }
  PetscCall(TSGetConvergedReason(rc->ts, &reason));
  *last = (PetscBool)(reason != TS_CONVERGED_ITERATING);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a step of Newton's method, which may take longer than who sent a signal will wait. */
static PetscErrorCode interrupt(void *ctx)
{
  const RhxCase rc = (RhxCase)ctx;
  double waited = RhxSignalWaited();
  char patience[32]; /* PETSc's own %g writes "0." */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &waited, 1, MPI_DOUBLE, MPI_MAX, rc->comm));
  snprintf(patience, sizeof(patience), "%g", rc->stop.patience);
  PetscCheck(!(waited >= 0.0 && waited >= rc->stop.patience), rc->comm, PETSC_ERR_USER,
             "Ended within a step by a signal that came %.1f s ago: expected the step to end within %s s "
             "(-stop_patience)",
             waited, patience);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step is finished: what this run writes takes the place of what an earlier one wrote. */
static PetscErrorCode publish(RhxCase rc, PetscInt step)
{
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  if (step != rc->first_step + 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputPublish(rc->output, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  PetscCall(RhxReportPublish(rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fetch_nodes(void *ctx, IS nodes, PetscScalar *x)
{
  PetscFunctionBegin;
  PetscCall(RhxSchemeFetchState(((RhxCase)ctx)->ts, nodes, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseAccept(RhxCase rc, const RhxStepInfo *info)
{
  PetscFunctionBegin;
  if (info->finite) PetscCall(RhxBoundaryAdvance(rc->bc, info->t, info->dt, fetch_nodes, rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode after_step(TS ts)
{
  RhxCase rc;
  const RhxStepInfo *info;
  PetscInt step;
  PetscBool finite, due, last = PETSC_FALSE;
  RhxControlNow now;
  char message[512];

  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &rc));
  PetscCall(RhxSchemeGetInfo(ts, &info));
  PetscCall(TSGetStepNumber(ts, &step));
  PetscCall(RhxCaseAccept(rc, info));
  PetscCall(RhxGoodStateStep(rc, info));
  if (!info->finite) {
    PetscCall(RhxSchemeStoreState(ts));
    PetscCall(RhxCheckFinite(rc->form, rc->x, info->t, info->dt, info->stats.wi, &finite, message));
    PetscCheck(finite, rc->comm, PETSC_ERR_FP, "%s", message);
  }
  PetscCall(publish(rc, step));
  PetscCall(RhxControlStep(rc, info, &now));
  PetscCall(decide_stop(rc, info, now.stop, &last));
  PetscCall(RhxCaseWarnOfScheme_Private(rc, info));
  PetscCall(RhxOutputDue(rc->output, step, info->t, &due));
  PetscCall(RhxReportStep(rc, info, due, last));
  PetscCall(RhxContinuationStep(rc, info));
  if (due || last || now.output) PetscCall(write_fields(rc, step, info->t, info->dt, last));
  PetscCall(show(rc, step, info->t, info->dt, last));
  PetscCall(RhxOutputCheckpointDue(rc->output, step, rc->before, info->t, &due));
  /* beside the options of a new mesh no state of the old one stays */
  if (rc->option.restart_mesh && step == rc->first_step + 1) due = PETSC_TRUE;
  due = (PetscBool)(due || last || now.checkpoint);
  if (due || rc->save) PetscCall(write_checkpoint(rc, step, info->t, info->dt, PetscNot(due)));
  if (last) {
    PetscCall(RhxSchemeStoreState(ts));
    PetscCall(RhxCaseJudgeFields_Private(rc, PETSC_FALSE));
    PetscCall(RhxCaseWarnOfOutlets_Private(rc));
    PetscCall(RhxCaseWarnOfStill_Private(rc));
    if (info->steady) PetscCall(RhxCaseWarnOfUnstable_Private(rc));
    PetscCall(RhxCaseWarnOfExtremes_Private(rc, info->steady));
    PetscCall(RhxCaseWarnOfMesh_Private(rc, info));
  }
  PetscCall(RhxControlDone(rc, &now));
  PetscCall(mark_next(rc, info->t));
  rc->before = info->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Results that lie in the folder: another case's are moved aside later, those of the run that is restarted go on. */
static PetscErrorCode meet_earlier(RhxCase rc)
{
  PetscReal t;
  PetscBool other;

  PetscFunctionBegin;
  PetscCall(RhxCaseFindOther_Private(rc, &other));
  if (rc->another_time) PetscCall(RhxOutputHasResults(rc->output, &other));
  if (other) PetscCall(RhxOutputSetAside(rc->output));
  rc->append = (PetscBool)(rc->option.restart[0] && !other);
  if (rc->option.restart[0]) {
    PetscCall(TSGetTime(rc->ts, &t));
    PetscCall(RhxOutputSetRestart(rc->output, rc->first_step, t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseBeginConditions_Private(RhxCase rc)
{
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(rc->x, &x));
  PetscCall(RhxBoundaryBegin(rc->bc, x));
  PetscCall(VecRestoreArrayRead(rc->x, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes what is known before the first step, under temporary names until that is finished. */
static PetscErrorCode begin(RhxCase rc)
{
  PetscReal t, dt;
  PetscInt step;
  PetscBool due;
  PetscLogDouble now;

  PetscFunctionBegin;
  RhxDoing("reading the checkpoint");
  PetscCall(RhxCaseRestart_Private(rc));
  RhxDoing("looking at what is given");
  PetscCall(RhxCaseBeginConditions_Private(rc));
  PetscCall(RhxCaseCheckStop_Private(rc));
  PetscCall(RhxCaseWarnOfGiven_Private(rc));
  RhxDoing("making room for the output");
  PetscCall(RhxCaseJudgeFields_Private(rc, PETSC_TRUE));
  PetscCall(RhxOutputSetUp(rc->output));
  PetscCall(meet_earlier(rc));
  PetscCall(RhxOutputHold(rc->output));
  PetscCall(RhxCaseWriteEffective(rc));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(RhxInsituBegin(rc->insitu, t));
  PetscCall(RhxReportBegin(rc));
  if (rc->option.restart[0] && !rc->another_time)
    PetscCall(RhxDiagnosticsRestore(rc->diagnostics, rc->option.restart,
                                    (PetscBool)(rc->option.restart_mesh == RHX_RESTART_MESH_SAME)));
  PetscCall(RhxControlBegin(rc));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  PetscCall(TSGetStepNumber(rc->ts, &step));
  PetscCall(RhxGoodStateBegin(rc, step, t, dt));
  PetscCall(RhxOutputDue(rc->output, step, t, &due));
  if (due) PetscCall(write_fields(rc, step, t, dt, PETSC_FALSE));
  if (!rc->first_step) PetscCall(show(rc, step, t, dt, PETSC_FALSE));
  PetscCall(RhxDiagnosticsStart(rc->diagnostics, &(RhxDiagnosticStep){.step = step, .t = t, .dt = dt}));
  PetscCall(mark_next(rc, t));
  rc->before = t;
  PetscCall(PetscTime(&now));
  rc->saved = now;
  PetscCall(TSSetApplicationContext(rc->ts, rc));
  PetscCall(TSSetPostStep(rc->ts, after_step));
  PetscCall(RhxSchemeSetInterrupt(rc->ts, interrupt, rc));
  PetscCall(RhxSchemeSetSilence(rc->ts, rc->option.report_seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_fault(RhxForm form, Vec x, size_t size, char *text)
{
  PetscFunctionBegin;
  PetscCall(RhxFindFieldFault(form, x, size, text));
  if (!text[0]) PetscCall(RhxFindLawFault(form, x, size, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a law or a plugin of scalar fields give what is no number at the last good state, or where its rate leads in a step? */
static PetscErrorCode find_law_fault(RhxCase rc, double dt, size_t size, char *text)
{
  Vec x, rate;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(RhxSchemeGetLastState(rc->ts, x));
  PetscCall(find_fault(rc->form, x, size, text));
  if (!text[0]) {
    PetscCall(RhxSchemeGetRate(rc->ts, &rate));
    PetscCall(VecAXPY(x, dt, rate));
    PetscCall(find_fault(rc->form, x, size, text));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of Newton's method, which a law that gives no number makes useless. */
static void drop_advice(char *message)
{
  char *advice = strstr(message, "; try ");
  if (advice) *advice = '\0';
}

/* A step has failed: says why and saves the last good state where every rank failed alike. */
static PetscErrorCode rescue(RhxCase rc, PetscErrorCode code)
{
  char message[RHX_ERROR_LENGTH], place[512], where[3 * PETSC_MAX_PATH_LEN], fault[512];
  PetscBool all, finite = PETSC_TRUE;
  PetscReal t, dt;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(message, RhxErrorMessage(), sizeof(message)));
  PetscCall(RhxOutputDiscard(rc->output));
  PetscCall(RhxErrorAgree(&all));
  if (!all) PetscFunctionReturn(code);
  PetscCall(RhxReportEnd(rc));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  if (code != PETSC_ERR_FP) {
    PetscCall(RhxCheckFinite(rc->form, rc->x, t, dt, 0.0, &finite, place));
    if (!finite) PetscCall(PetscStrncpy(message, place, sizeof(message)));
  }
  PetscCall(find_law_fault(rc, dt, sizeof(fault), fault));
  if (fault[0]) drop_advice(message);
  PetscCall(
      RhxGoodStateSave(rc, (PetscBool)(code == PETSC_ERR_FP || !finite), (PetscBool)!fault[0], sizeof(where), where));
  SETERRQ(rc->comm, code, "%s%s%s; %s", message, fault[0] ? "; " : "", fault, where);
}

PetscErrorCode RhxCaseBegin(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(RhxCaseRestart_Private(rc));
  PetscCall(RhxCaseBeginConditions_Private(rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseLoad(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(RhxCaseRestart_Private(rc));
  PetscCall(RhxOutputSetUp(rc->output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseRun(RhxCase rc)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  RhxSignalsInstall();
  RhxDoingBegin("set-up", rc->rank == 0 ? rc->option.report_seconds : 0.0);
  code = begin(rc);
  RhxDoingEnd();
  if (code) {
    RhxSignalsRestore();
    (void)RhxOutputDiscard(rc->output);
  }
  PetscCall(code);
  PetscCall(RhxStageBegin_Private(RHX_STAGE_STEPS));
  code = TSSolve(rc->ts, rc->x);
  PetscCall(RhxStageEnd_Private());
  RhxSignalsRestore();
  if (code) PetscCall(rescue(rc, code));
  PetscCall(RhxCaseSensitivities_Private(rc));
  PetscCall(RhxInsituEnd(rc->insitu));
  PetscCall(RhxReportEnd(rc));
  PetscCall(RhxSchemeSummary(rc->ts));
  PetscCall(RhxReportSummary(rc));
  PetscCheck(!rc->unsaved[0], rc->comm, PETSC_ERR_FILE_WRITE, "the run has ended, but its state is not saved: %s",
             rc->unsaved);
  PetscFunctionReturn(PETSC_SUCCESS);
}
