/* Velocity and velocity gradient of a condition, and the law's steady state in it. */
#include "boundary/impl.h"

PetscReal RhxRamp(double t, double ramp)
{
  if (t >= ramp) return 1;
  return t <= 0 ? 0 : 0.5 * (1 - PetscCosReal(PETSC_PI * t / ramp));
}

void RhxBoundaryPlace(RhxBoundary bc, const PetscReal *x, char *text, size_t size)
{
  if (bc->space->dim == 2)
    snprintf(text, size, "(%g, %g)", x[0], x[1]);
  else
    snprintf(text, size, "(%g, %g, %g)", x[0], x[1], x[2]);
}

PetscErrorCode RhxBoundaryFormula(RhxBoundary bc, RhxFormula f, double t, PetscInt n, const PetscReal *x,
                                  PetscInt stride, PetscReal *values)
{
  PetscInt dim = bc->space->dim;
  const char *option, *text;
  char place[128];

  PetscFunctionBegin;
  PetscCall(RhxFormulaEvaluateStrided(f, t, n, dim, x, stride, values));
  for (PetscInt i = 0; i < n; i++) {
    if (bc->failure[0] || !PetscIsInfOrNanReal(values[i * stride])) continue;
    RhxBoundaryPlace(bc, x + i * dim, place, sizeof(place));
    PetscCall(RhxFormulaGetText(f, &option, &text));
    snprintf(bc->failure, sizeof(bc->failure), "-%s: formula \"%s\" gives %g at %s, t = %g; expected a finite number",
             option, text, values[i * stride], place, t); /* PetscSNPrintf writes 1 as "1." */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRaise(RhxBoundary bc)
{
  PetscMPIInt rank, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(bc->comm, &rank));
  first = bc->failure[0] ? rank : PETSC_MPI_INT_MAX;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, bc->comm));
  if (first == PETSC_MPI_INT_MAX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(bc->failure, sizeof(bc->failure), MPI_CHAR, first, bc->comm));
  SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG, "%s", bc->failure);
}

