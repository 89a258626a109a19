#include "petsc_compat.h"
#include "solver/solver.h"
#include <petscdevice.h>

/* What PETSc enqueued for a vector on the device has happened, so that the other stream may read it. */
static PetscErrorCode wait_for_petsc(PetscMemType type)
{
  PetscDeviceContext context;
  PetscFunctionBegin;
  if (!PetscMemTypeDevice(type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVectorToDevice(RhxDevice device, Vec x, void *there)
{
  const PetscScalar *a;
  PetscMemType type;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayReadAndMemType(x, &a, &type));
  PetscCall(wait_for_petsc(type));
  PetscCall(RhxDeviceCopy(device, there, a, n * sizeof(*a),
                          PetscMemTypeDevice(type) ? RHX_COPY_ON_DEVICE : RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceSynchronize(device));
  PetscCall(VecRestoreArrayReadAndMemType(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVectorTake(RhxDevice device, Vec x, PetscInt at, double *value)
{
  const PetscScalar *a;
  PetscMemType type;
  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &a, &type));
  PetscCall(wait_for_petsc(type));
  if (PetscMemTypeDevice(type))
    PetscCall(RhxDeviceCopy(device, value, a + at, sizeof(*a), RHX_COPY_TO_HOST));
  else
    *value = a[at];
  PetscCall(VecRestoreArrayReadAndMemType(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVectorPut(RhxDevice device, Vec x, PetscInt at, double value)
{
  PetscScalar *a;
  PetscMemType type;
  PetscFunctionBegin;
  PetscCall(VecGetArrayAndMemType(x, &a, &type));
  PetscCall(wait_for_petsc(type));
  if (PetscMemTypeDevice(type)) {
    PetscCall(RhxDeviceCopy(device, a + at, &value, sizeof(*a), RHX_COPY_TO_DEVICE));
    PetscCall(RhxDeviceSynchronize(device));
  } else
    a[at] = value;
  PetscCall(VecRestoreArrayAndMemType(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVectorFromDevice(RhxDevice device, const void *there, Vec x)
{
  PetscScalar *a;
  PetscMemType type;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayWriteAndMemType(x, &a, &type));
  PetscCall(wait_for_petsc(type));
  PetscCall(RhxDeviceCopy(device, a, there, n * sizeof(*a),
                          PetscMemTypeDevice(type) ? RHX_COPY_ON_DEVICE : RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceSynchronize(device));
  PetscCall(VecRestoreArrayWriteAndMemType(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
