/* With w = dt/dt_before, u* = u + dt (u - u_before)/dt_before, l = (1 + 2w)/(1 + w), e = w/(1 + w), the rate at t + dt
 *   u_t(v) = l (v - u)/dt - e (u - u_before)/dt_before
 * is of second order, and momentum, linearised at u* with everything of t + dt,
 *   (l rho/dt M + C(u*) + K + S(u*)) (u^ - u*) = -(R_u(u*, p) + rho M u_t(u*)).
 * R is the whole residual, so that what the matrix leaves out (transposed gradients, projections, faces) is that of u*. Then
 *   b K dp = -(f R_p(u, p) + D (u^ - u)),  p+ = p + dp,  u+ = u^ - b M_L^-1 grad dp,  b = dt/(l rho),
 * f = 1 - exp(-dt/(2 rho tau_0)) of tracked subscales (section 7 of share/doc/theory.md), where f R_p(u, p) + D (u^ - u) is found as
 * f R_p(u*, p) + D (u^ - u* + (1 - f)(u* - u)); instant ones have f = 1 and b + tau_0 for b on the left.
 * The first step is backward Euler: w = 0. u_before and dp are in the rate xdot, which a checkpoint holds. */
#include "scheme/bdf2.h"
#include "petsc_compat.h"

#define GROWTH 1.5 /* of dt in a step; the formula is stable up to 1 + sqrt 2 */
#define NAME "-scheme_fractional_step_integrator bdf2"

PetscErrorCode RhxBdf2Configure(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCheck(!sc->settings.mass_corrections, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "-scheme_fractional_step_mass_corrections %" PetscInt_FMT ": got it for " NAME
             ", whose mass is consistent; expected auto or 0, or the integrator heun, ssp3 or rk4",
             sc->settings.mass_corrections);
  sc->settings.implicit = PETSC_TRUE;
  sc->growth = GROWTH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the matrix cannot hold of an active part: residuals with u_t, or the coupling of the components; NULL: nothing. */
static const char *refused_part(const RhxFormStabiliser *st, int k)
{
  const unsigned flags = st->stage.parts & (1u << k) ? st->plugin->parts[k].flags : 0u;
  if ((flags & RHX_PROVIDES_MOMENTUM) && (flags & RHX_NEEDS_RATE)) return "whose residual holds u_t";
  return flags & RHX_PROVIDES_DIVERGENCE ? "which couples the components of velocity" : NULL;
}

PetscBool RhxSchemeImplicitAdvances(RhxForm form)
{
  if (form->nmodes || form->nowners) return PETSC_FALSE;
  for (PetscInt i = 0; i < form->nstabilisers; i++)
    for (int k = 0; k < form->stabiliser[i].plugin->nparts; k++)
      if (refused_part(&form->stabiliser[i], k)) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode check_stabiliser(RhxForm form, const RhxFormStabiliser *st)
{
  PetscFunctionBegin;
  for (int k = 0; k < st->plugin->nparts; k++) {
    const char *why = refused_part(st, k);
    PetscCheck(!why, form->comm, PETSC_ERR_SUP,
               "%s: got the part %s of the stabiliser '%s', %s; expected other parts (-stabiliser_%s_parts), another "
               "stabiliser, or the integrator heun, ssp3 or rk4",
               NAME, st->plugin->parts[k].name, st->plugin->name, why, st->plugin->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What bdf2 does not advance. */
static PetscErrorCode check(RhxScheme sc)
{
  const RhxForm form = sc->form;
  PetscFunctionBegin;
  PetscCheck(!sc->device, form->comm, PETSC_ERR_SUP,
             "%s runs on the CPU: got a device, expected -device cpu, or the integrator heun, ssp3 or rk4", NAME);
  PetscCheck(!form->nmodes, form->comm, PETSC_ERR_SUP,
             "%s advances flows without polymer: got %" PetscInt_FMT " polymer modes (-physics), expected none, or the "
             "integrator heun, ssp3 or rk4",
             NAME, form->nmodes);
  PetscCheck(
      !form->nscalars, form->comm, PETSC_ERR_SUP,
      "%s advances velocity and pressure: got the scalar field '%s' (-physics), expected none, or the integrator "
      "heun, ssp3 or rk4",
      NAME, form->scalar[0].row->name);
  for (PetscInt k = 0; k < form->nstabilisers; k++) PetscCall(check_stabiliser(form, &form->stabiliser[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBdf2Arrays(RhxScheme sc)
{
  PetscFunctionBegin;
  PetscCall(check(sc));
  PetscCall(RhxOpsArray(sc->ops, sc->form->space->bs, "the predicted state", &sc->own[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBdf2Step(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const RhxArray star = sc->own[0];
  const double w = sc->before > 0.0 ? ops->dt / sc->before : 0.0;
  PetscFunctionBegin;
  sc->lead = (1.0 + 2.0 * w) / (1.0 + w);
  sc->late = w / (1.0 + w);
  PetscCall(ops->table->stage(ops, 1.0, 1.0 / sc->lead, 1.0, RhxStageFirst(sc)));
  PetscCall(ops->table->values(ops, PETSC_TRUE));
  PetscCall(ops->table->predict(ops, sc->lead, sc->late, sc->x, sc->xdot, star, sc->v));
  if (sc->form->needs_rate) PetscCall(ops->table->ghosts(ops, sc->xdot));
  PetscCall(ops->table->project(ops, star, sc->aux, sc->r));
  PetscCall(ops->table->residual(ops, RHX_ROWS_FLOW, star, sc->xdot, sc->aux, sc->r, PETSC_TRUE, sc->b));
  PetscCall(ops->table->momentum(ops, star, sc->x, sc->aux, sc->r, sc->v, sc->y));
  PetscCall(ops->table->divergence(ops, sc->v, sc->b));
  PetscCall(ops->table->pressure(ops, 0.0, sc->x, sc->r, sc->xdot, sc->b, sc->phi, NULL));
  PetscCall(ops->table->solve(ops, sc->b, sc->phi));
  PetscCall(ops->table->gradient(ops, sc->phi, sc->v));
  PetscCall(ops->table->correct(ops, sc->x, sc->phi, sc->v, sc->y, sc->x, sc->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxBdf2Limits(RhxScheme sc, double rate[RHX_NLIMITS])
{
  for (int i = 0; i < RHX_NLIMITS; i++) rate[i] = 0.0;
  rate[RHX_LIMIT_CONVECTIVE] = sc->ops->result.stats.convective;
  return RhxMostOfLimits(rate);
}
