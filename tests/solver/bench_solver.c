/* Times of the pressure solver, one JSON line a case. Usage: bench_solver -cell 0|1|2 -n nx,ny,nz [-stretch s] [-repeat k], -lock
 * file (of several processes one at a time uses the device) and PETSc's options of the solver. Not a test. */
#include "grid.h"
#include "solver/solver.h"
#include <fcntl.h>
#include <petsctime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>

typedef struct {
  double median, least, most; /* microseconds */
  PetscInt its;
} Times;

static int by_size(const void *a, const void *b)
{
  const double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

/* Solves for `right` from `guess`, both on the device. */
static PetscErrorCode time_solve(RhxDevice device, KSP ksp, PetscInt repeat, size_t bytes, void *right, void *guess,
                                 void *x, Times *t)
{
  double *us;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(repeat, &us));
  for (PetscInt k = -2; k < repeat; k++) {
    double ms = 0;
    PetscCall(RhxDeviceCopy(device, x, guess, bytes, RHX_COPY_ON_DEVICE));
    PetscCall(RhxDeviceSynchronize(device));
    PetscCall(RhxDeviceTimerBegin(device));
    PetscCall(RhxGraphCGEnqueue(ksp, right, x));
    PetscCall(RhxDeviceTimerEnd(device, &ms));
    if (k >= 0) us[k] = 1e3 * ms;
  }
  PetscCall(RhxGraphCGFinish(ksp));
  PetscCall(KSPGetIterationNumber(ksp, &t->its));
  qsort(us, repeat, sizeof(*us), by_size);
  t->median = us[repeat / 2];
  t->least = us[0];
  t->most = us[repeat - 1];
  PetscCall(PetscFree(us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload(RhxDevice device, Vec v, size_t bytes, void **there)
{
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(device, bytes, "a vector", there));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(RhxDeviceCopy(device, *there, a, bytes, RHX_COPY_TO_DEVICE));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid g = {.cell = QUAD, .n = {128, 128, 1}, .stretch = 1, .fixed = PETSC_TRUE};
  PetscInt cell = 0, three = 3, repeat = 9, n;
  PetscBool view = PETSC_FALSE, locked;
  char lock[512] = "";
  PetscLogDouble start, made, ready;
  RhxDevice device;
  Mat A;
  Vec b, x;
  KSP ksp;
  PC pc;
  PCType type;
  void *zero, *right, *other, *guess, *work;
  Times cold, warm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxSolverRegister());
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cell", &cell, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-n", g.n, &three, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stretch", &g.stretch, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fixed", &g.fixed, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &repeat, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-view", &view, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-lock", lock, sizeof(lock), &locked));
  g.cell = (Cell)cell;
  n = g.n[0] * g.n[1] * g.n[2];
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
  PetscCall(PetscTime(&start));
  PetscCall(grid_laplacian(&g, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, RHX_KSP_GRAPH_CG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, n <= RHX_GRAPH_INVERSE_ROWS ? RHX_PC_GRAPH_INVERSE : RHX_PC_GRAPH_MG));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(RhxSolverSetDevice(ksp, device));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscTime(&made));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&ready));
  if (locked) {
    const int file = open(lock, O_RDWR | O_CREAT, 0600);
    PetscCheck(file >= 0 && flock(file, LOCK_EX) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot lock %s", lock);
  }
  PetscCall(VecZeroEntries(x));
  PetscCall(upload(device, x, n * sizeof(double), &zero));
  PetscCall(upload(device, x, n * sizeof(double), &work));
  PetscCall(grid_right(&g, 1, b));
  PetscCall(upload(device, b, n * sizeof(double), &right));
  PetscCall(KSPSolve(ksp, b, x)); /* the warm guess: the solution of a right-hand side that differs by a hundredth */
  PetscCall(upload(device, x, n * sizeof(double), &guess));
  PetscCall(grid_right(&g, 4, x));
  PetscCall(VecAXPY(b, 0.01, x));
  PetscCall(upload(device, b, n * sizeof(double), &other));
  PetscCall(time_solve(device, ksp, repeat, n * sizeof(double), right, zero, work, &cold));
  PetscCall(time_solve(device, ksp, repeat, n * sizeof(double), other, guess, work, &warm));
  PetscCall(PCGetType(pc, &type));
  printf("{\"bench\":\"pressure solve\",\"cell\":\"%s\",\"nodes\":%d,\"stretch\":%g,\"pc\":\"%s\",\"rtol\":1e-6,"
         "\"set_up_s\":%.2f,\"cold_us\":%.1f,\"cold_min_us\":%.1f,\"cold_max_us\":%.1f,\"cold_its\":%d,"
         "\"warm_us\":%.1f,\"warm_min_us\":%.1f,\"warm_max_us\":%.1f,\"warm_its\":%d}\n",
         cell_name[g.cell], (int)n, g.stretch, type, ready - made, cold.median, cold.least, cold.most, (int)cold.its,
         warm.median, warm.least, warm.most, (int)warm.its);
  if (view) PetscCall(KSPView(ksp, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(RhxDeviceFree(device, zero));
  PetscCall(RhxDeviceFree(device, work));
  PetscCall(RhxDeviceFree(device, right));
  PetscCall(RhxDeviceFree(device, guess));
  PetscCall(RhxDeviceFree(device, other));
  PetscCall(RhxDeviceClose(&device));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
