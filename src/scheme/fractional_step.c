/* Scheme `fractional_step`: one pressure solve a step after bdf2 (bdf2.c), or after explicit Runge-Kutta stages with a frozen
 * pressure (share/doc/theory.md, section 7). With f = -M^-1 R of the momentum and of all modes as one system, stage values X_i of the times t + c_i dt:
 *   X_i = x + dt sum_j a_ij f(X_j, p^n),  x^ = x + dt sum_j b_j f(X_j, p^n),  given values of the time of each,
 *   (dt/rho + tau_0) K dp = -(R_p(u^n, p^n) + D (u^ - u^n)),  p+ = p + dp,  u+ = u^ - dt/rho M^-1 grad dp
 * where subscales are instant; tracked ones have
 *   dt/rho K dp = -(f R_p(u^n, p^n) + D (u^ - u^n)) + (1 - f) e,  f = 1 - exp(-dt/(2 rho tau_0)),
 * bdf2 f of each node; e is what the balance lacked after the step before, by (K - D M^-1 grad) dp. p+ is the pressure of t + dt/2. Rates are corrected by the consistent mass; projections of the stabilisers are those of X_i in every stage. */
#include "petsc_compat.h"
#include "scheme/bdf2_impl.h"

typedef struct {
  RhxSchemeOptions common;
  int integrator, polymer, graph, mass_corrections, subscales;
} Options;

/* Butcher's table; damped: the interval of the negative real axis on which the stability polynomial is at most 1. */
typedef struct {
  const char *name;
  int n;
  double c[RHX_MAX_STAGES], a[RHX_MAX_STAGES][RHX_MAX_STAGES], b[RHX_MAX_STAGES], damped;
} Integrator;

enum { HEUN, SSP3, RK4, BDF2 };
enum { SUBSCALES_AUTO, SUBSCALES_TRACKED, SUBSCALES_INSTANT };
enum { POLYMER_HEUN, POLYMER_TRANSPORT };

#define NEUTRAL \
  2 /* corrections of projections after which orthogonal subgrid scales damp what the mesh resolves no more */

static const Integrator integrators[] = {
    {"Heun", 2, {0, 1}, {{0}, {1}}, {0.5, 0.5}, 2.0},
    {"SSP3 (Shu and Osher)", 3, {0, 1, 0.5}, {{0}, {1}, {0.25, 0.25}}, {1.0 / 6, 1.0 / 6, 2.0 / 3}, 2.5127},
    {"RK4", 4, {0, 0.5, 0.5, 1}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, 2.7853},
};

