/* What is legal and looks like a slip: parameters that may stand in each other's place, or in other units. One line each, before the run. */
#include "boundary/backflow.h"
#include "boundary/pierced.h"
#include "boundary/rough.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "petsc_compat.h"
#include "plugin/needs.h"

#define METRES 0.01   /* a scale of lengths that are not divided by one of their own */
#define INERTIAL 50.0 /* Re of a flow that may not come in through an open label */
#define ROUGH 0.4     /* of a velocity that alternates along an outlet; a parabola over 5 faces has 0.1 */
#define UNFELT 1e-3   /* of the pressures of the flow, that a resistance makes */
#define WAVES \
  2.0 /* of their period: what changes in less meets them; in 2 the outflow is 1 % off, in 0.8 the size of the inflow */
#define LONG 1000.0           /* R_d C over the period, without one the run */
#define LEAST_RISE 1e-4       /* of the flow's pressures: what resistances make of the mean flow that is given; */
#define LEAST_OF_VESSELS 0.05 /* of Windkessels, whose pressures are many times the flow's own */
#define UNLIKE 1e3            /* times, of the resistances of two */
#define MOST_RISE 1e5 /* 100 in arteries, 1e4 in arterioles; CGS values in SI are 1e5 off, a density of 1 1000 */
#define APART 100.0   /* the period of rows and the run's end: of ms that stand for s it is 1000; */
#define FAR 1e4       /* and D/U, where there is no end: of an artery it is 100 */
#define INERT 0.05    /* of the relaxation time or the run, that viscosity takes in creeping flow */
#define CYCLES 1000.0 /* but a run may be long: a Windkessel fills in many */

