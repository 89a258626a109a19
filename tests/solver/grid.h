/* Laplacians of linear elements on distorted grids: quads, hexes, tets (six a hex), with fixed rows at x = 0 or without. */
#ifndef TEST_SOLVER_GRID_H
#define TEST_SOLVER_GRID_H
#include "petsc_compat.h"
#include <math.h>
#include <petscksp.h>
#include <string.h>

typedef enum { QUAD, HEX, TET } Cell;
static const char *const cell_name[] = {"quad", "hex", "tet"};

typedef struct {
  Cell cell;
  PetscInt n[3];  /* nodes in each direction */
  double stretch; /* height of the cells over their width */
  PetscBool fixed;
} Grid;

static double grid_noise(PetscInt i, PetscInt k)
{
  unsigned long long h = (unsigned long long)i * 3 + k + 1;
  h *= 0x9E3779B97F4A7C15ull;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  h ^= h >> 32;
  return (double)(h >> 11) / 9007199254740992.0 - 0.5;
}

static void grid_position(const Grid *g, PetscInt i, double x[3])
{
  const PetscInt p[3] = {i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1]};
  for (int k = 0; k < 3; k++) {
    const int edge = p[k] == 0 || p[k] == g->n[k] - 1;
    x[k] = (p[k] + (edge ? 0 : 0.4 * grid_noise(i, k))) * (k == 1 ? g->stretch : 1);
  }
}

/* K[n][n] += w G G^T, G the gradients of n shape functions from their derivatives d[n][dim] in the reference cell */
static void grid_point(int n, int dim, const double *x, const double *d, double w, double *K)
{
  double J[3][3] = {{0}}, inv[3][3], G[8][3], det;
  for (int a = 0; a < n; a++)
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) J[k][l] += d[a * 3 + k] * x[a * 3 + l];
  if (dim == 2) J[2][2] = 1;
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      const int p = (l + 1) % 3, q = (l + 2) % 3, r = (k + 1) % 3, s = (k + 2) % 3;
      inv[k][l] = J[p][r] * J[q][s] - J[p][s] * J[q][r];
    }
  det = J[0][0] * inv[0][0] + J[0][1] * inv[1][0] + J[0][2] * inv[2][0];
  for (int a = 0; a < n; a++)
    for (int k = 0; k < dim; k++) {
      G[a][k] = 0;
      for (int l = 0; l < dim; l++) G[a][k] += inv[k][l] * d[a * 3 + l] / det;
    }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int k = 0; k < dim; k++) K[a * n + b] += w * fabs(det) * G[a][k] * G[b][k];
}

static void grid_element(int n, int dim, const double *x, double *K)
{
  static const double point = 0.577350269189625764509148780502 / 2;
  double d[24];
  memset(K, 0, sizeof(double) * n * n);
  if (n == 4 && dim == 3) {
    static const double simplex[12] = {-1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    grid_point(4, 3, x, simplex, 1. / 6, K);
    return;
  }
  for (int q = 0; q < 1 << dim; q++) {
    for (int a = 0; a < n; a++)
      for (int k = 0; k < 3; k++) {
        d[a * 3 + k] = 1;
        for (int l = 0; l < dim; l++) {
          const double s = q >> l & 1 ? 0.5 + point : 0.5 - point;
          d[a * 3 + k] *= l == k ? (a >> l & 1 ? 1 : -1) : (a >> l & 1 ? s : 1 - s);
        }
      }
    grid_point(n, dim, x, d, 1.0 / (1 << dim), K);
  }
}

/* Adds an element to the 27 slots of each row: slot = offset of the neighbour. */
static void grid_add(const Grid *g, int n, const PetscInt *node, const double *K, double *slot)
{
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      const PetscInt i = node[a], j = node[b], nx = g->n[0], ny = g->n[1];
      const PetscInt dx = j % nx - i % nx, dy = j / nx % ny - i / nx % ny, dz = j / nx / ny - i / nx / ny;
      slot[27 * (size_t)i + (dx + 1) + 3 * (dy + 1) + 9 * (dz + 1)] += K[a * n + b];
    }
}

