/* What is legal and looks like a slip: parameters that may stand in each other's place, or in other units. One line each, before the run. */
#include "boundary/backflow.h"
#include "boundary/pierced.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "mesh/regions.h"
#include "petsc_compat.h"
#include "plugin/needs.h"

#define METRES 0.01   /* a scale of lengths that are not divided by one of their own */
#define INERTIAL 50.0 /* Re of a flow that may not come in through an open label */
#define WAVES \
  2.0 /* of their period: what changes in less meets them; in 2 the outflow is 1 % off, in 0.8 the size of the inflow */
#define APART 100.0   /* the period of rows and the run's end: of ms that stand for s it is 1000; */
#define FAR 1e4       /* and D/U, where there is no end: of an artery it is 100 */
#define INERT 0.05    /* of the relaxation time or the run, that viscosity takes in creeping flow */
#define CYCLES 1000.0 /* but a run may be long: a Windkessel fills in many */

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
  PetscCall(RhxCaseOfLabel_Private(label, "ramp", &ramp));
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

PetscErrorCode RhxCaseOfLabel_Private(const char *label, const char *name, PetscReal *v)
{
  char option[300];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", label, name));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, v, NULL));
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

/* text: what each of them needs. inertial FALSE: those alone whose polymer grows. */
static PetscErrorCode advise(RhxCase rc, PetscBool inertial, const RhxTold *open, RhxTold *unstable, size_t size,
                             char *text)
{
  PetscFunctionBegin;
  text[0] = '\0';
  for (PetscInt k = 0; k < open->n; k++) {
    const size_t used = strlen(text);
    char one[700];

    if (!inertial && !RhxBoundaryCrossesWithPolymer(rc->bc, open->label[k])) continue;
    RhxBoundaryAdviseInflow(rc->bc, open->label[k], sizeof(one), one);
    snprintf(text + used, size - used, "%s%s", used ? "; " : "", one);
    PetscCall(RhxToldAdd(unstable, open->label[k], open->value[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_driven(RhxCase rc, double t, PetscBool steady)
{
  PetscBool inertial = PETSC_FALSE;
  RhxTold open = {0}, unstable = {0};
  char advice[4096], names[512], over[256];

  PetscFunctionBegin;
  PetscCall(is_inertial(rc, &inertial));
  if (!inertial && !rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      RhxBoundaryGetDriven(rc->bc, t, !steady && rc->stop.time > t ? rc->stop.time : t, RhxBoundaryIsUnguarded, &open));
  PetscCall(advise(rc, inertial, &open, &unstable, sizeof(advice), advice));
  RhxToldName(&unstable, "'", "'", sizeof(names), names);
  RhxToldValues(&unstable, 1.0, sizeof(over), over);
  if (unstable.n)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: fluid comes in through %s, which %s open with a pressure %s Pa above "
                           "another one, and may be unstable there; expected %s\n",
                           names, unstable.n > 1 ? "are" : "is", over, advice));
  PetscCall(RhxToldDestroy(&open));
  PetscCall(RhxToldDestroy(&unstable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode doubt_reversal(RhxCase rc, double t)
{
  double range[2];
  PetscBool inertial = PETSC_FALSE;
  RhxTold open = {0}, unstable = {0};
  char advice[4096], names[512];

  PetscFunctionBegin;
  PetscCall(is_inertial(rc, &inertial));
  if (!inertial && !rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetReversal(rc->bc, t, RhxCaseLookUntil_Private(rc, t), range, &open));
  PetscCall(advise(rc, inertial, &open, &unstable, sizeof(advice), advice));
  RhxToldName(&unstable, "'", "'", sizeof(names), names);
  if (unstable.n)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the flow that is given reverses, from %.3g to %.3g m^%d/s by the "
                           "inlets: fluid comes in through %s, which %s open, and may be unstable there; expected %s\n",
                           range[0], range[1], rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2, names,
                           unstable.n > 1 ? "are" : "is", advice));
  PetscCall(RhxToldDestroy(&open));
  PetscCall(RhxToldDestroy(&unstable));
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

/* A file of a fluid and what is about it, such as a vessel's wall. */
static PetscErrorCode doubt_regions(RhxCase rc)
{
  const char *text;
  PetscInt n;
  PetscBool all;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetRegions(rc->mesh, &n, &text, &all));
  if (n > 1 && all)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the mesh has %" PetscInt_FMT
                           " regions, %s, which are taken as one fluid; expected -mesh_regions with those that are\n",
                           n, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfDoubts_Private(RhxCase rc, double t, PetscBool steady)
{
  PetscFunctionBegin;
  PetscCall(doubt_regions(rc));
  PetscCall(doubt_viscosities(rc));
  PetscCall(doubt_yielding(rc));
  PetscCall(RhxCaseWarnOfShift_Private(rc, t, steady ? t : RhxCaseLookUntil_Private(rc, t)));
  PetscCall(RhxCaseDoubtFluxes_Private(rc));
  PetscCall(doubt_polymers(rc));
  PetscCall(doubt_density(rc));
  PetscCall(RhxCaseDoubtSlip_Private(rc, t));
  PetscCall(doubt_conservative(rc));
  PetscCall(steady ? doubt_rest(rc) : doubt_periods(rc));
  PetscCall(doubt_driven(rc, t, steady));
  PetscCall(RhxCaseDoubtInflow_Private(rc, t, steady));
  if (!steady) PetscCall(doubt_reversal(rc, t));
  if (!steady) PetscCall(doubt_least_step(rc));
  if (!steady) PetscCall(doubt_inertia(rc));
  if (!steady) PetscCall(RhxCaseWarnOfIntervals_Private(rc));
  for (PetscInt i = 0; i < rc->space->nlabels && !steady; i++) PetscCall(doubt_ramp(rc, rc->space->faces[i].label));
  if (steady) PetscCall(RhxCaseDoubtScalarLevels_Private(rc));
  PetscCall(RhxCaseDoubtOutlets_Private(rc, t, steady));
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
    PetscCall(RhxCaseOfLabel_Private(label, "ramp", &ramp));
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
