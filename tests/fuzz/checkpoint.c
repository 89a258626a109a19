/* A checkpoint, read for a form of one mode on four quadrilaterals. FUZZ_SEED names a file to write one to. */
#include "fuzz.h"
#include "mesh/mesh.h"
#include "output/output.h"
#include "space/space.h"
#include <stdlib.h>

static struct _p_RhxForm form;
static RhxPlugin solvent, law;
static Vec state, rate;

static PetscErrorCode make_form(void)
{
  const char *seed = getenv("FUZZ_SEED");
  char problem[RHX_MESSAGE];
  RhxFields fields;
  RhxMesh mesh;

  PetscFunctionBegin;
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_box_faces", "2,2"));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  PetscCall(RhxMeshSetUp(mesh));
  PetscCall(RhxFieldsCreate(PETSC_COMM_WORLD, 2, 3, &fields));
  PetscCall(RhxFieldsAddFlow(fields, 1, 1, "stress", "Pa", NULL));
  PetscCall(RhxSpaceCreate(mesh, &fields, &form.space));
  form.comm = PETSC_COMM_WORLD;
  solvent.name = "solvent";
  law.name = "law";
  form.viscous = &solvent;
  form.nmodes = 1;
  form.mode[0].law = &law;
  PetscCall(RhxSpaceCreateVec(form.space, form.space->bs, &state));
  PetscCall(VecDuplicate(state, &rate));
  PetscCall(VecSet(state, 2));
  if (seed) PetscCall(RhxCheckpointWrite(&form, seed, 7, 0.5, 0.01, state, rate, &(RhxBeside){0}, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FuzzSetUp(void)
{
  if (make_form()) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RhxRestart at = {.may_lack = PETSC_FALSE};

  return FuzzJudge(RhxCheckpointRead(&form, FuzzFile(data, size), &at, state, rate, 0, NULL));
}
