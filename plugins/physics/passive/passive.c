/* A dissolved substance that the flow carries and does not feel: c_t + u.grad c = div(D grad c) + q - k c. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                               \
  ROW(REAL, diffusivity, 0, RHX_GE, 0, 0, "m^2/s", "diffusivity D")                       \
  ROW(REAL, supply, "0", RHX_ANY, 0, 0, "1/s", "what comes everywhere a unit of time, q") \
  ROW(REAL, decay, "0", RHX_GE, 0, 0, "1/s", "rate k of a decay of first order")
#define RHX_FIELDS(ROW) \
  ROW(concentration, "1", RHX_GE, 0, 0, "0", "natural", "given", "concentration c of the substance")
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(source) OP(reaction)
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
  *s = par->supply - par->decay * sc[k].c;
}

RHX_POINTWISE void reaction(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *r)
{
  (void)pt;
  (void)sc;
  (void)k;
  *r = RHX_CONST(par->decay);
}

RHX_SCALAR_PLUGIN("passive", "substance that the flow carries, with diffusion, supply and decay",
                  "Bird, Stewart and Lightfoot, Transport Phenomena, section 19.1", 0);
