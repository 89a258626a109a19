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
    if (strtod(value, NULL) == 0.0) continue;
    PetscCheck(strcmp(end, "_z"), rc->comm, PETSC_ERR_USER_INPUT,
               "-%s: got %s %s, expected 0: the mesh lies in the plane of x and y", name, value, row->unit);
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -%s: got %s %s in axisymmetric flow, where y is the radius: it acts "
                           "outwards everywhere; expected 0, or the axis along x\n",
                           name, value, row->unit));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
