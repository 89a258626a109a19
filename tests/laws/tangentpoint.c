/* See tangentpoint.h; compiled for each size and kind. */
#include "tangentpoint.h"
#include <string.h>

#if RHX_KIND == RHX_KIND_COMPLEX
static RhxReal number(double x, double d) { return __builtin_complex(x, RHX_STEP * d); }
static void split(RhxReal x, double *v, double *d) { *v = __real__ x, *d = __imag__ x / RHX_STEP; }
#else
static RhxReal number(double x, double d) { return (void)d, x; }
static void split(RhxReal x, double *v, double *d) { *v = x, *d = 0.0; }
#endif

static void kinematics(const double *L, const double *dL, RhxKin *kin)
{
  for (int k = 0; k < RHX_NTENS; k++) kin->D[k] = RHX_ZERO;
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = i; j < RHX_DIM; j++) {
      const int a = i * RHX_DIM + j, b = j * RHX_DIM + i;
      kin->D[rhx_ij(i, j)] = number(0.5 * (L[a] + L[b]), 0.5 * (dL[a] + dL[b]));
    }
  kin->shear_rate = RHX_SQRT(2.0 * rhx_double_dot(kin->D, kin->D) + RHX_TINY);
}

#define NAME_(d, t, k) LAW_AT(d, t, k)
void NAME_(RHX_DIM, RHX_NTENS, RHX_KIND)(const RhxPlugin *law, const void *par, const double *L, const double *dL,
                                         const double *c, const double *dc, double *out, double *derivative)
{
  const void *op = law->variant[3 * (RHX_DIM == 3 ? 2 : RHX_NTENS == 4) + RHX_KIND];
  RhxKin kin;
  RhxReal cr[RHX_NTENS], r[RHX_NTENS], tau[RHX_NTENS], eta = RHX_ZERO;
  RhxProps p;
  memset(out, 0, NOUT * sizeof(*out));
  memset(derivative, 0, NOUT * sizeof(*derivative));
  kinematics(L, dL, &kin);
  for (int k = 0; k < RHX_NTENS; k++) cr[k] = number(c[k], dc[k]);
  if (law->kind == RHX_VISCOUS) {
    ((const RhxViscousOps *)op)->viscosity(par, &kin, &eta);
    split(eta, &out[0], &derivative[0]);
    return;
  }
  ((const RhxPolymericOps *)op)->properties(par, &kin, cr, &p);
  ((const RhxPolymericOps *)op)->rate(par, &kin, cr, r);
  ((const RhxPolymericOps *)op)->stress(par, &kin, cr, tau);
  split(p.eta_p, &out[1], &derivative[1]);
  split(p.lambda, &out[2], &derivative[2]);
  split(p.modulus, &out[3], &derivative[3]);
  for (int k = 0; k < RHX_NTENS; k++) {
    split(r[k], &out[4 + k], &derivative[4 + k]);
    split(tau[k], &out[10 + k], &derivative[10 + k]);
  }
}