/* The pressures of the flow, rho U^2 and eta U/D, the larger, Pa, and its flow rate U D^2, in the plane U D. */
static PetscErrorCode scales(RhxCase rc, double *pressure, double *rate)
{
  const double U = rc->option.velocity, D = rc->option.length;
  double eta = 0.0;

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, U / D, &eta));
  *pressure = PetscMax(rc->form->convection != 0.0 ? rc->form->rho * U * U : 0.0, eta * U / D);
  *rate = rc->space->dim == 3 || rc->space->axisymmetric ? U * D * D : U * D;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode of_label(const char *label, const char *name, PetscReal *v)
{
  char option[300];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", label, name));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, v, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Exponent of the metre in the unit of a flow rate. */
static int power(RhxCase rc) { return rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2; }

static PetscErrorCode warn_of_unfelt(RhxCase rc, const char *label, const char *options, double resistance,
                                     const char *hint, PetscBool *unfelt)
{
  const int m = power(rc);
  double pressure = 0.0, rate = 0.0;

  PetscFunctionBegin;
  PetscCall(scales(rc, &pressure, &rate));
  if (!(resistance * rate < UNFELT * pressure)) PetscFunctionReturn(PETSC_SUCCESS);
  *unfelt = PETSC_TRUE;
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: the resistance behind '%s', %.3g Pa s/m^%d (%s), makes %.2g Pa of the flow rate %s of the "
      "case's units, %.2g of the flow's own pressures (rho U^2, eta U/D): nothing that it feels; expected Pa "
      "s/m^%d%s\n",
      label, resistance, m, options, resistance * rate, m == 3 ? "U D^2" : "U D", resistance * rate / pressure, m,
      hint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_time(RhxCase rc, const char *label, double time)
{
  const double given = rc->step.shortest.time;
  const int m = power(rc);
  PetscReal t, dt;
  PetscBool constant;

  PetscFunctionBegin;
  PetscCall(RhxCaseStepIsConstant_Private(rc, &constant));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  const double span = given > 0.0 ? given : rc->stop.time - t;
  if (time > 0.0 && time < dt && constant)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the time R_d C behind '%s', %.3g s, is less than a time step, %.3g s: "
                           "expected more, by -bc_%s_distal (Pa s/m^%d) and -bc_%s_compliance (m^%d/Pa), or the "
                           "compliance 0\n",
                           label, time, dt, label, m, label, m));
  else if (span > 0.0 && time > LONG * span)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the time R_d C behind '%s', %.3g s, is %.3g times the %s, %.3g s: "
                           "expected a few at most, by -bc_%s_distal (Pa s/m^%d) and -bc_%s_compliance (m^%d/Pa); the "
                           "pressure does not come to what it is for\n",
                           label, time, time / span, given > 0.0 ? "shortest period that is given" : "run", span, label,
                           m, label, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_windkessel(RhxCase rc, const char *label, PetscBool steady, PetscBool *unfelt)
{
  PetscReal proximal = 0.0, distal = 0.0, compliance = 0.0;
  char options[600], hint[400];

  PetscFunctionBegin;
  PetscCall(of_label(label, "proximal", &proximal));
  PetscCall(of_label(label, "distal", &distal));
  PetscCall(of_label(label, "compliance", &compliance));
  PetscCall(PetscSNPrintf(options, sizeof(options), "-bc_%s_proximal + -bc_%s_distal", label, label));
  PetscCall(PetscSNPrintf(hint, sizeof(hint), "; is -bc_%s_distal in the place of -bc_%s_compliance?", label, label));
  PetscCall(warn_of_unfelt(rc, label, options, proximal + distal, hint, unfelt));
  if (proximal > distal && compliance > 0.0)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_proximal, %.3g Pa s/m^%d, is more than -bc_%s_distal, %.3g: "
                           "expected the smaller one before the compliance, that of the artery; is -bc_%s_distal in "
                           "the place of -bc_%s_%s?\n",
                           label, proximal, power(rc), label, distal, label, label,
                           compliance > distal ? "compliance" : "proximal"));
  if (!steady) PetscCall(warn_of_time(rc, label, distal * compliance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A resistance's pressure without flow, and what its formula rises by over a flow rate, by that rate. */
static PetscErrorCode linearise(RhxCase rc, const char *label, double t, double rate, double *level, double *resistance)
{
  char option[300], text[RHX_STRING_LENGTH] = "", shown[320];
  const double q[2] = {0.0, rate};
  double p[2];
  RhxFormula formula;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_pressure_by_flux", label));
  PetscCall(PetscSNPrintf(shown, sizeof(shown), "-%s", option));
  PetscCall(PetscOptionsGetString(NULL, NULL, shown, text, sizeof(text), NULL));
  PetscCall(RhxFormulaCreate(rc->comm, option, text, RHX_FORMULA_OF_FLUX, &formula));
  PetscCall(RhxFormulaEvaluate(formula, t, 2, 1, q, p));
  PetscCall(RhxFormulaDestroy(&formula));
  *level = p[0];
  *resistance = (p[1] - p[0]) / rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the rise of its formula over the flow rate of the case's units. */
static PetscErrorCode doubt_resistance(RhxCase rc, const char *label, double t, PetscBool *unfelt)
{
  char shown[320];
  double pressure = 0.0, rate = 0.0, level, resistance;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(shown, sizeof(shown), "-bc_%s_pressure_by_flux", label));
  PetscCall(scales(rc, &pressure, &rate));
  PetscCall(linearise(rc, label, t, rate, &level, &resistance));
  if (resistance > 0.0) PetscCall(warn_of_unfelt(rc, label, shown, resistance, "", unfelt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plateaus of a law that thins. */
static PetscErrorCode doubt_viscosities(RhxCase rc)
{
  const RhxPlugin *law = rc->form->viscous;
  PetscReal rest = 0.0, fast = 0.0;
  PetscBool set[2];
  char option[2][300];

  PetscFunctionBegin;
  if (!law) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option[0], sizeof(option[0]), "-physics_%s_viscosity", law->name));
  PetscCall(PetscSNPrintf(option[1], sizeof(option[1]), "-physics_%s_viscosity_inf", law->name));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option[0], &rest, &set[0]));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option[1], &fast, &set[1]));
  if (!set[0] || !set[1] || !(fast > rest)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: %s, %.3g Pa s at the shear rate 0, is less than %s, %.3g Pa s at large "
                         "ones: a fluid that thickens; expected the larger one at 0 of one that thins, such as blood: "
                         "are they in each other's place?\n",
                         option[0], rest, option[1], fast));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bdf2 has the viscosity of an extrapolated flow, which of a fluid that yields is another one in each step. */
