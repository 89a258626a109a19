/* Gradient of a stress along a wall: in the wall's plane G_ij = e_j . (e_i . grad) tau, whose parts along the stress, m, and across it, n, make
 * sqrt((m.G m)^2 + (n.G n)^2) (Lei, Kleinstreuer and Archie, J. Biomech. 29 (1996) 1605). Components are taken in one plane, so that a wall
 * that bends adds none. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <math.h>

/* Sums over the differences from the neighbours on faces: A of t t, B of t v. */
static void add_differences(const RhxWallMesh *w, const double (*v)[3], double (*A)[2][2], double (*B)[2][3])
{
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++) {
        const PetscInt i = w->entry[f][a], j = w->entry[f][b];
        double x[3], t[2];
        for (int d = 0; d < 3; d++) x[d] = w->face[f].x[b][d] - w->face[f].x[a][d];
        RhxWallAlong(w->stencil.tangent[i], x, t);
        for (int k = 0; k < 2; k++) {
          for (int l = 0; l < 2; l++) A[i][k][l] += t[k] * t[l];
          for (int d = 0; d < 3; d++) B[i][k][d] += t[k] * (v[j][d] - v[i][d]);
        }
      }
}

/* Of a half plane about the axis, the second direction round it: what turns with the wall along theta. */
static void add_turning(const RhxWallMesh *w, PetscInt i, const double *v, double along, double slope, double G[2][2])
{
  const double r = w->x[w->e[i].node][1], rise = w->stencil.tangent[i][0][1];

  G[0][1] = slope;
  G[1][0] = r > 0 ? -v[2] * rise / r : -G[0][1];
  G[1][1] = r > 0 ? along * rise / r : G[0][0];
}

static double size_of(double G[2][2], const double m[2])
{
  const double square = m[0] * m[0] + m[1] * m[1], n[2] = {-m[1], m[0]};
  double along = 0, across = 0;

  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      along += m[i] * m[j] * G[i][j];
      across += n[i] * n[j] * G[i][j];
    }
  return hypot(along, across) / square;
}

PetscErrorCode RhxWallGradients(const RhxWallMesh *w, PetscBool axisymmetric, const double (*v)[3], double *size)
{
  double(*A)[2][2], (*B)[2][3];

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(w->nentries, &A, w->nentries, &B));
  add_differences(w, v, A, B);
  for (PetscInt i = 0; i < w->nentries; i++) {
    double inverse[2][2], G[2][2], m[2], slope[2][3];
    const double plane[3] = {v[i][0], v[i][1], w->dim == 3 ? v[i][2] : 0};
    RhxWallInvert(A[i], inverse);
    for (int k = 0; k < 2; k++)
      for (int d = 0; d < 3; d++) slope[k][d] = inverse[k][0] * B[i][0][d] + inverse[k][1] * B[i][1][d];
    RhxWallAlong(w->stencil.tangent[i], plane, m);
    for (int k = 0; k < 2; k++) RhxWallAlong(w->stencil.tangent[i], slope[k], G[k]); /* in the plane without theta */
    if (w->dim == 2) m[1] = v[i][2];
    if (axisymmetric) add_turning(w, i, v[i], m[0], inverse[0][0] * B[i][0][2], G);
    size[i] = size_of(G, m);
  }
  PetscCall(PetscFree2(A, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
