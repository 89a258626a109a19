#include "petsc_compat.h"
#include "scheme/krylov_impl.h"

#if defined(RHX_SLEPC)
#include <petsctime.h>
#include <slepceps.h>

#define TOLERANCE 1e-10 /* of an eigenpair of T, relative to its value */

PetscErrorCode RhxKrylovCheck(MPI_Comm comm)
{
  PetscFunctionBegin;
  (void)comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Until the program ends. */
static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  if (SlepcInitializeCalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SlepcInitializeNoArguments());
  PetscCall(PetscRegisterFinalize(SlepcFinalize));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take(EPS eps, Mat T, RhxEigenpairs *pairs)
{
  PetscFunctionBegin;
  PetscCall(EPSGetConverged(eps, &pairs->n));
  PetscCall(PetscMalloc3(pairs->n, &pairs->value, pairs->n, &pairs->re, pairs->n, &pairs->im));
  for (PetscInt i = 0; i < pairs->n; i++) {
    PetscScalar re, im;
    PetscCall(MatCreateVecs(T, &pairs->re[i], &pairs->im[i]));
    PetscCall(EPSGetEigenpair(eps, i, &re, &im, pairs->re[i], pairs->im[i]));
    pairs->value[i][0] = re;
    pairs->value[i][1] = im;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double silence; /* s */
  PetscLogDouble begun, told;
} Progress;

static PetscErrorCode tell_progress(EPS eps, PetscInt restart, PetscInt found, PetscScalar *re, PetscScalar *im,
                                    PetscReal *error, PetscInt estimates, void *context)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)eps);
  Progress *p = context;
  PetscLogDouble now;
  PetscInt n;

  PetscFunctionBegin;
  (void)re, (void)im;
  PetscCall(PetscTime(&now));
  PetscCall(EPSGetDimensions(eps, &n, NULL, NULL));
  if (found >= n || found >= estimates || now - p->told < p->silence) PetscFunctionReturn(PETSC_SUCCESS);
  p->told = now;
  PetscCall(PetscPrintf(comm,
                        "eigen: restart %" PetscInt_FMT ", %.0f s: %" PetscInt_FMT " of %" PetscInt_FMT
                        " eigenpairs, the next has a relative error of %.1e (%.0e is wanted)\n",
                        restart, now - p->begun, found, n, (double)error[found], TOLERANCE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxKrylovSolve(Mat T, Vec start, PetscInt n, PetscInt most, double silence, RhxEigenpairs *pairs)
{
  Progress progress = {.silence = silence};
  EPS eps;
  PetscInt found;
  PetscFunctionBegin;
  PetscCall(begin());
  PetscCall(EPSCreate(PetscObjectComm((PetscObject)T), &eps));
  PetscCall(EPSSetOperators(eps, T, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_NHEP));
  PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_MAGNITUDE));
  PetscCall(EPSSetDimensions(eps, n, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, TOLERANCE, most));
  PetscCall(EPSSetInitialSpace(eps, 1, &start));
  PetscCall(PetscTime(&progress.begun));
  progress.told = progress.begun;
  PetscCall(EPSMonitorSet(eps, tell_progress, &progress, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found >= n, PetscObjectComm((PetscObject)T), PETSC_ERR_NOT_CONVERGED,
             "rheoplex eigen: the Krylov-Schur method found %" PetscInt_FMT
             " eigenvalues at a shift after %" PetscInt_FMT " restarts, expected %" PetscInt_FMT
             " (-eigen_number, -eigen_restarts, a shift that is nearer)",
             found, most, n);
  PetscCall(take(eps, T, pairs));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else

PetscErrorCode RhxKrylovCheck(MPI_Comm comm)
{
  PetscFunctionBegin;
  SETERRQ(comm, PETSC_ERR_SUP,
          "rheoplex eigen: this build has no SLEPc, expected one that was configured where SLEPc of PETSc's version is "
          "installed (Debian: slepc-dev; rheoplex --version tells)");
}

PetscErrorCode RhxKrylovSolve(Mat T, Vec start, PetscInt n, PetscInt most, double silence, RhxEigenpairs *pairs)
{
  PetscFunctionBegin;
  (void)start, (void)n, (void)most, (void)silence, (void)pairs;
  PetscCall(RhxKrylovCheck(PetscObjectComm((PetscObject)T)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode RhxEigenpairsDestroy(RhxEigenpairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++) {
    PetscCall(VecDestroy(&pairs->re[i]));
    PetscCall(VecDestroy(&pairs->im[i]));
  }
  PetscCall(PetscFree3(pairs->value, pairs->re, pairs->im));
  pairs->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