static PetscErrorCode doubt_yielding(RhxCase rc)
{
  char integrator[32] = "";
  double slope;

  PetscFunctionBegin;
  PetscCall(
      PetscOptionsGetString(NULL, NULL, "-scheme_fractional_step_integrator", integrator, sizeof(integrator), NULL));
  if (strcmp(rc->general.scheme, "fractional_step") || strcmp(integrator, "bdf2")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormLeastSlope(rc->form, rc->option.velocity / rc->option.length, &slope));
  if (slope < RHX_YIELDING)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: bdf2 with a fluid that yields, whose stress hardly rises with the shear "
                           "rate: the flow may swing for ever about its state of rest; expected -scheme steady, or "
                           "-scheme monolithic with inlets that are raised (-bc_<label>_ramp)\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a ramp has not raised when the run ends. */
static PetscErrorCode doubt_ramp(RhxCase rc, const char *label)
{
  PetscReal ramp = 0.0;
  char text[3][32];

  PetscFunctionBegin;
  PetscCall(of_label(label, "ramp", &ramp));
  if (!(rc->stop.time > 0.0 && ramp > rc->stop.time)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text[0], sizeof(text[0]), "%g", ramp);
  snprintf(text[1], sizeof(text[1]), "%g", rc->stop.time);
  snprintf(text[2], sizeof(text[2]), "%.2g", 50.0 * (1.0 - cos(PETSC_PI * rc->stop.time / ramp)));
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -bc_%s_ramp: got %s s, and the run ends at %s s, with %s %% of what is "
                         "given; expected a shorter ramp or a later end (-stop_time)\n",
                         label, text[0], text[1], text[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of rows that a condition repeats: beside the run's end, where it is known, and D/U. */
static PetscErrorCode doubt_period(RhxCase rc, const RhxGivenTime *period)
{
  const double times[] = {rc->stop.time, rc->stop.time > 0.0 ? 0.0 : rc->option.length / rc->option.velocity};
  const double least[] = {1.0 / CYCLES, 1.0 / FAR}, most[] = {APART, FAR};
  static const char *const names[] = {"the run's end (-stop_time)", "D/U of the case's units"};
  char expected[64]; /* PETSc writes 100 as "100." */

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    if (!(times[k] > 0.0) || (period->time <= most[k] * times[k] && period->time >= least[k] * times[k])) continue;
    snprintf(expected, sizeof(expected), "%g to %g times", least[k], most[k]);
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the period of the rows of -%s, %.3g s, is %.3g times %s, %.3g s: are "
                           "their times in other units (-%s_time_scale 0.001 for ms)? expected %s\n",
                           period->option, period->time, period->time / times[k], names[k], times[k], period->option,
                           expected));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_periods(RhxCase rc)
{
  PetscBool more = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; more; i++) {
    RhxGivenTime period;
    PetscCall(RhxBoundaryGetPeriod(rc->bc, i, &period, &more));
    if (period.time > 0.0) PetscCall(doubt_period(rc, &period));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseTypeOf_Private(const char *label, size_t size, char *type)
{
  char option[300];

  PetscFunctionBegin;
  type[0] = '\0';
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_type", label));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, type, size, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_outlet(const char *type)
{
  return (PetscBool)(!strcmp(type, "outlet") || !strcmp(type, "resistance") || !strcmp(type, "windkessel"));
}

static PetscErrorCode count_outlets(RhxCase rc, PetscInt *n)
{
  char type[64];

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt i = 0; i < rc->space->nlabels; i++) {
    PetscCall(RhxCaseTypeOf_Private(rc->space->faces[i].label, sizeof(type), type));
    *n += is_outlet(type) ? 1 : 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow that is given at an outlet is that of its polymer's traction: nothing makes it flow out there, but where all else is given. Of several
 * outlets who names the developed traction knows it. */
static PetscErrorCode doubt_outflow(RhxCase rc, const char *label)
{
  static const char *const names[] = {"flow_rate", "mean_velocity", "maximum_velocity", "velocity"};
  char option[300], polymer[32] = "", why[400], also[320] = "";
  PetscInt outlets = 0;
  PetscBool set = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_polymer", label));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, polymer, sizeof(polymer), NULL));
  PetscCall(count_outlets(rc, &outlets));
  if (!rc->form->nmodes)
    snprintf(why, sizeof(why), "there is no polymer here");
  else if (!strcmp(polymer, "open") || !strcmp(polymer, "zero"))
    snprintf(why, sizeof(why), "-bc_%s_polymer %s wants none", label, polymer);
  else
    snprintf(also, sizeof(also), ", or -bc_%s_polymer developed, where it is for the polymer's traction", label);
  if (also[0])
    snprintf(why, sizeof(why), "the flow divides between %" PetscInt_FMT " outlets as pressures have it", outlets);
  if (also[0] && (outlets < 2 || !strcmp(polymer, "developed"))) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names) && !set; k++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", label, names[k]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  }
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: %s does not set what flows out: at an outlet it is of the polymer's "
                         "traction alone, and %s; expected none, or for a flow that is given -bc_%s_type inlet with a "
                         "negative -bc_%s_flow_rate%s\n",
                         option, why, label, label, also));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What lies behind the outlets, where the pressure follows the flux at each: flow = sum of (pressure - level)/resistance. */
typedef struct {
  PetscInt n;
  double flow, conductance, level, pressure,
      own; /* level: with no flow; own: the flow's pressures, of which rise is a multiple */
  double rise, span[2];
  double range[2];             /* resistances of Windkessels, the least and the largest; 0: there is none */
  const char *least_of, *most; /* and their labels */
  char labels[256];
} Behind;

static PetscErrorCode add_behind(RhxCase rc, const char *label, const char *type, double t, Behind *b)
{
  PetscReal level = 0.0, resistance = 0.0, proximal = 0.0;
  char text[300];

  PetscFunctionBegin;
  if (!strcmp(type, "windkessel")) {
    PetscCall(of_label(label, "proximal", &proximal));
    PetscCall(of_label(label, "distal", &resistance));
    PetscCall(of_label(label, "distal_pressure", &level));
    resistance += proximal;
    if (!b->least_of || resistance < b->range[0]) b->range[0] = resistance, b->least_of = label;
    if (!b->most || resistance > b->range[1]) b->range[1] = resistance, b->most = label;
  } else
    PetscCall(linearise(rc, label, t, b->flow, &level, &resistance));
  b->conductance += 1.0 / resistance;
  b->level += level / resistance;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s'%s'", b->n ? ", " : "", label));
  PetscCall(PetscStrlcat(b->labels, text, sizeof(b->labels)));
  b->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are there labels whose pressure follows the flux by a resistance or a Windkessel, and no others that are open? */
static PetscErrorCode all_follow(RhxCase rc, PetscBool *all)
{
  PetscInt n = 0, others = 0;
  PetscBool plane, open;
  char type[64];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rc->space->nlabels; i++) {
    const char *label = rc->space->faces[i].label;
    PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
    PetscCall(RhxBoundaryIsPlane(rc->bc, label, &plane, &open));
    if (!strcmp(type, "resistance") || !strcmp(type, "windkessel"))
      n++;
    else
      others += open;
  }
  *all = (PetscBool)(n && !others);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n 0: not known, or there are none. Collective. */
static PetscErrorCode find_behind(RhxCase rc, double t, PetscBool steady, Behind *b)
{
  char type[64];
  double rate;
  PetscBool known = PETSC_FALSE;

  PetscFunctionBegin;
  *b = (Behind){0};
  PetscCall(all_follow(rc, &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetMeanInflow(rc->bc, t, steady ? t : RhxCaseLookUntil_Private(rc, t), &b->flow, b->span));
  for (PetscInt i = 0; i < rc->space->nlabels && b->flow > 0.0; i++) {
    const char *label = rc->space->faces[i].label;
    PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
    if (is_outlet(type)) PetscCall(add_behind(rc, label, type, t, b));
  }
  PetscCall(scales(rc, &b->own, &rate));
  if (!(b->conductance > 0.0) || !(b->conductance < PETSC_MAX_REAL) || !(b->own > 0.0)) b->n = 0;
  if (!b->n) PetscFunctionReturn(PETSC_SUCCESS);
  b->level /= b->conductance;
  b->pressure = b->level + b->flow / b->conductance;
  b->rise = b->flow / b->conductance / b->own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseViewBehind_Private(RhxCase rc, double t, PetscBool steady, PetscViewer viewer)
{
  char text[640], when[80] = "";
  Behind b;

  PetscFunctionBegin;
  PetscCall(find_behind(rc, t, steady, &b));
  if (!b.n) PetscFunctionReturn(PETSC_SUCCESS);
  if (b.span[1] > b.span[0]) snprintf(when, sizeof(when), ", its mean from %g to %g s", b.span[0], b.span[1]);
  snprintf(text, sizeof(text),
           "behind %s: about %.4g Pa by the flow that is given, %.4g m^%d/s%s, over resistances of %.4g Pa s/m^%d%s; "
           "%.3g times the flow's own pressures, %.3g Pa (rho U^2, eta U/D)",
           b.labels, b.pressure, b.flow, power(rc), when, 1.0 / b.conductance, power(rc), b.n > 1 ? " together" : "",
           b.rise, b.own);
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Windkessels of one tree are of one size. */
static PetscErrorCode doubt_sizes(RhxCase rc, const Behind *b)
{
  char text[96];

  PetscFunctionBegin;
  if (!b->least_of || !(b->range[1] > UNLIKE * b->range[0])) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "%.3g and %.3g Pa s/m^%d", b->range[0], b->range[1], power(rc));
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: the Windkessels '%s' and '%s' resist by %s, proximal and distal: are both "
                         "in one unit?\n",
                         b->least_of, b->most, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_behind(RhxCase rc, double t, PetscBool steady, PetscBool unfelt)
{
  const int m = power(rc);
  char text[512];
  double least = LEAST_RISE;
  Behind b;

  PetscFunctionBegin;
  PetscCall(find_behind(rc, t, steady, &b));
  if (b.n) PetscCall(doubt_sizes(rc, &b));
  if (b.least_of) least = LEAST_OF_VESSELS;
  if (!b.n || (b.rise <= MOST_RISE && (unfelt || b.rise >= least))) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "%.3g Pa of the mean flow that is given, %.3g m^%d/s", b.rise * b.own, b.flow, m);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: the resistances behind %s make %s, %.3g times the flow's own pressures (rho U^2, eta U/D): "
      "are they in other units than Pa s/m^%d%s, or is -form_density, %.3g kg/m^3? expected %s to 1e5 times\n",
      b.labels, text, b.rise, m,
      m == 3 ? " (1 dyn s/cm^5 is 1e5, of a compliance 1 cm^5/dyn 1e-5 m^3/Pa; 1 mmHg s/ml 1.33e8)" : "", rc->form->rho,
      b.least_of ? "0.05" : "1e-4"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfOutlets_Private(RhxCase rc)
{
  const PetscScalar *x;
  const char *label;
  PetscReal rough;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(rc->x, &x));
  PetscCall(RhxBoundaryGetRoughest(rc->bc, x, &rough, &label));
  PetscCall(VecRestoreArrayRead(rc->x, &x));
  if (!label || rough <= ROUGH) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: the velocity on the label '%s' alternates from node to node: it differs from the mean of the "
      "faces about a node by %.0f %% of its size, expected at most %.0f %%: this is not the flow; %s\n",
      label, 100 * rough, 100 * ROUGH,
      rc->form->nmodes
          ? "a polymer leaves smoothly by -bc_<label>_polymer developed, with a solvent, or where the state "
            "is come to gradually (-scheme steady: -scheme_steady_continuation, or steps in time)"
          : "expected a finer mesh there or an outlet further from where the flow changes"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What conditions say of a polymer where there is none. */
static PetscErrorCode doubt_polymers(RhxCase rc)
{
  static const char *const rows[] = {"polymer", "polymer_at"};
  char option[300], value[64], list[512] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; !rc->form->nmodes && i < 2 * rc->space->nlabels; i++) {
    const size_t used = strlen(list);
    PetscBool set;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", rc->space->faces[i / 2].label, rows[i % 2]));
    PetscCall(PetscOptionsGetString(NULL, NULL, option, value, sizeof(value), &set));
    if (set && strcmp(value, "auto"))
      snprintf(list + used, sizeof(list) - used, "%s%s %s", used ? ", " : "", option, value);
  }
  if (list[0])
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: got %s in a case without a polymer, where it does nothing: expected "
                           "a polymeric law in -physics, or none of it\n",
                           list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_least_step(RhxCase rc)
{
  char least[128], target[128], got[32];
  PetscReal dt = 0.0, cfl = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(least, sizeof(least), "-scheme_%s_dt_min", rc->general.scheme));
  PetscCall(PetscSNPrintf(target, sizeof(target), "-scheme_%s_cfl", rc->general.scheme));
  PetscCall(PetscOptionsGetReal(NULL, NULL, least, &dt, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, target, &cfl, NULL));
  if (!(dt > 0.0) || cfl > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(got, sizeof(got), "%g", dt);
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: %s: got %s s without a CFL target, whose steps alone it bounds, so that it "
                   "does nothing: expected it with %s, such as 0.9\n",
                   least, got, target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without rho u.grad u, but with rho du/dt of a density that is not given and that the flow feels. */
static PetscErrorCode doubt_inertia(RhxCase rc)
{
  const PetscReal L = rc->option.length;
  const PetscBool to_rest = (PetscBool)(rc->stop.steady_tol > 0.0 || rc->stop.settled[0]);
  double eta, slow;
  PetscReal lambda;
  PetscBool given;
  char got[32];

  PetscFunctionBegin;
  if (rc->form->convection > 0.0 || !(rc->form->rho > 0.0) || to_rest) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-form_density", &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormViscosityAt(rc->form, rc->option.velocity / L, &eta));
  PetscCall(RhxFormRelaxationTime(rc->form, &lambda));
  slow = rc->form->nmodes ? lambda : rc->stop.time > 0.0 ? rc->stop.time : L / rc->option.velocity;
  if (!(rc->form->rho * PetscSqr(L) / eta > INERT * slow)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(got, sizeof(got), "%g", rc->form->rho);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: -form_convection false: got a density of %s kg/m^3, with whose rho du/dt the flow follows "
      "within rho D^2/eta = %.3g s: before it is at rest that is no flow without inertia; expected -form_density of "
      "%.2g at most, which -scheme monolithic can take, or a run to rest (-stop_steady_tol, -scheme steady)\n",
      got, rc->form->rho * PetscSqr(L) / eta, INERT * slow * eta / PetscSqr(L)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times that steps are shortened to meet, closer than rounding of a step: they are met by every step. */
static PetscErrorCode warn_of_intervals(RhxCase rc)
{
  PetscReal dt;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    PetscBool set;
    double every;
    char step[32];

    PetscCall(RhxOptionsReadGet(i, &name, &value, &set));
    every = set && RhxCaseIsInterval_Private(name) ? atof(value) : 0.0;
    if (!(every > 0.0 && every < RHX_NEAR * dt)) continue;
    snprintf(step, sizeof(step), "%g", dt);
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -%s: got %s s, less than a millionth of the time step, %s s: every step "
                           "counts, expected a longer time\n",
                           name, value, step));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method for the steady state begins at rest, where the Jacobian would be singular. */
static PetscErrorCode doubt_rest(RhxCase rc)
{
  char what[400], velocity[RHX_STRING_LENGTH] = "", restart[PETSC_MAX_PATH_LEN] = "";
  PetscBool inviscid;

  PetscFunctionBegin;
  PetscCall(RhxFormIsInviscidAtRest(rc->form, sizeof(what), what, &inviscid));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-initial_velocity", velocity, sizeof(velocity), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case_restart", restart, sizeof(restart), NULL));
  if (!inviscid || velocity[0] || restart[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -scheme steady begins at rest, where its equations are singular: "
                         "expected %s\n",
                         what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inertia that flows in through an open label grows there. */
static PetscErrorCode is_inertial(RhxCase rc, PetscBool *is)
{
  const double U = rc->option.velocity, L = rc->option.length;
  double eta;

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, U / L, &eta));
  *is = (PetscBool)(rc->form->convection > 0.0 && rc->form->rho * U * L > INERTIAL * eta);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_driven(RhxCase rc, double t, PetscBool steady)
{
  PetscBool inertial = PETSC_FALSE;
  const char *open;
  double over;
  char advice[700];

  PetscFunctionBegin;
  PetscCall(is_inertial(rc, &inertial));
  if (!inertial && !rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetDriven(rc->bc, t, !steady && rc->stop.time > t ? rc->stop.time : t, RhxBoundaryIsUnguarded,
                                 &open, &over));
  if (!open || !(inertial || RhxBoundaryCrossesWithPolymer(rc->bc, open))) PetscFunctionReturn(PETSC_SUCCESS);
  RhxBoundaryAdviseInflow(rc->bc, open, sizeof(advice), advice);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: fluid comes in through '%s', which is open with a pressure %.3g Pa above "
                         "another one, and may be unstable there; expected %s\n",
                         open, over, advice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_reversal(RhxCase rc, double t)
{
  double range[2];
  PetscBool inertial = PETSC_FALSE;
  const char *open;
  char advice[700];

  PetscFunctionBegin;
  PetscCall(is_inertial(rc, &inertial));
  if (!inertial && !rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetReversal(rc->bc, t, RhxCaseLookUntil_Private(rc, t), range, &open));
  if (!open || !(inertial || RhxBoundaryCrossesWithPolymer(rc->bc, open))) PetscFunctionReturn(PETSC_SUCCESS);
  RhxBoundaryAdviseInflow(rc->bc, open, sizeof(advice), advice);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: the flow that is given reverses, from %.3g to %.3g m^%d/s by the inlets: "
                         "fluid comes in through '%s', which is open, and may be unstable there; expected "
                         "%s\n",
                         range[0], range[1], rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2, open, advice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh that is brought to metres, with the density of nothing. */
static PetscErrorCode doubt_density(RhxCase rc)
{
  PetscReal scale = 1.0;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-mesh_scale", &scale, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-form_density", &given));
  if (!(scale <= METRES) || given || !(rc->form->convection > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -form_density is not given beside a -mesh_scale that makes metres: the "
                         "flow has that of 1 kg/m^3; expected the fluid's, of water 1000, of blood 1060\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conservative convection takes u.grad c as div(u c), which differ where continuity does not hold: at open nodes, where flow parts. */
static PetscErrorCode doubt_conservative(RhxCase rc)
{
  PetscBool closed;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryIsClosed(rc->bc, &closed));
  if (!rc->form->nscalars || !rc->form->conservative || closed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -form_scalar_convection: got conservative beside labels that are open: "
                         "where continuity is met in the mean alone, as at outlets and where flow parts, fields rise "
                         "and fall by it beyond what comes in; expected auto, or cells that are fine there\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfDoubts_Private(RhxCase rc, double t, PetscBool steady)
{
  char type[64];
  PetscBool unfelt = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(doubt_viscosities(rc));
  PetscCall(doubt_yielding(rc));
  PetscCall(RhxCaseWarnOfShift_Private(rc));
  PetscCall(doubt_polymers(rc));
  PetscCall(doubt_density(rc));
  PetscCall(doubt_conservative(rc));
  PetscCall(steady ? doubt_rest(rc) : doubt_periods(rc));
  PetscCall(doubt_driven(rc, t, steady));
  PetscCall(RhxCaseDoubtPolymer_Private(rc, t, steady));
  if (!steady) PetscCall(doubt_reversal(rc, t));
  if (!steady) PetscCall(doubt_least_step(rc));
  if (!steady) PetscCall(doubt_inertia(rc));
  if (!steady) PetscCall(warn_of_intervals(rc));
  for (PetscInt i = 0; i < rc->space->nlabels; i++) {
    const char *label = rc->space->faces[i].label;
    PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
    if (!steady) PetscCall(doubt_ramp(rc, label));
    if (is_outlet(type)) PetscCall(doubt_outflow(rc, label));
    if (!strcmp(type, "outlet") && rc->form->nmodes) PetscCall(RhxCaseDoubtAcross_Private(rc, label));
    if (!strcmp(type, "windkessel")) PetscCall(doubt_windkessel(rc, label, steady, &unfelt));
    if (!strcmp(type, "resistance")) PetscCall(doubt_resistance(rc, label, t, &unfelt));
  }
  PetscCall(doubt_behind(rc, t, steady, unfelt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Explicit steps with subscales that are instant: pressure and divergence swing with 2 pi sqrt(rho tau_0 dt), theory.md, 7. */
static PetscErrorCode has_waves(RhxCase rc, PetscBool *has)
{
  char given[3][32] = {"instant", "auto", "default"};
  static const char *const names[] = {"-scheme_lumped_subscales", "-scheme_lumped_pressure", "-scheme_lumped_variant"};

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) PetscCall(PetscOptionsGetString(NULL, NULL, names[k], given[k], sizeof(given[k]), NULL));
  *has = (PetscBool)(!strcmp(rc->general.scheme, RHXTSLUMPED) && !strcmp(given[0], "instant") &&
                     (!strcmp(given[1], "projection") || (!strcmp(given[1], "auto") && !strcmp(given[2], "default"))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shortest time in which an inlet changes its flow, its ramp or a period; 0: none does. */
static PetscErrorCode find_rise(RhxCase rc, double begun, double *time)
{
  const RhxGivenTime *shortest = &rc->step.shortest;

  PetscFunctionBegin;
  *time = 0.0;
  for (PetscInt i = 0; i < rc->space->nlabels; i++) {
    const char *label = rc->space->faces[i].label;
    char option[300], type[64];
    PetscReal ramp = 0.0;
    PetscBool its = PETSC_FALSE;
    PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
    if (strcmp(type, "inlet")) continue;
    PetscCall(of_label(label, "ramp", &ramp));
    if (ramp > begun && (!(*time > 0.0) || ramp < *time)) *time = ramp;
    PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_", label));
    PetscCall(PetscStrncmp(shortest->option, option, strlen(option), &its));
    if (its && shortest->time > 0.0 && (!(*time > 0.0) || shortest->time < *time)) *time = shortest->time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfWaves_Private(RhxCase rc, const RhxStepInfo *info)
{
  const double period = 2.0 * PETSC_PI * PetscSqrtReal(0.5 * rc->form->rho * info->stats.tau * info->dt);
  PetscBool has = PETSC_FALSE;
  double time = 0.0;

  PetscFunctionBegin;
  if (info->step != rc->first_step + 1 || rc->stop.steady_tol > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(has_waves(rc, &has));
  PetscCall(find_rise(rc, info->t - info->dt, &time));
  if (!has || !(time > 0.0 && time < WAVES * period)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxReportSay(rc,
                         "rheoplex: warning: the inflow changes in %.2g s, the pressure of -scheme lumped swings with "
                         "the period %.2g s: what flows in does not flow out meanwhile; expected at least twice that, "
                         "or -scheme_lumped_subscales tracked, or -scheme fractional_step\n",
                         time, period));
  PetscFunctionReturn(PETSC_SUCCESS);
}
