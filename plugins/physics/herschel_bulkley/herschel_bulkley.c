/* Herschel-Bulkley, tau = tau_y + K g^n, regularised by Papanastasiou:
 * eta_s = min(K g^(n-1), viscosity_max) + tau_y (1 - exp(-m g))/g, g = sqrt(2 D:D). n = 1 is Bingham's. The cut-off is of
 * the power law alone, which has no bound at rest where n < 1; the yield term is m tau_y there. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                              \
  ROW(REAL, consistency, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s^n", "consistency K")                          \
  ROW(REAL, n, RHX_REQUIRED, RHX_GT, 0, 0, "1", "exponent")                                              \
  ROW(REAL, yield_stress, RHX_REQUIRED, RHX_GE, 0, 0, "Pa", "yield stress tau_y")                        \
  ROW(REAL, m, RHX_REQUIRED, RHX_GT, 0, 0, "s",                                                          \
      "regularisation time: yields above a shear rate of about 1/m, such as 1000 over that of the flow") \
  ROW(REAL, viscosity_max, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s",                                           \
      "upper cut-off of the power law's viscosity, such as that of a thousandth of the rate of the flow")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  RhxReal power = par->consistency * RHX_POW(kin->shear_rate, par->n - 1.0);
  *eta_s = RHX_MIN(power, par->viscosity_max) + par->yield_stress * par->m * rhx_decay_mean(par->m * kin->shear_rate);
}

RHX_VISCOUS_LAW("herschel_bulkley", "yield stress and power law, regularised",
                "Herschel and Bulkley, Kolloid-Z. 39 (1926) 291; Papanastasiou, J. Rheol. 31 (1987) 385");