/* U_max of the parabola at full speed; a flow rate that is no number is noted as this rank's failure. */
static PetscErrorCode parabola_maximum(RhxBoundary bc, const RhxCondition *c, double t, PetscReal *maximum)
{
  PetscFunctionBegin;
  *maximum = c->opt->maximum_velocity >= 0 ? c->opt->maximum_velocity
                                           : c->opt->mean_velocity * (bc->space->dim == 2 ? 1.5 : 2);
  if (!c->flow_rate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformEvaluate(c->flow_rate, t, maximum));
  if (!bc->failure[0] && PetscIsInfOrNanReal(*maximum))
    snprintf(bc->failure, sizeof(bc->failure),
             "-bc_%s_flow_rate: \"%.200s\" gives %g at t = %g; expected a finite number", c->label, c->opt->flow_rate,
             *maximum, t);
  *maximum /= c->geo.flux;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U = U_max (1 - r^2/half^2), against the outward normal on inlets and along it on outlets; u = U d, L = d (x) grad U. */
static void parabola(RhxBoundary bc, const RhxCondition *c, PetscReal maximum, PetscInt n, const PetscReal *x,
                     PetscReal *u, PetscReal *L)
{
  const RhxLabelGeometry *geo = &c->geo;
  PetscInt dim = bc->space->dim;
  PetscReal sign = c->type->flags & RHX_TYPE_INWARD ? -1 : 1, square = geo->half * geo->half;

  for (PetscInt i = 0; i < n; i++) {
    PetscReal r[3], rn = 0, r2 = 0;
    for (PetscInt d = 0; d < dim; d++) {
      r[d] = x[i * dim + d] - geo->centre[d];
      rn += r[d] * geo->normal[d];
    }
    for (PetscInt d = 0; d < dim; d++) {
      r[d] -= rn * geo->normal[d];
      r2 += r[d] * r[d];
    }
    for (PetscInt a = 0; a < dim; a++) {
      PetscReal direction = sign * geo->normal[a];
      if (u) u[i * dim + a] = direction * maximum * (1 - r2 / square);
      if (!L) continue;
      for (PetscInt b = 0; b < dim; b++) L[(i * dim + a) * dim + b] = -2 * direction * maximum * r[b] / square;
    }
  }
}

/* L_ij = d u_i / d x_j of the formulas by sixth-order central differences. */
static PetscErrorCode formula_gradient(RhxBoundary bc, RhxCondition *c, double t, PetscReal factor, PetscInt n,
                                       const PetscReal *x, PetscReal *L)
{
  static const PetscReal weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  const PetscReal h = 2e-3 * c->geo.extent;
  PetscInt dim = bc->space->dim;
  PetscReal *shifted, *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * dim, &shifted, n, &value));
  PetscCall(PetscArrayzero(L, n * dim * dim));
  for (PetscInt j = 0; j < dim; j++)
    for (PetscInt m = -3; m <= 3; m++) {
      if (m == 0) continue;
      PetscCall(PetscArraycpy(shifted, x, n * dim));
      for (PetscInt i = 0; i < n; i++) shifted[i * dim + j] += m * h;
      for (PetscInt a = 0; a < dim; a++) {
        PetscReal w = factor * (m > 0 ? weight[m - 1] : -weight[-m - 1]) / h;
        PetscCall(RhxBoundaryFormula(bc, c->velocity[a], t, n, shifted, 1, value));
        for (PetscInt i = 0; i < n; i++) L[(i * dim + a) * dim + j] += w * value[i];
      }
    }
  PetscCall(PetscFree2(shifted, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionProfile(RhxBoundary bc, RhxCondition *c, double t, PetscInt n, const PetscReal *x,
                                   PetscReal *u, PetscReal *L)
{
  PetscReal factor = RhxRamp(t, c->opt->ramp);
  PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  if (c->opt->profile == RHX_PROFILE_PARABOLIC) {
    PetscReal maximum;
    PetscCall(parabola_maximum(bc, c, t, &maximum));
    parabola(bc, c, factor * maximum, n, x, u, L);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (u && !c->velocity[0]) PetscCall(PetscArrayzero(u, n * dim));
  if (!c->velocity[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt a = 0; u && a < dim; a++) {
    PetscCall(RhxBoundaryFormula(bc, c->velocity[a], t, n, x, dim, u + a));
    for (PetscInt i = 0; i < n; i++) u[i * dim + a] *= factor;
  }
  if (L) PetscCall(formula_gradient(bc, c, t, factor, n, x, L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryNote(RhxBoundary bc, PetscErrorCode ierr, const char *what, const PetscReal *x)
{
  char place[128], *why = NULL;

  PetscFunctionBegin;
  RhxBoundaryPlace(bc, x, place, sizeof(place));
  PetscCall(PetscErrorMessage(ierr, NULL, &why));
  PetscCall(PetscSNPrintf(bc->failure, sizeof(bc->failure), "%s at %s: %s", what, place, why ? why : "failed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Node of the largest shear rate. */
static PetscInt fastest(PetscInt dim, PetscInt n, const PetscReal *L, double *rate)
{
  PetscInt which = 0;

  *rate = 0;
  for (PetscInt i = 0; i < n; i++) {
    PetscReal square = 0;
    for (PetscInt a = 0; a < dim; a++)
      for (PetscInt b = 0; b < dim; b++)
        square += 0.5 * PetscSqr(L[(i * dim + a) * dim + b] + L[(i * dim + b) * dim + a]);
    if (square > *rate) {
      *rate = square;
      which = i;
    }
  }
  *rate = PetscSqrtReal(*rate);
  return which;
}

PetscErrorCode RhxBoundaryDeveloped(RhxBoundary bc, PetscInt n, const PetscReal *x, const PetscReal *L, PetscReal *s,
                                    PetscReal *tau)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens, nmodes = bc->form->nmodes;
  PetscReal dummy[6], rate;
  PetscErrorCode ierr = PETSC_SUCCESS;
  PetscInt fast;

  PetscFunctionBegin;
  if (bc->failure[0]) n = 0;                                       /* the gradient may not be finite */
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); /* raised on all ranks by RhxBoundaryRaise */
  fast = fastest(dim, n, L, &rate);
  ierr = RhxFormCheckFlowCurve(bc->form, rate);
  if (ierr) PetscCall(RhxBoundaryNote(bc, ierr, "developed flow", x + fast * dim));
  for (PetscInt i = 0; i < n && !ierr; i++)
    for (PetscInt k = 0; k < nmodes && !ierr; k++) {
      PetscInt at = (i * nmodes + k) * ntens;
      ierr = RhxFormDeveloped(bc->form, k, L + i * dim * dim, s ? s + at : dummy, tau ? tau + at : dummy);
      if (ierr) PetscCall(RhxBoundaryNote(bc, ierr, "developed polymer stress", x + i * dim));
    }
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}
