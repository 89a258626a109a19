#include "petsc_compat.h"
#include "plugin/event.h"
#include "scheme/factors_impl.h"
#include "scheme/watch_impl.h"

static RhxEvent event = RHX_EVENT("RhxBranchPoints");

PetscErrorCode RhxWatchCreate(RhxNewton nt, const char *option, PetscBool arc, PetscBool on, RhxWatch *watch)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(watch));
  (*watch)->nt = nt;
  (*watch)->option = option;
  (*watch)->arc = arc;
  (*watch)->silent = (PetscBool)!on;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWatchDestroy(RhxWatch *watch)
{
  PetscFunctionBegin;
  if (!*watch) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBorderedDestroy(&(*watch)->factors));
  PetscCall(MatDestroy(&(*watch)->P));
  PetscCall(PetscFree(*watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why det J has no sign here, or "". */
static PetscErrorCode lacks(RhxWatch w, size_t size, char *why)
{
  const RhxEquations eq = w->nt->eq;
  PetscBool factors;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(SNESGetKSP(w->nt->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFactorsHaveSign(pc, &factors));
  why[0] = '\0';
  if (!factors)
    snprintf(why, size, "without factors by MUMPS (-solver direct)");
  else if (eq->driven)
    snprintf(why, size, "with -form_mean_velocity");
  else if (eq->ops->device)
    snprintf(why, size, "on a device");
  else if (eq->form->corrections)
    snprintf(why, size, "with lumped projections that are corrected");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of P in nt's units, whose factors it has. */
static PetscErrorCode sign_of_matrix(RhxNewton nt, int *sign)
{
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(SNESGetKSP(nt->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFactorsGetSign(pc, sign));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of S with eq->P. */
static PetscErrorCode factor_bordered(RhxWatch w, int *sign)
{
  const double none[2] = {0.0, 0.0};
  const RhxEquations eq = w->nt->eq;
  PetscFunctionBegin;
  PetscCall(RhxEquationsAssemble(eq, PETSC_FALSE));
  if (w->factors && eq->following) PetscCall(RhxBorderedDestroy(&w->factors));
  if (w->factors)
    PetscCall(RhxBorderedRenew(w->factors));
  else
    PetscCall(RhxBorderedCreate(eq, NULL, none, "", &w->factors));
  PetscCall(RhxBorderedGetSign(w->factors, sign));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P is that of nt, which may be kept, in its units, for solves to come: here stands another, which stays that of w after an error too. */
static PetscErrorCode sign_of_bordered(RhxWatch w, int *sign)
{
  const RhxEquations eq = w->nt->eq;
  const Mat P = eq->P;
  PetscErrorCode code;
  PetscFunctionBegin;
  if (!w->P) PetscCall(eq->ops->table->tangent->create(eq->ops, &w->P));
  PetscCall(RhxEquationsLinearise(eq, w->nt->x, NULL, 0.0));
  eq->P = w->P;
  code = factor_bordered(w, sign);
  eq->P = P;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_sign(RhxWatch w, PetscBool fresh, int *sign)
{
  const RhxEquations eq = w->nt->eq;
  char why[128];
  PetscFunctionBegin;
  *sign = 0;
  if (w->silent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxEventBegin(&event));
  PetscCall(lacks(w, sizeof(why), why));
  if (!why[0] && fresh && !eq->form->naux && !eq->following)
    PetscCall(sign_of_matrix(w->nt, sign));
  else if (!why[0])
    PetscCall(sign_of_bordered(w, sign));
  PetscCall(RhxEventEnd(&event));
  if (!why[0] && !*sign) snprintf(why, sizeof(why), "from factors that failed, for want of memory perhaps");
  w->silent = (PetscBool)(why[0] != '\0');
  if (why[0])
    PetscCall(PetscPrintf(eq->form->comm,
                          "continuation: branch points are not told from here on, for there is no sign of det J %s; "
                          "rheoplex eigen tells of a state\n",
                          why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was passed since the last state; known: the signs of both. */
static PetscErrorCode tell(RhxWatch w, double value, PetscBool known, const double *fold, int passed)
{
  const MPI_Comm comm = w->nt->eq->form->comm;
  char zero[512] = "", at[320] = "", hint[768] = "";
  PetscFunctionBegin;
  if (passed == RHX_PASSED_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (known)
    snprintf(zero, sizeof(zero), "a real eigenvalue%s went through zero between %s = %.8g and %.8g: ",
             passed == RHX_PASSED_BOTH ? " and another" : "", w->option, w->value, value);
  if (passed != RHX_PASSED_FOLD)
    snprintf(hint, sizeof(hint),
             "branch point%s; rheoplex eigen about a state beside it tells the mode, -eigen_critical %s=%.8g:%.8g the "
             "value where no other grows faster, -eigen_perturbed leads to the other branch%s",
             w->arc ? "" : ", or a state of another branch (-scheme_steady_continuation_type arclength)", w->option,
             w->value, value, fold ? "; and " : "");
  if (fold) snprintf(at, sizeof(at), "fold at %s = %.8g", w->option, *fold);
  PetscCall(PetscPrintf(comm, "continuation: %s%s%s\n", zero, hint, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWatchTake(RhxWatch w, double value, PetscBool fresh, const double *fold, int *passed)
{
  PetscBool known, changed;
  int sign;
  PetscFunctionBegin;
  *passed = fold ? RHX_PASSED_FOLD : RHX_PASSED_NONE;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_sign(w, fresh, &sign));
  known = (PetscBool)(sign && w->sign);
  changed = (PetscBool)(sign != w->sign);
  if (known && changed != (fold != NULL)) *passed = fold ? RHX_PASSED_BOTH : RHX_PASSED_BRANCH;
  PetscCall(tell(w, value, known, fold, *passed));
  w->value = value;
  w->sign = sign;
  PetscFunctionReturn(PETSC_SUCCESS);
}
