/* Developed flow of any law between two walls or in a tube, by the flow curve T(g) of all laws together. The shear stress is
 * linear in the distance r from the middle, T = T_w r/H, H the half width or radius, so that
 *   U(r) = int_r^H g dr = (H/T_w) (g_w T_w - g T - int_g^{g_w} T dg),   g = g(T_w r/H),   dU/dr = -g
 * g_w, the shear rate at the wall, is that at which the label's nodes carry the flux, or the middle has the velocity. T between
 * the places where it was evaluated: a cubic by values and slopes. */
#include "boundary/developed.h"
#include "petsc_compat.h"

#define LEAST 1e-6  /* of the typical rate: below, T is linear but for its slope's change */
#define RATIO 1.05  /* of rates that follow each other */
#define NUDGE 1e-4  /* of a rate, for the slope there */
#define CLOSE 1e-13 /* of the flux */
#define WIDER 1.1   /* a bracket's growth: so much further than the wall's rate the laws are asked */
#define MOST_RATES 100000

typedef struct {
  double g, T, J; /* J = int_0^g T dg */
} Place;

struct _p_RhxDeveloped {
  RhxForm form; /* borrowed */
  double half;
  PetscInt n, room; /* rates at which T is known, from 0 on */
  double *g, *T, *slope, *J;
  double c[RHX_MAX_MODES][6]; /* conformations at the last one */
  PetscInt nnodes; /* of the label on all ranks: distance from the middle, flux of a unit velocity; borrowed */
  const double *r, *share;
  double aim; /* what g_w was found for */
  Place wall;
};

static PetscErrorCode make_room(RhxDeveloped d)
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

/* T at g in interval k, and its slope. */
static double stress(RhxDeveloped d, PetscInt k, double g, double *slope)
{
  const double h = d->g[k + 1] - d->g[k], s = (g - d->g[k]) / h, rise = d->T[k + 1] - d->T[k];
  const double a = h * d->slope[k] - rise, b = rise - h * d->slope[k + 1];

  if (slope) *slope = (rise + (1 - 2 * s) * (a * (1 - s) + b * s) + s * (1 - s) * (b - a)) / h;
  return d->T[k] + s * rise + s * (1 - s) * (a * (1 - s) + b * s);
}

/* Integral of T from the start of interval k to g; exact for the cubic. */
static double integral(RhxDeveloped d, PetscInt k, double g)
{
  const double middle = 0.5 * (g + d->g[k]), half = 0.5 * (g - d->g[k]), away = half / PetscSqrtReal(3.0);
  return half * (stress(d, k, middle - away, NULL) + stress(d, k, middle + away, NULL));
}