#define SLOT(member) offsetof(Options, member)
static const RhxRow rows[] = {
    RHX_SCHEME_ROWS,
    {"integrator", RHX_CHOICE, 0, SLOT(integrator), "ssp3", RHX_ANY, 0, 0, "heun|ssp3|rk4|bdf2", "",
     "explicit integrator of velocity and stress: of order 2, 3, 4 by itself with 2, 3, 4 residuals a step; or bdf2, "
     "implicit in velocity, of order 2, whose steps only elastic waves and convection of a polymer limit. The "
     "pressure, "
     "solved for once a step, keeps order 2. A case without it, whatever the scheme's other options but "
     "mass_corrections, takes bdf2 for a flow without polymer and says so. Solvers take PETSc's options with the "
     "prefix -pressure_ and, with bdf2, "
     "-momentum_"},
    {"polymer", RHX_CHOICE, 0, SLOT(polymer), "heun", RHX_ANY, 0, 0, "heun|transport", "",
     "how bdf2 advances the modes of a polymer: by Heun's method with a lumped mass, explicit; or by their own formula "
     "of "
     "bdf2, implicit in convection and relaxation, whose steps only elastic waves limit (solver options with the "
     "prefix "
     "-transport_)"},
    RHX_SCHEME_MASS_ROW(SLOT(mass_corrections), "1, with bdf2 0"),
    {"subscales", RHX_CHOICE, 0, SLOT(subscales), "auto", RHX_ANY, 0, 0, "auto|tracked|instant", "",
     "how the stabiliser's part of continuity follows the pressure: tracked with the time rho tau, of second order in "
     "time and with the pressure held as dt goes to 0; instant: of first order in time; auto: tracked, but where a "
     "stabiliser's residual of momentum holds the rate, on tetrahedra"},
    {"graph", RHX_BOOL, 0, SLOT(graph), "true", RHX_ANY, 0, 0, NULL, "",
     "on a device: record a step as one graph where only given values and tractions depend on time (what keeps a run "
     "from it is said at its start); false: launch by launch, which tells the time of the pressure solve"},
};
static const RhxOptionTable table = {"scheme", "scheme_fractional_step_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

static PetscBool implicit(RhxScheme sc) { return (PetscBool)(((const Options *)sc->opt)->integrator == BDF2); }
static const Integrator *integrator(RhxScheme sc) { return &integrators[((const Options *)sc->opt)->integrator]; }

/* An explicit integrator has no such solver. */
static PetscErrorCode refuse_momentum_options(void)
{
  char bad[256];
  PetscFunctionBegin;
  PetscCall(RhxTransportOptionLeft(RHX_GROUP_VELOCITY, sizeof(bad), bad));
  PetscCheck(!bad[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-%s: got it for an explicit integrator, which solves for no momentum; expected "
             "-scheme_fractional_step_integrator bdf2",
             bad);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nor does bdf2 without implicit transport have that of modes. */
static PetscErrorCode refuse_transport_options(const Options *o)
{
  char bad[256];
  PetscFunctionBegin;
  PetscCheck(
      o->polymer == POLYMER_HEUN || o->integrator == BDF2, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "-scheme_fractional_step_polymer: got transport for an explicit integrator, which takes velocity and modes "
      "as one system; expected -scheme_fractional_step_integrator bdf2");
  if (o->polymer == POLYMER_TRANSPORT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxTransportOptionLeft(RHX_GROUP_MODES, sizeof(bad), bad));
  PetscCheck(!bad[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-%s: got it for modes that are explicit; expected -scheme_fractional_step_integrator bdf2 with "
             "-scheme_fractional_step_polymer transport",
             bad);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_tetrahedra(RhxSpace sp)
{
  int found = 0;
  for (PetscInt k = 0; k < sp->ntypes; k++) found |= sp->dim == 3 && sp->cells[k].nn != 8 && sp->cells[k].n > 0;
  return (PetscBool)(MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, sp->comm) == MPI_SUCCESS && found);
}

/* What explicit steps hand on of a balance that holds the rate of the last step grows from step to step, whatever dt (theory.md, 7). */
static PetscErrorCode choose(RhxScheme sc)
{
  Options *o = (Options *)sc->opt;
  const PetscBool rate =
      (PetscBool)(RhxFormHasAsked(sc->form, RHX_ASK_RATE_OF_VELOCITY) && has_tetrahedra(sc->form->space));
  PetscFunctionBegin;
  if (o->subscales == SUBSCALES_TRACKED && rate && !implicit(sc))
    PetscCall(PetscFPrintf(sc->form->comm, PETSC_STDERR,
                           "rheoplex: warning: -scheme_fractional_step_subscales: got tracked with a stabiliser whose "
                           "residual of momentum holds the rate of the last step, expected instant, for steps of any "
                           "length may grow on tetrahedra\n"));
  if (o->subscales == SUBSCALES_AUTO) o->subscales = rate ? SUBSCALES_INSTANT : SUBSCALES_TRACKED;
  sc->settings.tracked = sc->settings.hands_on = (PetscBool)(o->subscales == SUBSCALES_TRACKED);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode configure(RhxScheme sc)
{
  const Options *o = (const Options *)sc->opt;
  PetscFunctionBegin;
  sc->settings = (RhxOpsSettings){.strong_rate = PETSC_TRUE,
                                  .recordable = (PetscBool)o->graph,
                                  .projection_corrections = NEUTRAL,
                                  .mass_corrections = o->mass_corrections ? o->mass_corrections - 1 : !implicit(sc)};
  sc->pressure_lags = sc->settings.lags = PetscNot(implicit(sc));
  sc->settings.transport = (PetscBool)(o->polymer == POLYMER_TRANSPORT);
  PetscCall(refuse_transport_options(o));
  if (implicit(sc))
    PetscCall(RhxBdf2Configure(sc));
  else
    PetscCall(refuse_momentum_options());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residuals of the stages after the first, or what bdf2 needs. */
static PetscErrorCode arrays(RhxScheme sc)
{
  PetscFunctionBegin;
  if (implicit(sc)) {
    PetscCall(RhxBdf2Arrays(sc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int i = 1; i < integrator(sc)->n; i++)
    PetscCall(RhxOpsArray(sc->ops, sc->form->space->bs, "the residual of a stage", &sc->own[i - 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxArray residual_of(RhxScheme sc, int i) { return i ? sc->own[i - 1] : sc->r; }

/* Residual of stage i, whose state is x; then the state of the next stage, or u^ and s+, into y. */
static PetscErrorCode stage(RhxScheme sc, const Integrator *rk, int i, RhxArray x)
{
  const RhxOps ops = sc->ops;
  const PetscBool last = (PetscBool)(i + 1 == rk->n);
  const RhxArray r = residual_of(sc, i);
  RhxSum sum = {.n = i + 1};
  PetscFunctionBegin;
  for (int j = 0; j <= i; j++) {
    sum.term[j] = residual_of(sc, j);
    sum.weight[j] = last ? rk->b[j] : rk->a[i + 1][j];
  }
  PetscCall(ops->table->stage(ops, rk->c[i], 1.0, last ? 1.0 : rk->c[i + 1], sc->form->naux ? sc->aux : r));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, x, sc->aux, r));
  PetscCall(ops->table->residual(ops, RHX_ROWS_ALL, x, sc->xdot, sc->aux, r, (PetscBool)(i == 0), last ? sc->b : NULL));
  PetscCall(RhxStageCorrect(sc, r));
  PetscCall(ops->table->values(ops, PETSC_TRUE));
  PetscCall(ops->table->update(ops, sc->x, &sum, last ? sc->x : NULL, sc->y, last ? sc->v : NULL, last));
  if (!last) PetscCall(ops->table->ghosts(ops, sc->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explicit_step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const Integrator *rk = integrator(sc);
  const RhxArray done = ops->done[ops->key];
  PetscFunctionBegin;
  if (sc->form->needs_rate) PetscCall(ops->table->ghosts(ops, sc->xdot));
  for (int i = 0; i < rk->n; i++) PetscCall(stage(sc, rk, i, i ? sc->y : sc->x));
  PetscCall(ops->table->divergence(ops, sc->v, sc->b));
  PetscCall(ops->table->stage(ops, 0.5, 1.0, 1.0, sc->v)); /* a given pressure is that of t + dt/2 */
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->pressure(ops, 0.0, sc->x, sc->r, sc->xdot, sc->b, sc->phi, done));
  PetscCall(ops->table->solve(ops, sc->b, sc->phi));
  PetscCall(ops->table->gradient(ops, sc->phi, sc->v));
  PetscCall(ops->table->values(ops, PETSC_TRUE));
  PetscCall(ops->table->correct(ops, sc->x, sc->phi, sc->v, sc->y, sc->x, sc->rate));
  if (done) PetscCall(ops->table->divergence(ops, sc->v, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCall(implicit(sc) ? RhxBdf2Step(sc) : explicit_step(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of forward Euler, whose interval is 2, by the interval of the integrator. Waves grow with Heun alone, as in `lumped`:
 * the other polynomials are less than 1 on the imaginary axis up to 1.73 and 2.83. */
static double limits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  double shorter;
  if (implicit(sc)) return RhxBdf2Limits(sc, rate);
  shorter = 2.0 / integrator(sc)->damped;
  (void)RhxEulerLimits(sc, rate);
  for (int i = 0; i < RHX_NLIMITS; i++) rate[i] *= shorter;
  rate[RHX_LIMIT_GROWTH] = ((const Options *)sc->opt)->integrator == HEUN ? RhxHeunGrowth(sc) : 0.0;
  return RhxMostOfLimits(rate);
}

static PetscInt handed_width(RhxScheme sc)
{
  return implicit(sc) ? RhxBdf2HandedWidth(sc) : sc->settings.hands_on ? 1 : 0;
}

static PetscErrorCode hand(RhxScheme sc, PetscBool give, double number[2], PetscScalar *nodes)
{
  PetscFunctionBegin;
  if (implicit(sc))
    PetscCall(RhxBdf2Hand(sc, give, number, nodes));
  else
    PetscCall(RhxStageHand(sc, give, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RhxScheme sc, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s, one pressure solve a step, dt %g s\n",
                                   implicit(sc) ? "BDF2" : integrator(sc)->name,
                                   ((const Options *)sc->opt)->common.dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxSchemeType RhxSchemeFractionalStep = {.name = "fractional_step",
                                         .options = &table,
                                         .size = sizeof(Options),
                                         .configure = configure,
                                         .choose = choose,
                                         .arrays = arrays,
                                         .step = step,
                                         .limits = limits,
                                         .handed_width = handed_width,
                                         .hand = hand,
                                         .view = view};
