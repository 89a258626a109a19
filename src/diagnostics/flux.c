#include "diagnostics/diagnostics.h"
#include "diagnostics/face.h"
#include "petsc_compat.h"

/* Adds the outward and inward parts of u.n over the faces of a label. */
static void add_flux(RhxSpace space, const RhxFaces *faces, const PetscScalar *x, double *out, double *in)
{
  for (PetscInt k = 0; k < faces->ngroups; k++) {
    const RhxFaceGroup *g = faces->group + k;
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; q < g->nfq; q++) {
        double n[3], un = 0;
        RhxFaceNormal(g, space->dim, f, q, n);
        for (PetscInt a = 0; a < g->nn; a++) {
          const PetscScalar *u = x + (size_t)RhxFaceParentNode(g, f, a) * space->bs;
          for (PetscInt d = 0; d < space->dim; d++) un += g->N[q * g->nn + a] * u[d] * n[d];
        }
        if (un > 0)
          *out += un;
        else
          *in -= un;
      }
  }
}

static PetscErrorCode local_state(RhxSpace space, Vec x, PetscScalar **local)
{
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, local));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, *local));
  PetscCall(VecRestoreArrayRead(x, &g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFlux(RhxForm form, const char *label, Vec x, double *flux)
{
  const RhxFaces *faces;
  PetscScalar *local;
  double out = 0, in = 0;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  PetscCall(local_state(form->space, x, &local));
  add_flux(form->space, faces, local, &out, &in);
  *flux = out - in;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flux, 1, MPI_DOUBLE, MPI_SUM, form->comm));
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMassError(RhxForm form, Vec x, double *error)
{
  PetscScalar *local;
  double sum[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(local_state(form->space, x, &local));
  for (PetscInt k = 0; k < form->space->nlabels; k++)
    add_flux(form->space, form->space->faces + k, local, sum, sum + 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, form->comm));
  *error = sum[0] == sum[1] ? 0 : (sum[0] - sum[1]) / (sum[1] > 0 ? sum[1] : sum[0]);
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}
