/* Memory of the device that ranks ask for by different names is an error on all of them; other sizes by one name are not. Copies of
 * lengths about those of the buffers that long ones go through. */
#include "common.h"

#define PIECE ((size_t)1 << 20) /* of src/device/copy.c */

/* There and back, beside bytes that stay. */
static PetscErrorCode check_copy(RhxDevice device, size_t bytes)
{
  unsigned char *from, *to;
  size_t wrong = 0;
  char *there;
  void *p;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(bytes, &from, bytes + 2, &to));
  for (size_t i = 0; i < bytes; i++) from[i] = (unsigned char)(i * 2654435761u >> 24);
  to[0] = to[bytes + 1] = 77;
  PetscCall(RhxDeviceMalloc(device, bytes + 16, "bytes", &p));
  there = (char *)p + 8;
  PetscCall(RhxDeviceCopy(device, there, from, bytes, RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceCopy(device, to + 1, there, bytes, RHX_COPY_TO_HOST));
  for (size_t i = 0; i < bytes; i++) wrong += to[1 + i] != from[i];
  expect(!wrong, "a copy of %zu bytes there and back: %zu differ", bytes, wrong);
  expect(to[0] == 77 && to[bytes + 1] == 77, "a copy of %zu bytes wrote beside its place", bytes);
  PetscCall(RhxDeviceFree(device, p));
  PetscCall(PetscFree2(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const size_t lengths[] = {1, PIECE / 8, PIECE / 8 + 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 5, 5 * PIECE - 3};
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
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lengths); k++) PetscCall(check_copy(device, lengths[k]));
  PetscCall(RhxDeviceClose(&device));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
