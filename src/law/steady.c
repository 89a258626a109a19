/* The local steady state of a law: Newton with the exact tangent, continuation from a known state; where none leads on, such as of a law
 * that does not relax at rest, the start-up from rest in steps that grow. A root that dc/dt leaves is none. */
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define REST 1e-30 /* 1/s: no motion */
#define MAX_TENS 6
#define SMALLEST_STEP 1e-6 /* of the velocity gradient */
#define FIRST_STRAIN 0.1   /* of a start-up */
#define GROWTH 1.2
#define STARTUP_STEPS 250 /* the last of 1e19 */
#define CLOSE 1e-12       /* relative */
#define STALLED 1e-9      /* relative: a step that is not half of the one before is rounding */
#define NEUTRAL 1e-6      /* of the largest eigenvalue: what a law conserves is off zero by its rounding */

/* Newton for (c - before)/dt + rate(c) = L c + c L^T from the c given, per_dt 1/dt or 0; converged: relative step below CLOSE, or stalled
 * by rounding. A step that is not finite ends it. */
static PetscBool newton(const RhxPointMode *m, const double *L, double per_dt, const double *before, double *c)
{
  const RhxPointLaw *point = RhxPointLawGet(m->dim, m->ntens, RHX_KIND_COMPLEX);
  const PetscBLASInt n = (PetscBLASInt)m->ntens, one = 1;
  double last = 0.0;
  for (int it = 0; it < 30; it++) {
    double f[MAX_TENS], J[MAX_TENS * MAX_TENS], step = 0.0, size = 0.0;
    PetscBLASInt pivot[MAX_TENS], info;
    for (int k = 0; k < n; k++) point->balance(m->law, m->par, m->slip, L, c, k, f, J + k * n);
    for (int k = 0; k < n && per_dt > 0.0; k++) {
      f[k] += per_dt * (c[k] - before[k]);
      J[k * n + k] += per_dt;
    }
    LAPACKgesv_(&n, &one, J, &n, pivot, f, &n, &info);
    if (info) return PETSC_FALSE;
    for (int k = 0; k < n; k++) {
      c[k] -= f[k];
      step = PetscMax(step, PetscAbsReal(f[k]));
      size = PetscMax(size, PetscAbsReal(c[k]));
      if (PetscIsInfOrNanReal(c[k])) return PETSC_FALSE;
    }
    if (step <= CLOSE * size || (it && step <= STALLED * size && step > 0.5 * last)) return PETSC_TRUE;
    last = step;
  }
  return PETSC_FALSE;
}

/* A steady state off the branch of rest (c not positive definite but for what Newton leaves) is no solution. */
PetscBool RhxPointIsPositive(const double *c, int ntens)
{
  const int ndiag = ntens == 3 ? 2 : 3;
  double size = 0.0, d[3] = {1.0, 1.0, 1.0};
  for (int k = 0; k < ndiag; k++) size = PetscMax(size, PetscAbsReal(c[k]));
  for (int k = 0; k < ndiag; k++) d[k] = c[k] + CLOSE * size;
  if (ntens == 6)
    return (PetscBool)(d[0] > 0 && d[0] * d[1] > c[5] * c[5] &&
                       d[0] * (d[1] * d[2] - c[3] * c[3]) - c[5] * (c[5] * d[2] - c[3] * c[4]) +
                               c[4] * (c[5] * c[3] - d[1] * c[4]) >
                           0);
  return (PetscBool)(d[0] > 0 && d[0] * d[1] > c[ntens - 1] * c[ntens - 1] && d[2] > 0);
}

/* Real parts of the eigenvalues of the balance at c, which dc/dt has with the other sign, f of it and the largest eigenvalue; false: LAPACK
 * has none. */
static PetscBool eigenvalues(const RhxPointMode *m, const double *L, const double *c, double *f, double *re,
                             double *largest)
{
  const RhxPointLaw *point = RhxPointLawGet(m->dim, m->ntens, RHX_KIND_COMPLEX);
  const PetscBLASInt n = (PetscBLASInt)m->ntens, lwork = 4 * MAX_TENS, one = 1;
  double J[MAX_TENS * MAX_TENS], im[MAX_TENS], none, work[4 * MAX_TENS];
  PetscBLASInt info;
  for (int k = 0; k < n; k++) point->balance(m->law, m->par, m->slip, L, c, k, f, J + k * n);
  LAPACKgeev_("N", "N", &n, J, &n, re, im, &none, &one, &none, &one, work, &lwork, &info);
  *largest = 0.0;
  for (int k = 0; k < n; k++) *largest = PetscMax(*largest, hypot(re[k], im[k]));
  return (PetscBool)!info;
}

