/* A table that a restart continues: opened, cut at a time, written to. */
#include "fuzz.h"
#include "output/output.h"

void FuzzSetUp(void) {}

static PetscErrorCode resume(const char *file, RhxTable *table)
{
  static const char *const columns[] = {"t", "dt", "kinetic_energy"};
  static const double values[] = {1.5, 0.01, 3};
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RhxTableCreate(PETSC_COMM_WORLD, file, PETSC_TRUE, 3, columns, table));
  PetscCall(RhxTableRewind(*table, 1.49));
  PetscCall(RhxTableWrite(*table, values, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RhxTable table = NULL;
  PetscErrorCode code = resume(FuzzFile(data, size), &table);

  if (RhxTableClose(&table)) FuzzFail("the table is not closed");
  return FuzzJudge(code);
}
