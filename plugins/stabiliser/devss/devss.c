/* DEVSS: theta eta_p (grad u + grad u^T - G - G^T) in the momentum equation, G the projected velocity gradient. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) \
  ROW(REAL, theta, "0", RHX_IN, 0, 1, "1", "share of the polymer viscosity that is added and taken away")
#define RHX_PARTS(PART) PART(coupling, RHX_PROVIDES_COUPLING, "velocity-stress coupling")
#define RHX_AUX(ROW) ROW(gradient, RHX_AUX_GRADIENT, 0, "velocity gradient G_ij = d u_i/d x_j")
#define RHX_STAGES(OP) OP(add_flow) OP(project) OP(diffusion)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  return parts && par->theta > 0.0 ? 1u << aux_gradient : 0u;
}

RHX_POINTWISE void project(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt, RhxReal *out)
{
  (void)par;
  (void)st;
  (void)row;
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) out[i * RHX_DIM + j] = pt->gu[i][j];
}

RHX_POINTWISE void add_flow(const RhxParams *par, const RhxStage *st, RhxPoint *pt)
{
  if (!needs(par, st->parts)) return;
  const RhxReal *G = RHX_AUX_AT(pt, st, gradient);
  RhxReal eta = par->theta * pt->eta_p;
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++)
      pt->f1u[i][j] += eta * (pt->gu[i][j] + pt->gu[j][i] - G[i * RHX_DIM + j] - G[j * RHX_DIM + i]);
}

/* Of the shortest waves G has nothing; the transposed gradient acts on div u. */
RHX_POINTWISE void diffusion(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df)
{
  if (!needs(par, st->parts)) return;
  df->viscosity += par->theta * pt->eta_p;
  df->bulk += par->theta * pt->eta_p;
}

RHX_STABILISER_PLUGIN("devss", "discrete elastic-viscous split stress",
                      "Guenette and Fortin, J. Non-Newtonian Fluid Mech. 60 (1995) 27", RHX_TAKEN_WITH_POLYMER);
