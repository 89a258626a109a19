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

/* Flux of the nodes, or velocity of the middle, less the aim; the slip becomes that of the wall's place. */
static PetscErrorCode find_miss(RhxDeveloped d, const RhxCurvePlace *w, double aim, PetscBool middle, double *miss)
{
  PetscFunctionBegin;
  d->slip = 0;
  if (d->sliding.wall) PetscCall(RhxSlidingSpeed(&d->sliding, w->T, d->half * w->g, &d->slip));
  *miss = (middle ? velocity(d, w, 0, NULL) + d->slip : 0) - aim;
  for (PetscInt i = 0; i < d->nnodes && !middle; i++) *miss += d->share[i] * (velocity(d, w, d->r[i], NULL) + d->slip);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the wall's rate by bracket and regula falsi (Illinois), from the aim alone: a run that is taken up again finds the same bits. */
static PetscErrorCode solve(RhxDeveloped d, double aim, PetscBool middle)
{
  double area = 0, typical, low = 0, high, below, above;
  RhxCurvePlace w = {0, 0, 0};
  int moved = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->nnodes; i++) area += d->share[i];
  typical = (middle ? aim : aim / area) / d->half;
  high = typical;
  below = -aim;
  for (;; high *= WIDER) {
    PetscCall(RhxCurveExtend(d->curve, high, typical));
    w = RhxCurveAtRate(d->curve, high, NULL);
    PetscCall(find_miss(d, &w, aim, middle, &above));
    if (above >= 0) break;
    low = high;
    below = above;
  }
  for (int it = 0; it < 100 && PetscAbsReal(above) > CLOSE * aim; it++) {
    const double next = (low * above - high * below) / (above - below);
    double miss;
    w = RhxCurveAtRate(d->curve, next, NULL);
    PetscCall(find_miss(d, &w, aim, middle, &miss));
    if (PetscAbsReal(miss) <= CLOSE * aim || !(next > low && next < high)) break;
    if (miss > 0) {
      high = next;
      above = miss;
      if (moved == 1) below *= 0.5;
      moved = 1;
    } else {
      low = next;
      below = miss;
      if (moved == -1) above *= 0.5;
      moved = -1;
    }
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
