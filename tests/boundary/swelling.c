/* Giesekus with a pressure of its own, tau = G (c - I + kappa (tr c - 3) I): every normal stress of steady shear is one. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p at shear rate 0") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")                               \
  ROW(MODE_REAL, alpha, RHX_REQUIRED, RHX_IN, 0, 1, "1", "mobility")                                       \
  ROW(MODE_REAL, kappa, RHX_REQUIRED, RHX_GE, 0, 0, "1", "isotropic stress over G per tr c - 3")
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
  const double G = par->viscosity / par->lambda;
  RhxReal swell = par->kappa * (rhx_trace(c) - (double)RHX_NDIAG);
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = G * (c[k] - rhx_delta(k) + swell * rhx_delta(k));
}

RHX_POLYMERIC_LAW("swelling", "Giesekus with an isotropic stress that grows with the stretch", "for tests", 0u,
                  RHX_NO_SLIP);
