/* A field that shifts the laws, and says what of it? COUPLED_FLAGS: with RHX_NEEDS_DISTANCE what core does not do yet. COUPLED_SHIFT 0: by no function. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, diffusivity, "0.3", RHX_GE, 0, 0, "m^2/s", "diffusivity D")
#define RHX_FIELDS(ROW) ROW(heat, "K", RHX_GE, 0, 0, "300", "natural", "natural", "a temperature that shifts the laws")
#if COUPLED_SHIFT
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(shift)
#else
#define RHX_OPERATIONS(OP) OP(diffusivity)
#endif
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)pt;
  (void)sc;
  (void)k;
  *D = RHX_CONST(par->diffusivity);
}

RHX_POINTWISE void shift(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *to)
{
  (void)par;
  (void)pt;
  to->time *= RHX_EXP(-0.01 * (sc[field_heat].c - 300.0));
}

RHX_SCALAR_PLUGIN(COUPLED_NAME, "temperature that shifts the laws", "", COUPLED_FLAGS);
