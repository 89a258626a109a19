/* A field that says what core does not do yet: it needs the distance of the walls, to shift the laws. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, diffusivity, "0.3", RHX_GE, 0, 0, "m^2/s", "diffusivity D")
#define RHX_FIELDS(ROW) ROW(heat, "K", RHX_GE, 0, 0, "300", "natural", "natural", "a temperature that shifts the laws")
#define RHX_OPERATIONS(OP) OP(diffusivity)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)pt;
  (void)sc;
  (void)k;
  *D = RHX_CONST(par->diffusivity);
}

RHX_SCALAR_PLUGIN("coupled", "temperature that shifts the laws", "", RHX_SHIFTS | RHX_NEEDS_DISTANCE);