/* Does dc/dt = L c + c L^T - rate(c) lead back to the root c from next to it? */
static PetscBool stable(const RhxPointMode *m, const double *L, const double *c)
{
  double f[MAX_TENS], re[MAX_TENS], largest;
  if (!eigenvalues(m, L, c, f, re, &largest)) return PETSC_FALSE;
  for (int k = 0; k < m->ntens; k++)
    if (!(re[k] >= -NEUTRAL * largest)) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode RhxPointGrowth(const RhxPointMode *m, const double *L, const double *c, double near, double *growth)
{
  double f[MAX_TENS], re[MAX_TENS], root[MAX_TENS], largest, away = 0.0, size = 0.0;
  PetscFunctionBegin;
  *growth = 0.0;
  if (stable(m, L, c)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(root, c, m->ntens));
  if (!newton(m, L, 0.0, NULL, root) || !RhxPointIsPositive(root, m->ntens)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < m->ntens; k++) {
    away = PetscMax(away, PetscAbsReal(root[k] - c[k]));
    size = PetscMax(size, PetscAbsReal(c[k]));
  }
  if (!(away <= near * size) || !eigenvalues(m, L, root, f, re, &largest)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < m->ntens; k++) *growth = PetscMax(*growth, -re[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The steady state at L that Newton leads to from c, if it counts. */
static PetscBool settle(const RhxPointMode *m, const double *L, double *c)
{
  return (PetscBool)(newton(m, L, 0.0, NULL, c) && RhxPointIsPositive(c, m->ntens) && stable(m, L, c));
}

/* Backward Euler from rest at L; c is changed where it arrives. */
static PetscBool start_up(const RhxPointMode *m, const double *L, double *c)
{
  double size = 0.0, dt, state[MAX_TENS];
  for (int i = 0; i < m->dim * m->dim; i++) size = PetscMax(size, PetscAbsReal(L[i]));
  for (int k = 0; k < m->ntens; k++) state[k] = k < (m->ntens == 3 ? 2 : 3);
  dt = FIRST_STRAIN / size;
  for (int step = 0; step < STARTUP_STEPS; step++, dt *= GROWTH) {
    double next[MAX_TENS];
    for (int k = 0; k < m->ntens; k++) next[k] = state[k];
    if (!newton(m, L, 1.0 / dt, state, next) || !RhxPointIsPositive(next, m->ntens)) return PETSC_FALSE;
    for (int k = 0; k < m->ntens; k++) state[k] = next[k];
  }
  if (!settle(m, L, state)) return PETSC_FALSE;
  for (int k = 0; k < m->ntens; k++) c[k] = state[k];
  return PETSC_TRUE;
}

PetscErrorCode RhxPointSteady(const RhxPointMode *m, const double *L, double *at, double *c)
{
  const int dim = m->dim;
  double step = 1.0, Ls[9], trial[MAX_TENS], size = 0.0;
  PetscFunctionBegin;
  for (int i = 0; i < dim * dim; i++) size = PetscMax(size, PetscAbsReal(L[i]));
  if (size <= REST) { /* also of laws that relax nothing there */
    for (int k = 0; k < m->ntens; k++) c[k] = k < (m->ntens == 3 ? 2 : 3);
    *at = 1.0;
  }
  while (*at < 1.0 && step >= SMALLEST_STEP) {
    const double next = PetscMin(1.0, *at + step);
    PetscCall(PetscArraycpy(trial, c, m->ntens));
    for (int i = 0; i < dim * dim; i++) Ls[i] = next * L[i];
    if (settle(m, Ls, trial)) {
      PetscCall(PetscArraycpy(c, trial, m->ntens));
      *at = next;
      step *= 2.0;
    } else
      step *= 0.5;
  }
  if (*at < 1.0 && start_up(m, L, c)) *at = 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
