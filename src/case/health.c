/* The last good state: what a run that loses finiteness, or fails in a step, saves. */
#include "case/impl.h"

PetscErrorCode RhxGoodStateKeep(RhxCase rc, PetscInt step, double t, double dt)
{
  RhxGoodState *good = &rc->good;
  Vec rate;
  PetscBool kept;

  PetscFunctionBegin;
  good->step = step;
  good->t = t;
  good->dt = dt;
  if (!good->x) PetscCall(VecDuplicate(rc->x, &good->x));
  PetscCall(RhxSchemeLastGood(rc->ts, NULL, NULL, &kept));
  if (kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseRate_Private(rc, &rate));
  if (rate && !good->rate) PetscCall(VecDuplicate(rate, &good->rate));
  PetscCall(VecCopy(rc->x, good->x));
  if (rate) PetscCall(VecCopy(rate, good->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGoodStateSave(RhxCase rc, size_t size, char *where)
{
  RhxGoodState *good = &rc->good;
  char file[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];
  const char *folder;
  PetscBool kept;

  PetscFunctionBegin;
  if (!good->x || good->step == rc->first_step) {
    PetscCall(PetscSNPrintf(where, size, "no step was finished, so there is no state to save"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!good->rate) PetscCall(VecDuplicate(good->x, &good->rate));
  PetscCall(RhxSchemeLastGood(rc->ts, good->x, good->rate, &kept));
  PetscCall(RhxOutputGetFolder(rc->output, &folder));
  PetscCall(RhxCasePath_Private(rc, "_last_good.h5", sizeof(file), file));
  PetscCall(RhxCheckpointWrite(rc->form, file, good->step, good->t, good->dt, good->x, good->rate, problem));
  if (problem[0]) {
    PetscCall(PetscSNPrintf(where, size, "the last good state (step %" PetscInt_FMT ", t = %g) is not saved: %s",
                            good->step, good->t, problem));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (rc->field_step != good->step) PetscCall(RhxOutputFields(rc->output, good->step, good->t, good->x, problem));
  if (problem[0])
    PetscCall(PetscSNPrintf(where, size, "the last good state (step %" PetscInt_FMT ", t = %g) is in %s; %s",
                            good->step, good->t, file, problem));
  else
    PetscCall(PetscSNPrintf(where, size,
                            "the last good state (step %" PetscInt_FMT ", t = %g) is in %s and in the fields of %s",
                            good->step, good->t, file, folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGoodStateDestroy(RhxGoodState *good)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&good->x));
  PetscCall(VecDestroy(&good->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}
