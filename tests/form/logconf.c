/* The log-conformation equation against the conformation's: the derivative of exp along s_t = -rhx_log_rate, in extended
 * precision, must be L c + c L^T - rate(c). Random states, equal and nearly equal eigenvalues, both sides of the series switch. */
#include "../common/largest.h"
#include <math.h>
#include <rheoplex/logconf.h>
#include <stdio.h>
#include <string.h>

static double uniform(void)
{
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

/* A rate that is an isotropic function of c: linear PTT-like, lambda = 0.7. */
static void rate(const double *c, double *r)
{
  const double y = (1.0 + 0.3 * (rhx_trace(c) - RHX_NDIAG)) / 0.7;
  for (int k = 0; k < RHX_NTENS; k++) r[k] = y * (c[k] - rhx_delta(k));
}

#define WIDE (2 * RHX_LDIM)
typedef long double Block[WIDE][WIDE];

static void multiply(Block a, Block b, Block out)
{
  for (int i = 0; i < WIDE; i++)
    for (int j = 0; j < WIDE; j++) {
      out[i][j] = 0.0L;
      for (int k = 0; k < WIDE; k++) out[i][j] += a[i][k] * b[k][j];
    }
}

/* exp(M), M of norm below 64: Taylor's series of M/2^10, squared ten times; no eigenvectors. */
static void exponential(Block M, Block out)
{
  Block term = {{0.0L}}, next;
  memset(out, 0, sizeof(Block));
  for (int i = 0; i < WIDE; i++) term[i][i] = out[i][i] = 1.0L;
  for (int i = 0; i < WIDE; i++)
    for (int j = 0; j < WIDE; j++) M[i][j] /= 1024.0L;
  for (int n = 1; n < 24; n++) {
    multiply(term, M, next);
    for (int i = 0; i < WIDE; i++)
      for (int j = 0; j < WIDE; j++) out[i][j] += term[i][j] = next[i][j] / n;
  }
  for (int n = 0; n < 10; n++) {
    multiply(out, out, next);
    memcpy(out, next, sizeof(Block));
  }
}

static int index_of(int i, int j) { return i == j ? i : rhx_ij(i < j ? i : j, i < j ? j : i); }

/* c = exp(s) and dc, its Frechet derivative along sdot, blocks of exp [[s, sdot], [0, s]]; the third normal stress of the plane apart. */
static void derivative(const double *s, const double *sdot, double *c, double *dc)
{
  Block M = {{0.0L}}, e;
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = 0; j < RHX_LDIM; j++) {
      M[i][j] = M[RHX_LDIM + i][RHX_LDIM + j] = s[index_of(i, j)];
      M[i][RHX_LDIM + j] = sdot[index_of(i, j)];
    }
  exponential(M, e);
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = i; j < RHX_LDIM; j++) {
      c[index_of(i, j)] = (double)e[i][j];
      dc[index_of(i, j)] = (double)e[i][RHX_LDIM + j];
    }
#if RHX_NTENS == 4
  c[2] = exp(s[2]);
  dc[2] = c[2] * sdot[2];
#endif
}

/* Of L c + c L^T - rate(c). */
static double error_at(const double *s, const double *L)
{
  double sdot[RHX_NTENS], r[RHX_NTENS], up[RHX_NTENS], c[RHX_NTENS], dc[RHX_NTENS], worst = 0.0, size = 1.0;
  RhxLog lg;
  rhx_log_set(s, &lg);
  rate(lg.c, r);
  rhx_log_rate(&lg, s, L, r, sdot);
  for (int k = 0; k < RHX_NTENS; k++) sdot[k] = -sdot[k];
  derivative(s, sdot, c, dc);
  rate(c, r);
  rhx_stretch(L, c, up);
  for (int k = 0; k < RHX_NTENS; k++) size = fmax(size, fabs(up[k]) + fabs(r[k]));
  for (int k = 0; k < RHX_NTENS; k++) {
    const double e = fabs(dc[k] - (up[k] - r[k])) / size;
    worst = larger(worst, e);
  }
  return worst;
}

/* exp(s) exp(-s) = I to rounding, for eigenvalues up to about 10: the Jacobi sweeps are enough. */
static double inverse_error(double size)
{
  double s[RHX_NTENS], worst = 0.0, m[RHX_DIM][RHX_DIM];
  RhxLog lg;
  for (int k = 0; k < RHX_NTENS; k++) s[k] = size * uniform();
  rhx_log_set(s, &lg);
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) {
      double scale = 0.0;
      m[i][j] = i == j ? -1.0 : 0.0;
      for (int k = 0; k < RHX_DIM; k++) {
        m[i][j] += lg.c[rhx_ij(i, k)] * lg.ic[rhx_ij(k, j)];
        scale += fabs(lg.c[rhx_ij(i, k)] * lg.ic[rhx_ij(k, j)]);
      }
      const double e = fabs(m[i][j]) / fmax(scale, 1.0);
      worst = larger(worst, e);
    }
  return worst;
}

int main(void)
{
  /* The plane's closed form adds and subtracts e^m cosh x: the small eigenvalue loses a factor exp(x). */
  const double tolerance = RHX_DIM == 2 ? 2e-12 : 1e-14;
  double inverse = 0.0;
  for (int n = 0; n < 1000; n++) {
    const double e = inverse_error(0.01 * (n + 1));
    inverse = larger(inverse, e);
  }
  printf("largest relative entry of exp(s) exp(-s) - I: %.2e (tolerance %.0e)\n", inverse, tolerance);
  const double gap[] = {1.0, 0.0, 1e-14, 1e-9, 1e-5, 0.4471, 0.4473, 3.0}; /* of x: 0.4472^2 = 0.2 = 4 * 0.05 */
  double worst = 0.0;
  for (size_t g = 0; g < sizeof(gap) / sizeof(*gap); g++)
    for (int n = 0; n < 200; n++) {
      double s[RHX_NTENS], L[RHX_DIM * RHX_DIM];
      for (int k = 0; k < RHX_NTENS; k++) s[k] = fmin(gap[g], 2.0) * uniform() + (k < RHX_NDIAG ? 0.4 : 0.0);
      if (n % 3 == 0) /* diagonal: eigenvalues apart by the gap exactly */
        for (int k = 0; k < RHX_NTENS; k++) s[k] = k < RHX_NDIAG ? 0.3 + k * gap[g] : 0.0;
      for (int k = 0; k < RHX_DIM * RHX_DIM; k++) L[k] = uniform();
      const double e = error_at(s, L);
      worst = larger(worst, e);
    }
  printf("logconf, dimension %d, %d components: largest relative error %.2e (tolerance 1e-12)\n", RHX_DIM, RHX_NTENS,
         worst);
  return !(worst <= 1e-12) || !(inverse <= tolerance);
}
