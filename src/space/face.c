#include "space/face.h"
#include "kernels/geometry.h"
#include <math.h>

double RhxFaceMeshNormal(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double n[3])
{
  PetscInt group = f / RHX_LANES, lane = f % RHX_LANES;
  double T[2][3] = {{0}}; /* d x / d (face coordinates) */

  for (PetscInt a = 0; a < g->nn; a++)
    for (PetscInt m = 0; m < dim - 1; m++) {
      double slope = 0;
      for (PetscInt j = 0; j < dim; j++) slope += g->dN[(q * g->nn + a) * dim + j] * g->tangent[m * dim + j];
      for (PetscInt i = 0; i < dim; i++) T[m][i] += slope * g->x[((group * g->nn + a) * dim + i) * RHX_LANES + lane];
    }
  n[2] = 0;
  rhx_normal(dim, T[0], T[1], n);
  for (int i = 0; i < 3; i++) n[i] *= g->w[q];
  return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* 2 pi r, or 1; x[ngroups][nn][2][RHX_LANES] */
static double swept(PetscBool axisymmetric, PetscInt nn, const PetscReal *N, const PetscReal *x, PetscInt e)
{
  const PetscReal *at = x + (e / RHX_LANES) * nn * 2 * RHX_LANES + e % RHX_LANES;
  double r = 0;

  if (!axisymmetric) return 1;
  for (PetscInt a = 0; a < nn; a++) r += N[a] * at[(a * 2 + 1) * RHX_LANES];
  return RHX_TWO_PI * r;
}

double RhxFaceSwept(const RhxFaceGroup *g, PetscInt f, PetscInt q)
{
  return swept(g->axisymmetric, g->nn, g->N + q * g->nn, g->x, f);
}

double RhxCellsSwept(const RhxCells *c, PetscInt e, PetscInt q)
{
  return swept(c->axisymmetric, c->nn, c->N + q * c->nn, c->x, e);
}

double RhxFaceNormal(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double n[3])
{
  const double length = RhxFaceMeshNormal(g, dim, f, q, n), around = RhxFaceSwept(g, f, q);

  for (PetscInt i = 0; i < dim; i++) n[i] *= around;
  return length * around;
}

double RhxCellsGradients(const RhxCells *c, PetscInt dim, PetscInt e, PetscInt q, double dN[8][3])
{
  const PetscInt lane = e % RHX_LANES, first = (e / RHX_LANES) * c->nn;
  double J[3][3] = {{0}}, Ji[3][3], det;

  for (PetscInt a = 0; a < c->nn; a++)
    for (PetscInt i = 0; i < dim; i++)
      for (PetscInt j = 0; j < dim; j++)
        J[i][j] += c->x[((first + a) * dim + i) * RHX_LANES + lane] * c->dN[(q * c->nn + a) * dim + j];
  det = rhx_invert((int)dim, J, Ji);
  for (PetscInt a = 0; a < c->nn; a++) rhx_to_space((int)dim, Ji, c->dN + (q * c->nn + a) * dim, dN[a]);
  return c->w[q] * fabs(det) * RhxCellsSwept(c, e, q);
}
