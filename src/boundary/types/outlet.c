/* Open boundary: traction t = (tau - p I).n with the given pressure and, unless the form of the faces takes it from the flow, the
 * developed polymer stress. */
#include "boundary/types/outlet.h"
#include "boundary/across_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/types/shared.h"

static PetscBool is_developed(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && c->opt->polymer == RHX_POLYMER_DEVELOPED);
}

static PetscBool brings_developed(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && c->opt->polymer_inflow == RHX_POLYMER_DEVELOPED);
}

/* ---- Without a profile of its own the developed flow is that of what arrives: its flux out of the domain is the state, m^3/s ---- */

#define SAME 1e-8 /* of the flux: one that is nearer is that of before, whose stresses need not be found again */

static const RhxConditionType arriving;

PetscBool RhxOutletIsArriving(const RhxCondition *c) { return (PetscBool)(c->type == &arriving || c->arrives); }

/* What is given at times after the last step's end has the flux of then, the flow that is there that of before. */
double RhxOutletGetArriving(const RhxCondition *c, double t)
{
  if (!c->arrives) return c->state[0];
  if (c->bc->solved) return c->arriving;
  return c->kept[RHX_FOLLOW_FLUX + (RhxConditionIsLater(c, t) ? 0 : c->type->nstate)];
}

