#include "space/face.h"
#include "kernels/geometry.h"
#include <math.h>

double RhxFaceNormal(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double n[3])
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
  return c->w[q] * fabs(det);
}
