/* Labels whose pressure P follows their flux Q. Over a step the pressures drive the fluxes, Q+ = Q^ - dt G (P+ - P), with Q^ the
 * flux if the pressures stayed, along the slope of the last step (its dt may be another), and P+ = f(Q+), f linear about Q^ with the slopes B:
 *   (I + B dt G)(P+ - P) = f(Q^) - P
 * an implicit step in time, stable for any B, while the flow itself is not solved for again. G_jk, m^3/(Pa s^2), is the flux through j of the pressure that is 1 on label k and 0 on other open labels, over the density: the flow at
 * rest begins so, and friction, which is left out, lets it move less, on which side the step is stable.
 * A scheme that solves for the pressures with the flow (`solved`) has P = f(Q) at the end of each of its stages instead, and outlets whose
 * developed stress is that of the flux that arrives have that of Q. */
#include "boundary/coupling_impl.h"
#include "boundary/types/outlet.h"
#include "form/relaxation.h"
#include "petsc_compat.h"
#include <math.h>
#include <petscblaslapack.h>

#define PART 3e-5  /* of a flux, for the slope of what is developed of it, */
#define LEAST 1e-5 /* at least that of a velocity whose Weissenberg number is this */

#define DIMENSION(bc) \
  ((bc)->space->dim == 3 || (bc)->space->axisymmetric ? 3 : 2) /* of a flux: m^3/s, in the plane m^2/s */

static PetscBool follows(const RhxCondition *c) { return (PetscBool)(c->type->follow != NULL); }

/* A value that answers the flux of a label: its pressure, or the flux itself, of which its stress is developed; of some both. */
typedef struct {
  RhxCondition *c;
  PetscBool pressure;
} Answer;

