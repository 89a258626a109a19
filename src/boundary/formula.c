#include "boundary/boundary.h"
#include "petsc_compat.h"
#include <math.h>
#include <muParserDLL.h>

/* mupEval compiles an expression once; mupEvalBulk compiles it in every call and starts OpenMP threads in every rank. */
struct _p_RhxFormula {
  muParserHandle_t parser;
  muFloat_t var[4]; /* as the parser sees them */
  RhxFormulaOf of;
  PetscBool time, place; /* t occurs; something else does */
  char *option, *text;
};

static const struct {
  const char *name[4], *all; /* NULL: none at that place */
} variables[] = {[RHX_FORMULA_OF_PLACE] = {{"x", "y", "z", "t"}, "x, y, z, t"},
                 [RHX_FORMULA_OF_FLUX] = {{"q", NULL, NULL, "t"}, "q, t"},
                 [RHX_FORMULA_OF_STRESS] = {{"tau", NULL, NULL, "t"}, "tau, t"},
                 [RHX_FORMULA_OF_TIME] = {{NULL, NULL, NULL, "t"}, "t"}};

static PetscInt64 points; /* at which a formula was evaluated */

static void ignore_error(muParserHandle_t parser) { (void)parser; }
static muFloat_t heaviside(muFloat_t x) { return x >= 0 ? 1 : 0; }
static muFloat_t modulo(muFloat_t a, muFloat_t b) { return fmod(a, b); }

