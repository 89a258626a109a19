/* Order `colours2` of each rank's own rows against one found with dense matrices: nodes of a distorted mesh with holes, blocks of 3 and of 4
 * rows; the factors of ILU(1) by it have no more steps in a row than colours; one node alone; inodes that span blocks. */
#include "petsc_compat.h"
#include "scheme/colours_impl.h"
#include <petscksp.h>

#define ACROSS 13
#define MOST 40 /* colours: 25 nodes of quadrilaterals are within two edges, and some that are joined across */

/* Is j joined to i, of a grid of quadrilaterals some of whose nodes are joined to others far away? */
static int joined(PetscInt i, PetscInt j)
{
  const PetscInt dx = PetscAbsInt(i % ACROSS - j % ACROSS), dy = PetscAbsInt(i / ACROSS - j / ACROSS);
  if (i % 29 == 0 && j == i + 37) return 1;
  if (j % 29 == 0 && i == j + 37) return 1;
  return dx <= 1 && dy <= 1 && (i * j) % 17 != 5;
}

static PetscErrorCode make(PetscInt nodes, PetscInt bs, Mat *A)
{
  PetscInt first, end;
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, nodes * bs, nodes * bs));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*A, 12 * bs, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 12 * bs, NULL, 12 * bs, NULL));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt r = first; r < end; r++)
    for (PetscInt j = 0; j < nodes; j++)
      for (PetscInt c = 0; (joined(r / bs, j) || r / bs == j) && c < bs; c++)
        PetscCall(MatSetValue(*A, r, j * bs + c, r == j * bs + c ? 9.0 : -0.2 * (1 + (r + 3 * c) % 5), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of n nodes from `first` on, those that are close within two edges by a dense square; row[n * bs]: as the order should be. */
static PetscErrorCode expect(PetscInt first, PetscInt n, PetscInt bs, PetscInt *row, PetscInt *colours)
{
  PetscInt *colour, at = 0;
  char *close;
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(n, &colour, n * n, &close));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++)
      for (PetscInt k = 0; k < n; k++)
        if ((k == i || joined(first + i, first + k)) && (k == j || joined(first + k, first + j))) close[i * n + j] = 1;
  *colours = 0;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < i; j++)
      if (close[i * n + j] && colour[j] == colour[i]) {
        colour[i]++;
        j = -1;
      }
    *colours = PetscMax(*colours, colour[i] + 1);
  }
  for (PetscInt c = 0; c < *colours; c++)
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt k = 0; colour[i] == c && k < bs; k++) row[at++] = i * bs + k;
  PetscCall(PetscFree2(colour, close));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The most nodes of which each waits for the one before it, in factors whose pattern ILU(1) has in this order. */
static PetscErrorCode longest_chain(PetscInt first, PetscInt n, PetscInt bs, const PetscInt *row, PetscInt *longest)
{
  PetscInt *depth;
  char *fill;
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(n, &depth, n * n, &fill));
  for (PetscInt p = 0; p < n; p++)
    for (PetscInt q = 0; q < n; q++) fill[p * n + q] = (char)joined(first + row[p * bs] / bs, first + row[q * bs] / bs);
  for (PetscInt p = 0; p < n; p++)
    for (PetscInt q = 0; q < n; q++)
      for (PetscInt k = 0; k < PetscMin(p, q); k++)
        if (fill[p * n + q] == 0 && fill[p * n + k] == 1 && fill[k * n + q] == 1) fill[p * n + q] = 2;
  *longest = 0;
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt q = 0; q < p; q++)
      if (fill[p * n + q]) depth[p] = PetscMax(depth[p], depth[q] + 1);
    *longest = PetscMax(*longest, depth[p] + 1);
  }
  PetscCall(PetscFree2(depth, fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(PetscInt nodes, PetscInt bs, PetscBool *good)
{
  const PetscInt *order;
  PetscInt first, end, n, *row, colours = 0, chain, natural, rows;
  PetscMPIInt rank;
  Mat A, own;
  IS is[2];
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(make(nodes, bs, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  n = (end - first) / bs;
  PetscCall(MatGetDiagonalBlock(A, &own));
  PetscCall(MatGetOrdering(own, RHX_ORDERING_COLOURS2, &is[0], &is[1]));
  PetscCall(PetscMalloc1(n * bs, &row));
  PetscCall(expect(first / bs, n, bs, row, &colours));
  for (int k = 0; k < 2; k++) {
    PetscCall(ISGetLocalSize(is[k], &rows));
    PetscCall(ISGetIndices(is[k], &order));
    PetscBool same = (PetscBool)(rows == n * bs);
    for (PetscInt r = 0; same && r < rows; r++) same = (PetscBool)(order[r] == row[r]);
    if (!same) {
      printf("rank %d, blocks of %d, %s: not the expected order\n", rank, (int)bs, k ? "columns" : "rows");
      *good = PETSC_FALSE;
    }
    PetscCall(ISRestoreIndices(is[k], &order));
  }
  PetscCall(longest_chain(first / bs, n, bs, row, &chain));
  for (PetscInt r = 0; r < n * bs; r++) row[r] = r;
  PetscCall(longest_chain(first / bs, n, bs, row, &natural));
  printf("rank %d, %d nodes in blocks of %d: %d colours, %d nodes in a row, %d in the natural order\n", rank, (int)n,
         (int)bs, (int)colours, (int)chain, (int)natural);
  *good = (PetscBool)(*good && chain <= colours && colours <= MOST && (n < 4 || natural > colours));
  PetscCall(PetscFree(row));
  PetscCall(ISDestroy(&is[0]));
  PetscCall(ISDestroy(&is[1]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of pairs of nodes, whose inodes PETSc makes without regard for blocks, the factors are exact. */
static PetscErrorCode check_inodes(PetscBool *good)
{
  const PetscInt n = 36, pair = 6;
  PetscReal norm;
  Mat A;
  Vec x, b;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, pair, NULL, &A));
  PetscCall(MatSetBlockSize(A, 3));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = i - i % pair; j < i - i % pair + pair; j++)
      PetscCall(MatSetValue(A, i, j, i == j ? 7.0 : 0.3 * (double)((i + 2 * j) % 5) - 0.4, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.5));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCILU));
  PetscCall(PCFactorSetLevels(pc, 1));
  PetscCall(PCFactorSetMatOrderingType(pc, RHX_ORDERING_COLOURS2));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecScale(b, -1.0));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &norm));
  printf("inodes that span blocks: residual %.1e\n", (double)norm);
  if (!(norm <= 1e-13)) *good = PETSC_FALSE;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool good = PETSC_TRUE;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxColoursRegister());
  PetscCall(check(ACROSS * 11, 3, &good));
  PetscCall(check(ACROSS * 9, 4, &good));
  PetscCall(check(1, 3, &good));
  PetscCall(check_inodes(&good));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}
