/* Developed flow of any law between two walls or in a tube, by the flow curve T(g) of all laws together. The shear stress is
 * linear in the distance r from the middle, T = T_w r/H, H the half width or radius, so that
 *   U(r) = int_r^H g dr = (H/T_w) (g_w T_w - g T - int_g^{g_w} T dg),   g = g(T_w r/H),   dU/dr = -g
 * g_w, the shear rate at the wall, is that at which the label's nodes carry the flux, or the middle has the velocity. Where the wall slips U
 * is larger by its speed at T_w. */
#include "boundary/curve_impl.h"
#include "boundary/developed_impl.h"
#include "petsc_compat.h"

#define CLOSE 1e-13 /* of the flux */
#define UNKNOWN -1  /* aim of a flow that has to be found */
#define WIDER 1.1   /* a bracket's growth: so much further than the wall's rate the laws are asked */
#define NPAST 4     /* flows that are kept: a scheme asks for times of a step anew */

typedef struct {
  double aim, slip; /* velocity at the wall, m/s */
  RhxCurvePlace wall;
} Flow;

struct _p_RhxDeveloped {
  RhxCurve curve;
  double half;
  PetscInt nnodes; /* of the label on all ranks: distance from the middle, flux of a unit velocity; borrowed */
  const double *r, *share;
  double aim; /* what g_w was found for */
  RhxCurvePlace wall;
  RhxSliding sliding;
  double slip;      /* the velocity at the wall, m/s */
  Flow past[NPAST]; /* of the same laws and walls, the latest first */
  int npast;
};

/* U(r) less its value at the wall, and g(r), of the wall's place. */
static double velocity(RhxDeveloped d, const RhxCurvePlace *w, double r, double *rate)
{
  const RhxCurvePlace p = RhxCurveAtStress(d->curve, PetscMin(1.0, r / d->half) * w->T, NULL);

  if (rate) *rate = p.g;
  return w->T > 0 ? d->half / w->T * (w->g * w->T - p.g * p.T - (w->J - p.J)) : 0;
}

/* dU/dT_w at r, of the velocity and the rate there. */
static double stiffness(RhxDeveloped d, const RhxCurvePlace *w, double r, double U, double g)
{
  return w->T > 0 ? (d->half * (w->g - PetscMin(1.0, r / d->half) * g) - U) / w->T : 0;
}

/* Flux of the nodes, or velocity of the middle, less the aim, and its derivative by the wall's stress but for a slip's; the slip becomes that of
 * the wall's place. */
