/* Mathematics of the lanes against long double, over their whole range, and at the ends of it. */
#define RHX_KIND RHX_KIND_LANES
#include "../common/largest.h"
#include <float.h>
#include <math.h>
#include <rheoplex/plugin.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 200000 };

static int failures;

static double uniform(double a, double b)
{
  return a + (b - a) * ((double)rand() + (double)rand() / RAND_MAX) / RAND_MAX;
}

/* |a - exact| in units of the last place of the exact value */
static double ulps(double a, long double exact)
{
  int e;
  frexp((double)exact, &e);
  return (double)(fabsl((long double)a - exact) / ldexpl(1.0L, (e < -1021 ? -1021 : e) - 53));
}

static void check(const char *what, double worst, double bound)
{
  int good = worst <= bound;
  printf("%s %-34s %.3f ulp, at most %g\n", good ? "ok    " : "FAILED", what, worst, bound);
  failures += !good;
}

typedef enum { EXP, LOG, SQRT, TANH, POW } Function;

static RhxReal lanes(Function f, RhxReal x)
{
  switch (f) {
  case EXP:
    return RHX_EXP(x);
  case LOG:
    return RHX_LOG(x);
  case SQRT:
    return RHX_SQRT(x);
  case TANH:
    return RHX_TANH(x);
  case POW:
    return RHX_POW(x, 0.4);
  }
  return x;
}

static long double exact(Function f, double x)
{
  switch (f) {
  case EXP:
    return expl(x);
  case LOG:
    return logl(x);
  case SQRT:
    return sqrtl(x);
  case TANH:
    return tanhl(x);
  case POW:
    return powl(x, 0.4);
  }
  return 0;
}

/* spread 0: uniform in [a, b]; 1: the logarithm is */
static void range(const char *what, Function f, double a, double b, int spread, double bound)
{
  double worst = 0.0;
  for (int i = 0; i < SAMPLES / RHX_LANES; i++) {
    RhxReal x, y;
    for (int l = 0; l < RHX_LANES; l++) x[l] = spread ? exp(uniform(log(a), log(b))) : uniform(a, b);
    y = lanes(f, x);
    for (int l = 0; l < RHX_LANES; l++) {
      double u = ulps(y[l], exact(f, x[l]));
      worst = larger(worst, u);
    }
  }
  check(what, worst, bound);
}

static void same(const char *what, double got, double expected)
{
  int good = isnan(expected) ? isnan(got) : got == expected && signbit(got) == signbit(expected);
  if (good) return;
  printf("FAILED %s: got %g, expected %g\n", what, got, expected);
  failures++;
}

static void ends(void)
{
  static const double x[] = {0.0, -0.0, 1.0, INFINITY, -INFINITY, NAN, 710.0, -746.0, -1.0, DBL_MAX, 5e-324, DBL_MIN};
  for (size_t k = 0; k < sizeof(x) / sizeof(*x); k++) {
    if (x[k] == 0.0 || !isfinite(exp(x[k])) || exp(x[k]) == 0.0) same("exp", RHX_EXP(x[k])[0], exp(x[k]));
    same("sqrt", RHX_SQRT(x[k])[RHX_LANES - 1], sqrt(x[k]));
    if (!isfinite(x[k]) || x[k] <= 0.0 || x[k] == 1.0) same("log", RHX_LOG(x[k])[0], log(x[k]));
    if (!isfinite(x[k]) || x[k] == 0.0) same("tanh", RHX_TANH(x[k])[1], tanh(x[k]));
  }
}

static void choices(void)
{
  same("max", RHX_MAX(1.0, 2.0)[0], 2.0);
  same("min", RHX_MIN(RHX_CONST(1.0), 2.0)[0], 1.0);
  same("max of NaN", RHX_MAX(NAN, 2.0)[0], NAN);
  same("abs", RHX_ABS(-3.0)[0], 3.0);
  same("select keeps the branch that is not taken out", RHX_SELECT(RHX_LT(1.0, 2.0), 5.0, NAN)[0], 5.0);
  same("NaN is not less", RHX_SELECT(RHX_LT(NAN, 2.0), 5.0, 6.0)[0], 6.0);
  same("constant", RHX_CONST(-0.0)[0], -0.0);
}

int main(void)
{
  range("exp, |x| < 1", EXP, -1, 1, 0, 2);
  range("exp, all", EXP, -745, 709, 0, 2);
  range("log, near 1", LOG, 0.7, 1.5, 0, 2);
  range("log, all", LOG, 1e-300, 1e300, 1, 2);
  range("log, subnormal", LOG, 1e-320, 1e-308, 1, 2);
  range("sqrt", SQRT, 1e-300, 1e300, 1, 0.5);
  range("tanh, |x| < 1", TANH, -1, 1, 0, 6);
  range("tanh, all", TANH, -25, 25, 0, 6);
  range("pow, 1e-6 to 1e6", POW, 1e-6, 1e6, 1, 12);
  ends();
  choices();
  return failures ? 1 : 0;
}
