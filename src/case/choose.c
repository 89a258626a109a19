/* -scheme auto: which scheme and integrator a case gets, and what its time scheme is not made for. */
#include "boundary/pierced.h"
#include "boundary/slip.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "form/scalars.h"
#include "form/taken.h"
#include "petsc_compat.h"
#include "plugin/option.h"

#define FRACTIONAL "fractional_step"
#define MONOLITHIC "monolithic"
#define ANTIDIFFUSION 0.05 /* of the viscosity, that is told */
#define TARGET "0.9" /* of the limits of the time step; of bdf2, whose limit is the Courant number, for accuracy */
#define TARGET_TO_REST \
  "2" /* of bdf2, where accuracy in time does not matter and nothing is explicit; at 4 a flow may swing */
#define CONSTANT "0" /* of Newton's method: nothing but accuracy bounds its steps */
#define BALANCE 0.2  /* of the flow rate; inlets by formula on 4 faces have 0.06 less than it */
#define PIERCED \
  0.1 /* u.n over u of a rotating wall; of a circle of 24 chords of lengths 1 : 2 in turn 0.09, of equal ones 0 */
#define TENSION 7.0       /* N1 over shear stress of an inlet; measured: theory.md, 6 */
#define LEAST_IN_UNIT 100 /* in D/U, where nothing says how long the run is */
#define LEAST_STEPS 200   /* of a run up to -stop_time, and of the shortest time in which something given changes */
#define FOUND 5e-3        /* relative, to which that time is found */
#define SLACK 0.1         /* relative, of a step that is told of */
#define TOO_FEW 20        /* of that time: a warning */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* At most dt, of two digits; what is no step, of a fluid that is none, stays. */
double RhxCaseRoundDown_Private(double dt)
{
  char text[32];
  int exponent;

  if (!(dt > 0.0 && dt < PETSC_MAX_REAL)) return dt;
  exponent = (int)floor(log10(dt)) - 1;
  snprintf(text, sizeof(text), "%.0fe%d", floor(dt / pow(10.0, exponent) * (1.0 + 1e-9)), exponent);
  return atof(text);
}

double RhxCaseStepOfPeriod_Private(double time) { return RhxCaseRoundDown_Private(time * (1.0 + FOUND) / LEAST_STEPS); }

