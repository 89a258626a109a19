/* Johnson-Segalman: upper-convected c = -(c - I)/lambda with L - xi D for L, tau = G (c - I), G = eta_p/(lambda (1 - xi)).
 * No zz in plane flow: c_zz = 1 stays so. Without enough solvent the shear stress has a maximum. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p at shear rate 0") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")                               \
  ROW(MODE_REAL, xi, RHX_REQUIRED, RHX_IN_RIGHT_OPEN, 0, 1, "1", "Gordon-Schowalter slip; 0 is Oldroyd-B")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE double modulus(const RhxParams *par) { return par->viscosity / (par->lambda * (1.0 - par->xi)); }

RHX_POINTWISE void properties(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop)
{
  (void)kin;
  (void)c;
  prop->eta_p = RHX_CONST(par->viscosity);
  prop->lambda = RHX_CONST(par->lambda);
  prop->modulus = RHX_CONST(modulus(par));
}

RHX_POINTWISE void rate(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *r)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (c[k] - rhx_delta(k)) / par->lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = modulus(par) * (c[k] - rhx_delta(k));
}

RHX_POLYMERIC_LAW("johnson_segalman", "Oldroyd-B with Gordon-Schowalter slip",
                  "Johnson and Segalman, J. Non-Newtonian Fluid Mech. 2 (1977) 255", RHX_LINEAR_SPRING,
                  RHX_SLIP_ROW(xi));
