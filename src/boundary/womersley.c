/* Harmonic k of a flux Q(t) = Re sum Q_k exp(i w_k t) has the profile (Womersley (1955); Loudon and Tordesillas (1998) in a slit)
 *   U_k = Q_k f_k(r)/sum over the nodes of share f_k,   f = 1 - cosh(z r/H)/cosh(z)  or  1 - I_0(z r/R)/I_0(z),
 * z = H sqrt(i w_k/nu_k), nu_k the complex viscosity at w_k over the density: exact for laws whose shear stress follows the shear
 * rate linearly. The mean is the parabola's. Over other sections pulse.c solves for f_k at the nodes. */
#include "boundary/memory.h"
#include "boundary/pulse_impl.h"
#include "form/relaxation.h"
#include "petsc_compat.h"
#include <complex.h>
#include <string.h>

#define ABSENT 1e-14 /* harmonics below this part of the largest are rounding */
#define LISTS 4      /* of places that were asked for last */
#define SMALL 1e-3   /* |z| below which sinh(z)/z is a series */

/* f and, over s, df/ds of all harmonics at distances r, by harmonics. */
typedef struct {
  PetscInt n;
  double *r;
  double complex *f, *slope; /* [harmonics][n] */
} Shapes;

struct _p_RhxWomersley {
  PetscInt dim, n; /* harmonics 0 to n - 1 */
  double half, period;
  double steady;                        /* flux of shape 0: 1 - (r/half)^2, or as solved for */
  double complex *amplitude, *argument; /* [n] Q_k over the flux of f_k; z */
  double complex *flux;                 /* [n] Q_k */
  Shapes shapes[LISTS];                 /* the latest first */
  PetscInt nnodes;                      /* of a section, and */
  double complex *over;                 /* [n][nnodes] f there */
};

/* exp(-z) I_0(z) and exp(-z) I_1(z)/z, Re z >= 0: the means of exp(z (cos a - 1)) and of it times sin(a)^2 over a turn, by as many equal angles
 * as leave J_n(|z|) below rounding. */
static void bessel(double complex z, double complex mean[2])
{
  const double size = cabs(z);
  const int half = (int)ceil(0.5 * size + 6.0 * cbrt(size) + 20.0);

  mean[0] = mean[1] = 0;
  for (int k = 0; k <= half; k++) {
    const double a = PETSC_PI * k / half, s = sin(a);
    const double complex e = cexp(z * (cos(a) - 1)) * ((k == 0 || k == half) ? 0.5 : 1.0) / half;
    mean[0] += e;
    mean[1] += e * s * s;
  }
}

