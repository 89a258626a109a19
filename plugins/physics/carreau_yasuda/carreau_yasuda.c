/* Carreau-Yasuda: eta_s = eta_inf + (eta_0 - eta_inf) (1 + (lambda g)^a)^((n-1)/a), g = sqrt(2 D:D); a = 2 is Carreau's. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                   \
  ROW(REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "viscosity eta_0 at shear rate 0")                 \
  ROW(REAL, viscosity_inf, "0", RHX_GE, 0, 0, "Pa s", "viscosity eta_inf at infinite shear rate")             \
  ROW(REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "time constant: 1/lambda is where the power law begins") \
  ROW(REAL, a, "2", RHX_GT, 0, 0, "1", "exponent of the transition to the power law")                         \
  ROW(REAL, n, RHX_REQUIRED, RHX_GE, 0, 0, "1", "exponent of the power law")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  RhxReal x = 1.0 + RHX_POW(par->lambda * kin->shear_rate, par->a);
  *eta_s = par->viscosity_inf + (par->viscosity - par->viscosity_inf) * RHX_POW(x, (par->n - 1.0) / par->a);
}

RHX_VISCOUS_LAW("carreau_yasuda", "shear-thinning between two plateaus",
                "Carreau, Trans. Soc. Rheol. 16 (1972) 99; Yasuda, Armstrong and Cohen, Rheol. Acta 20 (1981) 163");
