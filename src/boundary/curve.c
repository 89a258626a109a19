/* T(g) between the places where it was evaluated: a cubic by values and slopes. The rates are powers of RATIO, 1/s, whatever was asked for
 * first, so that a run that goes on after a restart has the same curve. */
#include "boundary/curve_impl.h"
#include "petsc_compat.h"
#include <math.h>

#define LEAST 1e-6 /* of the typical rate: below, T is linear but for its slope's change */
#define RATIO 1.05 /* of rates that follow each other */
#define NUDGE 1e-4 /* of a rate, for the slope there */
#define MOST_RATES 100000

struct _p_RhxCurve {
  RhxForm form;     /* borrowed */
  PetscInt n, room; /* rates at which T is known, from 0 on */
  double *g, *T, *slope, *J;
  double c[RHX_MAX_MODES][6]; /* conformations at the last one */
};

static PetscErrorCode make_room(RhxCurve d)
{
  double *all[4];

  PetscFunctionBegin;
  if (d->n < d->room) PetscFunctionReturn(PETSC_SUCCESS);
  d->room = 2 * d->room + 512;
  PetscCall(PetscMalloc4(d->room, &all[0], d->room, &all[1], d->room, &all[2], d->room, &all[3]));
  PetscCall(PetscArraycpy(all[0], d->g, d->n));
  PetscCall(PetscArraycpy(all[1], d->T, d->n));
  PetscCall(PetscArraycpy(all[2], d->slope, d->n));
  PetscCall(PetscArraycpy(all[3], d->J, d->n));
  PetscCall(PetscFree4(d->g, d->T, d->slope, d->J));
  d->g = all[0], d->T = all[1], d->slope = all[2], d->J = all[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first rate, or that after the last. */
static double next_rate(RhxCurve d, double typical)
{
  const double step = PetscLogReal(RATIO);
  const double power =
      d->n > 1 ? round(PetscLogReal(d->g[d->n - 1]) / step) + 1 : floor(PetscLogReal(LEAST * typical) / step);
  return PetscPowReal(RATIO, power);
}

/* T at g in interval k, and its slope. */
static double stress(RhxCurve d, PetscInt k, double g, double *slope)
{
  const double h = d->g[k + 1] - d->g[k], s = (g - d->g[k]) / h, rise = d->T[k + 1] - d->T[k];
  const double a = h * d->slope[k] - rise, b = rise - h * d->slope[k + 1];

  if (slope) *slope = (rise + (1 - 2 * s) * (a * (1 - s) + b * s) + s * (1 - s) * (b - a)) / h;
  return d->T[k] + s * rise + s * (1 - s) * (a * (1 - s) + b * s);
}

/* Integral of T from the start of interval k to g; exact for the cubic. */
static double integral(RhxCurve d, PetscInt k, double g)
{
  const double middle = 0.5 * (g + d->g[k]), half = 0.5 * (g - d->g[k]), away = half / PetscSqrtReal(3.0);
  return half * (stress(d, k, middle - away, NULL) + stress(d, k, middle + away, NULL));
}

/* T and its slope at the rate next, and the conformations c there, from those of the last rate. */
static PetscErrorCode ask(RhxCurve d, double last, double next, double c[][6], double *T, double *slope)
{
  double above[RHX_MAX_MODES][6], low, high;

  PetscFunctionBegin;
  PetscCall(RhxFormShearStress(d->form, last, next * (1 - NUDGE), c, &low));
  PetscCall(RhxFormShearStress(d->form, next * (1 - NUDGE), next, c, T));
  PetscCall(PetscMemcpy(above, c, sizeof(above)));
  PetscCall(RhxFormShearStress(d->form, next, next * (1 + NUDGE), above, &high));
  PetscCheck(
      *T > d->T[d->n - 1] && high > low, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
      "The flow curve is not monotone: the shear stress falls beyond about %.3g 1/s, expected slower flow or more "
      "solvent viscosity (-physics)",
      last);
  *slope = (high - low) / (2 * NUDGE * next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCurveExtend(RhxCurve d, double g, double typical)
{
  PetscFunctionBegin;
  while (d->n < 2 || d->g[d->n - 1] < g) {
    const double last = d->n > 1 ? d->g[d->n - 1] : 0, next = next_rate(d, typical);
    double c[RHX_MAX_MODES][6], zero;
    PetscCall(make_room(d));
    if (!d->n) {
      d->g[0] = d->T[0] = d->J[0] = 0;
      d->n = 1;
      PetscCall(RhxFormShearStress(d->form, 0, 0, d->c, &zero));
    }
    PetscCheck(d->n < MOST_RATES, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no developed flow found below %g 1/s",
               last);
    PetscCall(PetscMemcpy(c, d->c, sizeof(c)));
    PetscCall(ask(d, last, next, c, &d->T[d->n], &d->slope[d->n]));
    PetscCall(PetscMemcpy(d->c, c, sizeof(c)));
    d->g[d->n] = next;
    if (d->n == 1) d->slope[0] = d->T[1] / next;
    d->n++;
    d->J[d->n - 1] = d->J[d->n - 2] + integral(d, d->n - 2, next);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxCurveGetStresses(RhxCurve d, const double **T)
{
  *T = d->T;
  return d->n;
}

double RhxCurveGetFastest(RhxCurve d) { return d->n ? d->g[d->n - 1] : 0; }

PetscBool RhxCurveIsEmpty(RhxCurve d) { return (PetscBool)(d->n < 2); }

/* Interval of the stress T. */
static PetscInt find_stress(RhxCurve d, double T)
{
  PetscInt low = 0, high = d->n - 1;

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (T >= d->T[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Interval of the rate g: rates but the first, 0, are powers. */
static PetscInt find_rate(RhxCurve d, double g)
{
  const double power = PetscLogReal(g / d->g[1]) / PetscLogReal(RATIO);
  PetscInt k = g > d->g[1] ? (PetscInt)PetscMin(d->n - 2.0, 1.0 + power) : 0; /* g may be infinite */

  if (k > 0 && g < d->g[k]) k--; /* rounding */
  if (k < d->n - 2 && g >= d->g[k + 1]) k++;
  return k;
}

RhxCurvePlace RhxCurveAtRate(RhxCurve d, double g, double *slope)
{
  const PetscInt last = d->n - 1, k = find_rate(d, g);
  RhxCurvePlace p = {.g = g};

  if (g > d->g[last]) {
    const double away = g - d->g[last];
    p.T = d->T[last] + d->slope[last] * away;
    p.J = d->J[last] + 0.5 * away * (p.T + d->T[last]);
    if (slope) *slope = d->slope[last];
    return p;
  }
  p.T = stress(d, k, g, slope);
  p.J = d->J[k] + integral(d, k, g);
  return p;
}

/* Newton within the interval. */
RhxCurvePlace RhxCurveAtStress(RhxCurve d, double T, double *at)
{
  const PetscInt k = find_stress(d, T);
  double low = d->g[k], high = d->g[k + 1], g = low + (high - low) * (T - d->T[k]) / (d->T[k + 1] - d->T[k]);

  for (int it = 0; it < 40; it++) {
    double slope, miss = stress(d, k, g, &slope) - T, next = g - miss / slope;
    if (PetscAbsReal(next - g) <= 1e-15 * high) break;
    if (miss > 0)
      high = g;
    else
      low = g;
    g = next > low && next < high ? next : 0.5 * (low + high);
  }
  if (at) (void)stress(d, k, g, at);
  return (RhxCurvePlace){g, T, d->J[k] + integral(d, k, g)};
}

void RhxCurveForget(RhxCurve curve) { curve->n = 0; }

PetscErrorCode RhxCurveCreate(RhxForm form, RhxCurve *curve)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(curve));
  (*curve)->form = form;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCurveDestroy(RhxCurve *curve)
{
  PetscFunctionBegin;
  if (!*curve) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree4((*curve)->g, (*curve)->T, (*curve)->slope, (*curve)->J));
  PetscCall(PetscFree(*curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}
