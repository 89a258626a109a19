#include "petsc_compat.h"
#include "scheme/following_impl.h"
#include <math.h>

PetscErrorCode RhxFollowingStep(RhxFollowing fw, PetscInt k, double *step, PetscBool *linear)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetFollowingStep(fw->bc, k, fw->value[k], step, linear));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_weights(RhxOps ops, RhxFollowing fw)
{
  PetscScalar *a;
  PetscBool pressure;
  double step;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < fw->n; k++) {
    PetscCall(RhxOpsCreateVec(ops, ops->form->space->bs, &fw->weight[k]));
    PetscCall(VecDuplicate(fw->weight[k], &fw->column[k]));
    PetscCall(VecZeroEntries(fw->column[k]));
    PetscCall(VecGetArray(fw->weight[k], &a));
    PetscCall(RhxBoundaryGetFluxWeights(fw->bc, k, a));
    PetscCall(VecRestoreArray(fw->weight[k], &a));
    PetscCall(RhxFollowingStep(fw, k, &step, &pressure));
    fw->pressures = (PetscBool)(fw->pressures || pressure);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingCreate(RhxOps ops, RhxFollowing *out)
{
  PetscInt n;
  RhxFollowing fw;
  PetscFunctionBegin;
  PetscCall(RhxBoundarySolveFollowing(ops->bc, &n));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(out));
  fw = *out;
  fw->bc = ops->bc;
  fw->n = n;
  fw->start = -HUGE_VAL;
  PetscCall(PetscCalloc5(n, &fw->weight, n, &fw->column, n, &fw->flux, n, &fw->value, n, &fw->slope));
  PetscCall(PetscCalloc2(n, &fw->gain, n, &fw->time));
  PetscCall(create_weights(ops, fw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingDestroy(RhxFollowing *following)
{
  RhxFollowing fw = *following;
  PetscFunctionBegin;
  if (!fw) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < fw->n; k++) {
    PetscCall(VecDestroy(&fw->weight[k]));
    PetscCall(VecDestroy(&fw->column[k]));
  }
  PetscCall(PetscFree5(fw->weight, fw->column, fw->flux, fw->value, fw->slope));
  PetscCall(PetscFree2(fw->gain, fw->time));
  PetscCall(PetscFree(*following));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingBegin(RhxFollowing fw, double t, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecMDot(x, fw->n, fw->weight, fw->flux));
  PetscCall(RhxBoundaryBeginFluxes(fw->bc, fw->flux));
  fw->start = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingSet(RhxFollowing fw, double t, Vec x)
{
  const double start = PetscMin(fw->start, t), way = t - start, at = isinf(way) ? t : start;
  PetscFunctionBegin;
  PetscCall(VecMDot(x, fw->n, fw->weight, fw->flux));
  PetscCall(RhxBoundaryFollowFluxes(fw->bc, at, way, fw->flux, fw->value, fw->slope));
  PetscCall(RhxBoundarySetFollowing(fw->bc, way, fw->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingRaise(RhxFollowing fw, PetscInt k, double more)
{
  double *value;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fw->n, &value));
  PetscCall(PetscArraycpy(value, fw->value, fw->n));
  if (k >= 0) value[k] += more;
  PetscCall(RhxBoundarySetFollowing(fw->bc, isinf(fw->start) ? HUGE_VAL : 0.0, value));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingMultiply(RhxFollowing fw, Vec v, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecMDot(v, fw->n, fw->weight, fw->flux));
  for (PetscInt k = 0; k < fw->n; k++) fw->flux[k] *= fw->slope[k];
  PetscCall(VecMAXPY(y, fw->n, fw->flux, fw->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFollowingNeedLags(RhxFollowing fw)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < fw->n; k++) PetscCall(RhxBoundaryGetFollowingLag(fw->bc, k, &fw->gain[k], &fw->time[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxFollowingRespond(RhxFollowing fw, PetscInt k, const double z[2], double slope[2])
{
  const double re = 1.0 + z[0] * fw->time[k], im = z[1] * fw->time[k], square = re * re + im * im;
  slope[0] = fw->slope[k] - fw->gain[k] + fw->gain[k] * re / square;
  slope[1] = -fw->gain[k] * im / square;
}
