/* Developed flow of any law between two walls that may move, turn, slip or hold, by the flow curve T(g) of all laws together. The shear stress
 * along the flow is that of its values at the ends,
 *   tau = m_0(r) tau_0 + m_1(r) tau_1,   slit: tau linear in r,   annulus: r tau linear in r^2
 * and along theta, in an annulus whose walls turn otherwise than each other, tau_2 (a/r)^2, a torque that is the same at all radii. The rates
 *   dU/dr = g tau/T,   r dw/dr = g tau_theta/T,   T^2 = tau^2 + tau_theta^2,   w = V/r
 * are those of one shear. The stresses at the ends are those at which U, begun at end 0 with the
 * speed of the wall and its slip at tau_0, has at end 1 the speed of that wall less its slip at tau_1 (a positive tau drags the fluid at end
 * 0 along, and back at end 1), the label's nodes carry the flux, and w rises by what the walls' do: Newton's method in the rates at which each of
 * these stresses alone would be, in which the velocity of a power law is homogeneous of degree 1. T^2 is convex in r^2, so largest at an end.
 * Where an end has no shear, its rate is 0 and its velocity is what comes out. */
#include "boundary/curve_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/impl.h"
#include "boundary/types/shared.h"
#include <math.h>

#define CLOSE 1e-13   /* of the flux, the velocity and the turning at end 1, over the largest */
#define ENOUGH 1e-11  /* where rounding ends the iteration before that */
#define TWISTED 1e-12 /* of the walls' turning: what they turn otherwise, more than rounding */
#define WIDER 1.1     /* growth of the largest rate in a step, further than the laws were asked before */
#define TRIES 300
#define HALVINGS 40
#define RATIO 1.05 /* of radii of panels */
#define POINTS 3   /* of Gauss's rule in a panel, within which T(g) is one cubic and its rates differ by 5 % */

enum { ALONG, ROUND, NWAYS, NTAU = 3 }; /* stresses: along the flow at both ends, along theta at end 0 */

/* U and w from somewhere on, and their slopes in the stresses. */
typedef struct {
  double v[NWAYS], d[NWAYS][NTAU];
} Rise;

