/* <case>_continuation.csv: the parameter that steps of a continuation change, and checkpoints of single steps. */
#include "case/continuation_impl.h"

PetscErrorCode RhxContinuationDescribe(RhxCase rc, size_t size, char *text)
{
  const char *option;
  char kept[512];
  double value;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RhxSchemeGetParameter(rc->ts, &option, &value));
  if (!option) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputDescribeStates(rc->output, sizeof(kept), kept));
  snprintf(text, size, "continuation in %s: %s", option, kept);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxContinuationBegin(RhxCase rc)
{
  const char *option;
  char file[PETSC_MAX_PATH_LEN], kept[768];
  double value;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetParameter(rc->ts, &option, &value));
  if (!option) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputCountStates(rc->output));
  PetscCall(RhxContinuationDescribe(rc, sizeof(kept), kept));
  PetscCall(PetscPrintf(rc->comm, "%s\n", kept));
  /* the parameter t is the time of what conditions give, which by arc length is not that of the run */
  const char *const columns[] = {
      "step", "t", strcmp(option, "t") ? option : "conditions_t", "newton_iterations", "jacobian_sign", "bifurcation"};
  PetscCall(RhxCasePath_Private(rc, "_continuation.csv", sizeof(file), file));
  PetscCall(RhxTableCreate(rc->comm, file, rc->append, PETSC_STATIC_ARRAY_LENGTH(columns), columns,
                           &rc->report.continuation));
  if (rc->append) PetscCall(RhxTableRewind(rc->report.continuation, (double)rc->first_step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxContinuationStep(RhxCase rc, const RhxStepInfo *info)
{
  const char *option;
  char problem[RHX_MESSAGE];
  double value;
  int sign, passed;

  PetscFunctionBegin;
  if (!rc->report.continuation) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeGetParameter(rc->ts, &option, &value));
  PetscCall(RhxSchemeGetBranch(rc->ts, &sign, &passed));
  const double row[] = {(double)info->step, info->t, value, (double)info->work.newton, sign, passed};
  PetscCall(RhxTableWrite(rc->report.continuation, row, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxContinuationFile(RhxCase rc, PetscInt step, double t, size_t size, char *file)
{
  char suffix[64];
  TSConvergedReason reason;
  PetscBool due;

  PetscFunctionBegin;
  file[0] = '\0';
  PetscCall(RhxOutputCheckpointDue(rc->output, step, rc->before, t, &due));
  PetscCall(TSGetConvergedReason(rc->ts, &reason));
  if (reason) PetscCall(RhxOutputKeepsStates(rc->output, &due)); /* the last one */
  if (!rc->report.continuation || !due) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_point_%06" PetscInt_FMT ".h5", step));
  PetscCall(RhxCasePath_Private(rc, suffix, size, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}