static PetscErrorCode define_names(RhxFormula f)
{
  PetscFunctionBegin;
  mupSetErrorHandler(f->parser, ignore_error);
  for (PetscInt i = 0; i < 4; i++)
    if (variables[f->of].name[i]) mupDefineVar(f->parser, variables[f->of].name[i], &f->var[i]);
  mupDefineConst(f->parser, "pi", M_PI);
  mupDefineFun1(f->parser, "step", heaviside, 1);
  mupDefineFun1(f->parser, "floor", floor, 1);
  mupDefineFun1(f->parser, "ceil", ceil, 1);
  mupDefineFun1(f->parser, "erf", erf, 1);
  mupDefineFun2(f->parser, "mod", modulo, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first '=' that is no part of ==, <=, >= or !=, or -1: muParser would assign to a variable. */
static PetscInt assignment(const char *text)
{
  for (PetscInt i = 0; text[i]; i++) {
    if (text[i] != '=') continue;
    if (text[i + 1] == '=')
      i++;
    else if (i == 0 || !strchr("<>!", text[i - 1]))
      return i;
  }
  return -1;
}

/* A path, which has a '/' first or after dots, or letters alone behind its last point. */
static PetscBool is_path(const char *text)
{
  const char *const point = strrchr(text, '.'), *const begin = text + strspn(text, ".");
  const size_t letters = point ? strlen(point + 1) : 0;
  return (
      PetscBool)(begin[0] == '/' ||
                 (letters > 1 && strspn(point + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == letters));
}

static PetscErrorCode check_syntax(MPI_Comm comm, RhxFormula f, const char *whole, PetscInt start)
{
  char message[256], *position;
  int nresults = 0;
  PetscInt assigned = assignment(f->text);

  PetscFunctionBegin;
  PetscCheck(assigned < 0, comm, PETSC_ERR_ARG_WRONG,
             "-%s: formula \"%s\" has an assignment at column %" PetscInt_FMT
             ": got '=', expected an expression in %s and pi ('==' compares)",
             f->option, whole, start + assigned + 1, variables[f->of].all);
  mupEvalMulti(f->parser, &nresults);
  if (mupError(f->parser)) {
    PetscInt end = (PetscInt)strlen(f->text); /* the parser appends a blank */
    PetscInt column = start + PetscMin(PetscMax(mupGetErrorPos(f->parser), 0), end) + 1;
    PetscCall(PetscStrncpy(message, mupGetErrorMsg(f->parser), sizeof(message)));
    position = strstr(message, " at position"); /* counts from 0 within one component */
    if (position) *position = 0;
    SETERRQ(comm, PETSC_ERR_ARG_WRONG,
            "-%s: formula \"%s\" has an error at column %" PetscInt_FMT
            ": %s; expected an expression in %s, pi and the functions of muParser%s",
            f->option, whole, column, message, variables[f->of].all,
            is_path(whole) ? "; a file of rows \"time,value\" is one whose name ends in .csv" : "");
  }
  PetscCheck(nresults == 1, comm, PETSC_ERR_ARG_WRONG, "-%s: got %d values in \"%s\", expected one formula", f->option,
             nresults, whole);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The formula is whole[start, end); errors quote the whole text and its column. */
static PetscErrorCode formula_create(MPI_Comm comm, const char *option, const char *whole, PetscInt start, PetscInt end,
                                     RhxFormulaOf of, RhxFormula *formula)
{
  RhxFormula f;
  int nvars;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  *formula = f; /* the caller destroys it also after an error */
  f->of = of;
  PetscCall(PetscStrallocpy(option, &f->option));
  PetscCall(PetscMalloc1(end - start + 1, &f->text));
  PetscCall(PetscArraycpy(f->text, whole + start, end - start));
  f->text[end - start] = 0;
  f->parser = mupCreate(muBASETYPE_FLOAT);
  PetscCall(define_names(f));
  mupSetExpr(f->parser, f->text);
  PetscCall(check_syntax(comm, f, whole, start));
  nvars = mupGetExprVarNum(f->parser);
  for (int i = 0; i < nvars; i++) {
    const muChar_t *name;
    muFloat_t *address;
    mupGetExprVar(f->parser, (unsigned)i, &name, &address);
    if (address == &f->var[3])
      f->time = PETSC_TRUE;
    else
      f->place = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaCreate(MPI_Comm comm, const char *option, const char *text, RhxFormulaOf of, RhxFormula *f)
{
  PetscFunctionBegin;
  PetscCall(formula_create(comm, option, text, 0, (PetscInt)strlen(text), of, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends of the parts of text[start, end) between separators outside parentheses; returns their number, fills at most max. */
static PetscInt split(const char *text, PetscInt start, PetscInt end, char separator, PetscInt max, PetscInt *ends)
{
  PetscInt n = 0, depth = 0;
  for (PetscInt i = start; i < end; i++) {
    if (text[i] == '(') depth++;
    if (text[i] == ')') depth--;
    if (text[i] != separator || depth != 0) continue;
    if (n < max) ends[n] = i;
    n++;
  }
  if (n < max) ends[n] = end;
  return n + 1;
}

PetscInt RhxFormulaListLength(const char *text) { return split(text, 0, (PetscInt)strlen(text), ',', 0, NULL); }

static PetscErrorCode list_create(MPI_Comm comm, const char *option, const char *text, PetscInt start, PetscInt end,
                                  PetscInt n, const char *names, RhxFormula *f)
{
  PetscInt ends[16], got;

  PetscFunctionBegin;
  got = split(text, start, end, ',', n, ends);
  PetscCheck(got == n, comm, PETSC_ERR_ARG_WRONG,
             "-%s: got %" PetscInt_FMT " formula%s in \"%s\", expected %" PetscInt_FMT " (%s)", option, got,
             got == 1 ? "" : "s", text, n, names);
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(formula_create(comm, option, text, start, ends[i], RHX_FORMULA_OF_PLACE, &f[i]));
    start = ends[i] + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaListCreate(MPI_Comm comm, const char *option, const char *text, PetscInt nlists, PetscInt n,
                                    const char *names, RhxFormula *f)
{
  PetscInt ends[64], got, start = 0;

  PetscFunctionBegin;
  PetscCheck(nlists <= 64 && n <= 16, comm, PETSC_ERR_ARG_OUTOFRANGE, "-%s: more formulas than there are components",
             option);
  got = split(text, 0, (PetscInt)strlen(text), ';', nlists, ends);
  PetscCheck(got == nlists, comm, PETSC_ERR_ARG_WRONG,
             "-%s: got %" PetscInt_FMT " list%s separated by ';' in \"%s\", expected %" PetscInt_FMT " of %s", option,
             got, got == 1 ? "" : "s", text, nlists, names);
  for (PetscInt k = 0; k < nlists; k++) {
    PetscCall(list_create(comm, option, text, start, ends[k], n, names, f + k * n));
    start = ends[k] + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaEvaluateStrided(RhxFormula f, double t, PetscInt n, PetscInt dim, const PetscReal *x,
                                         PetscInt stride, PetscReal *values)
{
  PetscFunctionBegin;
  f->var[2] = 0;
  f->var[3] = t;
  if (!f->place && n > 0) { /* one value of all */
    const PetscReal value = mupEval(f->parser);
    points++;
    for (PetscInt i = 0; i < n; i++) values[i * stride] = value;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  points += n;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt d = 0; d < dim; d++) f->var[d] = x[i * dim + d];
    values[i * stride] = mupEval(f->parser);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaEvaluate(RhxFormula f, double t, PetscInt n, PetscInt dim, const PetscReal *x,
                                  PetscReal *values)
{
  PetscFunctionBegin;
  PetscCall(RhxFormulaEvaluateStrided(f, t, n, dim, x, 1, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaDependsOnTime(RhxFormula f, PetscBool *depends)
{
  PetscFunctionBegin;
  *depends = f->time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaDependsOnPlace(RhxFormula f, PetscBool *depends)
{
  PetscFunctionBegin;
  *depends = f->place;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaCount(PetscInt64 *n)
{
  PetscFunctionBegin;
  *n = points;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaGetText(RhxFormula f, const char **option, const char **text)
{
  PetscFunctionBegin;
  *option = f->option;
  *text = f->text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormulaDestroy(RhxFormula *formula)
{
  RhxFormula f = *formula;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  if (f->parser) mupRelease(f->parser);
  PetscCall(PetscFree(f->option));
  PetscCall(PetscFree(f->text));
  PetscCall(PetscFree(f));
  *formula = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
