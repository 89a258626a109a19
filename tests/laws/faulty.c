/* A Maxwell mode with one fault: -physics_faulty_fault says which. FAULTY_FLAGS: what it claims to be. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                                        \
  ROW(MODE_REAL, viscosity, "1", RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p")                                  \
  ROW(MODE_REAL, lambda, "1", RHX_GT, 0, 0, "s", "relaxation time")                                                \
  ROW(CHOICE, fault, "none",                                                                                       \
      "none|rate_at_rest|stress_at_rest|unset_modulus|unset_stress|negative_eta|eta|lambda|modulus|spring|frame|"  \
      "plane|unset_rate|stretch|dissipative|rate_beyond|stress_beyond|yield|slip|slip_kept|nan_far|inf_far|bound", \
      "what is wrong")
RHX_DECLARE_PARAMETERS();
enum {
  none,
  rate_at_rest,
  stress_at_rest,
  unset_modulus,
  unset_stress,
  negative_eta,
  eta,
  lambda,
  modulus,
  spring,
  frame,
  plane,
  unset_rate,
  stretch,
  dissipative,
  rate_beyond,
  stress_beyond,
  yield,
  slip,
  slip_kept,
  nan_far,
  inf_far,
  bound
};

#define XI 0.3 /* of a slip by hand, in `rate`: the viscosity is (1 - XI) G lambda, which slip_kept forgets */

RHX_POINTWISE double spring_of(const RhxParams *par)
{
  return par->viscosity / par->lambda / (par->fault == slip ? 1.0 - XI : 1.0);
}

/* D.c + c.D */
RHX_POINTWISE void deform(const RhxReal *D, const RhxReal *c, RhxReal *out)
{
  RhxReal L[RHX_LDIM * RHX_LDIM];
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = 0; j < RHX_LDIM; j++) L[RHX_LDIM * i + j] = D[rhx_ij(i, j)];
  rhx_stretch(L, c, out);
}

/* sqrt(x), x = 1 - (tr c - d)/5: no number beyond; with `kept` 0 there; with `pole` infinite at x <= 0. */
RHX_POINTWISE RhxReal bounded(const RhxReal *c, int kept, int pole)
{
  RhxReal x = 1.0 - 0.2 * (rhx_trace(c) - (double)RHX_NDIAG);
  if (kept || pole) x = RHX_MAX(x, RHX_CONST(0.0));
  return pole ? 1.0 / x : RHX_SQRT(x);
}

RHX_POINTWISE void properties(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop)
{
  (void)c;
  prop->eta_p = RHX_CONST(par->viscosity * (par->fault == eta ? 1.5 : 1.0));
  if (par->fault == negative_eta) prop->eta_p = par->viscosity * (1.0 - 3.0 * kin->shear_rate * par->lambda);
  prop->lambda = RHX_CONST(par->lambda * (par->fault == lambda ? 2.0 : 1.0));
  if (par->fault != unset_modulus) prop->modulus = RHX_CONST(spring_of(par) * (par->fault == modulus ? 3.0 : 1.0));
}

RHX_POINTWISE void rate(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *r)
{
  for (int k = 0; k < RHX_NTENS; k++)
    r[k] = (c[k] - (par->fault == rate_at_rest ? 0.5 : 1.0) * rhx_delta(k)) / par->lambda;
  if (par->fault == yield) /* nothing relaxes in small motions */
    for (int k = 0; k < RHX_NTENS; k++) r[k] = r[k] * (rhx_trace(c) - RHX_NDIAG);
  if (par->fault == frame) r[0] += (c[0] - c[1]) / par->lambda;
  if (par->fault == plane)
    for (int k = 0; k < RHX_NTENS; k++) r[k] += rhx_delta(k) * (rhx_trace(c) - RHX_NDIAG) / par->lambda;
  if (par->fault == unset_rate) r[RHX_NTENS - 1] = RHX_CONST(__builtin_nan(""));
  if (par->fault == rate_beyond)
    for (int k = RHX_NTENS; k < RHX_NTENS + 2; k++) r[k] = c[k] / par->lambda;
  if (par->fault == slip || par->fault == slip_kept) {
    RhxReal up[RHX_NTENS];
    deform(kin->D, c, up);
    for (int k = 0; k < RHX_NTENS; k++) r[k] += XI * up[k];
  }
  if (par->fault == nan_far || par->fault == inf_far || par->fault == bound)
    for (int k = 0; k < RHX_NTENS; k++) r[k] = r[k] * bounded(c, par->fault == bound, par->fault == inf_far);
  if (par->fault == stretch)
    for (int k = 0; k < RHX_NTENS; k++) r[k] = r[k] * (1.0 + 0.1 * (rhx_trace(c) - RHX_NDIAG));
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  RhxReal G = RHX_CONST(spring_of(par));
  if (par->fault == spring) G = G * (1.0 + 0.3 * (rhx_trace(c) - RHX_NDIAG));
  for (int k = 0; k < RHX_NTENS - (par->fault == unset_stress); k++)
    tau[k] = G * (c[k] - (par->fault == stress_at_rest ? 0.0 : rhx_delta(k)));
  if (par->fault == stress_beyond) tau[RHX_NTENS] = G;
  if (par->fault == dissipative) /* a stress that follows the rate at once: of viscosity 0.4 eta_p */
    for (int k = 0; k < RHX_NTENS; k++) tau[k] += 0.8 * par->viscosity * kin->D[k];
}

RHX_POLYMERIC_LAW(FAULTY_NAME, "wrong on purpose", "none", FAULTY_FLAGS, RHX_NO_SLIP);
