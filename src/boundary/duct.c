/* The velocity w along the normal of the section is the minimum of int Phi(|grad w|) dA, Phi' = T the flow curve of all laws, among those that
 * carry the flux: (grad v, T/g grad w) = K (v, 1), g = |grad w|, K the pressure's fall. Exact for laws without second normal stress
 * difference; with one, a duct that is not round has a secondary flow, which is left out. Newton's method from the flow of constant
 * viscosity, in one step where T is linear. */
#include "boundary/duct.h"
#include "boundary/curve.h"

#define CLOSE 1e-11  /* of the largest velocity: Newton's last change */
#define ROUNDED 1e-6 /* change whose energy, of its square, is lost in that of the flow */
#define LEAST_PART 1e-6
#define MOST_STEPS 100
#define MOST_TRIES 40 /* of the flux for a velocity */

struct _p_RhxDuct {
  RhxSection s; /* borrowed */
  RhxCurve curve;
  PetscInt n, *unknown;         /* moving nodes; [nnodes] number of a node's, -1: at rest */
  PetscReal *w, *trial, *share; /* [nnodes]; share: flux of a unit velocity of the node */
  double aim, fastest;          /* what w is for; largest |grad w| */
  PetscReal longest;            /* edge of the square of the section's area */
  Mat A;                        /* [n][n] tangent */
  Vec r, b, flow, load;         /* [n] residual, shares; A flow = r, A load = b */
  KSP ksp;
};

/* T at g, as far as the laws go. */
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

static PetscReal gradient(RhxDuct d, PetscInt face, const PetscReal *w, PetscReal dN[4][2], PetscReal g[2])
{
  g[0] = g[1] = 0;
  for (PetscInt a = 0; a < RhxSectionCorners(d->s, face); a++)
    for (PetscInt k = 0; k < 2; k++) g[k] += dN[a][k] * w[d->s->node[4 * face + a]];
  return PetscSqrtReal(g[0] * g[0] + g[1] * g[1]);
}

