/* Scheme `lumped`: explicit, lumped mass (share/doc/theory.md, section 7). Euler step of a state (u, p, s):
 *   s+ = s - dt M^-1 R_s,  u^ = u - dt/rho M^-1 R_u,  boundary values of t + dt, then
 *   projection:   (dt/rho + tau_0) K dp = -(R_p(u, p) + D (u^ - u)),  p+ = p + dp,  u+ = u^ - dt/rho M^-1 grad dp; with subscales
 *                 that are tracked dt/rho K dp = -(f R_p + D (u^ - u)) + (1 - f) e, f = 1 - exp(-dt/(2 rho tau_0)) what they follow in a
 *                 step, e what the balance of the step before lacked
 *   dissipation:  u+ = u^,  eps/rho K p+ = -D u+          (div u = eps/rho lap p; eps a relaxation time of div u)
 * M row-sum lumped or scaled diagonal, K the Laplacian, D the divergence. Heun averages the state, and D u + e, with two Euler steps. */
#include "petsc_compat.h"
#include "scheme/type_impl.h"

enum { STEPPER_EULER, STEPPER_HEUN };
enum { PRESSURE_AUTO, PRESSURE_PROJECTION, PRESSURE_DISSIPATION };
enum { MASS_AUTO, MASS_ROW_SUM, MASS_DIAGONAL };
enum { SUBSCALES_TRACKED, SUBSCALES_INSTANT };

typedef struct {
  RhxSchemeOptions common;
  double eps;
  int variant, stepper, pressure, mass, rate, graph, mass_corrections, subscales;
} Options;

