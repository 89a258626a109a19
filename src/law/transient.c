/* A step in time of a law at a point: dc/dt = (L c + c L^T - rate(c))/a by Radau IIA of three stages (Hairer and Wanner, Solving ordinary
 * differential equations II, IV.5), of order 5 and L-stable, so that modes that are much faster than the step follow the flow. */
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define MAX_TENS 6
#define STAGES RHX_POINT_STAGES
#define MOST_ITERATIONS 12
#define CLOSE 1e-9 /* of the conformation: the next iteration of Newton's method would change nothing */

#define ROOT 2.4494897427831781 /* of 6 */
static const double A[STAGES][STAGES] = {{(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225},
                                         {(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225},
                                         {(16 - ROOT) / 36, (16 + ROOT) / 36, 1.0 / 9}};
const double RhxPointStage[STAGES] = {(4 - ROOT) / 10, (4 + ROOT) / 10, 1};

/* Component k of |v| over sqrt(c_ii c_jj), which bounds |c_ij|, with the larger of the two conformations. */
static double relative(int ntens, int k, double v, const double *before, const double *now)
{
  static const int of_six[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  const int ndiag = ntens == 3 ? 2 : 3,
            i = k < ndiag    ? k
                : ntens == 6 ? of_six[k - 3][0]
                             : 0,
            j = k < ndiag    ? k
                : ntens == 6 ? of_six[k - 3][1]
                             : 1;
  const double a = PetscMax(before[i], PetscAbsReal(now[i])), b = PetscMax(before[j], PetscAbsReal(now[j]));
  return PetscAbsReal(v) / PetscSqrtReal(a * b);
}

/* f[i] = dc/dt at the stages; J[i] its derivative, column by column, unless NULL. */
static void derivatives(const RhxPointMode *m, const double *L, const double *a, double c[STAGES][MAX_TENS],
                        double f[STAGES][MAX_TENS], double J[STAGES][MAX_TENS * MAX_TENS])
{
  const RhxPointLaw *point = RhxPointLawGet(m->dim, m->ntens, J ? RHX_KIND_COMPLEX : RHX_KIND_DOUBLE);
  const int n = m->ntens;

  for (int i = 0; i < STAGES; i++) {
    const double *Li = L + i * m->dim * m->dim;
    for (int k = 0; k < (J ? n : 1); k++)
      point->balance(m->law, m->par, m->slip, Li, c[i], k, f[i], J ? J[i] + k * n : NULL);
    for (int k = 0; k < n; k++) f[i][k] /= -a[i];
    for (int k = 0; k < n * n && J; k++) J[i][k] /= -a[i];
  }
}

/* An iteration of Newton's method for c_i = before + dt sum_j A_ij f(c_j); *size: of its largest relative change; false: none. */
static PetscBool iterate(const RhxPointMode *m, const double *L, const double *a, double dt, const double *before,
                         double c[STAGES][MAX_TENS], double *size)
{
  const int n = m->ntens;
  const PetscBLASInt all = (PetscBLASInt)(STAGES * n), one = 1;
  double f[STAGES][MAX_TENS], J[STAGES][MAX_TENS * MAX_TENS], M[STAGES * MAX_TENS * STAGES * MAX_TENS],
      x[STAGES * MAX_TENS];
  PetscBLASInt pivot[STAGES * MAX_TENS], info;

  derivatives(m, L, a, c, f, J);
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < n; k++) {
      x[i * n + k] = c[i][k] - before[k];
      for (int j = 0; j < STAGES; j++) {
        x[i * n + k] -= dt * A[i][j] * f[j][k];
        for (int l = 0; l < n; l++)
          M[(j * n + l) * all + i * n + k] = (double)(i == j && k == l) - dt * A[i][j] * J[j][l * n + k];
      }
    }
  LAPACKgesv_(&all, &one, M, &all, pivot, x, &all, &info);
  if (info) return PETSC_FALSE;
  *size = 0.0;
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < n; k++) {
      c[i][k] -= x[i * n + k];
      if (PetscIsInfOrNanReal(c[i][k])) return PETSC_FALSE;
      *size = PetscMax(*size, relative(n, k, x[i * n + k], before, c[i]));
    }
  return PETSC_TRUE;
}

/* What the part of dc/dt that is quadratic in time, its second divided difference, moves c by from the middle of the step. */
static double bent(const RhxPointMode *m, const double *L, const double *a, double dt, const double *before,
                   double c[STAGES][MAX_TENS])
{
  const double *s = RhxPointStage;
  double f[STAGES][MAX_TENS], most = 0.0, one;

  derivatives(m, L, a, c, f, NULL);
  for (int k = 0; k < m->ntens; k++) {
    double second = 0.0;
    for (int i = 0; i < STAGES; i++) {
      const int p = (i + 1) % STAGES, q = (i + 2) % STAGES;
      second += f[i][k] / ((s[i] - s[p]) * (s[i] - s[q]));
    }
    one = relative(m->ntens, k, dt * second / 6, before, c[STAGES - 1]);
    if (one > most || PetscIsNanReal(one)) most = one; /* which stays */
  }
  return most;
}

void RhxPointTransient(const RhxPointMode *m, const double *L, const double *a, double dt, double *c, double *error)
{
  double stage[STAGES][MAX_TENS], size = 1.0, found;

  *error = PETSC_INFINITY;
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < m->ntens; k++) stage[i][k] = c[k];
  for (int it = 0; it < MOST_ITERATIONS && !(size <= CLOSE); it++)
    if (!iterate(m, L, a, dt, c, stage, &size)) return;
  if (!(size <= CLOSE) || !RhxPointIsPositive(stage[STAGES - 1], m->ntens)) return;
  found = bent(m, L, a, dt, c, stage);
  if (PetscIsInfOrNanReal(found)) return;
  *error = found;
  for (int k = 0; k < m->ntens; k++) c[k] = stage[STAGES - 1][k];
}
