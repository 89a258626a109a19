/* Where the levels come from. */
#include "solver/defaults.h"
#include "solver/ghosts.h"

PetscErrorCode RhxCoarseningFree(RhxCoarsening *c)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->n; k++) {
    PetscCall(MatDestroy(&c->P[k]));
    PetscCall(MatDestroy(&c->A[k]));
  }
  PetscCall(PetscFree2(c->P, c->A));
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCoarseningFromPC(PC pc, RhxCoarsening *c)
{
  PetscInt n, na;
  Mat *P, *A;
  PetscFunctionBegin;
  PetscCall(PCGetInterpolations(pc, &n, &P)); /* n counts the finest; both lists begin with the coarsest */
  PetscCall(PCGetCoarseOperators(pc, &na, &A));
  PetscCheck(n == na, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "A multigrid hierarchy does not fit: got %d interpolations and %d coarse matrices, expected as many",
             (int)n - 1, (int)na - 1);
  c->n = n - 1;
  PetscCall(PetscMalloc2(c->n, &c->P, c->n, &c->A));
  for (PetscInt k = 0; k < c->n; k++) {
    c->P[k] = P[c->n - 1 - k];
    c->A[k] = A[c->n - 1 - k];
  }
  PetscCall(PetscFree(P));
  PetscCall(PetscFree(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Largest eigenvalue, from a few steps of CG ---- */

PetscErrorCode RhxLargestEigenvalue(Mat A, PetscReal *largest)
{
  KSP ksp;
  PC pc;
  Vec x, b;
  PetscReal smallest;
  PetscRandom random;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)A), &random));
  PetscCall(PetscRandomSetType(random, PETSCRAND48));
  PetscCall(VecSetRandom(x, random));
  PetscCall(MatMult(A, x, b)); /* free of the null space */
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 1e-300, PETSC_CURRENT, 12));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPComputeExtremeSingularValues(ksp, largest, &smallest));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCheck(*largest > 0 && !PetscIsInfOrNanReal(*largest), PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
             "A level of the multigrid hierarchy is not positive definite: got a largest eigenvalue of %g, expected it "
             "positive (option -pc_graph_mg_hierarchy)",
             (double)*largest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Aggregation along the strong neighbours ---- */

/* strongest[i]: the largest -a_ij of a row */
static PetscErrorCode strongest_neighbours(const RhxRows *a, PetscReal **strongest)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(a->n, strongest));
  for (PetscInt i = 0; i < a->n; i++)
    for (PetscInt e = a->row[i]; e < a->row[i + 1]; e++)
      if (a->column[e] != i) (*strongest)[i] = PetscMax((*strongest)[i], -a->value[e]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCoarseningThreshold(Mat A, PetscReal *threshold)
{
  RhxRows a;
  PetscReal *strongest, sum = 0, diagonal = 0;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &a));
  PetscCall(strongest_neighbours(&a, &strongest));
  for (PetscInt i = 0; i < a.n; i++)
    for (PetscInt e = a.row[i]; strongest[i] > 0 && e < a.row[i + 1]; e++)
      if (a.column[e] == i) {
        sum += strongest[i] / a.value[e];
        diagonal += 1;
      }
  *threshold = sum > 0.3 * diagonal ? 0.5 : 0;
  PetscCall(PetscFree(strongest));
  PetscCall(RhxRowsRestore(A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A with the entries that are weak for both rows moved to the diagonal, so that rows keep their sums; threshold 0: A. On one
 * rank. */
static PetscErrorCode filter(Mat A, PetscReal threshold, Mat *F)
{
  RhxRows a;
  PetscInt *row, *column, k = 0;
  PetscScalar *value;
  PetscReal *strongest;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &a));
  PetscCall(strongest_neighbours(&a, &strongest));
  PetscCall(PetscMalloc1(a.n + 1, &row));
  PetscCall(PetscMalloc2(a.row[a.n], &column, a.row[a.n], &value));
  row[0] = 0;
  for (PetscInt i = 0; i < a.n; i++) {
    PetscInt diagonal = -1;
    PetscScalar moved = 0;
    for (PetscInt e = a.row[i]; e < a.row[i + 1]; e++) {
      const PetscInt j = a.column[e];
      const PetscBool strong =
          (PetscBool)(!(threshold > 0) || -a.value[e] > threshold * PetscMin(strongest[i], strongest[j]));
      if (i == j) diagonal = k;
      if (i == j || strong) {
        column[k] = j;
        value[k++] = a.value[e];
      } else
        moved += a.value[e];
    }
    if (diagonal >= 0) value[diagonal] += moved;
    row[i + 1] = k;
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, F));
  PetscCall(MatSetSizes(*F, a.n, a.n, a.n, a.n));
  PetscCall(MatSetType(*F, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*F, row, column, value));
  PetscCall(MatSetOption(*F, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(PetscFree(row));
  PetscCall(PetscFree2(column, value));
  PetscCall(PetscFree(strongest));
  PetscCall(RhxRowsRestore(A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coarsening from the neighbours alone, no smoothing. After SetFromOptions, which in some versions forgets what was set. */
static PetscErrorCode set_gamg(PC pc)
{
  PetscReal threshold = 0;
  const char *prefix;
  PetscBool given, older;
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCGAMGSetNlevels(pc, 2));
  PetscCall(PCGAMGSetCoarseEqLim(pc, 1));
  PetscCall(PCGAMGSetProcEqLim(pc, 1)); /* aggregates stay with their ranks */
  /* not to one rank at the end; the function has one of two names */
  PetscTryMethod(pc, "PCGAMGSetUseParallelCoarseGridSolve_C", (PC, PetscBool), (pc, PETSC_TRUE));
  PetscTryMethod(pc, "PCGAMGSetParallelCoarseGridSolve_C", (PC, PetscBool), (pc, PETSC_TRUE));
  PetscCall(PCGAMGSetThreshold(pc, &threshold, 1));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCGAMGSetNSmooths(pc, 0));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_gamg_aggressive_coarsening", &given));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_gamg_square_graph", &older));
  if (!given && !older) PetscCall(PCGAMGSetAggressiveLevels(pc, 0)); /* more levels, but far fewer iterations */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_ones(Mat part)
{
  const PetscScalar *old;
  PetscScalar *value;
  RhxRows rows;
  PetscFunctionBegin;
  if (!part) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxRowsGet(part, &rows));
  old = rows.value;
  PetscCall(MatSeqAIJGetArray(part, &value));
  for (PetscInt e = 0; e < rows.row[rows.n]; e++) value[e] = old[e] != 0;
  PetscCall(MatSeqAIJRestoreArray(part, &value));
  PetscCall(RhxRowsRestore(part, &rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* GAMG would factor its coarse matrix, of which nothing is used: a factorisation takes minutes in three dimensions. */
static const RhxDefault gamg_defaults[] = {{"-mg_coarse_ksp_type", "preonly"}, {"-mg_coarse_pc_type", "none"}};

/* The aggregates of GAMG as a matrix of ones, NULL where it finds none. */
static PetscErrorCode aggregates(Mat A, const char *prefix, Mat *T)
{
  RhxDefaults defaults;
  RhxCoarsening one;
  RhxMatrixParts parts;
  PC pc;
  PetscFunctionBegin;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
  PetscCall(PCSetOptionsPrefix(pc, prefix));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(set_gamg(pc));
  PetscCall(RhxDefaultsSet(prefix, gamg_defaults, PETSC_STATIC_ARRAY_LENGTH(gamg_defaults), &defaults));
  PetscCall(PCSetUp(pc));
  PetscCall(RhxDefaultsClear(&defaults));
  PetscCall(RhxCoarseningFromPC(pc, &one));
  *T = NULL;
  if (one.n) {
    *T = one.P[0];
    PetscCall(PetscObjectReference((PetscObject)*T));
    PetscCall(RhxMatrixGetParts(*T, &parts));
    PetscCall(make_ones(parts.own));
    PetscCall(make_ones(parts.other));
  }
  PetscCall(RhxCoarseningFree(&one));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P = (I - w D^-1 F) T, w = 4/3 over the largest eigenvalue of D^-1 F */
static PetscErrorCode smooth(Mat F, Mat T, Mat *P)
{
  PetscReal largest;
  Vec d;
  PetscFunctionBegin;
  PetscCall(RhxLargestEigenvalue(F, &largest));
  PetscCall(MatCreateVecs(F, &d, NULL));
  PetscCall(MatGetDiagonal(F, d));
  PetscCall(VecReciprocal(d));
  PetscCall(VecScale(d, -4 / (3 * largest)));
  PetscCall(MatMatMult(F, T, MAT_INITIAL_MATRIX, 2, P));
  PetscCall(MatDiagonalScale(*P, d, NULL));
  PetscCall(MatAXPY(*P, 1, T, SUBSET_NONZERO_PATTERN));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCoarseningFromGAMG(Mat A, const char *prefix, PetscReal threshold, PetscInt dense, RhxCoarsening *c)
{
  PetscInt n, coarse;
  PetscMPIInt size;
  Mat F, T;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCall(PetscMalloc2(RHX_MOST_LEVELS, &c->P, RHX_MOST_LEVELS, &c->A));
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt before = 2 * n; n > dense && n < before / 10 * 9 && c->n < RHX_MOST_LEVELS; n = coarse) {
    before = n;
    if (size == 1)
      PetscCall(filter(A, c->n ? 0 : threshold, &F));
    else
      PetscCall(PetscObjectReference((PetscObject)(F = A)));
    PetscCall(aggregates(F, prefix, &T));
    coarse = n;
    if (T) {
      PetscCall(MatGetSize(T, NULL, &coarse));
      PetscCall(smooth(F, T, &c->P[c->n]));
      PetscCall(MatPtAP(A, c->P[c->n], MAT_INITIAL_MATRIX, 2, &c->A[c->n]));
      A = c->A[c->n++];
    }
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&T));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
