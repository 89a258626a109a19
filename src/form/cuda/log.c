#include "form/cuda/log.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormDeviceLogPass(const RhxPass *pass, RhxPassKind kind, RhxDevice device)
{
  double flops;
  PetscFunctionBegin;
  PetscCall(RhxFormPassFlops(pass, kind, &flops));
  PetscCall(RhxDeviceLogFlops(device, flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}
