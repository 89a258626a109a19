#include "space/face.h"
#include "kernels/geometry.h"
#include "petsc_compat.h"
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

PetscErrorCode RhxFacesCreateNodes(const RhxFaces *faces, IS *nodes, PetscInt **at)
{
  PetscInt n = 0, k = 0, nlist, *list;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < faces->ngroups; i++) n += faces->group[i].n * faces->group[i].nfn;
  PetscCall(PetscMalloc1(n, at));
  PetscCall(PetscMalloc1(n, &list));
  for (PetscInt i = 0; i < faces->ngroups; i++) {
    const RhxFaceGroup *g = &faces->group[i];
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt a = 0; a < g->nfn; a++) list[k++] = RhxFaceParentNode(g, f, g->fnode[a]);
  }
  PetscCall(PetscArraycpy(*at, list, n));
  nlist = n;
  PetscCall(PetscSortRemoveDupsInt(&nlist, list));
  for (k = 0; k < n; k++) PetscCall(PetscFindInt((*at)[k], nlist, list, &(*at)[k]));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, nlist, list, PETSC_COPY_VALUES, nodes));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
