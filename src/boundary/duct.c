/* The velocity w along the normal of the section is the minimum of int Phi(|grad w|) dA, Phi' = T the flow curve of all laws, among those that
 * carry the flux and have the walls' velocity at these: (grad v, T/g grad w) + <v, tau(w)> = K (v, 1), g = |grad w|, K the pressure's fall, tau the friction of
 * walls with slip. Exact for laws without second normal stress
 * difference; with one, a duct that is not round has a secondary flow, which is left out. Newton's method from the flow of constant
 * viscosity, in one step where T is linear. A flow that changes in time is extrapolated in its flux from the last ones and mended by chord
 * steps with the last factors of the tangent; where these do not close in fast, Newton's method renews them. */
#include "boundary/curve_impl.h"
#include "boundary/duct_impl.h"

#define CLOSE 1e-11  /* of the largest velocity: Newton's last change */
#define ROUNDED 1e-6 /* change whose energy, of its square, is lost in that of the flow */
#define LEAST_PART 1e-6
#define PASSED 0.5
#define MOST_STEPS 100
#define MOST_TRIES 40 /* of the flux for a velocity */
#define NPAST 3       /* flows that the next is extrapolated from */
#define MOST_WEIGHT 4 /* of one of them: beyond, fewer */
#define MOST_CHORDS 8 /* steps with old factors */
#define CLOSING 0.3   /* change over the last one, at most */
#define MENDED 1e-13  /* of the largest velocity: what is left after the last chord step */

typedef struct { /* of quadrature */
  PetscReal dN[4][2], area;
  PetscInt n, node[4];
} Point;

typedef struct { /* of an edge that slips */
  PetscReal N[2], length;
  PetscInt edge, node[2]; /* of the rim */
} RimPoint;

struct _p_RhxDuct {
  RhxSection s; /* borrowed */
  PetscInt npoints;
  Point *point;
  PetscInt nslips;
  RimPoint *slip;
  RhxRim rim; /* or NULL */
  RhxCurve curve;
  PetscInt n, *unknown;         /* nodes of no wall without slip; [nnodes] number of a node's, -1: of a wall */
  PetscReal *w, *trial, *share; /* [nnodes]; share: flux of a unit velocity of the node */
  PetscBool known, begun;       /* is w for `aim`? Is it, and are the factors, those of a flow? */
  double aim, fastest;          /* largest |grad w| */
  double speed;                 /* of the fastest wall */
  double constant;              /* viscosity of the flow that Newton's method begins from, 0: that of the curve */
  PetscReal *past[NPAST];       /* [nnodes] the last flows, the latest first, and */
  double past_flux[NPAST];      /* what they carry */
  int npast;
  PetscReal longest;    /* edge of the square of the section's area */
  Mat A;                /* [n][n] tangent */
  Vec r, b, flow, load; /* [n] residual, shares; A flow = r, A load = b */
  KSP ksp;
};

/* T at g. */
static double stress(RhxDuct d, double g, double *slope)
{
  if (!(d->constant > 0)) return RhxCurveAtRate(d->curve, g, slope).T;
  if (slope) *slope = d->constant;
  return d->constant * g;
}

