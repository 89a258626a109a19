/* Earlier solutions of graph_cg on the device, of which its guesses are made (kernels/guess.cuh). */
#include "solver/graph_cg_impl.h"

PetscErrorCode RhxGraphCGForget(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  if (g->work.past) PetscCall(RhxDeviceZero(g->device, g->work.past, sizeof(RhxCGPast)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of this rank without an entry beside the diagonal: their solution is the right-hand side's. */
static PetscErrorCode find_alone(RhxGraphCG *g, Mat A)
{
  unsigned char *alone;
  PetscInt first, last;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(PetscMalloc1(last - first, &alone));
  for (PetscInt i = first; i < last; i++) {
    const PetscInt *column;
    const PetscScalar *value;
    PetscInt n;
    PetscCall(MatGetRow(A, i, &n, &column, &value));
    alone[i - first] = 1;
    for (PetscInt k = 0; k < n; k++) alone[i - first] &= column[k] == i || value[k] == 0.0;
    PetscCall(MatRestoreRow(A, i, &n, &column, &value));
  }
  PetscCall(RhxDeviceCopy(g->device, (void *)g->work.alone, alone, last - first, RHX_COPY_TO_DEVICE));
  PetscCall(PetscFree(alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphGuessSetUp(RhxGraphCG *g, Mat A)
{
  const size_t n = g->work.n, bytes = g->places * n * sizeof(double);
  PetscFunctionBegin;
  if (!g->places) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSolverFunction(&g->program, "rhx_recall", 0, &g->recall));
  PetscCall(RhxSolverFunction(&g->program, "rhx_guess", 0, &g->guess));
  PetscCall(RhxSolverFunction(&g->program, "rhx_remember", 0, &g->remember));
  PetscCall(RhxDeviceRequire(g->device, bytes, "earlier solutions of the pressure"));
  PetscCall(RhxDeviceMalloc(g->device, bytes, "earlier solutions of the pressure", (void **)&g->work.solutions));
  PetscCall(RhxDeviceZero(g->device, g->work.solutions, bytes));
  PetscCall(RhxDeviceMalloc(g->device, sizeof(RhxCGPast), "the pressure solver", (void **)&g->work.past));
  PetscCall(RhxDeviceZero(g->device, g->work.past, sizeof(RhxCGPast)));
  g->work.places = g->places;
  PetscCall(RhxDeviceMalloc(g->device, n, "the pressure solver", (void **)&g->work.alone));
  PetscCall(find_alone(g, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphGuessFree(RhxGraphCG *g)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(g->device, g->work.solutions));
  PetscCall(RhxDeviceFree(g->device, g->work.past));
  PetscCall(RhxDeviceFree(g->device, (void *)g->work.alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}
