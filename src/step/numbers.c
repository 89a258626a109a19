#include "boundary/film.h"
#include "kernels/step.h"
#include "petsc_compat.h"
#include "space/diameter.h"
#include "step/numbers_impl.h"
#include <math.h>

/* The part of the third term of extrapolation that the velocity which modes see needs, so that elastic waves do not grow: none where
 * they are damped by more than (w dt)^4/4 a step, with the largest damped as little as any; a quarter is the least for undamped ones
 * (theory.md, section 7). */
static double bend(RhxOps ops, double dt)
{
  const RhxFormStats *st = &ops->result.stats;
  const double growth = 9.0 * st->waves * PetscSqr(st->elastic) * dt * dt * dt; /* over the damping */
  return growth > 1.0 ? 0.3 * PetscMin(1.0, 2.0 - 2.0 / growth) : 0.0;
}

/* Coefficients of the formula of second order for steps of two lengths; without a step before backward Euler's. */
void RhxStepBegin(RhxOps ops, double t, double dt, double before)
{
  const double w = before > 0.0 ? dt / before : 0.0, earlier = ops->history ? ops->earlier : 0.0;
  ops->t = t;
  ops->dt = dt;
  ops->before = before;
  ops->lead = (1.0 + 2.0 * w) / (1.0 + w);
  ops->late = w / (1.0 + w);
  ops->bend = earlier > 0.0 ? bend(ops, dt) * dt * (dt + before) / (before + earlier) : 0.0;
  ops->result.pressure_seconds = 0.0;
}

PetscErrorCode RhxStepBeginPressure(RhxOps ops)
{
  const double late = ops->settings.lags ? 0.5 : 0.0;
  PetscFunctionBegin;
  if (ops->settings.without_pressure) /* it is solved for with what is given at each time */
    PetscCall(RhxBoundaryBeginStep(ops->bc, ops->t, ops->t));
  else
    PetscCall(RhxBoundaryBeginStep(ops->bc, ops->t - late * ops->before, ops->t + (1.0 - late) * ops->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepFilmRate(RhxOps ops, double *rate)
{
  double factor;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetFilmRate(ops->bc, ops->mass, rate));
  if (!(*rate > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormMassFactor(ops->form, ops->settings.mass_corrections, &factor));
  *rate *= factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxStepPart(RhxOps ops, double part) { return part == RHX_IMPLICIT_PART ? 1.0 / ops->lead : part; }

/* With subscales that hand on e the pressure at open nodes grows unless K has four times what D M^-1 D^T has there. */
double RhxStepOpenPart(RhxOps ops) { return ops->settings.hands_on ? 2.0 : 1.0; }

/* Of e no more is handed on than makes an increment as large as in the step before: one 1/dt as large is the pressure of a short step. */
void RhxStepHistory(RhxOps ops, int key, double *kept, double *known, double *share)
{
  const double span = RhxStepPart(ops, RHX_IMPLICIT_PART) * ops->dt;
  *kept = *known = *share = 0.0;
  if (ops->settings.hands_on && ops->history && ops->before > 0.0) {
    *share = PetscMin(1.0, ops->dt / ops->before);
    *kept = ops->settings.implicit ? *share * ops->span[1 - key] / span * ops->before : 0.0;
    *known = ops->before;
  }
  ops->key = key;
  ops->span[key] = span;
}

/* An implicit step carries scalar fields, the last of a node, with the lumped mass. */
PetscInt RhxStepEndOfMass(RhxOps ops)
{
  return ops->settings.implicit ? ops->form->first_scalar : ops->form->space->bs;
}

PetscErrorCode RhxStepInverseDiameter(RhxOps ops, PetscReal *inverse)
{
  const RhxSpace space = ops->form->space;
  PetscReal *count;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &count));
  PetscCall(PetscArrayzero(inverse, space->nlocal));
  for (PetscInt k = 0; k < space->ntypes; k++) {
    const RhxCells *cells = &space->cells[k];
    for (PetscInt e = 0; e < cells->n; e++) {
      const PetscReal one = 1.0 / RhxCellDiameter(cells, space->dim, e);
      for (PetscInt a = 0; a < cells->nn; a++) {
        const PetscInt node = cells->conn[(e / RHX_LANES * cells->nn + a) * RHX_LANES + e % RHX_LANES];
        inverse[node] += one;
        count[node] += 1.0;
      }
    }
  }
  PetscCall(RhxHaloReduceBegin(space->halo, MPIU_REAL, 1, MPIU_SUM, inverse));
  PetscCall(RhxHaloReduceBegin(space->halo, MPIU_REAL, 1, MPIU_SUM, count));
  PetscCall(RhxHaloReduceEnd(space->halo, MPIU_REAL, 1, MPIU_SUM, inverse));
  PetscCall(RhxHaloReduceEnd(space->halo, MPIU_REAL, 1, MPIU_SUM, count));
  for (PetscInt i = 0; i < space->nowned; i++) inverse[i] *= ops->form->convection / count[i];
  PetscCall(RhxSpaceGlobalToLocal(space, 1, inverse, inverse));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepGraded(RhxOps ops, double *most)
{
  const RhxSpace space = ops->form->space;
  int others = 0;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < space->ntypes; k++) others |= space->cells[k].n && space->cells[k].nn != space->dim + 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT, MPI_MAX, ops->form->comm));
  *most = others ? RHX_GRADED : HUGE_VAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepFreeMass(RhxOps ops, PetscReal *part)
{
  const RhxSpace space = ops->form->space;
  const PetscInt *fixed;
  PetscInt nfixed;
  PetscScalar *mark, *product;
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(space->nlocal, &mark, space->nlocal, &product));
  PetscCall(RhxBoundaryGetPressureNodes(ops->bc, &nfixed, &fixed, NULL));
  for (PetscInt i = 0; i < nfixed; i++) mark[fixed[i]] = 1.0;
  PetscCall(RhxSpaceGlobalToLocal(space, 1, mark, mark));
  PetscCall(RhxFormMassProduct(ops->form, 1, mark, product));
  for (PetscInt i = 0; i < space->nowned; i++) part[i] = 1.0 - PetscRealPart(product[i]) / space->mass[i];
  for (PetscInt i = 0; i < nfixed; i++) part[fixed[i]] = 0.0;
  PetscCall(RhxSpaceGlobalToLocal(space, 1, part, part));
  PetscCall(PetscFree2(mark, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}
