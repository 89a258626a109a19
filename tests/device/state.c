/* Without a driver or a device: a sentence, no error; opening says what is missing. */
#include "common.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
  RhxDeviceState state;
  RhxDevice device = NULL;
  PetscErrorCode code;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", state.sentence));
  if (dlopen("libcuda.so.1", RTLD_NOW)) {
    expect(state.availability == RHX_DEVICE_NO_DEVICE, "availability %d with CUDA_VISIBLE_DEVICES=-1",
           (int)state.availability);
    expect(strstr(state.sentence, "driver (") && strstr(state.sentence, "no device"), "%s", state.sentence);
  } else {
    expect(state.availability == RHX_DEVICE_NO_DRIVER, "availability %d without libcuda.so.1", (int)state.availability);
    expect(strstr(state.sentence, "no NVIDIA driver") && strstr(state.sentence, "libcuda.so.1"), "%s", state.sentence);
  }
  CATCH(code, RhxDeviceOpen(PETSC_COMM_WORLD, &device));
  expect_message(code, "No device to compute on", state.sentence, "expected");
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
