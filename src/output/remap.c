#include "output/remap_impl.h"
#include "petsc_compat.h"

/* x[nodes of all ranks][dim] of the form, on every rank, by global number; to be freed. */
static PetscErrorCode all_positions(RhxSpace space, PetscReal **x)
{
  PetscMPIInt size, *count, *start, mine = (PetscMPIInt)(space->nowned * space->dim);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(space->comm, &size));
  PetscCall(PetscMalloc2(size, &count, size, &start));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, space->comm));
  start[0] = 0;
  for (PetscMPIInt r = 1; r < size; r++) start[r] = start[r - 1] + count[r - 1];
  PetscCall(PetscMalloc1(space->nglobal * space->dim, x));
  PetscCallMPI(MPI_Allgatherv(space->x, mine, MPIU_REAL, *x, count, start, MPIU_REAL, space->comm));
  PetscCall(PetscFree2(count, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRemapCreate(RhxForm form, RhxMesh mesh, RhxRemap *r)
{
  const PetscInt dim = form->space->dim;
  RhxFields fields;
  PetscReal *x;

  PetscFunctionBegin;
  *r = (RhxRemap){.form = form};
  PetscCall(RhxFormCreateFields(form, dim, &fields));
  PetscCall(RhxSpaceCreate(mesh, &fields, &r->from));
  PetscCall(all_positions(form->space, &x));
  PetscCall(RhxSpaceLocate(r->from, form->space->nglobal, x, &r->places));
  for (PetscInt k = 0; k < r->places->n; k++) {
    if (r->places->found[k]) continue;
    r->noutside++;
    PetscCall(PetscArraycpy(x + k * dim, r->places->near[k], dim));
  }
  if (r->noutside) {
    PetscCall(RhxPlacesDestroy(&r->places));
    PetscCall(RhxSpaceLocate(r->from, form->space->nglobal, x, &r->places));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRemapDestroy(RhxRemap *r)
{
  PetscFunctionBegin;
  PetscCall(RhxPlacesDestroy(&r->places));
  PetscCall(RhxSpaceDestroy(&r->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRemapApply(const RhxRemap *r, PetscInt bs, Vec x, Vec to)
{
  const RhxSpace here = r->form->space;
  const PetscScalar *global;
  PetscScalar *local, *all, *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(r->from->nlocal * bs, &local, here->nglobal * bs, &all));
  PetscCall(VecGetArrayRead(x, &global));
  PetscCall(RhxSpaceGlobalToLocal(r->from, bs, global, local));
  PetscCall(VecRestoreArrayRead(x, &global));
  PetscCall(RhxPlacesInterpolate(r->from, r->places, bs, local, all));
  PetscCall(VecGetArrayWrite(to, &values));
  PetscCall(PetscArraycpy(values, all + (size_t)here->rstart * bs, here->nowned * bs));
  PetscCall(VecRestoreArrayWrite(to, &values));
  PetscCall(PetscFree2(local, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
