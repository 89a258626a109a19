/* DEVSS-G: laws see the projected velocity gradient G in place of grad u, L = G; momentum takes
 *   theta eta_p (grad u + grad u^T - G - G^T) and (div w, c tau2 (div u - tr G)), tau2 = h^2/(4 tau1) = eta0 + rho |u| h/2. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                           \
  ROW(REAL, theta, "1", RHX_IN, 0, 1, "1", "share of the polymer viscosity that is added and taken away")             \
  ROW(REAL, divergence, "0", RHX_GE, 0, 0, "1", "factor of the viscosity of div u that the projection does not have") \
  ROW(CHOICE, projection_corrections, "auto", "auto|0|1|2|3|4",                                                       \
      "corrections of the lumped projection by the consistent mass; auto: 2 in explicit schemes, none where "         \
      "projections solve with that mass")
#define RHX_PARTS(PART) PART(coupling, RHX_PROVIDES_COUPLING, "velocity-stress coupling")
#define RHX_AUX(ROW) ROW(gradient, RHX_AUX_GRADIENT, 0, "velocity gradient G_ij = d u_i/d x_j")
#define RHX_STAGES(OP) OP(kinematics) OP(add_flow) OP(project) OP(diffusion)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  return parts;
}

RHX_POINTWISE void project(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt, RhxReal *out)
{
  (void)par;
  (void)st;
  (void)row;
  for (int k = 0; k < RHX_DIM * RHX_DIM; k++) out[k] = pt->gu[k / RHX_DIM][k % RHX_DIM];
}

/* The hoop of axisymmetric flow and the rates of swirl stay those of the elements. */
RHX_POINTWISE void kinematics(const RhxParams *par, const RhxStage *st, RhxPoint *pt)
{
  (void)par;
  if (!st->parts) return;
  const RhxReal *G = RHX_AUX_AT(pt, st, gradient);
  for (int k = 0; k < RHX_DIM * RHX_DIM; k++) pt->L[k / RHX_DIM][k % RHX_DIM] = G[k];
}

/* tau2 of the flow, Pa s */
RHX_POINTWISE RhxReal divergence_viscosity(const RhxParams *par, const RhxPoint *pt)
{
  return par->divergence *
         (pt->eta_s + pt->eta_p + 0.25 * pt->rho * pt->convection * rhx_convective_rate(pt) / pt->ih2);
}

RHX_POINTWISE void add_flow(const RhxParams *par, const RhxStage *st, RhxPoint *pt)
{
  if (!st->parts) return;
  const RhxReal *G = RHX_AUX_AT(pt, st, gradient);
  RhxReal eta = par->theta * pt->eta_p, rest = RHX_ZERO;
  for (int i = 0; i < RHX_DIM; i++) {
    rest += pt->gu[i][i] - G[i * RHX_DIM + i];
    for (int j = 0; j < RHX_DIM; j++)
      pt->f1u[i][j] += eta * (pt->gu[i][j] + pt->gu[j][i] - G[i * RHX_DIM + j] - G[j * RHX_DIM + i]);
  }
  rest *= divergence_viscosity(par, pt);
  for (int i = 0; i < RHX_DIM; i++) pt->f1u[i][i] += rest;
#if RHX_NTENS == 4 || RHX_SWIRL
  pt->f1h += rest;
#endif
}

/* Of the shortest waves G has nothing; the transposed gradient acts on div u. */
RHX_POINTWISE void diffusion(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df)
{
  if (!st->parts) return;
  df->viscosity += par->theta * pt->eta_p;
  df->bulk += par->theta * pt->eta_p + divergence_viscosity(par, pt);
}

RHX_STABILISER_PLUGIN("devss_g", "discrete elastic-viscous split stress, laws of the projected velocity gradient",
                      "Liu, Bornside, Armstrong and Brown, J. Non-Newtonian Fluid Mech. 77 (1998) 153", 0);
