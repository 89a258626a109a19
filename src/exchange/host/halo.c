#include "exchange/host/halo.h"
#include "petsc_compat.h"

/* The MPI type of a block, kept for as long as the halo. */
typedef struct Unit_s *Unit;
struct Unit_s {
  Unit next;
  MPI_Datatype of, type;
  PetscInt width;
};

struct RhxHalo_s {
  PetscSF sf;
  PetscBool serial;
  Unit units;
};

PetscErrorCode RhxHaloCreate(PetscSF sf, RhxHalo *halo)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)sf), &size));
  PetscCall(PetscNew(halo));
  (*halo)->serial = (PetscBool)(size == 1);
  PetscCall(PetscObjectReference((PetscObject)sf));
  (*halo)->sf = sf;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloDestroy(RhxHalo *halo)
{
  PetscFunctionBegin;
  if (!*halo) PetscFunctionReturn(PETSC_SUCCESS);
  for (Unit unit = (*halo)->units, next; unit; unit = next) {
    next = unit->next;
    PetscCallMPI(MPI_Type_free(&unit->type));
    PetscCall(PetscFree(unit));
  }
  PetscCall(PetscSFDestroy(&(*halo)->sf));
  PetscCall(PetscFree(*halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's SF recognises contiguous scalars and packs them itself. */
static PetscErrorCode get_unit(RhxHalo halo, MPI_Datatype of, PetscInt width, MPI_Datatype *type)
{
  Unit unit;

  PetscFunctionBegin;
  *type = of;
  if (width == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (unit = halo->units; unit; unit = unit->next)
    if (unit->width == width && unit->of == of) break;
  if (!unit) {
    PetscCall(PetscNew(&unit));
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)width, of, &unit->type));
    PetscCallMPI(MPI_Type_commit(&unit->type));
    unit->of = of;
    unit->width = width;
    unit->next = halo->units;
    halo->units = unit;
  }
  *type = unit->type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloBegin(RhxHalo halo, MPI_Datatype type, PetscInt width, void *v)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_unit(halo, type, width, &unit));
  PetscCall(PetscSFBcastBegin(halo->sf, unit, v, v, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloEnd(RhxHalo halo, MPI_Datatype type, PetscInt width, void *v)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_unit(halo, type, width, &unit));
  PetscCall(PetscSFBcastEnd(halo->sf, unit, v, v, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloGhosts(RhxHalo halo, MPI_Datatype type, PetscInt width, void *v)
{
  PetscFunctionBegin;
  PetscCall(RhxHaloBegin(halo, type, width, v));
  PetscCall(RhxHaloEnd(halo, type, width, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloReduceBegin(RhxHalo halo, MPI_Datatype type, PetscInt width, MPI_Op op, void *v)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_unit(halo, type, width, &unit));
  PetscCall(PetscSFReduceBegin(halo->sf, unit, v, v, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloReduceEnd(RhxHalo halo, MPI_Datatype type, PetscInt width, MPI_Op op, void *v)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_unit(halo, type, width, &unit));
  PetscCall(PetscSFReduceEnd(halo->sf, unit, v, v, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloReduce(RhxHalo halo, MPI_Datatype type, PetscInt width, MPI_Op op, void *v)
{
  PetscFunctionBegin;
  PetscCall(RhxHaloReduceBegin(halo, type, width, op, v));
  PetscCall(RhxHaloReduceEnd(halo, type, width, op, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
