/* Residual-based stabilisation of equal-order elements: SUPG of momentum and stress, PSPG, LSIC.
 *   momentum (rho u.grad w, tau1 rm), pressure (grad q, tau1 rm), divergence (div w, tau2 rc), tensor (u.grad S, alpha rs),
 *   scalar (u.grad S, tau_c rs)
 *   tau1 = 1/(4 eta0/h^2 + rho 2|u|/h_u [+ rho/dt]), tau2 = h^2/(4 tau1), alpha = ((1/lambda [+ 2/dt])^2 + u.g.u)^-1/2
 *   tau_c = 1/(4 D/h^2 + 2|u|/h_u + reaction [+ 1/dt])
 * upwind: only the convection terms are weighted, with alpha = ((2/dt)^2 + u.g.u)^-1/2, in momentum, tensor and scalar. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                            \
  ROW(CHOICE, weighting, "full", "full|upwind", "terms weighted in momentum and tensor: residual, or convection only") \
  ROW(CHOICE, tau, "steady", "steady|transient", "times of the full weighting: without, or with their 1/dt term")
#define RHX_PARTS(PART)                                                                                         \
  PART(momentum, RHX_PROVIDES_MOMENTUM | RHX_NEEDS_DIV_TAU | RHX_NEEDS_RATE, "SUPG of momentum")                \
  PART(pressure, RHX_PROVIDES_PRESSURE | RHX_NEEDS_DIV_TAU | RHX_NEEDS_RATE | RHX_BAD_DIV_TAU_IN_PRESSURE_TERM, \
       "PSPG")                                                                                                  \
  PART(divergence, RHX_PROVIDES_DIVERGENCE, "LSIC")                                                             \
  PART(tensor, RHX_PROVIDES_TENSOR | RHX_NEEDS_RATE, "SUPG of stress")                                          \
  PART(scalar, RHX_PROVIDES_SCALAR | RHX_NEEDS_RATE, "SUPG of scalar fields")
#define RHX_AUX(ROW)
#define RHX_STAGES(OP) OP(add_flow) OP(add_mode) OP(add_scalar) OP(pressure_tau) OP(diffusion)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  (void)parts;
  return 0u;
}

/* n/dt where dt is wanted and there is one */
RHX_POINTWISE double per_dt(int wanted, double n, const RhxPoint *pt)
{
  return wanted && pt->dt > 0.0 ? n / pt->dt : 0.0;
}

/* m^3 s/kg */
RHX_POINTWISE void pressure_tau(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxReal *tau)
{
  (void)st;
  *tau = 1.0 / (4.0 * (pt->eta_s + pt->eta_p) * pt->ih2 + pt->rho * pt->convection * rhx_convective_rate(pt) +
                pt->rho * per_dt(par->tau == 1, 1.0, pt));
}

/* Of div u: rho tau2, Pa s */
RHX_POINTWISE RhxReal bulk_viscosity(const RhxPoint *pt, RhxReal tau1) { return 1.0 / (4.0 * tau1 * pt->ih2); }

RHX_POINTWISE void diffusion(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df)
{
  if (RHX_PART_ON(st, divergence)) {
    RhxReal tau1;
    pressure_tau(par, st, pt, &tau1);
    df->bulk += bulk_viscosity(pt, tau1);
  }
  if (RHX_PART_ON(st, momentum) && par->weighting == 1) df->upwind = RHX_CONST(1.0);
}

/* s */
RHX_POINTWISE RhxReal upwind_alpha(const RhxPoint *pt)
{
  double r = per_dt(1, 2.0, pt);
  return 1.0 / RHX_SQRT(r * r + rhx_ugu(pt) + RHX_TINY);
}

RHX_POINTWISE void add_flow(const RhxParams *par, const RhxStage *st, RhxPoint *pt)
{
  RhxReal tau1;
  pressure_tau(par, st, pt, &tau1);
  if (RHX_PART_ON(st, momentum)) {
    int full = par->weighting == 0;
    RhxReal weight = pt->rho * (full ? pt->convection * tau1 : upwind_alpha(pt));
    for (int i = 0; i < RHX_DIM; i++)
      for (int j = 0; j < RHX_DIM; j++) pt->f1u[i][j] += weight * (full ? pt->rm[i] : pt->conv[i]) * pt->u[j];
  }
  if (RHX_PART_ON(st, pressure))
    for (int i = 0; i < RHX_DIM; i++) pt->f1p[i] += tau1 * pt->rm[i];
  if (RHX_PART_ON(st, divergence)) {
    for (int i = 0; i < RHX_DIM; i++) pt->f1u[i][i] += pt->rc * bulk_viscosity(pt, tau1);
#if RHX_NTENS == 4 || RHX_SWIRL
    pt->f1h += pt->rc * bulk_viscosity(pt, tau1);
#endif
  }
}

RHX_POINTWISE void add_mode(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md)
{
  if (!RHX_PART_ON(st, tensor)) return;
  int full = par->weighting == 0;
  RhxReal r = 1.0 / md->prop.lambda + per_dt(par->tau == 1, 2.0, pt);
  RhxReal alpha = full ? 1.0 / RHX_SQRT(r * r + rhx_ugu(pt)) : upwind_alpha(pt);
  for (int k = 0; k < RHX_NTENS; k++)
    for (int j = 0; j < RHX_DIM; j++) md->f1[k][j] += alpha * (full ? md->rs[k] : md->conv[k]) * pt->u[j];
}

RHX_POINTWISE void add_scalar(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxScalar *sc)
{
  if (!RHX_PART_ON(st, scalar)) return;
  int full = par->weighting == 0;
  RhxReal rate = 4.0 * sc->D * pt->ih2 + rhx_convective_rate(pt) + sc->reaction + per_dt(par->tau == 1, 1.0, pt);
  RhxReal tau = full ? 1.0 / rate : upwind_alpha(pt);
  for (int j = 0; j < RHX_DIM; j++) sc->f1[j] += tau * (full ? sc->rs : sc->conv) * pt->u[j];
}

RHX_STABILISER_PLUGIN("gls", "SUPG, PSPG and LSIC; weighting upwind is streamline upwind alone",
                      "Tezduyar, Adv. Appl. Mech. 28 (1992) 1; upwind: Ayyad et al. (2020), eqs 8, 9, 14", 0);
