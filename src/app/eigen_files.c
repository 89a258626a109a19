/* Which files are of this spectrum: those of an earlier one are kept elsewhere. */
#include "app/eigen.h"
#include "output/output.h"
#include "petsc_compat.h"

static const char *const patterns[RHX_EIGEN_NFILES] = {
    "_mode_real_*.vtu", "_mode_imaginary_*.vtu", "_mode_real.pvd", "_mode_imaginary.pvd",
    "_adjoint_*.vtu",   "_perturbed_*.h5",       "_critical.csv"};

PetscErrorCode RhxAppEigenFilesCreate(PetscInt most, RhxEigenFiles *files)
{
  PetscFunctionBegin;
  files->most = most;
  for (int k = 0; k < RHX_EIGEN_NFILES; k++) PetscCall(PetscCalloc1(most, &files->own[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxAppEigenFilesTakeMode(RhxEigenFiles *files, PetscInt number)
{
  files->own[RHX_EIGEN_REAL][number] = files->own[RHX_EIGEN_IMAGINARY][number] = PETSC_TRUE;
  files->own[RHX_EIGEN_REAL_LIST][0] = files->own[RHX_EIGEN_IMAGINARY_LIST][0] = PETSC_TRUE;
}

PetscErrorCode RhxAppEigenFilesKeepEarlier(RhxCase rc, const RhxEigenFiles *files)
{
  RhxNumberedFiles of = {.what = "files of an earlier spectrum",
                         .n = RHX_EIGEN_NFILES,
                         .most = files->most,
                         .pattern = patterns,
                         .own = files->own};
  char restart[PETSC_MAX_PATH_LEN] = "";
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case_restart", restart, sizeof(restart), NULL));
  of.stays = strrchr(restart, '/') ? strrchr(restart, '/') + 1 : restart;
  PetscCall(RhxCaseGetName(rc, &of.name));
  PetscCall(RhxCaseGetFolder(rc, &of.folder));
  PetscCall(RhxOutputKeepNumbered(PETSC_COMM_WORLD, &of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppEigenFilesDestroy(RhxEigenFiles *files)
{
  PetscFunctionBegin;
  for (int k = 0; k < RHX_EIGEN_NFILES; k++) PetscCall(PetscFree(files->own[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
