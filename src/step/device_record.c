/* A step as one graph, recorded once and replayed. */
#include "petsc_compat.h"
#include "plugin/event.h"
#include "step/device_impl.h"
#include "step/numbers.h"

/* Records a step if nothing will change any more and the solver is recordable; the first one of all tries what a graph cannot. */
static PetscErrorCode record(RhxOps ops, int key, RhxOpsBody body, void *context)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscBool steady;
  PetscErrorCode code;
  PetscFunctionBegin;
  if (d->graph[key] || !d->recordable || !d->warm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryIsSteady(ops->bc, ops->t, PETSC_FALSE, &steady));
  if (!steady) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxStepDeviceSetTime(ops, ops->t));
  PetscCall(RhxDeviceGraphBegin(ops->device));
  d->recording = PETSC_TRUE;
  code = body(context);
  d->recording = PETSC_FALSE;
  PetscCall(RhxDeviceGraphEnd(ops->device, &d->graph[key]));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceReplay(RhxOps ops, int key, RhxOpsBody body, void *context)
{
  static RhxEvent event = RHX_EVENT("RhxReplay");
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  RhxStepHistory(ops, key, &d->host_clock->kept, &d->host_clock->known);
  PetscCall(record(ops, key, body, context));
  if (d->graph[key]) {
    PetscCall(RhxEventBegin(&event));
    PetscCall(RhxDeviceGraphLaunch(ops->device, d->graph[key]));
    PetscCall(RhxEventEnd(&event));
  } else {
    PetscCall(body(context));
    d->warm = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
