/* Harmonic k of a flux Q(t) = Re sum Q_k exp(i w_k t) has the profile (Womersley (1955); Loudon and Tordesillas (1998) in a slit)
 *   U_k = Q_k f_k(r)/sum over the nodes of share f_k,   f = 1 - cosh(z r/H)/cosh(z)  or  1 - I_0(z r/R)/I_0(z),
 * z = H sqrt(i w_k/nu). The mean is the parabola's. Over other sections pulse.c solves for f_k at the nodes. */
#include "boundary/pulse_impl.h"
#include "petsc_compat.h"
#include <complex.h>

#define ABSENT 1e-14 /* harmonics below this part of the largest are rounding */
#define SERIES 35    /* |z| up to which I_0 is summed; beyond, its asymptotic series is as good */

struct _p_RhxWomersley {
  PetscInt dim, n; /* harmonics 0 to n - 1 */
  double half, period;
  double steady;                        /* flux of shape 0: 1 - (r/half)^2, or as solved for */
  double complex *amplitude, *argument; /* [n] Q_k over the flux of f_k; z */
  double complex *flux;                 /* [n] Q_k */
  const void *known; /* of the last shapes: the caller's places, f_k[nknown], of k = 0 the steady one */
  PetscInt nknown;
  double complex *shape;
};

/* exp(-z) I_0(z), Re z >= 0. */
static double complex bessel(double complex z)
{
  double complex term = 1, sum = 1;

  if (cabs(z) < SERIES) {
    for (int k = 1; k < 400 && cabs(term) > 1e-18 * cabs(sum); k++) {
      term *= z * z / (4.0 * k * k);
      sum += term;
    }
    return sum * cexp(-z);
  }
  for (int k = 1; k < 30; k++) {
    term *= (2 * k - 1) * (2 * k - 1) / (8.0 * k * z);
    sum += term;
    if (cabs(term) < 1e-17 * cabs(sum)) break;
  }
  return sum / csqrt(2 * PETSC_PI * z);
}

/* f at s = r/half for the argument z, whose real part is positive. */
static double complex shape(PetscInt dim, double complex z, double s)
{
  s = PetscMin(s, 1.0);
  if (dim == 2) return 1 - cexp(z * (s - 1)) * (1 + cexp(-2 * z * s)) / (1 + cexp(-2 * z));
  return 1 - cexp(z * (s - 1)) * bessel(z * s) / bessel(z);
}

static double parabola(RhxWomersley w, double r) { return 1 - PetscSqr(r / w->half); }

static PetscErrorCode create(double period, PetscInt n, const double *q, RhxWomersley *out)
{
  RhxWomersley w;

  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  w = *out;
  w->period = period;
  w->n = n;
  PetscCall(PetscCalloc3(n, &w->amplitude, n, &w->argument, n, &w->flux));
  for (PetscInt k = 0; k < n; k++)
    for (PetscInt j = 0; j < 2 * n; j++)
      w->flux[k] += (k ? 1.0 : 0.5) / n * q[j] * cexp(-PETSC_PI * _Complex_I * (double)(k * j % (2 * n)) / n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWomersleyCreate(PetscInt dim, double half, double nu, double period, PetscInt n, const double *q,
                                  PetscInt nnodes, const double *r, const double *share, RhxWomersley *out)
{
  RhxWomersley w;

  PetscFunctionBegin;
  PetscCall(create(period, n, q, out));
  w = *out;
  w->dim = dim;
  w->half = half;
  for (PetscInt i = 0; i < nnodes; i++) w->steady += share[i] * parabola(w, r[i]);
  for (PetscInt k = 1; k < n; k++) {
    double complex carried = 0;
    w->argument[k] = half * csqrt(2 * PETSC_PI * k / period / nu * _Complex_I);
    for (PetscInt i = 0; i < nnodes; i++) carried += share[i] * shape(dim, w->argument[k], r[i] / half);
    w->amplitude[k] = w->flux[k] / carried;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWomersleyCreateOver(RhxSection section, double nu, double period, PetscInt n, const double *q,
                                      RhxWomersley *out)
{
  RhxWomersley w;
  double *omega, most = 0;
  double complex *carried;
  PetscBool *skip;

  PetscFunctionBegin;
  PetscCall(create(period, n, q, out));
  w = *out;
  w->known = section;
  w->nknown = section->nnodes;
  PetscCall(PetscCalloc1(n * w->nknown, &w->shape));
  PetscCall(PetscCalloc3(n, &omega, n, &carried, n, &skip));
  for (PetscInt k = 0; k < n; k++) most = PetscMax(most, cabs(w->flux[k]));
  for (PetscInt k = 0; k < n; k++) {
    omega[k] = 2 * PETSC_PI * k / period;
    skip[k] = (PetscBool)(k && cabs(w->flux[k]) <= ABSENT * most);
  }
  PetscCall(RhxPulseShapes(section, nu, n, omega, skip, w->shape, carried));
  w->steady = creal(carried[0]);
  for (PetscInt k = 1; k < n; k++)
    if (!skip[k]) w->amplitude[k] = w->flux[k] / carried[k];
  PetscCall(PetscFree3(omega, carried, skip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shapes of all harmonics at the distances, kept for the next call of the same ones. */
static PetscErrorCode make_shapes(RhxWomersley w, const void *key, PetscInt n, const double *r)
{
  double complex *all;

  PetscFunctionBegin;
  if (w->known == key && w->nknown == n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(w->shape));
  PetscCall(PetscMalloc1(n * w->n + 1, &all));
  for (PetscInt i = 0; i < n; i++) all[i] = parabola(w, r[i]);
  for (PetscInt k = 1; k < w->n; k++)
    for (PetscInt i = 0; i < n; i++) all[k * n + i] = shape(w->dim, w->argument[k], r[i] / w->half);
  w->shape = all;
  w->known = key;
  w->nknown = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWomersleyVelocity(RhxWomersley w, double t, double flux, const void *key, PetscInt n, const double *r,
                                    double *U)
{
  const double turn = t / w->period - floor(t / w->period);

  PetscFunctionBegin;
  PetscCall(make_shapes(w, key, n, r));
  for (PetscInt k = 1; k < w->n; k++) flux -= creal(w->flux[k] * cexp(2 * PETSC_PI * k * _Complex_I * turn));
  for (PetscInt i = 0; i < n; i++) U[i] = flux / w->steady * creal(w->shape[i]);
  for (PetscInt k = 1; k < w->n; k++) {
    const double complex now = w->amplitude[k] * cexp(2 * PETSC_PI * k * _Complex_I * turn);
    for (PetscInt i = 0; i < n; i++) U[i] += creal(now * w->shape[k * n + i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWomersleyDestroy(RhxWomersley *w)
{
  PetscFunctionBegin;
  if (!*w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3((*w)->amplitude, (*w)->argument, (*w)->flux));
  PetscCall(PetscFree((*w)->shape));
  PetscCall(PetscFree(*w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetPulsating(RhxBoundary bc, const char **label)
{
  PetscFunctionBegin;
  *label = NULL;
  for (PetscInt i = 0; i < bc->ncond && !*label; i++)
    if (bc->cond[i].womersley) *label = bc->cond[i].label;
  PetscFunctionReturn(PETSC_SUCCESS);
}
