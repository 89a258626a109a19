/* A step in time of a law at a point: dc/dt = (L c + c L^T - rate(c))/a by Radau IIA of three stages (Hairer and Wanner, Solving ordinary
 * differential equations II, IV.5), of order 5 and L-stable, so that modes that are much faster than the step follow the flow. */
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define MAX_TENS 6
#define STAGES RHX_POINT_STAGES
#define MOST_ITERATIONS 18
#define SHARED 6     /* iterations with the derivatives of the first; later ones have their own */
#define CLOSE 1e-12  /* of the conformation: where iterations end */
#define CUBIC 0.0678 /* largest integral from 0 of (x - s_1)(x - s_2)(x - s_3), over its value at 0 */

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

/* f = dc/dt in the gradient L; J its derivative, column by column, unless NULL. */
static void derivative(const RhxPointMode *m, const double *L, double a, const double *c, double *f, double *J)
{
  const RhxPointLaw *point = RhxPointLawGet(m->dim, m->ntens, J ? RHX_KIND_COMPLEX : RHX_KIND_DOUBLE);
  const int n = m->ntens;

  for (int k = 0; k < (J ? n : 1); k++) point->balance(m->law, m->par, m->slip, L, c, k, f, J ? J + k * n : NULL);
  for (int k = 0; k < n; k++) f[k] /= -a;
  for (int k = 0; k < n * n && J; k++) J[k] /= -a;
}

/* At the stages. */
static void derivatives(const RhxPointMode *m, const double *L, const double *a, double c[STAGES][MAX_TENS],
                        double f[STAGES][MAX_TENS], double J[STAGES][MAX_TENS * MAX_TENS])
{
  for (int i = 0; i < STAGES; i++) derivative(m, L + i * m->dim * m->dim, a[i], c[i], f[i], J ? J[i] : NULL);
}

/* I - dt A x J, by its factors. */
typedef struct {
  double M[STAGES * MAX_TENS * STAGES * MAX_TENS];
  PetscBLASInt pivot[STAGES * MAX_TENS];
} Factors;

static PetscBool factorise(const RhxPointMode *m, double dt, double J[STAGES][MAX_TENS * MAX_TENS], Factors *lu)
{
  const int n = m->ntens;
  const PetscBLASInt all = (PetscBLASInt)(STAGES * n);
  PetscBLASInt info;

  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < STAGES; j++)
        for (int l = 0; l < n; l++)
          lu->M[(j * n + l) * all + i * n + k] = (double)(i == j && k == l) - dt * A[i][j] * J[j][l * n + k];
  LAPACKgetrf_(&all, &all, lu->M, &all, lu->pivot, &info);
  return (PetscBool)!info;
}

/* An iteration of Newton's method for c_i = before + dt sum_j A_ij f(c_j), with derivatives of its own (fresh) or those that there are; *size: of its largest
 * relative change; false: none. */
static PetscBool iterate(const RhxPointMode *m, const double *L, const double *a, double dt, const double *before,
                         double c[STAGES][MAX_TENS], PetscBool fresh, Factors *lu, double *size)
{
  const int n = m->ntens;
  const PetscBLASInt all = (PetscBLASInt)(STAGES * n), one = 1;
  double f[STAGES][MAX_TENS], J[STAGES][MAX_TENS * MAX_TENS], x[STAGES * MAX_TENS];
  PetscBLASInt info;

  derivatives(m, L, a, c, f, fresh ? J : NULL);
  if (fresh && !factorise(m, dt, J, lu)) return PETSC_FALSE;
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < n; k++) {
      x[i * n + k] = c[i][k] - before[k];
      for (int j = 0; j < STAGES; j++) x[i * n + k] -= dt * A[i][j] * f[j][k];
    }
  LAPACKgetrs_("N", &all, &one, lu->M, &all, lu->pivot, x, &all, &info);
  *size = 0.0;
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < n; k++) {
      c[i][k] -= x[i * n + k];
      if (PetscIsInfOrNanReal(c[i][k])) return PETSC_FALSE;
      *size = PetscMax(*size, relative(n, k, x[i * n + k], before, c[i]));
    }
  return PETSC_TRUE;
}

/* The largest distance of the cubic through the beginning and the stages, as far as dc/dt at the beginning is beside the parabola through those of the
 * stages: of a part of dc/dt that is cubic in time, or jumps. L0, a0: at the beginning. */
static double beside(const RhxPointMode *m, const double *L, const double *a, const double *L0, double a0, double dt,
                     const double *before, double c[STAGES][MAX_TENS])
{
  const double *s = RhxPointStage;
  double f[STAGES][MAX_TENS], f0[MAX_TENS], most = 0.0, one;

  derivatives(m, L, a, c, f, NULL);
  derivative(m, L0, a0, before, f0, NULL);
  for (int k = 0; k < m->ntens; k++) {
    double off = f0[k];
    for (int i = 0; i < STAGES; i++) {
      const int p = (i + 1) % STAGES, q = (i + 2) % STAGES;
      off -= f[i][k] * s[p] * s[q] / ((s[i] - s[p]) * (s[i] - s[q]));
    }
    one = relative(m->ntens, k, CUBIC * dt * off, before, c[STAGES - 1]);
    if (one > most || PetscIsNanReal(one)) most = one; /* which stays */
  }
  return most;
}

void RhxPointTransient(const RhxPointMode *m, const double *L, const double *a, double dt, double *c, double *error)
{
  double stage[STAGES][MAX_TENS], size = 1.0, found;
  Factors lu;

  *error = PETSC_INFINITY;
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < m->ntens; k++) stage[i][k] = c[k];
  for (int it = 0; it < MOST_ITERATIONS && !(size <= CLOSE); it++)
    if (!iterate(m, L + m->dim * m->dim, a + 1, dt, c, stage, (PetscBool)(it == 0 || it >= SHARED), &lu, &size)) return;
  if (!(size <= CLOSE)) return;
  for (int i = 0; i < STAGES; i++)
    if (!RhxPointIsPositive(stage[i], m->ntens)) return;
  found = beside(m, L + m->dim * m->dim, a + 1, L, a[0], dt, c, stage);
  if (PetscIsInfOrNanReal(found)) return;
  *error = found;
  for (int i = 0; i < STAGES; i++)
    for (int k = 0; k < m->ntens; k++) c[(i + 1) * m->ntens + k] = stage[i][k];
}