/* f at s = r/half for the argument z, whose real part is positive, and df/ds/s. */
static double complex shape(PetscInt dim, double complex z, double s, double complex *slope)
{
  const double complex x = z * PetscMin(s, 1.0), beside = cexp(x - z);
  double complex here[2], wall[2];

  if (dim == 2) {
    const double complex most = 1 + cexp(-2 * z);
    const double complex sine = cabs(x) < SMALL ? 2 * cexp(-x) * (1 + x * x / 6) : (1 - cexp(-2 * x)) / x;
    *slope = -z * z * beside * sine / most;
    return 1 - beside * (1 + cexp(-2 * x)) / most;
  }
  bessel(x, here);
  bessel(z, wall);
  *slope = -z * z * beside * here[1] / wall[0];
  return 1 - beside * here[0] / wall[0];
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

/* Harmonics whose flux is rounding are left out. */
static void find_absent(RhxWomersley w, PetscBool *absent)
{
  double most = 0;

  for (PetscInt k = 0; k < w->n; k++) most = PetscMax(most, cabs(w->flux[k]));
  for (PetscInt k = 0; k < w->n; k++) absent[k] = (PetscBool)(k && cabs(w->flux[k]) <= ABSENT * most);
}

PetscErrorCode RhxWomersleyCreate(PetscInt dim, double half, const double complex *nu, double period, PetscInt n,
                                  const double *q, PetscInt nnodes, const double *r, const double *share,
                                  RhxWomersley *out)
{
  RhxWomersley w;
  PetscBool *absent;
  double complex slope;

  PetscFunctionBegin;
  PetscCall(create(period, n, q, out));
  w = *out;
  w->dim = dim;
  w->half = half;
  PetscCall(PetscCalloc1(n, &absent));
  find_absent(w, absent);
  for (PetscInt i = 0; i < nnodes; i++) w->steady += share[i] * parabola(w, r[i]);
  for (PetscInt k = 1; k < n; k++) {
    double complex carried = 0;
    w->argument[k] = half * csqrt(2 * PETSC_PI * k / period / nu[k] * _Complex_I);
    for (PetscInt i = 0; i < nnodes && !absent[k]; i++)
      carried += share[i] * shape(dim, w->argument[k], r[i] / half, &slope);
    if (!absent[k]) w->amplitude[k] = w->flux[k] / carried;
  }
  PetscCall(PetscFree(absent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWomersleyCreateOver(RhxSection section, const double complex *nu, double period, PetscInt n,
                                      const double *q, RhxWomersley *out)
{
  RhxWomersley w;
  double *omega;
  double complex *carried;
  PetscBool *absent;

  PetscFunctionBegin;
  PetscCall(create(period, n, q, out));
  w = *out;
  w->nnodes = section->nnodes;
  PetscCall(PetscCalloc1(n * w->nnodes, &w->over));
  PetscCall(PetscCalloc3(n, &omega, n, &carried, n, &absent));
  for (PetscInt k = 0; k < n; k++) omega[k] = 2 * PETSC_PI * k / period;
  find_absent(w, absent);
  PetscCall(RhxPulseShapes(section, nu, n, omega, absent, w->over, carried));
  w->steady = creal(carried[0]);
  for (PetscInt k = 1; k < n; k++)
    if (!absent[k]) w->amplitude[k] = w->flux[k] / carried[k];
  PetscCall(PetscFree3(omega, carried, absent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_shapes(Shapes *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(s->r, s->f, s->slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those at the distances, found once while they are asked for. */
static PetscErrorCode find_shapes(RhxWomersley w, PetscInt n, const double *r, const Shapes **found)
{
  Shapes s = {.n = n};
  PetscBool same = PETSC_FALSE;
  int k;

  PetscFunctionBegin;
  for (k = 0; k < LISTS; k++) {
    if (w->shapes[k].r && w->shapes[k].n == n) PetscCall(PetscArraycmp(w->shapes[k].r, r, n, &same));
    if (same) break;
  }
  if (same) {
    s = w->shapes[k];
  } else {
    k = LISTS - 1;
    PetscCall(destroy_shapes(&w->shapes[k]));
    PetscCall(PetscCalloc3(n + 1, &s.r, n * w->n + 1, &s.f, n * w->n + 1, &s.slope));
    PetscCall(PetscArraycpy(s.r, r, n));
    for (PetscInt i = 0; i < n; i++) {
      s.f[i] = parabola(w, r[i]);
      s.slope[i] = -2;
    }
    for (PetscInt i = n; i < n * w->n; i++)
      if (w->amplitude[i / n] != 0) s.f[i] = shape(w->dim, w->argument[i / n], r[i % n] / w->half, &s.slope[i]);
  }
  for (; k > 0; k--) w->shapes[k] = w->shapes[k - 1];
  w->shapes[0] = s;
  *found = &w->shapes[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum over the harmonics of what each has now times f_k, [harmonics][n]. */
static void add_up(const double complex *now, PetscInt harmonics, PetscInt n, const double complex *f, double *sum)
{
  for (PetscInt i = 0; i < n; i++) sum[i] = creal(now[0] * f[i]);
  for (PetscInt k = 1; k < harmonics; k++)
    for (PetscInt i = 0; i < n && now[k] != 0; i++) sum[i] += creal(now[k] * f[k * n + i]);
}

PetscErrorCode RhxWomersleyVelocity(RhxWomersley w, double t, double flux, PetscInt n, const double *r, double *U,
                                    double *slope)
{
  const double turn = t / w->period - floor(t / w->period);
  const Shapes *s = NULL;
  double complex *now;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->n, &now));
  for (PetscInt k = 1; k < w->n; k++) {
    const double complex phase = cexp(2 * PETSC_PI * k * _Complex_I * turn);
    flux -= creal(w->flux[k] * phase);
    now[k] = w->amplitude[k] * phase;
  }
  now[0] = flux / w->steady;
  if (w->over) {
    add_up(now, w->n, w->nnodes, w->over, U);
  } else {
    PetscCall(find_shapes(w, n, r, &s));
    add_up(now, w->n, n, s->f, U);
    if (slope) add_up(now, w->n, n, s->slope, slope);
    for (PetscInt i = 0; i < n && slope; i++) slope[i] /= w->half * w->half;
  }
  PetscCall(PetscFree(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWomersleyDestroy(RhxWomersley *w)
{
  PetscFunctionBegin;
  if (!*w) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < LISTS; k++) PetscCall(destroy_shapes(&(*w)->shapes[k]));
  PetscCall(PetscFree3((*w)->amplitude, (*w)->argument, (*w)->flux));
  PetscCall(PetscFree((*w)->over));
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

PetscErrorCode RhxBoundaryGetQuasiSteady(RhxBoundary bc, const char *label, PetscReal *half, PetscBool *linear)
{
  const char *law;

  PetscFunctionBegin;
  *half = 0;
  PetscCall(RhxFormFindNonlinearInShear(bc->form, &law));
  *linear = PetscNot(law);
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    const int profile = c->opt->profile;
    if (strcmp(c->label, label) || !(c->type->flags & RHX_TYPE_INWARD) || !c->flow_rate) continue;
    if (profile != RHX_PROFILE_PARABOLIC && profile != RHX_PROFILE_DEVELOPED) continue;
    *half = !c->section && c->geo.half > 0 ? c->geo.half : PetscSqrtReal(c->geo.area / PETSC_PI);
    if (RhxWaveformIsOnce(c->flow_rate) || c->gap) *linear = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
