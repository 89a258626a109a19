/* What both sides of the operations share: their arrays, the mass, the pressure problem. */
#include "boundary/film.h"
#include "petsc_compat.h"
#include "solver/solver.h"
#include "step/device_impl.h"
#include "step/numbers_impl.h"

PetscErrorCode RhxOpsCreate(RhxForm form, RhxBoundary bc, RhxDevice device, const RhxOpsSettings *settings, RhxOps *out)
{
  RhxOps ops;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  ops = *out;
  ops->form = form;
  ops->bc = bc;
  ops->device = device;
  ops->settings = *settings;
  ops->table = device ? &RhxOpsDevice : &RhxOpsHost;
  ops->mass = form->space->mass;
  if (settings->diagonal_mass) {
    PetscCall(PetscMalloc1(form->space->nlocal, &ops->mass));
    PetscCall(RhxFormDiagonalMass(form, ops->mass));
  }
  if (settings->mass_corrections || settings->implicit) PetscCall(RhxFormNeedMass(form));
  PetscCall(RhxFormSetCorrections(form, settings->projection_corrections));
  PetscCall(RhxFormSetVarying(form, settings->varies));
  if (device) PetscCall(RhxStepDeviceBegin(ops));
  for (int key = 0; settings->hands_on && !settings->implicit && key < 2; key++) {
    PetscCall(RhxOpsArray(ops, 1, "what the balance of continuity asked for", &ops->asked[key]));
    PetscCall(RhxOpsArray(ops, 1, "what the pressure did of it", &ops->done[key]));
  }
  if (!settings->without_pressure) PetscCall(RhxPressureCreate(form, bc, device, RhxStepOpenPart(ops), &ops->pressure));
  ops->result.momentum.converged = ops->result.polymer.converged = PETSC_TRUE;
  if (settings->implicit && device) PetscCall(RhxStepTransportCheckOptions(form, RHX_GROUP_VELOCITY));
  if (settings->transport && device) PetscCall(RhxStepTransportCheckOptions(form, RHX_GROUP_MODES));
  if (settings->implicit && !device) PetscCall(RhxTransportCreate(form, bc, RHX_GROUP_VELOCITY, &ops->momentum));
  if (settings->transport && !device) PetscCall(RhxTransportCreate(form, bc, RHX_GROUP_MODES, &ops->polymer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsTakeParameters(RhxOps ops)
{
  PetscFunctionBegin;
  if (ops->data && ops->device) PetscCall(RhxStepDeviceTakeParameters(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsArray(RhxOps ops, PetscInt width, const char *what, RhxArray *array)
{
  RhxArray a;
  PetscFunctionBegin;
  PetscCall(PetscNew(&a));
  a->type = ops->device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
  a->width = width;
  a->what = what;
  a->next = ops->arrays;
  ops->arrays = a;
  if (ops->data) PetscCall(ops->table->allocate(ops, a));
  *array = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsCreateVec(RhxOps ops, PetscInt bs, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(RhxSpaceCreateVec(ops->form->space, bs, v));
#if defined(PETSC_HAVE_CUDA)
  if (ops->device) PetscCall(VecSetType(*v, VECCUDA));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsLoadVec(RhxOps ops, RhxArray a, Vec from)
{
  const PetscScalar *x;
  PetscFunctionBegin;
  if (ops->device) {
    PetscCall(RhxVectorToDevice(ops->device, from, a->at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(from, &x));
  PetscCall(ops->table->load(ops, a, x));
  PetscCall(VecRestoreArrayRead(from, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsStoreVec(RhxOps ops, RhxArray a, Vec to)
{
  PetscScalar *x;
  PetscFunctionBegin;
  if (ops->device) {
    PetscCall(RhxVectorFromDevice(ops->device, a->at, to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayWrite(to, &x));
  PetscCall(ops->table->store(ops, a, x));
  PetscCall(VecRestoreArrayWrite(to, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsTake(RhxOps ops, Vec x, PetscInt at, double *value)
{
  PetscFunctionBegin;
  PetscCall(RhxVectorTake(ops->device, x, at, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsPut(RhxOps ops, Vec x, PetscInt at, double value)
{
  PetscFunctionBegin;
  PetscCall(RhxVectorPut(ops->device, x, at, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTangentInflow(RhxOps ops, RhxArray x, IS *nodes, PetscScalar **block)
{
  PetscScalar *values;
  PetscInt n;
  PetscFunctionBegin;
  *block = NULL;
  PetscCall(RhxBoundaryGetInflowNodes(ops->bc, nodes));
  if (!*nodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(*nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * x->width, &values));
  PetscCall(PetscMalloc1((size_t)n * x->width * x->width, block));
  PetscCall(ops->table->fetch(ops, x, *nodes, values));
  PetscCall(RhxBoundaryGetInflowBlocks(ops->bc, values, *block));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTangentFilm(RhxOps ops, IS *nodes, PetscScalar **block)
{
  const PetscInt bs = ops->form->space->bs, width = ops->form->nscalars, first = ops->form->first_scalar;
  const PetscInt dim = ops->form->space->dim, u = RhxFieldsStart(ops->form->space->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *value, *slope;
  PetscInt n;
  PetscFunctionBegin;
  *block = NULL;
  PetscCall(RhxBoundaryGetFilm(ops->bc, nodes, &value, &slope));
  if (!*nodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(*nodes, &n));
  PetscCall(PetscCalloc1((size_t)n * bs * bs, block));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < width; k++) {
      PetscScalar *row = *block + ((size_t)i * bs + first + k) * bs;
      row[first + k] = value[i * width + k];
      for (PetscInt d = 0; slope && d < dim; d++) row[u + d] = -slope[(i * width + k) * dim + d];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsSetUp(RhxOps ops)
{
  PetscFunctionBegin;
  PetscCall(ops->table->setup(ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOpsDestroy(RhxOps *ops)
{
  RhxOps o = *ops;
  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->data) PetscCall(o->table->destroy(o));
  for (RhxArray a = o->arrays, next; a; a = next) {
    next = a->next;
    PetscCall(PetscFree(a));
  }
  if (o->settings.diagonal_mass) PetscCall(PetscFree(o->mass));
  PetscCall(RhxPressureDestroy(&o->pressure));
  PetscCall(RhxTransportDestroy(&o->momentum));
  PetscCall(RhxTransportDestroy(&o->polymer));
  PetscCall(PetscFree(*ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}
