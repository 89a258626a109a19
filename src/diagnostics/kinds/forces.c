/* Forces and torques on labels: by consistent reactions, and their parts by the surface integral. */
#include "diagnostics/gradient_impl.h"
#include "diagnostics/sample_impl.h"
#include "diagnostics/traction_impl.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  char centre[RHX_STRING_LENGTH], drag[RHX_STRING_LENGTH], lift[RHX_STRING_LENGTH];
  int parts, torque, coefficients;
  double density, velocity, length, area;
  double at[3], along[2][3]; /* centre; directions of drag and lift */
  double unit;               /* velocity^2 area / 2; times the density: the force of a coefficient of 1 */
  RhxLabelForce *force;      /* [nlabels] owned */
} Options;

static const RhxRow rows[] = {
    RHX_LABEL_ROW(Options, labels.label),
    {"parts", RHX_BOOL, 0, offsetof(Options, parts), "false", RHX_ANY, 0, 0, NULL, "1",
     "parts of pressure, solvent and polymer too, by the surface integral: of first order at walls"},
    {"torque", RHX_BOOL, 0, offsetof(Options, torque), "false", RHX_ANY, 0, 0, NULL, "1",
     "torque about the centre too, by reactions (with swirl about the axis); with parts by the surface integral too"},
    {"centre", RHX_STRING, 0, offsetof(Options, centre), "", RHX_ANY, 0, 0, NULL, "m",
     "centre of the torque, such as 0.2,0.2 (default: the origin)"},
    {"coefficients", RHX_BOOL, 0, offsetof(Options, coefficients), "false", RHX_ANY, 0, 0, NULL, "1",
     "c_D and c_L too: force along drag_direction and lift_direction over density velocity^2 area / 2"},
    {"drag_direction", RHX_STRING, 0, offsetof(Options, drag), "", RHX_ANY, 0, 0, NULL, "1",
     "direction of c_D, of any length (default: x)"},
    {"lift_direction", RHX_STRING, 0, offsetof(Options, lift), "", RHX_ANY, 0, 0, NULL, "1",
     "direction of c_L, of any length (default: y)"},
    {"reference_density", RHX_REAL, 0, offsetof(Options, density), "0", RHX_GE, 0, 0, NULL, "kg/m^3",
     "density of the coefficients (0: that of the fluid, -form_density; along a continuation in it that of each "
     "state)"},
    {"reference_velocity", RHX_REAL, 0, offsetof(Options, velocity), "0", RHX_GE, 0, 0, NULL, "m/s",
     "velocity of the coefficients (0: -case_velocity)"},
    {"reference_length", RHX_REAL, 0, offsetof(Options, length), "0", RHX_GE, 0, 0, NULL, "m",
     "length of the coefficients, in 2D their area (0: -case_length)"},
    {"reference_area", RHX_REAL, 0, offsetof(Options, area), "0", RHX_GE, 0, 0, NULL, "m^2",
     "area of the coefficients in 3D and axisymmetric flow (0: reference_length squared)"},
};

