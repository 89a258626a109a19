/* Phan-Thien-Tanner: upper-convected c = -Y (c - I)/lambda with L - xi D for L, tau = G (c - I), G = eta_p/(lambda (1 - xi)),
 * Y = 1 + e (linear) or exp(e) (exponential), e = epsilon/(1 - xi) (tr c - d) = epsilon lambda/eta_p tr tau.
 * No zz in plane flow: c_zz = 1 stays so, and d counts the diagonal components carried. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                    \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p at shear rate 0")     \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")                                   \
  ROW(MODE_REAL, epsilon, RHX_REQUIRED, RHX_GE, 0, 0, "1", "extensibility: bounds the elongational viscosity") \
  ROW(MODE_REAL, xi, "0", RHX_IN_RIGHT_OPEN, 0, 1, "1", "Gordon-Schowalter slip")                              \
  ROW(CHOICE, form, "linear", "linear|exponential", "relaxation as a function of the trace of the stress")
RHX_DECLARE_PARAMETERS();
enum { form_linear, form_exponential };

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
  RhxReal e = par->epsilon / (1.0 - par->xi) * (rhx_trace(c) - (double)RHX_NDIAG), Y = 1.0 + e;
  (void)kin;
  if (par->form == form_exponential) Y = RHX_EXP(e);
  for (int k = 0; k < RHX_NTENS; k++) r[k] = Y / par->lambda * (c[k] - rhx_delta(k));
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = modulus(par) * (c[k] - rhx_delta(k));
}

RHX_POLYMERIC_LAW(
    "ptt", "network of strands that are lost at a rate that grows with their stretch",
    "Phan-Thien and Tanner, J. Non-Newtonian Fluid Mech. 2 (1977) 353; Phan-Thien, J. Rheol. 22 (1978) 259",
    RHX_LINEAR_SPRING, RHX_SLIP_ROW(xi));
