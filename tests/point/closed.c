#include "closed.h"
#include "../common/largest.h"

#define NAMED_(a, b, c, d) a##_##b##_##c##_##d
#define NAMED(a, b, c, d) NAMED_(a, b, c, d)

static const void *operations(Law law) { return law.plugin->variant[3 * (RHX_DIM == 3 ? 2 : RHX_NTENS == 4)]; }

static void gradient(Flow flow, double rate, double L[RHX_DIM][RHX_DIM], RhxKin *kin)
{
  double DD;
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) L[i][j] = 0.0;
  if (flow == SHEAR)
    L[0][1] = rate;
  else
    L[0][0] = rate;
  if (flow == PLANAR_ELONGATION) L[1][1] = -rate;
  if (flow == UNIAXIAL_ELONGATION)
    for (int i = 1; i < RHX_DIM; i++) L[i][i] = -0.5 * rate;
  for (int k = 0; k < RHX_NTENS; k++) kin->D[k] = 0.0;
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = i; j < RHX_DIM; j++) kin->D[rhx_ij(i, j)] = 0.5 * (L[i][j] + L[j][i]);
  DD = rhx_double_dot(kin->D, kin->D);
  kin->shear_rate = sqrt(2.0 * DD);
}

static void pack(Tensor c, double a[RHX_NTENS])
{
  for (int k = 0; k < RHX_NTENS; k++) a[k] = 0.0;
  a[0] = c.xx;
  a[1] = c.yy;
  if (RHX_NTENS > 3) a[2] = c.zz;
  a[rhx_ij(0, 1)] = c.xy;
}

static Tensor unpack(const double a[RHX_NTENS])
{
  Tensor c = {a[0], a[1], RHX_NTENS > 3 ? a[2] : 0.0, a[rhx_ij(0, 1)]};
  return c;
}

static double viscosity(Law law, Flow flow, double rate)
{
  const RhxViscousOps *op = operations(law);
  double L[RHX_DIM][RHX_DIM], eta;
  RhxKin kin;
  gradient(flow, rate, L, &kin);
  op->viscosity(law.par, &kin, &eta);
  return eta;
}

/* dc/dt in a homogeneous flow */
static void derivative(Law law, Flow flow, double rate, const double c[RHX_NTENS], double out[RHX_NTENS])
{
  const RhxPolymericOps *op = operations(law);
  double L[RHX_DIM][RHX_DIM], r[RHX_NTENS];
  RhxKin kin;
  gradient(flow, rate, L, &kin);
  rhx_stretch(&L[0][0], c, out);
  op->rate(law.par, &kin, c, r);
  for (int k = 0; k < RHX_NTENS; k++) out[k] -= r[k];
}

static Tensor stress(Law law, Flow flow, double rate, const double c[RHX_NTENS])
{
  const RhxPolymericOps *op = operations(law);
  double L[RHX_DIM][RHX_DIM], tau[RHX_NTENS];
  RhxKin kin;
  gradient(flow, rate, L, &kin);
  op->stress(law.par, &kin, c, tau);
  return unpack(tau);
}

static double balance(Law law, Flow flow, double rate, Tensor c, Tensor *tau)
{
  double a[RHX_NTENS], d[RHX_NTENS], worst = 0.0;
  pack(c, a);
  derivative(law, flow, rate, a, d);
  *tau = stress(law, flow, rate, a);
  for (int k = 0; k < RHX_NTENS; k++) worst = larger(worst, fabs(d[k]));
  return worst;
}

static Tensor evolve(Law law, Flow flow, double rate, Tensor c0, double t, int n, Tensor *tau)
{
  double c[RHX_NTENS], k1[RHX_NTENS], k2[RHX_NTENS], k3[RHX_NTENS], k4[RHX_NTENS], a[RHX_NTENS], h = t / n;
  pack(c0, c);
  for (int step = 0; step < n; step++) {
    derivative(law, flow, rate, c, k1);
    for (int k = 0; k < RHX_NTENS; k++) a[k] = c[k] + 0.5 * h * k1[k];
    derivative(law, flow, rate, a, k2);
    for (int k = 0; k < RHX_NTENS; k++) a[k] = c[k] + 0.5 * h * k2[k];
    derivative(law, flow, rate, a, k3);
    for (int k = 0; k < RHX_NTENS; k++) a[k] = c[k] + h * k3[k];
    derivative(law, flow, rate, a, k4);
    for (int k = 0; k < RHX_NTENS; k++) c[k] += h / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]);
  }
  *tau = stress(law, flow, rate, c);
  return unpack(c);
}

const PointLaw NAMED(closed, RHX_DIM, RHX_NTENS, RHX_KIND) = {viscosity, balance, evolve};
