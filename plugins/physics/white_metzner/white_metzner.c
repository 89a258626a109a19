/* White-Metzner: tau + lambda(g) upper-convected tau = 2 eta(g) D with a constant modulus G = eta(g)/lambda(g):
 * upper-convected c = -(c - I)/lambda(g), tau = G (c - I), G = viscosity/lambda,
 * lambda(g) = lambda (1 + (time g)^a)^((n-1)/a), g = sqrt(2 D:D). No zz in plane flow: c_zz = 1 stays so. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                    \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity at shear rate 0")           \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time at shear rate 0")                   \
  ROW(MODE_REAL, time, RHX_REQUIRED, RHX_GT, 0, 0, "s", "time constant: 1/time is where the power law begins") \
  ROW(MODE_REAL, a, "2", RHX_GT, 0, 0, "1", "exponent of the transition to the power law")                     \
  ROW(MODE_REAL, n, RHX_REQUIRED, RHX_GE, 0, 0, "1", "exponent of the power law of the viscosity; 1 is Oldroyd-B")
RHX_DECLARE_PARAMETERS();

/* lambda(g)/lambda = eta(g)/viscosity */
RHX_POINTWISE RhxReal thinning(const RhxParams *par, const RhxKin *kin)
{
  return RHX_POW(1.0 + RHX_POW(par->time * kin->shear_rate, par->a), (par->n - 1.0) / par->a);
}

RHX_POINTWISE void properties(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop)
{
  RhxReal s = thinning(par, kin);
  (void)c;
  prop->eta_p = par->viscosity * s;
  prop->lambda = par->lambda * s;
  prop->modulus = RHX_CONST(par->viscosity / par->lambda);
}

RHX_POINTWISE void rate(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *r)
{
  RhxReal lambda = par->lambda * thinning(par, kin);
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (c[k] - rhx_delta(k)) / lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (c[k] - rhx_delta(k));
}

RHX_POLYMERIC_LAW("white_metzner", "Maxwell with a relaxation time that falls with the shear rate",
                  "White and Metzner, J. Appl. Polym. Sci. 7 (1963) 1867", RHX_LINEAR_SPRING, RHX_NO_SLIP);
