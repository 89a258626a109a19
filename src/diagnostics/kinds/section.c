/* Flow through a plane inside the domain: its flux, and means of fields over it. */
#include "diagnostics/gradient_impl.h"
#include "diagnostics/sample_impl.h"
#include "petsc_compat.h"
#include "space/cut.h"
#include <stddef.h>

typedef struct {
  char point[RHX_STRING_LENGTH], normal[RHX_STRING_LENGTH], fields[RHX_STRING_LENGTH];
  double radius;
  int bulk;
  PetscReal n[3];
  RhxCut *cut;     /* owned but for its places, which are the sample's */
  PetscReal *flow; /* [nmine][8] the integral of N_a u.n over a place, owned */
} Options;

static const RhxRow rows[] = {
    {"point", RHX_STRING, 0, offsetof(Options, point), "", RHX_ANY, 0, 0, NULL, "m",
     "a point of the plane, such as 0.1,0,0"},
    {"normal", RHX_STRING, 0, offsetof(Options, normal), "", RHX_ANY, 0, 0, NULL, "1",
     "a vector across the plane, of any length; flow along it counts positive; of a plane in faces of elements those "
     "behind it count"},
    {"radius", RHX_REAL, 0, offsetof(Options, radius), "0", RHX_GE, 0, 0, NULL, "m",
     "only elements whose centres are so near to the point: one of several branches that the plane cuts; 0: all"},
    {"bulk", RHX_BOOL, 0, offsetof(Options, bulk), "false", RHX_ANY, 0, 0, NULL, "1",
     "true: columns <field>_bulk too, means by the flow, integral of f u.n over the flux: of a temperature that of the "
     "mixing cup"},
    RHX_FIELDS_ROW(Options, fields, "velocity,pressure"),
};

