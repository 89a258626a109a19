/* What the solver does on the host: layout, folded V-cycle, inverse, the preconditioners without a device. Usage: host <check> */
#include "../device/common.h"
#include "grid.h"
#include "solver/hierarchy_impl.h"
#include "solver/solver.h"

static const Grid grids[] = {{QUAD, {23, 17, 1}, 1, PETSC_TRUE}, {QUAD, {20, 24, 1}, 1, PETSC_FALSE},
                             {HEX, {9, 8, 7}, 1, PETSC_TRUE},    {HEX, {8, 7, 9}, 1, PETSC_FALSE},
                             {TET, {8, 9, 7}, 1, PETSC_TRUE},    {TET, {7, 8, 9}, 1, PETSC_FALSE}};
#define NGRIDS PETSC_STATIC_ARRAY_LENGTH(grids)

/* Rows of any length, none included, times a vector, for each number of lanes and both kinds of values. */
static PetscErrorCode check_layout(void)
{
  PetscInt row[101] = {0}, column[100 * 40];
  PetscScalar value[100 * 40];
  double x[200], y[100], wide[100];
  float f[200], g[100];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 100; i++) {
    const PetscInt length = i % 7 == 3 ? 0 : (i * i) % 40;
    row[i + 1] = row[i] + length;
    for (PetscInt e = row[i]; e < row[i + 1]; e++) {
      column[e] = (11 * e + i) % 100;
      value[e] = grid_noise(e, 1);
    }
  }
  for (PetscInt j = 0; j < 200; j++) f[j] = (float)(x[j] = grid_noise(j, 2));
  for (PetscInt lanes = 0; lanes <= 32; lanes = lanes ? 2 * lanes : 1)
    for (int two = 0; two < 2; two++) {
      const RhxRows a = {100, 100, row, column, value};
      RhxSell s, t;
      PetscCall(RhxSellCreate(&a, two ? &a : NULL, lanes, PETSC_FALSE, &s));
      PetscCall(RhxSellCreate(&a, two ? &a : NULL, lanes, PETSC_TRUE, &t));
      RhxSellMultiplyWide(&s, x, wide);
      RhxSellMultiply(&t, f, g);
      for (PetscInt i = 0; i < 100; i++) {
        y[i] = 0;
        for (PetscInt e = row[i]; e < row[i + 1]; e++) y[i] += value[e] * (x[column[e]] + two * x[column[e] + 100]);
        expect(fabs(wide[i] - y[i]) <= 1e-14, "%d lanes, row %d: %g, expected %g", (int)lanes, (int)i, wide[i], y[i]);
        expect(fabs(g[i] - y[i]) <= 1e-6, "%d lanes, row %d: %g, expected %g", (int)lanes, (int)i, g[i], y[i]);
      }
      expect(s.m == 100 * (1 + two) && s.nonzeros == row[100] * (1 + two), "%d columns, %g entries", (int)s.m,
             s.nonzeros);
      PetscCall(RhxSellFree(&s));
      PetscCall(RhxSellFree(&t));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode random_rows(PetscInt n, PetscInt m, PetscInt seed, RhxCsr *c)
{
  PetscFunctionBegin;
  PetscCall(RhxCsrCreate(n, m, n * 12, c));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt k = c->row[i], most = i % 7 == 3 ? 0 : 12;
    for (PetscInt j = (17 * i + seed) % 97; j < m && k < c->row[i] + most; j += 1 + (i + 5 * j) % (m / 6)) {
      c->column[k] = j;
      c->value[k++] = grid_noise(j, i + seed);
    }
    c->row[i + 1] = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ours against PETSc's, which the difference replaces; columns are in order. */
static PetscErrorCode compare_rows(const char *what, const RhxCsr *ours, Mat theirs)
{
  PetscReal error, size;
  Mat A;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ours->n; i++)
    for (PetscInt e = ours->row[i] + 1; e < ours->row[i + 1]; e++)
      expect(ours->column[e] > ours->column[e - 1], "%s, row %d: column %d follows %d", what, (int)i,
             (int)ours->column[e], (int)ours->column[e - 1]);
  PetscCall(RhxCsrToMat(ours, &A));
  PetscCall(MatNorm(theirs, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(theirs, -1, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(theirs, NORM_FROBENIUS, &error));
  expect(size > 0 && error <= 1e-14 * size, "%s is off by %g of %g", what, error, size);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A^T, A B, and B - W A B with A of the entries 1 and some beside it; rows may be empty, columns far apart. */
static PetscErrorCode check_products(void)
{
  const PetscInt n = 300, m = 9000;
  RhxCsr a, b, c, t;
  RhxRows left, right;
  Mat A, B, C, T;
  Vec w;
  PetscScalar *weight;
  PetscFunctionBegin;
  PetscCall(random_rows(n, n, 1, &a));
  PetscCall(random_rows(n, m, 2, &b));
  left = RhxCsrRows(&a);
  right = RhxCsrRows(&b);
  PetscCall(RhxCsrToMat(&a, &A));
  PetscCall(RhxCsrToMat(&b, &B));
  PetscCall(RhxCsrTranspose(&right, &t));
  PetscCall(MatTranspose(B, MAT_INITIAL_MATRIX, &T));
  PetscCall(compare_rows("the transpose", &t, T));
  PetscCall(RhxCsrMultiply(&left, &right, &c));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_CURRENT, &C));
  PetscCall(compare_rows("the product", &c, C));
  PetscCall(RhxCsrFree(&c));
  PetscCall(MatDestroy(&C));
  PetscCall(MatShift(A, 1));
  PetscCall(RhxRowsGet(A, &left));
  PetscCall(RhxCsrMultiply(&left, &right, &c));
  PetscCall(RhxRowsRestore(A, &left));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_CURRENT, &C));
  PetscCall(MatCreateVecs(A, &w, NULL));
  PetscCall(VecGetArrayWrite(w, &weight));
  for (PetscInt i = 0; i < n; i++) weight[i] = i % 5 == 1 ? 0 : -0.25 * (i % 5);
  PetscCall(RhxCsrSmooth(&right, weight, &c));
  PetscCall(VecRestoreArrayWrite(w, &weight));
  PetscCall(MatDiagonalScale(C, w, NULL));
  PetscCall(MatAYPX(C, -1, B, DIFFERENT_NONZERO_PATTERN));
  PetscCall(compare_rows("the smoothed product", &c, C));
  for (PetscInt e = 0; e < c.row[n]; e++) expect(c.value[e] != 0, "entry %d is 0", (int)e);
  PetscCall(RhxCsrFree(&a));
  PetscCall(RhxCsrFree(&b));
  PetscCall(RhxCsrFree(&c));
  PetscCall(RhxCsrFree(&t));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A A^-1 = 1, or 1 without its part along the null vector. */
static PetscErrorCode check_inverse(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < NGRIDS; k++) {
    const PetscInt n = grids[k].n[0] * grids[k].n[1] * grids[k].n[2];
    PetscScalar *a, *b;
    RhxRows rows;
    double worst = 0;
    Mat A;
    PetscCall(grid_laplacian(&grids[k], &A));
    PetscCall(RhxRowsGet(A, &rows));
    PetscCall(PetscCalloc1((size_t)n * n, &a));
    PetscCall(PetscMalloc1((size_t)n * n, &b));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt e = rows.row[i]; e < rows.row[i + 1]; e++) a[i * n + rows.column[e]] = rows.value[e];
    PetscCall(PetscArraycpy(b, a, (size_t)n * n));
    PetscCall(RhxDenseInvert(n, (PetscBool)!grids[k].fixed, b));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) {
        double s = (grids[k].fixed ? 0 : 1. / n) - (i == j);
        for (PetscInt e = rows.row[i]; e < rows.row[i + 1]; e++) s += rows.value[e] * b[rows.column[e] * n + j];
        worst = PetscMax(worst, fabs(s));
      }
    expect(worst <= 1e-10, "%s: the inverse is off by %g", cell_name[grids[k].cell], worst);
    PetscCall(RhxRowsRestore(A, &rows));
    PetscCall(PetscFree(a));
    PetscCall(PetscFree(b));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The V-cycle, step by step ---- */

