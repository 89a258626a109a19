/* Every plugin, every dimension and tensor size: double, lanes, complex, dual numbers and lanes with a derivative give the same
 * values; complex and dual tangents agree with each other and with differences; the values do not depend on the units. Random states, u = 0,
 * c = I. Arguments: folder of the dual modules, then options of plugins, one set an argument. */
#include "../common/largest.h"
#include "../common/laws.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include "state.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

enum { STATES = 12 };

#define VARIANT(d, t, k)                                                                              \
  void evaluate_##d##_##t##_##k(const Setting *, const double *, const double *, double *, double *); \
  int fields_##d##_##t##_##k(int, Field *)
VARIANT(2, 3, 0);
VARIANT(2, 3, 1);
VARIANT(2, 3, 2);
VARIANT(2, 3, 5);
VARIANT(2, 4, 0);
VARIANT(2, 4, 1);
VARIANT(2, 4, 2);
VARIANT(2, 4, 5);
VARIANT(3, 6, 0);
VARIANT(3, 6, 1);
VARIANT(3, 6, 2);
VARIANT(3, 6, 5);

typedef struct {
  int dim, ntens;
  EvaluateFn evaluate[5]; /* double, lanes, complex, dual, lanes with a derivative */
  FieldsFn fields;
} Size;

static Size sizes[3] = {{2, 3, {evaluate_2_3_0, evaluate_2_3_1, evaluate_2_3_2, NULL, evaluate_2_3_5}, fields_2_3_0},
                        {2, 4, {evaluate_2_4_0, evaluate_2_4_1, evaluate_2_4_2, NULL, evaluate_2_4_5}, fields_2_4_0},
                        {3, 6, {evaluate_3_6_0, evaluate_3_6_1, evaluate_3_6_2, NULL, evaluate_3_6_5}, fields_3_6_0}};

typedef struct {
  double in[MAX_NUMBERS], direction[MAX_NUMBERS];
} Sample;

typedef struct {
  double value[MAX_NUMBERS], derivative[MAX_NUMBERS];
} Result;

static int failures;
static double worst_value, worst_tangent, worst_difference, worst_unit;

static double uniform(double a, double b) { return a + (b - a) * rand() / RAND_MAX; }

/* Velocity away from zero and a metric away from singular, so that differences resolve the tangent; where the velocity is
 * zero, so is what it convects. */
static double random_number(const Field *field, int k, const Size *size, int number)
{
  int at_rest = number % 4 == 1, undeformed = number % 4 == 2;
  double x = uniform(-1.0, 1.0);
  if (field->positive) return 1.0 + 0.5 * x;
  if (strcmp(field->name, "pt.u") == 0) return at_rest ? 0.0 : x + copysign(0.5, x);
  if (strstr(field->name, ".conv")) return at_rest ? 0.0 : x;
  if (strcmp(field->name, "J") == 0) return 0.3 * x + (k % (size->dim + 1) == 0);
  if (strcmp(field->name, "c1") == 0) return undeformed ? 0.0 : 0.3 * x;
  return x;
}

static void random_sample(const Size *size, int number, Sample *s)
{
  Field list[64];
  int n = 0, nfields = size->fields(0, list);
  for (int f = 0; f < nfields; f++)
    for (int k = 0; k < list[f].count; k++, n++) {
      s->in[n] = random_number(&list[f], k, size, number);
      s->direction[n] = uniform(-1.0, 1.0);
    }
}

static int count_outputs(const Size *size)
{
  Field list[64];
  int n = 0, nfields = size->fields(1, list);
  for (int f = 0; f < nfields; f++) n += list[f].count;
  return n;
}

static const char *output_name(const Size *size, int i)
{
  static Field list[64];
  int nfields = size->fields(1, list);
  for (int f = 0; f < nfields; i -= list[f++].count)
    if (i < list[f].count) return list[f].name;
  return "?";
}

