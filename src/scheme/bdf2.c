/* With w = dt/dt_before, u* = u + dt (u - u_before)/dt_before, l = (1 + 2w)/(1 + w), e = w/(1 + w), the rate at t + dt
 *   u_t(v) = l (v - u)/dt - e (u - u_before)/dt_before
 * is of second order, and momentum, linearised at u* with everything of t + dt,
 *   (l rho/dt M + C(u*) + K + S(u*)) (u^ - u*) = -(R_u(u*, p) + rho M u_t(u*)).
 * R is the whole residual, so that what the matrix leaves out (transposed gradients, projections, faces) is that of u*. Then
 *   b K dp = -(f R_p(u, p) + D (u^ - u)),  p+ = p + dp,  u+ = u^ - b M_L^-1 grad dp,  b = dt/(l rho),
 * f = 1 - exp(-dt r) of tracked subscales, r their rate at the node (section 7 of share/doc/theory.md), with R_p(u, p) = R_p(u*, p) - D (u* - u);
 * instant ones have f = 1, R_p(u*, p) and b + tau_0 for b on the left. Of tracked ones (1 - f) e joins the right side,
 * what the balance of the step before lacked.
 * The first step is backward Euler: w = 0. u_before and dp are in the rate xdot, which a checkpoint holds.
 * Modes and scalar fields come first, by Heun's method with f = -M^-1 R_s, M lumped, and the extrapolated velocity; momentum has
 * their new stress:
 *   z = s + dt f(u, s, t),  s+ = s + dt/2 (f(u, s, t) + f(u*, z, t + dt)).
 * Modes with implicit transport have s* as the velocity has u*, u' = u* + k (u_t - u_t before) dt (dt + dt_before)/(dt_before + that
 * before it), a part k of the third term of extrapolation, and, a the rate of relaxation,
 *   (l/dt M + C(u') + M_a + S(u')) (s+ - s*) = -(R_s(u', s*) + M s_t(s*)),  once more with s+ for s*. */
#include "petsc_compat.h"
#include "scheme/bdf2_impl.h"
#include <math.h>

#define GROWTH 1.5 /* of dt in a step; the formula is stable up to 1 + sqrt 2 */

