/* Shear-thinning solvent: eta_s = infinite + (zero - infinite)/sqrt(1 + (k g)^2), g = sqrt(2 D:D). */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                         \
  ROW(REAL, zero, "1", RHX_GT, 0, 0, "Pa s", "viscosity at rest")                   \
  ROW(REAL, infinite, "0.1", RHX_GT, 0, 0, "Pa s", "viscosity at very large rates") \
  ROW(REAL, k, "1", RHX_GE, 0, 0, "s", "inverse of the shear rate where the thinning begins")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  RhxReal kg = par->k * kin->shear_rate;
  *eta_s = par->infinite + (par->zero - par->infinite) / RHX_SQRT(1.0 + kg * kg);
}

RHX_VISCOUS_LAW("outside_thinning", "shear-thinning solvent", "Carreau with n = 0");
