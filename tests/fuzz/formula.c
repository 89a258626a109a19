/* A formula, or by the first letter '2' to '9' so many separated by commas: compiled, evaluated. */
#include "boundary/boundary.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

void FuzzSetUp(void) {}

static PetscErrorCode evaluate(const char *text, PetscInt n, RhxFormula *f)
{
  static const PetscReal x[9] = {0, 0, 0, 0.5, -2, 3, 1e300, -1e-300, 7};
  PetscReal value[3];
  PetscBool time;

  PetscFunctionBegin;
  PetscCall(RhxFormulaListCreate(PETSC_COMM_WORLD, "bc_in_velocity", text, 1, n, "a,b,...", f));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(RhxFormulaDependsOnTime(f[k], &time));
    PetscCall(RhxFormulaEvaluate(f[k], 0.25, 3, 3, x, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RhxFormula f[9] = {NULL};
  PetscInt n = 1;
  char *text = calloc(size + 1, 1);
  PetscErrorCode code;

  if (!text) return 0;
  if (size) memcpy(text, data, size);
  (void)FuzzFile(NULL, 0);
  if (size && data[0] >= '2' && data[0] <= '9') n = data[0] - '0';
  code = evaluate(n > 1 ? text + 1 : text, n, f);
  for (PetscInt k = 0; k < n; k++)
    if (RhxFormulaDestroy(&f[k])) FuzzFail("a formula is not destroyed");
  free(text);
  return FuzzJudge(code);
}
