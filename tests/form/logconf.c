/* The log-conformation equation against the conformation's: with s_t = -rhx_log_rate, the difference quotient of exp(s)
 * must be L c + c L^T - rate(c). Random states, equal and nearly equal eigenvalues, both sides of the series switch. And the
 * exponential against quadruple precision; argument: of so many tensors. */
#include <math.h>
#include <rheoplex/logconf.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (!(e <= worst)) worst = e;
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
      if (!(e <= worst)) worst = e;
    }
  return worst;
}

/* out = exp(sign s) in quadruple precision: Taylor's series of s/2^12, squared twelve times. */
static void reference(const double *s, double sign, double *out)
{
  const int n = RHX_NTENS == 3 ? 2 : 3;
  __float128 a[3][3] = {{0}}, e[3][3], t[3][3], m[3][3];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i < RHX_DIM && j < RHX_DIM)
        a[i][j] = sign * s[rhx_ij(i, j)] / 4096.0;
      else if (i == j)
        a[i][j] = sign * s[2] / 4096.0;
  for (int i = 0; i < 9; i++) e[i / 3][i % 3] = t[i / 3][i % 3] = i % 4 == 0;
  for (int k = 1; k < 24 + 12; k++) {
    const int square = k >= 24;
    for (int i = 0; i < 9; i++) {
      m[i / 3][i % 3] = 0;
      for (int l = 0; l < 3; l++) m[i / 3][i % 3] += square ? e[i / 3][l] * e[l][i % 3] : t[i / 3][l] * a[l][i % 3] / k;
    }
    for (int i = 0; i < 9; i++) {
      if (!square) t[i / 3][i % 3] = m[i / 3][i % 3];
      e[i / 3][i % 3] = square ? m[i / 3][i % 3] : e[i / 3][i % 3] + m[i / 3][i % 3];
    }
  }
  for (int k = 0; k < RHX_NTENS; k++) out[k] = (double)e[k < RHX_NDIAG ? k : 0][k < RHX_NDIAG ? k : 1];
#if RHX_DIM == 3
  out[rhx_ij(1, 2)] = (double)e[1][2];
  out[rhx_ij(0, 2)] = (double)e[0][2];
#endif
}

/* Largest difference of exp(s) and exp(-s) from it over their largest entry; s has eigenvalues of up to log(1e6) in random
 * directions, among them equal and nearly equal ones. */
static double exponential_error(int n)
{
  const double most = log(1e6), gap[] = {1.0, 0.0, 1e-15, 1e-12, 1e-8, 1e-5, 1e-2};
  double s[RHX_NTENS], e[3], q[3][3], worst = 0.0;
  RhxLog lg;
  for (int i = 0; i < 3; i++) e[i] = most * uniform();
  if (n % 8) e[1] = e[0] * (1.0 - gap[n % 7]) + gap[n % 7] * e[1];
  if (n % 8 == 7) e[2] = e[0];
  for (int i = 0; i < 9; i++) q[i / 3][i % 3] = i % 4 == 0;
  for (int k = 0; k < (RHX_DIM == 3 ? 3 : 1); k++) { /* turns by random angles in the planes of k and k + 1 */
    const double angle = 3.2 * uniform(), c = cos(angle), d = sin(angle);
    for (int i = 0; i < 3; i++) {
      const double x = q[i][k], y = q[i][(k + 1) % 3];
      q[i][k] = c * x - d * y;
      q[i][(k + 1) % 3] = d * x + c * y;
    }
  }
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double v = 0.0;
      for (int k = 0; k < 3; k++) v += q[i][k] * e[k] * q[j][k];
      if (j < RHX_DIM) s[rhx_ij(i, j)] = v;
      if (RHX_NTENS == 4 && i == 2) s[2] = v;
    }
  rhx_log_set(s, &lg);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double *got = sign > 0 ? lg.c : lg.ic;
    double want[RHX_NTENS], size = 0.0;
    reference(s, sign, want);
    for (int k = 0; k < RHX_NTENS; k++) size = fmax(size, fabs(want[k]));
    for (int k = 0; k < RHX_NTENS; k++)
      if (!(fabs(got[k] - want[k]) <= worst * size)) worst = fabs(got[k] - want[k]) / size;
  }
  return worst;
}

int main(int argc, char **argv)
{
  /* The plane's closed form adds and subtracts e^m cosh x: the small eigenvalue loses a factor exp(x). */
  const double tolerance = RHX_DIM == 2 ? 2e-12 : 1e-14;
  double inverse = 0.0;
  for (int n = 0; n < 1000; n++) {
    const double e = inverse_error(0.01 * (n + 1));
    if (!(e <= inverse)) inverse = e;
  }
  printf("largest relative entry of exp(s) exp(-s) - I: %.2e (tolerance %.0e)\n", inverse, tolerance);
  double exponential = 0.0;
  const int tensors = argc > 1 ? atoi(argv[1]) : 4000;
  for (int n = 0; n < tensors; n++) {
    const double e = exponential_error(n);
    if (!(e <= exponential)) exponential = e;
  }
  printf("exp(s) and exp(-s) of %d tensors against quadruple precision: largest relative difference %.2e (tolerance "
         "1e-13)\n",
         tensors, exponential);
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
      if (!(e <= worst)) worst = e;
    }
  printf("logconf, dimension %d, %d components: largest relative error %.2e (tolerance 1e-9)\n", RHX_DIM, RHX_NTENS,
         worst);
  return !(worst <= 1e-9) || !(inverse <= tolerance) || !(exponential <= 1e-13);
}
