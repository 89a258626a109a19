/* A dye that two molecules of it destroy: c_t + u.grad c = div(D grad c) - k c^2. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                         \
  ROW(REAL, diffusivity, 0, RHX_GE, 0, 0, "m^2/s", "diffusivity D") \
  ROW(REAL, decay, "0", RHX_GE, 0, 0, "1/s", "rate k of a decay of second order, of c as a number")
#define RHX_FIELDS(ROW) ROW(dye, "1", RHX_GE, 0, 0, "0", "natural", "given", "dye c")
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(source)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)pt;
  (void)sc;
  (void)k;
  *D = RHX_CONST(par->diffusivity);
}

RHX_POINTWISE void source(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *s)
{
  (void)pt;
  *s = -par->decay * sc[k].c * sc[k].c;
}

RHX_SCALAR_PLUGIN("outside_dye", "dye with a decay of second order", "Laidler, Chemical Kinetics, section 2.2", 0);
