#include "solver/ghosts_impl.h"

struct _p_RhxDeviceProduct {
  RhxSolverProgram program;
  RhxDeviceMatrix A;
  RhxGhosts ghosts;
  RhxDeviceFunction subtract;
  void *x; /* with ghosts */
};

PetscErrorCode RhxDeviceProductCreate(Mat A, RhxDevice device, RhxDeviceProduct *out)
{
  RhxDeviceProduct p;
  RhxMatrixParts parts;
  PetscMPIInt size;
  RhxSell sell;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCheck(size > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "A product of several ranks: got one rank, expected more");
  PetscCall(PetscNew(out));
  p = *out;
  PetscCall(RhxSolverProgramCreate(device, PETSC_FALSE, size, &p->program));
  PetscCall(RhxMatrixGetParts(A, &parts));
  PetscCall(RhxMatrixPartsToSell(&parts, &sell));
  PetscCall(RhxDeviceMatrixCreate(device, &sell, &p->A));
  PetscCall(RhxSolverFunction(&p->program, "rhx_subtract", sell.lanes, &p->subtract));
  PetscCall(RhxDeviceMalloc(device, sell.m * sizeof(double), "the given pressure", &p->x));
  PetscCall(RhxSellFree(&sell));
  PetscCall(RhxGhostsCreate(A, &p->ghosts));
  PetscCall(RhxGhostsSetUp(&p->ghosts, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProductDestroy(RhxDeviceProduct *product)
{
  RhxDeviceProduct p = *product;
  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceMatrixFree(p->program.device, &p->A));
  PetscCall(RhxDeviceFree(p->program.device, p->x));
  PetscCall(RhxGhostsFree(&p->ghosts));
  PetscCall(RhxSolverProgramDestroy(&p->program));
  PetscCall(PetscFree(*product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProductSubtract(RhxDeviceProduct p, const void *x, void *y)
{
  const RhxLaunch shape = {{RhxSolverBlocks(&p->program, 32.0 * p->A.nslices, 0)}, {RHX_THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(p->program.device, p->x, x, p->ghosts.place * sizeof(double), RHX_COPY_ON_DEVICE));
  PetscCall(RhxExchangeGhosts(p->ghosts.exchange, RHX_EXCHANGE_DOUBLE, 1, p->x));
  PetscCall(RhxDeviceLaunchOverlapped(p->program.device, p->subtract, shape, RHX_ARGUMENTS(&p->A, &p->x, &y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
