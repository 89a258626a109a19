#include "device/kernels.h"
#include "petsc_compat.h"

static PetscErrorCode make_source(const char *kernels, const char *const *options, RhxDeviceSource *source)
{
  char text[256];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "#include <%s>\n", kernels));
  PetscCall(RhxDeviceSourceCreate("rheoplex.cu", text, source));
  for (int i = 0; i < RhxEmbeddedCount; i++)
    PetscCall(RhxDeviceSourceAddHeader(*source, RhxEmbeddedNames[i], RhxEmbeddedTexts[i]));
  PetscCall(RhxDeviceSourceAddOption(*source, "--std=c++17"));
  for (; options && *options; options++) PetscCall(RhxDeviceSourceAddOption(*source, *options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceKernelsCreate(RhxDevice device, const char *kernels, const char *const *options,
                                      RhxDeviceProgram *program)
{
  RhxDeviceSource source;
  PetscFunctionBegin;
  PetscCall(make_source(kernels, options, &source));
  PetscCall(RhxDeviceProgramCreate(device, source, program));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceKernelsCompile(MPI_Comm comm, const char *arch, const char *kernels, const char *const *options,
                                       RhxDeviceBinary *binary)
{
  RhxDeviceSource source;
  PetscFunctionBegin;
  PetscCall(make_source(kernels, options, &source));
  PetscCall(RhxDeviceCompile(comm, arch, source, binary));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}
