/* Doubts about outlets: what they give, what lies behind them, and whether the flow leaves smoothly. */
#include "boundary/backflow.h"
#include "boundary/rough.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "petsc_compat.h"

#define ROUGH 0.4             /* of a velocity that alternates along an outlet; a parabola over 5 faces has 0.1 */
#define FAINT 1e-3            /* of -case_velocity: a step from rest leaves less */
#define APART 50.0            /* times the pressures of the flow: it is 7 times as fast */
#define SLIT 12.0             /* eta U L/H^2, pressure along a slit */
#define UNFELT 1e-3           /* of the pressures of the flow, that a resistance makes */
#define LONG 1000.0           /* R_d C over the period, without one the run */
#define LEAST_RISE 1e-4       /* of the flow's pressures: what resistances make of the mean flow that is given; */
#define LEAST_OF_VESSELS 0.05 /* of Windkessels, whose pressures are many times the flow's own */
#define UNLIKE 1e3            /* times, of the resistances of two */
#define MOST_RISE 1e5 /* 100 in arteries, 1e4 in arterioles; CGS values in SI are 1e5 off, a density of 1 1000 */

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
  PetscCall(RhxCaseOfLabel_Private(label, "proximal", &proximal));
  PetscCall(RhxCaseOfLabel_Private(label, "distal", &distal));
  PetscCall(RhxCaseOfLabel_Private(label, "compliance", &compliance));
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
    PetscCall(RhxCaseOfLabel_Private(label, "proximal", &proximal));
    PetscCall(RhxCaseOfLabel_Private(label, "distal", &resistance));
    PetscCall(RhxCaseOfLabel_Private(label, "distal_pressure", &level));
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
  char names[512], parts[256];
  RhxTold rough = {0};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(rc->x, &x));
  PetscCall(RhxBoundaryGetRough(rc->bc, x, FAINT * rc->option.velocity, ROUGH, &rough));
  PetscCall(VecRestoreArrayRead(rc->x, &x));
  RhxToldName(&rough, "'", "'", sizeof(names), names);
  RhxToldValues(&rough, 100.0, sizeof(parts), parts);
  if (rough.n)
    PetscCall(PetscFPrintf(
        rc->comm, PETSC_STDERR,
        "rheoplex: warning: the velocity on the label%s %s alternates from node to node: it differs from the mean of "
        "the faces about a node by %s %% of its size, expected at most %.0f %%: this is not the flow; %s\n",
        rough.n > 1 ? "s" : "", names, parts, 100 * ROUGH,
        rc->form->nmodes
            ? "a polymer leaves smoothly by -bc_<label>_polymer developed, with a solvent, or where the state "
              "is come to gradually (-scheme steady: -scheme_steady_continuation, or steps in time)"
            : "expected a finer mesh there or an outlet further from where the flow changes"));
  PetscCall(RhxToldDestroy(&rough));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pressures that differ at once may drive another flow than that of the case's units, which explicit steps may lose. The passage may be
 * narrower than D: its width is that of the labels. */
static PetscErrorCode doubt_apart(RhxCase rc, double t)
{
  const double U = rc->option.velocity, D = rc->option.length;
  double size[3], apart, width, along, eta = 0.0, inertia;
  const char *label[2];
  char text[200];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetApart(rc->bc, t, label, &apart, &width));
  PetscCall(RhxSpaceGetExtent(rc->space, size));
  width = PetscMin(D, width);
  PetscCall(RhxFormViscosityAt(rc->form, U / width, &eta));
  along = SLIT * eta * U * PetscMax(D, PetscMax(size[0], PetscMax(size[1], size[2]))) / (width * width);
  inertia = rc->form->convection != 0.0 ? rc->form->rho * U * U : 0.0;
  if (!(apart > APART * PetscMax(along, inertia))) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text),
           "%.3g Pa, %.3g times the larger of rho U^2, %.3g Pa, and 12 eta U L/H^2, %.3g Pa (H %.3g m)", apart,
           apart / PetscMax(along, inertia), inertia, along, width);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: at the start the pressures that '%s' and '%s' give differ by %s, of the case's units: the "
      "flow that they drive at once may be many times -case_velocity, and steps may be lost; expected pressures in Pa "
      "that fit -case_velocity and -form_density, or one that moves away from the other in time, such as "
      "-bc_%s_pressure \"...*min(1,t/...)\"\n",
      label[0], label[1], text, label[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDoubtOutlets_Private(RhxCase rc, double t, PetscBool steady)
{
  char type[64];
  double own, rate;
  PetscBool unfelt = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(scales(rc, &own, &rate));
  PetscCall(RhxCaseDoubtForce_Private(rc, t, own));
  for (PetscInt i = 0; i < rc->space->nlabels; i++) {
    const char *label = rc->space->faces[i].label;
    PetscCall(RhxCaseTypeOf_Private(label, sizeof(type), type));
    if (is_outlet(type)) PetscCall(doubt_outflow(rc, label));
    if (!strcmp(type, "outlet") && rc->form->nmodes) PetscCall(RhxCaseDoubtAcross_Private(rc, label, t, steady));
    if (!strcmp(type, "windkessel")) PetscCall(doubt_windkessel(rc, label, steady, &unfelt));
    if (!strcmp(type, "resistance")) PetscCall(doubt_resistance(rc, label, t, &unfelt));
  }
  PetscCall(doubt_behind(rc, t, steady, unfelt));
  if (!steady && !rc->option.restart[0]) PetscCall(doubt_apart(rc, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
