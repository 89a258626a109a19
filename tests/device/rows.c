/* Rows of a matrix of node blocks on a device against loops on the host: parts, given rows, other units, added blocks, sizes and diagonals
 * of blocks; cells of all kinds, components that are not neighbours. With a PETSc that has CUDA: what MatCreateSubMatrix and the other
 * operations give then, on any number of ranks, against PETSc's own of the same matrix on the host. */
#include "form/cuda/rows.h"
#include "../common/largest.h"
#include "matrix_setup.h"

static const char *const meshes[] = {
    "-mesh_box_faces 7,5 -mesh_box_cell triangle", "-mesh_box_faces 6,4 -mesh_box_cell mixed",
    "-mesh_box_faces 4,3,3 -mesh_box_cell tetrahedron -mesh_box_lower 0 -mesh_box_upper 1",
    "-mesh_box_faces 3,3,4 -mesh_box_lower 0 -mesh_box_upper 1"};
#define FORM "-physics newtonian,oldroydb -stabiliser gls"

static RhxDevice device;

/* Of a test: map, components of a node, values of the host. */
typedef struct {
  const RhxMatrixMap *map;
  PetscInt bs, n; /* n: values */
  double *value;
} Host;

/* No rule in it: blocks have an inverse. */
static double entry(PetscInt k)
{
  const double v = 43758.5453 * PetscSinReal(12.9898 * (k + 1));
  return v - PetscFloorReal(v) - 0.4;
}

/* Value of row component r of node i, its block k, column component c, of nr x nc. */
static size_t place(const RhxMatrixMap *map, PetscInt nr, PetscInt nc, PetscInt i, PetscInt r, PetscInt k, PetscInt c)
{
  const PetscInt first = map->start[i], width = map->start[i + 1] - first;
  return ((size_t)first * nr + (size_t)r * width + k) * nc + c;
}

static PetscInt own(const RhxMatrixMap *map, PetscInt i)
{
  PetscInt k = 0;
  while (map->node[map->start[i] + k] != i) k++;
  return k;
}

