/* Stages of PETSc's log: -log_view tells set-up, steps, their diagnostics and output apart. */
#include "case/impl.h"

static const char *const names[RHX_NSTAGES] = {"Set-up", "Steps", "Diagnostics", "Output"};

static PetscErrorCode get_stage(RhxLogStage stage, PetscLogStage *id)
{
  PetscFunctionBegin;
  PetscCall(PetscLogStageGetId(names[stage], id));
  if (*id < 0) PetscCall(PetscLogStageRegister(names[stage], id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageBegin_Private(RhxLogStage stage)
{
  PetscLogStage id;

  PetscFunctionBegin;
  PetscCall(get_stage(stage, &id));
  PetscCall(PetscLogStagePush(id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageEnd_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStageEventSeconds_Private(const char *event, RhxLogStage stage, double *seconds)
{
  PetscLogEvent id;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  *seconds = 0.0;
  PetscCall(PetscLogEventGetId(event, &id));
  for (int k = -1; k < RHX_NSTAGES && id >= 0; k++) {
    PetscLogStage at = 0; /* PETSc's main stage */

    if (stage != RHX_NSTAGES && k >= 0 && k != (int)stage) continue;
    if (k >= 0) PetscCall(get_stage((RhxLogStage)k, &at));
    PetscCall(PetscLogEventGetPerfInfo(at, id, &info));
    *seconds += info.time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
