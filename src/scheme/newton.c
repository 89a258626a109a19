#include "form/relaxation.h"
#include "petsc_compat.h"
#include "scheme/factors_impl.h"
#include "scheme/newton_impl.h"
#include "scheme/renewpc_impl.h"
#include "scheme/rescue_impl.h"
#include "scheme/splits_impl.h"
#include <float.h>
#include <petsc/private/tsimpl.h>

#define TOLERANCE 1e-10       /* of the residual over that at rest with what is given */
#define LINEAR_TOLERANCE 1e-6 /* of J dx = b outside of SNES: directions of a branch, RhxNewtonStream */
/* J dx = -R within SNES, by Eisenstat and Walker (1996) in PETSc's version 3: FIRST, then (|R|/|R_last|)^1.618, between FIRST and
 * CLOSE of what Newton's method is to end with; NEARBY in place of FIRST from a state that is near. */
#define EISENSTAT_WALKER 3
#define FIRST 0.1
#define NEARBY 0.01
#define CLOSE 0.9
#define RESTART 60
#define BURIED 1e-4   /* of a balanced weight: a tolerance of 1e-10 of less is below the rounding of its balance */
#define STALLED 1e-12 /* of a solve's first residual: rounding, where the next one has not half of it */
#define BALANCED 16   /* and that rounding, in units of the last place */
#define LAST_PLACES 4 /* of the conformation at rest: what its relaxation is off by; of any value, what a residual is */
#define CHANGED 1e-7  /* of a value: what cancels in a residual shows */
#define MIXING 2654435769u /* signs that no mesh repeats */
#define SLOW 1e-3          /* of the rate of the flow that begins: a time step that it does not feel */
#define NEAR 1e-3          /* residual over its scale from which on a method that ends was on its way */

/* ---- Of SNES ---- */

