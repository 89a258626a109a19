#include "scheme/newton.h"
#include "petsc_compat.h"
#include "scheme/factors.h"
#include <math.h>

#define TOLERANCE 1e-10       /* of the residual over that at rest with what is given */
#define LINEAR_TOLERANCE 1e-8 /* of J dx = -R: Newton's order is seen down to it */
#define RESTART 60

/* ---- Residual and Jacobian ---- */

static PetscErrorCode load_state(RhxNewton nt, Vec x, PetscScalar *local)
{
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(RhxSpaceGlobalToLocal(nt->form->space, nt->form->space->bs, a, local));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode project(RhxNewton nt, Vec x)
{
  PetscFunctionBegin;
  PetscCall(load_state(nt, x, nt->state));
  PetscCall(RhxBoundaryProject(nt->bc, nt->t, 0.0, nt->state, nt->aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficient of the rate in row k of the owned ones, in the lumped sense. */
static double mass_of(RhxSpace sp, PetscInt k)
{
  const PetscInt c = k % sp->bs;
  const RhxField *f = sp->field;
  while (c >= f->offset + f->components) f++;
  return sp->mass[k / sp->bs] * f->mass;
}

static PetscErrorCode residual(SNES snes, Vec x, Vec f, void *ctx)
{
  RhxNewton nt = (RhxNewton)ctx;
  const RhxSpace sp = nt->form->space;
  const PetscScalar *now, *old;
  PetscScalar *a;
  PetscFunctionBegin;
  (void)snes;
  PetscCall(project(nt, x));
  PetscCall(RhxFormResidual(nt->form, RHX_ROWS_ALL, nt->t, 0.0, nt->state, NULL, nt->aux, nt->res, NULL));
  PetscCall(VecGetArrayRead(x, &now));
  PetscCall(VecGetArrayRead(nt->old, &old));
  PetscCall(VecGetArray(f, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) {
    a[k] = nt->given[k] ? 0.0 : nt->res[k];
    if (nt->shift > 0.0 && !nt->given[k]) a[k] += nt->shift * mass_of(sp, k) * (now[k] - old[k]);
  }
  PetscCall(VecRestoreArray(f, &a));
  PetscCall(VecRestoreArrayRead(nt->old, &old));
  PetscCall(VecRestoreArrayRead(x, &now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(Mat J, Vec v, Vec y)
{
  RhxNewton nt;
  RhxSpace sp;
  const PetscScalar *from;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &nt));
  sp = nt->form->space;
  const RhxTangentPoint at = {nt->t, 0.0, nt->state, nt->aux};
  PetscCall(load_state(nt, v, nt->along));
  PetscCall(RhxFormTangentProject(nt->form, &at, nt->along, nt->daux));
  PetscCall(RhxBoundaryCorrectProjections(nt->bc, nt->daux));
  PetscCall(RhxFormTangentProduct(nt->form, &at, nt->along, nt->daux, nt->res));
  PetscCall(VecGetArrayRead(v, &from));
  PetscCall(VecGetArray(y, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) {
    a[k] = nt->given[k] ? from[k] : nt->res[k];
    if (nt->shift > 0.0 && !nt->given[k]) a[k] += nt->shift * mass_of(sp, k) * from[k];
  }
  PetscCall(VecRestoreArray(y, &a));
  PetscCall(VecRestoreArrayRead(v, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(SNES snes, Vec x, Mat J, Mat P, void *ctx)
{
  RhxNewton nt = (RhxNewton)ctx;
  const RhxSpace sp = nt->form->space;
  const PetscInt first = sp->rstart * sp->bs;
  PetscFunctionBegin;
  (void)snes;
  PetscCall(project(nt, x));
  const RhxTangentPoint at = {nt->t, 0.0, nt->state, nt->aux};
  PetscCall(RhxFormTangentMatrix(nt->form, &at, P));
  for (PetscInt k = 0; nt->shift > 0.0 && k < sp->nowned * sp->bs; k++)
    PetscCall(MatSetValue(P, first + k, first + k, nt->shift * mass_of(sp, k), ADD_VALUES));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatZeroRows(P, nt->ngiven, nt->row, 1.0, NULL, NULL));
  if (J != P) {
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

/* Rows of given values. A pressure that no label gives is that of the first node; a plane of symmetry oblique to the axes would
 * couple rows. */
static PetscErrorCode find_given(RhxNewton nt)
{
  const RhxSpace sp = nt->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  PetscScalar *mark;
  const PetscInt *node;
  PetscInt nfixed;
  PetscBool free;
  int oblique = 0;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &mark));
  PetscCall(PetscMalloc1(n, &nt->row));
  PetscCall(PetscCalloc1(n, &nt->given));
  for (PetscInt k = 0; k < n; k++) mark[k] = 1.0;
  PetscCall(RhxBoundaryZero(nt->bc, RHX_BC_ALL, mark));
  PetscCall(RhxBoundaryGetPressureNodes(nt->bc, &nfixed, &node, &free));
  if (free && sp->rstart == 0 && n) mark[sp->dim] = 0.0;
  for (PetscInt k = 0; k < n; k++) {
    nt->given[k] = (PetscBool)(mark[k] == 0.0);
    if (nt->given[k]) nt->row[nt->ngiven++] = sp->rstart * sp->bs + k;
    if (mark[k] != 0.0 && mark[k] != 1.0) oblique = 1;
  }
  PetscCall(PetscFree(mark));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &oblique, 1, MPI_INT, MPI_MAX, nt->form->comm));
  PetscCheck(!oblique, nt->form->comm, PETSC_ERR_SUP,
             "-scheme steady: got a plane of symmetry oblique to the axes, expected planes normal to x, y or z");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_matrices(RhxNewton nt)
{
  const RhxSpace sp = nt->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  PetscFunctionBegin;
  PetscCall(RhxFormCreateBlockMatrix(nt->form, &nt->P));
  if (!nt->form->naux) {
    PetscCall(PetscObjectReference((PetscObject)nt->P));
    nt->J = nt->P;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateShell(nt->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, nt, &nt->J));
  PetscCall(MatShellSetOperation(nt->J, MATOP_MULT, (void (*)(void))multiply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_solver(RhxNewton nt)
{
  SNESLineSearch search;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(SNESCreate(nt->form->comm, &nt->snes));
  PetscCall(SNESSetFunction(nt->snes, nt->f, residual, nt));
  PetscCall(SNESSetJacobian(nt->snes, nt->J, nt->P, jacobian, nt));
  PetscCall(SNESSetTolerances(nt->snes, 0.0, TOLERANCE, 0.0, 50, 10000));
  PetscCall(SNESGetLineSearch(nt->snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBT));
  PetscCall(SNESGetKSP(nt->snes, &ksp));
  PetscCall(KSPSetOperators(ksp, nt->J, nt->P));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
  PetscCall(KSPGMRESSetRestart(ksp, RESTART));
  PetscCall(KSPSetTolerances(ksp, LINEAR_TOLERANCE, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RhxFactorsUse(nt->form->comm, pc));
  PetscCall(SNESSetFromOptions(nt->snes));
  PetscCall(RhxFactorsCheck(nt->form->comm, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonCreate(RhxForm form, RhxBoundary bc, RhxNewton *out)
{
  const RhxSpace sp = form->space;
  const size_t n = (size_t)sp->nlocal * sp->bs, na = (size_t)sp->nlocal * form->naux;
  RhxNewton nt;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  nt = *out;
  nt->form = form;
  nt->bc = bc;
  PetscCall(PetscCalloc5(n, &nt->state, n, &nt->along, n, &nt->res, na, &nt->aux, na, &nt->daux));
  PetscCall(PetscCalloc1(sp->nfields, &nt->first));
  PetscCall(RhxSpaceCreateVec(sp, sp->bs, &nt->x));
  PetscCall(VecDuplicate(nt->x, &nt->f));
  PetscCall(VecDuplicate(nt->x, &nt->old));
  PetscCall(find_given(nt));
  PetscCall(create_matrices(nt));
  PetscCall(create_solver(nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonDestroy(RhxNewton *nt)
{
  PetscFunctionBegin;
  if (!*nt) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESDestroy(&(*nt)->snes));
  PetscCall(MatDestroy(&(*nt)->J));
  PetscCall(MatDestroy(&(*nt)->P));
  PetscCall(VecDestroy(&(*nt)->x));
  PetscCall(VecDestroy(&(*nt)->f));
  PetscCall(VecDestroy(&(*nt)->old));
  PetscCall(PetscFree5((*nt)->state, (*nt)->along, (*nt)->res, (*nt)->aux, (*nt)->daux));
  PetscCall(PetscFree((*nt)->given));
  PetscCall(PetscFree((*nt)->row));
  PetscCall(PetscFree((*nt)->first));
  PetscCall(PetscFree(*nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A solve ---- */

PetscErrorCode RhxNewtonResidual(RhxNewton nt, double *norm)
{
  PetscReal n;
  PetscFunctionBegin;
  nt->shift = 0.0;
  PetscCall(residual(nt->snes, nt->x, nt->f, nt));
  PetscCall(VecNorm(nt->f, NORM_2, &n));
  *norm = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double value; /* largest |residual| over the lumped mass of its node */
  double x[3];
} Worst;

/* Of a field, by nt->f. Collective. */
static PetscErrorCode worst_of(RhxNewton nt, const RhxField *field, Worst *worst)
{
  const RhxSpace sp = nt->form->space;
  struct {
    double value;
    int rank;
  } mine = {-1.0, 0}, all;
  const PetscScalar *f;
  PetscInt at = 0;
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(nt->form->comm, &rank));
  mine.rank = rank;
  PetscCall(VecGetArrayRead(nt->f, &f));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = field->offset; c < field->offset + field->components; c++) {
      double v = PetscAbsScalar(f[(size_t)i * sp->bs + c]) / sp->mass[i];
      if (isnan(v)) v = PETSC_INFINITY;
      if (v <= mine.value) continue;
      mine.value = v;
      at = i;
    }
  PetscCall(VecRestoreArrayRead(nt->f, &f));
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, nt->form->comm));
  worst->value = all.value;
  for (PetscInt d = 0; d < 3; d++) worst->x[d] = rank == all.rank && d < sp->dim ? sp->x[at * sp->dim + d] : 0.0;
  PetscCallMPI(MPI_Bcast(worst->x, 3, MPI_DOUBLE, all.rank, nt->form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The scale is the residual of the initial state with what is given, or of x if that is larger. */
static PetscErrorCode find_scale(RhxNewton nt)
{
  PetscReal rest;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(nt->old, &a));
  PetscCall(RhxBoundaryInitialState(nt->bc, nt->t, a));
  PetscCall(VecRestoreArray(nt->old, &a));
  nt->shift = 0.0;
  PetscCall(residual(nt->snes, nt->old, nt->f, nt));
  PetscCall(VecNorm(nt->f, NORM_2, &rest));
  PetscCall(RhxNewtonResidual(nt, &nt->scale));
  nt->scale = PetscMax(nt->scale, rest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonBegin(RhxNewton nt, double t)
{
  const RhxSpace sp = nt->form->space;
  PetscFunctionBegin;
  nt->t = t;
  PetscCall(find_scale(nt));
  for (PetscInt k = 0; k < sp->nfields; k++) {
    Worst worst;
    PetscCall(worst_of(nt, &sp->field[k], &worst));
    nt->first[k] = worst.value;
  }
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
  PetscCall(SNESSolve(nt->snes, NULL, nt->x));
  PetscCall(SNESSetTolerances(nt->snes, atol, rtol, stol, its, evaluations));
  PetscCall(SNESGetConvergedReason(nt->snes, &reason));
  PetscCall(SNESGetIterationNumber(nt->snes, &nt->iterations));
  *solved = (PetscBool)(reason > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is said ---- */

/* The field whose residual has fallen the least, and where. */
static PetscErrorCode find_worst(RhxNewton nt, const RhxField **field, Worst *worst, size_t size, char *all)
{
  const RhxSpace sp = nt->form->space;
  double most = -1.0;
  size_t used = 0;
  PetscFunctionBegin;
  *field = sp->field;
  all[0] = '\0';
  for (PetscInt k = 0; k < sp->nfields; k++) {
    Worst w;
    double share;
    PetscCall(worst_of(nt, &sp->field[k], &w));
    share = nt->first[k] > 0.0 ? w.value / nt->first[k] : 0.0;
    if (used < size)
      used += (size_t)snprintf(all + used, size - used, "%s%s %.3g of %.3g", k ? ", " : "", sp->field[k].name, w.value,
                               nt->first[k]);
    if (share <= most) continue;
    most = share;
    *field = &sp->field[k];
    *worst = w;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonFail(RhxNewton nt, const char *where)
{
  SNESConvergedReason reason;
  const RhxField *field;
  Worst worst = {0.0, {0.0}};
  char all[1024], why[64];
  double norm;
  PetscFunctionBegin;
  PetscCall(SNESGetConvergedReason(nt->snes, &reason));
  PetscCall(PetscStrncpy(why, SNESConvergedReasons[reason], sizeof(why)));
  PetscCall(RhxNewtonResidual(nt, &norm));
  PetscCall(find_worst(nt, &field, &worst, sizeof(all), all));
  SETERRQ(nt->form->comm, PETSC_ERR_NOT_CONVERGED,
          "-scheme steady%s: Newton's method ended after %" PetscInt_FMT
          " iterations (%s), the residual at %.3g of its beginning: the worst is that of %s at (%.4g, %.4g, %.4g); "
          "residuals over the mass of their node, now of the first: %s; try a pseudo-transient start "
          "(-scheme_steady_dt), a state nearer to it (-case_restart from a run with smaller parameters)%s%s",
          where, nt->iterations, why, norm / nt->scale, field->name, worst.x[0], worst.x[1], worst.x[2], all,
          nt->form->nmodes && nt->form->representation != RHX_LOGCONF ? ", -polymer_variable logconf" : "",
          reason == SNES_DIVERGED_LINEAR_SOLVE
              ? ", or, where the matrix is singular, a condition that is missing (an outlet, the polymer at an inlet)"
              : "");
}

/* Norms, and the order of the last iterations that are not rounding. */
PetscErrorCode RhxNewtonSay(RhxNewton nt, PetscInt steps)
{
  const PetscReal *h = nt->history;
  char text[1024];
  size_t used = 0;
  PetscFunctionBegin;
  if (steps) PetscCall(PetscPrintf(nt->form->comm, "pseudo-transient start: %" PetscInt_FMT " steps\n", steps));
  for (PetscInt k = 0; k <= PetscMin(nt->iterations, RHX_NEWTON_HISTORY - 1) && used < sizeof(text); k++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used, " %.2e", (double)h[k]);
    if (k > 1 && used < sizeof(text))
      used += (size_t)snprintf(text + used, sizeof(text) - used, " (order %.2f)",
                               log((double)(h[k] / h[k - 1])) / log((double)(h[k - 1] / h[k - 2])));
  }
  PetscCall(PetscPrintf(nt->form->comm, "Newton: %" PetscInt_FMT " iterations, |R|%s\n", nt->iterations, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
