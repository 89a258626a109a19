/* The solver of the device on the ranks of the communicator, against direct solves on the host. Skipped without a device. */
#include "../device/common.h"
#include "grid.h"
#include "solver/solver.h"

static RhxDevice device;
static PetscMPIInt rank, size;

typedef enum { EVEN, FEW, NONE } Split; /* rows of the last rank */
static const char *const split_name[] = {"rows", "three rows on a rank", "no rows on a rank"};

typedef struct {
  const Grid *grid;
  Mat A;
  Vec b, x, exact;
  KSP ksp;
} Problem;

/* LU of the whole matrix, one row fixed where constants are the null space. */
static PetscErrorCode solve_directly(const Grid *grid, Mat A, Vec b, Vec x)
{
  const PetscInt pinned = 0;
  Mat F;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &F));
  if (!grid->fixed) PetscCall(MatZeroRowsColumns(F, 1, &pinned, 1, NULL, NULL));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, F, F));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  if (!grid->fixed) {
    Vec c;
    PetscCall(VecDuplicate(b, &c));
    PetscCall(VecCopy(b, c));
    PetscCall(VecSetValue(c, 0, 0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(c));
    PetscCall(VecAssemblyEnd(c));
    PetscCall(KSPSolve(ksp, c, x));
    PetscCall(VecDestroy(&c));
  } else
    PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt rows_here(PetscInt n, Split split)
{
  const PetscInt last = split == NONE ? 0 : 3;
  if (size == 1) return n;
  if (split == EVEN) return n / size + (rank < n % size);
  if (rank == size - 1) return last;
  return (n - last) / (size - 1) + (rank < (n - last) % (size - 1));
}

static PetscErrorCode distribute(Mat whole, PetscInt here, Mat *A)
{
  PetscInt first, n;
  const PetscInt *column;
  const PetscScalar *value;
  MatNullSpace space;
  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, here, here, PETSC_DETERMINE, PETSC_DETERMINE, 27, NULL, 27, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, NULL));
  for (PetscInt i = first; i < first + here; i++) {
    PetscCall(MatGetRow(whole, i, &n, &column, &value));
    PetscCall(MatSetValues(*A, 1, &i, n, column, value, INSERT_VALUES));
    PetscCall(MatRestoreRow(whole, i, &n, &column, &value));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetNullSpace(whole, &space));
  if (space) {
    PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &space));
    PetscCall(MatSetNullSpace(*A, space));
    PetscCall(MatNullSpaceDestroy(&space));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take(Vec whole, Vec part)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt first, n;
  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(part, &first, NULL));
  PetscCall(VecGetLocalSize(part, &n));
  PetscCall(VecGetArrayRead(whole, &from));
  PetscCall(VecGetArrayWrite(part, &to));
  PetscCall(PetscArraycpy(to, from + first, n));
  PetscCall(VecRestoreArrayWrite(part, &to));
  PetscCall(VecRestoreArrayRead(whole, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_problem(const Grid *grid, Split split, Problem *p)
{
  Mat whole;
  Vec b, x;
  PetscInt n;
  PetscFunctionBegin;
  p->grid = grid;
  PetscCall(grid_laplacian(grid, &whole));
  PetscCall(MatCreateVecs(whole, &x, &b));
  PetscCall(VecGetSize(b, &n));
  PetscCall(grid_right(grid, 3, b));
  PetscCall(solve_directly(grid, whole, b, x));
  PetscCall(distribute(whole, rows_here(n, split), &p->A));
  PetscCall(MatCreateVecs(p->A, &p->x, &p->b));
  PetscCall(VecDuplicate(p->x, &p->exact));
  PetscCall(take(b, p->b));
  PetscCall(take(x, p->exact));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_ksp(Problem *p, const char *type, const char *pc_type, KSPNormType norm, KSP *ksp)
{
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, p->A, p->A));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetNormType(*ksp, norm));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(RhxSolverSetDevice(*ksp, device));
  PetscCall(KSPSetTolerances(*ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetInitialGuessNonzero(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode unmake_problem(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(VecDestroy(&p->exact));
  PetscCall(MatDestroy(&p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(Problem *p, const char *what, double tolerance)
{
  PetscReal error, length;
  PetscScalar mean;
  Vec e;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(p->x, &e));
  PetscCall(VecWAXPY(e, -1, p->exact, p->x));
  PetscCall(VecMean(e, &mean));
  if (!p->grid->fixed) PetscCall(VecShift(e, -mean));
  PetscCall(VecNorm(p->exact, NORM_2, &length));
  PetscCall(VecNorm(e, NORM_2, &error));
  expect(error <= tolerance * length, "%s: off by %g", what, error / length);
  PetscCall(VecDestroy(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the guess b. */
static PetscErrorCode run(Problem *p, KSP ksp, PetscInt *its)
{
  KSPConvergedReason reason;
  PetscFunctionBegin;
  PetscCall(VecCopy(p->b, p->x));
  PetscCall(KSPSolve(ksp, p->b, p->x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  expect(reason > 0, "not converged: reason %d after %d iterations", (int)reason, (int)*its);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's CG with the same preconditioner takes as many iterations, give or take one; but on one rank an inverse is one in
 * double precision. */
static PetscErrorCode check_iterations(Problem *p, const char *pc, KSPNormType norm, const char *what, PetscInt most)
{
  const char *const type[] = {RHX_KSP_GRAPH_CG, KSPCG};
  const int direct = size == 1 && strcmp(pc, RHX_PC_GRAPH_INVERSE) == 0 && norm == KSP_NORM_UNPRECONDITIONED;
  PetscInt its[2];
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    KSP ksp;
    PetscCall(make_ksp(p, type[k], pc, norm, &ksp));
    PetscCall(run(p, ksp, &its[k]));
    PetscCall(compare(p, what, 1e-9));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d iterations, PETSc's %d\n", what, (int)its[0], (int)its[1]));
  expect(its[0] <= most, "%s: %d iterations, expected at most %d", what, (int)its[0], (int)most);
  expect(direct ? its[0] <= 2 : abs((int)(its[0] - its[1])) <= 1 + its[1] / 10, "%s: %d iterations, PETSc's %d", what,
         (int)its[0], (int)its[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const Grid *grid, const char *pc, KSPNormType norm, Split split, PetscInt most)
{
  char what[128];
  Problem p;
  PetscFunctionBegin;
  snprintf(what, sizeof(what), "%s %s, %s, %s, %s on %d ranks", cell_name[grid->cell], grid->fixed ? "fixed" : "free",
           pc, KSPNormTypes[norm], split_name[split], size);
  PetscCall(make_problem(grid, split, &p));
  PetscCall(check_iterations(&p, pc, norm, what, most));
  PetscCall(unmake_problem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norms in the history are those of the residuals, a solve from the solution takes none, two solves give the same bits. */
static PetscErrorCode check_again(const Grid *grid)
{
  Problem p;
  KSP ksp;
  Vec first, r;
  PetscReal history[201], norm;
  PetscInt its, n;
  PetscBool same;
  PetscFunctionBegin;
  PetscCall(make_problem(grid, EVEN, &p));
  PetscCall(make_ksp(&p, RHX_KSP_GRAPH_CG, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, &ksp));
  PetscCall(VecDuplicate(p.x, &first));
  PetscCall(VecDuplicate(p.x, &r));
  PetscCall(KSPSetResidualHistory(ksp, history, 201, PETSC_TRUE));
  for (PetscInt k = 1; k <= 8; k++) {
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, k));
    PetscCall(VecCopy(p.b, p.x));
    PetscCall(KSPSolve(ksp, p.b, p.x));
    PetscCall(KSPGetResidualHistory(ksp, NULL, &n));
    PetscCall(MatMult(p.A, p.x, r));
    PetscCall(VecAYPX(r, -1, p.b));
    PetscCall(VecNorm(r, NORM_2, &norm));
    expect(n == k + 1 && fabs(history[k] - norm) <= 1e-6 * norm, "norm %d of %d: %g, is %g", (int)k, (int)n, history[k],
           norm);
  }
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(run(&p, ksp, &its));
  PetscCall(VecCopy(p.x, first));
  PetscCall(run(&p, ksp, &its));
  PetscCall(VecEqual(first, p.x, &same));
  expect(same, "two solves differ");
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSolve(ksp, p.b, p.x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  expect(its == 0, "from the solution: %d iterations", (int)its);
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(unmake_problem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve of p->b to a tolerance, from the guess b. */
static PetscErrorCode run_to(Problem *p, KSP ksp, double rtol, PetscInt *its)
{
  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(run(p, ksp, its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sources that do not depend on each other, the same for any number of ranks. */
static PetscErrorCode make_sources(Problem *p, Vec source[3])
{
  PetscInt first, last;
  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(p->b, &first, &last));
  for (int k = 0; k < 3; k++) {
    PetscScalar *a;
    PetscCall(VecDuplicate(p->b, &source[k]));
    PetscCall(VecCopy(p->b, source[k]));
    PetscCall(VecGetArray(source[k], &a));
    for (PetscInt i = first; i < last; i++) a[i - first] *= cos(0.01 * k * (double)i);
    PetscCall(VecRestoreArray(source[k], &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Guesses of the last two solutions: a combination of them takes no iteration, what lies outside does; the older one goes, those
 * that took none do not come; after Forget a solve gives the first one's bits. */
static PetscErrorCode check_past(const Grid *grid)
{
  Problem p;
  KSP ksp;
  Vec source[3], first;
  PetscInt its, most;
  PetscBool same;
  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_graph_cg_past 2"));
  PetscCall(make_problem(grid, EVEN, &p));
  PetscCall(make_sources(&p, source));
  PetscCall(make_ksp(&p, RHX_KSP_GRAPH_CG, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, &ksp));
  PetscCall(run_to(&p, ksp, 1e-12, &most)); /* p.b is source[0] */
  PetscCall(compare(&p, "past, the first solve", 1e-9));
  PetscCall(VecDuplicate(p.x, &first));
  PetscCall(VecCopy(p.x, first));
  for (int k = 1; k < 3; k++) {
    PetscCall(VecCopy(source[k], p.b));
    PetscCall(run_to(&p, ksp, 1e-12, &its));
    expect(its >= most / 2, "past, a new source: %d iterations, expected at least half of %d", (int)its, (int)most);
    PetscCall(VecAXPBY(p.b, 2.0, -0.5, source[k - 1]));
    PetscCall(run_to(&p, ksp, 1e-8, &its));
    expect(its == 0, "past, a combination: %d iterations, expected none", (int)its);
  }
  PetscCall(VecCopy(source[0], p.b));
  PetscCall(run_to(&p, ksp, 1e-12, &its));
  expect(its >= most / 2, "past, forgotten: %d iterations, expected at least half of %d", (int)its, (int)most);
  PetscCall(compare(&p, "past", 1e-9));
  PetscCall(RhxGraphCGForget(ksp));
  PetscCall(run_to(&p, ksp, 1e-12, &its));
  PetscCall(VecEqual(first, p.x, &same));
  expect(same && its == most, "after Forget: other bits, or %d iterations for %d", (int)its, (int)most);
  for (int k = 0; k < 3; k++) PetscCall(VecDestroy(&source[k]));
  PetscCall(VecDestroy(&first));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(unmake_problem(&p));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_graph_cg_past"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expect_reason(Problem *p, KSP ksp, const char *what, KSPConvergedReason wanted)
{
  KSPConvergedReason reason;
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(p->x));
  PetscCall(KSPSolve(ksp, p->b, p->x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  expect(reason == wanted, "%s: reason %d", what, (int)reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_failures(const Grid *grid)
{
  Problem p;
  KSP ksp;
  PetscFunctionBegin;
  PetscCall(make_problem(grid, EVEN, &p));
  for (int norm = KSP_NORM_PRECONDITIONED; norm <= KSP_NORM_NATURAL; norm++) {
    PetscCall(make_ksp(&p, RHX_KSP_GRAPH_CG, RHX_PC_GRAPH_MG, (KSPNormType)norm, &ksp));
    PetscCall(VecSet(p.b, 0));
    PetscCall(expect_reason(&p, ksp, "zero", KSP_CONVERGED_ATOL));
    PetscCall(VecCopy(p.exact, p.b));
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 3));
    PetscCall(expect_reason(&p, ksp, "too few iterations", KSP_DIVERGED_ITS));
    if (!rank) PetscCall(VecSetValue(p.b, 1, NAN, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(p.b));
    PetscCall(VecAssemblyEnd(p.b));
    PetscCall(expect_reason(&p, ksp, "NaN", KSP_DIVERGED_NANORINF));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(unmake_problem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_refusal(const Grid *grid)
{
  Problem p;
  KSP ksp;
  PC pc;
  PetscErrorCode code;
  PetscFunctionBegin;
  PetscCall(make_problem(grid, EVEN, &p));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, p.A, p.A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, RHX_PC_GRAPH_MG));
  CATCH(code, KSPSetUp(ksp));
  expect(code == PETSC_ERR_SUP && strstr(message, "graph_mg has no device"), "no device: code %d, %s", (int)code,
         message);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(unmake_problem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(void)
{
  const Grid fixed = {QUAD, {64, 64, 1}, 1, PETSC_TRUE}, free = {QUAD, {64, 64, 1}, 1, PETSC_FALSE};
  const Grid small = {QUAD, {21, 20, 1}, 1, PETSC_FALSE}, tets = {TET, {13, 12, 14}, 1, PETSC_TRUE};
  const PetscInt most = 18; /* as on one rank: 12 to 15; tets 23 */
  PetscFunctionBegin;
  PetscCall(check(&fixed, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, EVEN, most));
  PetscCall(check(&free, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, EVEN, most));
  PetscCall(check(&fixed, RHX_PC_GRAPH_MG, KSP_NORM_PRECONDITIONED, FEW, most));
  PetscCall(check(&free, RHX_PC_GRAPH_MG, KSP_NORM_NATURAL, FEW, most));
  PetscCall(check(&free, RHX_PC_GRAPH_MG, KSP_NORM_PRECONDITIONED, NONE, most));
  PetscCall(check(&small, RHX_PC_GRAPH_INVERSE, KSP_NORM_UNPRECONDITIONED, EVEN, most));
  PetscCall(check(&tets, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, EVEN, 27));
  PetscCall(check_again(&small));
  PetscCall(check_past(&fixed));
  PetscCall(check_past(&free));
  PetscCall(check_failures(&small));
  if (size > 1) PetscCall(check_refusal(&small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels of up to so many rows are on every rank. */
static PetscErrorCode check_levels(const char *rows)
{
  const Grid fixed = {QUAD, {64, 64, 1}, 1, PETSC_TRUE}, free = {QUAD, {64, 64, 1}, 1, PETSC_FALSE};
  const Grid tets = {TET, {13, 12, 14}, 1, PETSC_TRUE};
  const PetscInt most = 18;
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Gathered: levels of up to %s rows\n", rows));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_graph_mg_gather", rows));
  PetscCall(check(&tets, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, FEW, 27));
  PetscCall(check(&free, RHX_PC_GRAPH_MG, KSP_NORM_PRECONDITIONED, NONE, most));
  PetscCall(check(&fixed, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, EVEN, most));
  PetscCall(PetscOptionsInsertString(NULL, "-pc_graph_mg_hierarchy gamg"));
  PetscCall(check(&free, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, EVEN, most));
  PetscCall(check(&fixed, RHX_PC_GRAPH_MG, KSP_NORM_NATURAL, NONE, most));
  PetscCall(PetscOptionsInsertString(NULL, "-pc_graph_mg_hierarchy auto"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RhxDeviceState state;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RhxSolverRegister());
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability != RHX_DEVICE_READY) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skipped: %s\n", state.sentence));
    PetscCall(PetscFinalize());
    return SKIP;
  }
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
  PetscCall(PetscOptionsInsertString(NULL, "-pc_graph_mg_dense 200")); /* levels on small meshes too */
  PetscCall(PetscOptionsInsertString(NULL, "-pc_graph_mg_gather 0"));
  PetscCall(check_all());
  PetscCall(check_levels("1000")); /* shared levels, then levels on every rank */
  PetscCall(check_levels("30000"));
  PetscCall(RhxDeviceClose(&device));
  PetscCall(PetscFinalize());
  if (!failures) printf("the solver agrees\n");
  return failures ? 1 : 0;
}
