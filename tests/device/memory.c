/* Memory of the device that ranks ask for by different names is an error on all of them; other sizes by one name are not. */
#include "common.h"

int main(int argc, char **argv)
{
  RhxDevice device = NULL;
  RhxDeviceState state;
  PetscErrorCode code;
  PetscMPIInt rank;
  double held;
  void *p;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability != RHX_DEVICE_READY) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", state.sentence));
    PetscCall(PetscFinalize());
    return SKIP;
  }
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  CATCH(code, RhxDeviceMalloc(device, 80, rank ? "the other" : "the first", &p));
  expect_message(code, "'the other'", "'the first' on rank 0", "expected the same call on all");
  expect(!p, "memory in spite of the error");
  PetscCall(RhxDeviceMalloc(device, 8 * (size_t)rank, "the same", &p));
  PetscCall(RhxDeviceHeldMost(PETSC_COMM_WORLD, device, &held));
  expect(held == 8.0, "%g bytes held, expected 8", held);
  PetscCall(RhxDeviceFree(device, p));
  PetscCall(RhxDeviceClose(&device));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
