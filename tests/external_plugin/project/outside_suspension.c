/* Particles that the flow carries: their volume fraction raises the solvent's viscosity as Krieger and Dougherty (1959) say, and their
 * weight drives the flow: c_t + u.grad c = div(D grad c). */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                             \
  ROW(REAL, diffusivity, 0, RHX_GE, 0, 0, "m^2/s", "diffusivity D")                                     \
  ROW(REAL, maximum, "0.6", RHX_GT, 0, 0, "1", "fraction c_m at which the suspension is jammed")        \
  ROW(REAL, excess, "0", RHX_ANY, 0, 0, "1", "density of the particles over that of the fluid, less 1") \
  ROW(REAL, gravity_y, "0", RHX_ANY, 0, 0, "m/s^2", "gravity along y")
#define RHX_FIELDS(ROW) ROW(solid, "1", RHX_IN, 0, 1, "0", "natural", "given", "volume fraction c of particles")
#define RHX_OPERATIONS(OP) OP(diffusivity) OP(shift)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)pt;
  (void)sc;
  (void)k;
  *D = RHX_CONST(par->diffusivity);
}

RHX_POINTWISE void shift(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *to)
{
  const RhxReal c = sc[field_solid].c;
  to->viscosity *= RHX_POW(1.0 - c / par->maximum, -2.5 * par->maximum);
  to->force[1] += pt->rho * par->excess * par->gravity_y * c;
}

RHX_SCALAR_PLUGIN("outside_suspension", "particles that the flow carries and that make it thicker",
                  "Krieger and Dougherty, Trans. Soc. Rheol. 3 (1959) 137",
                  RHX_COUPLES | RHX_SHIFTS | RHX_VARIES_ABOUT_START);
