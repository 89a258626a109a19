/* Developed flow of any law between two walls that may move, slip or hold, by the flow curve T(g) of all laws together. The shear stress
 *   tau = m_0(r) tau_0 + m_1(r) tau_1,   slit: tau linear in r,   annulus: r tau linear in r^2
 * is that of its values at the ends, and dU/dr = sign(tau) g(|tau|). The rates at the ends are those at which U, begun at end 0 with the
 * speed of the wall and its slip at tau_0, has at end 1 the speed of that wall less its slip at tau_1 (a positive tau drags the fluid at end
 * 0 along, and back at end 1), and the label's nodes carry the flux: Newton's method in both, in which the velocity of a power law is
 * homogeneous of degree 1. Where an end has no shear, its rate is 0 and its velocity is what comes out. */
#include "boundary/curve_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/impl.h"
#include <math.h>

#define CLOSE 1e-13  /* of the flux and the velocity at end 1, over the largest */
#define ENOUGH 1e-11 /* where rounding ends the iteration before that */
#define WIDER 1.1    /* growth of the largest rate in a step, further than the laws were asked before */
#define TRIES 300
#define HALVINGS 40
#define RATIO 1.05 /* of radii of panels */
#define POINTS 3   /* of Gauss's rule in a panel, within which T(g) is one cubic and its rates differ by 5 % */

/* U from somewhere on, and its slopes in tau_0 and tau_1. */
typedef struct {
  double U, d[2];
} Rise;

struct _p_RhxGap {
  RhxGapShape shape;
  RhxCurve curve;
  double low, high; /* places of the ends */
  PetscInt nnodes;
  const double *r, *share;
  RhxSliding sliding[2];
  double speed[2];            /* of the walls along the flow, m/s */
  PetscBool known, rests;     /* is the flow that of the aim? Is it at rest? */
  double aim, g[2], tau[2];   /* signed, at the ends */
  double stiffness[2];        /* dtau/dg */
  double mobility[2], way[2]; /* dslip/dtau; the slip, along the flow, m/s */
  PetscInt n, room;           /* ends of panels: places, and the rise from end 0 to them */
  double *at;
  Rise *rise, start; /* at end 0 */
};

static void influence(RhxGap p, double r, double m[2])
{
  const double a = p->low, b = p->high;

  if (!p->shape.ring) {
    m[1] = (r - a) / (b - a);
    m[0] = 1 - m[1];
  } else if (a > 0) {
    m[0] = a * (b - r) * (b + r) / ((b - a) * (b + a) * r);
    m[1] = b * (r - a) * (r + a) / ((b - a) * (b + a) * r);
  } else {
    m[0] = 0;
    m[1] = r / b;
  }
}

/* Both places with this shear stress; not finite, or outside: there is none. */
static void places(RhxGap p, double stress, double r[2])
{
  const double a = p->low, b = p->high;
  double A, B, q;

  r[1] = NAN;
  if (!p->shape.ring) {
    r[0] = a + (b - a) * (stress - p->tau[0]) / (p->tau[1] - p->tau[0]);
    return;
  }
  B = (b * p->tau[1] - a * p->tau[0]) / ((b - a) * (b + a)); /* r tau = A + B r^2 */
  A = a * b * (b * p->tau[0] - a * p->tau[1]) / ((b - a) * (b + a));
  q = 0.5 * (stress + copysign(sqrt(stress * stress - 4 * A * B), stress));
  r[0] = A / q;
  r[1] = q / B;
}

/* Adds the rise between two places of a panel. */
static void add_rise(RhxGap p, double from, double to, Rise *rise)
{
  static const double away[POINTS] = {-0.7745966692414834, 0, 0.7745966692414834},
                      weight[POINTS] = {5. / 9, 8. / 9, 5. / 9};
  const double half = 0.5 * (to - from);

  for (int q = 0; q < POINTS && half != 0; q++) {
    double m[2], stress, slope;
    influence(p, 0.5 * (from + to) + half * away[q], m);
    stress = m[0] * p->tau[0] + m[1] * p->tau[1];
    rise->U += half * weight[q] * copysign(RhxCurveAtStress(p->curve, fabs(stress), &slope).g, stress);
    for (int e = 0; e < 2; e++) rise->d[e] += half * weight[q] * m[e] / slope;
  }
}