static PetscErrorCode find_miss(RhxDeveloped d, const RhxCurvePlace *w, double aim, PetscBool middle, double *miss,
                                double *slope)
{
  double g, U;

  PetscFunctionBegin;
  d->slip = 0;
  if (d->sliding.wall) PetscCall(RhxSlidingSpeed(&d->sliding, w->T, d->half * w->g, &d->slip));
  *miss = -aim;
  *slope = 0;
  if (middle) {
    U = velocity(d, w, 0, &g);
    *miss += U + d->slip;
    *slope = stiffness(d, w, 0, U, g);
  }
  for (PetscInt i = 0; i < d->nnodes && !middle; i++) {
    U = velocity(d, w, d->r[i], &g);
    *miss += d->share[i] * (U + d->slip);
    *slope += d->share[i] * stiffness(d, w, d->r[i], U, g);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double low, high, below, above; /* rates at the wall, and what is missed there */
  double newton;                  /* rate that Newton's method finds from the last one */
  int moved;                      /* the side that moved last: -1 low, 1 high */
} Bracket;

/* What a rate misses; the bracket becomes narrower by it, and what the other side misses half, if that has stayed twice (Illinois). */
static PetscErrorCode try_rate(RhxDeveloped d, double g, double aim, PetscBool middle, Bracket *b, RhxCurvePlace *w,
                               double *miss)
{
  double slope = 0, rise = 0;

  PetscFunctionBegin;
  *w = RhxCurveAtRate(d->curve, g, &rise);
  PetscCall(find_miss(d, w, aim, middle, miss, &slope));
  b->newton = d->sliding.wall ? PETSC_INFINITY : g - *miss / (slope * rise);
  if (*miss >= 0) {
    b->high = g;
    b->above = *miss;
    if (b->moved == 1) b->below *= 0.5;
    b->moved = 1;
  } else {
    b->low = g;
    b->below = *miss;
    if (b->moved == -1) b->above *= 0.5;
    b->moved = -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Up to the first of rates that grow by WIDER at which the aim is met or passed. While the velocity of the middle over all of the area does not
 * pass it, the nodes do not, and are not asked. */
static PetscErrorCode find_bracket(RhxDeveloped d, double aim, PetscBool middle, Bracket *b, RhxCurvePlace *w)
{
  double area = 0, typical, miss = -1, most = 0, slope = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->nnodes; i++) area += d->share[i];
  typical = (middle ? aim : aim / area) / d->half;
  *b = (Bracket){.below = -aim};
  for (double g = typical; !(miss >= 0); g *= WIDER) {
    PetscCall(RhxCurveExtend(d->curve, g, typical));
    *w = RhxCurveAtRate(d->curve, g, NULL);
    if (!middle) PetscCall(find_miss(d, w, aim / area, PETSC_TRUE, &most, &slope));
    if (!(most < 0)) PetscCall(try_rate(d, g, aim, middle, b, w, &miss));
  }
  b->moved = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the wall's rate by Newton's method in a bracket, where it leaves it and with slip by regula falsi, from the aim alone: a run that is taken
 * up again finds the same bits. */
static PetscErrorCode solve(RhxDeveloped d, double aim, PetscBool middle)
{
  Bracket b;
  RhxCurvePlace w = {0, 0, 0};
  double miss;

  PetscFunctionBegin;
  PetscCall(find_bracket(d, aim, middle, &b, &w));
  miss = b.above;
  for (int it = 0; it < 100 && PetscAbsReal(miss) > CLOSE * aim; it++) {
    const double false_position = (b.low * b.above - b.high * b.below) / (b.above - b.below);
    const double next = b.newton > b.low && b.newton < b.high ? b.newton : false_position;
    if (!(next > b.low && next < b.high)) break;
    PetscCall(try_rate(d, next, aim, middle, &b, &w, &miss));
  }
  d->aim = aim;
  d->wall = w;
  for (int k = NPAST - 1; k > 0; k--) d->past[k] = d->past[k - 1];
  d->past[0] = (Flow){aim, d->slip, w};
  d->npast = PetscMin(d->npast + 1, NPAST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it one that is kept? */
static PetscBool recall(RhxDeveloped d, double aim)
{
  for (int k = 0; k < d->npast; k++)
    if (aim == d->past[k].aim) {
      d->aim = aim;
      d->slip = d->past[k].slip;
      d->wall = d->past[k].wall;
      return PETSC_TRUE;
    }
  return PETSC_FALSE;
}

PetscErrorCode RhxDevelopedSolve(RhxDeveloped d, double aim, PetscBool middle)
{
  PetscFunctionBegin;
  if (aim == d->aim || recall(d, aim)) PetscFunctionReturn(PETSC_SUCCESS);
  if (aim > 0) {
    PetscCall(solve(d, aim, middle));
  } else {
    d->wall = (RhxCurvePlace){0, 0, 0};
    d->aim = d->slip = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxDevelopedVelocity(RhxDeveloped d, double r, double *U, double *over)
{
  const double off = PetscMax(r, 1e-9 * d->half);
  double rate;

  *U = *over = 0;
  if (RhxCurveIsEmpty(d->curve)) return;
  *U = velocity(d, &d->wall, r, NULL) + d->slip;
  (void)velocity(d, &d->wall, off, &rate);
  *over = -rate / off;
}

void RhxDevelopedMove(RhxDeveloped d, double t, double a)
{
  if (!RhxSlidingMove(&d->sliding, t, a)) return;
  d->aim = UNKNOWN;
  d->npast = 0;
}

PetscErrorCode RhxDevelopedForget(RhxDeveloped d)
{
  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  RhxCurveForget(d->curve);
  d->aim = d->slip = 0;
  d->npast = 0;
  d->wall = (RhxCurvePlace){0, 0, 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevelopedCreate(RhxForm form, double half, PetscInt n, const double *r, const double *share,
                                  RhxCondition *wall, RhxDeveloped *developed)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(developed));
  PetscCall(RhxCurveCreate(form, &(*developed)->curve));
  (*developed)->half = half;
  (*developed)->nnodes = n;
  (*developed)->r = r;
  (*developed)->share = share;
  (*developed)->sliding = (RhxSliding){.wall = wall, .a = 1};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevelopedDestroy(RhxDeveloped *d)
{
  PetscFunctionBegin;
  if (!*d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCurveDestroy(&(*d)->curve));
  PetscCall(PetscFree(*d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
