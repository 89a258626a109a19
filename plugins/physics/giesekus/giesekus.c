/* Giesekus: upper-convected c = -((c - I) + alpha (c - I)^2)/lambda, tau = (eta_p/lambda)(c - I).
 * No zz in plane flow: c_zz = 1 stays so and the square does not mix it with the plane. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p at shear rate 0") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")                               \
  ROW(MODE_REAL, alpha, RHX_REQUIRED, RHX_IN, 0, 1, "1",                                                   \
      "mobility: 0 is Oldroyd-B; above 0.5 the shear stress has a maximum")
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
  RhxReal e[RHX_NTENS], square[RHX_NTENS];
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) e[k] = c[k] - rhx_delta(k);
  rhx_square(e, square);
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (e[k] + par->alpha * square[k]) / par->lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (c[k] - rhx_delta(k));
}

RHX_POLYMERIC_LAW("giesekus", "dumbbells with a mobility that depends on the conformation",
                  "Giesekus, J. Non-Newtonian Fluid Mech. 11 (1982) 69", RHX_LINEAR_SPRING, RHX_NO_SLIP);