static void grid_cell(const Grid *g, PetscInt corner, double *slot)
{
  static const int tet[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  const int dim = g->cell == QUAD ? 2 : 3;
  PetscInt node[8], part[4];
  double x[24], y[12], K[64];
  for (int a = 0; a < 1 << dim; a++) {
    node[a] = corner + (a & 1) + (a >> 1 & 1) * g->n[0] + (a >> 2) * g->n[0] * g->n[1];
    grid_position(g, node[a], x + 3 * a);
  }
  if (g->cell != TET) {
    grid_element(1 << dim, dim, x, K);
    grid_add(g, 1 << dim, node, K, slot);
    return;
  }
  for (int t = 0; t < 6; t++) {
    for (int a = 0; a < 4; a++) {
      part[a] = node[tet[t][a]];
      memcpy(y + 3 * a, x + 3 * tet[t][a], 3 * sizeof(double));
    }
    grid_element(4, 3, y, K);
    grid_add(g, 4, part, K, slot);
  }
}

static PetscErrorCode grid_to_matrix(const Grid *g, PetscInt n, const double *slot, Mat *A)
{
  PetscInt *row, *column, k = 0;
  PetscScalar *value;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &row));
  PetscCall(PetscMalloc1(27 * (size_t)n, &column));
  PetscCall(PetscMalloc1(27 * (size_t)n, &value));
  row[0] = 0;
  for (PetscInt i = 0; i < n; i++) {
    for (int s = 0; s < 27; s++) {
      const PetscInt j = i + s % 3 - 1 + (s / 3 % 3 - 1) * g->n[0] + (s / 9 - 1) * g->n[0] * g->n[1];
      const PetscBool cut = (PetscBool)(g->fixed && i != j && (i % g->n[0] == 0 || j % g->n[0] == 0));
      if (slot[27 * (size_t)i + s] == 0 || cut) continue;
      column[k] = j;
      value[k++] = g->fixed && i % g->n[0] == 0 ? 1 : slot[27 * (size_t)i + s];
    }
    row[i + 1] = k;
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, row, column, value));
  PetscCall(PetscFree(row));
  PetscCall(PetscFree(column));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode grid_laplacian(const Grid *g, Mat *A)
{
  const PetscInt n = g->n[0] * g->n[1] * g->n[2];
  double *slot;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(27 * (size_t)n, &slot));
  for (PetscInt c = 0; c < n; c++) {
    const PetscInt p[3] = {c % g->n[0], c / g->n[0] % g->n[1], c / g->n[0] / g->n[1]};
    if (p[0] + 1 < g->n[0] && p[1] + 1 < g->n[1] && (g->cell == QUAD || p[2] + 1 < g->n[2])) grid_cell(g, c, slot);
  }
  PetscCall(grid_to_matrix(g, n, slot, A));
  PetscCall(PetscFree(slot));
  if (!g->fixed) {
    MatNullSpace constants;
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constants));
    PetscCall(MatSetNullSpace(*A, constants));
    PetscCall(MatSetTransposeNullSpace(*A, constants));
    PetscCall(MatNullSpaceDestroy(&constants));
  }
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SPD, g->fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side that is smooth with some noise; 0 at fixed nodes, or of mean 0. */
static PetscErrorCode grid_right(const Grid *g, PetscInt seed, Vec b)
{
  PetscScalar *a;
  PetscInt n;
  PetscScalar mean = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayWrite(b, &a));
  for (PetscInt i = 0; i < n; i++) {
    double x[3];
    grid_position(g, i, x);
    a[i] = PetscSinReal(6 * x[0] / g->n[0] + seed) * PetscCosReal(4 * x[1] / g->n[1] / g->stretch) +
           0.1 * grid_noise(i, seed + 5);
    if (g->fixed && i % g->n[0] == 0) a[i] = 0;
    mean += a[i] / n;
  }
  for (PetscInt i = 0; !g->fixed && i < n; i++) a[i] -= mean;
  PetscCall(VecRestoreArrayWrite(b, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