/* Number k of all; false: there are fewer. */
static PetscBool answer(RhxBoundary bc, PetscInt k, Answer *a)
{
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const PetscBool has[2] = {RhxOutletIsArriving(&bc->cond[i]), follows(&bc->cond[i])};
    for (int pressure = 1; pressure >= 0; pressure--) {
      if (!has[pressure] || k--) continue;
      *a = (Answer){&bc->cond[i], (PetscBool)pressure};
      return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

static PetscBool begun(const RhxCondition *c) { return (PetscBool)(c->kept[RHX_FOLLOW_BEGUN] != 0); }

static PetscInt count_followers(RhxBoundary bc)
{
  PetscInt n = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) n += follows(&bc->cond[i]);
  return n;
}

/* K phi = 0, phi = 1 on label k and 0 on other open ones; b: K phi where phi is given. */
static PetscErrorCode potential(RhxBoundary bc, const RhxCondition *c, RhxLaplace *laplace)
{
  KSPConvergedReason reason;
  PetscScalar *given;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(laplace->phi));
  PetscCall(VecGetArray(laplace->phi, &given));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) given[c->faces->node[i]] = 1;
  PetscCall(VecRestoreArray(laplace->phi, &given));
  PetscCall(RhxLaplaceExtend(bc, laplace, &reason));
  PetscCheck(reason > 0, bc->comm, PETSC_ERR_NOT_CONVERGED,
             "-bc_%s_type %s: the flow that its pressure drives was not found: got %s, expected convergence in %d "
             "iterations",
             c->label, c->type->entry.name, KSPConvergedReasons[reason], RHX_LAPLACE_ITERATIONS);
  PetscCall(MatMult(laplace->K, laplace->phi, laplace->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over the step, at the node. */
static PetscErrorCode rise_at(RhxCondition *c, PetscInt node, double *rise)
{
  const RhxBoundary bc = c->bc;
  const PetscReal *x = bc->space->x + (size_t)node * bc->space->dim;
  PetscReal p[2] = {0, 0};

  PetscFunctionBegin;
  if (follows(c)) {
    *rise = c->kept[RHX_FOLLOW_PRESSURE] - c->kept[c->type->nstate + RHX_FOLLOW_PRESSURE];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(c->type->pressure(c, bc->step[k], 1, x, &p[k]));
    if (RhxOutletLoads(c)) PetscCall(RhxOutletLoad(c, bc->step[k], 1, x, &p[k]));
  }
  *rise = p[1] - p[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rise of the open nodes. */
static PetscErrorCode set_rise(RhxBoundary bc)
{
  const RhxOpenNodes *open = RhxFormGetOpenNodes(bc->form);

  PetscFunctionBegin;
  if (!open->rise) PetscFunctionReturn(PETSC_SUCCESS);
  if (open->n) PetscCall(PetscArrayzero(open->rise, open->n));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if ((!follows(c) && !RhxOutletRises(c)) || c->risen || !(c->gives & RHX_TYPE_WEAK_PRESSURE)) continue;
    for (PetscInt j = 0, k = 0; j < open->n; j++) { /* both ascend */
      while (k < c->faces->nnodes && c->faces->node[k] < open->node[j]) k++;
      if (k < c->faces->nnodes && c->faces->node[k] == open->node[j])
        PetscCall(rise_at(c, open->node[j], &open->rise[j]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* given: those too that depend on time alone. */
static PetscErrorCode set_risen(RhxBoundary bc, PetscBool risen, PetscBool given)
{
  PetscFunctionBegin;
  if (!bc->rises) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!follows(c) && !(given && RhxOutletRises(c))) continue;
    if (c->risen == risen && follows(c)) continue; /* the times of a given one are others */
    c->risen = risen;
    c->moved = PETSC_TRUE;
  }
  PetscCall(set_rise(bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBeginStep(RhxBoundary bc, double from, double to)
{
  PetscFunctionBegin;
  bc->step[0] = from;
  bc->step[1] = to;
  PetscCall(set_risen(bc, PETSC_FALSE, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRaisePressure(RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(set_risen(bc, PETSC_TRUE, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUpFollowing(RhxBoundary bc)
{
  const PetscInt n = count_followers(bc);
  PetscBool weak = (PetscBool)(n > 0);
  RhxLaplace laplace;

  PetscFunctionBegin;
  bc->rises = weak;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!RhxOutletRises(&bc->cond[i])) continue;
    bc->rises = bc->cond[i].risen = PETSC_TRUE;
    weak = (PetscBool)(weak || (bc->cond[i].gives & RHX_TYPE_WEAK_PRESSURE));
  }
  if (weak) PetscCall(PetscCalloc1(bc->form->open.n + 1, &RhxFormGetOpenNodes(bc->form)->rise));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(n * n, &bc->drive));
  PetscCall(RhxLaplaceCreate(bc, &laplace));
  for (PetscInt i = 0, k = 0; i < bc->ncond; i++) {
    const PetscScalar *flux;
    if (!follows(&bc->cond[i])) continue;
    PetscCall(potential(bc, &bc->cond[i], &laplace));
    PetscCall(VecGetArrayRead(laplace.b, &flux));
    for (PetscInt l = 0, j = 0; l < bc->ncond; l++) {
      if (!follows(&bc->cond[l])) continue;
      for (PetscInt a = 0; a < bc->cond[l].faces->nnodes; a++)
        bc->drive[j * n + k] += flux[bc->cond[l].faces->node[a]] / bc->form->rho;
      j++;
    }
    PetscCall(VecRestoreArrayRead(laplace.b, &flux));
    k++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bc->drive, (PetscMPIInt)(n * n), MPI_DOUBLE, MPI_SUM, bc->comm));
  PetscCall(RhxLaplaceDestroy(&laplace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBeginFollowing(RhxBoundary bc, const PetscScalar *x)
{
  const PetscInt p = RhxFieldsStart(bc->space->fields, RHX_GROUP_PRESSURE);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    double sum[2] = {0, c->faces->nnodes};
    if (!follows(c)) continue;
    for (PetscInt j = 0; j < c->faces->nnodes; j++) sum[0] += x[(size_t)c->faces->node[j] * bc->space->bs + p];
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, bc->comm));
    c->kept[c->type->nstate + RHX_FOLLOW_PRESSURE] = sum[0] / sum[1];
    c->moved = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pressure and slope that a label gives at the end of a step of dt from t, if its flux is that then. */
static PetscErrorCode follow(RhxCondition *c, double t, double dt, double flux, double *pressure, double *slope)
{
  char got[160]; /* PETSc writes 1 as "1." */

  PetscFunctionBegin;
  PetscCall(c->type->follow(c, t, dt, flux, pressure, slope));
  snprintf(got, sizeof(got), "a pressure of %g Pa with the slope %g Pa s/m^%d at the flux %g m^%d/s", *pressure, *slope,
           DIMENSION(c->bc), flux, DIMENSION(c->bc));
  PetscCheck(!PetscIsInfOrNanReal(*pressure) && *slope >= 0, c->bc->comm, PETSC_ERR_FP,
             "-bc_%s_type %s: got %s, expected a pressure that rises with the flux", c->label, c->type->entry.name,
             got);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryMeetFluxes(RhxBoundary bc, double t, const PetscScalar *x)
{
  PetscScalar *all = NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    double *state = c->kept, slope;
    if (!follows(c) || begun(c)) continue;
    if (!all) {
      PetscCall(PetscMalloc1((size_t)bc->space->nlocal * bc->space->bs, &all));
      PetscCall(RhxSpaceGlobalToLocal(bc->space, bc->space->bs, x, all));
    }
    PetscCall(RhxConditionMeasureFlux(c, all, &c->flux));
    state[RHX_FOLLOW_FLUX] = c->flux;
    PetscCall(follow(c, t, 0.0, c->flux, &state[RHX_FOLLOW_PRESSURE], &slope));
    PetscCall(PetscArraycpy(state + c->type->nstate, state, c->type->nstate));
    c->moved = PETSC_TRUE;
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(Q^) - P and B of one label, 0 of one that has had no step. */
static PetscErrorCode wanted(RhxCondition *c, double t, double dt, double *rise, double *slope)
{
  const double *state = c->kept, *before = state + c->type->nstate;
  double ahead, pressure;

  PetscFunctionBegin;
  *rise = *slope = 0;
  if (!begun(c)) PetscFunctionReturn(PETSC_SUCCESS);
  c->flux = ahead = state[RHX_FOLLOW_FLUX];
  if (before[RHX_FOLLOW_BEGUN] != 0) ahead += (c->flux - before[RHX_FOLLOW_FLUX]) * dt / c->bc->past[RHX_PAST_STEP];
  PetscCall(follow(c, t, dt, ahead, &pressure, slope));
  *rise = pressure - before[RHX_FOLLOW_PRESSURE];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryFollow(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  PetscCall(set_risen(bc, PETSC_FALSE, PETSC_FALSE));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    double slope;
    if (!follows(c)) continue;
    c->kept[RHX_FOLLOW_FLUX] = c->flux;
    c->kept[RHX_FOLLOW_BEGUN] = 1;
    if (!bc->solved) continue;
    /* that of the equation, at rest the one that was set last */
    if (!bc->rest) PetscCall(c->type->follow(c, t, 0.0, c->flux, &c->kept[RHX_FOLLOW_PRESSURE], &slope));
    c->kept[c->type->nstate + RHX_FOLLOW_PRESSURE] = c->kept[RHX_FOLLOW_PRESSURE];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryForeseeFollowing(RhxBoundary bc, double t, double dt)
{
  const PetscInt n = bc->solved ? 0 : count_followers(bc);
  const PetscBLASInt order = (PetscBLASInt)n, one = 1;
  PetscBLASInt *pivot, info;
  double *A, *rise, slope; /* A by columns */

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3(n * n, &A, n, &rise, n, &pivot));
  for (PetscInt i = 0, j = 0; i < bc->ncond; i++) {
    if (!follows(&bc->cond[i])) continue;
    PetscCall(wanted(&bc->cond[i], t, dt, &rise[j], &slope));
    for (PetscInt k = 0; k < n; k++) A[k * n + j] = (j == k) + slope * dt * bc->drive[j * n + k];
    j++;
  }
  LAPACKgesv_(&order, &one, A, &order, pivot, rise, &order, &info);
  PetscCheck(!info, bc->comm, PETSC_ERR_PLIB, "pressures of labels that follow their flux: singular matrix");
  for (PetscInt i = 0, j = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!follows(c)) continue;
    if (begun(c)) c->kept[RHX_FOLLOW_PRESSURE] = c->kept[c->type->nstate + RHX_FOLLOW_PRESSURE] + rise[j];
    c->moved = PETSC_TRUE;
    j++;
  }
  PetscCall(PetscFree3(A, rise, pivot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Solved for with the flow ---- */

PetscBool RhxConditionIsSolved(const RhxCondition *c)
{
  return (PetscBool)(c->bc->solved && (follows(c) || RhxOutletIsArriving(c)));
}

PetscErrorCode RhxBoundarySolveFollowing(RhxBoundary bc, PetscInt *n)
{
  Answer a;

  PetscFunctionBegin;
  for (*n = 0; answer(bc, *n, &a);) ++*n;
  bc->solved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFollowingStep(RhxBoundary bc, PetscInt k, double value, double *step, PetscBool *linear)
{
  double longest;
  Answer a;

  PetscFunctionBegin;
  PetscCall(RhxFormRelaxationTime(bc->form, &longest));
  if (!answer(bc, k, &a)) PetscFunctionReturn(PETSC_SUCCESS);
  *linear = a.pressure;
  *step = *linear ? PetscMax(1.0, fabs(value))
                  : PetscMax(PART * fabs(value), LEAST * a.c->geo.area * a.c->geo.extent / (longest > 0 ? longest : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFollowingLag(RhxBoundary bc, PetscInt k, double *gain, double *time)
{
  Answer a;

  PetscFunctionBegin;
  *gain = *time = 0;
  if (!answer(bc, k, &a) || !a.pressure || !a.c->type->advance) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(a.c->type->lag, bc->comm, PETSC_ERR_SUP,
             "rheoplex eigen: got -bc_%s_type %s, which moves on with the steps and does not say how late its "
             "pressure answers the flux, expected a type with `lag` (condition.h), or another",
             a.c->label, a.c->type->entry.name);
  PetscCall(a.c->type->lag(a.c, gain, time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFluxWeights(RhxBoundary bc, PetscInt k, PetscScalar *weight)
{
  const RhxSpace space = bc->space;
  const PetscInt dim = space->dim, bs = space->bs, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  PetscReal *normal;
  Answer a;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)space->nlocal * dim, &normal));
  if (answer(bc, k, &a)) RhxConditionAddNormals(a.c->faces, dim, normal);
  PetscCall(RhxSpaceReduce(space, dim, normal));
  PetscCall(PetscArrayzero(weight, (size_t)space->nowned * bs));
  for (PetscInt i = 0; i < space->nowned; i++)
    PetscCall(PetscArraycpy(weight + (size_t)i * bs + u, normal + (size_t)i * dim, dim));
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBeginFluxes(RhxBoundary bc, const double *flux)
{
  Answer a;

  PetscFunctionBegin;
  for (PetscInt k = 0; answer(bc, k, &a); k++) {
    a.c->flux = flux[k];
    if (!a.pressure) continue; /* its value is set with each flow */
    a.c->kept[RHX_FOLLOW_FLUX] = a.c->flux;
    a.c->kept[RHX_FOLLOW_BEGUN] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryFollowFluxes(RhxBoundary bc, double t, double dt, const double *flux, double *value,
                                       double *slope)
{
  char got[128]; /* PETSc writes 1 as "1." */
  Answer a;

  PetscFunctionBegin;
  for (PetscInt k = 0; answer(bc, k, &a); k++) {
    value[k] = flux[k];
    slope[k] = 1;
    if (a.pressure) PetscCall(a.c->type->follow(a.c, t, dt, flux[k], &value[k], &slope[k]));
    snprintf(got, sizeof(got), "a slope of %g Pa s/m^%d at the flux %g m^%d/s", slope[k], DIMENSION(bc), flux[k],
             DIMENSION(bc));
    PetscCheck(!(slope[k] < 0), a.c->bc->comm, PETSC_ERR_FP,
               "-bc_%s_type %s: got %s, expected a pressure that rises with the flux", a.c->label,
               a.c->type->entry.name, got);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetFollowing(RhxBoundary bc, double dt, const double *value)
{
  Answer a;

  PetscFunctionBegin;
  bc->rest = (PetscBool)(isinf(dt) != 0);
  for (PetscInt k = 0; answer(bc, k, &a); k++) {
    if (a.pressure || !a.c->arrives)
      a.c->kept[0] = a.c->kept[a.c->type->nstate] = value[k]; /* for any time; the pressure, or the flux that arrives */
    else
      a.c->arriving = value[k];
    a.c->moved = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
