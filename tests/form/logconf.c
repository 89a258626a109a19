/* The log-conformation equation against the conformation's: with s_t = -rhx_log_rate, the difference quotient of exp(s)
 * must be L c + c L^T - rate(c). Random states, equal and nearly equal eigenvalues, both sides of the series switch. */
#include "../common/largest.h"
#include <math.h>
#include <rheoplex/logconf.h>
#include <stdio.h>

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

static double error_at(const double *s, const double *L)
{
  const double h = 1e-4;
  double sdot[RHX_NTENS], r[RHX_NTENS], up[RHX_NTENS], plus[RHX_NTENS], worst = 0.0, size = 1.0;
  RhxLog lg, shifted;
  rhx_log_set(s, &lg);
  rate(lg.c, r);
  rhx_log_rate(&lg, s, L, r, sdot);
  rhx_stretch(L, lg.c, up);
  double dc[RHX_NTENS] = {0};
  const double weight[3] = {1.5, -0.6, 0.1}; /* sixth-order central differences */
  for (int i = 1; i <= 3; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int k = 0; k < RHX_NTENS; k++) plus[k] = s[k] - sign * i * h * sdot[k];
      rhx_log_set(plus, &shifted);
      for (int k = 0; k < RHX_NTENS; k++) dc[k] += sign * weight[i - 1] * shifted.c[k] / (2.0 * i * h);
    }
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
      for (int k = 0; k < RHX_NTENS; k++) s[k] = fmin(gap[g], 1.0) * uniform() + (k < RHX_NDIAG ? 0.4 : 0.0);
      if (n % 3 == 0) /* diagonal: eigenvalues apart by the gap exactly */
        for (int k = 0; k < RHX_NTENS; k++) s[k] = k < RHX_NDIAG ? 0.3 + k * gap[g] : 0.0;
      for (int k = 0; k < RHX_DIM * RHX_DIM; k++) L[k] = uniform();
      const double e = error_at(s, L);
      worst = larger(worst, e);
    }
  printf("logconf, dimension %d, %d components: largest relative error %.2e (tolerance 1e-9)\n", RHX_DIM, RHX_NTENS,
         worst);
  return !(worst <= 1e-9) || !(inverse <= tolerance);
}
