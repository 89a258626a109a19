/* A Poisson problem on CPU and GPU by PETSc alone: the same solution; an MPI that takes no device memory is no obstacle.
 * Exit code 77: PETSc without CUDA, or no device. */
#include "device/device.h"
#include "petsc_compat.h"
#include <petscdmda.h>
#include <petscksp.h>
#include <petsctime.h>
#include <rheoplex/rheoplex.h>

#define SKIP 77
#define N 400

static PetscErrorCode assemble(DM dm, Mat A)
{
  DMDALocalInfo info;

  PetscFunctionBegin;
  PetscCall(DMDAGetLocalInfo(dm, &info));
  for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
    for (PetscInt i = info.xs; i < info.xs + info.xm; i++) {
      const MatStencil row = {.i = i, .j = j};
      MatStencil column[5] = {row};
      PetscScalar value[5] = {4.0, -1.0, -1.0, -1.0, -1.0};
      PetscInt n = 1;

      if (i > 0) column[n++] = (MatStencil){.i = i - 1, .j = j};
      if (i < N - 1) column[n++] = (MatStencil){.i = i + 1, .j = j};
      if (j > 0) column[n++] = (MatStencil){.i = i, .j = j - 1};
      if (j < N - 1) column[n++] = (MatStencil){.i = i, .j = j + 1};
      PetscCall(MatSetValuesStencil(A, 1, &row, n, column, value, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(const char *where, const char *vec, const char *mat, Vec *copy)
{
  DM dm;
  Mat A;
  Vec b, x;
  KSP ksp;
  PC pc;
  PetscInt its;
  PetscLogDouble t0, t1, t2;

  PetscFunctionBegin;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, N, N, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, NULL, NULL, &dm));
  PetscCall(DMSetVecType(dm, vec));
  PetscCall(DMSetMatType(dm, mat));
  PetscCall(DMSetUp(dm));
  PetscCall(DMCreateMatrix(dm, &A));
  PetscCall(assemble(dm, A));
  PetscCall(DMCreateGlobalVector(dm, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscTime(&t0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&t1));
  PetscCall(VecSet(x, 0.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&t2));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " iterations, first solve %.3f s, second %.4f s\n",
                        where, its, t1 - t0, t2 - t1));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, N * N, copy));
  PetscCall(VecCopy(x, *copy));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(PetscBool *good)
{
  Vec host, device;
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(solve("CPU", VECSTANDARD, MATAIJ, &host));
  PetscCall(solve("GPU", "cuda", "aijcusparse", &device));
  PetscCall(VecNorm(host, NORM_2, &norm));
  PetscCall(VecAXPY(device, -1.0, host));
  PetscCall(VecNorm(device, NORM_2, &difference));
  *good = (PetscBool)(difference <= 1e-8 * norm);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "difference %.2e relative, expected at most 1e-8\n", difference / norm));
  PetscCall(VecDestroy(&host));
  PetscCall(VecDestroy(&device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RhxDeviceState state;
  PetscBool good = PETSC_FALSE;
  int skip;

  PetscCall(RhxInitialize(&argc, &argv, NULL));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  skip = !PetscDefined(HAVE_CUDA) || state.availability < RHX_DEVICE_NO_NVRTC;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s; PETSc %s CUDA; device memory goes to MPI %s\n", state.sentence,
                        PetscDefined(HAVE_CUDA) ? "with" : "without", use_gpu_aware_mpi ? "itself" : "by the host"));
  if (!skip) PetscCall(compare(&good));
  PetscCall(RhxFinalize());
  return skip ? SKIP : good ? 0 : 1;
}
