/* Oldroyd-B: upper-convected c = -(c - I)/lambda, tau = (eta_p/lambda)(c - I). Without a viscous law: upper-convected Maxwell. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void properties(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop)
{
  (void)kin;
  (void)c;
  prop->eta_p = RHX_CONST(par->viscosity);
  prop->lambda = RHX_CONST(par->lambda);
  prop->modulus = RHX_CONST(par->viscosity / par->lambda);
}

RHX_POINTWISE void rate(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *r)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (c[k] - rhx_delta(k)) / par->lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (c[k] - rhx_delta(k));
}

RHX_POLYMERIC_LAW("oldroydb", "Hookean dumbbells: constant viscosity, one relaxation time a mode",
                  "Oldroyd, Proc. R. Soc. A 200 (1950) 523", RHX_LINEAR_SPRING, RHX_NO_SLIP);