PetscErrorCode RhxNewtonSolved(RhxNewton nt)
{
  PetscFunctionBegin;
  PetscCall(RhxRenewSolveEnd(&nt->renew));
  nt->eq->solving = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rate of a pseudo time step, or NULL. */
static PetscErrorCode rate_at(RhxNewton nt, Vec x, Vec *xdot)
{
  PetscFunctionBegin;
  *xdot = nt->shift > 0.0 ? nt->rate : NULL;
  if (*xdot) PetscCall(VecWAXPY(nt->rate, -1.0, nt->old, x));
  if (*xdot) PetscCall(VecScale(nt->rate, nt->shift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode residual(SNES snes, Vec z, Vec f, void *ctx)
{
  RhxNewton nt = (RhxNewton)ctx;
  Vec xdot;
  PetscFunctionBegin;
  (void)snes;
  PetscCall(RhxScalingToState(nt->scaling, z, nt->now));
  PetscCall(rate_at(nt, nt->now, &xdot));
  PetscCall(RhxNewtonEvaluate(nt, nt->now, xdot, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonEvaluate(RhxNewton nt, Vec x, Vec xdot, Vec f)
{
  PetscFunctionBegin;
  PetscCall(RhxNewtonSolved(nt));
  PetscCall(RhxEquationsResidual(nt->eq, x, xdot, f));
  PetscCall(RhxScalingRows(nt->scaling, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of a preconditioner that is another are read when it is set up. */
static PetscErrorCode take_projected(RhxNewton nt, PC pc)
{
  const Mat before = nt->A;
  PetscFunctionBegin;
  PetscCall(RhxProjectedMatrix(nt->projected, pc, &nt->A));
  if (nt->A == before) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESSetJacobian(nt->snes, nt->J, nt->A, NULL, NULL));
  nt->checked = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonPrecondition(RhxNewton nt)
{
  double clock;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(RhxRenewSetUpBegin(&clock));
  PetscCall(SNESGetKSP(nt->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFactorsMend(pc));
  PetscCall(RhxEquationsAssemble(nt->eq, PETSC_TRUE));
  if (nt->projected) PetscCall(take_projected(nt, pc));
  PetscCall(RhxScalingMatrix(nt->scaling, nt->A));
  PetscCall(KSPSetOperators(ksp, nt->J, nt->A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(RhxFactorsEnlarge(pc));
  PetscCall(RhxRenewSetUpEnd(&nt->renew, clock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonPrepare(RhxNewton nt, PetscInt place, double cfl)
{
  PetscBool due;
  PC pc;
  PetscFunctionBegin;
  nt->renew.cfl = cfl;
  PetscCall(RhxRenewIsDue(&nt->renew, &due));
  PetscCall(RhxNewtonTellFailures(nt));
  if (due) PetscCall(RhxNewtonPrecondition(nt));
  PetscCall(KSPGetPC(nt->renew.ksp, &pc));
  PetscCall(RhxRenewPCPlace(pc, place, cfl));
  PetscCall(RhxRenewSolveBegin(&nt->renew, place));
  nt->eq->solving = nt->renew.ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonLinearise(RhxNewton nt, Vec x, Vec xdot, double shift)
{
  PetscFunctionBegin;
  PetscCall(RhxEquationsLinearise(nt->eq, x, xdot, shift));
  if (nt->J == nt->eq->P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssemblyBegin(nt->J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(nt->J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode linearise(RhxNewton nt, Vec x)
{
  Vec xdot;
  PetscFunctionBegin;
  PetscCall(rate_at(nt, x, &xdot));
  PetscCall(RhxNewtonLinearise(nt, x, xdot, nt->shift));
  if (!(nt->shift > 0.0)) PetscCall(RhxEquationsCheckVelocity(nt->eq, x, nt->sc->type->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(SNES snes, Vec z, Mat J, Mat P, void *ctx)
{
  RhxNewton nt = (RhxNewton)ctx;
  PetscFunctionBegin;
  (void)snes, (void)J, (void)P;
  PetscCall(RhxScalingToState(nt->scaling, z, nt->now));
  PetscCall(linearise(nt, nt->now));
  PetscCall(RhxNewtonPrepare(nt, 0, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

PetscErrorCode RhxNewtonSetUpLinear(RhxEquations eq, Mat J, Mat P, double tolerance, KSP ksp)
{
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPSetDM(ksp, eq->dm));
  PetscCall(RhxKSPSetDMPassive(ksp));
  PetscCall(KSPSetOperators(ksp, J, P));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
  PetscCall(KSPGMRESSetRestart(ksp, RESTART));
  PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFactorsUse(eq->form->comm, P, pc));
  PetscCall(RhxSplitsUse(eq->form, pc));
  PetscCall(RhxSplitsSpareDevice(eq->form, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a step that may be tried again, shorter: an iteration of Newton's method with which the last RHX_CREEPING have not halved the
 * residual. Other solvers fall slowly by design. */
static PetscErrorCode creeps(RhxNewton nt, SNES snes, PetscInt iteration, double f, PetscBool *slow)
{
  double *past = &nt->past[iteration % RHX_CREEPING];
  const double before = *past;
  const TS ts = nt->ts;
  PetscBool newton;
  PetscFunctionBegin;
  *past = f;
  PetscCall(PetscObjectTypeCompare((PetscObject)snes, SNESNEWTONLS, &newton));
  *slow = (PetscBool)(ts && newton && iteration >= RHX_CREEPING && !(f <= 0.5 * before) &&
                      (ts->max_snes_failures <= 0 || ts->num_snes_failures + 1 < ts->max_snes_failures));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual at rounding is solved, even where an iteration is forced: no line is left to search. So is one of a step in time that falls no more
 * at STALLED of its first; another one beyond the bound is not, how far it has fallen whatsoever. */
static PetscErrorCode converged(SNES snes, PetscInt iteration, PetscReal x, PetscReal y, PetscReal f,
                                SNESConvergedReason *reason, void *ctx)
{
  const RhxNewton nt = (RhxNewton)ctx;
  const double rounding = PetscMax(nt->rounding, DBL_EPSILON * PetscMax(nt->scale, BALANCED * nt->weight));
  PetscBool stalls, slow = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(creeps(nt, snes, iteration, f, &slow));
  if (nt->sc->interrupt) PetscCall(nt->sc->interrupt(nt->sc->interrupt_ctx));
  PetscCall(SNESConvergedDefault(snes, iteration, x, y, f, reason, NULL));
  if (*reason == SNES_CONVERGED_FNORM_RELATIVE && nt->bound > 0.0 && !(f <= nt->bound))
    *reason = SNES_CONVERGED_ITERATING;
  if (!iteration) nt->begun = f;
  PetscCall(RhxNewtonTell(nt, iteration, f));
  stalls = (PetscBool)(nt->ts && iteration && f > 0.5 * nt->last && f <= STALLED * nt->begun);
  nt->last = f;
  if (*reason == SNES_CONVERGED_ITERATING && (stalls || f <= PetscMax(DBL_MIN, rounding)))
    *reason = SNES_CONVERGED_FNORM_ABS;
  if (*reason == SNES_CONVERGED_ITERATING && slow) *reason = SNES_DIVERGED_LOCAL_MIN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before each iteration of a linear solve too, which may take minutes. */
static PetscErrorCode ask_whether_to_go_on(KSP ksp, PetscInt iteration, PetscReal norm, void *ctx)
{
  const RhxScheme sc = ((RhxNewton)ctx)->sc;
  (void)ksp, (void)iteration, (void)norm;
  PetscFunctionBegin;
  if (sc->interrupt) PetscCall(sc->interrupt(sc->interrupt_ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where -ksp_rtol is not given; -snes_ksp_ew says otherwise. */
static PetscErrorCode forcing_terms(SNES snes)
{
  const char *prefix;
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(SNESGetOptionsPrefix(snes, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-ksp_rtol", &given));
  PetscCall(SNESKSPSetUseEW(snes, (PetscBool)!given));
  PetscCall(
      SNESKSPSetParametersEW(snes, EISENSTAT_WALKER, FIRST, FIRST, CLOSE, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonForce(RhxNewton nt, PetscBool near)
{
  PetscReal first;
  PetscFunctionBegin;
  PetscCall(SNESKSPGetParametersEW(nt->snes, NULL, &first, NULL, NULL, NULL, NULL, NULL));
  if (near == nt->near || (near && first != FIRST)) PetscFunctionReturn(PETSC_SUCCESS);
  nt->near = near;
  PetscCall(SNESKSPSetParametersEW(nt->snes, PETSC_CURRENT, near ? NEARBY : FIRST, PETSC_CURRENT, PETSC_CURRENT,
                                   PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonSetUpSolver(RhxNewton nt, double tolerance, double linear)
{
  SNESLineSearch search;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(SNESSetTolerances(nt->snes, 0.0, tolerance, 0.0, 50, 10000));
  PetscCall(SNESSetConvergenceTest(nt->snes, converged, nt, NULL));
  PetscCall(SNESGetLineSearch(nt->snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBT));
  PetscCall(SNESGetKSP(nt->snes, &ksp));
  PetscCall(RhxNewtonSetUpLinear(nt->eq, nt->J, nt->eq->P, linear, ksp));
  PetscCall(RhxRenewInitialise(&nt->renew, nt->eq->form->comm, ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  RhxOptionsDefer(RhxSplitsReadLater);
  PetscCall(SNESSetFromOptions(nt->snes));
  PetscCall(KSPMonitorSet(ksp, ask_whether_to_go_on, nt, NULL));
  if (nt->sc->rescue[0]) PetscCall(RhxRescueUse(nt));
  PetscCall(RhxFactorsCheck(nt->eq->form->comm, nt->eq->P, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A steady state has no steps for a condition to move on with. */
static PetscErrorCode ask_of_labels(RhxForm form, RhxBoundary bc, PetscBool integrator)
{
  const char *label, *type;
  PetscBool driven;
  PetscFunctionBegin;
  if (!integrator) PetscCall(RhxFormAsk(form, RHX_ASK_STEADY, "", ""));
  PetscCall(RhxBoundaryGetDrive(bc, &driven, NULL, NULL));
  if (driven) PetscCall(RhxFormAsk(form, RHX_ASK_MEAN_VELOCITY, "", ""));
  PetscCall(RhxBoundaryGetMoving(bc, &label, &type));
  if (label) PetscCall(RhxFormAsk(form, RHX_ASK_MOVES, label, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neither a steady state nor, so that it is the one of steps too, what steps end at. */
static PetscErrorCode warn_of_transient_tau(RhxForm form, const char *scheme)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    char option[128];
    PetscBool transient;
    PetscCall(RhxSchemeHasTransientTau(form, k, option, &transient));
    if (transient)
      PetscCall(PetscFPrintf(form->comm, PETSC_STDERR,
                             "rheoplex: warning: %s transient does nothing with -scheme %s, whose stabilisation does "
                             "not depend on dt; expected steady\n",
                             option, scheme));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonCreate(RhxScheme sc, const RhxRenewOptions *renew, TS ts, RhxNewton *out)
{
  const RhxForm form = sc->form;
  RhxNewton nt;
  KSP ksp;
  PetscFunctionBegin;
  PetscCall(ask_of_labels(form, sc->bc, (PetscBool)(ts != NULL)));
  PetscCall(warn_of_transient_tau(form, sc->type->name));
  PetscCall(PetscNew(out));
  nt = *out;
  nt->sc = sc;
  RhxRenewSet(&nt->renew, renew);
  PetscCall(RhxEquationsCreate(sc->ops, (PetscBool)(renew->policy != RHX_RENEW_ALWAYS || ts), &nt->eq));
  PetscCall(RhxScalingCreate(nt->eq, &nt->scaling));
  PetscCall(RhxScalingCreateJacobian(nt->scaling, &nt->J));
  nt->A = nt->eq->P;
  PetscCall(PetscCalloc2(form->space->nfields, &nt->first, form->space->nfields, &nt->most));
  PetscCall(DMCreateGlobalVector(nt->eq->dm, &nt->x));
  PetscCall(VecDuplicate(nt->x, &nt->f));
  PetscCall(VecDuplicate(nt->x, &nt->z));
  PetscCall(VecDuplicate(nt->x, &nt->now));
  PetscCall(PetscObjectSetName((PetscObject)nt->z, "state"));
  PetscCall(VecDuplicate(nt->x, &nt->old));
  PetscCall(VecDuplicate(nt->x, &nt->rate));
  nt->ts = ts;
  PetscCall(RhxNewtonStepBegins(nt));
  if (ts) {
    PetscCall(TSGetSNES(ts, &nt->snes));
    PetscCall(PetscObjectReference((PetscObject)nt->snes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SNESCreate(form->comm, &nt->snes));
  PetscCall(SNESSetDM(nt->snes, nt->eq->dm));
  PetscCall(SNESSetFunction(nt->snes, nt->f, residual, nt));
  PetscCall(SNESSetJacobian(nt->snes, nt->J, nt->eq->P, jacobian, nt));
  PetscCall(forcing_terms(nt->snes));
  if (renew->policy != RHX_RENEW_ALWAYS) PetscCall(SNESSetMaxLinearSolveFailures(nt->snes, 2));
  PetscCall(RhxNewtonSetUpSolver(nt, TOLERANCE, LINEAR_TOLERANCE));
  PetscCall(SNESGetKSP(nt->snes, &ksp));
  PetscCall(KSPGetTolerances(ksp, &nt->linear, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A time integrator has no solves but those of SNES. */
PetscErrorCode RhxNewtonEliminate(RhxNewton nt, int given)
{
  PetscFunctionBegin;
  nt->eliminates = (PetscBool)(given == RHX_GIVEN_SYMMETRIC);
  if (nt->eliminates && nt->eq->oblique)
    PetscCall(RhxFormAsk(nt->sc->form, RHX_ASK_ELIMINATED, nt->sc->type->name, ""));
  if (nt->eliminates && nt->ts) PetscCall(RhxEquationsEliminate(nt->eq, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonDestroy(RhxNewton *nt)
{
  PetscFunctionBegin;
  if (!*nt) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESDestroy(&(*nt)->snes));
  PetscCall(VecDestroy(&(*nt)->x));
  PetscCall(VecDestroy(&(*nt)->f));
  PetscCall(VecDestroy(&(*nt)->z));
  PetscCall(VecDestroy(&(*nt)->now));
  PetscCall(VecDestroy(&(*nt)->old));
  PetscCall(VecDestroy(&(*nt)->rate));
  PetscCall(MatDestroy(&(*nt)->J));
  PetscCall(RhxProjectedDestroy(&(*nt)->projected));
  PetscCall(RhxScalingDestroy(&(*nt)->scaling));
  PetscCall(RhxEquationsDestroy(&(*nt)->eq));
  PetscCall(PetscFree2((*nt)->first, (*nt)->most));
  PetscCall(PetscFree(*nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A solve ---- */

PetscErrorCode RhxNewtonResidual(RhxNewton nt, double *norm)
{
  PetscFunctionBegin;
  PetscCall(RhxEquationsResidual(nt->eq, nt->x, NULL, nt->f));
  PetscCall(RhxScalingNorm(nt->scaling, nt->f, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { WITHOUT, UNWEIGHED, WEIGHED } Pressure; /* none; of outlets; of the body force too */

/* Residual of the fluid at rest with what is given at t. */
static PetscErrorCode scale_at_rest(RhxNewton nt, double t, Pressure pressure, double *scale)
{
  const RhxSpace sp = nt->eq->form->space;
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxEquationsSetTime(nt->eq, t));
  PetscCall(VecGetArray(nt->old, &a));
  PetscCall(RhxBoundaryInitialState(nt->eq->bc, t, (PetscBool)(pressure == WEIGHED), a));
  for (PetscInt i = 0; i < sp->nowned && pressure == WITHOUT; i++) a[i * sp->bs + p] = 0.0;
  PetscCall(VecRestoreArray(nt->old, &a));
  PetscCall(RhxEquationsImpose(nt->eq, nt->old));
  PetscCall(RhxEquationsResidual(nt->eq, nt->old, NULL, nt->f));
  PetscCall(RhxScalingNorm(nt->scaling, nt->f, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A weight that the pressure balances makes no flow. Steps take it whole: their own bound is over what flows. */
PetscErrorCode RhxNewtonScale(RhxNewton nt, double t)
{
  PetscFunctionBegin;
  nt->weight = 0.0;
  PetscCall(scale_at_rest(nt, t, nt->ts ? UNWEIGHED : WEIGHED, &nt->scale));
  if (nt->ts || !RhxBoundaryHasBodyForce(nt->eq->bc)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scale_at_rest(nt, t, WITHOUT, &nt->weight));
  nt->scale = PetscMax(nt->scale, BURIED * nt->weight);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nt->rate = residual of nt->x with values that change by CHANGED of each, of one sign or the other. */
static PetscErrorCode change(RhxNewton nt)
{
  PetscScalar *x;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(VecCopy(nt->x, nt->old));
  PetscCall(VecGetLocalSize(nt->old, &n));
  PetscCall(VecGetArray(nt->old, &x));
  for (PetscInt i = 0; i < n; i++) x[i] *= 1.0 + (((unsigned)i * MIXING) >> 31 ? CHANGED : -CHANGED);
  PetscCall(VecRestoreArray(nt->old, &x));
  PetscCall(RhxEquationsImpose(nt->eq, nt->old));
  PetscCall(RhxEquationsResidual(nt->eq, nt->old, NULL, nt->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonBegin(RhxNewton nt, double t)
{
  PetscFunctionBegin;
  PetscCall(RhxEquationsHold(nt->eq, nt->x));
  PetscCall(RhxNewtonScale(nt, t));
  nt->rest = nt->scale;
  if (!nt->ts) PetscCall(change(nt));
  PetscCall(RhxNewtonResidual(nt, &nt->scale));
  if (!nt->ts) {
    PetscCall(VecAXPY(nt->rate, -1.0, nt->f));
    PetscCall(RhxScalingNorm(nt->scaling, nt->rate, &nt->rounding));
    nt->rounding = PetscIsInfOrNanReal(nt->rounding) ? 0.0 : nt->rounding * LAST_PLACES * DBL_EPSILON / CHANGED;
  }
  nt->scale = PetscMax(nt->scale, nt->rest);
  PetscCall(RhxNewtonNoteFirst(nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Laws relax c - I, with c near I next to rest: c is rounded in its last place, the rate of s by that of c over lambda. */
PetscErrorCode RhxNewtonRounding(RhxNewton nt, double *norm)
{
  const RhxForm form = nt->eq->form;
  const RhxSpace sp = form->space;
  PetscScalar *f;
  PetscFunctionBegin;
  *norm = 0.0;
  if (!form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecZeroEntries(nt->f));
  PetscCall(VecGetArray(nt->f, &f));
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const PetscInt first = RhxFieldsStart(sp->fields, RHX_GROUP_MODES) + m * sp->ntens;
    double lambda;
    PetscCall(RhxFormRelaxationTimeOf(form, m, &lambda));
    for (PetscInt i = 0; i < sp->nowned && lambda > 0.0; i++)
      for (PetscInt k = 0; k < sp->ntens; k++)
        f[i * sp->bs + first + k] = LAST_PLACES * DBL_EPSILON * sp->mass[i] * form->scale[m] / lambda;
  }
  PetscCall(VecRestoreArray(nt->f, &f));
  PetscCall(RhxScalingNorm(nt->scaling, nt->f, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of linear solves whose projections are inexact the residual that GMRES tells may be below the true one, where stresses nearly
 * cancel, as without a solvent. A method that was on its way goes on with exact ones. */
static PetscErrorCode solve(RhxNewton nt, PetscInt most, SNESConvergedReason *reason)
{
  PetscReal norm;
  PetscInt its;
  PetscFunctionBegin;
  PetscCall(SNESSolve(nt->snes, NULL, nt->z));
  PetscCall(SNESGetConvergedReason(nt->snes, reason));
  PetscCall(SNESGetFunctionNorm(nt->snes, &norm));
  if (*reason > 0 || *reason == SNES_DIVERGED_MAX_IT || most || nt->eq->exact || !(norm < NEAR * nt->scale))
    PetscFunctionReturn(PETSC_SUCCESS);
  nt->eq->exact = PETSC_TRUE;
  PetscCall(SNESGetIterationNumber(nt->snes, &its));
  PetscCall(PetscPrintf(nt->eq->form->comm,
                        "Newton: stuck after %" PetscInt_FMT " iterations at |R| %.3g, goes on with exact "
                        "projections\n",
                        its, (double)norm));
  PetscCall(SNESSolve(nt->snes, NULL, nt->z));
  PetscCall(SNESGetConvergedReason(nt->snes, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonSolve(RhxNewton nt, double shift, PetscInt most, PetscBool *solved)
{
  PetscReal atol, rtol, stol;
  PetscInt its, evaluations;
  SNESConvergedReason reason;
  PetscFunctionBegin;
  nt->shift = shift;
  PetscCall(VecCopy(nt->x, nt->old));
  PetscCall(SNESGetTolerances(nt->snes, &atol, &rtol, &stol, &its, &evaluations));
  PetscCall(SNESSetTolerances(nt->snes, PetscMax(atol, rtol * nt->scale), rtol, stol, most ? most : its, evaluations));
  PetscCall(SNESSetConvergenceHistory(nt->snes, nt->history, NULL, RHX_NEWTON_HISTORY, PETSC_TRUE));
  PetscCall(RhxScalingFromState(nt->scaling, nt->x, nt->z));
  if (nt->eliminates) PetscCall(RhxEquationsEliminate(nt->eq, PETSC_TRUE));
  PetscCall(solve(nt, most, &reason));
  if (nt->eliminates) PetscCall(RhxEquationsEliminate(nt->eq, PETSC_FALSE));
  PetscCall(RhxScalingToState(nt->scaling, nt->z, nt->x));
  PetscCall(SNESSetTolerances(nt->snes, atol, rtol, stol, its, evaluations));
  PetscCall(SNESGetIterationNumber(nt->snes, &nt->iterations));
  *solved = (PetscBool)(reason > 0);
  if (nt->iterations) PetscCall(RhxNewtonCheckOptions(nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without the forcing terms of SNES, which each solve of its KSP takes for the tolerance, its own or not. */
static PetscErrorCode solve_linear(RhxNewton nt, double tolerance, PetscBool guess, Vec b, Vec x, PetscBool *solved)
{
  KSPConvergedReason reason;
  const KSP ksp = nt->renew.ksp;
  PetscBool forced;
  PetscFunctionBegin;
  PetscCall(SNESKSPGetUseEW(nt->snes, &forced));
  PetscCall(SNESKSPSetUseEW(nt->snes, PETSC_FALSE));
  PetscCall(KSPSetOperators(ksp, nt->J, nt->A));
  PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  if (guess) PetscCall(RhxScalingFromState(nt->scaling, x, x));
  PetscCall(RhxRenewSolveBegin(&nt->renew, 0));
  nt->eq->solving = ksp;
  PetscCall(VecCopy(b, nt->now));
  PetscCall(RhxScalingRows(nt->scaling, nt->now));
  PetscCall(KSPSolve(ksp, nt->now, x));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscCall(SNESKSPSetUseEW(nt->snes, forced));
  PetscCall(RhxScalingToState(nt->scaling, x, x));
  nt->eq->solving = NULL;
  PetscCall(RhxRenewSolveEnd(&nt->renew));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *solved = (PetscBool)(reason > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonSolveLinear(RhxNewton nt, Vec b, Vec x, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(solve_linear(nt, nt->linear, PETSC_FALSE, b, x, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonSolveNear(RhxNewton nt, double forcing, Vec b, Vec x, PetscBool *solved)
{
  PetscBool forced, once;
  PetscFunctionBegin;
  PetscCall(SNESKSPGetUseEW(nt->snes, &forced));
  PetscCall(PetscObjectTypeCompare((PetscObject)nt->renew.ksp, KSPPREONLY, &once));
  PetscCall(solve_linear(nt, forced && forcing > nt->linear ? forcing : nt->linear, (PetscBool)!once, b, x, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nt->rate = the step of the equations linearised at nt->x, of a time step 1/shift; 0: of none. */
static PetscErrorCode solve_from(RhxNewton nt, double shift, PetscBool *solved)
{
  double norm;
  PetscFunctionBegin;
  nt->shift = shift;
  PetscCall(VecCopy(nt->x, nt->old));
  PetscCall(RhxNewtonSolved(nt));
  PetscCall(RhxNewtonResidual(nt, &norm));
  PetscCall(linearise(nt, nt->x));
  PetscCall(RhxNewtonPrecondition(nt));
  PetscCall(RhxNewtonSolveLinear(nt, nt->f, nt->rate, solved));
  nt->shift = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonStream(RhxNewton nt, PetscBool *solved)
{
  const RhxSpace sp = nt->eq->form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), end = RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY);
  const double slow = SLOW * RhxNewtonGetFirstRate(nt);
  const RhxField *loose = NULL;
  const PetscScalar *step;
  PetscScalar *x;
  PetscFunctionBegin;
  PetscCall(solve_from(nt, 0.0, solved));
  if (!*solved) PetscCall(RhxNewtonFindLoose(nt, PETSC_TRUE, &loose));
  if (loose && slow > 0.0) PetscCall(solve_from(nt, slow, solved));
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(nt->rate, &step));
  PetscCall(VecGetArray(nt->x, &x));
  for (PetscInt v = 0; v < sp->nowned; v++)
    for (PetscInt i = v * sp->bs + u; i < v * sp->bs + end; i++) x[i] -= step[i];
  PetscCall(VecRestoreArray(nt->x, &x));
  PetscCall(VecRestoreArrayRead(nt->rate, &step));
  PetscCall(RhxEquationsImpose(nt->eq, nt->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonCheckOptions(RhxNewton nt)
{
  PetscFunctionBegin;
  if (nt->checked) PetscFunctionReturn(PETSC_SUCCESS);
  nt->checked = PETSC_TRUE;
  if (RhxProjectedMayCome(nt->projected)) PetscCall(RhxSplitsTryFlow(nt->eq->form));
  RhxOptionsDefer(RhxProjectedMayCome(nt->projected) ? RhxSplitsReadWhenTurned : NULL);
  PetscCall(RhxOptionsCheckUsed(nt->eq->form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonTakeWork(RhxNewton nt, PetscInt newton, RhxImplicitWork *work)
{
  const RhxRenew *rn = &nt->renew;
  RhxImplicitWork *told = &nt->told;
  PetscFunctionBegin;
  PetscCall(RhxNewtonSolved(nt));
  PetscCall(RhxNewtonTellFailures(nt));
  *work = (RhxImplicitWork){.newton = newton,
                            .solves = rn->solves - told->solves,
                            .iterations = rn->iterations - told->iterations,
                            .setups = rn->setups - told->setups,
                            .redone = rn->redone - told->redone,
                            .setup_seconds = rn->setup_seconds - told->setup_seconds,
                            .solve_seconds = rn->solve_seconds - told->solve_seconds};
  *told = (RhxImplicitWork){.newton = told->newton + newton,
                            .solves = rn->solves,
                            .iterations = rn->iterations,
                            .setups = rn->setups,
                            .redone = rn->redone,
                            .setup_seconds = rn->setup_seconds,
                            .solve_seconds = rn->solve_seconds};
  PetscFunctionReturn(PETSC_SUCCESS);
}
