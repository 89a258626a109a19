/* Temperature: rho cp (T_t + u.grad T) = div(k grad T) + (2 eta_s D + tau) : D + q. All laws are shifted by a(T), moduli kept, and
 * -rho beta (T - T0) g drives the flow (Boussinesq). The work of polymer stress is heat at once: its energy is of entropy alone. */
#include <rheoplex/plugin.h>

#define GAS_CONSTANT 8.314462618 /* J/(mol K) */

#define RHX_PARAMETERS(ROW)                                                                                            \
  ROW(REAL, conductivity, 0, RHX_GT, 0, 0, "W/(m K)", "thermal conductivity k")                                        \
  ROW(REAL, heat_capacity, 0, RHX_GT, 0, 0, "J/(kg K)",                                                                \
      "heat capacity cp of the mass; that of the density is "                                                          \
      "-form_density times it")                                                                                        \
  ROW(BOOL, heating, "true", "viscous heating: the work of solvent and polymer stress becomes heat")                   \
  ROW(REAL, supply, "0", RHX_ANY, 0, 0, "W/m^3", "heat q that comes everywhere")                                       \
  ROW(REAL, reference, "300", RHX_GT, 0, 0, "K", "temperature T0 of the laws' parameters, where a = 1")                \
  ROW(REAL, sensitivity, "0", RHX_GE, 0, 0, "1/K",                                                                     \
      "b of a factor exp(-b (T - T0)) of all relaxation times and viscosities")                                        \
  ROW(REAL, activation, "0", RHX_GE, 0, 0, "J/mol", "E of a factor exp(E/R (1/T - 1/T0)) of them (Arrhenius)")         \
  ROW(REAL, wlf_1, "0", RHX_GE, 0, 0, "1", "c1 of a factor 10^(-c1 (T - T0)/(c2 + T - T0)) of them (WLF); often 8.86") \
  ROW(REAL, wlf_2, "101.6", RHX_GT, 0, 0, "K", "c2 of it; temperatures stay above T0 - c2")                            \
  ROW(REAL, expansion, "0", RHX_ANY, 0, 0, "1/K", "volume expansion beta in the force of gravity")                     \
  ROW(REAL, gravity_x, "0", RHX_ANY, 0, 0, "m/s^2", "gravity g along x; that of T0 is in the pressure")                \
  ROW(REAL, gravity_y, "0", RHX_ANY, 0, 0, "m/s^2", "gravity along y")                                                 \
  ROW(REAL, gravity_z, "0", RHX_ANY, 0, 0, "m/s^2", "gravity along z")
#define RHX_FIELDS(ROW) ROW(temperature, "K", RHX_GT, 0, 0, "reference", "given", "given", "temperature T")
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(source) OP(shift)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)sc;
  (void)k;
  *D = RHX_CONST(par->conductivity / (pt->rho * par->heat_capacity));
}

/* (2 eta_s D + tau) : L, W/m^3 */
RHX_POINTWISE RhxReal work(const RhxPoint *pt)
{
  RhxReal sum = RHX_ZERO;
#if RHX_NTENS == 4
  sum += (2.0 * pt->eta_s * pt->hoop + pt->tau[2]) * pt->hoop;
#endif
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = 0; j < RHX_LDIM; j++)
      sum += (pt->eta_s * (pt->L[i][j] + pt->L[j][i]) + pt->tau[rhx_ij(i, j)]) * pt->L[i][j];
  return sum;
}

RHX_POINTWISE void source(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *s)
{
  (void)sc;
  (void)k;
  *s = RHX_CONST(par->supply);
  if (par->heating) *s += work(pt);
  *s /= pt->rho * par->heat_capacity;
}

RHX_POINTWISE void shift(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *to)
{
  const RhxReal T = sc[field_temperature].c, above = T - par->reference;
  const double g[] = {par->gravity_x, par->gravity_y, par->gravity_z};
  if (par->sensitivity != 0.0) to->time *= RHX_EXP(-par->sensitivity * above);
  if (par->activation != 0.0) to->time *= RHX_EXP(par->activation / GAS_CONSTANT * (1.0 / T - 1.0 / par->reference));
  if (par->wlf_1 != 0.0) to->time *= RHX_EXP(-2.302585092994046 * par->wlf_1 * above / (par->wlf_2 + above));
  for (int i = 0; i < RHX_DIM; i++) to->force[i] -= pt->rho * par->expansion * g[i] * above;
}

RHX_SCALAR_PLUGIN("thermal",
                  "temperature: convection, conduction, viscous heating; shifts all laws and drives the flow",
                  "Bird, Armstrong and Hassager, Dynamics of Polymeric Liquids 1, section 3.6 (shift) and 4.4 "
                  "(heating); Tritton, Physical Fluid Dynamics, section 14.2 (Boussinesq)",
                  RHX_COUPLES | RHX_SHIFTS | RHX_VARIES_ABOUT_START | RHX_WARMS);
