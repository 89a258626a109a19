/* output_driver <action> <path> -options: the case's initial state, written or read back.
 *   fields      folder: outputs at steps 0 (t = 0) and 10 (t = 0.5)
 *   restart     folder: goes on from step 0 of an earlier run, output at step 15 (t = 0.75)
 *   write, read a checkpoint: rate = 2 x; read compares with the initial state
 *   table       a CSV: five lines, then rewound to step 2 and continued */
#include "case/case.h"
#include "case/error.h"
#include "petsc_compat.h"
#include <rheoplex/rheoplex.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  RhxCase rc;
  RhxForm form;
  Vec x;
} Setup;

static PetscErrorCode write_fields(Setup *s, PetscBool restart)
{
  RhxOutput output;
  PetscBool due[4];
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RhxOutputCreate(s->form, "flow", &output));
  PetscCall(RhxOutputSetFromOptions(output));
  PetscCall(RhxOutputSetUp(output));
  if (restart) PetscCall(RhxOutputSetRestart(output, 0, 0));
  PetscCall(RhxOutputDue(output, 0, 0, due));
  if (!restart) PetscCall(RhxOutputFields(output, 0, 0, 0, s->x, problem));
  PetscCall(RhxOutputDue(output, 0, 0, due + 1));
  PetscCall(RhxOutputDue(output, 7, 0.35, due + 2));
  PetscCall(RhxOutputDue(output, 10, 0.5 - 1e-13, due + 3));
  PetscCall(RhxOutputFields(output, restart ? 15 : 10, restart ? 0.75 : 0.5, 0.05, s->x, problem));
  PetscCall(RhxOutputMind(output, problem));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "due %d %d %d %d\n", due[0], due[1], due[2], due[3]));
  PetscCall(RhxOutputDestroy(&output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_checkpoint(Setup *s, const char *path, Vec rate)
{
  Vec x;
  RhxRestart at = {.may_lack = PETSC_FALSE};
  PetscReal ex, er;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->x, &x));
  PetscCall(RhxCheckpointRead(s->form, path, &at, x, rate, 0, NULL));
  PetscCall(VecAXPY(x, -1, s->x));
  PetscCall(VecAXPY(rate, -2, s->x));
  PetscCall(VecNorm(x, NORM_INFINITY, &ex));
  PetscCall(VecNorm(rate, NORM_INFINITY, &er));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "read step %d t %.17g dt %.17g state %g rate %g\n", (int)at.step, at.t, at.dt,
                        ex, er));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode table(const char *path)
{
  static const char *const columns[] = {"step", "t", "value"};
  char problem[RHX_MESSAGE];
  RhxTable t;

  PetscFunctionBegin;
  for (int run = 0; run < 2; run++) {
    PetscCall(RhxTableCreate(PETSC_COMM_WORLD, path, run ? PETSC_TRUE : PETSC_FALSE, 3, columns, &t));
    if (run) PetscCall(RhxTableRewind(t, 2));
    for (int k = run ? 3 : 1; k <= (run ? 4 : 5); k++) {
      double row[] = {k, k / 7.0, run};
      PetscCall(RhxTableWrite(t, row, problem));
      PetscCheck(!problem[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s", problem);
    }
    PetscCall(RhxTableClose(&t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode act(const char *action, const char *path)
{
  char problem[RHX_MESSAGE];
  Setup s;
  Vec rate;

  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &s.rc));
  PetscCall(RhxCaseSetFromOptions(s.rc));
  PetscCall(RhxCaseSetUp(s.rc));
  PetscCall(RhxCaseGetForm(s.rc, &s.form));
  PetscCall(RhxCaseGetState(s.rc, &s.x));
  PetscCall(VecDuplicate(s.x, &rate));
  PetscCall(VecCopy(s.x, rate));
  PetscCall(VecScale(rate, 2));
  if (!strcmp(action, "fields") || !strcmp(action, "restart")) {
    PetscCall(write_fields(&s, !strcmp(action, "restart") ? PETSC_TRUE : PETSC_FALSE));
  } else if (!strcmp(action, "write")) {
    PetscCall(RhxCheckpointWrite(s.form, path, 7, 1.0 / 3, 1e-3 / 3, s.x, rate, &(RhxBeside){0}, problem));
    PetscCheck(!problem[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s", problem);
  } else {
    PetscCheck(!strcmp(action, "read"), PETSC_COMM_WORLD, PETSC_ERR_USER, "unknown action %s", action);
    PetscCall(read_checkpoint(&s, path, rate));
  }
  PetscCall(VecDestroy(&rate));
  PetscCall(RhxCaseDestroy(&s.rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  const char *action = args[1], *path = args[2];
  PetscErrorCode code;

  args[2] = args[0];
  argc -= 2;
  args += 2;
  if (RhxErrorHandlerPush(PETSC_FALSE)) return 1;
  code = RhxInitialize(&argc, &args, NULL);
  if (!code) code = strcmp(action, "table") ? act(action, path) : table(path);
  if (!code) code = RhxFinalize();
  if (code) RhxErrorExit();
  return 0;
}
