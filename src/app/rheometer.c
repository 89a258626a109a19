/* The verb rheometer: which laws, flow and protocol; sweeps; tables. */
#include "app/rheometer.h"
#include "app/app.h"
#include "output/output.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <math.h>
#include <stdlib.h>

#define MAX_POINTS 10000
#define MAX_CYCLES 100000
#define MAX_COLUMNS 12
#define DECADES 6 /* of logarithmic times */

typedef struct {
  int protocol, flow, outputs, logarithmic, cycles;
  double time, tolerance;
  char rate[RHX_STRING_LENGTH], frequency[RHX_STRING_LENGTH], strain[RHX_STRING_LENGTH], file[RHX_STRING_LENGTH];
} Options;

#define SLOT(member) offsetof(Options, member)
#define SWEEP "list a,b,c or sweep from:to:number, equal ratios"
static const RhxRow rows[] = {
    {"protocol", RHX_CHOICE, 0, SLOT(protocol), "steady", RHX_ANY, 0, 0,
     "steady|startup|cessation|relaxation|saos|laos", "",
     "steady flow, start-up from rest, cessation of steady flow, relaxation after a sudden strain, small or large "
     "amplitude oscillatory shear"},
    {"flow", RHX_CHOICE, 0, SLOT(flow), "shear", RHX_ANY, 0, 0, "shear|uniaxial|biaxial|planar", "",
     "shear or extension"},
    {"rate", RHX_STRING, 0, SLOT(rate), "0.01:100:21", RHX_ANY, 0, 0, NULL, "1/s",
     "shear or extension rates, 1/s: " SWEEP},
    {"frequency", RHX_STRING, 0, SLOT(frequency), "0.01:100:21", RHX_ANY, 0, 0, NULL, "rad/s",
     "angular frequencies of saos and laos, rad/s: " SWEEP},
    {"strain", RHX_STRING, 0, SLOT(strain), "1", RHX_ANY, 0, 0, NULL, "1",
     "sudden strains of relaxation (shear, or Hencky's in extension), amplitudes of laos: " SWEEP},
    {"time", RHX_REAL, 0, SLOT(time), "auto", RHX_GT, 0, 0, "auto", "s",
     "end of startup, cessation, relaxation; auto: 10 times the longest relaxation time"},
    {"outputs", RHX_INT, 0, SLOT(outputs), "101", RHX_IN, 2, MAX_POINTS, NULL, "1",
     "times in the table of a rate or strain, the first and the last included; in laos: of the last cycle"},
    {"logarithmic", RHX_BOOL, 0, SLOT(logarithmic), "false", RHX_ANY, 0, 0, NULL, "1",
     "times after the first in equal ratios over six decades"},
    {"cycles", RHX_INT, 0, SLOT(cycles), "0", RHX_IN, 0, MAX_CYCLES, NULL, "1",
     "cycles of laos, the last is in the table; 0: 20, or as many as leave 1e-8 of the start by the longest relaxation "
     "time"},
    {"tolerance", RHX_REAL, 0, SLOT(tolerance), "1e-10", RHX_IN, 1e-14, 1e-2, NULL, "1",
     "of the integration in time, relative and, for the conformation, absolute"},
    {"output", RHX_STRING, 0, SLOT(file), "rheometer.csv", RHX_ANY, 0, 0, NULL, "", "table that is written"},
};
static const RhxOptionTable table = {"rheometer", "rheometer_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

static const RhxRow petsc_rows[] = {
    {"ts_*", RHX_STRING, 0, 0, "", RHX_ANY, 0, 0, NULL, "",
     "PETSc's options of the integrator (type, monitor, adapt, ...)"},
    {"snes_*", RHX_STRING, 0, 0, "", RHX_ANY, 0, 0, NULL, "", "PETSc's options of its Newton solver, implicit types"},
    {"ksp_*", RHX_STRING, 0, 0, "", RHX_ANY, 0, 0, NULL, "", "PETSc's options of its linear solver, implicit types"},
    {"pc_*", RHX_STRING, 0, 0, "", RHX_ANY, 0, 0, NULL, "", "PETSc's options of its preconditioner, implicit types"},
};
static const RhxOptionTable petsc_table = {"rheometer", "rheometer_", PETSC_STATIC_ARRAY_LENGTH(petsc_rows),
                                           petsc_rows};

PetscErrorCode RhxAppRheometerRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscCall(RhxOptionTableRegister(&petsc_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const protocol_names[] = {"steady", "startup", "cessation", "relaxation", "saos", "laos"};
static const char *const flow_names[] = {"shear", "uniaxial", "biaxial", "planar"};

/* ---- Sweeps ---- */

typedef struct {
  PetscInt n;
  double *x; /* owned */
} Sweep;

/* Positive number at *p, which moves behind it; 0 or -1. */
static int read_number(const char **p, double *x)
{
  char *end;
  *x = strtod(*p, &end);
  if (end == *p || !(*x > 0.0) || isinf(*x)) return -1;
  *p = end;
  return 0;
}

/* "from:to:number" */
static int read_range(const char *text, Sweep *s)
{
  const char *p = text;
  double from, to, number;
  if (read_number(&p, &from) || *p++ != ':' || read_number(&p, &to) || *p++ != ':' || read_number(&p, &number) || *p)
    return -1;
  s->n = (PetscInt)number;
  if (number < 2 || number > MAX_POINTS || s->n != number) return -1;
  for (PetscInt i = 0; i < s->n; i++) s->x[i] = from * pow(to / from, (double)i / (double)(s->n - 1));
  s->x[s->n - 1] = to;
  return 0;
}

static int read_list(const char *text, Sweep *s)
{
  for (const char *p = text; s->n < MAX_POINTS; p++) {
    if (read_number(&p, &s->x[s->n])) return -1;
    s->n++;
    while (*p == ' ') p++;
    if (!*p) return 0;
    if (*p != ',') return -1;
  }
  return -1;
}

static PetscErrorCode read_sweep(const char *option, const char *unit, const char *text, Sweep *s)
{
  PetscFunctionBegin;
  s->n = 0;
  PetscCall(PetscMalloc1(MAX_POINTS, &s->x));
  if (strchr(text, ':') ? read_range(text, s) : read_list(text, s))
    SETERRQ(
        PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
        "Option -rheometer_%s: got \"%.200s\", expected numbers > 0 (%s) as a list a,b,c, or a sweep from:to:number "
        "with number from 2 to %d",
        option, text, unit, MAX_POINTS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows of the table ---- */

typedef struct {
  RhxTable table;
  PetscInt ncolumns, ncontrol, nrows;
  const char *column[MAX_COLUMNS];
  PetscBool show;    /* on the screen too */
  double control[2]; /* what a row is of: rate, strain, frequency, amplitude */
} Report;

static void add_column(Report *rep, const char *name) { rep->column[rep->ncolumns++] = name; }

static void name_columns(const RhxRheometer *rm, Report *rep)
{
  static const char *const control[] = {"rate", "rate", "rate", "strain", "frequency", "amplitude"};
  const PetscBool shear = (PetscBool)(rm->flow == RHX_FLOW_SHEAR);
  add_column(rep, control[rm->protocol]);
  if (rm->protocol == RHX_PROTOCOL_SAOS) {
    add_column(rep, "storage_modulus");
    add_column(rep, "loss_modulus");
    add_column(rep, "complex_viscosity");
    add_column(rep, "tan_delta");
    return;
  }
  if (rm->protocol == RHX_PROTOCOL_LAOS) add_column(rep, "frequency");
  rep->ncontrol = rep->ncolumns;
  if (rm->protocol != RHX_PROTOCOL_STEADY) add_column(rep, "time");
  if (rm->protocol == RHX_PROTOCOL_LAOS) add_column(rep, "shear");
  add_column(rep, shear ? "shear_stress" : "stress_difference");
  add_column(rep, shear ? "first_normal_difference" : "second_stress_difference");
  if (shear) add_column(rep, "second_normal_difference");
  if (rm->protocol == RHX_PROTOCOL_LAOS) return;
  if (rm->protocol != RHX_PROTOCOL_RELAXATION)
    add_column(rep, shear ? "viscosity" : "extensional_viscosity");
  else if (shear)
    add_column(rep, "modulus");
}

static PetscErrorCode show_line(const Report *rep, const double *values)
{
  char line[32 * MAX_COLUMNS] = "";
  PetscFunctionBegin;
  for (PetscInt k = 0; k < rep->ncolumns; k++) {
    const int width = (int)PetscMax(14, strlen(rep->column[k]));
    const size_t n = strlen(line);
    if (values)
      snprintf(line + n, sizeof(line) - n, "%*.8g  ", width, values[k]);
    else
      snprintf(line + n, sizeof(line) - n, "%*s  ", width, rep->column[k]);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_row(Report *rep, const double *values)
{
  char problem[RHX_MESSAGE];
  PetscFunctionBegin;
  if (rep->show && !rep->nrows) PetscCall(show_line(rep, NULL));
  if (rep->show) PetscCall(show_line(rep, values));
  PetscCall(RhxTableWrite(rep->table, values, problem));
  PetscCheck(!problem[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s", problem);
  rep->nrows++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shear: xy, xx - yy, yy - zz. Extension: xx - yy, zz - yy, y being a free direction. */
static PetscErrorCode write_stress(const RhxRheometer *rm, double t, double rate, const double *c, void *ctx)
{
  Report *rep = (Report *)ctx;
  double tau[6], v[MAX_COLUMNS];
  PetscInt n = 0, first;
  PetscFunctionBegin;
  for (; n < rep->ncontrol; n++) v[n] = rep->control[n];
  if (rm->protocol != RHX_PROTOCOL_STEADY) v[n++] = t;
  if (rm->protocol == RHX_PROTOCOL_LAOS) v[n++] = v[0] * sin(v[1] * t);
  RhxRheometerStress(rm, rate, c, tau);
  first = n;
  if (rm->flow == RHX_FLOW_SHEAR) {
    v[n++] = tau[5];
    v[n++] = tau[0] - tau[1];
    v[n++] = tau[1] - tau[2];
  } else {
    v[n++] = tau[0] - tau[1];
    v[n++] = tau[2] - tau[1];
  }
  if (n < rep->ncolumns) v[n++] = v[first] / v[0];
  PetscCall(write_row(rep, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Protocols ---- */

typedef struct {
  RhxRheometer rm;
  Options option;
  Sweep rate, frequency, strain;
  double *time; /* [outputs], owned */
  Report report;
} Session;

static PetscErrorCode say_no_steady(const Session *se, double rate, double reached)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "no steady state at %.6g 1/s (%s): there is one below about %.3g 1/s\n", rate,
                        flow_names[se->rm.flow], reached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steady states at each rate, each from the last; then, for cessation, what follows when the flow stops. */
static PetscErrorCode sweep_steady(Session *se)
{
  const RhxRheometer *rm = &se->rm;
  RhxRheometerState c, moving;
  double from = 0.0, reached = 0.0;
  PetscFunctionBegin;
  RhxRheometerRest(rm, c);
  for (PetscInt i = 0; i < se->rate.n; i++) {
    const double rate = se->report.control[0] = se->rate.x[i];
    PetscBool found;
    if (from >= rate) {
      RhxRheometerRest(rm, c);
      from = 0.0;
    }
    PetscCall(PetscArraycpy(moving, c, 6 * RHX_MAX_MODES));
    PetscCall(RhxRheometerSteady(rm, from, rate, moving, &found, &reached));
    if (!found) {
      PetscCall(say_no_steady(se, rate, reached));
      continue;
    }
    PetscCall(PetscArraycpy(c, moving, 6 * RHX_MAX_MODES));
    from = rate;
    if (rm->protocol == RHX_PROTOCOL_STEADY)
      PetscCall(write_stress(rm, 0.0, rate, c, &se->report));
    else
      PetscCall(RhxRheometerIntegrate(rm, 0.0, 0.0, se->option.outputs, se->time, moving, write_stress, &se->report));
  }
  PetscCheck(se->report.nrows, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "No steady state at any rate (%s): got rates from %g 1/s, expected below about %.3g 1/s (option "
             "-rheometer_rate)",
             flow_names[rm->flow], se->rate.x[0], reached);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sweep_startup(Session *se)
{
  RhxRheometerState c;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < se->rate.n; i++) {
    const double rate = se->report.control[0] = se->rate.x[i];
    RhxRheometerRest(&se->rm, c);
    PetscCall(RhxRheometerIntegrate(&se->rm, rate, 0.0, se->option.outputs, se->time, c, write_stress, &se->report));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sweep_relaxation(Session *se)
{
  RhxRheometerState c;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < se->strain.n; i++) {
    se->report.control[0] = se->strain.x[i];
    RhxRheometerStrain(&se->rm, se->strain.x[i], c);
    PetscCall(RhxRheometerIntegrate(&se->rm, 0.0, 0.0, se->option.outputs, se->time, c, write_stress, &se->report));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sweep_saos(Session *se)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < se->frequency.n; i++) {
    const double w = se->frequency.x[i];
    double v[5] = {w};
    PetscCall(RhxRheometerModuli(&se->rm, w, &v[1], &v[2]));
    v[3] = hypot(v[1], v[2]) / w;
    v[4] = v[2] / v[1];
    PetscCall(write_row(&se->report, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an oscillation of w rad/s: before the last one exp(-t/lambda) is 1e-8. */
static PetscErrorCode count_cycles(Session *se, double w, int *n)
{
  const double lambda = RhxRheometerLongest(&se->rm);
  const double needed = 1.0 + ceil(log(1e8) * lambda * w / (2.0 * PETSC_PI));

  PetscFunctionBegin;
  *n = se->option.cycles;
  if (*n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(needed <= MAX_CYCLES, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-rheometer_frequency: got %g rad/s, of which %g cycles pass until what was at rest has relaxed, for the "
             "longest relaxation time is %g s; expected at most %d cycles, or -rheometer_cycles",
             w, needed, lambda, MAX_CYCLES);
  *n = (int)PetscMax(20.0, needed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sweep_laos(Session *se)
{
  const PetscInt n = se->option.outputs;
  RhxRheometerState c;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < se->strain.n; i++)
    for (PetscInt j = 0; j < se->frequency.n; j++) {
      const double amplitude = se->strain.x[i], w = se->frequency.x[j], period = 2.0 * PETSC_PI / w;
      double before[2] = {0.0, 0.0};
      int cycles;
      PetscCall(count_cycles(se, w, &cycles));
      before[1] = period * (cycles - 1);
      se->report.control[0] = amplitude;
      se->report.control[1] = w;
      RhxRheometerRest(&se->rm, c);
      PetscCall(RhxRheometerIntegrate(&se->rm, amplitude * w, w, before[1] > 0.0 ? 2 : 1, before, c, NULL, NULL));
      for (PetscInt k = 0; k < n; k++) se->time[k] = before[1] + period * (double)k / (double)(n - 1);
      PetscCall(RhxRheometerIntegrate(&se->rm, amplitude * w, w, n, se->time, c, write_stress, &se->report));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The verb ---- */

/* The names of the laws: of the polymeric ones, or of all. */
static PetscErrorCode name_laws(PetscBool viscous, size_t size, char *names)
{
  PetscInt n;
  PetscFunctionBegin;
  names[0] = 0;
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *p;
    PetscCall(RhxPluginGet(i, &p, NULL));
    if (p->kind != RHX_POLYMERIC && !(viscous && p->kind == RHX_VISCOUS)) continue;
    if (names[0]) PetscCall(PetscStrlcat(names, ", ", size));
    PetscCall(PetscStrlcat(names, p->name, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_without_tensor(const Session *se)
{
  char names[2048];
  PetscFunctionBegin;
  PetscCall(name_laws(PETSC_FALSE, sizeof(names), names));
  SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
          "Protocol '%s' needs a law with a stress of its own: got only the viscous law '%s', expected one of %s too",
          protocol_names[se->rm.protocol], se->rm.form->viscous ? se->rm.form->viscous->name : "none", names);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const Session *se)
{
  const RhxProtocol p = se->rm.protocol;
  char names[2048];
  PetscFunctionBegin;
  PetscCall(name_laws(PETSC_TRUE, sizeof(names), names));
  PetscCheck(se->rm.form->viscous || se->rm.form->nmodes, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "The rheometer has no law: got no name after the verb and no -physics, expected one or more of %s "
             "(rheoplex rheometer law[,law])",
             names);
  PetscCall(RhxFormCheckLaws(se->rm.form, 3, 6));
  if (p != RHX_PROTOCOL_STEADY && !se->rm.form->nmodes) PetscCall(refuse_without_tensor(se));
  PetscCheck((p != RHX_PROTOCOL_SAOS && p != RHX_PROTOCOL_LAOS) || se->rm.flow == RHX_FLOW_SHEAR, PETSC_COMM_WORLD,
             PETSC_ERR_USER_INPUT, "Protocol '%s' is a flow in shear: got -rheometer_flow %s, expected shear",
             protocol_names[p], flow_names[se->rm.flow]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void set_flow(RhxRheometer *rm)
{
  static const double diagonal[4][3] = {{0, 0, 0}, {1, -0.5, -0.5}, {1, -2, 1}, {1, -1, 0}};
  for (int i = 0; i < 9; i++) rm->unit[i] = 0.0;
  for (int i = 0; i < 3; i++) rm->unit[4 * i] = diagonal[rm->flow][i];
  if (rm->flow == RHX_FLOW_SHEAR) rm->unit[1] = 1.0;
}

static void set_times(Session *se)
{
  const int n = se->option.outputs;
  const double end = se->option.time > 0.0 ? se->option.time : 10.0 * RhxRheometerLongest(&se->rm);
  se->time[0] = 0.0;
  for (int i = 1; i < n; i++)
    se->time[i] = se->option.logarithmic && n > 2 ? end * pow(10.0, DECADES * ((i - 1.0) / (n - 2.0) - 1.0))
                                                  : end * i / (n - 1.0);
}

static PetscErrorCode read_options(Session *se)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &table, NULL, &se->option));
  PetscCall(read_sweep("rate", "1/s", se->option.rate, &se->rate));
  PetscCall(read_sweep("frequency", "rad/s", se->option.frequency, &se->frequency));
  PetscCall(read_sweep("strain", "1", se->option.strain, &se->strain));
  PetscCall(RhxFormCreate(PETSC_COMM_WORLD, &se->rm.form));
  PetscCall(RhxFormSetFromOptions(se->rm.form));
  se->rm.protocol = (RhxProtocol)se->option.protocol;
  se->rm.flow = (RhxFlow)se->option.flow;
  se->rm.tolerance = se->option.tolerance;
  set_flow(&se->rm);
  PetscCall(check(se));
  PetscCall(PetscMalloc1(se->option.outputs, &se->time));
  set_times(se);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A point has no place to which a field is carried. */
static PetscErrorCode say_left_out(RhxForm form)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nowners; k++)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s of -physics is left out: scalar fields have no rheometer\n",
                          form->owner[k].plugin->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode perform(Session *se)
{
  static PetscErrorCode (*const sweep[])(Session *) = {sweep_steady,     sweep_startup, sweep_steady,
                                                       sweep_relaxation, sweep_saos,    sweep_laos};
  Report *rep = &se->report;
  PetscFunctionBegin;
  PetscCall(say_left_out(se->rm.form));
  rep->show = (PetscBool)(se->rm.protocol == RHX_PROTOCOL_STEADY || se->rm.protocol == RHX_PROTOCOL_SAOS);
  name_columns(&se->rm, rep);
  PetscCall(RhxTableCreate(PETSC_COMM_WORLD, se->option.file, PETSC_FALSE, rep->ncolumns, rep->column, &rep->table));
  RhxTableSetOption(rep->table, "-rheometer_output");
  PetscCall(sweep[se->rm.protocol](se));
  PetscCall(RhxTableClose(&rep->table));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s: %" PetscInt_FMT " lines in %s\n", protocol_names[se->rm.protocol],
                        flow_names[se->rm.flow], rep->nrows, se->option.file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppRheometer(const char *laws)
{
  Session *se;
  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscCall(RhxAppFindLaws(laws));
  if (laws) PetscCall(PetscOptionsSetValue(NULL, "-physics", laws));
  PetscCall(RhxOptionsCheckKnown(PETSC_COMM_WORLD));
  PetscCall(PetscNew(&se));
  PetscCall(read_options(se));
  PetscCall(perform(se));
  PetscCall(RhxFormDestroy(&se->rm.form));
  PetscCall(PetscFree(se->rate.x));
  PetscCall(PetscFree(se->frequency.x));
  PetscCall(PetscFree(se->strain.x));
  PetscCall(PetscFree(se->time));
  PetscCall(PetscFree(se));
  PetscFunctionReturn(PETSC_SUCCESS);
}
