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
  PetscInt wanted, found; /* eigenpairs, conjugate ones once */
  double silence;         /* s */
  PetscLogDouble begun, told;
} Progress;

static PetscInt count(PetscInt n, const PetscScalar *im)
{
  PetscInt found = 0;
  for (PetscInt i = 0; i < n; i++) found += PetscRealPart(im[i]) >= 0.0;
  return found;
}

/* A restart after enough are known. */
static PetscErrorCode stop(EPS eps, PetscInt its, PetscInt most, PetscInt found, PetscInt n, EPSConvergedReason *reason,
                           void *context)
{
  const Progress *p = context;
  PetscFunctionBegin;
  PetscCall(EPSStoppingBasic(eps, its, most, found, n, reason, NULL));
  if (*reason == EPS_CONVERGED_ITERATING && p->found >= p->wanted) *reason = EPS_CONVERGED_USER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_progress(EPS eps, PetscInt restart, PetscInt found, PetscScalar *re, PetscScalar *im,
                                    PetscReal *error, PetscInt estimates, void *context)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)eps);
  Progress *p = context;
  PetscLogDouble now;

  PetscFunctionBegin;
  (void)re;
  p->found = count(found, im);
  PetscCall(PetscTime(&now));
  if (p->found >= p->wanted || found >= estimates || now - p->told < p->silence) PetscFunctionReturn(PETSC_SUCCESS);
  p->told = now;
  PetscCall(PetscPrintf(comm,
                        "eigen: restart %" PetscInt_FMT ", %.0f s: %" PetscInt_FMT " of %" PetscInt_FMT
                        " eigenpairs, the next has a relative error of %.1e (%.0e is wanted)\n",
                        restart, now - p->begun, p->found, p->wanted, (double)error[found], TOLERANCE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxKrylovSolve(Mat T, Vec start, PetscInt n, PetscInt most, double silence, RhxEigenpairs *pairs)
{
  Progress progress = {.wanted = n, .silence = silence};
  EPS eps;
  EPSConvergedReason reason;
  PetscInt size, found;
  PetscFunctionBegin;
  PetscCall(begin());
  PetscCall(EPSCreate(PetscObjectComm((PetscObject)T), &eps));
  PetscCall(EPSSetOperators(eps, T, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_NHEP));
  PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_MAGNITUDE));
  PetscCall(VecGetSize(start, &size));
  PetscCall(EPSSetDimensions(eps, PetscMin(2 * n, size), PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetStoppingTestFunction(eps, stop, &progress, NULL));
  PetscCall(EPSSetTolerances(eps, TOLERANCE, most));
  PetscCall(EPSSetInitialSpace(eps, 1, &start));
  PetscCall(PetscTime(&progress.begun));
  progress.told = progress.begun;
  PetscCall(EPSMonitorSet(eps, tell_progress, &progress, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found, PetscObjectComm((PetscObject)T), PETSC_ERR_NOT_CONVERGED,
             "rheoplex eigen: the Krylov-Schur method found no eigenvalue at a shift in %" PetscInt_FMT
             " restarts, expected %" PetscInt_FMT " (-eigen_restarts, a shift that is nearer)",
             most, n);
  PetscCall(take(eps, T, pairs));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  pairs->all = (PetscBool)(reason != EPS_DIVERGED_ITS);
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
