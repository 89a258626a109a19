/* A field of which plugins make what no fluid has: where it is above `limit` its diffusivity is below 0, above `thin` the solvent's viscosity, where it is
 * below 0 its source is no number. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                 \
  ROW(REAL, limit, "1", RHX_GT, 0, 0, "1", "largest value with a diffusivity of 0 or more") \
  ROW(REAL, thin, "1e6", RHX_GT, 0, 0, "1", "largest value with a factor of the viscosity of 0 or more")
#define RHX_FIELDS(ROW) ROW(ware, "1", RHX_ANY, 0, 0, "0.2", "natural", "natural", "what is judged")
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(source) OP(shift)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)pt;
  (void)k;
  *D = 0.01 * (1.0 - sc[field_ware].c / par->limit);
}

RHX_POINTWISE void source(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *s)
{
  (void)par;
  (void)pt;
  (void)k;
  *s = 1e-3 * RHX_POW(sc[field_ware].c, 1.5);
}

RHX_POINTWISE void shift(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *to)
{
  (void)pt;
  to->viscosity *= 1.0 - sc[field_ware].c / par->thin;
}

RHX_SCALAR_PLUGIN("wares", "a field with faults", "", RHX_SHIFTS);
