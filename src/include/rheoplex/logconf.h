/* The log-conformation representation s = log c at a point (Fattal and Kupferman 2004, without their eigenvalue switch):
 *   s_t + u.grad s - (Om s - s Om) - 2 f(s) eps + exp(-s) rate(exp s) = 0,  eps = sym L, Om = (L - L^T)/2,
 * f(s) eps = x coth x of half the commutator with s: in the eigenbasis of s the components eps_ij times
 * x coth x, x = (s_i - s_j)/2. In the plane a closed form without eigenvectors, whose complex and dual values are its tangent.
 * In space fixed sweeps of Jacobi, on the values only; kinds with derivatives add the tangent by divided differences
 * (Daleckii and Krein 1965), which is smooth at equal eigenvalues where the derivative of the sweeps is not. */
#ifndef RHX_LOGCONF_H
#define RHX_LOGCONF_H
#include <rheoplex/logvalue.h>

/* sinh(x)/x, cosh(x) and (x coth x - 1)/x^2 of z = x^2 >= 0. */
RHX_POINTWISE void rhx_hyperbolic(RhxLogValue z, RhxLogValue *S, RhxLogValue *C, RhxLogValue *g)
{
  const RhxLogValue zl = RHX_LOG_IF_LT(z, 0.05, 1.0, z), zs = RHX_LOG_IF_LT(z, 0.05, z, 0.0);
  const RhxLogValue x = RHX_LOG_SQRT(zl), e = RHX_LOG_EXP(x), ie = 1.0 / e;
  const RhxLogValue Cl = 0.5 * (e + ie), Sl = 0.5 * (e - ie) / x;
  const RhxLogValue Cs =
      1.0 + zs * (1.0 / 2 + zs * (1.0 / 24 + zs * (1.0 / 720 + zs * (1.0 / 40320 + zs * (1.0 / 3628800)))));
  const RhxLogValue Ss =
      1.0 + zs * (1.0 / 6 + zs * (1.0 / 120 + zs * (1.0 / 5040 + zs * (1.0 / 362880 + zs * (1.0 / 39916800)))));
  const RhxLogValue gs =
      1.0 / 3 +
      zs * (-1.0 / 45 + zs * (2.0 / 945 + zs * (-1.0 / 4725 + zs * (2.0 / 93555 + zs * (-1382.0 / 638512875 +
                                                                                        zs * (4.0 / 18243225))))));
  *C = RHX_LOG_IF_LT(z, 0.05, Cs, Cl);
  *S = RHX_LOG_IF_LT(z, 0.05, Ss, Sl);
  *g = RHX_LOG_IF_LT(z, 0.05, gs, (Cl / Sl - 1.0) / zl);
}

#if RHX_NTENS != 6

typedef struct {
  RhxReal c[RHX_NTENS], ic[RHX_NTENS]; /* exp(s), exp(-s) */
  RhxReal d, b, g;                     /* (s_xx - s_yy)/2, s_xy, (x coth x - 1)/x^2 at x^2 = d^2 + b^2 */
} RhxLog;

RHX_POINTWISE void rhx_log_set(const RhxReal s[RHX_NTENS], RhxLog *lg)
{
  const RhxReal m = 0.5 * (s[0] + s[1]), em = RHX_EXP(m), im = 1.0 / em;
  RhxReal C, S;
  lg->d = 0.5 * (s[0] - s[1]);
  lg->b = s[RHX_NTENS - 1];
  rhx_hyperbolic(lg->d * lg->d + lg->b * lg->b, &S, &C, &lg->g);
  lg->c[0] = em * (C + S * lg->d);
  lg->c[1] = em * (C - S * lg->d);
  lg->ic[0] = im * (C - S * lg->d);
  lg->ic[1] = im * (C + S * lg->d);
#if RHX_NTENS == 4
  lg->c[2] = RHX_EXP(s[2]);
  lg->ic[2] = 1.0 / lg->c[2];
#endif
  lg->c[RHX_NTENS - 1] = em * S * lg->b;
  lg->ic[RHX_NTENS - 1] = -im * S * lg->b;
}

/* f(s) eps = eps + g/2 (eps:p) p, p = [[-b, d], [d, b]] */
RHX_POINTWISE void rhx_log_strain(const RhxLog *lg, const RhxReal *L, RhxReal out[RHX_NTENS])
{
  const RhxReal exy = 0.5 * (L[1] + L[2]);
  const RhxReal h = 0.5 * lg->g * (2.0 * exy * lg->d - lg->b * (L[0] - L[3]));
  out[0] = L[0] - h * lg->b;
  out[1] = L[3] + h * lg->b;
#if RHX_NTENS == 4
  out[2] = RHX_ZERO;
#endif
  out[RHX_NTENS - 1] = exy + h * lg->d;
}

#else
#include <rheoplex/logconf3d.h>
#endif

/* Everything of the equation but s_t + u.grad s: out = -(Om s - s Om) - 2 f(s) eps + exp(-s) r, r = rate(exp s), which
 * commutes with s. L row by row. */
RHX_POINTWISE void rhx_log_rate(const RhxLog *lg, const RhxReal s[RHX_NTENS], const RhxReal *L,
                                const RhxReal r[RHX_NTENS], RhxReal out[RHX_NTENS])
{
  RhxReal f[RHX_NTENS];
  rhx_log_strain(lg, L, f);
#if RHX_NTENS == 4
  out[2] = lg->ic[2] * r[2];
#endif
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = i; j < RHX_LDIM; j++) {
      RhxReal v = -2.0 * f[rhx_ij(i, j)];
      for (int k = 0; k < RHX_LDIM; k++) {
        const RhxReal oik = 0.5 * (L[RHX_LDIM * i + k] - L[RHX_LDIM * k + i]),
                      okj = 0.5 * (L[RHX_LDIM * k + j] - L[RHX_LDIM * j + k]);
        v += lg->ic[rhx_ij(i, k)] * r[rhx_ij(k, j)] - oik * s[rhx_ij(k, j)] + s[rhx_ij(i, k)] * okj;
      }
      out[rhx_ij(i, j)] = v;
    }
}

#endif
