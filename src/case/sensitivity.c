/* -sensitivity: derivatives of diagnostics of a steady state with respect to parameters of laws. */
#include "scheme/sensitivity.h"
#include "case/impl.h"
#include <stdlib.h>

#define STEP 1e-3 /* of differences, of the parameter */

/* "name:option" at *text, which moves behind its comma; PETSC_FALSE: there is none. */
static PetscBool next_pair(const char **text, char name[RHX_STRING_LENGTH], char option[RHX_STRING_LENGTH])
{
  const size_t n = strcspn(*text, ","), colon = strcspn(*text, ":");
  if (!n || colon >= n || colon == 0 || colon + 1 == n) return PETSC_FALSE;
  snprintf(name, RHX_STRING_LENGTH, "%.*s", (int)colon, *text);
  snprintf(option, RHX_STRING_LENGTH, "%.*s", (int)(n - colon - 1), *text + colon + 1);
  *text += n;
  if (**text == ',') (*text)++;
  return PETSC_TRUE;
}

/* The value of a parameter of a law that this case has, one number. */
static PetscErrorCode value_of(RhxCase rc, const char *option, double *value)
{
  const char *text = NULL;
  char *end = NULL;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n && !text; i++) {
    const char *name, *is;

    PetscCall(RhxOptionsReadGet(i, &name, &is, NULL));
    if (!strcmp(name, option) && !strncmp(option, "physics_", 8)) text = is;
  }
  if (text) *value = strtod(text, &end);
  PetscCheck(
      text && end != text && !*end, rc->comm, PETSC_ERR_USER_INPUT,
      "-sensitivity: got the option '%s', expected a parameter of a law of this case with one number (physics_...)",
      option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCheckSensitivities_Private(RhxCase rc)
{
  const char *text = rc->general.sensitivity;
  char name[RHX_STRING_LENGTH], option[RHX_STRING_LENGTH];
  PetscBool steady;
  double value;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCheck(steady, rc->comm, PETSC_ERR_USER_INPUT, "-sensitivity: got -scheme %s, expected steady",
             rc->general.scheme);
  while (*text) {
    PetscCheck(
        next_pair(&text, name, option), rc->comm, PETSC_ERR_USER_INPUT,
        "-sensitivity: got '%s', expected diagnostic:parameter, comma-separated, such as drag:physics_ptt_epsilon",
        rc->general.sensitivity);
    PetscCall(RhxDiagnosticsHas(rc->diagnostics, "-sensitivity", name));
    PetscCall(value_of(rc, option, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* slope[columns]: along dx/dp, by differences of fourth order. */
static PetscErrorCode along(RhxCase rc, RhxSensitivity s, const char *name, const char *option, double p, double h,
                            const Vec x, const Vec dx, const RhxDiagnostic **d, double **slope)
{
  static const double weight[] = {1.0, -8.0, 8.0, -1.0}, place[] = {-2.0, -1.0, 1.0, 2.0};
  const RhxDiagnosticStep step = {.step = 1, .last = PETSC_TRUE};
  Vec moved;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &moved));
  *slope = NULL;
  for (int k = 0; k < 4; k++) {
    PetscCall(VecWAXPY(moved, place[k] * h, dx, x));
    PetscCall(RhxSensitivityPlace(s, option, p + place[k] * h, moved));
    PetscCall(RhxDiagnosticsEvaluate(rc->diagnostics, name, &step, d));
    if (!*slope) PetscCall(PetscCalloc1((*d)->ncolumns, slope));
    for (PetscInt c = 0; c < (*d)->ncolumns; c++) (*slope)[c] += weight[k] / (12.0 * h) * (*d)->values[2 + c];
  }
  PetscCall(RhxSensitivityPlace(s, option, p, x));
  PetscCall(VecDestroy(&moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode one_pair(RhxCase rc, RhxSensitivity s, const char *name, const char *option, Vec x, FILE *f)
{
  const RhxDiagnostic *d;
  double p, h, *slope;
  Vec dx;

  PetscFunctionBegin;
  PetscCall(value_of(rc, option, &p));
  h = STEP * (p != 0.0 ? PetscAbs(p) : 1.0);
  PetscCall(VecDuplicate(x, &dx));
  PetscCall(RhxSensitivitySolve(s, option, p, h, dx));
  PetscCall(along(rc, s, name, option, p, h, x, dx, &d, &slope));
  for (PetscInt c = 0; c < d->ncolumns; c++) {
    if (f) fprintf(f, "%s,%s,%s,%.12g,%.12g\n", name, d->column[c], option, p, slope[c]);
    PetscCall(PetscPrintf(rc->comm, "sensitivity: d %s / d %s = %.10g\n", d->column[c], option, slope[c]));
  }
  PetscCall(PetscFree(slope));
  PetscCall(VecDestroy(&dx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSensitivities_Private(RhxCase rc)
{
  const char *text = rc->general.sensitivity;
  char name[RHX_STRING_LENGTH], option[RHX_STRING_LENGTH], problem[RHX_MESSAGE], *csv = NULL;
  size_t size = 0;
  FILE *f = NULL;
  RhxSensitivity s;
  Vec x;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rc->rank) f = open_memstream(&csv, &size);
  if (f) fprintf(f, "diagnostic,column,parameter,value,derivative\n");
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(VecCopy(rc->x, x));
  PetscCall(RhxSensitivityCreate(rc->ts, x, &s));
  while (next_pair(&text, name, option)) PetscCall(one_pair(rc, s, name, option, x, f));
  PetscCall(RhxSensitivityDestroy(&s));
  PetscCall(VecDestroy(&x));
  if (f) fclose(f);
  PetscCall(RhxOutputWriteText(rc->output, "sensitivities", "_sensitivity.csv", csv, size, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  free(csv);
  PetscFunctionReturn(PETSC_SUCCESS);
}
