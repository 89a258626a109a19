/* Reductions over nodes and points and means over time, on a device; their programs are made when a diagnostic first asks. */
#include "device/kernels.h"
#include "kernels/nodal.h"
#include "petsc_compat.h"
#include "step/device_impl.h"

#define PARTS 256 /* of a component */

static PetscErrorCode launch(RhxOps ops, const char *name, unsigned width, unsigned height, void **arguments)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxDeviceFunction kernel;
  PetscFunctionBegin;
  if (!d->nodal) PetscCall(RhxDeviceKernelsCreate(ops->device, "kernels/nodal.cuh", NULL, &d->nodal));
  PetscCall(RhxDeviceProgramGetFunction(d->nodal, name, &kernel));
  PetscCall(RhxDeviceLaunch(ops->device, kernel, (RhxLaunch){{width, height}, {RHX_STEP_THREADS}, 0}, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_measure(RhxOps ops, RhxArray x, RhxArray times, const RhxNodalComponents *c,
                                     RhxNodalMeasure *m)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxNodalComponents list = *c;
  int n = (int)ops->form->space->nowned,
      nparts = PetscClipInterval((n + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS, 1, PARTS);
  const size_t room = sizeof(RhxNodalMeasure) * RHX_NODAL_MOST;
  void *out, *y = times ? times->at : NULL;
  PetscFunctionBegin;
  if (!d->nodal_part) PetscCall(RhxDeviceMalloc(ops->device, (PARTS + 1) * room, "sums over nodes", &d->nodal_part));
  out = (char *)d->nodal_part + PARTS * room;
  PetscCall(launch(ops, "rhx_nodal_measure", (unsigned)nparts, (unsigned)list.n,
                   RHX_ARGUMENTS(&list, &n, &d->ivolume, &x->at, &y, &d->nodal_part)));
  PetscCall(launch(ops, "rhx_nodal_join", (unsigned)list.n, 1, RHX_ARGUMENTS(&nparts, &d->nodal_part, &out)));
  PetscCall(RhxDeviceCopy(ops->device, m, out, sizeof(*m) * (size_t)list.n, RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_totals(RhxOps ops, RhxArray x, double *total)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  if (!d->totals) PetscCall(RhxFormTotalsCreate(ops->form, ops->device, (PetscBool)(d->source != NULL), &d->totals));
  PetscCall(RhxFormTotalsGet(d->totals, d->clock, x->at, d->source, total));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_accumulate(RhxOps ops, RhxArray x, const RhxNodalComponents *c, const RhxNodalSample *w,
                                        const RhxNodalMean *mean)
{
  RhxNodalComponents list = *c;
  RhxNodalSample weights = *w;
  int n = (int)ops->form->space->nowned;
  const unsigned blocks = ((unsigned)(n * list.n) + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS;
  PetscFunctionBegin;
  PetscCall(launch(ops, "rhx_nodal_accumulate", blocks, 1,
                   RHX_ARGUMENTS(&list, &n, &weights, &x->at, &mean->before->at, &mean->sum->at, &mean->whole->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepDeviceNodalGradient(void *ctx, const PetscScalar *phi, PetscScalar *r)
{
  const RhxOps ops = (RhxOps)ctx;
  const RhxSpace space = ops->form->space;
  const size_t size = sizeof(double) * (size_t)space->nlocal;
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2 && !d->slope[k]; k++)
    PetscCall(
        RhxDeviceMalloc(ops->device, k ? (size_t)space->dim * size : size, "gradients of nodal fields", &d->slope[k]));
  PetscCall(RhxDeviceCopy(ops->device, d->slope[0], phi, size, RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceZero(ops->device, d->slope[1], (size_t)space->dim * size));
  PetscCall(RhxFormDeviceGradient(d->form, d->slope[0], d->slope[1]));
  PetscCall(RhxExchangeAdd(d->halo, space->dim, d->slope[1]));
  PetscCall(RhxDeviceCopy(ops->device, r, d->slope[1], sizeof(double) * (size_t)(space->nowned * space->dim),
                          RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxNodalTable RhxNodalDevice = {
    .measure = device_measure, .totals = device_totals, .accumulate = device_accumulate};
