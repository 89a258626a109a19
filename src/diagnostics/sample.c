#include "boundary/csv.h"
#include "diagnostics/near_impl.h"
#include "diagnostics/sample_impl.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is this one of the words of a comma-separated text? */
static PetscBool names_it(const char *text, const char *name)
{
  const size_t n = strlen(name);

  for (const char *at = text; (at = strstr(at, name)); at += n)
    if ((at == text || at[-1] == ',' || at[-1] == ' ') && (!at[n] || at[n] == ',' || at[n] == ' ')) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscInt RhxFieldSampleCount(const RhxFieldSample *s, PetscInt i)
{
  const RhxQuantity *q = &s->all->item[s->which[i]];

  return q->components == 3 && !q->slope && !s->whole ? s->all->form->space->dim
                                                      : q->components; /* vorticity has all */
}

PetscBool RhxFieldSampleIsState(const RhxFieldSample *s, PetscInt i, PetscInt *at)
{
  PetscInt offset, before = 0;

  for (PetscInt k = 0; at && k < i; k++)
    if (RhxQuantityIsState(s->all, s->which[k], &offset)) before += RhxFieldSampleCount(s, k);
  if (at) *at = before;
  return RhxQuantityIsState(s->all, s->which[i], &offset);
}

static PetscErrorCode list_state(RhxFieldSample *s)
{
  const RhxSpace space = s->all->form->space;
  PetscInt offset;

  PetscFunctionBegin;
  s->state.width = (int)space->bs;
  for (PetscInt i = 0; i < s->n; i++)
    for (PetscInt c = 0; RhxQuantityIsState(s->all, s->which[i], &offset) && c < RhxFieldSampleCount(s, i); c++) {
      PetscCheck(s->state.n < RHX_NODAL_MOST, space->comm, PETSC_ERR_SUP,
                 "A diagnostic looks at more than %d components of the state: got more, expected fewer fields",
                 RHX_NODAL_MOST);
      if (s->whole && s->all->item[s->which[i]].components == 3 && c == space->dim)
        s->state.at[s->state.n++] = (int)(s->all->form->first_scalar + s->all->form->swirl);
      else
        s->state.at[s->state.n++] = (int)(offset + c);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleTakeSwirl(RhxFieldSample *s)
{
  PetscFunctionBegin;
  s->whole = (PetscBool)(s->all->form->swirl >= 0);
  s->state.n = 0;
  PetscCall(list_state(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleCreate(RhxDiagnostic *d, const char *names)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  RhxFieldSample *s;
  PetscInt n = 0;
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  d->sample = s;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_fields", d->name));
  PetscCall(RhxQuantitiesCreate(run->form, &s->all));
  PetscCall(RhxQuantitiesSelect(s->all, option, names, &s->n, &s->which));
  PetscCheck(s->n, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT, "%s: got no field, expected names of fields", option);
  for (PetscInt i = 0; i < s->n; i++) {
    const RhxQuantity *q = &s->all->item[s->which[i]];
    PetscCheck(!q->cell || !names_it(names, q->name), RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
               "%s: got '%s', which has a value an element, expected fields of nodes", option, q->name);
    if (q->cell) continue;
    if (q->slope) s->slope = PETSC_TRUE;
    s->which[n] = s->which[i];
    s->ncomponents += RhxFieldSampleCount(s, n++);
  }
  s->n = n;
  PetscCall(list_state(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void describe_point(PetscInt dim, const PetscReal *x, size_t size, char *text)
{
  snprintf(text, size, dim == 2 ? "(%g, %g)" : "(%g, %g, %g)", x[0], x[1], dim == 3 ? x[2] : 0.0);
}

/* Velocity gradients at the nodes of the points' elements are made from all elements that touch these, on any rank. */
static PetscErrorCode list_slopes(RhxFieldSample *s)
{
  const RhxPlaces *places = s->places;
  const RhxSpace space = s->all->form->space;
  PetscScalar *flag, *near;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(space->nlocal, &flag, space->nlocal, &near));
  for (PetscInt i = 0; i < places->nmine; i++)
    for (PetscInt a = 0; a < places->nn[i]; a++) flag[places->node[8 * i + a]] = 1;
  PetscCall(RhxMarkShare(space, flag));
  RhxMarkTouched(space, flag, near);
  PetscCall(RhxMarkList(space, near, &s->nodes));
  PetscCall(PetscFree2(flag, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_nodes(RhxFieldSample *s)
{
  const RhxPlaces *places = s->places;
  PetscInt n = 0, *list;

  PetscFunctionBegin;
  if (s->slope) {
    PetscCall(list_slopes(s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(8 * places->nmine, &s->at));
  PetscCall(PetscMalloc1(8 * places->nmine, &list));
  for (PetscInt i = 0; i < places->nmine; i++)
    for (PetscInt a = 0; a < places->nn[i]; a++) list[n++] = places->node[8 * i + a];
  PetscCall(PetscSortRemoveDupsInt(&n, list));
  for (PetscInt i = 0; i < places->nmine; i++)
    for (PetscInt a = 0; a < places->nn[i]; a++)
      PetscCall(PetscFindInt(places->node[8 * i + a], n, list, &s->at[8 * i + a]));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, list, PETSC_COPY_VALUES, &s->nodes));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleSetPlaces(RhxFieldSample *s, RhxPlaces *places)
{
  PetscFunctionBegin;
  s->places = places;
  PetscCall(list_nodes(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleSetPoints(RhxDiagnostic *d, RhxFieldSample *s, PetscInt n, const PetscReal *x,
                                       const char *option)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscInt dim = space->dim;
  char where[128], near[128];

  PetscFunctionBegin;
  PetscCall(RhxSpaceLocate(space, n, x, &s->places));
  for (PetscInt k = 0; k < n; k++) {
    double r = 0;
    if (s->places->found[k]) continue;
    for (PetscInt i = 0; i < dim; i++) r += PetscSqr(x[k * dim + i] - s->places->near[k][i]);
    describe_point(dim, x + k * dim, sizeof(where), where);
    describe_point(dim, s->places->near[k], sizeof(near), near);
    SETERRQ(RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
            "%s: got the point %s, which is outside the mesh, expected one inside; the nearest node is %s, %g m away",
            option, where, near, PetscSqrtReal(r));
  }
  PetscCall(list_nodes(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReadNumbers(MPI_Comm comm, const char *option, const char *text, PetscInt group, PetscInt *n,
                              PetscReal **x)
{
  const char *at = text;
  PetscInt count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(strlen(text) / 2 + 1, x));
  while (*(at += strspn(at, " ,;[]"))) {
    char *end;
    (*x)[count++] = strtod(at, &end);
    PetscCheck(end > at && strchr(" ,;[]", *end) && PetscAbsReal((*x)[count - 1]) < PETSC_MAX_REAL, comm,
               PETSC_ERR_USER_INPUT, "%s: got '%.60s', expected a number", option, at);
    at = end;
  }
  PetscCheck(count && count % group == 0, comm, PETSC_ERR_USER_INPUT,
             "%s: got %" PetscInt_FMT " numbers, expected %" PetscInt_FMT " a point or vector, such as '%s'", option,
             count, group, group == 2 ? "0.1,0.2; 0.3,0.4" : "0.1,0.2,0.3; 0.4,0.5,0.6");
  *n = count / group;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReadPoints(RhxDiagnostic *d, const char *points, const char *file, char option[256], PetscInt *n,
                             PetscReal **x)
{
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  RhxCsv csv = {0};

  PetscFunctionBegin;
  PetscCheck(!points[0] || !file[0], RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s: got points and points_file, expected one of them", d->name);
  PetscCall(PetscSNPrintf(option, 256, "-diagnostic_%s_points%s", d->name, file[0] ? "_file" : ""));
  if (!file[0]) {
    PetscCall(RhxReadNumbers(RhxDiagnosticGetComm(d), option, points, dim, n, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxCsvRead(RhxDiagnosticGetComm(d), option + 1, file, dim == 2 ? "x,y" : "x,y,z", &csv));
  PetscCheck(csv.n, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT, "%s: %s: got no rows, expected points", option,
             file);
  *n = csv.n;
  PetscCall(PetscMalloc1(csv.n * dim, x));
  PetscCall(PetscArraycpy(*x, csv.value, csv.n * dim));
  PetscCall(RhxCsvFree(&csv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleCreateAt(RhxDiagnostic *d, const char *names, const char *points, const char *file,
                                      PetscInt *n)
{
  char option[256];
  PetscReal *x;

  PetscFunctionBegin;
  PetscCall(RhxReadPoints(d, points, file, option, n, &x));
  PetscCall(RhxFieldSampleCreate(d, names));
  PetscCall(RhxFieldSampleSetPoints(d, d->sample, *n, x, option));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxFieldSampleName(const RhxFieldSample *s, PetscInt i, PetscInt c, size_t size, char *name)
{
  const RhxQuantity *q = &s->all->item[s->which[i]];

  snprintf(name, size, "%s%s%s", q->name, q->component ? "_" : "", q->component ? q->component[c] : "");
  for (char *at = name + strlen(q->name); *at; at++) *at = (char)tolower((unsigned char)*at);
}

/* A unit times m^power, such as m^3/s of m/s and 2, m^3 Pa of Pa and 3. */
static void times_length(const char *unit, PetscInt power, size_t size, char *text)
{
  if (!power)
    snprintf(text, size, "%s", unit);
  else if (unit[0] == '1' && (!unit[1] || unit[1] == '/'))
    snprintf(text, size, "m^%d%s", (int)power, unit + 1);
  else if (unit[0] == 'm' && (!unit[1] || unit[1] == '/'))
    snprintf(text, size, "m^%d%s", (int)power + 1, unit + 1);
  else
    snprintf(text, size, "m^%d %s", (int)power, unit);
}

PetscErrorCode RhxFieldSampleAddColumns(RhxDiagnostic *d, const RhxFieldSample *s, PetscInt power, const char *after)
{
  char name[128], column[256], unit[128];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++)
    for (PetscInt c = 0; c < RhxFieldSampleCount(s, i); c++) {
      RhxFieldSampleName(s, i, c, sizeof(name), name);
      PetscCall(PetscSNPrintf(column, sizeof(column), "%s%s", name, after));
      times_length(s->all->item[s->which[i]].unit, power, sizeof(unit), unit);
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, unit));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_slopes(RhxForm form, RhxFieldSample *s)
{
  const RhxSpace space = form->space;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)space->nlocal * PetscSqr(RhxGradientSize(space)), &s->L));
  PetscCall(RhxVelocityGradient(form, s->x, s->L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleLoad(RhxDiagnostic *d, RhxFieldSample *s, PetscBool all)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  PetscInt first = form->space->bs, end = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++)
    if (all || !RhxFieldSampleIsState(s, i, NULL)) RhxQuantityExtend(s->all, s->which[i], &first, &end);
  if (first >= end) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDiagnosticGetLocalPart(d, first, end, &s->x));
  if (s->slope) PetscCall(find_slopes(form, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleUnload(RhxFieldSample *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->x));
  PetscCall(PetscFree(s->L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PetscScalar *RhxFieldSampleAtNode(const RhxFieldSample *s, PetscInt i, PetscInt a)
{
  const size_t node = s->places->node[8 * i + a], from = s->slope ? node : (size_t)s->at[8 * i + a];
  return s->x + from * s->all->form->space->bs;
}

/* Adds the fields at place i of this rank to out[ncomponents]: by the values at the nodes of its element, weighed by N. */
static PetscErrorCode at_place(RhxSpace space, const RhxFieldSample *s, PetscInt i, const PetscReal *N, double *out)
{
  const PetscInt bs = space->bs, nL = PetscSqr(RhxGradientSize(space)), nn = s->places->nn[i];
  PetscScalar *x, L[8 * 9];
  double values[8 * 6];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nn * bs, &x));
  for (PetscInt a = 0; a < nn; a++) {
    PetscCall(PetscArraycpy(x + a * bs, RhxFieldSampleAtNode(s, i, a), bs));
    if (s->slope) PetscCall(PetscArraycpy(L + a * nL, s->L + (size_t)s->places->node[8 * i + a] * nL, nL));
  }
  for (PetscInt k = 0; k < s->n; k++) {
    const PetscInt n = s->all->item[s->which[k]].components;
    PetscCall(RhxQuantityEvaluate(s->all, s->which[k], nn, x, L, values));
    for (PetscInt a = 0; a < nn; a++)
      for (PetscInt c = 0; c < RhxFieldSampleCount(s, k); c++) out[c] += N[a] * values[a * n + c];
    out += RhxFieldSampleCount(s, k);
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleFetch(RhxDiagnostic *d, RhxFieldSample *s)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  PetscInt n;

  PetscFunctionBegin;
  if (s->slope) {
    PetscCall(RhxDiagnosticGetStateAt(d, s->nodes, &s->x));
    PetscCall(find_slopes(run->form, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ISGetLocalSize(s->nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * run->form->space->bs + 1, &s->x));
  PetscCall(RhxSchemeFetchState(run->ts, s->nodes, s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleSum(const RhxFieldSample *s, const PetscReal *N, double *out)
{
  const RhxSpace space = s->all->form->space;
  const PetscInt total = s->places->n * s->ncomponents;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(out, total));
  for (PetscInt i = 0; i < s->places->nmine; i++)
    PetscCall(at_place(space, s, i, N + 8 * i, out + s->places->point[i] * s->ncomponents));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, out, (PetscMPIInt)total, MPI_DOUBLE, MPI_SUM, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleEvaluate(RhxDiagnostic *d, RhxFieldSample *s, double *out)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldSampleFetch(d, s));
  PetscCall(RhxFieldSampleSum(s, s->places->N, out));
  PetscCall(RhxFieldSampleUnload(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleDestroy(RhxFieldSample **s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFieldSampleUnload(*s));
  PetscCall(RhxPlacesDestroy(&(*s)->places));
  PetscCall(RhxQuantitiesDestroy(&(*s)->all));
  PetscCall(PetscFree((*s)->which));
  PetscCall(PetscFree((*s)->at));
  PetscCall(ISDestroy(&(*s)->nodes));
  PetscCall(PetscFree(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
