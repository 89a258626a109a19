/* A stabiliser to start from: an orthogonal grad-div term, (div w, nu (div u - P)), P the L2 projection of div u. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, factor, "1", RHX_GE, 0, 0, "1", "nu in units of the total viscosity")
/* Parts that a user may choose, and what each provides or needs. */
#define RHX_PARTS(PART) PART(divergence, RHX_PROVIDES_DIVERGENCE, "grad-div")
/* Auxiliary fields: the solver fills each with the L2 projection of what project() returns. */
#define RHX_AUX(ROW) ROW(div_u, RHX_AUX_SCALAR, 0, "divergence of the velocity")
/* The functions of plugin.h that this file has. */
#define RHX_STAGES(OP) OP(add_flow) OP(project) OP(diffusion)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

/* Bit k: auxiliary field k is needed. */
RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  return parts ? 1u << aux_div_u : 0u;
}

RHX_POINTWISE void project(const RhxParams *par, const RhxStage *st, int row, const RhxPoint *pt, RhxReal *out)
{
  (void)par;
  (void)st;
  (void)row;
  out[0] = pt->gu[0][0];
  for (int i = 1; i < RHX_DIM; i++) out[0] += pt->gu[i][i];
}

RHX_POINTWISE void add_flow(const RhxParams *par, const RhxStage *st, RhxPoint *pt)
{
  if (!RHX_PART_ON(st, divergence)) return;
  const RhxReal *P = RHX_AUX_AT(pt, st, div_u);
  RhxReal nu = par->factor * (pt->eta_s + pt->eta_p), div_u = pt->gu[0][0];
  for (int i = 1; i < RHX_DIM; i++) div_u += pt->gu[i][i];
  for (int i = 0; i < RHX_DIM; i++) pt->f1u[i][i] += nu * (div_u - P[0]);
}

/* What add_flow adds to the viscosity, for the limits of explicit steps: here against compression. */
RHX_POINTWISE void diffusion(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df)
{
  if (RHX_PART_ON(st, divergence)) df->bulk += par->factor * (pt->eta_s + pt->eta_p);
}

RHX_STABILISER_PLUGIN("mystabiliser", "orthogonal grad-div", "share/template", 0);