/* int Phi dA of w, and its largest shear rate. */
static PetscErrorCode energy(RhxDuct d, const PetscReal *w, double *sum)
{
  PetscReal N[4], dN[4][2], area, g[2];

  PetscFunctionBegin;
  d->fastest = 0;
  for (PetscInt f = 0; f < d->s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(d->s, f, q, N, dN, &area); q++)
      d->fastest = PetscMax(d->fastest, gradient(d, f, w, dN, g));
  PetscCall(reach(d, d->fastest));
  *sum = 0;
  for (PetscInt f = 0; f < d->s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(d->s, f, q, N, dN, &area); q++)
      *sum += area * RhxCurveAtRate(d->curve, gradient(d, f, w, dN, g), NULL).J;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual without K and tangent T/g I + (T' - T/g) e e^T, e = grad w/g. */
static PetscErrorCode assemble(RhxDuct d)
{
  PetscReal N[4], dN[4][2], area, e[2];

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(d->A));
  PetscCall(VecZeroEntries(d->r));
  for (PetscInt f = 0; f < d->s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(d->s, f, q, N, dN, &area); q++) {
      const PetscInt n = RhxSectionCorners(d->s, f);
      const PetscReal g = gradient(d, f, d->w, dN, e);
      PetscInt row[4];
      PetscScalar K[16], r[4];
      double slope, eta;
      const RhxCurvePlace p = RhxCurveAtRate(d->curve, g, &slope);
      eta = g > 0 ? p.T / g : slope;
      for (PetscInt k = 0; k < 2 && g > 0; k++) e[k] /= g;
      for (PetscInt a = 0; a < n; a++) {
        const PetscReal along = dN[a][0] * e[0] + dN[a][1] * e[1];
        row[a] = d->unknown[d->s->node[4 * f + a]];
        r[a] = area * eta * g * along;
        for (PetscInt c = 0; c < n; c++)
          K[a * n + c] = area * (eta * (dN[a][0] * dN[c][0] + dN[a][1] * dN[c][1]) +
                                 (slope - eta) * along * (dN[c][0] * e[0] + dN[c][1] * e[1]));
      }
      PetscCall(MatSetValues(d->A, n, row, n, row, K, ADD_VALUES));
      PetscCall(VecSetValues(d->r, n, row, r, ADD_VALUES));
    }
  PetscCall(MatAssemblyBegin(d->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(d->A, MAT_FINAL_ASSEMBLY));
  PetscCall(VecAssemblyBegin(d->r));
  PetscCall(VecAssemblyEnd(d->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step dw = K A^-1 b - A^-1 r that keeps the flux, into flow; K such that b.dw = 0, but at rest that of the flux `aim`. */
static PetscErrorCode newton_step(RhxDuct d, double aim)
{
  PetscScalar by_flow, by_load;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(assemble(d));
  PetscCall(KSPSetOperators(d->ksp, d->A, d->A));
  PetscCall(KSPSolve(d->ksp, d->r, d->flow));
  PetscCall(KSPSolve(d->ksp, d->b, d->load));
  PetscCall(KSPGetConvergedReason(d->ksp, &reason));
  PetscCheck(reason >= 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no developed flow found over a label of %d nodes",
             (int)d->s->nnodes);
  PetscCall(VecDot(d->b, d->flow, &by_flow));
  PetscCall(VecDot(d->b, d->load, &by_load));
  PetscCall(VecAXPBY(d->flow, (by_flow + aim) / by_load, -1, d->load));
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

/* The longest part of the step, in halves, that does not raise the energy `now`; change: that of the whole step. Where rounding alone
 * decides, the whole step. */
static PetscErrorCode search(RhxDuct d, double *now, double *change)
{
  double part, moved, next = 0;

  PetscFunctionBegin;
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

/* Carries the flux: from the last flow, in proportion, or from rest. */
static PetscErrorCode solve(RhxDuct d, double aim)
{
  const double typical = aim / (d->s->area * d->longest), before = flux(d);
  double now, change = 1;

  PetscFunctionBegin;
  PetscCall(RhxCurveExtend(d->curve, typical, typical));
  if (before > 0) {
    scale(d, aim / before);
  } else {
    PetscCall(PetscArrayzero(d->w, d->s->nnodes));
    PetscCall(newton_step(d, aim));
    PetscCall(move(d, 1, &change));
    PetscCall(PetscArraycpy(d->w, d->trial, d->s->nnodes));
  }
  PetscCall(energy(d, d->w, &now));
  change = 1;
  for (int it = 0; it < MOST_STEPS && change > CLOSE; it++) {
    PetscCall(newton_step(d, 0));
    PetscCall(search(d, &now, &change));
  }
  PetscCheck(change <= CLOSE, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "no developed flow found over a label of %d nodes: Newton's method still moves by %g of the velocity",
             (int)d->s->nnodes, change);
  scale(d, aim / flux(d));
  PetscCall(RhxCurveExtend(d->curve, d->fastest, typical));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDuctSolve(RhxDuct d, double aim, PetscBool maximum)
{
  double rate = aim;

  PetscFunctionBegin;
  if (aim == d->aim) PetscFunctionReturn(PETSC_SUCCESS);
  d->aim = 0; /* unless it is found */
  if (!(aim > 0)) {
    PetscCall(PetscArrayzero(d->w, d->s->nnodes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (maximum) rate *= 0.5 * d->s->area;
  PetscCall(solve(d, rate));
  for (int it = 0; maximum && it < MOST_TRIES && PetscAbsReal(largest(d) / aim - 1) > CLOSE; it++) {
    rate *= aim / largest(d); /* their ratio changes little */
    PetscCall(solve(d, rate));
  }
  PetscCheck(!maximum || PetscAbsReal(largest(d) / aim - 1) <= 1e-6, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "no developed flow of maximum velocity %g found: got %g", (double)aim, (double)largest(d));
  if (maximum) scale(d, aim / largest(d));
  d->aim = aim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxDuctGetVelocity(RhxDuct d, const PetscReal **w) { *w = d->w; }

PetscErrorCode RhxDuctForget(RhxDuct d)
{
  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  RhxCurveForget(d->curve);
  PetscCall(PetscArrayzero(d->w, d->s->nnodes));
  d->aim = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDuctCreate(RhxForm form, RhxSection section, RhxDuct *duct)
{
  RhxDuct d;
  PetscScalar *b;
  PC pc;
  PetscInt most = 0;

  PetscFunctionBegin;
  PetscCall(PetscNew(duct));
  d = *duct;
  d->s = section;
  d->longest = PetscSqrtReal(section->area);
  PetscCall(RhxCurveCreate(form, &d->curve));
  PetscCall(PetscMalloc1(section->nnodes, &d->unknown));
  PetscCall(PetscCalloc1(section->nnodes, &d->w));
  PetscCall(PetscCalloc1(section->nnodes, &d->trial));
  PetscCall(PetscCalloc1(section->nnodes, &d->share));
  PetscCall(RhxSectionUnknowns(section, &d->n, d->unknown, d->share, &most));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, d->n, d->n, most, NULL, &d->A));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, d->n, &d->r));
  PetscCall(VecDuplicate(d->r, &d->b));
  PetscCall(VecDuplicate(d->r, &d->flow));
  PetscCall(VecDuplicate(d->r, &d->load));
  PetscCall(VecSetOption(d->r, VEC_IGNORE_NEGATIVE_INDICES, PETSC_TRUE));
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
  PetscCall(PetscFree(d->unknown));
  PetscCall(PetscFree(d->w));
  PetscCall(PetscFree(d->trial));
  PetscCall(PetscFree(d->share));
  PetscCall(MatDestroy(&d->A));
  PetscCall(VecDestroy(&d->r));
  PetscCall(VecDestroy(&d->b));
  PetscCall(VecDestroy(&d->flow));
  PetscCall(VecDestroy(&d->load));
  PetscCall(KSPDestroy(&d->ksp));
  PetscCall(PetscFree(*duct));
  PetscFunctionReturn(PETSC_SUCCESS);
}