typedef struct {
  Mat A; /* finest */
  const RhxCoarsening *c;
  const RhxHierarchy *h;
  PetscBool singular;
} Cycle;

/* x = B b on the coarsest level, by the dense inverse in double precision */
static PetscErrorCode coarsest(Mat A, PetscBool singular, Vec b, Vec x)
{
  PetscScalar *a;
  const PetscScalar *from;
  PetscScalar *to;
  RhxRows rows;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &rows));
  n = rows.n;
  PetscCall(PetscCalloc1((size_t)n * n, &a));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt e = rows.row[i]; e < rows.row[i + 1]; e++) a[i * n + rows.column[e]] = rows.value[e];
  PetscCall(RhxRowsRestore(A, &rows));
  PetscCall(RhxDenseInvert(n, singular, a));
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  for (PetscInt i = 0; i < n; i++) {
    to[i] = 0;
    for (PetscInt j = 0; j < n; j++) to[i] += a[i * n + j] * from[j];
  }
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cycle(const Cycle *c, PetscInt l, Vec b, Vec x)
{
  const Mat A = l ? c->c->A[l - 1] : c->A;
  Vec w, r, rc, xc;
  PetscFunctionBegin;
  if (l == c->h->nlevels) {
    PetscCall(coarsest(A, c->singular, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDuplicate(b, &w));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatCreateVecs(c->c->P[l], &rc, NULL));
  PetscCall(VecDuplicate(rc, &xc));
  PetscCall(MatGetDiagonal(A, w));
  PetscCall(VecReciprocal(w));
  PetscCall(VecScale(w, c->h->level[l].weight));
  PetscCall(VecPointwiseMult(x, w, b));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(MatMultTranspose(c->c->P[l], r, rc));
  PetscCall(cycle(c, l + 1, rc, xc));
  PetscCall(MatMultAdd(c->c->P[l], xc, x, x));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecPointwiseMult(r, w, r));
  PetscCall(VecAXPY(x, 1, r));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&rc));
  PetscCall(VecDestroy(&xc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_cycle(const Grid *grid, const Cycle *c, RhxHierarchy *h)
{
  PetscReal error, size;
  const PetscScalar *from;
  PetscScalar *to;
  float *in, *out;
  Vec b, x, y;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(c->A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(grid_right(grid, 1, b));
  PetscCall(cycle(c, 0, b, x));
  PetscCall(PetscMalloc2(h->n, &in, h->n, &out));
  PetscCall(VecGetArrayRead(b, &from));
  for (PetscInt i = 0; i < h->n; i++) in[i] = (float)from[i];
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(RhxHierarchyApply(h, in, out));
  PetscCall(VecGetArrayWrite(y, &to));
  for (PetscInt i = 0; i < h->n; i++) to[i] = out[i];
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecNorm(x, NORM_2, &size));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_2, &error));
  expect(error <= 2e-5 * size, "%s: the folded V-cycle is off by %g of %g", cell_name[grid->cell], error, size);
  PetscCall(PetscFree2(in, out));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_cycle(void)
{
  const RhxHierarchyOptions options = {.weight = 1.3, .dense = 20};
  PetscFunctionBegin;
  for (size_t k = 0; k < NGRIDS; k++) {
    const PetscBool singular = (PetscBool)!grids[k].fixed;
    RhxCoarsening c;
    RhxHierarchy h;
    Mat A;
    PetscCall(grid_laplacian(&grids[k], &A));
    PetscCall(RhxCoarseningFromGAMG(A, "some_", k % 2 ? 0 : 0.5, 20, &c));
    PetscCall(RhxHierarchyCreate(A, &c, singular, &options, &h));
    expect(h.nlevels >= 1, "%s: %d levels", cell_name[grids[k].cell], (int)h.nlevels);
    PetscCall(compare_cycle(&grids[k], &(Cycle){A, &c, &h, singular}, &h));
    PetscCall(RhxHierarchyFree(&h));
    PetscCall(RhxCoarseningFree(&c));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A with zeros at the neighbours of neighbours. */
static PetscErrorCode add_zeros(Mat A, RhxCsr *z)
{
  RhxRows a;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &a));
  PetscCall(RhxCsrMultiply(&a, &a, z));
  for (PetscInt i = 0; i < a.n; i++)
    for (PetscInt e = z->row[i]; e < z->row[i + 1]; e++) {
      z->value[e] = 0;
      for (PetscInt f = a.row[i]; f < a.row[i + 1]; f++)
        if (a.column[f] == z->column[e]) z->value[e] = a.value[f];
    }
  PetscCall(RhxRowsRestore(A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that are 0 make no difference to the levels. */
static PetscErrorCode check_zeros(Mat A, PetscReal threshold, const RhxCoarsening *c)
{
  RhxCsr with;
  RhxCoarsening other;
  Mat Z, C;
  PetscFunctionBegin;
  PetscCall(add_zeros(A, &with));
  PetscCall(RhxCsrToMat(&with, &Z));
  PetscCall(MatSetOption(Z, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(RhxCoarseningFromGAMG(Z, "some_", threshold, 20, &other));
  expect(other.n == c->n, "%d levels, %d with zeros", (int)c->n, (int)other.n);
  for (PetscInt l = 0; l < PetscMin(c->n, other.n); l++) {
    expect(c->p[l].m == other.p[l].m, "level %d: %d rows, %d with zeros", (int)l + 1, (int)c->p[l].m,
           (int)other.p[l].m);
    if (c->p[l].m != other.p[l].m) break;
    PetscCall(MatDuplicate(c->A[l], MAT_COPY_VALUES, &C));
    PetscCall(compare_rows("a coarse matrix with zeros", &other.a[l], C));
    PetscCall(MatDestroy(&C));
  }
  PetscCall(RhxCoarseningFree(&other));
  PetscCall(MatDestroy(&Z));
  PetscCall(RhxCsrFree(&with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often something happened since the log began. */
static PetscErrorCode count_event(const char *name, int *count)
{
  PetscEventPerfInfo info;
  PetscLogEvent event;
  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(name, &event));
  PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
  *count = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every coarse matrix is P^T A P, an eigenvalue that is kept its level's. */
static PetscErrorCode check_levels(Mat A, const RhxCoarsening *c)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < c->n; l++) {
    PetscReal largest = 0;
    Mat C;
    PetscCall(MatPtAP(A, c->P[l], MAT_INITIAL_MATRIX, PETSC_CURRENT, &C));
    PetscCall(compare_rows("a coarse matrix", &c->a[l], C));
    PetscCall(MatDestroy(&C));
    PetscCall(RhxLargestEigenvalue(A, &largest));
    expect(fabs(c->largest[l] - largest) <= 1e-10 * largest || c->largest[l] == 0,
           "level %d: an eigenvalue of %g was kept, it is %g", (int)l, c->largest[l], largest);
    A = c->A[l];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P takes constants to constants on every level, away from fixed rows; a threshold makes aggregates along the short sides
 * of stretched cells, so that they are fewer in that direction alone. Nothing is factored on the way, no smoother's
 * eigenvalues are estimated. */
static PetscErrorCode check_coarsening(void)
{
  const Grid grid = {QUAD, {24, 24, 1}, 0.2, PETSC_FALSE};
  PetscInt rows[2];
  int count = -1;
  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  for (int k = 0; k < 2; k++) {
    RhxCoarsening c;
    Vec one, fine;
    PetscReal error;
    Mat A;
    PetscCall(grid_laplacian(&grid, &A));
    PetscCall(RhxCoarseningFromGAMG(A, "some_", k ? 0.5 : 0, 20, &c));
    expect(c.n >= 2, "%d levels", (int)c.n);
    PetscCall(check_levels(A, &c));
    for (PetscInt l = 0; l < c.n; l++) {
      PetscCall(MatCreateVecs(c.P[l], &one, &fine));
      PetscCall(VecSet(one, 1));
      PetscCall(MatMult(c.P[l], one, fine));
      PetscCall(VecShift(fine, -1));
      PetscCall(VecNorm(fine, NORM_INFINITY, &error));
      expect(error <= 1e-12, "level %d: constants are off by %g", (int)l, error);
      PetscCall(VecDestroy(&one));
      PetscCall(VecDestroy(&fine));
    }
    PetscCall(MatGetSize(c.A[0], &rows[k], NULL));
    PetscCall(check_zeros(A, k ? 0.5 : 0, &c));
    PetscCall(RhxCoarseningFree(&c));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(count_event("MatLUFactorNum", &count));
  expect(count == 0, "%d matrices were factored", count);
  PetscCall(count_event("KSPGMRESOrthog", &count));
  expect(count == 0, "%d steps of GMRES were made", count);
  for (int cell = QUAD; cell <= TET; cell++)
    for (int k = 0; k < 2; k++) {
      const Grid other = {(Cell)cell, {9, 9, cell == QUAD ? 1 : 9}, k ? 0.4 : 1, PETSC_TRUE};
      PetscReal threshold = -1;
      Mat A;
      PetscCall(grid_laplacian(&other, &A));
      PetscCall(RhxCoarseningThreshold(A, &threshold));
      expect(threshold == (k ? 0.5 : 0), "%s, stretched by %g: threshold %g", cell_name[cell], other.stretch,
             threshold);
      PetscCall(MatDestroy(&A));
    }
  expect(rows[1] > 3 * rows[0] / 2, "%d rows along the strong neighbours, %d along all", (int)rows[1], (int)rows[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Within PETSc's CG ---- */

/* Solves with the PC to 1e-13, compares with another solver's; the iterations. */
static PetscErrorCode solve(const Grid *grid, const char *type, const char *options, PetscInt most)
{
  KSP ksp, other;
  PC pc;
  Mat A;
  Vec b, x, y;
  PetscReal error, size;
  PetscInt its;
  PetscFunctionBegin;
  PetscCall(grid_laplacian(grid, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(grid_right(grid, 2, b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &other));
  PetscCall(KSPSetOperators(other, A, A));
  PetscCall(KSPSetType(other, KSPCG));
  PetscCall(KSPGetPC(other, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(other, 1e-13, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPSolve(other, b, y));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(VecNorm(y, NORM_2, &size));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecNorm(x, NORM_2, &error));
  expect(error <= 1e-10 * size, "%s, %s: the solution is off by %g", cell_name[grid->cell], type, error / size);
  expect(its > 0 && its <= most, "%s, %s: %d iterations, expected at most %d", cell_name[grid->cell], type, (int)its,
         (int)most);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&other));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_solve(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < NGRIDS; k++) {
    PetscCall(solve(&grids[k], RHX_PC_GRAPH_INVERSE, "", 6));
    PetscCall(solve(&grids[k], RHX_PC_GRAPH_MG, "-pc_graph_mg_dense 30 -pc_graph_mg_hierarchy auto", 40));
    PetscCall(solve(&grids[k], RHX_PC_GRAPH_MG, "-pc_graph_mg_dense 30 -pc_graph_mg_hierarchy gamg", 40));
    PetscCall(solve(&grids[k], RHX_PC_GRAPH_MG, "-pc_graph_mg_threshold 0.5", 40));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_hypre(void)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_HYPRE)
  for (size_t k = 0; k < NGRIDS; k++)
    PetscCall(solve(&grids[k], RHX_PC_GRAPH_MG, "-pc_graph_mg_dense 30 -pc_graph_mg_hierarchy hypre", 40));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_messages(void)
{
  static const char *const bad[][3] = {{"-pc_graph_mg_weight 2", "-pc_graph_mg_weight", "got 2"},
                                       {"-pc_graph_mg_dense 0", "-pc_graph_mg_dense", "got 0"}};
  PetscErrorCode code;
  KSP ksp;
  PC pc;
  Mat A;
  PetscFunctionBegin;
  PetscCall(grid_laplacian(&grids[0], &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "some_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, RHX_KSP_GRAPH_CG));
  CATCH(code, KSPSetUp(ksp));
  expect_message(code, "graph_cg has no device", "-some_ksp_type", "got none");
  PetscCall(KSPDestroy(&ksp));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(bad); k++) {
    PetscCall(PetscOptionsInsertString(NULL, bad[k][0]));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, RHX_PC_GRAPH_MG));
    CATCH(code, PCSetFromOptions(pc));
    expect_message(code, bad[k][1], bad[k][2], "expected");
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const struct {
    const char *name;
    PetscErrorCode (*check)(void);
  } checks[] = {{"layout", check_layout}, {"products", check_products},     {"inverse", check_inverse},
                {"cycle", check_cycle},   {"coarsening", check_coarsening}, {"solve", check_solve},
                {"hypre", check_hypre},   {"messages", check_messages}};
  const char *name = argc > 1 ? argv[1] : "";
  int known = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxSolverRegister());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(checks); k++)
    if (strcmp(name, checks[k].name) == 0) {
      known = 1;
      PetscCall(checks[k].check());
    }
  expect(known, "no check \"%s\"", name);
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
