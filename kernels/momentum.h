/* Implicit momentum at a point, by what the includer defines for kernels/compose.h. */
#ifndef RHX_KERNELS_MOMENTUM_H
#define RHX_KERNELS_MOMENTUM_H
#include <kernels/compose.h>

/* What implicit momentum is made of beside the flow: eta_s, and the stabilisers' diffusion. */
RHX_INLINED void rhx_compose_momentum(const struct RhxIo *io, RhxPoint *pt, RhxDiffusion *df)
{
  RhxKin kin;
  RHX_OWN_MODES
  df->viscosity = df->bulk = df->upwind = df->streamline = RHX_ZERO;
  rhx_point(io, pt);
  rhx_solvent(io, pt, &kin);
  RHX_EACH_MODE(RHX_DO_LAW) /* diffusion may be a share of their viscosity */
  rhx_call_diffusion(io, pt, df);
}

#endif
