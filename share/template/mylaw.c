/* A polymeric law to start from: a Maxwell mode whose relaxation is faster where the polymer is stretched,
 *   upper-convected c = -(1 + kappa (tr c - d)) (c - I)/lambda,   tau = (eta_p/lambda) (c - I).
 * Only arithmetic and the macros of point.h: the same lines are compiled for vectors of doubles, complex and dual numbers. */
#include <rheoplex/plugin.h>

/* One line a parameter: name, default (RHX_REQUIRED: none), bound, its limits, unit, help. The option is -physics_mylaw_<name>. */
#define RHX_PARAMETERS(ROW)                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")               \
  ROW(MODE_REAL, kappa, "0.1", RHX_GE, 0, 0, "1", "growth of the relaxation rate with the stretch")
RHX_DECLARE_PARAMETERS();

/* What the solver needs to know of the law. */
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
  RhxReal factor = (1.0 + par->kappa * (rhx_trace(c) - RHX_NDIAG)) / par->lambda;
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = factor * (c[k] - rhx_delta(k));
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (c[k] - rhx_delta(k));
}

/* Name, help, source, flags, slip row. tau = G (c - I): a linear spring, so the stress can be the unknown. */
RHX_POLYMERIC_LAW("mylaw", "Maxwell mode with a relaxation rate that grows with the stretch", "share/template",
                  RHX_LINEAR_SPRING, RHX_NO_SLIP);