static PetscErrorCode read_vector(RhxDiagnostic *d, const char *name, const char *text, PetscReal v[3])
{
  char option[256];
  PetscReal *x;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_%s", d->name, name));
  PetscCall(RhxReadNumbers(RhxDiagnosticGetComm(d), option, text, RhxDiagnosticGetDimension(d), &n, &x));
  PetscCheck(n == 1, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT, "%s: got %" PetscInt_FMT " of them, expected one",
             option, n);
  PetscCall(PetscArraycpy(v, x, RhxDiagnosticGetDimension(d)));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of elements that are cut have the velocity too. */
static PetscErrorCode create_sample(RhxDiagnostic *d, const Options *o)
{
  char names[RHX_STRING_LENGTH + 16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(names, sizeof(names), "velocity,%s", o->fields));
  PetscCall(RhxFieldSampleCreate(d, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscInt power = space->dim == 2 && !space->axisymmetric ? 1 : 2;
  Options *o = d->own;
  PetscReal point[3], most = 0, size = 0;

  PetscFunctionBegin;
  PetscCall(read_vector(d, "point", o->point, point));
  PetscCall(read_vector(d, "normal", o->normal, o->n));
  for (PetscInt i = 0; i < space->dim; i++) most = PetscMax(most, PetscAbsReal(o->n[i]));
  for (PetscInt i = 0; i < space->dim && most > 0; i++) size += PetscSqr(o->n[i] / most);
  PetscCheck(size > 0, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_normal: got '%s', expected a vector that is not zero", d->name, o->normal);
  for (PetscInt i = 0; i < space->dim; i++) o->n[i] = o->n[i] / most / PetscSqrtReal(size);
  PetscCall(RhxSpaceCut(space, point, o->n, o->radius, &o->cut));
  PetscCheck(o->cut->area > 0, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_point, _normal: got a plane through '%s' across '%s' that cuts no element%s, expected one "
             "inside the mesh",
             d->name, o->point, o->normal, o->radius > 0 ? " within _radius" : "");
  if (o->cut->severed)
    PetscCall(PetscFPrintf(RhxDiagnosticGetComm(d), PETSC_STDERR,
                           "rheoplex: warning: -diagnostic_%s_radius: got %g m, which cuts through a section: elements "
                           "beside those that count are left out; expected one that holds all of the branch, or 0\n",
                           d->name, o->radius));
  PetscCall(create_sample(d, o));
  PetscCall(RhxFieldSampleSetPlaces(d->sample, o->cut->places));
  PetscCall(PetscMalloc1(8 * o->cut->places->nmine + 1, &o->flow));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "area", power == 1 ? "m" : "m^2"));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "flux", power == 1 ? "m^2/s" : "m^3/s"));
  PetscCall(RhxFieldSampleAddColumns(d, d->sample, 0, "_mean"));
  if (o->bulk) PetscCall(RhxFieldSampleAddColumns(d, d->sample, 0, "_bulk"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* flow and, of all ranks, the flux. */
static PetscErrorCode find_flow(RhxDiagnostic *d, double *flux)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const Options *o = d->own;
  const RhxPlaces *places = d->sample->places;

  PetscFunctionBegin;
  *flux = 0;
  for (PetscInt i = 0; i < places->nmine; i++) {
    PetscReal through[8] = {0};
    for (PetscInt a = 0; a < places->nn[i]; a++) {
      const PetscScalar *x = RhxFieldSampleAtNode(d->sample, i, a) + first;
      for (PetscInt c = 0; c < space->dim; c++) through[a] += PetscRealPart(x[c]) * o->n[c];
      *flux += places->N[8 * i + a] * through[a];
    }
    for (PetscInt a = 0; a < places->nn[i]; a++) {
      o->flow[8 * i + a] = 0;
      for (PetscInt b = 0; b < places->nn[i]; b++)
        o->flow[8 * i + a] += o->cut->product[64 * i + 8 * a + b] * through[b];
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flux, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const Options *o = d->own;
  const PetscInt n = d->sample->ncomponents;
  double *mean = values + 2, *bulk = mean + n;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxFieldSampleFetch(d, d->sample));
  PetscCall(find_flow(d, &values[1]));
  PetscCall(RhxFieldSampleSum(d->sample, d->sample->places->N, mean));
  if (o->bulk) PetscCall(RhxFieldSampleSum(d->sample, o->flow, bulk));
  PetscCall(RhxFieldSampleUnload(d->sample));
  values[0] = o->cut->area;
  for (PetscInt c = 0; c < n; c++) mean[c] /= values[0];
  for (PetscInt c = 0; c < n && o->bulk; c++) bulk[c] /= values[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds factor N_a of all places to component `at` of the state. */
static PetscErrorCode add_gradient(RhxDiagnostic *d, PetscInt at, double factor, Vec x)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const RhxPlaces *places = d->sample->places;
  PetscScalar *slope;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &slope));
  for (PetscInt i = 0; i < places->nmine; i++)
    for (PetscInt a = 0; a < places->nn[i]; a++) slope[places->node[8 * i + a]] += factor * places->N[8 * i + a];
  PetscCall(RhxGradientAdd(space, at, 1, slope, x));
  PetscCall(PetscFree(slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of fields that are parts of the state; not of means by the flow. */
static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscInt n = d->sample->ncomponents;
  const Options *o = d->own;

  PetscFunctionBegin;
  (void)reactions;
  *there = (PetscBool)(d->sample->state.n == n && !o->bulk);
  if (!x || column == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < space->dim && column == 1; i++)
    PetscCall(add_gradient(d, RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY) + i, o->n[i], x));
  if (column > 1) PetscCall(add_gradient(d, d->sample->state.at[column - 2], 1.0 / o->cut->area, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  if (o->cut && d->sample && d->sample->places) o->cut->places = NULL;
  PetscCall(RhxCutDestroy(&o->cut));
  PetscCall(PetscFree(o->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_section = {
    .entry = {sizeof(RhxDiagnosticType), "section",
              "flux through a plane inside the domain, in 2D through a line, m^3/s (2D: m^2/s), and means of fields "
              "over it: "
              "columns area, flux, <field>_mean"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy,
    .gradient = gradient};
