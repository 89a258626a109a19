#include "law/eigenvalue.h"
#include <math.h>
#include <petscblaslapack.h>

static double min_lapack(const PetscScalar *c)
{
  PetscScalar a[9] = {c[0], c[5], c[4], c[5], c[1], c[3], c[4], c[3], c[2]}, w[3], work[32];
  PetscBLASInt n = 3, size = 32, info;

  LAPACKsyev_("N", "L", &n, a, &n, w, work, &size, &info);
  return info ? NAN : w[0];
}

/* Smith's trigonometric form; its error is sqrt(machine epsilon) |c| at two equal eigenvalues, so LAPACK decides where the
 * sign would hang on that. */
static double min_3d(const PetscScalar *c)
{
  double q = (c[0] + c[1] + c[2]) / 3, a = c[0] - q, b = c[1] - q, d = c[2] - q;
  double off = c[3] * c[3] + c[4] * c[4] + c[5] * c[5], p = sqrt((a * a + b * b + d * d + 2 * off) / 6), r, e;

  if (p == 0) return q;
  r = (a * (b * d - c[3] * c[3]) - c[5] * (c[5] * d - c[3] * c[4]) + c[4] * (c[5] * c[3] - b * c[4])) / (2 * p * p * p);
  e = q + 2 * p * cos(acos(fmin(1, fmax(-1, r))) / 3 + 2 * M_PI / 3);
  if (!isfinite(p)) return NAN;
  return fabs(e) > 1e-5 * (fabs(q) + p) ? e : min_lapack(c);
}

double RhxMinEigenvalue(PetscInt ntens, const PetscScalar *c)
{
  double h, e;

  if (ntens == 6) return min_3d(c);
  h = (c[0] - c[1]) / 2;
  e = (c[0] + c[1]) / 2 - sqrt(h * h + c[ntens - 1] * c[ntens - 1]);
  return ntens == 4 && !(e <= c[2]) && !isnan(e) ? c[2] : e;
}
