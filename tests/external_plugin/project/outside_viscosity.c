/* Orthogonal viscosity: (grad w, nu (grad u - P)), P the L2 projection of grad u. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, factor, "0.1", RHX_GE, 0, 0, "1", "nu in units of the total viscosity")
#define RHX_PARTS(PART) PART(coupling, RHX_PROVIDES_COUPLING, "orthogonal viscosity")
#define RHX_AUX(ROW) ROW(grad_u, RHX_AUX_GRADIENT, 0, "velocity gradient")
#define RHX_STAGES(OP) OP(add_flow) OP(project)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  return parts ? 1u << aux_grad_u : 0u;
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
  if (!RHX_PART_ON(st, coupling)) return;
  const RhxReal *P = RHX_AUX_AT(pt, st, grad_u);
  RhxReal nu = par->factor * (pt->eta_s + pt->eta_p);
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) pt->f1u[i][j] += nu * (pt->gu[i][j] - P[i * RHX_DIM + j]);
}

RHX_STABILISER_PLUGIN("outside_viscosity", "orthogonal viscosity", "tests", 0);
