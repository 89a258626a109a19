/* Diffusion of the modes in proportion to their own viscosity, which a turn of a mode has not: (grad w, h eta_p/rho grad s). */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, factor, "0.01", RHX_GE, 0, 0, "1", "over the viscosity of all modes")
#define RHX_PARTS(PART) PART(tensor, RHX_PROVIDES_TENSOR, "diffusion")
#define RHX_AUX(ROW) /* none */
#define RHX_STAGES(OP) OP(add_mode)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par, (void)parts;
  return 0;
}

RHX_POINTWISE void add_mode(const RhxParams *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md)
{
  if (!RHX_PART_ON(st, tensor)) return;
  for (int k = 0; k < RHX_NTENS; k++)
    for (int i = 0; i < RHX_DIM; i++) md->f1[k][i] += par->factor * pt->eta_p * md->gs[k][i];
}

RHX_STABILISER_PLUGIN("outside_coupled", "diffusion of modes", "tests", 0);
