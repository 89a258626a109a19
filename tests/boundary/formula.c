/* Formulas: values, lists, dependence on time, errors with option, text and column. */
#include "common.h"

static void value(const char *text, double want)
{
  const PetscReal x[6] = {9, 9, 9, 0.3, -0.5, 2}; /* two points; the second is checked */
  RhxFormula f = NULL;
  PetscReal v[2];
  PetscCallAbort(PETSC_COMM_SELF, RhxFormulaCreate(PETSC_COMM_WORLD, "test", text, RHX_FORMULA_OF_PLACE, &f));
  PetscCallAbort(PETSC_COMM_SELF, RhxFormulaEvaluate(f, 1.5, 2, 3, x, v));
  PetscCallAbort(PETSC_COMM_SELF, RhxFormulaDestroy(&f));
  expect(near(v[1], want, 1e-14), "%s = %.17g, expected %.17g", text, v[1], want);
}

static void time_dependence(const char *text, PetscBool want)
{
  RhxFormula f = NULL;
  PetscBool depends;
  PetscCallAbort(PETSC_COMM_SELF, RhxFormulaCreate(PETSC_COMM_WORLD, "test", text, RHX_FORMULA_OF_PLACE, &f));
  PetscCallAbort(PETSC_COMM_SELF, RhxFormulaDependsOnTime(f, &depends));
  PetscCallAbort(PETSC_COMM_SELF, RhxFormulaDestroy(&f));
  expect(depends == want, "%s: depends on time %d, expected %d", text, depends, want);
}

static void lists(void)
{
  const PetscReal x[2] = {2, 3};
  RhxFormula f[4] = {NULL};
  PetscReal v;
  PetscCallAbort(PETSC_COMM_SELF,
                 RhxFormulaListCreate(PETSC_COMM_WORLD, "test", "max(x,y), x ;y,min(x, y)+1", 2, 2, "a,b", f));
  for (int i = 0; i < 4; i++) {
    const double want[4] = {3, 2, 3, 3};
    PetscCallAbort(PETSC_COMM_SELF, RhxFormulaEvaluate(f[i], 0, 1, 2, x, &v));
    expect(v == want[i], "formula %d of the list is %g, expected %g", i, v, want[i]);
    PetscCallAbort(PETSC_COMM_SELF, RhxFormulaDestroy(&f[i]));
  }
}

/* The list must be refused with a message that holds each of the words. */
static void refused(const char *text, PetscInt nlists, PetscInt n, const char *word1, const char *word2)
{
  RhxFormula f[8] = {NULL};
  PetscErrorCode code;
  char *message = NULL;
  PetscCallAbort(PETSC_COMM_SELF, PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = RhxFormulaListCreate(PETSC_COMM_WORLD, "bc_in_velocity", text, nlists, n, "u,v", f);
  PetscCallAbort(PETSC_COMM_SELF, PetscPopErrorHandler());
  expect(code != 0, "\"%s\" was accepted", text);
  if (code) (void)PetscErrorMessage(code, NULL, &message);
  for (int i = 0; i < 8; i++) PetscCallAbort(PETSC_COMM_SELF, RhxFormulaDestroy(&f[i]));
  if (!code) return;
  expect(strstr(message, "-bc_in_velocity") && strstr(message, text) && strstr(message, word1) &&
             strstr(message, word2),
         "\"%s\": message is \"%s\", expected option, text, \"%s\", \"%s\"", text, message, word1, word2);
}

int main(int argc, char **argv)
{
  PetscCall(test_begin(&argc, &argv));
  value("x + 10*y + 100*z + 1000*t", 0.3 - 5 + 200 + 1500);
  value("sin(pi*x)^2 + cos(pi*x)^2", 1);
  value("x < 1 && y < 0 ? 4 : 5", 4);
  value("step(x) + 10*step(y) + 100*step(x-0.3)", 101);
  value("floor(y) + ceil(y) + erf(0) + mod(z, 0.75)", -1 + 0.5);
  value(" -y", 0.5);
  value("2", 2);
  time_dependence("x*exp(-t)", PETSC_TRUE);
  time_dependence("tan(x)*sqrt(2)", PETSC_FALSE);
  lists();
  refused("1-y^2, x+*y", 1, 2, "column 10", "expected an expression");
  refused("x, y+foo", 1, 2, "column 6", "foo");
  refused("x*(1-y", 1, 1, "column 7", "parenthesis");
  refused("x,", 1, 2, "column 3", "expected an expression");
  refused("x,y,z", 1, 2, "got 3 formulas", "expected 2 (u,v)");
  refused("x", 1, 2, "got 1 formula ", "expected 2 (u,v)");
  refused("x,y;x,y;x,y", 2, 2, "got 3 lists", "expected 2 of u,v");
  return test_end();
}
