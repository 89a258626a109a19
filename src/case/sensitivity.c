/* -sensitivity: derivatives of diagnostics of a steady state with respect to parameters of laws and stabilisers, the density and the
 * time of what is given. */
#include "scheme/sensitivity.h"
#include "case/impl.h"
#include "plugin/word.h"
#include <stdlib.h>

#define STEP 1e-3     /* of differences, of the parameter's scale */
#define RESOLVED 1e-4 /* error of a derivative, of itself, */
#define NOISE 1e-10   /* or of the largest value of the column's unit over a step: solves are no better */
#define NAMED 3       /* columns that are left out */

enum { METHOD_AUTO, METHOD_FORWARD, METHOD_ADJOINT }; /* in the order of -sensitivity_method */

/* Of one diagnostic: the transposed solutions of its columns. */
typedef struct Adjoints {
  char name[RHX_STRING_LENGTH];
  PetscBool told; /* which columns are left out */
  PetscInt n;
  Vec *column; /* [n]; NULL: its parameters are solved for */
  struct Adjoints *next;
} Adjoints;

/* "name:option" at *text, which moves behind its comma; PETSC_FALSE: there is none. */
static PetscBool next_pair(const char **text, char name[RHX_STRING_LENGTH], char option[RHX_STRING_LENGTH])
{
  const size_t n = strcspn(*text, ",");
  char pair[RHX_STRING_LENGTH], *colon;
  snprintf(pair, sizeof(pair), "%.*s", (int)n, *text);
  colon = strchr(pair, ':');
  if (!colon) return PETSC_FALSE;
  *colon = '\0';
  snprintf(name, RHX_STRING_LENGTH, "%s", RhxWord(pair));
  snprintf(option, RHX_STRING_LENGTH, "%s", RhxWord(colon + 1));
  *text += n;
  if (**text == ',') (*text)++;
  return (PetscBool)(name[0] && option[0]);
}

/* Of a text that is one finite number; PETSC_FALSE: it is not. */
static PetscBool read_number(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  return (PetscBool)(end != text && !*end && PetscAbs(*value) <= PETSC_MAX_REAL);
}

/* Those that RhxSteadySet may change. */
static PetscBool may_change(const char *option)
{
  return (PetscBool)(!strncmp(option, "physics_", 8) || !strncmp(option, "stabiliser_", 11) ||
                     !strcmp(option, "form_density"));
}

static const RhxRow time_row = {RHX_PARAMETER_TIME, RHX_REAL, 0, 0, "0", RHX_ANY, 0, 0, NULL, "s", ""};