PetscErrorCode RhxBdf2Configure(RhxScheme sc)
{
  PetscFunctionBegin;
  sc->settings.implicit = PETSC_TRUE;
  sc->growth = GROWTH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxSchemeImplicitAdvances(RhxForm form)
{
  return (PetscBool)(!form->nmodes && !RhxFormFindRefusal(form, RHX_ASK_BDF2));
}

/* What comes before momentum and is explicit: rows of the residual. */
static unsigned carried(RhxScheme sc)
{
  const RhxForm form = sc->form;
  return (form->nmodes && !sc->settings.transport ? RHX_ROWS_MODES : 0u) | (form->nscalars ? RHX_ROWS_SCALARS : 0u);
}

PetscErrorCode RhxBdf2Arrays(RhxScheme sc)
{
  const PetscInt bs = sc->form->space->bs;
  char corrections[16];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(corrections, sizeof(corrections), "%" PetscInt_FMT, sc->settings.mass_corrections));
  if (sc->settings.mass_corrections) PetscCall(RhxFormAsk(sc->form, RHX_ASK_CORRECTIONS, corrections, ""));
  PetscCall(RhxFormAsk(sc->form, RHX_ASK_BDF2, "", ""));
  PetscCheck(!sc->settings.transport || sc->form->nmodes, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_fractional_step_polymer: got transport for a flow without polymer, expected a polymeric law in "
             "-physics");
  PetscCall(RhxOpsArray(sc->ops, bs, "the predicted state", &sc->own[0]));
  PetscCall(RhxOpsArray(sc->ops, bs, "the state of projections", &sc->own[3]));
  if (sc->settings.transport) PetscCall(RhxOpsArray(sc->ops, bs, "a copy of the rates before", &sc->spare));
  if (!carried(sc)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOpsArray(sc->ops, bs, "the predicted state with modes and scalars", &sc->own[1]));
  PetscCall(RhxOpsArray(sc->ops, bs, "the residual of a stage", &sc->own[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual r of what is carried of x at the time `at` of the step, then y: `star` but for that, which is less by dt M^-1 sum r. */
static PetscErrorCode carry(RhxScheme sc, double at, RhxArray x, RhxArray r, const RhxSum *sum, RhxArray y)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->stage(ops, at, 1.0, 1.0, sc->form->naux ? sc->aux : r));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, x, sc->aux, r));
  PetscCall(ops->table->residual(ops, carried(sc), x, sc->xdot, sc->aux, r, PETSC_FALSE, NULL));
  PetscCall(ops->table->values(ops, PETSC_TRUE));
  PetscCall(ops->table->update(ops, sc->own[0], sum, NULL, y, NULL, PETSC_FALSE));
  PetscCall(ops->table->ghosts(ops, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of t + dt, whose part of the step is that of the formula. */
static PetscErrorCode at_end(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCall(sc->ops->table->stage(sc->ops, 1.0, RHX_IMPLICIT_PART, 1.0, RhxStageFirst(sc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After one pass the projections, extrapolated, let waves grow that the mesh resolves (theory.md, section 7). */
#define PASSES 2

/* The modes of `star`, extrapolated, become those of t + dt. They see a velocity with a part of the third term of extrapolation:
 * with u* alone elastic waves grow. */
static PetscErrorCode transport(RhxScheme sc, RhxArray star)
{
  const RhxOps ops = sc->ops;
  PetscFunctionBegin;
  PetscCall(ops->table->bend(ops, 1.0, sc->xdot, sc->rate, star));
  for (int k = 0; k < PASSES; k++) {
    PetscCall(ops->table->project(ops, star, sc->aux, sc->r));
    PetscCall(ops->table->residual(ops, RHX_ROWS_MODES, star, sc->xdot, sc->aux, sc->r, PETSC_FALSE, NULL));
    PetscCall(ops->table->transport(ops, (PetscBool)(k > 0), sc->x, sc->xdot, sc->aux, sc->r, star));
  }
  PetscCall(ops->table->bend(ops, -1.0, sc->xdot, sc->rate, star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flow that momentum is linearised at: the predicted velocity, and what is carried at t + dt. */
static PetscErrorCode predict(RhxScheme sc, RhxArray *star)
{
  const RhxOps ops = sc->ops;
  const RhxSum first = {1, {sc->r}, {1.0}}, both = {2, {sc->r, sc->own[2]}, {0.5, 0.5}};
  PetscFunctionBegin;
  *star = sc->own[carried(sc) ? 1 : 0];
  PetscCall(at_end(sc));
  PetscCall(ops->table->values(ops, PETSC_TRUE));
  PetscCall(ops->table->predict(ops, sc->x, sc->xdot, sc->own[0], sc->v));
  if (sc->form->needs_rate) PetscCall(ops->table->ghosts(ops, sc->xdot));
  if (carried(sc)) {
    PetscCall(carry(sc, 0.0, sc->x, sc->r, &first, *star));
    PetscCall(carry(sc, 1.0, *star, sc->own[2], &both, *star));
    PetscCall(at_end(sc));
  }
  if (sc->settings.transport) PetscCall(transport(sc, *star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBdf2Step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  RhxArray star;
  PetscFunctionBegin;
  PetscCall(predict(sc, &star));
  PetscCall(ops->table->hold(ops, sc->xdot, star, sc->own[3]));
  PetscCall(ops->table->project(ops, sc->own[3], sc->aux, sc->r));
  PetscCall(ops->table->residual(ops, RHX_ROWS_FLOW, star, sc->xdot, sc->aux, sc->r, PETSC_TRUE, sc->b));
  PetscCall(ops->table->momentum(ops, star, sc->x, sc->aux, sc->r, sc->v, sc->y));
  PetscCall(ops->table->subscales(ops, star, sc->xdot, sc->r, sc->v, sc->b));
  PetscCall(ops->table->pressure(ops, 0.0, sc->x, sc->r, sc->xdot, sc->b, sc->phi, NULL));
  PetscCall(ops->table->solve(ops, sc->b, sc->phi));
  PetscCall(ops->table->gradient(ops, sc->phi, sc->v));
  PetscCall(ops->table->correct(ops, sc->x, sc->phi, sc->v, sc->y, sc->x, sc->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of elastic waves beside implicit transport: 6 (w dt)^2 = 4 + 1.5 v dt, those along which pressure hardly acts on the last cells of a
 * mesh; w: as below, of a lumped mass. */
static double waves_beside_transport(const RhxFormStats *st)
{
  return st->elastic > 0.0 ? 1.0 / (0.5 / st->waves + sqrt(0.25 / PetscSqr(st->waves) + 0.635 / PetscSqr(st->elastic)))
                           : 0.0;
}

/* The Courant number, for accuracy. Modes are explicit: elastic waves of frequency w that implicit momentum damps at the rate v are stable
 * up to (w dt)^2 = 4 + v dt with a lumped mass; with the consistent one of momentum, whose waves are faster, w is taken for w/2. */
double RhxBdf2Limits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  const RhxFormStats *st = &sc->ops->result.stats;
  for (int i = 0; i < RHX_NLIMITS; i++) rate[i] = 0.0;
  rate[RHX_LIMIT_CONVECTIVE] = st->convective;
  if (sc->form->nmodes)
    rate[RHX_LIMIT_ELASTIC] = sc->settings.transport ? waves_beside_transport(st) : PetscMin(st->elastic, st->waves);
  if (carried(sc)) rate[RHX_LIMIT_RELAXATION] = st->relaxation; /* of modes and scalar fields, 0 without */
  return RhxMostOfLimits(rate);
}

PetscErrorCode RhxSchemeGetTransportStep(TS ts, double *dt)
{
  RhxScheme sc;
  double rate;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  rate = waves_beside_transport(&sc->ops->result.stats);
  *dt = rate > 0.0 ? 1.0 / rate : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxBdf2HandedWidth(RhxScheme sc)
{
  return (sc->settings.tracked ? RHX_HANDED : 0) + (sc->settings.transport ? sc->form->space->dim : 0);
}

/* The velocity's part of the rate before the last, and of nodes `width` wide what begins at `at`. */
static PetscErrorCode hand_rate(RhxScheme sc, PetscBool give, PetscInt width, PetscInt at, PetscScalar *nodes)
{
  const RhxSpace sp = sc->form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  PetscScalar *block;
  Vec rate;
  PetscFunctionBegin;
  PetscCall(RhxSpaceCreateVec(sp, sp->bs, &rate));
  PetscCall(RhxOpsStoreVec(sc->ops, sc->rate, rate));
  PetscCall(VecGetArray(rate, &block));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt d = 0; d < sp->dim; d++) {
      PetscScalar *own = &block[(size_t)i * sp->bs + u + d], *value = &nodes[(size_t)i * width + at + d];
      *(give ? value : own) = *(give ? own : value);
    }
  PetscCall(VecRestoreArray(rate, &block));
  if (!give) PetscCall(RhxOpsLoadVec(sc->ops, sc->rate, rate));
  PetscCall(VecDestroy(&rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hand_subscales(RhxScheme sc, PetscBool give, PetscInt width, PetscScalar *nodes)
{
  const PetscInt n = sc->form->space->nowned;
  PetscScalar *value;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n * RHX_HANDED, &value));
  for (PetscInt i = 0; i < n && !give; i++)
    for (PetscInt k = 0; k < RHX_HANDED; k++) value[i * RHX_HANDED + k] = nodes[(size_t)i * width + k];
  PetscCall(sc->ops->table->handed(sc->ops, !sc->turn, give, value));
  for (PetscInt i = 0; i < n && give; i++)
    for (PetscInt k = 0; k < RHX_HANDED; k++) nodes[(size_t)i * width + k] = value[i * RHX_HANDED + k];
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBdf2Hand(RhxScheme sc, PetscBool give, double number[2], PetscScalar *nodes)
{
  const PetscInt width = RhxBdf2HandedWidth(sc);
  double *const own[2] = {&sc->ops->span[!sc->turn], &sc->ops->earlier};
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) *(give ? &number[k] : own[k]) = *(give ? own[k] : &number[k]);
  if (sc->settings.tracked) PetscCall(hand_subscales(sc, give, width, nodes));
  if (sc->settings.transport) PetscCall(hand_rate(sc, give, width, width - sc->form->space->dim, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
