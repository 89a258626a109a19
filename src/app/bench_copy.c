#include "app/bench_copy.h"
#include "petsc_compat.h"

#define COPY_BYTES ((size_t)1 << 30)

/* The pattern once, then what is there again and again: no zeros. */
static PetscErrorCode fill(RhxDevice device, char *all, const void *pattern, size_t bytes)
{
  size_t done = PetscMin(bytes, COPY_BYTES);
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(device, all, pattern, done, RHX_COPY_ON_DEVICE));
  while (done < COPY_BYTES) {
    const size_t n = PetscMin(done, COPY_BYTES - done);
    PetscCall(RhxDeviceCopy(device, all + done, all, n, RHX_COPY_ON_DEVICE));
    done += n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppBenchCopy(MPI_Comm comm, RhxDevice device, const char *name, const void *pattern, size_t bytes,
                               PetscInt repeat)
{
  const RhxDeviceState *state;
  double *us;
  void *from, *to;
  PetscMPIInt size;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetState(device, &state));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(RhxDeviceMalloc(device, COPY_BYTES, "the copy's source", &from));
  PetscCall(RhxDeviceMalloc(device, COPY_BYTES, "the copy's target", &to));
  PetscCall(PetscMalloc1(repeat, &us));
  PetscCall(fill(device, from, pattern, bytes));
  for (PetscInt i = -2; i < repeat; i++) {
    double ms;
    PetscCall(RhxDeviceTimerBegin(device));
    PetscCall(RhxDeviceCopy(device, to, from, COPY_BYTES, RHX_COPY_ON_DEVICE));
    PetscCall(RhxDeviceTimerEnd(device, &ms));
    if (i >= 0) us[i] = 1e3 * ms;
  }
  PetscCall(PetscSortReal(repeat, us));
  PetscCall(PetscPrintf(comm,
                        "{\"case\": \"%s\", \"kernel\": \"copy\", \"ranks\": %d, \"device\": \"%s\", \"bytes\": %.0f, "
                        "\"median_us\": %.3f, \"min_us\": %.3f, \"max_us\": %.3f, \"model_GB_per_s\": %.1f}\n",
                        name, size, state->name, (double)COPY_BYTES, us[repeat / 2], us[0], us[repeat - 1],
                        2e-3 * (double)COPY_BYTES / us[repeat / 2]));
  PetscCall(PetscFree(us));
  PetscCall(RhxDeviceFree(device, from));
  PetscCall(RhxDeviceFree(device, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}