static PetscErrorCode fetch(const void *from, PetscInt n, double *to)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(device, to, from, sizeof(double) * n, RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double differ(PetscInt n, const double *a, const double *b)
{
  double d = 0.0;
  for (PetscInt k = 0; k < n; k++) d = larger(d, PetscAbsReal(a[k] - b[k]));
  return d;
}

static PetscErrorCode check_part(RhxMatrixRows rows, const Host *h, const void *there, const char *mesh)
{
  const PetscInt row[] = {0, 2, h->bs - 1}, col[] = {1, h->bs - 2}, blocks = h->map->start[h->map->n], n = blocks * 6;
  double *got, *want, *size, *diagonal;
  void *out;
  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &got, n, &want, blocks, &size, h->map->n * 6, &diagonal));
  PetscCall(RhxDeviceMalloc(device, sizeof(double) * n, "a part", &out));
  PetscCall(RhxMatrixRowsPart(rows, 3, row, 2, col, there, out));
  PetscCall(RhxMatrixRowsBlocks(rows, 3, 2, out, size, diagonal));
  PetscCall(fetch(out, n, got));
  for (PetscInt i = 0; i < h->map->n; i++)
    for (PetscInt k = 0; k < h->map->start[i + 1] - h->map->start[i]; k++) {
      double sum = 0.0;
      for (PetscInt r = 0; r < 3; r++)
        for (PetscInt c = 0; c < 2; c++) {
          const double v = h->value[place(h->map, h->bs, h->bs, i, row[r], k, col[c])];
          want[place(h->map, 3, 2, i, r, k, c)] = v;
          sum += PetscAbsReal(v);
          if (k == own(h->map, i)) expect(diagonal[i * 6 + r * 2 + c] == v, "%s: diagonal of node %d", mesh, (int)i);
        }
      expect(PetscAbsReal(size[h->map->start[i] + k] - sum) <= 1e-14 * sum, "%s: size of a block of node %d", mesh,
             (int)i);
    }
  expect(differ(n, got, want) <= 0.0, "%s: a part differs by %.2e", mesh, differ(n, got, want));
  PetscCall(RhxDeviceFree(device, out));
  PetscCall(PetscFree4(got, want, size, diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Given rows, scaling and added blocks, one after the other. */
static PetscErrorCode check_changes(RhxMatrixRows rows, const Host *h, void *there, const char *mesh)
{
  const RhxMatrixMap *map = h->map;
  const PetscInt bs = h->bs, n = map->n * bs, given[] = {1, bs + 2, n - 1}, node[] = {0, map->n - 2};
  double *left, *right, *block, *got;
  void *l, *r;
  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &left, n, &right, 2 * bs * bs, &block, h->n, &got));
  for (PetscInt k = 0; k < n; k++) {
    left[k] = 1.0 + 0.1 * (k % 7);
    right[k] = 2.0 - 0.2 * (k % 5);
  }
  for (PetscInt k = 0; k < 2 * bs * bs; k++) block[k] = entry(3 * k);
  PetscCall(to_device(device, left, n, &l));
  PetscCall(to_device(device, right, n, &r));
  PetscCall(RhxMatrixRowsHold(rows, 3, given, 1.5, there));
  PetscCall(RhxMatrixRowsScale(rows, l, r, there));
  PetscCall(RhxMatrixRowsAdd(rows, 2, node, block, there));
  PetscCall(fetch(there, h->n, got));
  for (PetscInt i = 0; i < map->n; i++)
    for (PetscInt a = 0; a < bs; a++)
      for (PetscInt k = 0; k < map->start[i + 1] - map->start[i]; k++)
        for (PetscInt c = 0; c < bs; c++) {
          const PetscInt j = map->node[map->start[i] + k], m = i * bs + a;
          double *v = &h->value[place(map, bs, bs, i, a, k, c)];
          if (m == given[0] || m == given[1] || m == given[2]) *v = j * bs + c == m ? 1.5 : 0.0;
          *v *= left[m] * right[j * bs + c];
          for (PetscInt b = 0; b < 2; b++)
            if (i == node[b] && j == i) *v += block[(b * bs + a) * bs + c];
        }
  expect(differ(h->n, got, h->value) <= 1e-14, "%s: changed rows differ by %.2e", mesh, differ(h->n, got, h->value));
  PetscCall(RhxDeviceFree(device, l));
  PetscCall(RhxDeviceFree(device, r));
  PetscCall(PetscFree4(left, right, block, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_CUDA)
static PetscErrorCode compare(Mat A, Mat B, const char *what, const char *mesh)
{
  PetscReal norm, d;
  Mat C;
  PetscFunctionBegin;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(C, -1.0, B, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &d));
  expect(norm > 0.0 && d <= 1e-14 * norm, "%s: %s differs from PETSc's by %.2e", mesh, what, d / norm);
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the rows of A, node blocks of bs. */
static PetscErrorCode components(Mat A, PetscInt bs, PetscInt n, const PetscInt *component, IS *is)
{
  PetscInt *at, first, end, nodes;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  nodes = (end - first) / bs;
  PetscCall(PetscMalloc1(nodes * n, &at));
  for (PetscInt k = 0; k < nodes * n; k++) at[k] = first + k / n * bs + component[k % n];
  PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, nodes * n, at, PETSC_OWN_POINTER, is));
  PetscCall(ISSetBlockSize(*is, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What GAMG and pbjacobi ask of a sub-matrix. */
static PetscErrorCode check_square(Mat B, Mat host, const char *mesh)
{
  const PetscScalar *got, *want;
  PetscInt n, bs;
  PetscReal d, size, most = 0.0;
  Vec a, b;
  Mat G, H;
  PetscFunctionBegin;
  for (int k = 0; k < 4; k++) {
    PetscCall(MatCreateGraph(B, (PetscBool)(k & 1), (PetscBool)(k & 2), -1.0, 0, NULL, &G));
    PetscCall(MatCreateGraph(host, (PetscBool)(k & 1), (PetscBool)(k & 2), -1.0, 0, NULL, &H));
    PetscCall(compare(G, H, "a graph", mesh));
    PetscCall(MatDestroy(&G));
    PetscCall(MatDestroy(&H));
  }
  PetscCall(MatCreateVecs(B, &a, NULL));
  PetscCall(MatCreateVecs(host, &b, NULL));
  PetscCall(MatGetDiagonal(B, a));
  PetscCall(MatGetDiagonal(host, b));
  PetscCall(VecNorm(a, NORM_INFINITY, &size));
  PetscCall(VecAXPY(b, -1.0, a));
  PetscCall(VecNorm(b, NORM_INFINITY, &d));
  expect(d <= 1e-14 * size, "%s: a diagonal differs by %.2e", mesh, d);
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscCall(MatInvertBlockDiagonal(B, &got));
  PetscCall(MatInvertBlockDiagonal(host, &want));
  PetscCall(MatGetLocalSize(B, &n, NULL));
  PetscCall(MatGetBlockSize(B, &bs));
  for (PetscInt k = 0; k < n * bs; k++) most = larger(most, PetscAbsReal(want[k]));
  d = differ(n * bs, got, want);
  expect(d <= 1e-10 * most, "%s: inverse blocks differ by %.2e of %.2e", mesh, d, most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all rows, no two alike; `like` says where they are. */
static PetscErrorCode units(Mat like, double first, double by, PetscInt period, Vec *here, Vec *there)
{
  PetscInt begin, end;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(like, &begin, &end));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, end - begin, PETSC_DETERMINE, here));
  for (PetscInt k = begin; k < end; k++) PetscCall(VecSetValue(*here, k, first + by * (k % period), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*here));
  PetscCall(VecAssemblyEnd(*here));
  PetscCall(MatCreateVecs(like, there, NULL));
  PetscCall(VecCopy(*here, *there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rank's values at all its nodes; those of ghosts are added to their owners'. */
static PetscErrorCode create_pair(RhxFormMatrix m, const Host *h, Mat *A, Mat *host)
{
  PetscMPIInt rank, size;
  PetscScalar *values;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RhxFormMatrixCreateMat(m, A));
  PetscCall(PetscMalloc1(h->n, &values));
  for (PetscInt k = 0; k < h->n; k++) values[k] = entry(k + 7919 * rank);
  if (size > 1) {
    PetscCall(MatSetValuesCOO(*A, values, INSERT_VALUES));
  } else {
    PetscScalar *to;
    PetscCall(MatSeqAIJGetArrayWrite(*A, &to));
    PetscCall(PetscArraycpy(to, values, h->n));
    PetscCall(MatSeqAIJRestoreArrayWrite(*A, &to));
  }
  PetscCall(PetscFree(values));
  PetscCall(MatConvert(*A, MATAIJ, MAT_INITIAL_MATRIX, host));
  PetscCall(MatSetOption(*host, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_petsc(RhxFormMatrix m, const Host *h, const char *mesh)
{
  const PetscInt bs = h->bs, flow[] = {0, 1, 2}, rest[] = {3, bs - 1};
  PetscInt first, given[2];
  Mat A, host, B[3] = {NULL};
  IS is[3];
  Vec left, right, here[2];
  PetscFunctionBegin;
  PetscCall(create_pair(m, h, &A, &host));
  PetscCall(units(A, 1.0, 0.1, 7, &here[0], &left));
  PetscCall(units(A, 2.0, -0.2, 5, &here[1], &right));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  given[0] = first + 1;
  given[1] = first + bs + 2;
  PetscCall(components(A, bs, 3, flow, &is[0]));
  PetscCall(components(A, bs, 2, rest, &is[1]));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, bs + 1, first, 1, &is[2]));
  for (int turn = 0; turn < 2; turn++) { /* new parts, then the same with other values */
    PetscCall(MatZeroRows(A, 2, given, 2.5, NULL, NULL));
    PetscCall(MatZeroRows(host, 2, given, 2.5, NULL, NULL));
    PetscCall(MatDiagonalScale(A, left, right));
    PetscCall(MatDiagonalScale(host, here[0], here[1]));
    PetscCall(compare(A, host, "the matrix", mesh));
    for (int k = 0; k < 3; k++) {
      const IS cols = k == 1 ? is[0] : is[k];
      Mat want;
      PetscCall(MatCreateSubMatrix(A, is[k], cols, turn ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &B[k]));
      PetscCall(MatCreateSubMatrix(host, is[k], cols, MAT_INITIAL_MATRIX, &want));
      PetscCall(compare(B[k], want, "a part", mesh));
      if (k == 0) PetscCall(MatSetBlockSizes(want, 3, 3));
      if (k == 0) PetscCall(check_square(B[0], want, mesh));
      PetscCall(MatDestroy(&want));
    }
  }
  for (int k = 0; k < 3; k++) {
    PetscCall(MatDestroy(&B[k]));
    PetscCall(ISDestroy(&is[k]));
  }
  PetscCall(VecDestroy(&left));
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&here[0]));
  PetscCall(VecDestroy(&here[1]));
  PetscCall(MatDestroy(&host));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

static PetscErrorCode check(const char *mesh)
{
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT};
  char options[512];
  RhxFormMatrix m;
  RhxMatrixRows rows;
  void *there, *start;
  Host h;
  Setup s;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s %s", mesh, FORM));
  PetscCall(setup_create(options, &s));
  PetscCall(RhxFormMatrixCreate(s.form, device, &spec, &m));
  PetscCall(RhxFormMatrixGetMap(m, &h.map));
  PetscCall(RhxFormMatrixGetSize(m, &h.bs, NULL, &h.n));
  PetscCall(RhxDeviceUpload(device, h.map->start, sizeof(PetscInt) * (h.map->n + 1), "rows", &start));
  PetscCall(RhxMatrixRowsCreate(device, h.map, start, h.bs, h.bs, &rows));
  PetscCall(PetscMalloc1(h.n, &h.value));
  for (PetscInt k = 0; k < h.n; k++) h.value[k] = entry(k);
  PetscCall(to_device(device, h.value, h.n, &there));
  PetscCall(check_part(rows, &h, there, mesh));
  PetscCall(check_changes(rows, &h, there, mesh));
#if defined(PETSC_HAVE_CUDA)
  PetscCall(check_petsc(m, &h, mesh));
#endif
  PetscCall(RhxMatrixRowsDestroy(&rows));
  PetscCall(RhxDeviceFree(device, start));
  PetscCall(RhxDeviceFree(device, there));
  PetscCall(PetscFree(h.value));
  PetscCall(RhxFormMatrixDestroy(&m));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RhxDeviceState state;
  PetscBool possible;

  PetscCall(setup_begin(&argc, &argv));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  possible = (PetscBool)(state.availability == RHX_DEVICE_READY);
  if (possible) {
    PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(meshes); k++) PetscCall(check(meshes[k]));
    PetscCall(RhxDeviceClose(&device));
  } else {
    puts(state.sentence);
  }
  return setup_end() ? 1 : possible ? 0 : SKIP;
}
