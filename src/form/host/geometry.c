#include "form/host/kernel.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"

static PetscBool simplices(RhxSpace sp, PetscInt k) { return (PetscBool)(sp->cells[k].nn == sp->dim + 1); }

static size_t numbers(RhxSpace sp, PetscInt k)
{
  return simplices(sp, k) ? (size_t)sp->cells[k].ngroups * RHX_AFFINE(sp->dim) * RHX_LANES : 0;
}

PetscErrorCode RhxFormKeepGeometry(RhxForm form)
{
  const RhxSpace sp = form->space;
  double most = 0.0;
  PetscFunctionBegin;
  if (form->in->kept) PetscFunctionReturn(PETSC_SUCCESS);
  form->in->kept = PETSC_TRUE;
  for (PetscInt k = 0; k < sp->ntypes; k++) most += 1e-6 * sizeof(PetscReal) * (double)numbers(sp, k);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, form->comm));
  if (most > form->in->geometry_memory) {
    if (form->in->geometry_memory > 0.0)
      PetscCall(
          PetscPrintf(form->comm,
                      "geometry of triangles and tetrahedra is computed in every pass: kept it would take %.0f MB a "
                      "rank, more than -form_geometry_memory %g\n",
                      ceil(most), form->in->geometry_memory));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    if (sp->cells[k].affine || !simplices(sp, k)) continue;
    PetscCall(PetscMalloc1(numbers(sp, k), &sp->cells[k].affine));
    form->in->kernel->affine(&sp->cells[k], sp->cells[k].affine);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
