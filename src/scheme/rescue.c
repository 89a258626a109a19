#include "petsc_compat.h"
#include "scheme/factors_impl.h"
#include "scheme/rescue_impl.h"
#include <petsc/private/kspimpl.h>

/* What the KSP called after a solve before this, such as the forcing terms of SNES. */
typedef struct {
  RhxNewton nt;
  PetscErrorCode (*after)(KSP, Vec, Vec, void *);
  void *ctx;
} Rescue;

static PetscErrorCode solve_again(RhxNewton nt, KSP ksp, Vec b, Vec x)
{
  const PetscInt place = nt->renew.place;
  PetscFunctionBegin;
  PetscCall(RhxNewtonPrecondition(nt));
  nt->renew.redone++;
  PetscCall(RhxRenewSolveBegin(&nt->renew, place));
  nt->eq->solving = ksp;
  PetscCall(VecZeroEntries(x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The PC becomes factors, unless they are too large; told. */
static PetscErrorCode use_factors(RhxNewton nt, KSP ksp, const char *why, PetscBool *taken)
{
  const RhxScheme sc = nt->sc;
  const MPI_Comm comm = sc->form->comm;
  double needed, available;
  PC pc;
  PetscFunctionBegin;
  PetscCall(RhxFactorsFit(nt->A, taken, &needed, &available));
  nt->told_failures = PETSC_TRUE;
  if (!*taken) {
    PetscCall(PetscPrintf(comm,
                          "solver %s: a linear solve with a preconditioner of its own failed (%s), and there is no "
                          "memory for factors: %.3g MB needed, %.3g MB available\n",
                          sc->rescue, why, needed / 1e6, available / 1e6));
    sc->rescue[0] = '\0';
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscPrintf(comm,
                        "solver %s: a linear solve with a preconditioner of its own failed (%s); from here on factors "
                        "by MUMPS, %.3g MB of %.3g MB available (-solver %s: never)\n",
                        sc->rescue, why, needed / 1e6, available / 1e6, sc->rescue));
  sc->rescue[0] = '\0';
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFactorsUse(comm, nt->A, pc));
  RhxProjectedReplace(nt->projected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rescue(RhxNewton nt, KSP ksp, Vec b, Vec x)
{
  const PetscBool fresh = nt->renew.fresh;
  KSPConvergedReason reason;
  PetscReal norm;
  PetscBool taken;
  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason >= 0 || ksp->transpose_solve) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(b, NORM_2, &norm));
  if (!(norm <= PETSC_MAX_REAL)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxNewtonSolved(nt));
  if (!fresh) PetscCall(solve_again(nt, ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxNewtonSolved(nt));
  PetscCall(use_factors(nt, ksp, KSPConvergedReasons[reason], &taken));
  if (taken) PetscCall(solve_again(nt, ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode after_solve(KSP ksp, Vec b, Vec x, void *ctx)
{
  const Rescue *r = (const Rescue *)ctx;
  const RhxNewton nt = r->nt;
  PetscFunctionBegin;
  if (nt->rescuing) PetscFunctionReturn(PETSC_SUCCESS);
  nt->rescuing = PETSC_TRUE;
  if (nt->sc->rescue[0]) PetscCall(rescue(nt, ksp, b, x));
  nt->rescuing = PETSC_FALSE;
  if (r->after) PetscCall(r->after(ksp, b, x, r->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRescueUse(RhxNewton nt)
{
  const KSP ksp = nt->renew.ksp;
  PetscContainer container;
  Rescue *r;
  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  *r = (Rescue){nt, ksp->postsolve, ksp->postctx};
  PetscCall(KSPSetPostSolve(ksp, after_solve, r));
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)ksp), &container));
  PetscCall(PetscContainerSetPointer(container, r));
  PetscCall(RhxContainerSetFree(container));
  PetscCall(PetscObjectCompose((PetscObject)ksp, "RhxRescue", (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}
