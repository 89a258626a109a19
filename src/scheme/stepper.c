#include "petsc_compat.h"
#include "scheme/newton_impl.h"
#include "scheme/stepper_impl.h"

#define TOLERANCE 1e-11
#define MOST_ITERATIONS 2000

/* Of a real matrix for doubled vectors: K = J + s M and B = |w| M make
 *   [K  -B]                          [K    -B   ]
 *   [B   K]     of (x, +- y), near   [B  K + 2 B],     which H = K + B alone inverts:
 *   h = H^-1 (b + c),   y = H^-1 (c - B h),   x = h - y;
 * of symmetric parts without negative values all values of what it makes of the first are between 1/2 and 1 (PRESB: Axelsson, Neytcheva and
 * Ahmad, Numer. Algorithms 66 (2014) 811). */
typedef struct {
  KSP real; /* of H, of which the preconditioner alone is used */
  Mat M;    /* borrowed */
  double w;
  Vec b, c, h, y;
} Doubled;

static PetscErrorCode apply(PC shell, Vec in, Vec out)
{
  Doubled *d;
  PC pc;
  PetscFunctionBegin;
  PetscCall(PCShellGetContext(shell, &d));
  PetscCall(KSPGetPC(d->real, &pc));
  PetscCall(VecStrideGather(in, 0, d->b, INSERT_VALUES));
  PetscCall(VecStrideGather(in, 1, d->c, INSERT_VALUES));
  if (d->w < 0.0) PetscCall(VecScale(d->c, -1.0));
  PetscCall(VecAXPY(d->b, 1.0, d->c));
  PetscCall(PCApply(pc, d->b, d->h));
  PetscCall(MatMult(d->M, d->h, d->b));
  PetscCall(VecAXPY(d->c, -PetscAbsReal(d->w), d->b));
  PetscCall(PCApply(pc, d->c, d->y));
  PetscCall(VecAXPY(d->h, -1.0, d->y));
  if (d->w < 0.0) PetscCall(VecScale(d->y, -1.0));
  PetscCall(VecStrideScatter(d->h, 0, out, INSERT_VALUES));
  PetscCall(VecStrideScatter(d->y, 1, out, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC shell)
{
  Doubled *d;
  PetscFunctionBegin;
  PetscCall(PCShellGetContext(shell, &d));
  PetscCall(KSPDestroy(&d->real));
  PetscCall(VecDestroy(&d->b));
  PetscCall(VecDestroy(&d->c));
  PetscCall(VecDestroy(&d->h));
  PetscCall(VecDestroy(&d->y));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the restart and the limits of the real one. */
static PetscErrorCode create_doubled(KSP real, Mat A, Mat M, double w, KSP *ksp)
{
  PetscBool gmres;
  PetscInt restart, most;
  Doubled *d;
  PC pc;
  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->real = real;
  d->M = M;
  d->w = w;
  PetscCall(MatCreateVecs(M, &d->b, &d->c));
  PetscCall(MatCreateVecs(M, &d->h, &d->y));
  PetscCall(KSPSetUp(real));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp)); /* monitors; its type and its preconditioner are these */
  PetscCall(KSPSetType(*ksp, KSPFGMRES));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)real, &gmres, KSPGMRES, KSPFGMRES, ""));
  if (gmres) {
    PetscCall(KSPGMRESGetRestart(real, &restart));
    PetscCall(KSPGMRESSetRestart(*ksp, restart));
  }
  PetscCall(KSPGetTolerances(real, NULL, NULL, NULL, &most));
  PetscCall(KSPSetTolerances(*ksp, TOLERANCE, PETSC_CURRENT, PETSC_CURRENT, most));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, d));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetDestroy(pc, destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepperCreate(RhxEquations eq, Mat A, Mat M, const double shift[2], KSP *ksp)
{
  const PetscBool doubled = (PetscBool)(shift[1] != 0.0);
  PetscInt most;
  Mat P;
  KSP real;
  PetscFunctionBegin;
  PetscCall(MatDuplicate(eq->P, MAT_COPY_VALUES, &P));
  PetscCall(MatAXPY(P, shift[0] + PetscAbsReal(shift[1]), M, SAME_NONZERO_PATTERN));
  PetscCall(KSPCreate(eq->form->comm, &real));
  PetscCall(RhxNewtonSetUpLinear(eq, doubled ? P : A, P, TOLERANCE, real));
  PetscCall(MatDestroy(&P));
  PetscCall(KSPSetFromOptions(real));
  PetscCall(KSPGetTolerances(real, NULL, NULL, NULL, &most));
  PetscCall(KSPSetTolerances(real, TOLERANCE, PETSC_CURRENT, PETSC_CURRENT, PetscMax(most, MOST_ITERATIONS)));
  *ksp = real;
  if (doubled) PetscCall(create_doubled(real, A, M, shift[1], ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
