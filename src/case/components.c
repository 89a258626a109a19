/* Parameters of plugins along x, y and z, which names ..._x, ..._y, ..._z tell, in meshes that have not all of these directions. */
#include "case/impl.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <stdlib.h>
#include <string.h>

PetscErrorCode RhxCaseCheckComponents_Private(RhxCase rc)
{
  const char *name, *value;
  PetscInt n;

  PetscFunctionBegin;
  if (rc->space->dim == 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxRow *row;
    const char *end;

    PetscCall(RhxOptionsReadGet(i, &name, &value, NULL));
    end = name + strlen(name) - PetscMin(strlen(name), 2);
    if (strncmp(name, "physics_", 8) || !(row = RhxOptionRow(name)) || row->kind != RHX_REAL) continue;
    if (strcmp(end, "_z") && (strcmp(end, "_y") || !rc->space->axisymmetric)) continue;
    PetscCheck(strtod(value, NULL) == 0.0, rc->comm, PETSC_ERR_USER_INPUT, "-%s: got %s %s, expected 0: %s", name,
               value, row->unit,
               strcmp(end, "_z") ? "y is the radius of axisymmetric flow, whose axis is along x"
                                 : "the mesh lies in the plane of x and y");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
