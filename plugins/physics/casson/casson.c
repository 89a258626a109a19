/* Casson, sqrt(tau) = sqrt(tau_y) + sqrt(eta_c g), regularised by Papanastasiou:
 * eta_s = (sqrt(eta_c) + sqrt(tau_y/g) (1 - exp(-sqrt(m g))))^2, g = sqrt(2 D:D); at rest (sqrt(eta_c) + sqrt(m tau_y))^2. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                       \
  ROW(REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "Casson viscosity eta_c, that at infinite shear rate") \
  ROW(REAL, yield_stress, RHX_REQUIRED, RHX_GE, 0, 0, "Pa", "yield stress tau_y")                                 \
  ROW(REAL, m, RHX_REQUIRED, RHX_GT, 0, 0, "s",                                                                   \
      "regularisation time: yields above a shear rate of about 1/m, such as 1000 over that of the flow")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  RhxReal x = RHX_SQRT(par->m * kin->shear_rate);
  RhxReal yields = RHX_SQRT(RHX_CONST(par->m * par->yield_stress) + RHX_TINY); /* has a derivative without tau_y too */
  RhxReal root = RHX_SQRT(RHX_CONST(par->viscosity)) + yields * rhx_decay_mean(x);
  *eta_s = root * root;
}

RHX_VISCOUS_LAW("casson", "yield stress and viscosity of suspensions such as blood, regularised",
                "Casson, in Rheology of Disperse Systems (1959) 84; Papanastasiou, J. Rheol. 31 (1987) 385");
