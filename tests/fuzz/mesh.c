/* A mesh file, Gmsh or HDF5: read, checked, its boundary found. */
#include "mesh/mesh.h"
#include "fuzz.h"
#include <stdlib.h>

void FuzzSetUp(void)
{
  if (RhxMeshRegisterOptions()) abort();
}

static PetscErrorCode read_mesh(const char *file, RhxMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_file", file));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RhxMeshSetFromOptions(*mesh));
  PetscCall(RhxMeshSetUp(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RhxMesh mesh = NULL;
  PetscErrorCode code = read_mesh(FuzzFile(data, size), &mesh);

  if (RhxMeshDestroy(&mesh)) FuzzFail("the mesh is not destroyed");
  return FuzzJudge(code);
}
