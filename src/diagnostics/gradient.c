#include "diagnostics/gradient_impl.h"
#include "petsc_compat.h"
#include "space/face.h"

PetscErrorCode RhxGradientAdd(RhxSpace space, PetscInt first, PetscInt n, PetscScalar *local, Vec v)
{
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(RhxSpaceReduce(space, n, local));
  PetscCall(VecGetArray(v, &to));
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt c = 0; c < n; c++) to[i * space->bs + first + c] += local[i * n + c];
  PetscCall(VecRestoreArray(v, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFluxGradient(RhxSpace space, const char *label, Vec x)
{
  const RhxFaces *faces;
  PetscScalar *slope;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal * space->dim, &slope));
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        double n[3];
        RhxFaceNormal(g, space->dim, f, q, n);
        for (PetscInt a = 0; a < g->nn; a++)
          for (PetscInt d = 0; d < space->dim; d++)
            slope[RhxFaceParentNode(g, f, a) * space->dim + d] += g->N[q * g->nn + a] * n[d];
      }
  PetscCall(RhxGradientAdd(space, RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), space->dim, slope, x));
  PetscCall(PetscFree(slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeanPressureGradient(RhxSpace space, const char *label, double factor, Vec x)
{
  const RhxFaces *faces;
  PetscScalar *slope;
  double area = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &slope));
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        double n[3], size = RhxFaceNormal(g, space->dim, f, q, n);
        area += size;
        for (PetscInt a = 0; a < g->nn; a++) slope[RhxFaceParentNode(g, f, a)] += g->N[q * g->nn + a] * size;
      }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &area, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  for (PetscInt i = 0; i < space->nlocal; i++) slope[i] *= factor / area;
  PetscCall(RhxGradientAdd(space, RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), 1, slope, x));
  PetscCall(PetscFree(slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}