/* The curve up to g, as far as the laws go. */
static PetscErrorCode reach(RhxDuct d, double g)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (g == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = RhxCurveExtend(d->curve, g, g); /* what is beyond is asked for again at the end */
  PetscCall(PetscPopErrorHandler());
  (void)ierr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal gradient(const Point *p, const PetscReal *w, PetscReal g[2])
{
  g[0] = g[1] = 0;
  for (PetscInt a = 0; a < p->n; a++)
    for (PetscInt k = 0; k < 2; k++) g[k] += p->dN[a][k] * w[p->node[a]];
  return PetscSqrtReal(g[0] * g[0] + g[1] * g[1]);
}

/* The largest shear rate of w, to which the curve then goes. */
static PetscErrorCode find_fastest(RhxDuct d, const PetscReal *w)
{
  PetscReal g[2];

  PetscFunctionBegin;
  d->fastest = 0;
  for (PetscInt i = 0; i < d->npoints; i++) d->fastest = PetscMax(d->fastest, gradient(&d->point[i], w, g));
  PetscCall(reach(d, d->fastest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* int Phi dA of w, and its largest shear rate. */
static PetscErrorCode energy(RhxDuct d, const PetscReal *w, double *sum)
{
  PetscReal g[2];

  PetscFunctionBegin;
  PetscCall(find_fastest(d, w));
  *sum = 0;
  for (PetscInt i = 0; i < d->npoints; i++)
    *sum += d->point[i].area * RhxCurveAtRate(d->curve, gradient(&d->point[i], w, g), NULL).J;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tau of a place of the rim, and its slope. */
static PetscErrorCode rub(RhxDuct d, const RimPoint *p, double *tau, double *slope)
{
  PetscFunctionBegin;
  PetscCall(RhxRimFriction(d->rim, p->edge, p->N[0] * d->w[p->node[0]] + p->N[1] * d->w[p->node[1]], tau, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual without K. */
static PetscErrorCode assemble_residual(RhxDuct d)
{
  PetscReal g[2];
  PetscScalar *r;

  PetscFunctionBegin;
  if (!(d->constant > 0)) PetscCall(find_fastest(d, d->w));
  PetscCall(VecZeroEntries(d->r));
  PetscCall(VecGetArray(d->r, &r));
  for (const Point *p = d->point; p < d->point + d->npoints; p++) {
    const PetscReal rate = gradient(p, d->w, g);
    const double eta = rate > 0 ? stress(d, rate, NULL) / rate : 0;
    for (PetscInt a = 0; a < p->n; a++) {
      const PetscInt row = d->unknown[p->node[a]];
      if (row >= 0) r[row] += p->area * eta * (p->dN[a][0] * g[0] + p->dN[a][1] * g[1]);
    }
  }
  for (const RimPoint *p = d->slip; p < d->slip + d->nslips; p++) {
    double tau;
    PetscCall(rub(d, p, &tau, NULL));
    for (PetscInt a = 0; a < 2; a++)
      if (d->unknown[p->node[a]] >= 0) r[d->unknown[p->node[a]]] += p->length * p->N[a] * tau;
  }
  PetscCall(VecRestoreArray(d->r, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tangent T/g I + (T' - T/g) e e^T, e = grad w/g. */
static PetscErrorCode assemble_tangent(RhxDuct d)
{
  PetscReal e[2];
  PetscScalar K[16];
  PetscInt row[4];
  double slope;

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(d->A));
  for (const Point *p = d->point; p < d->point + d->npoints; p++) {
    const PetscReal g = gradient(p, d->w, e);
    const double T = stress(d, g, &slope), eta = g > 0 ? T / g : slope;
    for (PetscInt k = 0; k < 2 && g > 0; k++) e[k] /= g;
    for (PetscInt a = 0; a < p->n; a++) {
      const PetscReal *da = p->dN[a], along = da[0] * e[0] + da[1] * e[1];
      row[a] = d->unknown[p->node[a]];
      for (PetscInt c = 0; c < p->n; c++) {
        const PetscReal *dc = p->dN[c];
        K[a * p->n + c] =
            p->area * (eta * (da[0] * dc[0] + da[1] * dc[1]) + (slope - eta) * along * (dc[0] * e[0] + dc[1] * e[1]));
      }
    }
    PetscCall(MatSetValues(d->A, p->n, row, p->n, row, K, ADD_VALUES));
  }
  for (const RimPoint *p = d->slip; p < d->slip + d->nslips; p++) {
    double tau;
    PetscCall(rub(d, p, &tau, &slope));
    for (PetscInt a = 0; a < 2; a++) row[a] = d->unknown[p->node[a]];
    for (PetscInt k = 0; k < 4; k++) K[k] = p->length * slope * p->N[k / 2] * p->N[k % 2];
    PetscCall(MatSetValues(d->A, 2, row, 2, row, K, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(d->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(d->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step dw = K A^-1 b - A^-1 r that adds `lack` to the flux, into flow: b.dw = lack. A: the tangent at w, or the last one (chord). */
static PetscErrorCode find_step(RhxDuct d, double lack, PetscBool chord)
{
  PetscScalar by_flow, by_load;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(assemble_residual(d));
  if (!chord) {
    PetscCall(assemble_tangent(d));
    PetscCall(KSPSetOperators(d->ksp, d->A, d->A));
    PetscCall(KSPSolve(d->ksp, d->b, d->load));
  }
  PetscCall(KSPSolve(d->ksp, d->r, d->flow));
  PetscCall(KSPGetConvergedReason(d->ksp, &reason));
  PetscCheck(reason >= 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no developed flow found over a label of %d nodes",
             (int)d->s->nnodes);
  PetscCall(VecDot(d->b, d->flow, &by_flow));
  PetscCall(VecDot(d->b, d->load, &by_load));
  PetscCall(VecAXPBY(d->flow, (by_flow + lack) / by_load, -1, d->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* trial = w + part * step; returns the largest change over the largest velocity. */
static PetscErrorCode move(RhxDuct d, double part, double *change)
{
  const PetscScalar *step;
  PetscReal most = 0, largest = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(d->flow, &step));
  for (PetscInt i = 0; i < d->s->nnodes; i++) {
    const PetscReal dw = d->unknown[i] < 0 ? 0 : part * PetscRealPart(step[d->unknown[i]]);
    d->trial[i] = d->w[i] + dw;
    largest = PetscMax(largest, PetscAbsReal(dw));
    most = PetscMax(most, PetscAbsReal(d->trial[i]));
  }
  PetscCall(VecRestoreArrayRead(d->flow, &step));
  *change = most > 0 ? largest / most : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double flux(RhxDuct d)
{
  double sum = 0;
  for (PetscInt i = 0; i < d->s->nnodes; i++) sum += d->share[i] * d->w[i];
  return sum;
}

static double largest(RhxDuct d)
{
  double most = 0;
  for (PetscInt i = 0; i < d->s->nnodes; i++) most = PetscMax(most, d->w[i]);
  return most;
}

static void scale(RhxDuct d, double factor)
{
  for (PetscInt i = 0; i < d->s->nnodes; i++) d->w[i] *= factor;
}

/* Slope along the step of the energy at its part: residual times step, which keeps the flux, so that K has no part. */
static PetscErrorCode slope_at(RhxDuct d, double part, double *slope)
{
  PetscReal *now = d->w;
  double moved;
  PetscScalar dot;

  PetscFunctionBegin;
  PetscCall(move(d, part, &moved));
  d->w = d->trial;
  PetscCall(assemble_residual(d));
  d->w = now;
  PetscCall(VecDot(d->r, d->flow, &dot));
  *slope = PetscRealPart(dot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With friction, whose energy has no closed form: the longest part, in halves, at which the convex energy's slope has fallen to PASSED of the
 * start's in size, or below 0. */
static PetscErrorCode search_by_slope(RhxDuct d, double *change)
{
  double begin, slope, part, moved;

  PetscFunctionBegin;
  PetscCall(slope_at(d, 0, &begin));
  PetscCall(move(d, 1, change));
  for (part = 1; part > LEAST_PART; part *= 0.5) {
    PetscCall(slope_at(d, part, &slope));
    if (slope <= PASSED * PetscAbsReal(begin)) break;
  }
  if (!(part > LEAST_PART)) {
    PetscCheck(
        *change <= ROUNDED, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
        "no developed flow found over a label of %d nodes: no part of a step of Newton's method that moves by %g "
        "of the velocity is downhill",
        (int)d->s->nnodes, *change);
    part = 1;
  }
  PetscCall(move(d, part, &moved));
  PetscCall(PetscArraycpy(d->w, d->trial, d->s->nnodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest part of the step, in halves, that does not raise the energy `now`; change: that of the whole step. Where rounding alone
 * decides, the whole step. */
static PetscErrorCode search(RhxDuct d, double *now, double *change)
{
  double part, moved, next = 0;

  PetscFunctionBegin;
  if (d->nslips) {
    PetscCall(search_by_slope(d, change));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(move(d, 1, change));
  for (part = 1; part > LEAST_PART; part *= 0.5) {
    PetscCall(move(d, part, &moved));
    PetscCall(energy(d, d->trial, &next));
    if (next <= *now * (1 + 1e-13)) break;
  }
  if (!(part > LEAST_PART)) {
    PetscCheck(
        *change <= ROUNDED, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
        "no developed flow found over a label of %d nodes: no part of a step of Newton's method that moves by %g "
        "of the velocity is downhill",
        (int)d->s->nnodes, *change);
    PetscCall(move(d, 1, &moved));
    PetscCall(energy(d, d->trial, &next));
  }
  PetscCall(PetscArraycpy(d->w, d->trial, d->s->nnodes));
  *now = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w for the flux `aim` from the latest flows, as a polynomial of their fluxes: as many as keep its weights small; one in proportion, but beside
 * walls that move as it is. */
static void extrapolate(RhxDuct d, double aim)
{
  double weight[NPAST];
  int n;

  for (n = d->npast; n > 1; n--) {
    PetscBool small = PETSC_TRUE;
    for (int i = 0; i < n; i++) {
      weight[i] = 1;
      for (int k = 0; k < n; k++)
        if (k != i) weight[i] *= (aim - d->past_flux[k]) / (d->past_flux[i] - d->past_flux[k]);
      if (!(PetscAbsReal(weight[i]) <= MOST_WEIGHT)) small = PETSC_FALSE;
    }
    if (small) break;
  }
  if (n == 1) weight[0] = d->speed > 0 ? 1 : aim / d->past_flux[0];
  for (PetscInt i = 0; i < d->s->nnodes; i++) {
    d->w[i] = 0;
    for (int k = 0; k < n; k++) d->w[i] += weight[k] * d->past[k][i];
  }
}

/* Chord steps from w; done: what is left is below MENDED, or rounding alone. A step that does not close in is not taken. */
static PetscErrorCode close_in(RhxDuct d, double aim, PetscBool *done)
{
  double last = 1, change;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  for (int it = 0; it < MOST_CHORDS && !*done; it++) {
    PetscCall(find_step(d, aim - flux(d), PETSC_TRUE));
    PetscCall(move(d, 1, &change));
    *done = (PetscBool)(change <= MENDED);
    if (change <= CLOSING * last) {
      PetscCall(PetscArraycpy(d->w, d->trial, d->s->nnodes));
      if (it && change * change / last <= MENDED) *done = PETSC_TRUE; /* the next would be that small */
      last = change;
    } else {
      if (last <= CLOSE) *done = PETSC_TRUE;
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode by_newton(RhxDuct d)
{
  double now, change = 1;

  PetscFunctionBegin;
  PetscCall(energy(d, d->w, &now));
  for (int it = 0; it < MOST_STEPS && change > CLOSE; it++) {
    PetscCall(find_step(d, 0, PETSC_FALSE));
    PetscCall(search(d, &now, &change));
  }
  PetscCheck(change <= CLOSE, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "no developed flow found over a label of %d nodes: Newton's method still moves by %g of the velocity",
             (int)d->s->nnodes, change);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode remember(RhxDuct d, double aim)
{
  PetscReal *oldest = d->past[NPAST - 1];

  PetscFunctionBegin;
  for (int i = NPAST - 1; i > 0; i--) {
    d->past[i] = d->past[i - 1];
    d->past_flux[i] = d->past_flux[i - 1];
  }
  d->past[0] = oldest;
  d->past_flux[0] = aim;
  PetscCall(PetscArraycpy(oldest, d->w, d->s->nnodes));
  d->npast = PetscMin(d->npast + 1, NPAST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w from the last flows of the same walls, from the last one of others, or, at first, from constant viscosity; then w carries the flux. */
static PetscErrorCode begin(RhxDuct d, double aim, PetscBool *done)
{
  double change;

  PetscFunctionBegin;
  if (d->npast) extrapolate(d, aim);
  for (PetscInt i = 0; i < d->s->nnodes; i++)
    if (d->unknown[i] < 0 || !d->begun) d->w[i] = d->rim && d->unknown[i] < 0 ? RhxRimVelocity(d->rim)[i] : 0;
  if (d->begun) PetscCall(close_in(d, aim, done));
  if (*done || (d->npast && !(d->speed > 0))) PetscFunctionReturn(PETSC_SUCCESS);
  if (!d->begun) (void)RhxCurveAtRate(d->curve, 0, &d->constant);
  PetscCall(find_step(d, aim - flux(d), PETSC_FALSE));
  d->constant = 0;
  PetscCall(move(d, 1, &change));
  PetscCall(PetscArraycpy(d->w, d->trial, d->s->nnodes));
  d->begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rounding took of the flux. */
static PetscErrorCode mend_flux(RhxDuct d, double aim)
{
  PetscScalar by_load;
  double change;

  PetscFunctionBegin;
  PetscCall(VecDot(d->b, d->load, &by_load));
  PetscCall(VecCopy(d->load, d->flow));
  PetscCall(move(d, (aim - flux(d)) / PetscRealPart(by_load), &change));
  PetscCall(PetscArraycpy(d->w, d->trial, d->s->nnodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RhxDuct d, double aim)
{
  const double typical = PetscMax(PetscAbsReal(aim) / d->s->area, d->speed) / d->longest;
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxCurveExtend(d->curve, typical, typical));
  PetscCall(begin(d, aim, &done));
  if (!done) PetscCall(by_newton(d));
  PetscCall(mend_flux(d, aim));
  PetscCall(RhxCurveExtend(d->curve, d->fastest, typical));
  PetscCall(remember(d, aim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDuctSolve(RhxDuct d, double aim, PetscBool maximum)
{
  double rate = aim;

  PetscFunctionBegin;
  if (d->known && aim == d->aim) PetscFunctionReturn(PETSC_SUCCESS);
  d->known = (PetscBool)(aim == 0 && !(d->speed > 0)); /* else unless it is found */
  d->aim = aim;
  if (d->known) {
    PetscCall(PetscArrayzero(d->w, d->s->nnodes));
    if (!d->npast) d->begun = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < d->npast && !maximum && !d->known; k++) { /* a scheme asks for times of a step anew */
    d->known = (PetscBool)(aim == d->past_flux[k]);
    if (d->known) PetscCall(PetscArraycpy(d->w, d->past[k], d->s->nnodes));
  }
  if (d->known) PetscFunctionReturn(PETSC_SUCCESS);
  if (maximum) rate *= 0.5 * d->s->area;
  PetscCall(solve(d, rate));
  for (int it = 0; maximum && it < MOST_TRIES && PetscAbsReal(largest(d) / aim - 1) > CLOSE; it++) {
    rate *= aim / largest(d); /* their ratio changes little */
    PetscCall(solve(d, rate));
  }
  PetscCheck(!maximum || PetscAbsReal(largest(d) / aim - 1) <= 1e-6, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "no developed flow of maximum velocity %g found: got %g", (double)aim, (double)largest(d));
  if (maximum) scale(d, aim / largest(d));
  d->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDuctMove(RhxDuct d, double t, double a)
{
  PetscBool changed = PETSC_FALSE;

  PetscFunctionBegin;
  if (d->rim) PetscCall(RhxRimMove(d->rim, t, a, &changed));
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  d->speed = 0;
  for (PetscInt i = 0; i < d->s->nnodes; i++) d->speed = PetscMax(d->speed, PetscAbsReal(RhxRimVelocity(d->rim)[i]));
  d->known = PETSC_FALSE;
  d->npast = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxDuctHas(RhxDuct d, const RhxCondition *wall)
{
  return (PetscBool)(d && d->rim && RhxRimHas(d->rim, wall));
}

PetscBool RhxDuctChanges(RhxDuct d, double t0, double t1)
{
  return (PetscBool)(d && d->rim && RhxRimChanges(d->rim, t0, t1));
}

void RhxDuctGetVelocity(RhxDuct d, const PetscReal **w) { *w = d->w; }

PetscErrorCode RhxDuctForget(RhxDuct d)
{
  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  RhxCurveForget(d->curve);
  d->known = d->begun = PETSC_FALSE;
  d->npast = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_points(RhxDuct d)
{
  RhxSection s = d->s;
  PetscReal N[4];
  PetscInt n = 0;
  Point at;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(s, f, q, N, at.dN, &at.area); q++) n++;
  PetscCall(PetscMalloc1(n, &d->point));
  d->npoints = n;
  n = 0;
  for (PetscInt f = 0; f < s->nfaces; f++) {
    at.n = RhxSectionCorners(s, f);
    for (PetscInt a = 0; a < at.n; a++) at.node[a] = s->node[4 * f + a];
    for (PetscInt q = 0; RhxSectionPoint(s, f, q, N, at.dN, &at.area); q++) d->point[n++] = at;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two points of Gauss's rule an edge. */
static PetscErrorCode create_rim(RhxDuct d)
{
  const RhxSection s = d->s;
  const PetscReal off = 0.5 - 0.5 / PetscSqrtReal(3.0);
  RimPoint *p;

  PetscFunctionBegin;
  if (!d->rim) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(2 * s->nrim, &d->slip));
  p = d->slip;
  for (PetscInt i = 0; i < s->nrim; i++) {
    const PetscReal *x = s->edge + 4 * i;
    if (s->slip[i] < 0) continue;
    for (PetscInt q = 0; q < 2; q++, p++) {
      p->edge = i;
      p->length = 0.5 * PetscSqrtReal(PetscSqr(x[2] - x[0]) + PetscSqr(x[3] - x[1]));
      for (PetscInt a = 0; a < 2; a++) {
        p->N[a] = a == q ? 1 - off : off;
        p->node[a] = s->rim[2 * i + a];
      }
    }
  }
  d->nslips = (PetscInt)(p - d->slip);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDuctCreate(RhxForm form, RhxSection section, RhxRim rim, RhxDuct *duct)
{
  RhxDuct d;
  PetscScalar *b;
  PC pc;
  PetscInt most = 0;

  PetscFunctionBegin;
  PetscCall(PetscNew(duct));
  d = *duct;
  d->s = section;
  d->rim = rim;
  d->longest = PetscSqrtReal(section->area);
  PetscCall(create_points(d));
  PetscCall(create_rim(d));
  PetscCall(RhxCurveCreate(form, &d->curve));
  PetscCall(PetscMalloc1(section->nnodes, &d->unknown));
  PetscCall(PetscCalloc1(section->nnodes, &d->w));
  PetscCall(PetscCalloc1(section->nnodes, &d->trial));
  PetscCall(PetscCalloc1(section->nnodes, &d->share));
  for (int i = 0; i < NPAST; i++) PetscCall(PetscMalloc1(section->nnodes, &d->past[i]));
  PetscCall(RhxSectionUnknowns(section, &d->n, d->unknown, d->share, &most));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, d->n, d->n, most, NULL, &d->A));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, d->n, &d->r));
  PetscCall(VecDuplicate(d->r, &d->b));
  PetscCall(VecDuplicate(d->r, &d->flow));
  PetscCall(VecDuplicate(d->r, &d->load));
  PetscCall(VecGetArray(d->b, &b));
  for (PetscInt i = 0; i < section->nnodes; i++)
    if (d->unknown[i] >= 0) b[d->unknown[i]] = d->share[i];
  PetscCall(VecRestoreArray(d->b, &b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &d->ksp));
  PetscCall(KSPSetType(d->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(d->ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDuctDestroy(RhxDuct *duct)
{
  RhxDuct d = *duct;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCurveDestroy(&d->curve));
  PetscCall(RhxRimDestroy(&d->rim));
  PetscCall(PetscFree(d->point));
  PetscCall(PetscFree(d->slip));
  PetscCall(PetscFree(d->unknown));
  PetscCall(PetscFree(d->w));
  PetscCall(PetscFree(d->trial));
  PetscCall(PetscFree(d->share));
  for (int i = 0; i < NPAST; i++) PetscCall(PetscFree(d->past[i]));
  PetscCall(MatDestroy(&d->A));
  PetscCall(VecDestroy(&d->r));
  PetscCall(VecDestroy(&d->b));
  PetscCall(VecDestroy(&d->flow));
  PetscCall(VecDestroy(&d->load));
  PetscCall(KSPDestroy(&d->ksp));
  PetscCall(PetscFree(*duct));
  PetscFunctionReturn(PETSC_SUCCESS);
}