/* |a - b| <= tol (1 + |a| + |b|), NaN fails */
static void compare(const char *what, const Setting *set, const Size *size, int i, double a, double b, double tol,
                    double *worst)
{
  double error = fabs(a - b) / (1.0 + fabs(a) + fabs(b));
  *worst = larger(*worst, error);
  if (error <= tol) return;
  if (failures++ < 20)
    printf("FAILED %s %dD %d components, %s of %s: %.17g and %.17g\n", set->plugin->name, size->dim, size->ntens, what,
           output_name(size, i), a, b);
}

static void check_lanes(const Setting *set, const Size *size, const Sample *sample)
{
  static double in[MAX_NUMBERS * RHX_LANES], out[MAX_NUMBERS * RHX_LANES], dual[MAX_NUMBERS * RHX_LANES],
      derivative[MAX_NUMBERS * RHX_LANES];
  Result one, complex_step;
  int n = count_outputs(size);
  for (int l = 0; l < RHX_LANES; l++)
    for (int i = 0; i < MAX_NUMBERS; i++) in[i * RHX_LANES + l] = sample[l].in[i];
  size->evaluate[1](set, in, sample->direction, out, derivative);
  size->evaluate[4](set, in, sample->direction, dual, derivative);
  for (int l = 0; l < RHX_LANES; l++) {
    size->evaluate[0](set, sample[l].in, sample[l].direction, one.value, one.derivative);
    size->evaluate[2](set, sample[l].in, sample->direction, complex_step.value, complex_step.derivative);
    for (int i = 0; i < n; i++) {
      const int at = i * RHX_LANES + l;
      compare("lane", set, size, i, out[at], one.value[i], 1e-13, &worst_value);
      compare("value of a lane with a derivative", set, size, i, dual[at], one.value[i], 1e-13, &worst_value);
      compare("derivative of a lane", set, size, i, derivative[at], complex_step.derivative[i], 1e-12, &worst_tangent);
    }
  }
}

/* Value of the double kind at in + h direction. */
static void shifted(const Setting *set, const Size *size, const Sample *s, double h, double *value)
{
  static double unused[MAX_NUMBERS];
  Sample t = *s;
  for (int i = 0; i < MAX_NUMBERS; i++) t.in[i] += h * s->direction[i];
  size->evaluate[0](set, t.in, t.direction, value, unused);
}

/* Differences of fourth order. At rest |u| has a kink: central differences across it are first-order accurate. */
static void check_tangents(const Setting *set, const Size *size, const Sample *s, int at_rest)
{
  static Result base, complex_step, dual;
  static double p1[MAX_NUMBERS], m1[MAX_NUMBERS], p2[MAX_NUMBERS], m2[MAX_NUMBERS];
  const double h = at_rest ? 1e-6 : 1e-3, tol = at_rest ? 1e-5 : 1e-7;
  int n = count_outputs(size);
  size->evaluate[0](set, s->in, s->direction, base.value, base.derivative);
  size->evaluate[2](set, s->in, s->direction, complex_step.value, complex_step.derivative);
  size->evaluate[3](set, s->in, s->direction, dual.value, dual.derivative);
  shifted(set, size, s, h, p1);
  shifted(set, size, s, -h, m1);
  shifted(set, size, s, 2 * h, p2);
  shifted(set, size, s, -2 * h, m2);
  for (int i = 0; i < n; i++) {
    double difference = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h);
    compare("complex value", set, size, i, complex_step.value[i], base.value[i], 1e-13, &worst_value);
    compare("dual value", set, size, i, dual.value[i], base.value[i], 1e-13, &worst_value);
    compare("dual tangent", set, size, i, dual.derivative[i], complex_step.derivative[i], 1e-12, &worst_tangent);
    compare("difference", set, size, i, difference, complex_step.derivative[i], tol, &worst_difference);
  }
}

/* ---- Units: 1 kg = 2^2, 1 m = 2^-4, 1 s = 2^6 of new ones ---- */

static double factor(double mass, double length, double time) { return exp2(2 * mass - 4 * length + 6 * time); }