static PetscErrorCode make_room(RhxGap p, PetscInt n)
{
  PetscFunctionBegin;
  if (n <= p->room) PetscFunctionReturn(PETSC_SUCCESS);
  p->room = 2 * n;
  PetscCall(PetscFree2(p->at, p->rise));
  PetscCall(PetscMalloc2(p->room, &p->at, p->room, &p->rise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Panels end where |tau| is that of a rate at which the laws were asked, in an annulus at radii in turn too. */
static PetscErrorCode lay_panels(RhxGap p)
{
  const double most = PetscMax(fabs(p->tau[0]), fabs(p->tau[1])), *T;
  const PetscInt known = RhxCurveGetStresses(p->curve, &T);
  PetscInt n = 0, rings = 0;

  PetscFunctionBegin;
  if (p->shape.ring && p->low > 0) rings = (PetscInt)ceil(log(p->high / p->low) / log(RATIO));
  PetscCall(make_room(p, 4 * known + rings + 2));
  p->at[n++] = p->low;
  p->at[n++] = p->high;
  for (PetscInt k = 1; k < rings; k++) p->at[n++] = p->low * pow(p->high / p->low, (double)k / rings);
  for (PetscInt k = 0; k < known && T[k] <= most; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double r[2];
      places(p, sign * T[k], r);
      for (int j = 0; j < 2; j++)
        if (r[j] > p->low && r[j] < p->high) p->at[n++] = r[j];
    }
  PetscCall(PetscSortReal(n, p->at));
  p->n = n;
  p->rise[0] = (Rise){0, {0, 0}};
  for (PetscInt k = 1; k < n; k++) {
    p->rise[k] = p->rise[k - 1];
    add_rise(p, p->at[k - 1], p->at[k], &p->rise[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rise from end 0 to r. */
static Rise rise_to(RhxGap p, double r)
{
  PetscInt low = 0, high = p->n - 1;
  Rise rise;

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (r >= p->at[middle])
      low = middle;
    else
      high = middle;
  }
  rise = p->rise[low];
  add_rise(p, p->at[low], PetscMin(PetscMax(r, p->low), p->high), &rise);
  return rise;
}

/* Slip at the end, along the flow, and how it changes with the stress there. */
static PetscErrorCode find_slip(RhxGap p, int e)
{
  double speed, tau, slope;

  PetscFunctionBegin;
  p->way[e] = p->mobility[e] = 0;
  if (!p->shape.end[e].slips) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSlidingSpeed(&p->sliding[e], fabs(p->tau[e]), (p->high - p->low) * fabs(p->g[e]), &speed));
  PetscCall(RhxSlidingStress(&p->sliding[e], 1, &speed, &tau, &slope));
  p->way[e] = copysign(speed, e ? -p->tau[e] : p->tau[e]);
  p->mobility[e] = 1 / slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flow of the rates at the ends. miss: of the velocity at end 1. */
static PetscErrorCode lay_flow(RhxGap p, double typical, double *miss, double slope[2])
{
  const Rise *all;

  PetscFunctionBegin;
  PetscCall(RhxCurveExtend(p->curve, PetscMax(fabs(p->g[0]), fabs(p->g[1])), typical));
  for (int e = 0; e < 2; e++) {
    p->tau[e] = copysign(RhxCurveAtRate(p->curve, fabs(p->g[e]), &p->stiffness[e]).T, p->g[e]);
    PetscCall(find_slip(p, e));
  }
  PetscCall(lay_panels(p));
  all = &p->rise[p->n - 1];
  p->start = (Rise){p->speed[0] + p->way[0], {p->mobility[0], 0}};
  *miss = slope[0] = slope[1] = 0;
  if (p->shape.end[0].free) {
    p->start = (Rise){p->speed[1] + p->way[1] - all->U, {-all->d[0], -p->mobility[1] - all->d[1]}};
  } else if (!p->shape.end[1].free) {
    *miss = p->start.U + all->U - p->speed[1] - p->way[1];
    slope[0] = p->mobility[0] + all->d[0];
    slope[1] = p->mobility[1] + all->d[1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the stress is zero, the middle where it is so everywhere. */
static double place_of_no_shear(RhxGap p)
{
  double r[2];

  if (p->shape.end[0].free) return p->low;
  if (p->shape.end[1].free) return p->high;
  places(p, 0, r);
  for (int j = 0; j < 2; j++)
    if (r[j] >= p->low && r[j] <= p->high) return r[j];
  return 0.5 * (p->low + p->high);
}

/* Flux, or fastest velocity, and its slopes. */
static Rise measure(RhxGap p, PetscBool fastest)
{
  Rise sum = {0, {0, 0}};

  for (PetscInt i = 0; i < (fastest ? 1 : p->nnodes); i++) {
    const Rise rise = rise_to(p, fastest ? place_of_no_shear(p) : p->r[i]);
    const double share = fastest ? 1 : p->share[i];
    sum.U += share * (p->start.U + rise.U);
    for (int e = 0; e < 2; e++) sum.d[e] += share * (p->start.d[e] + rise.d[e]);
  }
  return sum;
}

/* What the flow of the rates lacks, and Newton's step for them; over: the largest velocity and flux. */
static PetscErrorCode find_step(RhxGap p, PetscBool fastest, double typical, const double over[2], double step[2],
                                double *size)
{
  double lack[2] = {0, 0}, slope[2][2] = {{0, 0}}, det;
  Rise sum;

  PetscFunctionBegin;
  PetscCall(lay_flow(p, typical, &lack[0], slope[0]));
  sum = measure(p, fastest);
  lack[1] = sum.U - p->aim;
  for (int e = 0; e < 2; e++) {
    slope[0][e] = p->shape.end[e].free ? 1 : slope[0][e] * p->stiffness[e];
    slope[1][e] = sum.d[e] * p->stiffness[e];
  }
  det = slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0];
  step[0] = -(lack[0] * slope[1][1] - slope[0][1] * lack[1]) / det;
  step[1] = -(slope[0][0] * lack[1] - lack[0] * slope[1][0]) / det;
  *size = PetscMax(fabs(lack[0]) / over[0], fabs(lack[1]) / over[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of a step after which no rate is far beyond those known. */
static double limit(RhxGap p, const double step[2])
{
  const double most = PetscMax(WIDER * PetscMax(fabs(p->g[0]), fabs(p->g[1])), RhxCurveGetFastest(p->curve));
  double part = 1;

  for (int e = 0; e < 2; e++) {
    const double next = p->g[e] + step[e];
    if (fabs(next) > most) part = PetscMin(part, (copysign(most, next) - p->g[e]) / step[e]);
  }
  return part;
}

static PetscErrorCode iterate(RhxGap p, PetscBool fastest, double typical, const double over[2])
{
  double step[2], size, g[2];

  PetscFunctionBegin;
  PetscCall(RhxCurveExtend(p->curve, typical, typical));
  p->g[0] = p->g[1] = 0;
  PetscCall(find_step(p, fastest, typical, over, step, &size));
  for (int it = 0; it < TRIES && size > CLOSE; it++) {
    double part = limit(p, step), next[2], now = size;
    int halved = 0;
    PetscCall(PetscArraycpy(g, p->g, 2));
    for (; halved < HALVINGS; halved++, part *= 0.5) {
      for (int e = 0; e < 2; e++) p->g[e] = p->shape.end[e].free ? 0 : g[e] + part * step[e];
      PetscCall(find_step(p, fastest, typical, over, next, &now));
      if (now < size) break;
    }
    if (halved == HALVINGS) {
      PetscCall(PetscArraycpy(p->g, g, 2));
      PetscCall(find_step(p, fastest, typical, over, next, &now));
      break;
    }
    PetscCall(PetscArraycpy(step, next, 2));
    size = now;
  }
  PetscCheck(size <= ENOUGH, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "label '%s', its developed flow (-bc_%s_profile, or of its polymer): none found between the walls at its "
             "ends: got shear rates %.3g and %.3g 1/s there that miss by %.1g, expected %.1g",
             p->shape.label, p->shape.label, p->g[0], p->g[1], size, ENOUGH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGapSolve(RhxGap p, double aim, PetscBool fastest)
{
  double area = 0, over[2];

  PetscFunctionBegin;
  if (p->known && aim == p->aim) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < p->nnodes; i++) area += p->share[i];
  if (fastest) area = 1;
  over[0] = PetscMax(fabs(aim) / area, PetscMax(fabs(p->speed[0]), fabs(p->speed[1])));
  over[1] = over[0] * area;
  p->aim = aim;
  p->rests = (PetscBool) !(over[0] > 0);
  if (!p->rests) PetscCall(iterate(p, fastest, 2 * over[0] / (p->high - p->low), over));
  p->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxGapVelocity(RhxGap p, const PetscReal *x, PetscReal *U, PetscReal gradient[2])
{
  const double r = PetscMin(PetscMax(RhxGapPlace(p, x), p->low), p->high);
  double m[2], stress, rate = 0;

  *U = 0;
  if (p->known && !p->rests) {
    influence(p, r, m);
    stress = m[0] * p->tau[0] + m[1] * p->tau[1];
    rate = copysign(RhxCurveAtStress(p->curve, fabs(stress), NULL).g, stress);
    *U = p->start.U + rise_to(p, r).U;
  }
  for (int d = 0; d < 2; d++) gradient[d] = rate * p->shape.across[d];
}

PetscReal RhxGapPlace(RhxGap p, const PetscReal *x)
{
  const PetscReal *from = p->shape.end[0].x, *e = p->shape.across;
  return p->low + (x[0] - from[0]) * e[0] + (x[1] - from[1]) * e[1];
}

PetscErrorCode RhxGapMove(RhxGap p, double t, double a)
{
  PetscFunctionBegin;
  for (int e = 0; e < 2; e++) {
    RhxCondition *wall = p->shape.end[e].wall;
    PetscReal u[2], speed;
    if (p->shape.end[e].slips && RhxSlidingMove(&p->sliding[e], t, a)) p->known = PETSC_FALSE;
    if (!p->shape.end[e].moves) continue;
    PetscCall(wall->type->velocity(wall, t, 1, p->shape.end[e].x, u));
    speed = a * (u[0] * p->shape.flow[0] + u[1] * p->shape.flow[1]);
    if (PetscIsInfOrNanReal(speed)) speed = 0; /* noted */
    if (speed != p->speed[e]) p->known = PETSC_FALSE;
    p->speed[e] = speed;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxGapHas(RhxGap p, const RhxCondition *wall)
{
  for (int e = 0; p && e < 2; e++) {
    const RhxGapEnd *end = &p->shape.end[e];
    if (end->wall == wall && (end->free || end->moves || end->slips || wall->turning)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool RhxGapChanges(RhxGap p, double t0, double t1)
{
  for (int e = 0; p && e < 2; e++) {
    RhxCondition *wall = p->shape.end[e].wall;
    if ((p->shape.end[e].moves || p->shape.end[e].slips) && wall->type->changes && wall->type->changes(wall, t0, t1))
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode RhxGapForget(RhxGap p)
{
  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  RhxCurveForget(p->curve);
  p->known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxGapSetNodes(RhxGap p, PetscInt n, const double *r, const double *share)
{
  p->nnodes = n;
  p->r = r;
  p->share = share;
}

PetscErrorCode RhxGapCreate(RhxForm form, const RhxGapShape *shape, RhxGap *gap)
{
  const PetscReal *x = shape->end[0].x, *y = shape->end[1].x;

  PetscFunctionBegin;
  PetscCall(PetscNew(gap));
  PetscCall(RhxCurveCreate(form, &(*gap)->curve));
  (*gap)->shape = *shape;
  (*gap)->low = shape->ring ? x[1] : 0;
  (*gap)->high = (*gap)->low + (y[0] - x[0]) * shape->across[0] + (y[1] - x[1]) * shape->across[1];
  for (int e = 0; e < 2; e++) (*gap)->sliding[e] = (RhxSliding){.wall = shape->end[e].wall, .a = 1};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGapDestroy(RhxGap *gap)
{
  PetscFunctionBegin;
  if (!*gap) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCurveDestroy(&(*gap)->curve));
  PetscCall(PetscFree2((*gap)->at, (*gap)->rise));
  PetscCall(PetscFree(*gap));
  PetscFunctionReturn(PETSC_SUCCESS);
}
