/* The local steady state of a law: Newton with the exact tangent, continuation from a known state; where none leads on, such as of a law
 * that does not relax at rest, the start-up from rest in steps that grow. */
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define MAX_TENS 6
#define SMALLEST_STEP 1e-6 /* of the velocity gradient */
#define FIRST_STRAIN 0.1   /* of a start-up */
#define GROWTH 1.2
#define STARTUP_STEPS 250 /* the last of 1e19 */

/* Newton for (c - before)/dt + rate(c) = L c + c L^T from the c given, per_dt 1/dt or 0; converged: relative step below 1e-12. A step that
 * is not finite ends it. */
static PetscBool newton(const RhxPointMode *m, const double *L, double per_dt, const double *before, double *c)
{
  const RhxPointLaw *point = RhxPointLawGet(m->dim, m->ntens, RHX_KIND_COMPLEX);
  const PetscBLASInt n = (PetscBLASInt)m->ntens, one = 1;
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
    if (step <= 1e-12 * size) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A steady state off the branch of rest (c not positive definite) is no solution. */
static PetscBool positive(const double *c, int ntens)
{
  if (ntens == 6)
    return (PetscBool)(c[0] > 0 && c[0] * c[1] > c[5] * c[5] &&
                       c[0] * (c[1] * c[2] - c[3] * c[3]) - c[5] * (c[5] * c[2] - c[3] * c[4]) +
                               c[4] * (c[5] * c[3] - c[1] * c[4]) >
                           0);
  return (PetscBool)(c[0] > 0 && c[0] * c[1] > c[ntens - 1] * c[ntens - 1] && (ntens == 3 || c[2] > 0));
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
    if (!newton(m, L, 1.0 / dt, state, next) || !positive(next, m->ntens)) return PETSC_FALSE;
    for (int k = 0; k < m->ntens; k++) state[k] = next[k];
  }
  if (!newton(m, L, 0.0, NULL, state) || !positive(state, m->ntens)) return PETSC_FALSE;
  for (int k = 0; k < m->ntens; k++) c[k] = state[k];
  return PETSC_TRUE;
}

PetscErrorCode RhxPointSteady(const RhxPointMode *m, const double *L, double *at, double *c)
{
  const int dim = m->dim;
  double step = 1.0, Ls[9], trial[MAX_TENS];
  PetscFunctionBegin;
  while (*at < 1.0 && step >= SMALLEST_STEP) {
    const double next = PetscMin(1.0, *at + step);
    PetscCall(PetscArraycpy(trial, c, m->ntens));
    for (int i = 0; i < dim * dim; i++) Ls[i] = next * L[i];
    if (newton(m, Ls, 0.0, NULL, trial) && positive(trial, m->ntens)) {
      PetscCall(PetscArraycpy(c, trial, m->ntens));
      *at = next;
      step *= 2.0;
    } else
      step *= 0.5;
  }
  if (*at < 1.0 && start_up(m, L, c)) *at = 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
