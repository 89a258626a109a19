/* Dumbbells with Cohen's spring, f = (1 - x/3)/(1 - x), x = tr c/L2, Peterlin's average: upper-convected
 * c = -(f c - a I)/lambda, tau = (eta_p/lambda)(f c - a I), a = f(3/L2): c = I at rest. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time of the spring") \
  ROW(MODE_REAL, L2, RHX_REQUIRED, RHX_GT, 3, 0, "1", "square of the largest extension: tr c < L2, 3 at rest")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE double rest(const RhxParams *par) { return (1.0 - 1.0 / par->L2) / (1.0 - 3.0 / par->L2); }

RHX_POINTWISE RhxReal spring(const RhxParams *par, const RhxReal *c)
{
  RhxReal x = rhx_trace(c) / par->L2;
  return (1.0 - x / 3.0) / RHX_MAX(1.0 - x, RHX_CONST(1e-6));
}

RHX_POINTWISE void properties(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop)
{
  RhxReal f = spring(par, c);
  (void)kin;
  prop->eta_p = RHX_CONST(par->viscosity);
  prop->lambda = par->lambda / f;
  prop->modulus = par->viscosity / par->lambda * f;
}

RHX_POINTWISE void rate(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *r)
{
  RhxReal f = spring(par, c);
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (f * c[k] - rest(par) * rhx_delta(k)) / par->lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  RhxReal f = spring(par, c);
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (f * c[k] - rest(par) * rhx_delta(k));
}

RHX_POLYMERIC_LAW("outside_cohen", "dumbbells with Cohen's approximation of the inverse Langevin spring",
                  "Cohen, Rheol. Acta 30 (1991) 270", RHX_OUT_OF_PLANE, RHX_NO_SLIP);
