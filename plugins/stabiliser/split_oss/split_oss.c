/* Orthogonal subgrid scales, term by term: what is weighted is the part of a term that the mesh cannot represent.
 *   pressure (grad q, tau1 (grad p - P)), momentum (rho u.grad w, alpha_u (u.grad u - P)), tensor (u.grad S, alpha (u.grad s - P))
 *   tau1 = 1/(4 eta0/h^2 + rho 2|u|/h_u [+ rho/dt]), alpha_u = (u.g.u + (2 (eta0/rho) tr g)^2)^-1/2,
 *   alpha = (1/lambda^2 + u.g.u)^-1/2; scalar (u.grad S, tau_c (u.grad c - P)),
 *   tau_c = 1/(4 D/h^2 + 2|u|/h_u + reaction). P is the L2 projection of the term before it, lumped and
 *   then corrected by the consistent mass, which core does. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                        \
  ROW(REAL_OR, tau, "steady", "steady|transient", RHX_GT, 0, 0, "m^3 s/kg",                                        \
      "tau1 without or with its rho/dt term, or a constant")                                                       \
  ROW(CHOICE, projection_corrections, "auto", "auto|0|1|2|3|4",                                                    \
      "corrections of the lumped projections by the consistent mass; auto: 2 in fractional_step, 0 in lumped and " \
      "steady")
#define RHX_PARTS(PART)                                           \
  PART(pressure, RHX_PROVIDES_PRESSURE, "pressure gradient")      \
  PART(momentum, RHX_PROVIDES_MOMENTUM, "convection of momentum") \
  PART(tensor, RHX_PROVIDES_TENSOR, "convection of stress")       \
  PART(scalar, RHX_PROVIDES_SCALAR, "convection of scalar fields")
#define RHX_AUX(ROW)                         \
  ROW(grad_p, RHX_AUX_VECTOR, 0, "grad p")   \
  ROW(conv_u, RHX_AUX_VECTOR, 0, "u.grad u") \
  ROW(conv_s, RHX_AUX_TENSOR, 1, "u.grad s") \
  ROW(conv_c, RHX_AUX_SCALAR, 2, "u.grad c")
#define RHX_STAGES(OP) \
  OP(add_flow)         \
  OP(add_mode) OP(project) OP(project_mode) OP(pressure_tau) OP(diffusion) OP(add_scalar) OP(project_scalar)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

/* Row k belongs to part k. */
RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  return parts;
}

RHX_POINTWISE void project(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt, RhxReal *out)
{
  (void)par;
  (void)st;
  for (int i = 0; i < RHX_DIM; i++) out[i] = row == aux_grad_p ? pt->gp[i] : pt->conv[i];
}

RHX_POINTWISE void project_mode(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt,
                                const RhxMode *md, RhxReal *out)
{
  (void)par;
  (void)st;
  (void)row;
  (void)pt;
  for (int k = 0; k < RHX_NTENS; k++) out[k] = md->conv[k];
}

RHX_POINTWISE void pressure_tau(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxReal *tau)
{
  (void)st;
  double per_dt = par->tau == RHX_NAMED(1) && pt->dt > 0.0 ? 1.0 / pt->dt : 0.0;
  *tau = par->tau > 0.0 ? RHX_CONST(par->tau)
                        : 1.0 / (4.0 * (pt->eta_s + pt->eta_p) * pt->ih2 +
                                 pt->rho * (pt->convection * rhx_convective_rate(pt) + per_dt));
}

/* rho alpha_u */
RHX_POINTWISE RhxReal momentum_weight(const RhxPoint *pt)
{
  RhxReal viscous = 8.0 * RHX_DIM * (pt->eta_s + pt->eta_p) / pt->rho * pt->ih2; /* tr g = 4 dim/h^2 */
  return pt->rho / RHX_SQRT(rhx_ugu(pt) + viscous * viscous + RHX_TINY);
}

RHX_POINTWISE void diffusion(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df)
{
  (void)par;
  if (RHX_PART_ON(st, momentum)) df->streamline += momentum_weight(pt);
}

RHX_POINTWISE void add_flow(const RhxParams *par, const RhxStage *st, RhxPoint *pt)
{
  if (RHX_PART_ON(st, pressure)) {
    const RhxReal *P = RHX_AUX_AT(pt, st, grad_p);
    RhxReal tau1;
    pressure_tau(par, st, pt, &tau1);
    for (int i = 0; i < RHX_DIM; i++) pt->f1p[i] += tau1 * (pt->gp[i] - P[i]);
  }
  if (RHX_PART_ON(st, momentum)) {
    const RhxReal *P = RHX_AUX_AT(pt, st, conv_u);
    const RhxReal weight = momentum_weight(pt);
    for (int i = 0; i < RHX_DIM; i++)
      for (int j = 0; j < RHX_DIM; j++) pt->f1u[i][j] += weight * (pt->conv[i] - P[i]) * pt->u[j];
  }
}

RHX_POINTWISE void add_mode(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md)
{
  (void)par;
  if (!RHX_PART_ON(st, tensor)) return;
  const RhxReal *P = RHX_AUX_AT(md, st, conv_s);
  RhxReal lambda = md->prop.lambda, alpha = lambda / RHX_SQRT(1.0 + lambda * lambda * rhx_ugu(pt));
  for (int k = 0; k < RHX_NTENS; k++)
    for (int j = 0; j < RHX_DIM; j++) md->f1[k][j] += alpha * (md->conv[k] - P[k]) * pt->u[j];
}

RHX_POINTWISE void project_scalar(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt,
                                  const RhxScalar *sc, RhxReal *out)
{
  (void)par;
  (void)st;
  (void)row;
  (void)pt;
  out[0] = sc->conv;
}

RHX_POINTWISE void add_scalar(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxScalar *sc)
{
  (void)par;
  if (!RHX_PART_ON(st, scalar)) return;
  const RhxReal *P = RHX_AUX_AT(sc, st, conv_c);
  RhxReal tau = 1.0 / (4.0 * sc->D * pt->ih2 + rhx_convective_rate(pt) + sc->reaction);
  for (int j = 0; j < RHX_DIM; j++) sc->f1[j] += tau * (sc->conv - P[0]) * pt->u[j];
}

RHX_STABILISER_PLUGIN("split_oss", "term-by-term orthogonal subgrid scales of pressure, momentum, stress, scalars",
                      "Castillo and Codina, Comput. Methods Appl. Mech. Eng. 279 (2014) 579", RHX_TAKEN);
