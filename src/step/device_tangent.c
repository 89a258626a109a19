/* The matrix of derivatives on a device. */
#include "petsc_compat.h"
#include "step/device_impl.h"

static PetscErrorCode check(RhxOps ops)
{
  const RhxForm form = ops->form;
  const char *got = form->nscalars ? "scalar fields" : NULL;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nface_terms; k++)
    if (form->face_term[k].form || form->face_term[k].backflow > 0.0)
      got = "a label whose face terms depend on the state";
  if (!((RhxStepDevice)ops->data)->serial) got = "several ranks";
  PetscCheck(!got, form->comm, PETSC_ERR_SUP, "Derivatives on a device are those of one rank's elements: got %s", got);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_create(RhxOps ops, Mat *A)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT,
                              .mass = RHX_MASS_CONSISTENT,
                              .rate = (PetscBool)(ops->form->needs_rate && ops->settings.strong_rate),
                              .source = (PetscBool)(ops->form->source != NULL)};
  PetscFunctionBegin;
  PetscCall(check(ops));
  if (!d->tangent) {
    PetscCall(RhxFormMatrixCreate(ops->form, ops->device, &spec, &d->tangent));
    PetscCall(RhxDeviceMalloc(ops->device, 2 * sizeof(double), "scalars", &d->tangent_clock));
  }
  PetscCall(RhxFormMatrixCreateMat(d->tangent, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_matrix(RhxOps ops, const RhxOpsPoint *at, Mat A)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const double clock[2] = {at->t, at->dt};
  const PetscBool rate = (PetscBool)(ops->form->needs_rate && ops->settings.strong_rate);
  const RhxMatrixPoint point = {.clock = d->tangent_clock,
                                .x = at->x->at,
                                .xdot = rate && at->xdot ? at->xdot->at : NULL,
                                .aux = at->aux ? at->aux->at : NULL,
                                .source = d->source,
                                .shift = at->shift};
  PetscFunctionBegin;
  PetscCheck(!rate || at->xdot, ops->form->comm, PETSC_ERR_SUP,
             "Derivatives on a device: got no rate, expected one: the operations read it in strong residuals");
  PetscCall(RhxDeviceCopy(ops->device, d->tangent_clock, clock, sizeof(clock), RHX_COPY_TO_DEVICE));
  PetscCall(RhxFormMatrixAssemble(d->tangent, &point, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxTangentTable RhxTangentDevice = {.create = device_create, .matrix = device_matrix};
