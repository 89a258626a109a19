/* The tangent of the log-conformation equation, by the complex step, against differences of its values: with respect to s and
 * to L, at random states, at c = I, at equal and nearly equal eigenvalues, on both sides of every switch. */
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

#define NL (RHX_DIM * RHX_DIM)

/* c and the equation's rate at s + step ds, L + step dL. */
static void evaluate(const double *s, const double *ds, const double *L, const double *dL, double _Complex step,
                     RhxReal *c, RhxReal *rate)
{
  RhxReal sx[RHX_NTENS], Lx[NL], r[RHX_NTENS];
  RhxLog lg;
  for (int k = 0; k < RHX_NTENS; k++) sx[k] = s[k] + step * ds[k];
  for (int k = 0; k < NL; k++) Lx[k] = L[k] + step * dL[k];
  rhx_log_set(sx, &lg);
  for (int k = 0; k < RHX_NTENS; k++) c[k] = lg.c[k];
  for (int k = 0; k < RHX_NTENS; k++) r[k] = (1.0 + 0.3 * (rhx_trace(c) - RHX_NDIAG)) / 0.7 * (c[k] - rhx_delta(k));
  rhx_log_rate(&lg, sx, Lx, r, rate);
}

static double error_at(const double *s, const double *ds, const double *L, const double *dL)
{
  const double h = 1e-3, weight[3] = {1.5, -0.6, 0.1}; /* sixth-order central differences */
  double difference[2][RHX_NTENS] = {{0}}, size[2] = {1.0, 1.0}, worst = 0.0;
  RhxReal c[RHX_NTENS], rate[RHX_NTENS];
  for (int i = 1; i <= 3; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      evaluate(s, ds, L, dL, sign * i * h, c, rate);
      for (int k = 0; k < RHX_NTENS; k++) {
        difference[0][k] += sign * weight[i - 1] / (2.0 * i * h) * __real__ c[k];
        difference[1][k] += sign * weight[i - 1] / (2.0 * i * h) * __real__ rate[k];
      }
    }
  evaluate(s, ds, L, dL, __builtin_complex(0.0, RHX_STEP), c, rate);
  for (int k = 0; k < RHX_NTENS; k++) {
    size[0] = fmax(size[0], fabs(difference[0][k]));
    size[1] = fmax(size[1], fabs(difference[1][k]));
  }
  for (int k = 0; k < RHX_NTENS; k++) {
    const double e = fmax(fabs(__imag__ c[k] / RHX_STEP - difference[0][k]) / size[0],
                          fabs(__imag__ rate[k] / RHX_STEP - difference[1][k]) / size[1]);
    worst = larger(worst, e);
  }
  return worst;
}

int main(void)
{
  const double gap[] = {1.0, 0.0, 1e-14, 1e-9, 1.9e-5, 2.1e-5, 1e-3, 0.29, 0.31, 0.4471, 0.4473, 2.0};
  double worst = 0.0;
  for (size_t g = 0; g < sizeof(gap) / sizeof(*gap); g++)
    for (int n = 0; n < 100; n++) {
      double s[RHX_NTENS], ds[RHX_NTENS], L[NL], dL[NL];
      for (int k = 0; k < RHX_NTENS; k++) {
        s[k] = fmin(gap[g], 1.0) * uniform() + (k < RHX_NDIAG ? 0.4 : 0.0);
        ds[k] = uniform();
      }
      if (n % 3 == 0) /* eigenvalues apart by the gap exactly; for n % 2 two of three equal */
        for (int k = 0; k < RHX_NTENS; k++) s[k] = k < RHX_NDIAG ? (k == 2 && n % 2 ? 1 : k) * gap[g] : 0.0;
      for (int k = 0; k < NL; k++) {
        L[k] = uniform();
        dL[k] = uniform();
      }
      const double e = error_at(s, ds, L, dL);
      worst = larger(worst, e);
    }
  printf("tangent of logconf, dimension %d, %d components: largest relative error %.2e (tolerance 1e-9)\n", RHX_DIM,
         RHX_NTENS, worst);
  return !(worst <= 1e-9);
}
