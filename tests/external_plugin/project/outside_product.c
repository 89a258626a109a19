/* What becomes of a reactant of another plugin, two molecules of it at a time: p_t + u.grad p = div(D grad p) + k r^2. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                              \
  ROW(REAL, diffusivity, 0, RHX_GE, 0, 0, "m^2/s", "diffusivity D")                                      \
  ROW(REAL, rate, 0, RHX_GE, 0, 0, "1/s", "rate k of a reaction of second order, of p and r as numbers") \
  ROW(FIELD, reactant, "dye", "what reacts, r")
#define RHX_FIELDS(ROW) ROW(product, "1", RHX_GE, 0, 0, "0", "natural", "value 0", "product p")
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
  const RhxReal r = sc[par->reactant].c;
  (void)pt;
  (void)k;
  *s = par->rate * r * r;
}

RHX_SCALAR_PLUGIN("outside_product", "product of a reaction of second order", "Laidler, Chemical Kinetics, section 2.2",
                  0);