#define SLOT(member) offsetof(Options, member)
static const RhxRow rows[] = {
    RHX_SCHEME_ROWS,
    {"variant", RHX_CHOICE, 0, SLOT(variant), "default", RHX_ANY, 0, 0, "default|dissipative|ayyad", "",
     "default: projection and row-sum mass; dissipative: dissipation and scaled diagonal mass, unless said otherwise; "
     "ayyad: the same as dissipative"},
    {"stepper", RHX_CHOICE, 0, SLOT(stepper), "euler", RHX_ANY, 0, 0, "euler|heun", "",
     "forward Euler, or Heun for time accuracy"},
    {"pressure", RHX_CHOICE, 0, SLOT(pressure), "auto", RHX_ANY, 0, 0, "auto|projection|dissipation", "",
     "how the pressure follows; auto: as the variant says. Its solver takes PETSc's options with the prefix "
     "-pressure_, such as -pressure_pc_type gamg -pressure_ksp_rtol 1e-6"},
    {"mass", RHX_CHOICE, 0, SLOT(mass), "auto", RHX_ANY, 0, 0, "auto|row_sum|diagonal", "",
     "lumped mass; auto: as the variant says"},
    RHX_SCHEME_MASS_ROW(SLOT(mass_corrections), "0"),
    {"subscales", RHX_CHOICE, 0, SLOT(subscales), "instant", RHX_ANY, 0, 0, "tracked|instant", "",
     "how the stabiliser's part of continuity follows the pressure by projection: tracked with the time rho tau, so "
     "that what flows in flows out of a flow that changes in less; instant: at once, which a flow that comes to rest "
     "does not feel"},
    {"dissipation_eps", RHX_REAL, 0, SLOT(eps), "0.01", RHX_GT, 0, 0, NULL, "s",
     "relaxation time of div u (dissipation); stable for dt < 2 eps"},
    {"graph", RHX_BOOL, 0, SLOT(graph), "true", RHX_ANY, 0, 0, NULL, "",
     "on a device: record a step as one graph where only given values and tractions depend on time (what keeps a run "
     "from it is said at its start); false: launch by launch, which tells the time of the pressure solve"},
    {"rate", RHX_CHOICE, 0, SLOT(rate), "lagged", RHX_ANY, 0, 0, "lagged|zero", "",
     "rate in the strong residuals: of the last step, or zero"},
};
static const RhxOptionTable table = {"scheme", "scheme_lumped_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

static PetscErrorCode configure(RhxScheme sc)
{
  Options *o = (Options *)sc->opt;
  PetscFunctionBegin;
  if (o->pressure == PRESSURE_AUTO) o->pressure = o->variant ? PRESSURE_DISSIPATION : PRESSURE_PROJECTION;
  PetscCheck(o->pressure == PRESSURE_PROJECTION || o->subscales != SUBSCALES_TRACKED, PETSC_COMM_WORLD,
             PETSC_ERR_USER_INPUT,
             "-scheme_lumped_subscales: got tracked for a pressure by dissipation, expected instant, or "
             "-scheme_lumped_pressure projection");
  if (o->mass == MASS_AUTO) o->mass = o->variant ? MASS_DIAGONAL : MASS_ROW_SUM;
  sc->settings =
      (RhxOpsSettings){.diagonal_mass = (PetscBool)(o->mass == MASS_DIAGONAL),
                       .strong_rate = (PetscBool)(o->rate == RHX_RATE_LAGGED),
                       .recordable = (PetscBool)o->graph,
                       .tracked = (PetscBool)(o->pressure == PRESSURE_PROJECTION && o->subscales == SUBSCALES_TRACKED),
                       .hands_on = (PetscBool)(o->subscales == SUBSCALES_TRACKED),
                       .mass_corrections = PetscMax(o->mass_corrections - 1, 0)};
  sc->amplifies = (PetscBool)(o->stepper == STEPPER_EULER);
  sc->provides = o->pressure == PRESSURE_DISSIPATION ? RHX_PROVIDES_PRESSURE : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode arrays(RhxScheme sc)
{
  PetscFunctionBegin;
  if (((Options *)sc->opt)->stepper == STEPPER_HEUN)
    PetscCall(RhxOpsArray(sc->ops, sc->form->space->bs, "the second step of Heun", &sc->own[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode euler(RhxScheme sc, RhxArray x, RhxArray y, unsigned which)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  if (o->pressure == PRESSURE_PROJECTION)
    PetscCall(RhxStageProjection(sc, x, x, y, which));
  else
    PetscCall(RhxStageDissipation(sc, o->eps, x, x, y, which));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = (x + z)/2 with z two Euler steps on; the pressure is that of the second. */
static PetscErrorCode heun(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const RhxArray z = sc->own[0], done = ops->done[ops->key];
  PetscFunctionBegin;
  PetscCall(euler(sc, sc->x, sc->y, RHX_FIRST));
  PetscCall(ops->table->ghosts(ops, sc->y));
  PetscCall(ops->table->stage(ops, 1.0, 1.0, 2.0, RhxStageFirst(sc)));
  ops->second = PETSC_TRUE;
  PetscCall(euler(sc, sc->y, z, 0));
  ops->second = PETSC_FALSE;
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->combine(ops, 0.5, sc->x, 0.5, z, sc->y, done ? sc->v : NULL));
  PetscCall(ops->table->measure(ops, sc->x, sc->y, sc->rate));
  if (done) PetscCall(ops->table->divergence(ops, sc->v, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->stage(ops, 0.0, 1.0, 1.0, RhxStageFirst(sc)));
  if (sc->form->needs_rate) PetscCall(ops->table->ghosts(ops, sc->xdot));
  if (((const Options *)sc->opt)->stepper == STEPPER_HEUN)
    PetscCall(heun(sc));
  else
    PetscCall(euler(sc, sc->x, sc->y, RHX_FIRST | RHX_LAST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt handed_width(RhxScheme sc) { return sc->settings.hands_on ? 1 : 0; }

static PetscErrorCode hand(RhxScheme sc, PetscBool give, double number[2], PetscScalar *nodes)
{
  PetscFunctionBegin;
  (void)number;
  PetscCall(RhxStageHand(sc, give, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double limits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  const Options *o = (const Options *)sc->opt;
  double most;
  (void)RhxEulerLimits(sc, rate);
  if (o->stepper == STEPPER_HEUN) rate[RHX_LIMIT_GROWTH] = RhxHeunGrowth(sc);
  most = RhxMostOfLimits(rate);
  if (o->pressure == PRESSURE_DISSIPATION) most = PetscMax(most, 0.5 / o->eps);
  return most;
}

static PetscErrorCode view(RhxScheme sc, PetscViewer viewer)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, pressure by %s, %s mass, dt %g s\n",
                                   o->stepper == STEPPER_HEUN ? "Heun" : "forward Euler",
                                   o->pressure == PRESSURE_DISSIPATION ? "dissipation" : "projection",
                                   o->mass == MASS_DIAGONAL ? "scaled diagonal" : "row-sum", o->common.dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxSchemeType RhxSchemeLumped = {.name = "lumped",
                                 .options = &table,
                                 .size = sizeof(Options),
                                 .configure = configure,
                                 .arrays = arrays,
                                 .step = step,
                                 .limits = limits,
                                 .handed_width = handed_width,
                                 .hand = hand,
                                 .view = view};
