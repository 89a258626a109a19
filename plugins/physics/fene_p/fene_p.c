/* FENE-P: upper-convected c = -(f c - a I)/lambda, tau = (eta_p/lambda)(f c - a I), f = L2/(L2 - tr c), a = L2/(L2 - 3):
 * c = I at rest, eta_p is the viscosity at shear rate 0, lambda/a = lambda (1 - 3/L2) the relaxation time at rest, of small motions.
 * zz is carried in plane flow: c_zz = a/f falls as the spring stiffens, and it counts in tr c. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p at shear rate 0") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s",                                                  \
      "relaxation time of a spring that is not extended; at rest, tr c = 3, lambda (1 - 3/L2)")            \
  ROW(MODE_REAL, L2, RHX_REQUIRED, RHX_GT, 3, 0, "1", "square of the largest extension: tr c < L2, 3 at rest")
RHX_DECLARE_PARAMETERS();

/* Spring factor f; beyond tr c = L2 (1 - 1e-6) constant, so that a state that oversteps is finite and drawn back. */
RHX_POINTWISE RhxReal spring(const RhxParams *par, const RhxReal *c)
{
  return par->L2 / RHX_MAX(par->L2 - rhx_trace(c), 1e-6 * par->L2);
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
  double a = par->L2 / (par->L2 - 3.0);
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (f * c[k] - a * rhx_delta(k)) / par->lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  RhxReal f = spring(par, c);
  double a = par->L2 / (par->L2 - 3.0);
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (f * c[k] - a * rhx_delta(k));
}

RHX_POLYMERIC_LAW("fene_p", "dumbbells of finite extensibility, Peterlin's average",
                  "Bird, Dotson and Johnson, J. Non-Newtonian Fluid Mech. 7 (1980) 213", RHX_OUT_OF_PLANE, RHX_NO_SLIP);
