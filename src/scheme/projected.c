#include "petsc_compat.h"
#include "scheme/columns_impl.h"
#include "scheme/factors_impl.h"
#include "scheme/projected_impl.h"
#include "scheme/splits_impl.h"
#include <math.h>

/* Shares of the time step beyond which it was measured to cost less (share/doc/benchmarks/iterations.md), in the plane and in space; once
 * it is taken, it is given up below their BACK-th part, so that no step after another turns the choice. */
#define MORE_PLANE 8.0
#define MORE_SPACE 1.0
#define BACK 2.0
#define WIDEST 1e3 /* share of a node, at most; over 1, at least */

struct _RhxProjected {
  RhxEquations eq;    /* borrowed */
  const char *option; /* its name, without - */
  int choice;
  PetscBool seen;         /* what the preconditioner is: */
  PetscBool split, turns; /* its flow is by splits of our own; the share may choose */
  PetscBool on, chosen;   /* chosen: there is a choice to keep */
  char kept[128];     /* the option of the flow that keeps it from splits of our own, where the share would; or "" */
  PetscInt aux, naux; /* auxiliary components that are of the pressure's gradient */
  Mat A;              /* NULL, or with its pattern from the first time on */
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

/* n rows of a node over its lumped mass. */
static PetscErrorCode divide_by_mass(RhxSpace sp, PetscInt n, Mat C)
{
  PetscScalar *a;
  Vec inverse;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(C, NULL, &inverse));
  PetscCall(VecGetArrayWrite(inverse, &a));
  for (PetscInt k = 0; k < sp->nowned * n; k++) a[k] = 1.0 / sp->mass[k / n];
  PetscCall(VecRestoreArrayWrite(inverse, &a));
  PetscCall(MatDiagonalScale(C, inverse, NULL));
  PetscCall(VecDestroy(&inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D = B_p M_L^-1 C_p of nodes. */
static PetscErrorCode differentiate(RhxProjected pj, Mat *D)
{
  const RhxEquations eq = pj->eq;
  const RhxSpace sp = eq->form->space;
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  const RhxAuxiliaryPart part = {pressure_of(sp), 1, pj->aux, pj->naux};
  Mat B, C;
  PetscFunctionBegin;
  PetscCall(eq->ops->table->tangent->auxiliary(eq->ops, &at, &part, &B, &C));
  PetscCall(divide_by_mass(sp, part.naux, C));
  if (eq->columns) PetscCall(RhxColumnsScalePressure(eq->columns, C));
  PetscCall(MatMatMult(B, C, MAT_INITIAL_MATRIX, PETSC_DEFAULT, D));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
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
    for (PetscInt k = 0; k < n; k++) at[k] = column[k] || !eq->driven ? column[k] * sp->bs + p : -1; /* no pressure */
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
  PetscCall(differentiate(pj, &D));
  if (pj->A)
    PetscCall(MatZeroEntries(pj->A));
  else
    PetscCall(create(pj->eq, D, &pj->A));
  PetscCall(fill(pj->eq, D, pj->A));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The choice ---- */

/* Geometric means over nodes: of the diagonal of the pressure's block of P, the stabilisation, over that of D F^-1 D^T, D the divergence. */
typedef struct {
  double step; /* F the rate's mass alone: on squares 2.4 rho tau times the shift of the rate */
  double all;  /* F the diagonal of the velocity; both are 0 where there is no such block */
} Shares;

/* The diagonal of the velocity in P: of its rate, by the lumped mass. */
static PetscErrorCode fill_with_rate(RhxEquations eq, Vec diagonal)
{
  const RhxSpace sp = eq->form->space;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(diagonal, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) a[k] = eq->shift * eq->form->rho * sp->mass[k / sp->bs];
  PetscCall(VecRestoreArrayWrite(diagonal, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1/root of the diagonal where the velocity is free, else 0. */
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

/* The mean of stabilisation over |rows|^2 of D with columns by their weight, which it has then. */
static PetscErrorCode take_share(RhxEquations eq, Vec stabilisation, Vec weight, Mat D, double *share)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt p = pressure_of(sp);
  double sum[2] = {0.0, 0.0};
  const PetscScalar *t;
  PetscFunctionBegin;
  PetscCall(MatDiagonalScale(D, NULL, weight));
  PetscCall(VecGetArrayRead(stabilisation, &t));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const PetscScalar *value;
    double step = 0.0;
    PetscInt n;
    PetscCall(MatGetRow(D, sp->rstart + i, &n, NULL, &value));
    for (PetscInt k = 0; k < n; k++) step += PetscSqr(PetscRealPart(value[k]));
    PetscCall(MatRestoreRow(D, sp->rstart + i, &n, NULL, &value));
    if (eq->given[i * sp->bs + p] || !(step > 0.0)) continue;
    sum[0] += log(PetscMin(PetscMax(PetscRealPart(t[i * sp->bs + p]) / step, 1.0 / WIDEST), WIDEST));
    sum[1] += 1.0;
  }
  PetscCall(VecRestoreArrayRead(stabilisation, &t));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, sp->comm));
  *share = sum[1] > 0.0 ? exp(sum[0] / sum[1]) : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of P. */
static PetscErrorCode measure(RhxEquations eq, Shares *shares)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt p = pressure_of(sp), u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  double *const share[] = {&shares->all, &shares->step};
  Vec diagonal[2], weight;
  IS pressure, velocity;
  Mat D[2];
  PetscFunctionBegin;
  PetscCall(take_components(sp, sp->bs, p, p + 1, &pressure));
  PetscCall(take_components(sp, sp->bs, u, RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY), &velocity));
  PetscCall(take_part(eq->P, pressure, velocity, &D[0]));
  PetscCall(MatDuplicate(D[0], MAT_COPY_VALUES, &D[1]));
  for (int k = 0; k < 2; k++) PetscCall(VecDuplicate(eq->value, &diagonal[k]));
  PetscCall(MatGetDiagonal(eq->P, diagonal[0]));
  PetscCall(fill_with_rate(eq, diagonal[1]));
  for (int k = 0; k < 2; k++) {
    PetscCall(weigh_velocity(eq, velocity, diagonal[k], &weight));
    PetscCall(take_share(eq, diagonal[0], weight, D[k], share[k]));
    PetscCall(VecDestroy(&weight));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroy(&D[k]));
    PetscCall(VecDestroy(&diagonal[k]));
  }
  PetscCall(ISDestroy(&pressure));
  PetscCall(ISDestroy(&velocity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum[k % n] += |entries| of column k, or of row k, in the rows of this rank. */
static PetscErrorCode add_sizes(Mat A, int by_column, PetscInt n, PetscReal *sum)
{
  PetscInt first, end;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    const PetscScalar *value;
    const PetscInt *column;
    PetscInt m;
    PetscCall(MatGetRow(A, i, &m, &column, &value));
    for (PetscInt k = 0; k < m; k++) sum[(by_column ? column[k] : i) % n] += PetscAbsScalar(value[k]);
    PetscCall(MatRestoreRow(A, i, &m, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The auxiliary components that read the pressure and whose values its equation reads: its projected gradient; naux 0: none. */
static PetscErrorCode find_projected(RhxProjected pj)
{
  const RhxEquations eq = pj->eq;
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  const PetscInt naux = eq->form->naux;
  const RhxAuxiliaryPart part = {pressure_of(eq->form->space), 1, 0, naux};
  PetscReal *norm;
  Mat matrix[2];
  PetscFunctionBegin;
  pj->aux = pj->naux = 0;
  if (!naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(2 * (size_t)naux, &norm));
  PetscCall(eq->ops->table->tangent->auxiliary(eq->ops, &at, &part, &matrix[0], &matrix[1]));
  for (int k = 0; k < 2; k++) PetscCall(add_sizes(matrix[k], k == 0, naux, norm + k * naux));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, 2 * (PetscMPIInt)naux, MPIU_REAL, MPIU_SUM, eq->form->comm));
  for (PetscInt c = 0; c < naux; c++) {
    if (!(norm[c] > 0.0 && norm[naux + c] > 0.0)) continue;
    if (!pj->naux) pj->aux = c;
    pj->naux = c + 1 - pj->aux;
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&matrix[k]));
  PetscCall(PetscFree(norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once: what the preconditioner is that options made. */
static PetscErrorCode see(RhxProjected pj, PC pc)
{
  const RhxEquations eq = pj->eq;
  PetscBool factors;
  PetscFunctionBegin;
  if (pj->seen) PetscFunctionReturn(PETSC_SUCCESS);
  pj->seen = PETSC_TRUE;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCREDUNDANT, ""));
  PetscCall(RhxSplitsAreOwn(eq->form, pc, &pj->split, sizeof(pj->kept), pj->kept));
  if (pj->choice != RHX_PRESSURE_AUTO || !eq->form->naux || eq->ops->device) pj->kept[0] = '\0';
  pj->turns = (PetscBool)(pj->choice == RHX_PRESSURE_AUTO && eq->form->naux && !eq->ops->device &&
                          (pj->split || (factors && eq->form->space->dim == 2)));
  if (pj->choice != RHX_PRESSURE_PROJECTED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_projected(pj));
  PetscCheck(pj->naux, eq->form->comm, PETSC_ERR_ARG_INCOMP,
             "-%s projected: got no projection of the pressure's gradient, expected a stabiliser that has one "
             "(-stabiliser)",
             pj->option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double most_of(RhxForm form) { return form->space->dim == 2 ? MORE_PLANE : MORE_SPACE; }

static PetscErrorCode choose(RhxProjected pj, double share, double bound, PetscBool *on)
{
  PetscFunctionBegin;
  *on = (PetscBool)(pj->choice == RHX_PRESSURE_PROJECTED || (pj->turns && share > bound));
  if (!*on || pj->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_projected(pj));
  *on = pj->turns = (PetscBool)(pj->naux > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell(RhxProjected pj, double share, double bound)
{
  const MPI_Comm comm = pj->eq->form->comm;
  char why[128] = "";
  PetscFunctionBegin;
  if (pj->turns)
    snprintf(why, sizeof(why), ", whose stabilisation is %.3g times what the time step makes of it, %s than %g", share,
             pj->on ? "more" : "not more", bound);
  if (pj->on)
    PetscCall(PetscPrintf(comm, "preconditioner: %sof a matrix with the derivative of the projected pressure%s (-%s)\n",
                          pj->split ? "a Schur complement of the pressure, " : "", why, pj->option));
  else
    PetscCall(PetscPrintf(comm, "preconditioner: %sof a matrix at a fixed projection of the pressure%s (-%s)\n",
                          pj->split ? "multigrid of velocity and pressure, " : "", why, pj->option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once: options of the flow's multigrid leave it in place where steps want another. */
static PetscErrorCode tell_kept(RhxProjected pj)
{
  const RhxForm form = pj->eq->form;
  char why[128];
  Shares shares;
  PetscFunctionBegin;
  PetscCall(measure(pj->eq, &shares));
  if (!(shares.step > most_of(form))) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(why, sizeof(why), "%.3g times what the time step makes of it, and beyond %g", shares.step, most_of(form));
  PetscCall(PetscPrintf(form->comm,
                        "preconditioner: multigrid of velocity and pressure stays, of which -%s is given; the "
                        "stabilisation is %s a Schur complement of the pressure takes fewer iterations (-%s)\n",
                        pj->kept, why, pj->option));
  pj->kept[0] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choice of this set-up; where it is another, of an earlier one too, the preconditioner is made for it. */
static PetscErrorCode renew(RhxProjected pj, PC pc, double share)
{
  const RhxForm form = pj->eq->form;
  const double more = most_of(form);
  const double bound = pj->chosen && pj->on ? more / BACK : more;
  PetscBool on;
  PetscFunctionBegin;
  pj->chosen = PETSC_TRUE;
  PetscCall(choose(pj, share, bound, &on));
  if (on == pj->on) PetscFunctionReturn(PETSC_SUCCESS);
  pj->on = on;
  if (pj->split)
    PetscCall(RhxSplitsBuildFlow(form, pc, on));
  else
    PetscCall(RhxFactorsRestart(pc));
  PetscCall(tell(pj, share, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProjectedMatrix(RhxProjected pj, PC pc, Mat *A)
{
  Shares shares = {0.0, 0.0};
  PetscFunctionBegin;
  if (!pj->on) PetscCall(MatDestroy(&pj->A)); /* of an earlier choice; the solver that turned was still to look at it */
  PetscCall(see(pj, pc));
  if (pj->kept[0]) PetscCall(tell_kept(pj));
  if (pj->turns || pj->on || pj->choice == RHX_PRESSURE_PROJECTED) PetscCall(measure(pj->eq, &shares));
  PetscCall(renew(pj, pc, shares.step));
  pj->eq->cancels = pj->on ? shares.all : 0.0;
  *A = pj->eq->P;
  if (!pj->on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(assemble(pj));
  *A = pj->A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxProjectedMayCome(RhxProjected pj) { return (PetscBool)(pj && pj->split && pj->turns && !pj->on); }

void RhxProjectedReplace(RhxProjected pj)
{
  if (pj) pj->seen = pj->on = pj->chosen = PETSC_FALSE;
}

void RhxProjectedForget(RhxProjected pj) { pj->chosen = PETSC_FALSE; }

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
