/* The mesh of the run that a checkpoint is of, by the options that lie beside it. */
#include "case/impl.h"
#include "case/keys.h"
#include "case/yaml_impl.h"
#include <string.h>
#include <unistd.h>

/* <folder>/<case>_effective.yaml of <folder>/<case>_checkpoint.h5 or _last_good.h5. */
static PetscErrorCode options_beside(RhxCase rc, size_t size, char *file)
{
  static const char *const ending[] = {"_checkpoint.h5", "_last_good.h5"};
  const char *checkpoint = rc->option.restart;
  const size_t n = strlen(checkpoint);

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    const size_t m = strlen(ending[k]);
    if (n <= m || strcmp(checkpoint + n - m, ending[k])) continue;
    PetscCall(PetscSNPrintf(file, size, "%.*s_effective.yaml", (int)(n - m), checkpoint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(
      rc->comm, PETSC_ERR_USER_INPUT,
      "-case_restart_mesh map: got the checkpoint '%s', expected <case>_checkpoint.h5 or <case>_last_good.h5 beside "
      "<case>_effective.yaml, which names its mesh (-case_restart)",
      checkpoint);
}

/* Do they make the mesh? Of PETSc's no others: a viewer would write where the file says. */
static PetscBool of_mesh(const char *name)
{
  return (PetscBool)(!strncmp(name, "mesh_", 5) || !strcmp(name, "dm_refine") || !strcmp(name, "dm_refine_pre") ||
                     !strcmp(name, "dm_plex_interpolate"));
}

/* The file of that mesh: as the options name it, seen from the folder of that run, else beside this run's own. */
static PetscErrorCode find_file(RhxCase rc, const char *options, RhxKey *key)
{
  char own[PETSC_MAX_PATH_LEN] = "", beside[2 * PETSC_MAX_PATH_LEN];
  const char *slash, *name;
  PetscMPIInt rank;
  int there[2] = {1, 0};

  PetscFunctionBegin;
  if (!key || !key->value[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mesh_file", own, sizeof(own), NULL));
  slash = strrchr(own, '/');
  name = strrchr(key->value, '/');
  snprintf(beside, sizeof(beside), "%.*s%s", slash ? (int)(slash + 1 - own) : 0, own, name ? name + 1 : key->value);
  PetscCallMPI(MPI_Comm_rank(rc->comm, &rank));
  if (rank == 0) there[0] = access(key->value, F_OK) == 0;
  if (rank == 0) there[1] = access(beside, F_OK) == 0;
  PetscCallMPI(MPI_Bcast(there, 2, MPI_INT, 0, rc->comm));
  PetscCheck(
      there[0] || there[1], rc->comm, PETSC_ERR_FILE_OPEN,
      "-case_restart_mesh map: the mesh of the checkpoint '%s', which '%s' names '%s', is not there; expected it "
      "as that run was started, seen from here, or beside -mesh_file",
      rc->option.restart, options, key->value);
  if (there[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(key->value));
  PetscCall(PetscStrallocpy(beside, &key->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_mesh(RhxCase rc, RhxMesh *mesh)
{
  PetscInt dim, here;

  PetscFunctionBegin;
  PetscCall(RhxMeshCreate(rc->comm, mesh));
  PetscCall(RhxMeshSetFromOptions(*mesh));
  PetscCall(RhxMeshSetUp(*mesh));
  PetscCall(RhxMeshGetDimension(*mesh, &dim));
  PetscCall(RhxMeshGetDimension(rc->mesh, &here));
  PetscCheck(dim == here, rc->comm, PETSC_ERR_USER_INPUT,
             "-case_restart_mesh map: got a checkpoint in %" PetscInt_FMT "D, expected one in %" PetscInt_FMT
             "D (-case_restart)",
             dim, here);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options that are told at the end of the run are those of its own mesh again. */
static PetscErrorCode read_own_again(RhxCase rc)
{
  RhxMesh mesh;

  PetscFunctionBegin;
  PetscCall(RhxMeshCreate(rc->comm, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  PetscCall(RhxMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseRestartMesh_Private(RhxCase rc, RhxMesh *mesh)
{
  char file[PETSC_MAX_PATH_LEN], option[PETSC_MAX_OPTION_NAME + 1], *text;
  PetscOptions options;
  RhxKeys keys;

  PetscFunctionBegin;
  *mesh = NULL;
  if (rc->option.restart_mesh == RHX_RESTART_MESH_SAME) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(options_beside(rc, sizeof(file), file));
  PetscCall(RhxYamlReadText(rc->comm, file, &text));
  PetscCall(RhxKeysRead(rc->comm, file, text, &keys));
  PetscCall(RhxYamlResolveFiles(rc->comm, file, &keys));
  PetscCall(find_file(rc, file, RhxKeysFind(&keys, "mesh_file")));
  PetscCall(PetscOptionsCreate(&options));
  for (PetscInt i = 0; i < keys.n; i++) {
    if (!of_mesh(keys.key[i].name)) continue;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", keys.key[i].name));
    PetscCall(PetscOptionsSetValue(options, option, keys.key[i].value));
  }
  PetscCall(PetscOptionsPush(options));
  PetscCall(make_mesh(rc, mesh));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(read_own_again(rc));
  PetscCall(RhxKeysDestroy(&keys));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
