/* Maxwell's mode that relaxes faster from a trace of c on: its steady shear has a kink at a rate. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)                                                                \
  ROW(MODE_REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "polymer viscosity eta_p") \
  ROW(MODE_REAL, lambda, RHX_REQUIRED, RHX_GT, 0, 0, "s", "relaxation time")               \
  ROW(REAL, stretch, RHX_REQUIRED, RHX_GT, 0, 0, "1", "trace of c, less that at rest, of the kink")
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
  const RhxReal beyond = RHX_MAX(RHX_CONST(0.0), rhx_trace(c) - RHX_NDIAG - par->stretch);
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (1.0 + beyond) * (c[k] - rhx_delta(k)) / par->lambda;
}

RHX_POINTWISE void stress(const RhxParams *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  (void)kin;
  for (int k = 0; k < RHX_NTENS; k++) tau[k] = par->viscosity / par->lambda * (c[k] - rhx_delta(k));
}

RHX_POLYMERIC_LAW("kinked", "relaxes faster from a stretch on", "a test", RHX_LINEAR_SPRING, RHX_NO_SLIP);
