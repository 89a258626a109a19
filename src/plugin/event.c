#include "plugin/event.h"
#include "petsc_compat.h"

PetscErrorCode RhxEventBegin(RhxEvent *event)
{
  PetscClassId id;

  PetscFunctionBegin;
  if (!event->registered) {
    PetscCall(PetscClassIdRegister("Rheoplex", &id));
    PetscCall(PetscLogEventRegister(event->name, id, &event->id));
    event->registered = PETSC_TRUE;
  }
  PetscCall(PetscLogEventBegin(event->id, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEventEnd(RhxEvent *event)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventEnd(event->id, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