/* The only scheme of which options are given, "" for none or several; the first of them. */
static PetscErrorCode given_scheme(size_t size, char *scheme, char *option)
{
  const RhxOptionTable *table, *found = NULL;
  PetscBool several = PETSC_FALSE;
  char **name, **value;
  PetscInt n;

  PetscFunctionBegin;
  scheme[0] = option[0] = '\0';
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value)); /* none has been read */
  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++)
    for (PetscInt i = 0; !strncmp(table->prefix, "scheme_", 7) && i < n; i++) {
      if (strncmp(name[i], table->prefix, strlen(table->prefix))) continue;
      several = (PetscBool)(several || (found && found != table));
      if (!found) PetscCall(PetscStrncpy(option, name[i], size));
      found = table;
    }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  if (!found || several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(scheme, found->prefix + 7, PetscMin(size, strlen(found->prefix + 7))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode any_given(int n, const char *const *option, PetscBool *any)
{
  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (int i = 0; i < n && !*any; i++) PetscCall(PetscOptionsHasName(NULL, NULL, option[i], any));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integrator of fractional_step, and why. */
static PetscErrorCode choose_integrator(RhxCase rc, PetscBool to_rest, PetscBool *implicit, const char **why)
{
  PetscFunctionBegin;
  *implicit = PETSC_FALSE;
  if (rc->form->nmodes)
    *why = "ssp3, explicit, for a polymer whose flow is followed in time";
  else if (!RhxSchemeImplicitAdvances(rc->form))
    *why = "ssp3, explicit, for a stabiliser that bdf2 does not take";
  else {
    *implicit = PETSC_TRUE;
    *why = to_rest && !rc->form->nscalars
               ? "bdf2, implicit, for a flow without polymer (-scheme steady finds a state of rest at once)"
               : "bdf2, implicit, for a flow without polymer";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest step: a share of the run that is followed in time, else of the time that the case's units make. */
PetscErrorCode RhxCaseLongestStep_Private(PetscBool to_rest, double *dt, size_t size, char *why)
{
  PetscReal end = 0.0, velocity = 1.0, length = 1.0;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stop_time", &end, &set));
  if (!set) PetscCall(PetscOptionsGetReal(NULL, NULL, "-ts_max_time", &end, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  *dt = end > 0.0 && !to_rest ? end / LEAST_STEPS : length / velocity / (to_rest ? RHX_LEAST_TO_REST : LEAST_IN_UNIT);
  snprintf(why, size, "%s",
           end > 0.0 && !to_rest ? "1/" TEXT(LEAST_STEPS) " of -stop_time"
           : to_rest             ? "1/" TEXT(RHX_LEAST_TO_REST) " of -case_length over -case_velocity"
                                 : "1/" TEXT(LEAST_IN_UNIT) " of -case_length over -case_velocity");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_longest(RhxCase rc, double dt)
{
  char value[64];

  PetscFunctionBegin;
  rc->step.longest = dt;
  PetscCall(PetscSNPrintf(value, sizeof(value), "%.17g", dt));
  PetscCall(PetscOptionsSetValue(NULL, rc->step.option, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a time step the scheme follows its limits. */
static PetscErrorCode choose_step(RhxCase rc, const char *scheme, const char *target, PetscBool to_rest)
{
  static const char *const steps[] = {"-ts_dt", "-ts_time_step"};
  char name[512];
  double dt = 0.0;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(any_given(PETSC_STATIC_ARRAY_LENGTH(steps), steps, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseLongestStep_Private(to_rest, &dt, sizeof(rc->step.why), rc->step.why));
  if (!(dt > 0.0)) PetscFunctionReturn(PETSC_SUCCESS); /* units that are an error */
  rc->step.target = target;
  PetscCall(PetscSNPrintf(name, sizeof(name), "-scheme_%s_cfl", scheme));
  PetscCall(PetscOptionsSetValue(NULL, name, target));
  PetscCall(PetscSNPrintf(rc->step.option, sizeof(rc->step.option), "-scheme_%s_dt", scheme));
  PetscCall(set_longest(rc, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an explicit scheme that is named, or whose other options are given. */
static PetscErrorCode step_given(const char *scheme, PetscBool *given)
{
  char dt[300], cfl[300];
  const char *const names[] = {dt, cfl, "-ts_dt", "-ts_time_step"};

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(dt, sizeof(dt), "-scheme_%s_dt", scheme));
  PetscCall(PetscSNPrintf(cfl, sizeof(cfl), "-scheme_%s_cfl", scheme));
  *given = (PetscBool)(strcmp(scheme, RHXTSLUMPED) && strcmp(scheme, FRACTIONAL));
  if (!*given) PetscCall(any_given(PETSC_STATIC_ARRAY_LENGTH(names), names, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take(RhxCase rc, const char *scheme, const char *why, PetscBool implicit)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-scheme", scheme));
  if (implicit) PetscCall(PetscOptionsSetValue(NULL, "-scheme_fractional_step_integrator", "bdf2"));
  PetscCall(PetscSNPrintf(rc->choice, sizeof(rc->choice), "%s: %s", scheme, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the scheme and integrator that are taken or given bdf2? */
static PetscErrorCode is_bdf2(const char *scheme, PetscBool *is)
{
  char integrator[32] = "";

  PetscFunctionBegin;
  PetscCall(
      PetscOptionsGetString(NULL, NULL, "-scheme_fractional_step_integrator", integrator, sizeof(integrator), NULL));
  *is = (PetscBool)(!strcmp(scheme, FRACTIONAL) && !strcmp(integrator, "bdf2"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode follow_limits(RhxCase rc, const char *scheme, PetscBool to_rest)
{
  PetscBool bdf2 = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(is_bdf2(scheme, &bdf2));
  rc->step.settles = (PetscBool)(bdf2 && to_rest && !rc->form->nmodes);
  rc->step.follows = (PetscBool)(bdf2 && !rc->step.settles);
  PetscCall(choose_step(rc, scheme, rc->step.settles && !rc->form->nscalars ? TARGET_TO_REST : TARGET, to_rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integrator of fractional_step, or what only some have. */
static PetscErrorCode integrator_given(PetscBool *given)
{
  static const char *const own[] = {"-scheme_fractional_step_integrator", "-scheme_fractional_step_mass_corrections"};

  PetscFunctionBegin;
  PetscCall(any_given(PETSC_STATIC_ARRAY_LENGTH(own), own, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseTimesOfUnits_Private(RhxForm form, double *viscous, double *passing)
{
  PetscReal velocity = 1.0, length = 1.0;
  double eta;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  PetscCall(RhxFormViscosityAt(form, velocity / length, &eta));
  *viscous = form->rho * PetscSqr(length) / eta;
  *passing = length / velocity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_newton(RhxCase rc, PetscBool to_rest, const char *flow, double dt)
{
  PetscReal begins = 0.0;
  char why[256];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-ts_init_time", &begins, NULL));
  PetscCall(PetscSNPrintf(why, sizeof(why), "implicit, by Newton's method, for %s", flow));
  PetscCall(take(rc, MONOLITHIC, why, PETSC_FALSE));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-scheme_" MONOLITHIC "_dt", &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(rc->step.option, "-scheme_" MONOLITHIC "_dt", sizeof(rc->step.option)));
  rc->step.target = CONSTANT;
  if (rc->form->nmodes > 0 && !to_rest) rc->step.begins = begins;
  PetscCall(set_longest(rc, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forward Euler amplifies what is carried and hardly diffuses: its steps would be below 2 D/U^2. */
static PetscErrorCode take_lumped(RhxCase rc)
{
  PetscReal velocity = 1.0, length = 1.0, least;
  char why[256];
  PetscBool carried, given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  PetscCall(RhxFormLeastDiffusivity(rc->form, &least));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-scheme_lumped_stepper", &given));
  carried = (PetscBool)(2.0 * least < velocity * length / LEAST_IN_UNIT && !given);
  if (carried) PetscCall(PetscOptionsSetValue(NULL, "-scheme_lumped_stepper", "heun"));
  PetscCall(PetscSNPrintf(why, sizeof(why),
                          "%s, for a polymer that comes to rest%s (-scheme steady finds that state at once, where "
                          "Newton's method converges)",
                          given     ? "its stepper as given"
                          : carried ? "Heun's steps"
                                    : "forward Euler",
                          carried ? " and a field that is carried and hardly diffuses" : ""));
  PetscCall(take(rc, RHXTSLUMPED, why, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the physics, and whether the run is to come to rest; what is given of the scheme that is taken, beside options of others, stays. */
static PetscErrorCode choose_by_physics(RhxCase rc, PetscBool to_rest)
{
  const char *why = "";
  char slow[160];
  PetscBool implicit = PETSC_FALSE, given;
  double dt;

  PetscFunctionBegin;
  PetscCall(RhxCaseSlowStep_Private(rc, to_rest, &dt, sizeof(slow), slow));
  if (dt > 0.0) {
    PetscCall(take_newton(rc, to_rest, slow, dt));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (rc->form->nmodes && to_rest) {
    PetscCall(take_lumped(rc));
    PetscCall(step_given(RHXTSLUMPED, &given));
    if (!given) PetscCall(choose_step(rc, RHXTSLUMPED, TARGET, to_rest));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(integrator_given(&given));
  if (!given) PetscCall(choose_integrator(rc, to_rest, &implicit, &why));
  PetscCall(take(rc, FRACTIONAL, given ? "its integrator as given" : why, implicit));
  PetscCall(step_given(FRACTIONAL, &given));
  if (!given) PetscCall(follow_limits(rc, FRACTIONAL, to_rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integrator too, where neither it nor what only some have is given. */
static PetscErrorCode take_given(RhxCase rc, const char *scheme, const char *option, PetscBool to_rest)
{
  const char *integrator = "";
  PetscBool implicit = PETSC_FALSE, given;
  char why[600];

  PetscFunctionBegin;
  PetscCall(integrator_given(&given));
  if (!given && !strcmp(scheme, FRACTIONAL)) PetscCall(choose_integrator(rc, to_rest, &implicit, &integrator));
  PetscCall(PetscSNPrintf(why, sizeof(why), "-%s is given%s%s", option, integrator[0] ? "; " : "", integrator));
  PetscCall(take(rc, scheme, why, implicit));
  PetscCall(step_given(scheme, &given));
  if (!given) PetscCall(follow_limits(rc, scheme, to_rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scheme that is asked for: its integrator as take_given has it, its steps as choose_by_physics where neither is given. */
static PetscErrorCode complete_named(RhxCase rc, const char *scheme, PetscBool to_rest)
{
  const char *why = "";
  PetscBool implicit = PETSC_FALSE, given;

  PetscFunctionBegin;
  PetscCall(integrator_given(&given));
  if (!given && !strcmp(scheme, FRACTIONAL)) PetscCall(choose_integrator(rc, to_rest, &implicit, &why));
  if (why[0]) PetscCall(take(rc, scheme, why, implicit));
  PetscCall(step_given(scheme, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  if (!why[0]) PetscCall(PetscStrncpy(rc->choice, scheme, sizeof(rc->choice)));
  PetscCall(follow_limits(rc, scheme, to_rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseChooseScheme_Private(RhxCase rc)
{
  char name[256] = "auto", scheme[256], option[256];
  PetscReal steady = 0.0;

  PetscFunctionBegin;
  rc->choice[0] = '\0';
  PetscCall(PetscOptionsGetString(NULL, NULL, "-scheme", name, sizeof(name), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stop_steady_tol", &steady, NULL));
  if (strcmp(name, "auto")) {
    PetscCall(complete_named(rc, name, (PetscBool)(steady > 0.0)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(given_scheme(sizeof(scheme), scheme, option));
  if (scheme[0])
    PetscCall(take_given(rc, scheme, option, (PetscBool)(steady > 0.0)));
  else
    PetscCall(choose_by_physics(rc, (PetscBool)(steady > 0.0)));
  rc->step.asked = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shorten(RhxCase rc, double dt, const char *why)
{
  PetscFunctionBegin;
  if (!(dt > 0.0 && dt < rc->step.longest)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_longest(rc, dt));
  PetscCall(PetscStrncpy(rc->step.why, why, sizeof(rc->step.why)));
  PetscCall(RhxSchemeSetTimeStep(rc->ts, dt, atof(rc->step.target)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of an explicit scheme that follow limits stay below that of the friction of slip, as the scheme sees to: says so where it counts. */
static PetscErrorCode tell_slip(RhxCase rc)
{
  const char *label;
  char option[300], said[256];
  double most;
  PetscReal t, longest, cfl = 0.0;

  PetscFunctionBegin;
  if (strcmp(rc->general.scheme, RHXTSLUMPED) && strcmp(rc->general.scheme, FRACTIONAL))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(RhxBoundaryGetSlipStep(rc->bc, t, 0.0, &most, &label));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_cfl", rc->general.scheme));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, &cfl, NULL));
  PetscCall(TSGetTimeStep(rc->ts, &longest));
  if (!label || !(cfl > 0.0 && PetscMin(cfl, RHX_SLIP_SHARE) * most < longest)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rc->choice[0]) PetscCall(PetscStrncpy(rc->choice, rc->general.scheme, sizeof(rc->choice)));
  snprintf(said, sizeof(said),
           "; %s%.3g of what the friction of the wall '%.100s' allows, which is %.3g s at the start",
           rc->step.target ? "and at most " : "steps of at most ", PetscMin(cfl, RHX_SLIP_SHARE), label, most);
  PetscCall(PetscStrlcat(rc->choice, said, sizeof(rc->choice)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the user has given as the least step is below the longest one. */
static PetscErrorCode check_least(RhxCase rc)
{
  char option[300], numbers[96];
  PetscReal least = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_dt_min", rc->general.scheme));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, &least, NULL));
  snprintf(numbers, sizeof(numbers), "got %g s, expected at most %g s", least, rc->step.longest);
  PetscCheck(least <= rc->step.longest, rc->comm, PETSC_ERR_USER_INPUT,
             "%s: %s, the longest step that the case takes where %s is not given: %s", option, numbers, rc->step.option,
             rc->step.why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step that the case chose lets the pressure settle and resolves what is given. */
static PetscErrorCode resolve(RhxCase rc)
{
  RhxChosenStep *step = &rc->step;
  char text[512];
  double time, passing;

  PetscFunctionBegin;
  PetscCall(RhxCaseTimesOfUnits_Private(rc->form, &time, &passing));
  if (step->settles)
    PetscCall(shorten(rc, RhxCaseRoundDown_Private(time / RHX_SETTLING), "1/" TEXT(RHX_SETTLING) " of rho D^2/eta"));
  else if (step->follows)
    PetscCall(shorten(rc, RhxCaseRoundDown_Private(time / RHX_FOLLOWING), "1/" TEXT(RHX_FOLLOWING) " of rho D^2/eta"));
  snprintf(text, sizeof(text), "1/" TEXT(LEAST_STEPS) " of the shortest period that is given, %.2g s (-%s)%s",
           step->shortest.time, step->shortest.option,
           step->shortest.alike ? ", of the sine that changes as fast as its rows" : "");
  if (step->shortest.time > 0.0) PetscCall(shorten(rc, RhxCaseStepOfPeriod_Private(step->shortest.time), text));
  PetscCall(check_least(rc));
  if (strcmp(step->target, CONSTANT))
    snprintf(text, sizeof(text), "; steps of %s times their limits, at most %.6g s, %s", step->target, step->longest,
             step->why);
  else
    snprintf(text, sizeof(text), "; steps of %.6g s, %s%s", step->longest, step->why,
             step->begins < PETSC_INFINITY && !rc->option.restart[0] ? ", the first ones 1/100 of that" : "");
  PetscCall(PetscStrlcat(rc->choice, text, sizeof(rc->choice)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what is looked at from t on. */
static double end_of(RhxCase rc, double t)
{
  return rc->stop.time > t ? rc->stop.time : t + RHX_UNENDING * rc->option.length / rc->option.velocity;
}

PetscErrorCode RhxCaseBoundStep_Private(RhxCase rc)
{
  PetscBool steady;
  PetscReal t;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCall(TSGetTime(rc->ts, &t));
  if (!steady) PetscCall(RhxBoundaryGetShortestTime(rc->bc, t, end_of(rc, t), &rc->step.shortest));
  if (rc->step.target) PetscCall(resolve(rc));
  PetscCall(tell_slip(rc));
  PetscCall(RhxCaseFindBreaks_Private(rc));
  if (rc->step.asked) PetscCall(PetscStrlcat(rc->choice, " (-scheme auto)", sizeof(rc->choice)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseShortestTimeOf_Private(RhxCase rc, const char *label, double t, RhxGivenTime *shortest)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetShortestTimeOf(rc->bc, label, t, end_of(rc, t), shortest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once. */
static PetscErrorCode warn_of_step(RhxCase rc, double t, double dt)
{
  const RhxGivenTime *given = &rc->step.shortest;
  char share[32];

  PetscFunctionBegin;
  if (rc->coarse || !(given->time > 0.0 && dt > given->time / TOO_FEW)) PetscFunctionReturn(PETSC_SUCCESS);
  rc->coarse = PETSC_TRUE;
  if (dt < given->time)
    snprintf(share, sizeof(share), "1/%.2g of", given->time / dt);
  else
    snprintf(share, sizeof(share), "%.2g times", dt / given->time);
  PetscCall(RhxReportSay(rc,
                         "rheoplex: warning: at t = %g s the time step, %g s, is %s the shortest period that is given, "
                         "%.2g s (-%s): expected at most 1/" TEXT(TOO_FEW) ", for errors below 1 %% 1/" TEXT(
                             LEAST_STEPS) ", -scheme_%s_dt %.2g\n",
                         t, dt, share, given->time, given->option, rc->general.scheme,
                         RhxCaseStepOfPeriod_Private(given->time)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of bdf2: 12 eta/(rho D^2) dt^2 is by how much the pressure between walls D apart is late (time-step.md). */
static PetscErrorCode warn_of_lag(RhxCase rc, double dt)
{
  double viscous = 0.0, passing = 0.0;
  PetscBool bdf2 = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(is_bdf2(rc->general.scheme, &bdf2));
  PetscCall(RhxCaseTimesOfUnits_Private(rc->form, &viscous, &passing));
  if (!bdf2 || !(dt * RHX_FOLLOWING > viscous * (1.0 + SLACK))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: the time step, %g s, is %.2g of rho D^2/eta, %.2g s (-case_length): the "
                         "pressure of bdf2 is late by about %.2g steps, expected -scheme " MONOLITHIC
                         ", or at most 1/" TEXT(RHX_FOLLOWING) " of it, -scheme_" FRACTIONAL "_dt %.2g\n",
                         dt, dt / viscous, viscous, 12.0 * dt / viscous, viscous / RHX_FOLLOWING));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant time step; one that is controlled is looked at as it is taken. */
PetscErrorCode RhxCaseStepIsConstant_Private(RhxCase rc, PetscBool *constant)
{
  char option[300];
  PetscReal cfl = 0.0;
  PetscBool adapts;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_cfl", rc->general.scheme));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, &cfl, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ts_adapt_type", &adapts));
  *constant = (PetscBool) !(cfl > 0.0 || adapts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_given_step(RhxCase rc)
{
  PetscReal t, dt;
  PetscBool constant;

  PetscFunctionBegin;
  PetscCall(RhxCaseStepIsConstant_Private(rc, &constant));
  if (!constant) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  PetscCall(warn_of_step(rc, t, dt));
  PetscCall(warn_of_lag(rc, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_outward(RhxCase rc, double t, double end)
{
  const int power = rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2;
  char names[512], rates[256];
  RhxTold out = {0};

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetOutward(rc->bc, t, end, &out));
  RhxToldName(&out, "'", "'", sizeof(names), names);
  RhxToldValues(&out, 1.0, sizeof(rates), rates);
  if (out.n == 1)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: the velocity of the inlet %s points out of the domain: got a flow of %s "
                           "m^%d/s out of it, expected one into it, as a positive -bc_%s_flow_rate is and as "
                           "-bc_%s_velocity has it along the inward normal\n",
                           names, rates, power, out.label[0], out.label[0]));
  if (out.n > 1)
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: the velocities of the inlets %s point out of the domain: got flows of %s "
                     "m^%d/s out of it, expected flows into it, as a positive -bc_<label>_flow_rate is and as "
                     "-bc_<label>_velocity has it along the inward normal\n",
                     names, rates, power));
  PetscCall(RhxToldDestroy(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_pierced(RhxCase rc, const RhxPierced *p)
{
  const PetscBool space = (PetscBool)(rc->space->dim > 2);
  char x[96];

  PetscFunctionBegin;
  snprintf(x, sizeof(x), space ? "(%.3g, %.3g, %.3g)" : "(%.3g, %.3g)", p->x[0], p->x[1], p->x[2]);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: the rotating wall '%s' is not round about its axis, and fluid passes through it: got, at %s, "
      "a velocity along the wall's normal of %.3g of its largest one, expected none, by -bc_%s_axis_point (now "
      "%s)%s%s%s\n",
      p->label, x, p->through / p->speed, p->label, p->point, space ? " or -bc_" : "", space ? p->label : "",
      space ? "_axis" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_pierced(RhxCase rc)
{
  RhxPierced one;

  PetscFunctionBegin;
  for (PetscInt k = 0;; k++) {
    PetscCall(RhxBoundaryGetPierced(rc->bc, k, &one));
    if (!one.label) break;
    if (one.mean > PIERCED) PetscCall(tell_pierced(rc, &one));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_balance(RhxCase rc, double t)
{
  const int power = rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2;
  const char *label;
  double out, in;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetBalance(rc->bc, t, &label, &out, &in));
  if (!label || !(PetscAbsReal(out - in) > BALANCE * PetscMax(PetscAbsReal(out), PetscAbsReal(in))))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: the polymer's profile at outlets does not have the rate of what flows in: got "
                   "%.3g m^%d/s out (-bc_%s_flow_rate, with other outlets if any), %.3g m^%d/s in by the inlets, "
                   "expected the same, or -bc_%s_polymer developed without a rate, which takes that of the flow\n",
                   out, power, label, in, power, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_tension(RhxCase rc)
{
  char names[512], ratios[256];
  RhxTold high = {0};

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetTension(rc->bc, TENSION, &high));
  RhxToldName(&high, "'", "'", sizeof(names), names);
  RhxToldValues(&high, 1.0, sizeof(ratios), ratios);
  if (high.n)
    PetscCall(PetscFPrintf(
        rc->comm, PETSC_STDERR,
        "rheoplex: warning: the developed flow at the inlet%s %s has a normal stress difference of %s "
        "times its shear stress, expected at most %.2g: beyond that, a run may end in a flow that the mesh "
        "makes up behind an inlet that gives the polymer at nodes (theory.md, 6); -bc_%s_polymer_at flux "
        "does not, -scheme_steady_continuation in the relaxation time finds the steady one\n",
        high.n > 1 ? "s" : "", names, ratios, TENSION, RhxToldOption(&high)));
  PetscCall(RhxToldDestroy(&high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfGiven_Private(RhxCase rc)
{
  PetscBool steady, continued;
  PetscReal t, at, dt;

  PetscFunctionBegin;
  PetscCall(RhxSchemeCheckGiven(rc->ts));
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(RhxSchemeGetGivenTime(rc->ts, &at));
  PetscCall(TSGetTimeStep(rc->ts, &dt));
  PetscCall(RhxCaseCheckGiven_Private(rc, t, steady ? at : PetscMin(t + dt, end_of(rc, t))));
  PetscCall(RhxCaseWarnOfUnits_Private(rc, at, steady ? at : RhxCaseLookUntil_Private(rc, t)));
  PetscCall(RhxCaseWarnOfDoubts_Private(rc, at, steady));
  PetscCall(warn_of_outward(rc, at, steady ? at : end_of(rc, t)));
  PetscCall(warn_of_pierced(rc));
  PetscCall(warn_of_balance(rc, at));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-scheme_steady_continuation", &continued));
  if (!steady || !continued) PetscCall(warn_of_tension(rc));
  if (!rc->option.restart[0]) PetscCall(RhxBoundaryWarnOfInitialTime(rc->bc, t));
  if (steady) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rc->option.restart[0]) PetscCall(RhxBoundaryWarnOfInitial(rc->bc, t));
  PetscCall(warn_of_given_step(rc));
  PetscCall(RhxCaseWarnOfThin_Private(rc, t));
  PetscCall(RhxCaseWarnOfAbrupt_Private(rc, t, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfScheme_Private(RhxCase rc, const RhxStepInfo *info)
{
  double part;
  char text[512];

  PetscFunctionBegin;
  PetscCall(warn_of_step(rc, info->t, info->dt));
  PetscCall(RhxCaseWarnOfWaves_Private(rc, info));
  PetscCall(RhxSchemeLookLater(rc->ts, sizeof(text), text));
  if (text[0]) PetscCall(RhxReportSay(rc, "%s", text));
  PetscCall(RhxSchemeTellHalved(rc->ts, sizeof(text), text));
  if (text[0]) PetscCall(RhxReportSay(rc, "%s", text));
  if (rc->warned || rc->stop.steady_tol > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeAntidiffusion(rc->ts, info, &part));
  if (!(part > ANTIDIFFUSION)) PetscFunctionReturn(PETSC_SUCCESS);
  rc->warned = PETSC_TRUE;
  PetscCall(RhxReportSay(
      rc,
      "rheoplex: warning: at t = %g s forward Euler takes u^2 dt/2, %.3g %% of the viscosity, away from it, "
      "and the run is not one to rest (-stop_steady_tol): expected at most %g %%, by -scheme %s, by "
      "-scheme_lumped_stepper heun or by -scheme_lumped_dt %.2g\n",
      info->t, 100.0 * part, 100.0 * ANTIDIFFUSION, FRACTIONAL, info->dt * ANTIDIFFUSION / part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
