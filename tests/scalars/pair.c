/* Two substances that destroy each other, one of them faster; the plugin says nothing of a rate: a_t = -k a b, b_t = -4 k a b. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, k, "1", RHX_GE, 0, 0, "1/s", "rate k")
#define RHX_FIELDS(ROW)                                                        \
  ROW(slow, "1", RHX_GE, 0, 0, "3", "natural", "given", "what is used slowly") \
  ROW(fast, "1", RHX_GE, 0, 0, "2", "natural", "given", "what is used fast")
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(source)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)par;
  (void)pt;
  (void)sc;
  (void)k;
  *D = RHX_CONST(0.01);
}

RHX_POINTWISE void source(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *s)
{
  (void)pt;
  *s = -par->k * (k == field_fast ? 4.0 : 1.0) * sc[field_slow].c * sc[field_fast].c;
}

RHX_SCALAR_PLUGIN("pair", "two substances that destroy each other", "a test", 0);
