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
#define STEEPEST 5  /* relative change of the wall's rate over that of the flux, of most laws at most */
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

/* A flow by its wall's rate, and by how much its flux, or the velocity of its middle, is more than the aim. */
typedef struct {
  Flow flow;
  double miss;
} Trial;

static PetscErrorCode try_rate(RhxDeveloped d, double rate, double aim, PetscBool middle, Trial *trial)
{
  PetscFunctionBegin;
  trial->flow.aim = aim;
  trial->flow.wall = RhxCurveAtRate(d->curve, rate, NULL);
  PetscCall(find_miss(d, &trial->flow.wall, aim, middle, &trial->miss));
  trial->flow.slip = d->slip;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flows on both sides of the aim: next to the last one, or up from a typical rate. */
static PetscErrorCode find_bracket(RhxDeveloped d, double aim, PetscBool middle, double typical, Trial *low,
                                   Trial *high)
{
  const PetscBool near = (PetscBool)(d->npast && d->past[0].wall.g > 0);
  const double change = near ? aim / d->past[0].aim : 1;
  double rate = near ? d->past[0].wall.g * change : typical,
         wider = near ? PetscMin(WIDER, 1 + STEEPEST * PetscAbsReal(change - 1) + CLOSE) : WIDER;

  PetscFunctionBegin;
  *low = (Trial){{aim, 0, {0, 0, 0}}, -aim};
  PetscCall(RhxCurveExtend(d->curve, rate, typical));
  PetscCall(try_rate(d, rate, aim, middle, high));
  if (near && high->miss > 0) {
    Trial below;
    PetscCall(try_rate(d, rate / wider, aim, middle, &below));
    if (below.miss <= 0)
      *low = below;
    else
      *high = below;
  }
  for (; high->miss < 0; wider = WIDER) {
    *low = *high;
    rate *= wider;
    PetscCall(RhxCurveExtend(d->curve, rate, typical));
    PetscCall(try_rate(d, rate, aim, middle, high));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void take(RhxDeveloped d, const Flow *flow)
{
  d->aim = flow->aim;
  d->slip = flow->slip;
  d->wall = flow->wall;
}

/* Finds the wall's rate by bracket and regula falsi (Illinois). */
static PetscErrorCode solve(RhxDeveloped d, double aim, PetscBool middle)
{
  double area = 0;
  Trial low, high, now;
  int moved = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->nnodes; i++) area += d->share[i];
  PetscCall(find_bracket(d, aim, middle, (middle ? aim : aim / area) / d->half, &low, &high));
  now = high;
  for (int it = 0; it < 100 && PetscAbsReal(high.miss) > CLOSE * aim; it++) {
    const double a = low.flow.wall.g, b = high.flow.wall.g,
                 next = (a * high.miss - b * low.miss) / (high.miss - low.miss);
    PetscCall(try_rate(d, next, aim, middle, &now));
    if (PetscAbsReal(now.miss) <= CLOSE * aim || !(next > a && next < b)) break;
    if (now.miss > 0) {
      high = now;
      if (moved == 1) low.miss *= 0.5;
      moved = 1;
    } else {
      low = now;
      if (moved == -1) high.miss *= 0.5;
      moved = -1;
    }
  }
  take(d, &now.flow);
  for (int k = NPAST - 1; k > 0; k--) d->past[k] = d->past[k - 1];
  d->past[0] = now.flow;
  d->npast = PetscMin(d->npast + 1, NPAST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevelopedSolve(RhxDeveloped d, double aim, PetscBool middle)
{
  PetscFunctionBegin;
  if (aim == d->aim) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < d->npast; k++)
    if (aim == d->past[k].aim) {
      take(d, &d->past[k]);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
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