/* Value of the row of that name */
static double parameter(const RhxPlugin *p, const void *par, const char *name)
{
  for (int r = 0; r < p->nrows; r++)
    if (strcmp(p->rows[r].name, name) == 0) return *(const double *)((const char *)par + p->rows[r].offset);
  failures++;
  printf("FAILED %s has no row %s\n", p->name, name);
  return 0.0;
}

static double unit_factor(const RhxPlugin *p, const void *par, const char *unit)
{
  static const struct {
    const char *name;
    double mass, length, time;
  } known[] = {{"Pa s", 1, -1, -1},  {"s", 0, 0, 1},    {"Pa", 1, -1, -2},     {"m^3 s/kg", -1, 3, 1},
               {"m^2/s", 0, 2, -1},  {"1/s", 0, 0, -1}, {"W/(m K)", 1, 1, -3}, {"J/(kg K)", 0, 2, -2},
               {"W/m^3", 1, -1, -3}, {"K", 0, 0, 0},    {"1/K", 0, 0, 0},      {"J/mol", 0, 0, 0},
               {"m/s^2", 0, 1, -2}};
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(known); k++)
    if (strcmp(known[k].name, unit) == 0) return factor(known[k].mass, known[k].length, known[k].time);
  if (strcmp(unit, "Pa s^n") == 0) return factor(1, -1, -2 + parameter(p, par, "n"));
  if (strcmp(unit, "1")) {
    failures++;
    printf("FAILED unit '%s' is not known to this test\n", unit);
  }
  return 1.0;
}

static void scale_parameters(const RhxPlugin *p, const void *par, void *scaled)
{
  memcpy(scaled, par, p->param_size);
  for (int r = 0; r < p->nrows; r++) {
    double *x = (double *)((char *)scaled + p->rows[r].offset);
    if (p->rows[r].kind == RHX_REAL && !(p->rows[r].choices && *x < 0.0)) *x *= unit_factor(p, par, p->rows[r].unit);
  }
}

/* Factor of each auxiliary component: how the plugin's own projection scales. */
static void auxiliary_factors(const Size *size, const double *out, const double *scaled, double *f)
{
  int n = count_outputs(size) - RHX_MAX_AUX_COMPONENTS;
  for (int k = 0; k < RHX_MAX_AUX_COMPONENTS; k++) f[k] = out[n + k] == 0.0 ? 1.0 : scaled[n + k] / out[n + k];
}

static void scale_inputs(const Size *size, const double *aux, double *in)
{
  Field list[64];
  int n = 0, nfields = size->fields(0, list);
  for (int f = 0; f < nfields; f++)
    for (int k = 0; k < list[f].count; k++)
      in[n++] *= aux && strcmp(list[f].name, "aux") == 0 ? aux[k] : factor(list[f].mass, list[f].length, list[f].time);
}

static void check_units(const Setting *set, const Size *size, const Sample *sample)
{
  static double out[MAX_NUMBERS], scaled[MAX_NUMBERS], unused[MAX_NUMBERS], aux[RHX_MAX_AUX_COMPONENTS];
  Setting other = *set;
  Sample s = *sample;
  Field list[64];
  int n = 0, nfields = size->fields(1, list);
  void *par = malloc(set->plugin->param_size);
  scale_parameters(set->plugin, set->par, par);
  other.par = par;
  other.dt *= factor(0, 0, 1);
  other.rho *= factor(1, -3, 0);
  scale_inputs(size, NULL, s.in);
  size->evaluate[0](set, sample->in, s.direction, out, unused);
  size->evaluate[0](&other, s.in, s.direction, scaled, unused);
  auxiliary_factors(size, out, scaled, aux);
  s = *sample;
  scale_inputs(size, aux, s.in);
  size->evaluate[0](&other, s.in, s.direction, scaled, unused);
  for (int f = 0; f < nfields && strcmp(list[f].name, "projected"); f++)
    for (int k = 0; k < list[f].count; k++, n++)
      compare("unit", set, size, n, scaled[n] / factor(list[f].mass, list[f].length, list[f].time), out[n], 1e-12,
              &worst_unit);
  free(par);
}

/* ---- Plugins ---- */