static PetscErrorCode measure(RhxCondition *c)
{
  double flux, pressure;

  PetscFunctionBegin;
  PetscCall(RhxConditionMeasure(c, &flux, &pressure));
  if (!(PetscAbsReal(flux - c->state[0]) <= SAME * PetscAbsReal(flux))) c->state[0] = flux;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(RhxCondition *c, double t, double dt)
{
  PetscFunctionBegin;
  (void)t;
  (void)dt;
  PetscCall(measure(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pressure is part of the traction alone. Not where the polymer's traction is given: the flow would follow it. */
static PetscBool is_weak(const RhxCondition *c)
{
  const int at = c->opt->pressure_at;
  const PetscBool given =
      (PetscBool)(c->bc->form->nmodes && !RhxConditionIsOpen(c) && !c->type->follow && !RhxOutletIsArriving(c));
  return (PetscBool)(at == RHX_PRESSURE_TRACTION || (at == RHX_PRESSURE_AUTO && !given && !c->bc->scheme_pressure));
}

PetscBool RhxOutletLoads(const RhxCondition *c)
{
  return (PetscBool)((c->gives & RHX_TYPE_WEAK_PRESSURE) && c->traction_formula[0]);
}

PetscErrorCode RhxOutletLoad(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p)
{
  const PetscInt dim = c->bc->space->dim;
  PetscReal *traction;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &traction));
  for (PetscInt d = 0; d < dim; d++) {
    PetscCall(RhxBoundaryFormula(c->bc, c->traction_formula[d], t, n, x, 1, traction));
    for (PetscInt i = 0; i < n; i++) p[i] -= traction[i] * c->geo.normal[d];
  }
  PetscCall(PetscFree(traction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxOutletRises(const RhxCondition *c)
{
  return (PetscBool)(c->type->traction == RhxOutletTraction && !c->type->follow &&
                     (c->pressure_time || (c->traction_time && RhxOutletLoads(c))));
}

/* That of the flow's pressure: at a start, which is corrected without a rise, that too is the first time's. */
static double level(const RhxCondition *c, double t)
{
  const double *step = c->bc->step;
  if (!RhxOutletRises(c) || !(step[1] > step[0])) return t;
  return step[c->risen && t > step[0] ? 1 : 0];
}

double RhxOutletPressureTime(const RhxCondition *c, double t)
{
  const double *step = c->bc->step;
  if (!RhxOutletRises(c) || !(step[1] > step[0])) return t;
  return c->risen && !(t > step[0]) ? t : step[1];
}

/* Beside a velocity that is free the stress of an open label is the flow's: given in the flux it grows where lambda U/H is large.
 * Swirl's shear the developed flow leaves out. */
static int inflow_of(const RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;
  if (o->polymer == RHX_POLYMER_DEVELOPED && c->bc->form->swirl < 0) return RHX_POLYMER_DEVELOPED;
  return o->polymer == RHX_POLYMER_OPEN && !o->tangential ? RHX_POLYMER_FREE : RHX_POLYMER_REST;
}

/* What the fluid that comes in brings. */
static PetscErrorCode check_inflow(RhxCondition *c)
{
  RhxConditionOptions *o = c->opt;

  PetscFunctionBegin;
  if (!o->polymer_inflow) o->polymer_inflow = inflow_of(c);
  if (!c->bc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((o->polymer_inflow == RHX_POLYMER_FORMULA) == (o->stress[0] != 0), c->bc->comm, PETSC_ERR_ARG_WRONG,
             o->stress[0] ? "-bc_%s_stress: got formulas, expected -bc_%s_polymer_inflow formula with them"
                          : "-bc_%s_polymer_inflow formula: got no formulas, expected -bc_%s_stress",
             c->label, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The developed flow of the flux that arrives takes the place of a profile. */
static PetscErrorCode become_arriving(RhxCondition *c)
{
  PetscFunctionBegin;
  c->opt->profile = RHX_PROFILE_DEVELOPED;
  c->arrives = (PetscBool)(c->type->follow != NULL);
  if (!c->arrives) PetscCall(RhxConditionBecome(c, &arriving));
  PetscCheck(
      is_weak(c), c->bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_polymer%s developed of the flux that arrives: got the pressure at nodes, where continuity does not "
      "hold and the flux follows its own stress; expected -bc_%s_pressure_at traction, or a profile of its own, "
      "such as -bc_%s_flow_rate",
      c->label, is_developed(c) ? "" : "_inflow", c->label, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutletCheck(RhxCondition *c)
{
  RhxConditionOptions *o = c->opt;
  PetscBool profile;

  PetscFunctionBegin;
  PetscCheck(o->profile != RHX_PROFILE_WOMERSLEY && o->profile != RHX_PROFILE_FILE, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_profile %s: got it with -bc_%s_type %s, expected it with an inlet, or profile parabolic or "
             "developed",
             c->label, RhxProfileName(c), c->label, c->type->entry.name);
  PetscCall(RhxConditionCheckVelocity(c));
  profile = (PetscBool)(o->velocity[0] || o->profile != RHX_PROFILE_FORMULA);
  if (!o->polymer) o->polymer = profile ? RHX_POLYMER_DEVELOPED : RHX_POLYMER_OPEN;
  PetscCall(check_inflow(c));
  if (RhxConditionIsOpen(c) && o->form)
    PetscCall(PetscFPrintf(c->bc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_form: got symmetric, expected gradient: with -bc_%s_polymer open "
                           "the viscous traction that is zero is eta_s grad(u).n; symmetric does nothing there\n",
                           c->label, c->label));
  if (RhxConditionIsOpen(c) && c->bc->form->nmodes && o->traction[0])
    PetscCall(
        PetscFPrintf(c->bc->comm, PETSC_STDERR,
                     "rheoplex: warning: -bc_%s_traction: got \"%s\" with -bc_%s_polymer open, where the fluid's own "
                     "traction is added to it, as a load along the normal asks; expected -bc_%s_polymer zero with "
                     "-bc_%s_pressure_at traction where it is all of the traction, such as a shear stress that drives "
                     "the flow\n",
                     c->label, o->traction, c->label, c->label, c->label));
  if (o->ramp > 0 && !profile && o->polymer_inflow != RHX_POLYMER_FORMULA)
    PetscCall(PetscFPrintf(c->bc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_ramp: got it without a profile, which it raises, so that it does "
                           "nothing; expected, for a pressure that is raised, a formula in t of -bc_%s_pressure\n",
                           c->label, c->label));
  PetscCheck(!o->pressure_means || is_developed(c), c->bc->comm, PETSC_ERR_ARG_INCOMP,
             "-bc_%s_pressure_means: got it %s, expected it with -bc_%s_polymer developed, which alone adds to the "
             "pressure over a section",
             c->label, c->bc->form->nmodes ? "with another polymer of the label" : "without a polymer", c->label);
  if (o->pressure_at == RHX_PRESSURE_TRACTION) PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_TRACTION, c->label, ""));
  if (is_developed(c) || brings_developed(c)) PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_OUTFLOW, c->label, ""));
  if (brings_developed(c)) PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_DEVELOPED, c->label, "polymer_inflow"));
  if (!profile && (is_developed(c) || brings_developed(c))) PetscCall(become_arriving(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

unsigned RhxOutletGives(const RhxCondition *c)
{
  return (is_weak(c) ? RHX_TYPE_WEAK_PRESSURE : RHX_TYPE_PRESSURE) | RHX_TYPE_OPEN |
         (is_developed(c) || c->type->follow || c->opt->pressure[0] || c->opt->traction[0] ? RHX_TYPE_TRACTION : 0u);
}

/* t[point][dim] += tau.n, tau summed over the modes of stress[point][nmodes][ntens]. */
static void add_stress(RhxBoundary bc, PetscInt n, const PetscReal *normal, const PetscReal *stress, PetscReal *t)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens, nmodes = bc->form->nmodes;

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < nmodes; k++) {
      const PetscReal *tau = stress + (i * nmodes + k) * ntens;
      for (PetscInt a = 0; a < dim; a++)
        for (PetscInt b = 0; b < dim; b++)
          t[i * dim + a] += tau[rhx_tensor_index(dim, ntens, a, b)] * normal[i * dim + b];
    }
}

PetscErrorCode RhxOutletTraction(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                                 PetscReal *values)
{
  RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim;
  PetscReal *L, *stress, *p, *given;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(values, n * dim));
  PetscCall(PetscCalloc3(n * dim * dim, &L, n * bc->form->nmodes * bc->space->ntens, &stress, n, &p));
  if (is_developed(c)) {
    PetscCall(RhxConditionProfile(bc, c, t, n, x, NULL, L));
    PetscCall(RhxBoundaryDeveloped(bc, n, x, L, NULL, stress));
    add_stress(bc, n, normal, stress, values);
  }
  if (RhxOutletRises(c) && RhxOutletLoads(c)) { /* the load rises as the pressure does */
    PetscCall(RhxOutletLoad(c, t, n, x, p));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt d = 0; d < dim; d++) values[i * dim + d] += p[i] * normal[i * dim + d];
    PetscCall(PetscArrayzero(p, n));
  }
  PetscCall(c->type->pressure(c, level(c, t), n, x, p));
  if (RhxOutletRises(c) && RhxOutletLoads(c)) PetscCall(RhxOutletLoad(c, level(c, t), n, x, p));
  PetscCall(RhxConditionAddAcross(c, t, n, x, p));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++) values[i * dim + d] = values[i * dim + d] - p[i] * normal[i * dim + d];
  PetscCall(PetscMalloc1(n, &given));
  for (PetscInt d = 0; c->traction_formula[0] && d < dim; d++) {
    PetscCall(RhxBoundaryFormula(bc, c->traction_formula[d], t, n, x, 1, given));
    for (PetscInt i = 0; i < n; i++) values[i * dim + d] += given[i];
  }
  PetscCall(PetscFree(given));
  PetscCall(PetscFree3(L, stress, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowerCheck(RhxCondition *c)
{
  PetscFunctionBegin;
  PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_FOLLOWS, c->label, c->type->entry.name));
  PetscCall(RhxOutletCheck(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowerBegin(RhxCondition *c)
{
  double *flux = &c->kept[RHX_FOLLOW_FLUX], pressure;

  PetscFunctionBegin;
  if (!c->arrives) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->kept[RHX_FOLLOW_BEGUN] == 0) {
    PetscCall(RhxConditionMeasure(c, flux, &pressure));
    flux[c->type->nstate] = *flux;
  }
  c->arriving = *flux;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowerPressure(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p)
{
  PetscFunctionBegin;
  (void)t;
  (void)x;
  for (PetscInt i = 0; i < n; i++) p[i] = c->state[RHX_FOLLOW_PRESSURE];
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define OUTLET_TYPE                                                                                                   \
  RHX_CONDITION_ENTRY("outlet",                                                                                       \
                      "given pressure; the polymer's traction is that of the flow that arrives, of the "              \
                      "law's developed flow, in a profile that is given or of the flux that arrives, or zero"),       \
      .priority = 4, .flags = RHX_TYPE_PRESSURE | RHX_TYPE_OPEN | RHX_TYPE_TRACTION,                                  \
      .shared = " type pressure pressure_scale pressure_time_scale pressure_interpolation pressure_rows pressure_at " \
                "pressure_means traction backflow "                                                                   \
                "tangential form polymer polymer_inflow stress "                                                      \
                "velocity profile mean_velocity "                                                                     \
                "maximum_velocity flow_rate flow_rate_scale flow_rate_time_scale flow_rate_interpolation "            \
                "flow_rate_rows ramp ",                                                                               \
      .polymer = " open developed zero ", .check = RhxOutletCheck, .gives = RhxOutletGives,                           \
      .changes = RhxConditionChanges, .pressure = RhxConditionPressure, .traction = RhxOutletTraction

const RhxConditionType RhxConditionType_outlet = {OUTLET_TYPE};
static const RhxConditionType arriving = {OUTLET_TYPE, .nstate = 1, .advance = advance, .begin = measure};