/* Adds rates up to g at least, each from the conformations of the last one, upwards. */
static PetscErrorCode extend(RhxDeveloped d, double g, double typical)
{
  PetscFunctionBegin;
  while (d->n < 2 || d->g[d->n - 1] < g) {
    const double last = d->n > 1 ? d->g[d->n - 1] : 0, next = d->n > 1 ? last * RATIO : LEAST * typical;
    double c[RHX_MAX_MODES][6], low, high;
    PetscCall(make_room(d));
    if (!d->n) {
      d->g[0] = d->T[0] = d->J[0] = 0;
      d->n = 1;
      PetscCall(RhxFormShearStress(d->form, 0, 0, d->c, &low));
    }
    PetscCheck(d->n < MOST_RATES, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no developed flow found below %g 1/s",
               last);
    PetscCall(RhxFormShearStress(d->form, last, next * (1 - NUDGE), d->c, &low));
    PetscCall(RhxFormShearStress(d->form, next * (1 - NUDGE), next, d->c, &d->T[d->n]));
    PetscCall(PetscMemcpy(c, d->c, sizeof(c)));
    PetscCall(RhxFormShearStress(d->form, next, next * (1 + NUDGE), c, &high));
    PetscCheck(
        d->T[d->n] > d->T[d->n - 1] && high > low, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
        "The flow curve is not monotone: the shear stress falls beyond about %.3g 1/s, expected slower flow or more "
        "solvent viscosity (-physics)",
        last);
    d->g[d->n] = next;
    d->slope[d->n] = (high - low) / (2 * NUDGE * next);
    if (d->n == 1) d->slope[0] = d->T[1] / next;
    d->n++;
    d->J[d->n - 1] = d->J[d->n - 2] + integral(d, d->n - 2, next);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Interval of v in the ascending values. */
static PetscInt find(RhxDeveloped d, const double *values, double v)
{
  PetscInt low = 0, high = d->n - 1;

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (v >= values[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

static Place at_rate(RhxDeveloped d, double g)
{
  const PetscInt k = find(d, d->g, g);
  const Place p = {g, stress(d, k, g, NULL), d->J[k] + integral(d, k, g)};
  return p;
}

/* Where the stress is T, which is at most that of the last rate: Newton within the interval. */
static Place at_stress(RhxDeveloped d, double T)
{
  const PetscInt k = find(d, d->T, T);
  double low = d->g[k], high = d->g[k + 1], g = low + (high - low) * (T - d->T[k]) / (d->T[k + 1] - d->T[k]);

  for (int it = 0; it < 40; it++) {
    double slope, miss = stress(d, k, g, &slope) - T, next;
    if (miss > 0)
      high = g;
    else
      low = g;
    next = g - miss / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (PetscAbsReal(next - g) <= 1e-15 * high) break;
    g = next;
  }
  const Place p = {g, T, d->J[k] + integral(d, k, g)};
  return p;
}

/* U(r) and g(r) of the wall's place. */
static double velocity(RhxDeveloped d, const Place *w, double r, double *rate)
{
  const Place p = at_stress(d, PetscMin(1.0, r / d->half) * w->T);

  if (rate) *rate = p.g;
  return w->T > 0 ? d->half / w->T * (w->g * w->T - p.g * p.T - (w->J - p.J)) : 0;
}

/* Flux of the nodes, or velocity of the middle. */
static double reached(RhxDeveloped d, const Place *w, PetscBool middle)
{
  double sum = 0;

  if (middle) return velocity(d, w, 0, NULL);
  for (PetscInt i = 0; i < d->nnodes; i++) sum += d->share[i] * velocity(d, w, d->r[i], NULL);
  return sum;
}

/* Finds the wall's rate by bracket and regula falsi (Illinois). */
static PetscErrorCode solve(RhxDeveloped d, double aim, PetscBool middle)
{
  double area = 0, typical, low = 0, high, below, above;
  Place w = {0, 0, 0};
  int side = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->nnodes; i++) area += d->share[i];
  typical = (middle ? aim : aim / area) / d->half;
  high = typical;
  below = -aim;
  for (;; high *= WIDER) {
    PetscCall(extend(d, high, typical));
    w = at_rate(d, high);
    above = reached(d, &w, middle) - aim;
    if (above >= 0) break;
    low = high;
    below = above;
  }
  for (int it = 0; it < 100 && PetscAbsReal(above) > CLOSE * aim; it++) {
    const double next = (low * above - high * below) / (above - below);
    double miss;
    w = at_rate(d, next);
    miss = reached(d, &w, middle) - aim;
    if (PetscAbsReal(miss) <= CLOSE * aim || !(next > low && next < high)) break;
    if (miss > 0) {
      high = next;
      above = miss;
      if (side == 1) below *= 0.5;
      side = 1;
    } else {
      low = next;
      below = miss;
      if (side == -1) above *= 0.5;
      side = -1;
    }
  }
  d->aim = aim;
  d->wall = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevelopedSolve(RhxDeveloped d, double aim, PetscBool middle)
{
  PetscFunctionBegin;
  if (aim == d->aim) PetscFunctionReturn(PETSC_SUCCESS);
  if (aim > 0) {
    PetscCall(solve(d, aim, middle));
  } else {
    d->wall = (Place){0, 0, 0};
    d->aim = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxDevelopedVelocity(RhxDeveloped d, double r, double *U, double *over)
{
  const double off = PetscMax(r, 1e-9 * d->half);
  double rate;

  *U = d->n ? velocity(d, &d->wall, r, &rate) : 0;
  if (d->n) (void)velocity(d, &d->wall, off, &rate);
  *over = d->n ? -rate / off : 0;
}

PetscErrorCode RhxDevelopedForget(RhxDeveloped d)
{
  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  d->n = 0;
  d->aim = 0;
  d->wall = (Place){0, 0, 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevelopedCreate(RhxForm form, double half, PetscInt n, const double *r, const double *share,
                                  RhxDeveloped *developed)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(developed));
  (*developed)->form = form;
  (*developed)->half = half;
  (*developed)->nnodes = n;
  (*developed)->r = r;
  (*developed)->share = share;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevelopedDestroy(RhxDeveloped *d)
{
  PetscFunctionBegin;
  if (!*d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree4((*d)->g, (*d)->T, (*d)->slope, (*d)->J));
  PetscCall(PetscFree(*d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