static int shape_components(const RhxAuxRow *row, const Size *size)
{
  switch (row->shape) {
  case RHX_AUX_SCALAR:
    return 1;
  case RHX_AUX_VECTOR:
    return size->dim;
  case RHX_AUX_GRADIENT:
    return size->dim * size->dim;
  case RHX_AUX_TENSOR:
    return size->ntens;
  }
  return 0;
}

static void set_stage(Setting *set, const Size *size, unsigned parts)
{
  const RhxPlugin *p = set->plugin;
  unsigned needed = p->needs ? p->needs(set->par, parts) : ~0u;
  int offset = 0;
  set->stage.parts = parts;
  for (int row = 0; row < p->naux; row++) {
    set->of[row] = p->aux[row].of;
    set->stage.off[row] = needed >> row & 1u ? offset : -1;
    offset += shape_components(&p->aux[row], size);
  }
}

static void *open_dual(const char *folder, const RhxPlugin *p, Size *size)
{
  char file[4096];
  void *handle;
  snprintf(file, sizeof(file), "%s/dual_%s_%s_%d_%d.so", folder, p->kind == RHX_STABILISER ? "stabiliser" : "physics",
           p->name, size->dim, size->ntens);
  handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle)
    *(void **)&size->evaluate[3] = dlsym(handle, "evaluate_dual");
  else
    printf("FAILED %s\n", dlerror());
  return handle;
}

static void check_size(Setting *set, Size *size, const char *folder)
{
  Sample sample[STATES > RHX_LANES ? STATES : RHX_LANES];
  void *handle = open_dual(folder, set->plugin, size);
  unsigned all = (1u << set->plugin->nparts) - 1;
  if (!handle) {
    failures++;
    return;
  }
  for (int s = 0; s < STATES; s++) random_sample(size, s, &sample[s]);
  for (int which = 0; which < 2 + set->plugin->nparts; which++) { /* all parts with dt and without, each part alone */
    set->dt = which == 1 ? 0.0 : 0.37;
    set_stage(set, size, which < 2 ? all : 1u << (which - 2));
    check_lanes(set, size, sample);
    for (int s = 0; s < STATES; s++) {
      check_tangents(set, size, &sample[s], s % 4 == 1);
      check_units(set, size, &sample[s]);
    }
  }
  dlclose(handle);
}

static PetscErrorCode check_plugin(const RhxPlugin *p, const char *folder)
{
  Setting set = {.plugin = p, .t = 0.3, .rho = 1.7, .convection = 1.0};
  char prefix[256], *par;
  PetscFunctionBegin;
  PetscCall(
      PetscSNPrintf(prefix, sizeof(prefix), "%s_%s_", p->kind == RHX_STABILISER ? "stabiliser" : "physics", p->name));
  PetscCall(PetscMalloc1(p->param_size, &par));
  PetscCall(RhxRowsRead(PETSC_COMM_SELF, prefix, p->nrows, p->rows, 1, p->param_size, par));
  set.par = par;
  for (int k = 0; k < 3; k++) check_size(&set, &sizes[k], folder);
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(const char *folder, const char *options)
{
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, TEST_LAW_PARAMETERS));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RhxPluginsLoad(PETSC_COMM_SELF));
  PetscCall(RhxOptionsCheckKnown(PETSC_COMM_SELF));
  PetscCall(RhxPluginCount(&n));
  worst_value = worst_tangent = worst_difference = worst_unit = 0.0;
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *p;
    PetscCall(RhxPluginGet(i, &p, NULL));
    PetscCall(check_plugin(p, folder));
  }
  if (n < 5) failures++;
  printf("%d plugins [%s]: largest relative differences of values %.1e, tangents complex and dual %.1e, differences "
         "%.1e, units %.1e\n",
         (int)n, options, worst_value, worst_tangent, worst_difference, worst_unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int none = 1;
  char **start = argv;
  PetscFunctionBeginUser;
  if (PetscInitialize(&none, &start, NULL, NULL)) return 2;
  for (int a = 2; a < argc; a++) PetscCall(check_all(argv[1], argv[a]));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