struct _p_RhxGap {
  RhxGapShape shape;
  RhxCurve curve;
  double low, high; /* places of the ends */
  PetscInt nnodes;
  const double *r, *share;
  RhxSliding sliding[2];
  double speed[2];                /* of the walls along the flow, m/s */
  double turning[2];              /* and about the axis, rad/s */
  PetscBool known, rests;         /* is the flow that of the aim? Is it at rest? */
  double beyond;                  /* rate to which the laws do not go, 1/s, 0: they do */
  double aim, g[NTAU], tau[NTAU]; /* signed */
  double stiffness[NTAU];         /* dtau/dg */
  double mobility[2], way[2];     /* dslip/dtau; the slip, along the flow, m/s */
  PetscInt n, room;               /* ends of panels: places, and the rise from end 0 to them */
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

static double fastest_turning(RhxGap p) { return PetscMax(fabs(p->turning[0]), fabs(p->turning[1])); }

static PetscBool is_twisted(RhxGap p)
{
  return (PetscBool)(p->shape.end[0].turner && p->shape.end[1].turner && p->low > 0 &&
                     fabs(p->turning[1] - p->turning[0]) > TWISTED * fastest_turning(p));
}

/* A and B of tau = A/r + B r of a ring. */
static void parts(RhxGap p, double *A, double *B)
{
  const double a = p->low, b = p->high;
  *B = (b * p->tau[1] - a * p->tau[0]) / ((b - a) * (b + a));
  *A = a * b * (b * p->tau[0] - a * p->tau[1]) / ((b - a) * (b + a));
}

/* Both places with this shear stress along the flow; not finite, or outside: there is none. */
static void places(RhxGap p, double stress, double r[2])
{
  const double a = p->low, b = p->high;
  double A, B, q;

  r[1] = NAN;
  if (!p->shape.ring) {
    r[0] = a + (b - a) * (stress - p->tau[0]) / (p->tau[1] - p->tau[0]);
    return;
  }
  parts(p, &A, &B);
  q = 0.5 * (stress + copysign(sqrt(stress * stress - 4 * A * B), stress));
  r[0] = A / q;
  r[1] = q / B;
}

/* T^2 less `square` at r^2 = s. */
static double excess(RhxGap p, double square, double s)
{
  double A, B;

  parts(p, &A, &B);
  return (A + B * s) * (A + B * s) / s + pow(p->tau[2] * p->low * p->low / s, 2) - square;
}

/* The place between two, where T - stress has two signs; not finite: it has one. */
static double place_between(RhxGap p, double stress, double low, double high)
{
  const PetscBool falls = (PetscBool)(excess(p, stress * stress, low) > 0);

  if (falls == (PetscBool)(excess(p, stress * stress, high) > 0)) return NAN;
  for (int it = 0; it < HALVINGS; it++) {
    const double middle = 0.5 * (low + high);
    if ((PetscBool)(excess(p, stress * stress, middle) > 0) == falls)
      low = middle;
    else
      high = middle;
  }
  return sqrt(low);
}

/* r^2 of the least T, which is convex in it. */
static double place_of_least(RhxGap p)
{
  double low = p->low * p->low, high = p->high * p->high;

  for (int it = 0; it < TRIES; it++) {
    const double third = (high - low) / 3;
    if (!(third > 1e-14 * high)) break;
    if (excess(p, 0, low + third) > excess(p, 0, high - third))
      low += third;
    else
      high -= third;
  }
  return 0.5 * (low + high);
}

/* Stresses at r along the flow and theta; returns T. */
static double stresses(RhxGap p, double r, double m[NTAU], double tau[NWAYS])
{
  influence(p, r, m);
  m[2] = p->low > 0 ? p->low * p->low / (r * r) : 0;
  tau[ALONG] = m[0] * p->tau[0] + m[1] * p->tau[1];
  tau[ROUND] = m[2] * p->tau[2];
  return hypot(tau[ALONG], tau[ROUND]);
}

/* Adds the rise between two places of a panel. */
static void add_rise(RhxGap p, double from, double to, Rise *rise)
{
  static const double away[POINTS] = {-0.7745966692414834, 0, 0.7745966692414834},
                      weight[POINTS] = {5. / 9, 8. / 9, 5. / 9};
  const double half = 0.5 * (to - from);

  for (int q = 0; q < POINTS && half != 0; q++) {
    const double r = 0.5 * (from + to) + half * away[q];
    double m[NTAU], tau[NWAYS], slope;
    const double T = stresses(p, r, m, tau), g = RhxCurveAtStress(p->curve, T, &slope).g;
    const double fluidity = T > 0 ? g / T : 1 / slope, over = T > 0 ? 1 / T : 0;
    for (int w = 0; w < NWAYS; w++) {
      const double part = half * weight[q] / (w == ROUND ? r : 1);
      rise->v[w] += part * fluidity * tau[w];
      for (int e = 0; e < NTAU; e++) { /* dg/dT along the stress, g/T across it */
        const int way = e == 2 ? ROUND : ALONG;
        const double cosines = over * tau[w] * over * tau[way];
        rise->d[w][e] += part * m[e] * ((w == way ? fluidity : 0) + (1 / slope - fluidity) * cosines);
      }
    }
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

/* Places where T is that of a rate at which the laws were asked. */
static PetscInt add_places(RhxGap p, double most, PetscInt n)
{
  const double *T;
  const PetscInt known = RhxCurveGetStresses(p->curve, &T);
  const double least = is_twisted(p) ? place_of_least(p) : 0;

  for (PetscInt k = 0; k < known && T[k] <= most; k++)
    for (int side = 0; side < 2; side++) {
      double r[2] = {NAN, NAN};
      if (is_twisted(p))
        r[0] = side ? place_between(p, T[k], least, p->high * p->high) : place_between(p, T[k], p->low * p->low, least);
      else
        places(p, side ? T[k] : -T[k], r);
      for (int j = 0; j < 2; j++)
        if (r[j] > p->low && r[j] < p->high) p->at[n++] = r[j];
    }
  return n;
}

/* Panels end there, in an annulus at radii in turn too. */
static PetscErrorCode lay_panels(RhxGap p, double most)
{
  const double *T;
  PetscInt n = 0, rings = 0;

  PetscFunctionBegin;
  if (p->shape.ring && p->low > 0) rings = (PetscInt)ceil(log(p->high / p->low) / log(RATIO));
  PetscCall(make_room(p, 4 * RhxCurveGetStresses(p->curve, &T) + rings + 2));
  p->at[n++] = p->low;
  p->at[n++] = p->high;
  for (PetscInt k = 1; k < rings; k++) p->at[n++] = p->low * pow(p->high / p->low, (double)k / rings);
  n = add_places(p, most, n);
  PetscCall(PetscSortReal(n, p->at));
  p->n = n;
  p->rise[0] = (Rise){{0}, {{0}}};
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

/* The curve up to g, as far as the laws go. */
static PetscErrorCode extend(RhxGap p, double g, double typical)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = RhxCurveExtend(p->curve, g, typical); /* what is beyond is asked for again where no flow is found */
  PetscCall(PetscPopErrorHandler());
  p->beyond = ierr ? g : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T at the ends, up to which the curve then goes. */
static PetscErrorCode reach(RhxGap p, double typical, double *most)
{
  double m[NTAU], tau[NWAYS], g;

  PetscFunctionBegin;
  *most = PetscMax(fabs(p->tau[0]), fabs(p->tau[1]));
  if (!is_twisted(p)) PetscFunctionReturn(PETSC_SUCCESS);
  *most = PetscMax(stresses(p, p->low, m, tau), stresses(p, p->high, m, tau));
  for (g = RhxCurveGetFastest(p->curve); !(p->beyond > 0) && RhxCurveAtRate(p->curve, g, NULL).T < *most;
       g = RhxCurveGetFastest(p->curve))
    PetscCall(extend(p, WIDER * g, typical));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the flow of the rates misses at end 1, of U and w, and the slopes of that; both begin with 0. None, where the laws do not go as far. */
static PetscErrorCode lay_flow(RhxGap p, double typical, double miss[NWAYS], double slope[NWAYS][NTAU])
{
  const Rise *all;
  double most;

  PetscFunctionBegin;
  PetscCall(extend(p, PetscMax(PetscMax(fabs(p->g[0]), fabs(p->g[1])), fabs(p->g[2])), typical));
  if (p->beyond > 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (int e = 0; e < NTAU; e++)
    p->tau[e] = copysign(RhxCurveAtRate(p->curve, fabs(p->g[e]), &p->stiffness[e]).T, p->g[e]);
  for (int e = 0; e < 2; e++) PetscCall(find_slip(p, e));
  PetscCall(reach(p, typical, &most));
  if (p->beyond > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(lay_panels(p, most));
  all = &p->rise[p->n - 1];
  p->start = (Rise){{p->speed[0] + p->way[0], p->turning[0]}, {{p->mobility[0]}}};
  if (p->shape.end[0].free) {
    p->start.v[ALONG] = p->speed[1] + p->way[1] - all->v[ALONG];
    for (int e = 0; e < NTAU; e++) p->start.d[ALONG][e] = -all->d[ALONG][e] - (e == 1 ? p->mobility[1] : 0);
  } else if (!p->shape.end[1].free) {
    miss[ALONG] = p->start.v[ALONG] + all->v[ALONG] - p->speed[1] - p->way[1];
    for (int e = 0; e < NTAU; e++) slope[ALONG][e] = all->d[ALONG][e] + (e < 2 ? p->mobility[e] : 0);
  }
  if (is_twisted(p)) {
    miss[ROUND] = p->turning[0] + all->v[ROUND] - p->turning[1];
    for (int e = 0; e < NTAU; e++) slope[ROUND][e] = all->d[ROUND][e];
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
static double measure(RhxGap p, PetscBool fastest, double slope[NTAU])
{
  double sum = 0;

  for (int e = 0; e < NTAU; e++) slope[e] = 0;
  for (PetscInt i = 0; i < (fastest ? 1 : p->nnodes); i++) {
    const Rise rise = rise_to(p, fastest ? place_of_no_shear(p) : p->r[i]);
    const double share = fastest ? 1 : p->share[i];
    sum += share * (p->start.v[ALONG] + rise.v[ALONG]);
    for (int e = 0; e < NTAU; e++) slope[e] += share * (p->start.d[ALONG][e] + rise.d[ALONG][e]);
  }
  return sum;
}

static double determinant(double a[NTAU][NTAU])
{
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* By Cramer's rule. */
static void solve(double a[NTAU][NTAU], const double lack[NTAU], double step[NTAU])
{
  const double det = determinant(a);

  for (int e = 0; e < NTAU; e++) {
    double b[NTAU][NTAU];
    for (int i = 0; i < NTAU; i++)
      for (int k = 0; k < NTAU; k++) b[i][k] = k == e ? -lack[i] : a[i][k];
    step[e] = determinant(b) / det;
  }
}

/* What the flow of the rates lacks, infinite where the laws do not go as far, and Newton's step for them; over: the largest velocity, flux and
 * turning. */
static PetscErrorCode find_step(RhxGap p, PetscBool fastest, double typical, const double over[NTAU], double step[NTAU],
                                double *size)
{
  double lack[NTAU], slope[NTAU][NTAU], miss[NWAYS] = {0, 0}, by[NWAYS][NTAU] = {{0}};
  const PetscBool twisted = is_twisted(p), whole = (PetscBool)(!p->shape.end[0].free && !p->shape.end[1].free);

  PetscFunctionBegin;
  PetscCall(lay_flow(p, typical, miss, by));
  *size = PETSC_INFINITY;
  if (p->beyond > 0) PetscFunctionReturn(PETSC_SUCCESS);
  lack[0] = miss[ALONG];
  lack[1] = measure(p, fastest, slope[1]) - p->aim;
  lack[2] = miss[ROUND];
  for (int e = 0; e < NTAU; e++) {
    slope[0][e] = whole ? by[ALONG][e] * p->stiffness[e] : p->shape.end[e == 1].free && e < 2;
    slope[1][e] *= p->stiffness[e];
    slope[2][e] = twisted ? by[ROUND][e] * p->stiffness[e] : e == 2;
  }
  solve(slope, lack, step);
  *size = 0;
  for (int e = 0; e < NTAU; e++)
    if (!(fabs(lack[e]) / over[e] <= *size)) *size = fabs(lack[e]) / over[e];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of a step after which no rate is far beyond those known. */
static double limit(RhxGap p, const double step[NTAU])
{
  const double now = PetscMax(PetscMax(fabs(p->g[0]), fabs(p->g[1])), fabs(p->g[2]));
  const double most = PetscMax(WIDER * now, RhxCurveGetFastest(p->curve));
  double part = 1;

  for (int e = 0; e < NTAU; e++) {
    const double next = p->g[e] + step[e];
    if (fabs(next) > most) part = PetscMin(part, (copysign(most, next) - p->g[e]) / step[e]);
  }
  return part;
}

static PetscErrorCode iterate(RhxGap p, PetscBool fastest, double typical, const double over[NTAU])
{
  double step[NTAU], size, g[NTAU], beyond = 0;

  PetscFunctionBegin;
  PetscCall(RhxCurveExtend(p->curve, typical, typical));
  PetscCall(PetscArrayzero(p->g, NTAU));
  PetscCall(find_step(p, fastest, typical, over, step, &size));
  for (int it = 0; it < TRIES && size > CLOSE; it++) {
    double part = limit(p, step), next[NTAU], now = size;
    int halved = 0;
    beyond = 0;
    PetscCall(PetscArraycpy(g, p->g, NTAU));
    for (; halved < HALVINGS; halved++, part *= 0.5) {
      for (int e = 0; e < NTAU; e++) p->g[e] = e < 2 && p->shape.end[e].free ? 0 : g[e] + part * step[e];
      PetscCall(find_step(p, fastest, typical, over, next, &now));
      if (p->beyond > 0) beyond = p->beyond;
      if (now < size) break;
    }
    if (halved == HALVINGS) {
      PetscCall(PetscArraycpy(p->g, g, NTAU));
      PetscCall(find_step(p, fastest, typical, over, next, &now));
      break;
    }
    PetscCall(PetscArraycpy(step, next, NTAU));
    size = now;
  }
  if (!(size <= ENOUGH) && beyond > 0) PetscCall(RhxCurveExtend(p->curve, beyond, typical)); /* the laws' own error */
  PetscCheck(size <= ENOUGH, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "label '%s', its developed flow (-bc_%s_profile, or of its polymer): none found between the walls at its "
             "ends: got shear rates %.3g and %.3g 1/s there that miss by %.1g, expected %.1g",
             p->shape.label, p->shape.label, p->g[0], p->g[1], size, ENOUGH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGapSolve(RhxGap p, double aim, PetscBool fastest)
{
  const double twist = is_twisted(p) ? fabs(p->turning[1] - p->turning[0]) : 0;
  double area = 0, over[NTAU];

  PetscFunctionBegin;
  if (p->known && aim == p->aim) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < p->nnodes; i++) area += p->share[i];
  if (fastest) area = 1;
  over[0] = PetscMax(fabs(aim) / area, PetscMax(fabs(p->speed[0]), fabs(p->speed[1])));
  over[1] = over[0] * area;
  over[2] = twist > 0 ? fastest_turning(p) : 1;
  p->aim = aim;
  p->rests = (PetscBool) !(over[0] > 0 || twist > 0);
  if (over[0] == 0) over[0] = twist * p->low, over[1] = over[0] * area;
  if (!p->rests) PetscCall(iterate(p, fastest, 2 * PetscMax(over[0], twist * p->low) / (p->high - p->low), over));
  p->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxGapVelocity(RhxGap p, const PetscReal *x, PetscReal *U, PetscReal gradient[2])
{
  const double r = PetscMin(PetscMax(RhxGapPlace(p, x), p->low), p->high);
  double m[NTAU], tau[NWAYS], T, rate = 0;

  *U = 0;
  if (p->known && !p->rests) {
    T = stresses(p, r, m, tau);
    if (T > 0) rate = tau[ALONG] / T * RhxCurveAtStress(p->curve, T, NULL).g;
    *U = p->start.v[ALONG] + rise_to(p, r).v[ALONG];
  }
  for (int d = 0; d < 2; d++) gradient[d] = rate * p->shape.across[d];
}

PetscReal RhxGapSwirl(RhxGap p, const PetscReal *x)
{
  const double r = PetscMin(PetscMax(RhxGapPlace(p, x), p->low), p->high);

  if (is_twisted(p)) return p->known ? r * (p->turning[0] + rise_to(p, r).v[ROUND]) : 0;
  return r * p->turning[p->shape.end[0].turner ? 0 : 1];
}

PetscReal RhxGapPlace(RhxGap p, const PetscReal *x)
{
  const PetscReal *from = p->shape.end[0].x, *e = p->shape.across;
  return p->low + (x[0] - from[0]) * e[0] + (x[1] - from[1]) * e[1];
}

/* Turning of the wall at an end that has a radius. */
static PetscErrorCode turn(RhxGap p, int e, double t, double a)
{
  RhxCondition *turner = p->shape.end[e].turner;
  const double r = e ? p->high : p->low;
  PetscReal w = 0;

  PetscFunctionBegin;
  if (!turner || !(r > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxConditionTurn(turner, t, 1, p->shape.end[e].x, &w));
  w *= a / r;
  if (PetscIsInfOrNanReal(w)) w = 0; /* noted */
  if (w != p->turning[e]) p->known = PETSC_FALSE;
  p->turning[e] = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGapMove(RhxGap p, double t, double a)
{
  PetscFunctionBegin;
  for (int e = 0; e < 2; e++) {
    RhxCondition *wall = p->shape.end[e].wall;
    PetscReal u[2], speed;
    PetscCall(turn(p, e, t, a));
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
    if (end->turner == wall) return PETSC_TRUE;
    if (end->wall == wall && (end->free || end->moves || end->slips || wall->turning)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool RhxGapChanges(RhxGap p, double t0, double t1)
{
  for (int e = 0; p && e < 2; e++) {
    RhxCondition *wall = p->shape.end[e].wall, *turner = p->shape.end[e].turner;
    if (turner && RhxConditionTurnChanges(turner, t0, t1)) return PETSC_TRUE;
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
