/* What Newton's method says of its solves, and why one failed. */
#include "petsc_compat.h"
#include "scheme/factors_impl.h"
#include "scheme/newton_impl.h"
#include "scheme/renewpc_impl.h"
#include <math.h>
#include <petsc/private/pcimpl.h>
#include <petsc/private/tsimpl.h>

#define ENOUGH 50          /* iterations with the factors of a matrix that they solve */
#define IN_VAIN 2          /* linear solves: the first may have failed by its preconditioner's age */
#define STRETCHED 0.01     /* Weissenberg number that an error tells */
#define NEAR_ROUNDING 1e-8 /* of a residual's beginning: that of laws whose viscosities are a thousand apart */

PetscErrorCode RhxNewtonStepBegins(RhxNewton nt)
{
  PetscFunctionBegin;
  PetscCall(PetscTime(&nt->started));
  nt->spoke = nt->started;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonTell(RhxNewton nt, PetscInt iteration, double f)
{
  PetscLogDouble now;
  char step[160] = "", text[128];
  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (!iteration || !(nt->sc->silence > 0.0) || !(now - nt->spoke >= nt->sc->silence))
    PetscFunctionReturn(PETSC_SUCCESS);
  nt->spoke = now;
  if (nt->ts)
    snprintf(step, sizeof(step), ", attempt %d of the step from t = %g s, with a time step of %g s",
             (int)nt->ts->reject + 1, (double)nt->ts->ptime, (double)nt->ts->time_step);
  snprintf(text, sizeof(text), "%.0f s: |R| %.2e, %.2g of the first", now - nt->started, f, f / nt->begun);
  PetscCall(PetscPrintf(nt->eq->form->comm, "iteration %" PetscInt_FMT " of Newton's method%s, after %s\n", iteration,
                        step, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A clause of its own in place of that of factors where the matrix may be singular by a scalar field: where factors say that
 * it is singular by one that is loose at rest, else by one of which J itself shows it. */
static PetscErrorCode explain_loose(RhxNewton nt, PetscBool singular, size_t size, char *text)
{
  const RhxField *f;
  PetscFunctionBegin;
  if (nt->ts) PetscFunctionReturn(PETSC_SUCCESS); /* its rate says it */
  PetscCall(RhxNewtonFindLoose(nt, singular, &f));
  if (f)
    snprintf(text, size,
             "the matrix is singular, it may be by the field '%s', of which nothing says how large it is where nothing "
             "flows: expected its value or a film at a label, and where it does not diffuse one through which fluid "
             "comes in (-bc_<label>_%s), in a state that flows to begin with (-initial_velocity, -scheme_steady_dt); ",
             f->name, f->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of linear solves: why, and what to try, a clause that ends in "; "; else "". */
static PetscErrorCode explain_linear(RhxNewton nt, size_t size, char *text)
{
  KSPConvergedReason reason;
  PCFailedReason failed;
  char coupling[256], instead[300];
  PetscBool factors, singular;
  PetscInt most;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(SNESGetKSP(nt->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFormAdviseCoupling(nt->eq->form, sizeof(coupling), coupling));
  snprintf(instead, sizeof(instead), "-solver split%s%s", nt->eq->form->viscous || !coupling[0] ? "" : " with ",
           nt->eq->form->viscous ? "" : coupling); /* whose incomplete factors want a viscosity */
  PetscCall(RhxFactorsExplain(pc, instead, size, text));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetTolerances(ksp, NULL, NULL, NULL, &most));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &factors));
  PetscCall(PCGetFailedReason(pc, &failed));
  singular = (PetscBool)(failed == PC_FACTOR_STRUCT_ZEROPIVOT || failed == PC_FACTOR_NUMERIC_ZEROPIVOT ||
                         (factors && reason == KSP_DIVERGED_BREAKDOWN)); /* of factors that do not solve it */
  singular = (PetscBool)(singular || (factors && reason == KSP_DIVERGED_ITS && most >= ENOUGH));
  if (reason < 0 && (singular || (reason != KSP_DIVERGED_ITS && !text[0])))
    PetscCall(explain_loose(nt, singular, size, text));
  if (!text[0] && reason == KSP_DIVERGED_ITS)
    snprintf(text, size,
             "the last linear solve did not converge in %" PetscInt_FMT " iterations: %smore of them (-ksp_max_it); ",
             most, factors ? "" : "-solver direct where its factors fit into the memory, or ");
  else if (!text[0] && reason < 0 && !factors)
    snprintf(text, size, "the last linear solve failed (%s): -solver direct where its factors fit into the memory; ",
             KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the polymer: how far it is stretched, and what helps, ", " before each. */
static PetscErrorCode advise_polymer(RhxNewton nt, size_t size, char *text)
{
  const RhxForm form = nt->eq->form;
  char coupling[256];
  PetscFunctionBegin;
  text[0] = '\0';
  if (!form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormAdviseCoupling(form, sizeof(coupling), coupling));
  snprintf(text, size, "%s%s%s", form->representation != RHX_LOGCONF ? ", -polymer_variable logconf" : "",
           coupling[0] ? ", " : "", coupling);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonFailAt(RhxNewton nt, const char *why, const char *where, const char *hint)
{
  const RhxField *field;
  RhxNewtonWorst worst = {0.0, {0.0}};
  char all[1024], cause[1024], polymer[320], stretched[128] = "", met[512];
  double norm;
  PetscFunctionBegin;
  PetscCall(RhxScalingNorm(nt->scaling, nt->f, &norm));
  PetscCall(explain_linear(nt, sizeof(cause), cause));
  PetscCall(advise_polymer(nt, sizeof(polymer), polymer));
  if (nt->eq->form->nmodes && nt->wi > STRETCHED)
    snprintf(stretched, sizeof(stretched), "the largest Weissenberg number %s is %.3g; ",
             where[0] ? "of the last good state" : "there", nt->wi);
  PetscCall(RhxNewtonFindWorst(nt, &field, &worst, sizeof(all), all));
  if (norm <= RHX_AT_ROUNDING * nt->scale) {
    hint = "a larger -snes_rtol, for the residual is at its rounding";
    polymer[0] = '\0';
  } else if (norm <= NEAR_ROUNDING * nt->scale) {
    snprintf(met, sizeof(met), "-snes_rtol %g, which this state meets, or %s", NEAR_ROUNDING, hint);
    hint = met;
  }
  SETERRQ(nt->eq->form->comm, PETSC_ERR_NOT_CONVERGED,
          "-scheme %s%s: Newton's method ended after %" PetscInt_FMT
          " iterations (%s), the residual at %.3g of its beginning: the worst is that of %s at (%.4g, %.4g, %.4g); "
          "residuals over the mass of their node, now of the first: %s; %s%stry %s%s",
          nt->sc->type->name, where, nt->iterations, why, norm / nt->scale, field->name, worst.x[0], worst.x[1],
          worst.x[2], all, stretched, cause, hint, polymer);
}

PetscErrorCode RhxNewtonFail(RhxNewton nt, const char *where, const char *hint)
{
  SNESConvergedReason reason;
  Vec f;
  PetscFunctionBegin;
  PetscCall(SNESGetConvergedReason(nt->snes, &reason));
  PetscCall(SNESGetFunction(nt->snes, &f, NULL, NULL));
  PetscCall(VecCopy(f, nt->f));
  PetscCall(RhxScalingRowsBack(nt->scaling, nt->f));
  PetscCall(SNESGetIterationNumber(nt->snes, &nt->iterations));
  PetscCall(RhxNewtonFailAt(nt, SNESConvergedReasons[reason], where, hint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A split, after `used` bytes of the text: its name, solver and preconditioner. */
static PetscErrorCode describe_split(KSP ksp, const char *separator, size_t used, size_t size, char *text)
{
  const char *prefix = NULL, *name, *last = NULL;
  KSPConvergedReason reason;
  KSPType solver;
  PCType type;
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  for (name = prefix; name && (name = strstr(name, "fieldsplit_")); last = name) name += strlen("fieldsplit_");
  PetscCall(KSPGetType(ksp, &solver));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (used < size)
    snprintf(text + used, size - used, "%s%.*s (%s, %s%s)", separator, last ? (int)strlen(last) - 1 : 0,
             last ? last : "", solver ? solver : "", type ? type : "", reason < 0 ? ", which fails too" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What preconditions: its type, of splits those with what solves them. */
static PetscErrorCode describe_preconditioner(PC pc, size_t size, char *text)
{
  PetscBool split;
  PetscInt n;
  PCType type;
  KSP *part;
  PetscFunctionBegin;
  PetscCall(PCGetType(pc, &type));
  snprintf(text, size, "%s", type);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCFIELDSPLIT, &split));
  if (!split || !pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &part));
  snprintf(text, size, "the splits ");
  for (PetscInt k = 0; k < n; k++)
    PetscCall(describe_split(part[k], !k ? "" : k + 1 < n ? ", " : " and ", strlen(text), size, text));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonTellFailures(RhxNewton nt)
{
  const RhxRenew *rn = &nt->renew;
  KSPConvergedReason reason;
  char what[512];
  PetscBool factors;
  PC pc;
  PetscFunctionBegin;
  if (nt->told_failures || !rn->failed || rn->failures < IN_VAIN) PetscFunctionReturn(PETSC_SUCCESS);
  nt->told_failures = PETSC_TRUE;
  PetscCall(KSPGetPC(rn->ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &factors));
  PetscCall(describe_preconditioner(pc, sizeof(what), what));
  PetscCall(KSPGetConvergedReason(rn->ksp, &reason));
  PetscCall(
      PetscFPrintf(nt->eq->form->comm, PETSC_STDERR,
                   "rheoplex: warning: -scheme %s: %" PetscInt_FMT
                   " linear solves of Newton's method failed (%s), preconditioned by %s: their %" PetscInt_FMT
                   " iterations are lost; expected %s%s%sor more iterations (-ksp_max_it); later ones are counted "
                   "at the end\n",
                   nt->sc->type->name, rn->failures, KSPConvergedReasons[reason], what, rn->vain,
                   factors ? "" : "-solver direct where its factors fit into the memory, ",
                   nt->ts ? "shorter steps (-scheme_monolithic_dt), " : "",
                   rn->policy == RHX_RENEW_NEVER ? "a preconditioner that is set up again (-pc_renew demand), " : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Norms, and the order of the last iterations that are not rounding. */
PetscErrorCode RhxNewtonSay(RhxNewton nt, PetscInt steps)
{
  const PetscReal *h = nt->history;
  char text[1024];
  size_t used = 0;
  PetscFunctionBegin;
  if (steps) PetscCall(PetscPrintf(nt->eq->form->comm, "pseudo-transient start: %" PetscInt_FMT " steps\n", steps));
  for (PetscInt k = 0; k <= PetscMin(nt->iterations, RHX_NEWTON_HISTORY - 1) && used < sizeof(text); k++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used, " %.2e", (double)h[k]);
    if (k > 1 && used < sizeof(text))
      used += (size_t)snprintf(text + used, sizeof(text) - used, " (order %.2f)",
                               log((double)(h[k] / h[k - 1])) / log((double)(h[k - 1] / h[k - 2])));
  }
  PetscCall(PetscPrintf(nt->eq->form->comm, "Newton: %" PetscInt_FMT " iterations, |R|%s\n", nt->iterations, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonSayWork(RhxNewton nt, const char *steps)
{
  const RhxRenew *rn = &nt->renew;
  char failed[96] = "";
  PC pc;
  PetscFunctionBegin;
  if (rn->failures)
    snprintf(failed, sizeof(failed), "; of them %" PetscInt_FMT " failed, after %" PetscInt_FMT " iterations",
             rn->failures, rn->vain);
  PetscCall(PetscPrintf(nt->eq->form->comm,
                        "%s: %s%" PetscInt_FMT " Newton iterations; preconditioner (%s): %" PetscInt_FMT
                        " set-ups (%" PetscInt_FMT " redone), %.3g s; %" PetscInt_FMT " linear solves, %" PetscInt_FMT
                        " iterations, %.3g s%s\n",
                        nt->sc->type->name, steps, nt->told.newton, RhxRenewNames[rn->policy], rn->setups, rn->redone,
                        rn->setup_seconds, rn->solves, rn->iterations, rn->solve_seconds, failed));
  PetscCall(KSPGetPC(rn->ksp, &pc));
  PetscCall(RhxRenewPCSay(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
