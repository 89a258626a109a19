/* A condition and a diagnostic with one fault, RHEOPLEX_TEST_FAULT: what an author may forget. */
#include <rheoplex/condition.h>
#include <rheoplex/diagnostic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double factor;
} Options;

static RhxRow rows[] = {
    {"factor", RHX_REAL, 0, offsetof(Options, factor), "0.7", RHX_GT, 0, 0, NULL, "1", "factor of the values"},
    {"other", RHX_CHOICE, 0, 0, "one", RHX_ANY, 0, 0, "one|two", "1", "another one"},
};

static PetscBool has(const char *fault)
{
  const char *given = getenv("RHEOPLEX_TEST_FAULT");
  return (PetscBool)(given && !strcmp(given, fault));
}

/* ---- A lid whose velocity grows, and which should say so by `changes` ---- */

static PetscErrorCode velocity(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  const PetscInt dim = RhxConditionGetDimension(c);

  PetscFunctionBegin;
  (void)x;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++) u[i * dim + d] = d ? 0 : 0.3 * (has("still") ? 1 : 1 + t);
  PetscFunctionReturn(0);
}

static PetscErrorCode traction(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                               PetscReal *values)
{
  const PetscInt dim = RhxConditionGetDimension(c);

  PetscFunctionBegin;
  (void)x;
  for (PetscInt i = 0; i < n * dim; i++) values[i] = -(1 + t) * normal[i];
  PetscFunctionReturn(0);
}

static unsigned changes(RhxCondition *c, double t0, double t1)
{
  (void)c;
  return t0 == t1 ? 0u : RHX_CHANGES_ALL;
}

static RhxConditionType lid = {.entry = {sizeof(RhxConditionType), "outside_lid", "wall that moves faster and faster"},
                               .priority = 1,
                               .flags = RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP,
                               .shared = " type ",
                               .velocity = velocity,
                               .changes = changes};
static RhxConditionType push = {
    .entry = {sizeof(RhxConditionType), "outside_push", "opening with a traction that grows"},
    .priority = 4,
    .flags = RHX_TYPE_OPEN | RHX_TYPE_TRACTION,
    .shared = " type ",
    .traction = traction,
    .changes = changes};

/* ---- A table of three columns ---- */

static PetscErrorCode setup(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(RhxDiagnosticAddColumnUnit(d, has("comma") ? "a,b" : "a", has("unit") ? "m,s" : "m"));
  PetscCall(RhxDiagnosticAddColumn(d, has("twice") ? "a" : has("step") ? "step" : has("line") ? "b\nc" : "b"));
  if (!has("short")) PetscCall(RhxDiagnosticAddColumn(d, "c"));
  PetscFunctionReturn(0);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscFunctionBegin;
  if (has("late")) PetscCall(RhxDiagnosticAddColumn(d, "late"));
  for (int k = 0; k < 3; k++) values[k] = 1.5 * k + step->t;
  PetscFunctionReturn(0);
}

static RhxDiagnosticType table = {
    .entry = {sizeof(RhxDiagnosticType), "outside_table", "three columns"}, .setup = setup, .evaluate = evaluate};

static PetscErrorCode add(void)
{
  PetscFunctionBegin;
  lid.nrows = 2;
  lid.rows = rows;
  lid.size = has("rows") ? 0 : sizeof(Options);
  if (has("no_rows")) lid.rows = NULL;
  if (has("row_twice")) rows[1].name = "factor";
  if (has("no_choices")) rows[1].choices = NULL;
  if (has("no_help")) rows[1].help = NULL;
  if (has("unchanging") || has("still")) lid.changes = NULL;
  if (has("push")) push.changes = NULL;
  if (has("no_setup")) table.setup = NULL;
  if (has("unsaid")) push.flags = RHX_TYPE_OPEN;
  if (has("unmade")) push.traction = NULL;
  PetscCall(RhxConditionRegister(&lid));
  PetscCall(RhxConditionRegister(&push));
  PetscCall(RhxDiagnosticRegister(&table));
  PetscFunctionReturn(0);
}

RHX_EXTENSION(add);
