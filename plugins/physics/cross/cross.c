/* Cross: eta_s = eta_inf + (eta_0 - eta_inf)/(1 + (lambda g)^m), g = sqrt(2 D:D). */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                              \
  ROW(REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "viscosity eta_0 at shear rate 0")            \
  ROW(REAL, viscosity_inf, "0", RHX_GE, 0, 0, "Pa s", "viscosity eta_inf at infinite shear rate")        \
  ROW(REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "time constant: half of the drop at rate 1/lambda") \
  ROW(REAL, m, RHX_REQUIRED, RHX_GT, 0, 0, "1", "exponent; the power law's n is 1 - m")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  RhxReal x = 1.0 + RHX_POW(par->lambda * kin->shear_rate, par->m);
  *eta_s = par->viscosity_inf + (par->viscosity - par->viscosity_inf) / x;
}

RHX_VISCOUS_LAW("cross", "shear-thinning between two plateaus", "Cross, J. Colloid Sci. 20 (1965) 417");