/* The time of conditions and sources, of a continuation along it. */
static PetscErrorCode get_time(RhxCase rc, const char *asking, RhxCaseParameter *p)
{
  const char *along;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetParameter(rc->ts, &along, &p->value));
  PetscCheck(along && !strcmp(along, RHX_PARAMETER_TIME), rc->comm, PETSC_ERR_USER_INPUT,
             "%s: got " RHX_PARAMETER_TIME ", the time of conditions and sources, without "
             "-scheme_steady_continuation t=from:by:to, of whose last state it is; for one state t=0.7:1:0.7",
             asking);
  p->row = &time_row;
  p->how = (RhxParameter){.option = RHX_PARAMETER_TIME, .time = PETSC_TRUE, .n = 1, .factor = {1.0}};
  PetscCall(PetscStrncpy(p->name, RHX_PARAMETER_TIME, sizeof(p->name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetParameter(RhxCase rc, const char *asking, const char *option, PetscInt mode,
                                   RhxCaseParameter *p)
{
  PetscInt n;

  PetscFunctionBegin;
  if (!strcmp(option, RHX_PARAMETER_TIME)) {
    PetscCall(get_time(rc, asking, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p->how.n = 0;
  p->row = may_change(option) ? RhxOptionRow(option) : NULL;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n && p->row && p->row->kind == RHX_REAL && !p->how.n; i++) {
    const char *name, *is;

    PetscCall(RhxOptionsReadGet(i, &name, &is, NULL));
    if (!strcmp(name, option)) RhxParameterRead(option, is, mode, &p->how, &p->value);
  }
  PetscCheck(p->how.n, rc->comm, PETSC_ERR_USER_INPUT,
             "%s: got the option '%s', expected a parameter of a law or a stabiliser of this case that is a number "
             "(physics_..., stabiliser_...), form_density, or " RHX_PARAMETER_TIME
             ", the time of conditions and sources, of a continuation in it",
             asking, option);
  PetscCall(PetscStrncpy(p->name, option, sizeof(p->name)));
  if (p->how.n > 1 && mode >= 0) snprintf(p->name, sizeof(p->name), "%s_%d", option, (int)mode);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest parameter of this law in this unit, 0: there is none. */
static PetscErrorCode largest_beside(const char *option, const RhxRow *row, double *largest)
{
  const size_t prefix = strlen(option) - strlen(row->name);
  PetscInt n;

  PetscFunctionBegin;
  *largest = 0.0;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *is;
    const RhxRow *other;
    double value;

    PetscCall(RhxOptionsReadGet(i, &name, &is, NULL));
    if (strncmp(name, option, prefix)) continue;
    other = RhxOptionRow(name);
    if (!other || other->kind != RHX_REAL || !other->unit || strcmp(other->unit, row->unit)) continue;
    if (read_number(is, &value)) *largest = PetscMax(*largest, PetscAbs(value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What steps are a part of: the value, and for 0 the width of its bounds, its default, or a like parameter of its law; else 1, of its unit. */
static PetscErrorCode find_scale(const RhxCaseParameter *p, double *scale)
{
  const RhxRow *row = p->row;

  PetscFunctionBegin;
  *scale = PetscAbs(p->value);
  if (*scale == 0.0 && (row->bound == RHX_IN || row->bound == RHX_IN_RIGHT_OPEN)) *scale = row->upper - row->lower;
  if (*scale == 0.0 && row->value && read_number(row->value, scale)) *scale = PetscAbs(*scale);
  if (*scale == 0.0 && !p->how.time && row->unit && strcmp(row->unit, "1"))
    PetscCall(largest_beside(p->how.option, row, scale));
  if (!(*scale > 0.0 && *scale <= PETSC_MAX_REAL)) *scale = 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Within the parameter's bounds: about its value, or in the direction where there is room. */
static PetscErrorCode choose(RhxCase rc, const RhxCaseParameter *p, PetscBool say, RhxDifference *d)
{
  static const int ways[] = {0, 1, -1};
  PetscBool within = PETSC_FALSE;
  double h;

  PetscFunctionBegin;
  PetscCall(find_scale(p, &h));
  h *= STEP;
  for (int k = 0; k < 3 && !within; k++) {
    RhxDifferenceSet(d, p->value, h, ways[k]);
    within = (PetscBool)(RhxRowHolds(p->row, d->place[0]) && RhxRowHolds(p->row, d->place[RHX_DIFFERENCE_POINTS - 1]));
    if (within && say && (ways[k] || p->value == 0.0))
      PetscCall(PetscPrintf(rc->comm, "sensitivity: %s: %s differences with steps of %g (%s)\n", p->name,
                            ways[k] ? "one-sided" : "central", h, p->row->unit ? p->row->unit : "1"));
  }
  PetscCheck(within, rc->comm, PETSC_ERR_USER_INPUT,
             "-sensitivity: got -%s %g, expected a value that leaves 4 steps of %g to one of its bounds", p->name,
             p->value, h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a diagnostic; each mode's value is one. */
static PetscErrorCode count_parameters(RhxCase rc, const char *of, PetscInt *n)
{
  const char *text = rc->general.sensitivity;
  char name[RHX_STRING_LENGTH], option[RHX_STRING_LENGTH];
  RhxCaseParameter p;
  PetscFunctionBegin;
  *n = 0;
  while (next_pair(&text, name, option)) {
    if (strcmp(name, of)) continue;
    PetscCall(RhxCaseGetParameter(rc, "-sensitivity", option, 0, &p));
    *n += p.how.n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it found by adjoints? Error where it is to be and cannot. */
static PetscErrorCode choose_method(RhxCase rc, const char *name, PetscInt *ncolumns, PetscBool *adjoint)
{
  PetscInt nparameters;
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(count_parameters(rc, name, &nparameters));
  PetscCall(RhxDiagnosticsHasGradient(rc->diagnostics, name, ncolumns, &has));
  *adjoint = (PetscBool)(rc->general.sensitivity_method == METHOD_ADJOINT ||
                         (rc->general.sensitivity_method == METHOD_AUTO && nparameters > *ncolumns && has &&
                          RhxSensitivityHasAdjoint(rc->form)));
  PetscCheck(!*adjoint || has, rc->comm, PETSC_ERR_USER_INPUT,
             "-sensitivity_method adjoint: got the diagnostic '%s', of whose columns not all have a derivative with "
             "respect to the state here, expected forward",
             name);
  PetscCheck(!*adjoint || RhxSensitivityHasAdjoint(rc->form), rc->comm, PETSC_ERR_USER_INPUT,
             "-sensitivity_method adjoint: got projections by the lumped mass with %" PetscInt_FMT
             " corrections, expected the consistent mass (-scheme_steady_projection consistent), none, or forward",
             rc->form->corrections);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCheckSensitivities_Private(RhxCase rc)
{
  const char *text = rc->general.sensitivity;
  char name[RHX_STRING_LENGTH], option[RHX_STRING_LENGTH];
  PetscBool steady, adjoint;
  PetscInt ncolumns;
  RhxDifference by;
  RhxCaseParameter p;

  PetscFunctionBegin;
  PetscCheck(text[0] || rc->general.sensitivity_method == METHOD_AUTO, rc->comm, PETSC_ERR_USER_INPUT,
             "-sensitivity_method: got %s without -sensitivity, where it does nothing; expected -sensitivity "
             "diagnostic:parameter too, or auto",
             rc->general.sensitivity_method == METHOD_ADJOINT ? "adjoint" : "forward");
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCheck(steady, rc->comm, PETSC_ERR_USER_INPUT, "-sensitivity: got -scheme %s, expected steady",
             rc->general.scheme);
  PetscCall(RhxFormAsk(rc->form, RHX_ASK_LINEARISED, "", "")); /* found at the end of a run */
  while (*text) {
    PetscCheck(
        next_pair(&text, name, option), rc->comm, PETSC_ERR_USER_INPUT,
        "-sensitivity: got '%s', expected diagnostic:parameter, comma-separated, such as drag:physics_ptt_epsilon",
        rc->general.sensitivity);
    PetscCall(RhxDiagnosticsHas(rc->diagnostics, "-sensitivity", name));
    p.how.n = 1;
    for (PetscInt m = 0; m < p.how.n; m++) {
      PetscCall(RhxCaseGetParameter(rc, "-sensitivity", option, m, &p));
      PetscCall(choose(rc, &p, PETSC_FALSE, &by));
    }
    PetscCall(choose_method(rc, name, &ncolumns, &adjoint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A derivative in two ways, whose difference is its error. */
typedef struct {
  RhxDifference by[2];
  double *value;    /* [places][columns] along dx/dp, of the first */
  double *slope[2]; /* [columns] of each */
} Derivative;

/* K(x + dx (p' - p), p') at the places; dx NULL: 0. */
static PetscErrorCode sample(RhxCase rc, RhxSensitivity s, const char *name, const RhxCaseParameter *p,
                             const RhxDifference *by, Vec x, Vec dx, const RhxDiagnostic **d, Derivative *dd)
{
  const RhxDiagnosticStep step = {.step = 1, .last = PETSC_TRUE};
  Vec moved;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &moved));
  PetscCall(VecCopy(x, moved));
  for (int k = 0; k < RHX_DIFFERENCE_POINTS; k++) {
    if (dx) PetscCall(VecWAXPY(moved, by->place[k] - p->value, dx, x));
    PetscCall(RhxSensitivityPlace(s, &p->how, by->place[k], moved));
    PetscCall(RhxDiagnosticsEvaluate(rc->diagnostics, name, &step, d));
    if (!dd->value) PetscCall(PetscMalloc1(RHX_DIFFERENCE_POINTS * (*d)->ncolumns, &dd->value));
    PetscCall(PetscArraycpy(dd->value + k * (*d)->ncolumns, (*d)->values + 2, (*d)->ncolumns));
  }
  PetscCall(RhxSensitivityPlace(s, &p->how, p->value, x));
  PetscCall(RhxDiagnosticsEvaluate(rc->diagnostics, name, &step, d)); /* what it tells at the end is of x */
  PetscCall(VecDestroy(&moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of the first way stay. By adjoints the differences are of K(x, p'), and the rest is -adjoint.dF/dp. */
static PetscErrorCode differentiate(RhxCase rc, RhxSensitivity s, const Adjoints *adjoints, const RhxCaseParameter *p,
                                    Vec x, const RhxDiagnostic **d, Derivative *dd)
{
  const PetscBool forward = (PetscBool)!adjoints->column;
  Vec dx;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &dx));
  for (int k = 1; k >= 0; k--) {
    const RhxDifference *by = &dd->by[k];
    PetscCall(forward ? RhxSensitivitySolve(s, &p->how, p->value, by, dx)
                      : RhxSensitivityChange(s, &p->how, p->value, by, dx));
    PetscCall(sample(rc, s, adjoints->name, p, by, x, forward ? dx : NULL, d, dd));
    PetscCall(PetscCalloc1((*d)->ncolumns, &dd->slope[k]));
    for (PetscInt c = 0; c < (*d)->ncolumns; c++) {
      PetscScalar rest = 0.0;
      if (!forward) PetscCall(VecDot(dx, adjoints->column[c], &rest));
      dd->slope[k][c] = -rest;
      for (int i = 0; i < RHX_DIFFERENCE_POINTS; i++)
        dd->slope[k][c] += by->weight[i] * dd->value[i * (*d)->ncolumns + c];
    }
  }
  PetscCall(VecDestroy(&dx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the state is x and parameters are theirs. */
static PetscErrorCode solve_adjoints(RhxCase rc, RhxSensitivity s, Vec x, Adjoints *a)
{
  Vec state, reactions;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(a->n, &a->column));
  PetscCall(VecDuplicate(x, &state));
  PetscCall(VecDuplicate(x, &reactions));
  for (PetscInt c = 0; c < a->n; c++) {
    PetscCall(VecZeroEntries(state));
    PetscCall(VecZeroEntries(reactions));
    PetscCall(RhxDiagnosticsGradient(rc->diagnostics, a->name, c, state, reactions));
    PetscCall(VecDuplicate(x, &a->column[c]));
    PetscCall(RhxSensitivitySolveAdjoint(s, state, reactions, a->column[c]));
  }
  PetscCall(VecDestroy(&state));
  PetscCall(VecDestroy(&reactions));
  PetscCall(PetscPrintf(rc->comm, "sensitivity: %s by %" PetscInt_FMT " adjoint solves\n", a->name, a->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of a diagnostic, in the list once it has been asked for. */
static PetscErrorCode find_adjoints(RhxCase rc, RhxSensitivity s, const char *name, Vec x, Adjoints **list,
                                    Adjoints **out)
{
  Adjoints *a = *list;
  PetscBool adjoint;

  PetscFunctionBegin;
  while (a && strcmp(a->name, name)) a = a->next;
  if (!a) {
    PetscCall(PetscNew(&a));
    PetscCall(PetscStrncpy(a->name, name, sizeof(a->name)));
    a->next = *list;
    *list = a;
    PetscCall(choose_method(rc, name, &a->n, &adjoint));
    if (adjoint) PetscCall(solve_adjoints(rc, s, x, a));
  }
  *out = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_adjoints(Adjoints **list)
{
  PetscFunctionBegin;
  while (*list) {
    Adjoints *a = *list;
    *list = a->next;
    for (PetscInt c = 0; a->column && c < a->n; c++) PetscCall(VecDestroy(&a->column[c]));
    PetscCall(PetscFree(a->column));
    PetscCall(PetscFree(a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest value among the columns of the unit of column c, of which one may be 0 by symmetry. */
static double size_of(const Derivative *dd, const RhxDiagnostic *d, PetscInt c)
{
  double size = 0.0;

  for (PetscInt k = 0; k < d->ncolumns; k++)
    if (!strcmp(d->unit[k], d->unit[c])) size = PetscMax(size, PetscAbs(dd->value[2 * d->ncolumns + k]));
  return size;
}

/* A row, and a line; what is not resolved is told. */
static PetscErrorCode tell(RhxCase rc, const Derivative *dd, const RhxDiagnostic *d, PetscInt c,
                           const RhxCaseParameter *p, FILE *f)
{
  const double slope = dd->slope[0][c], error = PetscAbs(slope - dd->slope[1][c]),
               noise = NOISE * size_of(dd, d, c) / PetscAbs(dd->by[0].place[3] - dd->by[0].place[2]);

  PetscFunctionBegin;
  if (f) fprintf(f, "%s,%s,%s,%.12g,%.12g,%.3g\n", d->name, d->column[c], p->name, p->value, slope, error);
  PetscCall(PetscPrintf(rc->comm, "sensitivity: d %s / d %s = %.10g\n", d->column[c], p->name, slope));
  if (!(error <= PetscMax(RESOLVED * PetscAbs(slope), noise)))
    PetscCall(
        PetscPrintf(rc->comm,
                    "sensitivity: warning: d %s / d %s is not resolved: got %.4g and an error of %.2g, expected a "
                    "column that is differentiable here (not the place of an extremum, or one that jumps)\n",
                    d->column[c], p->name, slope, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another way, of the same order: in one direction where steps go in both, else with half of them. */
static void choose_other(const RhxCaseParameter *p, const RhxDifference *by, RhxDifference *other)
{
  const double h = by->place[1] - by->place[0];
  const PetscBool both = (PetscBool)(by->weight[2] == 0.0);
  static const int ways[] = {1, -1};

  for (int k = 0; both && k < 2; k++) {
    RhxDifferenceSet(other, p->value, h, ways[k]);
    if (RhxRowHolds(p->row, other->place[RHX_DIFFERENCE_POINTS - 1])) return;
  }
  RhxDifferenceSet(other, p->value, 0.5 * PetscAbs(h), both ? 0 : h < 0.0 ? -1 : 1);
}

/* Such as the place of a vortex where there is none. */
static PetscBool has_value(const RhxDiagnostic *d, PetscInt c)
{
  return PetscNot(PetscIsInfOrNanReal(d->values[2 + c]));
}

static PetscErrorCode tell_left_out(RhxCase rc, const RhxDiagnostic *d, Adjoints *adjoints)
{
  char names[512] = "";
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < d->ncolumns; c++) {
    const size_t used = strlen(names);
    if (has_value(d, c)) continue;
    if (n++ < NAMED) snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", d->column[c]);
  }
  if (n && !adjoints->told)
    PetscCall(PetscPrintf(rc->comm,
                          "sensitivity: %" PetscInt_FMT " of %" PetscInt_FMT
                          " columns of '%s' have no value in this state, and no derivative: %s%s\n",
                          n, d->ncolumns, d->name, names, n > NAMED ? " and others" : ""));
  adjoints->told = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode one_parameter(RhxCase rc, RhxSensitivity s, Adjoints *adjoints, const RhxCaseParameter *p, Vec x,
                                    FILE *f)
{
  Derivative dd = {0};
  const RhxDiagnostic *d;

  PetscFunctionBegin;
  PetscCall(choose(rc, p, PETSC_TRUE, &dd.by[0]));
  choose_other(p, &dd.by[0], &dd.by[1]);
  PetscCall(differentiate(rc, s, adjoints, p, x, &d, &dd));
  PetscCall(tell_left_out(rc, d, adjoints));
  for (PetscInt c = 0; c < d->ncolumns; c++)
    if (has_value(d, c)) PetscCall(tell(rc, &dd, d, c, p, f));
  for (int k = 0; k < 2; k++) PetscCall(PetscFree(dd.slope[k]));
  PetscCall(PetscFree(dd.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One a mode, where modes have values of their own. */
static PetscErrorCode one_pair(RhxCase rc, RhxSensitivity s, Adjoints *adjoints, const char *option, Vec x, FILE *f)
{
  RhxCaseParameter p;

  PetscFunctionBegin;
  p.how.n = 1;
  for (PetscInt m = 0; m < p.how.n; m++) {
    PetscCall(RhxCaseGetParameter(rc, "-sensitivity", option, m, &p));
    PetscCall(one_parameter(rc, s, adjoints, &p, x, f));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSensitivities_Private(RhxCase rc)
{
  const char *text = rc->general.sensitivity;
  char name[RHX_STRING_LENGTH], option[RHX_STRING_LENGTH], problem[RHX_MESSAGE], *csv = NULL;
  size_t size = 0;
  FILE *f = NULL;
  RhxSensitivity s;
  Adjoints *list = NULL, *adjoints = NULL;
  Vec x;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rc->rank) f = open_memstream(&csv, &size);
  if (f) fprintf(f, "diagnostic,column,parameter,value,derivative,error\n");
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(VecCopy(rc->x, x));
  PetscCall(RhxSensitivityCreate(rc->ts, x, &s));
  while (next_pair(&text, name, option)) {
    PetscCall(find_adjoints(rc, s, name, x, &list, &adjoints));
    PetscCall(one_pair(rc, s, adjoints, option, x, f));
  }
  PetscCall(free_adjoints(&list));
  PetscCall(RhxSensitivityDestroy(&s));
  PetscCall(VecDestroy(&x));
  if (f) fclose(f);
  PetscCall(RhxOutputWriteText(rc->output, "sensitivities", "_sensitivity.csv", csv, size, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  free(csv);
  PetscFunctionReturn(PETSC_SUCCESS);
}
