#include "petsc_compat.h"
#include "scheme/projected_impl.h"
#include "scheme/splits_impl.h"
#include <math.h>

#define MORE 8.0   /* share beyond which it was measured to cost less (share/doc/benchmarks/iterations.md), in 2D */
#define WIDEST 1e3 /* share of a node, at most; over 1, at least */

struct _RhxProjected {
  RhxEquations eq;    /* borrowed */
  const char *option; /* its name, without - */
  int choice;
  PetscBool chosen, on;
  Mat A; /* has its pattern from the first time */
};

/* ---- Parts of the matrices ---- */

static PetscInt pressure_of(RhxSpace sp) { return RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE); }

/* Owned unknowns of components start to end of a node of bs. */
static PetscErrorCode take_components(RhxSpace sp, PetscInt bs, PetscInt start, PetscInt end, IS *is)
{
  const PetscInt n = end - start;
  PetscInt *at;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nowned * n, &at));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < n; c++) at[i * n + c] = (sp->rstart + i) * bs + start + c;
  PetscCall(ISCreateGeneral(sp->comm, sp->nowned * n, at, PETSC_OWN_POINTER, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_part(Mat A, IS rows, IS columns, Mat *part)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrix(A, rows, columns, MAT_INITIAL_MATRIX, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of auxiliary fields over the lumped mass. */
static PetscErrorCode divide_by_mass(RhxForm form, Mat C)
{
  const RhxSpace sp = form->space;
  PetscScalar *a;
  Vec inverse;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(C, NULL, &inverse));
  PetscCall(VecGetArrayWrite(inverse, &a));
  for (PetscInt k = 0; k < sp->nowned * form->naux; k++) a[k] = 1.0 / sp->mass[k / form->naux];
  PetscCall(VecRestoreArrayWrite(inverse, &a));
  PetscCall(MatDiagonalScale(C, inverse, NULL));
  PetscCall(VecDestroy(&inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B_p M_L^-1 C_p of nodes. */
static PetscErrorCode differentiate(RhxEquations eq, Mat *D)
{
  const RhxForm form = eq->form;
  const RhxSpace sp = form->space;
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  const PetscInt p = pressure_of(sp);
  Mat B, C, Bp, Cp;
  IS pressure, projected;
  PetscFunctionBegin;
  PetscCall(eq->ops->table->tangent->auxiliary(eq->ops, &at, &B, &C));
  PetscCall(take_components(sp, sp->bs, p, p + 1, &pressure));
  PetscCall(take_components(sp, form->naux, 0, form->naux, &projected));
  PetscCall(take_part(B, pressure, projected, &Bp));
  PetscCall(take_part(C, projected, pressure, &Cp));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(divide_by_mass(form, Cp));
  PetscCall(MatMatMult(Bp, Cp, MAT_INITIAL_MATRIX, PETSC_DEFAULT, D));
  PetscCall(MatDestroy(&Bp));
  PetscCall(MatDestroy(&Cp));
  PetscCall(ISDestroy(&pressure));
  PetscCall(ISDestroy(&projected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A += P + D, D of pressures of nodes, where they are free. */
static PetscErrorCode fill(RhxEquations eq, Mat D, Mat A)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt p = pressure_of(sp);
  PetscInt first, end, most = 0, *at;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(eq->P, &first, &end));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    PetscInt n;
    PetscCall(MatGetRow(D, sp->rstart + i, &n, NULL, NULL));
    most = PetscMax(most, n);
    PetscCall(MatRestoreRow(D, sp->rstart + i, &n, NULL, NULL));
  }
  PetscCall(PetscMalloc1(most, &at));
  for (PetscInt i = first; i < end; i++) {
    const PetscScalar *value;
    const PetscInt *column;
    PetscInt n;
    PetscCall(MatGetRow(eq->P, i, &n, &column, &value));
    PetscCall(MatSetValues(A, 1, &i, n, column, value, ADD_VALUES));
    PetscCall(MatRestoreRow(eq->P, i, &n, &column, &value));
    if (i % sp->bs != p || eq->given[i - first]) continue;
    PetscCall(MatGetRow(D, i / sp->bs, &n, &column, &value));
    for (PetscInt k = 0; k < n; k++) at[k] = column[k] * sp->bs + p;
    PetscCall(MatSetValues(A, 1, &i, n, at, value, ADD_VALUES));
    PetscCall(MatRestoreRow(D, i / sp->bs, &n, &column, &value));
  }
  PetscCall(PetscFree(at));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RhxEquations eq, Mat D, Mat *A)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  Mat pattern;
  PetscFunctionBegin;
  PetscCall(MatCreate(sp->comm, &pattern));
  PetscCall(MatSetSizes(pattern, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(pattern, MATPREALLOCATOR));
  PetscCall(MatSetUp(pattern));
  PetscCall(fill(eq, D, pattern));
  PetscCall(MatCreate(sp->comm, A));
  PetscCall(MatSetSizes(*A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*A, sp->bs));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatPreallocatorPreallocate(pattern, PETSC_TRUE, *A));
  PetscCall(MatSetOption(*A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatDestroy(&pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(RhxProjected pj)
{
  Mat D;
  PetscFunctionBegin;
  PetscCall(differentiate(pj->eq, &D));
  if (pj->A)
    PetscCall(MatZeroEntries(pj->A));
  else
    PetscCall(create(pj->eq, D, &pj->A));
  PetscCall(fill(pj->eq, D, pj->A));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The choice ---- */

/* 1/root of the diagonal of P where the velocity is free, else 0. */
static PetscErrorCode weigh_velocity(RhxEquations eq, IS velocity, Vec diagonal, Vec *weight)
{
  PetscScalar *w;
  const PetscScalar *free;
  PetscInt n;
  Vec all, part;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(diagonal, &all));
  PetscCall(VecCopy(diagonal, all));
  PetscCall(VecGetArray(all, &w));
  PetscCall(VecGetArrayRead(eq->free, &free));
  PetscCall(VecGetLocalSize(all, &n));
  for (PetscInt k = 0; k < n; k++)
    w[k] = PetscRealPart(free[k]) > 0.0 && PetscRealPart(w[k]) > 0.0 ? 1.0 / PetscSqrtReal(PetscRealPart(w[k])) : 0.0;
  PetscCall(VecRestoreArrayRead(eq->free, &free));
  PetscCall(VecRestoreArray(all, &w));
  PetscCall(VecGetSubVector(all, velocity, &part));
  PetscCall(VecDuplicate(part, weight));
  PetscCall(VecCopy(part, *weight));
  PetscCall(VecRestoreSubVector(all, velocity, &part));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of P: the geometric mean over nodes of the diagonal of the pressure's block over that of D F^-1 D^T, D the divergence, F the diagonal
 * of the velocity: on squares 2.4 rho tau times the shift of the rate, 0 where there is no such block. */
static PetscErrorCode measure(RhxEquations eq, double *share)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt p = pressure_of(sp), u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  double sum[2] = {0.0, 0.0};
  const PetscScalar *t;
  Vec diagonal, weight;
  IS pressure, velocity;
  Mat D;
  PetscFunctionBegin;
  PetscCall(take_components(sp, sp->bs, p, p + 1, &pressure));
  PetscCall(take_components(sp, sp->bs, u, RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY), &velocity));
  PetscCall(take_part(eq->P, pressure, velocity, &D));
  PetscCall(VecDuplicate(eq->value, &diagonal));
  PetscCall(MatGetDiagonal(eq->P, diagonal));
  PetscCall(weigh_velocity(eq, velocity, diagonal, &weight));
  PetscCall(MatDiagonalScale(D, NULL, weight));
  PetscCall(VecGetArrayRead(diagonal, &t));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double stabilisation = PetscRealPart(t[i * sp->bs + p]);
    const PetscScalar *value;
    double step = 0.0;
    PetscInt n;
    PetscCall(MatGetRow(D, sp->rstart + i, &n, NULL, &value));
    for (PetscInt k = 0; k < n; k++) step += PetscSqr(PetscRealPart(value[k]));
    PetscCall(MatRestoreRow(D, sp->rstart + i, &n, NULL, &value));
    if (eq->given[i * sp->bs + p] || !(step > 0.0)) continue;
    sum[0] += log(PetscMin(PetscMax(stabilisation / step, 1.0 / WIDEST), WIDEST));
    sum[1] += 1.0;
  }
  PetscCall(VecRestoreArrayRead(diagonal, &t));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, sp->comm));
  *share = sum[1] > 0.0 ? exp(sum[0] / sum[1]) : 0.0;
  PetscCall(MatDestroy(&D));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&weight));
  PetscCall(ISDestroy(&pressure));
  PetscCall(ISDestroy(&velocity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is there a pressure whose gradient is projected? */
static PetscErrorCode projects(RhxEquations eq, PetscBool *is)
{
  PetscReal norm;
  Mat D;
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (!eq->form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(differentiate(eq, &D));
  PetscCall(MatNorm(D, NORM_FROBENIUS, &norm));
  *is = (PetscBool)(norm > 0.0);
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose(RhxProjected pj, PC pc)
{
  const RhxEquations eq = pj->eq;
  double share = 0.0;
  PetscBool factors, split, there;
  char why[128] = "";
  PetscFunctionBegin;
  pj->chosen = PETSC_TRUE;
  pj->on = (PetscBool)(pj->choice == RHX_PRESSURE_PROJECTED);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &factors));
  PetscCall(RhxSplitsAreOwn(eq->form, pc, &split));
  if (pj->on || (pj->choice == RHX_PRESSURE_AUTO && eq->form->naux && !eq->ops->device && eq->form->space->dim == 2 &&
                 (factors || split)))
    PetscCall(measure(eq, &share));
  if (pj->choice == RHX_PRESSURE_AUTO) {
    pj->on = (PetscBool)(share > MORE);
    snprintf(why, sizeof(why), ", whose stabilisation is %.3g times what the time step makes of it, more than %g",
             share, MORE);
  }
  if (!pj->on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(projects(eq, &there));
  PetscCheck(there || pj->choice == RHX_PRESSURE_AUTO, eq->form->comm, PETSC_ERR_ARG_INCOMP,
             "-%s projected: got no projection of the pressure's gradient, expected a stabiliser that has one "
             "(-stabiliser)",
             pj->option);
  pj->on = there;
  if (!pj->on) PetscFunctionReturn(PETSC_SUCCESS);
  if (split) PetscCall(RhxSplitsUseSchur(eq->form));
  PetscCall(PetscPrintf(eq->form->comm,
                        "preconditioner: %sof a matrix with the derivative of the projected pressure%s (-%s)\n",
                        split ? "a Schur complement of the pressure, " : "", why, pj->option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProjectedMatrix(RhxProjected pj, PC pc, Mat *A)
{
  PetscFunctionBegin;
  if (!pj->chosen) PetscCall(choose(pj, pc));
  *A = pj->eq->P;
  if (!pj->on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(measure(pj->eq, &pj->eq->cancels)); /* it goes as one over the time step */
  PetscCall(assemble(pj));
  *A = pj->A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProjectedCreate(RhxEquations eq, const char *option, int choice, RhxProjected *out)
{
  const PetscBool asked = (PetscBool)(choice == RHX_PRESSURE_PROJECTED);
  PetscFunctionBegin;
  PetscCheck(!asked || !eq->ops->device, eq->form->comm, PETSC_ERR_SUP,
             "-%s projected: got a matrix on a device, expected -device cpu, auto or fixed", option);
  PetscCall(PetscNew(out));
  (*out)->eq = eq;
  (*out)->option = option;
  (*out)->choice = choice;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProjectedDestroy(RhxProjected *pj)
{
  PetscFunctionBegin;
  if (*pj) PetscCall(MatDestroy(&(*pj)->A));
  PetscCall(PetscFree(*pj));
  PetscFunctionReturn(PETSC_SUCCESS);
}