static PetscErrorCode read_vector(RhxDiagnostic *d, const char *name, const char *text, double out[3])
{
  char option[256];
  PetscReal *x;
  PetscInt n;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_%s", d->name, name));
  PetscCall(RhxReadNumbers(RhxDiagnosticGetComm(d), option, text, RhxDiagnosticGetDimension(d), &n, &x));
  for (PetscInt i = 0; i < RhxDiagnosticGetDimension(d); i++) out[i] = x[i];
  PetscCall(PetscFree(x));
  PetscCheck(n == 1, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT, "%s: got %" PetscInt_FMT " vectors, expected one",
             option, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_direction(RhxDiagnostic *d, const char *name, const char *text, double out[3])
{
  double size;

  PetscFunctionBegin;
  if (text[0]) out[0] = out[1] = out[2] = 0;
  PetscCall(read_vector(d, name, text, out));
  size = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
  PetscCheck(size > 0, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_%s: got '%s', expected a vector other than zero", d->name, name, text);
  for (int i = 0; i < 3; i++) out[i] /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_references(RhxDiagnostic *d, Options *o)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const double u = o->velocity > 0 ? o->velocity : run->velocity;
  const double length = o->length > 0 ? o->length : run->length;
  const PetscBool plane = (PetscBool)(RhxDiagnosticGetDimension(d) == 2 && !run->form->space->axisymmetric);

  PetscFunctionBegin;
  o->along[0][0] = o->along[1][1] = 1;
  PetscCall(read_vector(d, "centre", o->centre, o->at));
  PetscCall(read_direction(d, "drag_direction", o->drag, o->along[0]));
  PetscCall(read_direction(d, "lift_direction", o->lift, o->along[1]));
  o->unit = u * u * (plane ? length : o->area > 0 ? o->area : length * length) / 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that say nothing without another one, unless that is switched off by will, or in the plane. */
static PetscErrorCode check_idle(RhxDiagnostic *d, const Options *o, PetscBool plane)
{
  const struct {
    const char *name;
    PetscBool given, read;
    const char *with;
  } list[] = {{"centre", o->centre[0] != 0, o->torque != 0, "torque"},
              {"drag_direction", o->drag[0] != 0, o->coefficients != 0, "coefficients"},
              {"lift_direction", o->lift[0] != 0, o->coefficients != 0, "coefficients"},
              {"reference_density", o->density > 0, o->coefficients != 0, "coefficients"},
              {"reference_velocity", o->velocity > 0, o->coefficients != 0, "coefficients"},
              {"reference_length", o->length > 0, o->coefficients != 0, "coefficients"},
              {"reference_area", o->area > 0, o->coefficients != 0, "coefficients"}};
  char option[300];

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof(list) / sizeof(*list); k++) {
    PetscBool off;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_%s", d->name, list[k].with));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &off));
    PetscCheck(!list[k].given || list[k].read || off, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
               "-diagnostic_%s_%s: got it without what reads it, expected it with %s true", d->name, list[k].name,
               option);
  }
  PetscCheck(!plane || !(o->area > 0), RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_reference_area: got an area in plane flow, whose coefficients are by a length, expected "
             "-diagnostic_%s_reference_length",
             d->name, d->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* <label>_<what>, for each axis from the first with its letter. */
static PetscErrorCode add(RhxDiagnostic *d, const char *label, const char *what, int first, int n, const char *unit)
{
  char column[512];

  PetscFunctionBegin;
  for (int k = first; k < first + n; k++) {
    PetscCall(
        PetscSNPrintf(column, sizeof(column), "%s_%s%s%.1s", label, what, n > 1 ? "_" : "", n > 1 ? &"xyz"[k] : ""));
    PetscCall(RhxDiagnosticAddColumnUnit(d, column, unit));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where no velocity is given there is no reaction: of an outlet nothing but shares of nodes that it has in common with walls. */
static PetscErrorCode tell_open(const RhxDiagnostic *d, const char *label)
{
  PetscBool plane, open;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryIsPlane(RhxDiagnosticGetRun(d)->bc, label, &plane, &open));
  if (open)
    PetscCall(PetscFPrintf(RhxDiagnosticGetComm(d), PETSC_STDERR,
                           "rheoplex: warning: %s: got '%s', where the fluid leaves: a force is the reaction to given "
                           "velocities, and through it none is given; expected labels that give them, or a diagnostic "
                           "of the kind forces with parts, of which pressure, solvent and polymer together are the "
                           "force on an outlet too\n",
                           d->option, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"x", "y", "z"};
  Options *o = d->own;
  const int dim = (int)RhxDiagnosticGetDimension(d);
  const PetscBool axisymmetric = RhxDiagnosticGetRun(d)->form->space->axisymmetric,
                  plane = (PetscBool)(dim == 2 && !axisymmetric);
  const char *const unit = plane ? "N/m" : "N";

  PetscFunctionBegin;
  PetscCheck(
      !axisymmetric || !o->torque || RhxDiagnosticGetRun(d)->form->swirl >= 0, RhxDiagnosticGetComm(d), PETSC_ERR_SUP,
      "-diagnostic_%s_torque true: got axisymmetric flow (-form_axisymmetric), which has no torque without swirl, "
      "expected the field of an azimuthal velocity (-physics), or false",
      d->name);
  PetscCall(read_references(d, o));
  PetscCall(check_idle(d, o, plane));
  PetscCall(RhxDiagnosticSetLabels(d, dim, ends, unit));
  PetscCall(PetscCalloc1(d->nlabels, &o->force));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    const char *label = d->label[i];
    if (!o->parts) PetscCall(tell_open(d, label));
    if (o->parts) {
      PetscCall(add(d, label, "pressure", 0, dim, unit));
      PetscCall(add(d, label, "solvent", 0, dim, unit));
      PetscCall(add(d, label, "polymer", 0, dim, unit));
    }
    if (o->torque) PetscCall(add(d, label, "torque", 0, dim == 2 ? 1 : 3, plane ? "N" : "N m"));
    if (o->torque && o->parts) PetscCall(add(d, label, "surface_torque", 0, dim == 2 ? 1 : 3, plane ? "N" : "N m"));
    if (o->torque && o->parts && axisymmetric) {
      PetscCall(add(d, label, "solvent_torque", 0, 1, "N m"));
      PetscCall(add(d, label, "polymer_torque", 0, 1, "N m"));
    }
    if (o->coefficients) {
      PetscCall(add(d, label, "c_D", 0, 1, "1"));
      PetscCall(add(d, label, "c_L", 0, 1, "1"));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A coefficient over its force. The density may change, along a continuation and for a derivative. */
static double get_scale(const RhxDiagnosticsRun *run, const Options *o)
{
  return 1 / (o->unit * (o->density > 0 ? o->density : run->form->rho));
}

static double *put(double *to, int first, int n, const double *from)
{
  for (int k = 0; k < n; k++) to[k] = from[first + k];
  return to + n;
}

/* The columns behind the forces of all labels; returns where the next label's begin. */
static double *put_label(const RhxDiagnosticsRun *run, const Options *o, int dim, const double *force,
                         const double *torque, const RhxSurfaceForce *s, double *to)
{
  const int axis = dim == 2 ? 2 : 0, n = dim == 2 ? 1 : 3;
  const PetscBool axisymmetric = run->form->space->axisymmetric;
  const double scale = get_scale(run, o);

  if (o->parts) to = put(put(put(to, 0, dim, s->pressure), 0, dim, s->solvent), 0, dim, s->polymer);
  if (o->torque) to = put(to, axis, n, torque);
  if (o->torque && o->parts) to = put(to, axis, n, s->torque);
  if (o->torque && o->parts && axisymmetric) to = put(to, 0, 2, s->twist);
  for (int k = 0; o->coefficients && k < 2; k++) {
    const double *e = o->along[k];
    *to++ = scale * (force[0] * e[0] + force[1] * e[1] + force[2] * e[2]);
  }
  return to;
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const Options *o = d->own;
  const int dim = (int)RhxDiagnosticGetDimension(d);
  double force[3], torque[3], *more = values + d->nlabels * dim;
  RhxSurfaceForce surface;
  PetscScalar *x = NULL;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticFindReactions(d));
  if (o->parts) PetscCall(RhxDiagnosticGetStateNear(d, &x));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    if (!o->force[i])
      PetscCall(RhxLabelForceCreate(run->form, run->bc, d->label[i], o->at, (PetscBool)o->torque, &o->force[i]));
    PetscCall(RhxLabelForceEvaluate(o->force[i], run->ts, force, torque));
    if (o->parts) PetscCall(RhxIntegrateForce(run->form, d->label[i], x, o->at, &surface));
    values = put(values, 0, dim, force);
    more = put_label(run, o, dim, force, torque, &surface, more);
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Force and torque of which the column is the sum with the weights f and m; which label's. */
static PetscInt column_of(const RhxDiagnostic *d, PetscInt column, double f[3], double m[3])
{
  const Options *o = d->own;
  const PetscInt dim = RhxDiagnosticGetDimension(d),
                 torques = !o->torque ? 0
                           : dim == 2 ? 1
                                      : 3,
                 each = torques + (o->coefficients ? 2 : 0), place = column - d->nlabels * dim;
  const double scale = get_scale(RhxDiagnosticGetRun(d), o);

  f[0] = f[1] = f[2] = m[0] = m[1] = m[2] = 0;
  if (place < 0) {
    f[column % dim] = 1;
    return column / dim;
  }
  if (place % each < torques) m[dim == 2 ? 2 : place % each] = 1;
  for (int k = 0; place % each >= torques && k < 3; k++) f[k] = scale * o->along[place % each - torques][k];
  return place / each;
}

static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const Options *o = d->own;
  double f[3], m[3];

  PetscFunctionBegin;
  *there = (PetscBool)(!o->parts && RhxForcesHaveGradient(run->form, run->bc));
  if (x) {
    const PetscInt label = column_of(d, column, f, m);
    PetscCall(RhxForcesGradient(run->form, run->bc, d->label[label], o->at, f, m, x, reactions));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last coefficients. */
static PetscErrorCode end(RhxDiagnostic *d)
{
  const Options *o = d->own;
  const PetscInt dim = RhxDiagnosticGetDimension(d), each = d->ncolumns / d->nlabels - dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->coefficients && i < d->nlabels; i++) {
    const double *c = d->values + 2 + d->nlabels * dim + (i + 1) * each - 2;
    PetscCall(
        PetscPrintf(RhxDiagnosticGetComm(d), "  %s %s: c_D = %.6g, c_L = %.6g\n", d->name, d->label[i], c[0], c[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->force && i < d->nlabels; i++) PetscCall(RhxLabelForceDestroy(&o->force[i]));
  PetscCall(PetscFree(o->force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_forces = {
    .entry = {sizeof(RhxDiagnosticType), "forces",
              "force of the fluid on labels, by consistent reactions, N (2D: N/m), with its parts, torque and "
              "coefficients"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy,
    .gradient = gradient};
