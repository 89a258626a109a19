/* Power law with cut-offs: eta_s = K g^(n-1), not below viscosity_min, not above viscosity_max; g = sqrt(2 D:D). */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                          \
  ROW(REAL, consistency, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s^n", "consistency K")                                      \
  ROW(REAL, n, RHX_REQUIRED, RHX_GT, 0, 0, "1", "exponent: below 1 shear-thinning, above shear-thickening")          \
  ROW(REAL, viscosity_min, "0", RHX_GE, 0, 0, "Pa s", "lower cut-off of the viscosity, at rest that of n above 1")   \
  ROW(REAL, viscosity_max, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s",                                                       \
      "upper cut-off of the viscosity, such as that of a thousandth of the rate of the flow; goes before the lower " \
      "one")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  RhxReal eta = par->consistency * RHX_POW(kin->shear_rate, par->n - 1.0);
  *eta_s = RHX_MIN(RHX_MAX(eta, par->viscosity_min), par->viscosity_max);
}

RHX_VISCOUS_LAW("power_law", "power law with cut-offs",
                "Ostwald, Kolloid-Z. 36 (1925) 99; de Waele, J. Oil Colour Chem. Assoc. 6 (1923) 33");
