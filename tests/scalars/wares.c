/* A field of which plugins make what no fluid has: where it is above `limit` its diffusivity is below 0, above `thin` the solvent's viscosity, where it is
 * below 0 its source is no number. Sources may read more of the flow. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                    \
  ROW(REAL, limit, "1", RHX_GT, 0, 0, "1", "largest value with a diffusivity of 0 or more")                    \
  ROW(REAL, thin, "1e6", RHX_GT, 0, 0, "1", "largest value with a factor of the viscosity of 0 or more")       \
  ROW(REAL, place, "0", RHX_ANY, 0, 0, "m/s", "source times x")                                                \
  ROW(REAL, from, "0", RHX_ANY, 0, 0, "m", "x of its place 0")                                                 \
  ROW(REAL, thick, "0", RHX_ANY, 0, 0, "Pa", "source times the solvent's viscosity")                           \
  ROW(REAL, speed, "0", RHX_ANY, 0, 0, "m/s^2", "source times u_x")                                            \
  ROW(REAL, slope, "0", RHX_ANY, 0, 0, "1/m/s", "source times the slope in x, where that is above 0")          \
  ROW(REAL, steep, "0", RHX_ANY, 0, 0, "1/m", "source over the root of how far the slope in x is above 2 1/m") \
  ROW(BOOL, aux, "false", "a source by auxiliary fields")
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
  (void)k;
  *s = 1e-3 * RHX_POW(sc[field_ware].c, 1.5);
  if (par->place != 0.0) *s += par->place / (pt->x[0] - par->from);
  if (par->thick != 0.0) *s += par->thick / pt->eta_s;
  if (par->speed != 0.0) *s += par->speed / pt->u[0];
  if (par->slope != 0.0) *s += par->slope / RHX_MAX(RHX_CONST(0.0), sc[field_ware].gc[0]);
  if (par->steep != 0.0) *s += par->steep * RHX_SQRT(sc[field_ware].gc[0] - 2.0);
  if (par->aux) *s += 1e-9 * (pt->aux[0] + sc[field_ware].aux[0]);
}

RHX_POINTWISE void shift(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *to)
{
  (void)pt;
  to->viscosity *= 1.0 - sc[field_ware].c / par->thin;
}

RHX_SCALAR_PLUGIN("wares", "a field with faults", "", RHX_SHIFTS);
