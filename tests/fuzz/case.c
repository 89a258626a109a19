/* A YAML case: into the options, its names checked, the options of the mesh and of the output read. */
#include "case/impl.h"
#include "case/yaml_impl.h"
#include "device/device.h"
#include "fuzz.h"
#include "mesh/mesh.h"
#include "output/output.h"
#include "plugin/option.h"
#include <stdlib.h>

void FuzzSetUp(void)
{
  if (RhxCaseRegisterOptions() || RhxMeshRegisterOptions() || RhxFormRegisterOptions() ||
      RhxBoundaryRegisterOptions() || RhxSchemeRegisterAll() || RhxOutputRegisterOptions() ||
      RhxDeviceRegisterOptions())
    abort();
}

static PetscErrorCode read_case(const char *file, RhxMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(RhxYamlInsert(PETSC_COMM_WORLD, file));
  PetscCall(RhxOptionsCheckKnown(PETSC_COMM_WORLD));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RhxMeshSetFromOptions(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RhxMesh mesh = NULL;
  PetscErrorCode code = read_case(FuzzFile(data, size), &mesh);

  if (RhxMeshDestroy(&mesh) || PetscOptionsClear(NULL)) FuzzFail("the case is not forgotten");
  return FuzzJudge(code);
}
