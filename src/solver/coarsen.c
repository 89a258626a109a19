/* Where the levels come from. */
#include "solver/defaults.h"
#include "solver/ghosts_impl.h"

static PetscErrorCode create(PetscInt levels, RhxCoarsening *c)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCall(
      PetscCalloc6(levels, &c->P, levels, &c->A, levels, &c->p, levels, &c->a, levels, &c->ap, levels, &c->largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCoarseningFree(RhxCoarsening *c)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->n; k++) {
    PetscCall(MatDestroy(&c->P[k]));
    PetscCall(MatDestroy(&c->A[k]));
    PetscCall(RhxCsrFree(&c->p[k]));
    PetscCall(RhxCsrFree(&c->a[k]));
    PetscCall(RhxCsrFree(&c->ap[k]));
  }
  PetscCall(PetscFree6(c->P, c->A, c->p, c->a, c->ap, c->largest));
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
  PetscCall(create(n - 1, c));
  c->n = n - 1;
  for (PetscInt k = 0; k < c->n; k++) {
    c->P[k] = P[c->n - 1 - k];
    c->A[k] = A[c->n - 1 - k];
  }
  PetscCall(PetscFree(P));
  PetscCall(PetscFree(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxJacobiWeights(Mat A, PetscReal weight, Vec *w)
{
  PetscScalar *a;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, w, NULL));
  PetscCall(MatGetDiagonal(A, *w));
  PetscCall(VecGetLocalSize(*w, &n));
  PetscCall(VecGetArray(*w, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = a[i] > 0 ? weight / a[i] : 0;
  PetscCall(VecRestoreArray(*w, &a));
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

/* A with the entries that are weak for both rows moved to the diagonal, so that rows keep their sums, and without zeros;
 * threshold 0: all others are strong. On one rank. */
static PetscErrorCode filter(Mat A, PetscReal threshold, RhxCsr *f)
{
  RhxRows a;
  PetscInt k = 0;
  PetscReal *strongest;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &a));
  PetscCall(strongest_neighbours(&a, &strongest));
  PetscCall(RhxCsrCreate(a.n, a.n, a.row[a.n], f));
  for (PetscInt i = 0; i < a.n; i++) {
    PetscInt diagonal = -1;
    PetscScalar moved = 0;
    for (PetscInt e = a.row[i]; e < a.row[i + 1]; e++) {
      const PetscInt j = a.column[e];
      if (i == j) diagonal = k;
      if (i == j ||
          (a.value[e] != 0 && (!(threshold > 0) || -a.value[e] > threshold * PetscMin(strongest[i], strongest[j])))) {
        f->column[k] = j;
        f->value[k++] = a.value[e];
      } else
        moved += a.value[e];
    }
    if (diagonal >= 0) f->value[diagonal] += moved;
    f->row[i + 1] = k;
  }
  PetscCall(PetscFree(strongest));
  PetscCall(RhxRowsRestore(A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coarsening from the neighbours alone, no smoothing. zeros: A may have some; GAMG's copy of A without them is slow. After
 * SetFromOptions, which in some versions forgets what was set. */
static PetscErrorCode set_gamg(PC pc, PetscBool zeros)
{
  PetscReal threshold = zeros ? 0 : -1;
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

/* GAMG would factor its coarse matrix, which takes minutes in three dimensions, and estimate eigenvalues for its smoother;
 * nothing of either is used. */
static const RhxDefault gamg_defaults[] = {{"-mg_coarse_ksp_type", "preonly"},
                                           {"-mg_coarse_pc_type", "none"},
                                           {"-mg_levels_ksp_type", "preonly"},
                                           {"-mg_levels_pc_type", "none"}};

/* The aggregates of GAMG as a matrix of ones, NULL where it finds none. */
static PetscErrorCode aggregates(Mat A, const char *prefix, PetscBool zeros, Mat *T)
{
  RhxDefaults defaults;
  RhxCoarsening one;
  RhxMatrixParts parts;
  PC pc;
  PetscFunctionBegin;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
  PetscCall(PCSetOptionsPrefix(pc, prefix));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(set_gamg(pc, zeros));
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

/* ---- A level ---- */

/* P = (I - W F) T */
static PetscErrorCode smooth(Mat F, Vec w, Mat T, Mat *P)
{
  PetscFunctionBegin;
  PetscCall(VecScale(w, -1));
  PetscCall(MatMatMult(F, T, MAT_INITIAL_MATRIX, 2, P));
  PetscCall(MatDiagonalScale(*P, w, NULL));
  PetscCall(MatAXPY(*P, 1, T, SUBSET_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode smooth_rows(Mat F, Vec w, Mat T, RhxCsr *p)
{
  const PetscScalar *weight;
  RhxRows f, t;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(F, &f));
  PetscCall(RhxRowsGet(T, &t));
  PetscCall(VecGetArrayRead(w, &weight));
  PetscCall(RhxCsrMultiply(&f, &t, p));
  PetscCall(RhxCsrSmooth(&t, weight, p));
  PetscCall(VecRestoreArrayRead(w, &weight));
  PetscCall(RhxRowsRestore(T, &t));
  PetscCall(RhxRowsRestore(F, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A P, and P^T A P from it */
static PetscErrorCode project_rows(Mat A, const RhxCsr *p, RhxCsr *ap, RhxCsr *coarse)
{
  const RhxRows right = RhxCsrRows(p);
  RhxRows a, left, product;
  RhxCsr pt;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &a));
  PetscCall(RhxCsrMultiply(&a, &right, ap));
  PetscCall(RhxRowsRestore(A, &a));
  product = RhxCsrRows(ap);
  PetscCall(RhxCsrTranspose(&right, &pt));
  left = RhxCsrRows(&pt);
  PetscCall(RhxCsrMultiply(&left, &product, coarse));
  PetscCall(RhxCsrFree(&pt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P = (I - w D^-1 F) T, w = 4/3 over the largest eigenvalue of D^-1 F */
static PetscErrorCode make_level(Mat A, Mat F, Mat T, PetscBool rows, RhxCoarsening *c)
{
  const PetscInt k = c->n++;
  PetscReal largest;
  Vec w;
  PetscFunctionBegin;
  PetscCall(RhxLargestEigenvalue(F, &largest));
  if (F == A) c->largest[k] = largest;
  PetscCall(RhxJacobiWeights(F, 4 / (3 * largest), &w));
  if (rows) {
    PetscCall(smooth_rows(F, w, T, &c->p[k]));
    PetscCall(project_rows(A, &c->p[k], &c->ap[k], &c->a[k]));
    PetscCall(RhxCsrToMat(&c->p[k], &c->P[k]));
    PetscCall(RhxCsrToMat(&c->a[k], &c->A[k]));
    PetscCall(MatSetOption(c->A[k], MAT_SYMMETRIC, PETSC_TRUE));
  } else {
    PetscCall(smooth(F, w, T, &c->P[k]));
    PetscCall(MatPtAP(A, c->P[k], MAT_INITIAL_MATRIX, 2, &c->A[k]));
  }
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCoarseningFromGAMG(Mat A, const char *prefix, PetscReal threshold, PetscInt dense, RhxCoarsening *c)
{
  PetscInt n, coarse;
  PetscMPIInt size;
  PetscBool one;
  RhxCsr strong = {0};
  Mat F, T;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  one = (PetscBool)(size == 1);
  PetscCall(create(RHX_MOST_LEVELS, c));
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt before = 2 * n; n > dense && n < before / 10 * 9 && c->n < RHX_MOST_LEVELS; n = coarse) {
    const PetscBool all =
        (PetscBool)(!one || c->n || !(threshold > 0)); /* neighbours are strong: F and A are the same */
    before = n;
    if (one) {
      PetscCall(filter(A, all ? 0 : threshold, &strong));
      PetscCall(RhxCsrToMat(&strong, &F));
      PetscCall(MatSetOption(F, MAT_SYMMETRIC, PETSC_TRUE));
    } else
      PetscCall(PetscObjectReference((PetscObject)(F = A)));
    PetscCall(aggregates(F, prefix, (PetscBool)!one, &T));
    coarse = n;
    if (T) {
      PetscCall(MatGetSize(T, NULL, &coarse));
      PetscCall(make_level(all ? F : A, F, T, one, c));
      A = c->A[c->n - 1];
    }
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&T));
    PetscCall(RhxCsrFree(&strong));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
