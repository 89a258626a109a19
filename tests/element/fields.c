/* The table of fields: places in the node block, groups, a name that is there already, a group that comes too late. */
#include "petsc_compat.h"
#include "space/field.h"
#include <string.h>

static int failures;

static void expect(const char *what, int ok)
{
  if (ok) return;
  (void)PetscPrintf(PETSC_COMM_WORLD, "FAIL %s\n", what);
  failures++;
}

static char message[2048];

static PetscErrorCode keep(MPI_Comm comm, int line, const char *fn, const char *file, PetscErrorCode n,
                           PetscErrorType p, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)fn, (void)file, (void)ctx;
  if (p == PETSC_ERROR_INITIAL) PetscStrncpy(message, text, sizeof(message));
  return n;
}

/* Is the row refused, in these words? */
static PetscErrorCode refuses(const char *what, RhxFields fields, const RhxFieldRow *row, const char *words)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(keep, NULL));
  ierr = RhxFieldsAdd(fields, row);
  PetscCall(PetscPopErrorHandler());
  expect(what, ierr && strstr(message, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(PetscInt dim, PetscInt ntens)
{
  const PetscInt mode = dim + 1; /* where the first mode begins */
  RhxFields fields;
  RhxFieldRow row = {.name = "pressure", .owner = "a law", .kind = RHX_SCALAR, .group = RHX_GROUP_MODES, .mass = 1};

  PetscFunctionBegin;
  PetscCall(RhxFieldsCreate(PETSC_COMM_WORLD, dim, ntens, &fields));
  PetscCall(RhxFieldsAddFlow(fields, 3, 2, "log_conformation", "1", "stress"));
  expect("number of values", fields->n == 4 && fields->bs == mode + 2 * ntens);
  expect("velocity",
         RhxFieldsStart(fields, RHX_GROUP_VELOCITY) == 0 && RhxFieldsEnd(fields, RHX_GROUP_VELOCITY) == dim);
  expect("pressure", RhxFieldsStart(fields, RHX_GROUP_PRESSURE) == dim && RhxFieldsFind(fields, "pressure")->mass == 0);
  expect("modes",
         RhxFieldsStart(fields, RHX_GROUP_MODES) == mode && RhxFieldsEnd(fields, RHX_GROUP_MODES) == fields->bs);
  expect("second mode", RhxFieldsGet(fields, RHX_GROUP_MODES, 1)->offset == mode + ntens);
  expect("masses", fields->field[0].mass == 3 && fields->field[2].mass == 1);
  expect("names", !strcmp(fields->field[3].name, "log_conformation_1") && !strcmp(fields->field[3].former, "stress_1"));
  expect("an unknown name", !RhxFieldsFind(fields, "temperature"));
  PetscCall(refuses("a name twice", fields, &row, "Field 'pressure' is declared twice: by 'core' and by 'a law'"));
  row.name = "late";
  row.group = RHX_GROUP_VELOCITY;
  PetscCall(refuses("a group too late", fields, &row, "Field 'late' comes after fields of a later group"));
  expect("nothing is added by an error", fields->n == 4 && fields->bs == mode + 2 * ntens);
  PetscCall(RhxFieldsDestroy(&fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check(2, 3));
  PetscCall(check(2, 4));
  PetscCall(check(3, 6));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "element_fields: %d failures\n", failures));
  PetscCall(PetscFinalize());
  return failures != 0;
}
