/* Derivatives on a device, of the arrays of the operations. */
#include "form/host/inertia.h"
#include "form/host/tangent.h"
#include "petsc_compat.h"
#include "step/device_impl.h"

static PetscErrorCode need_matrix(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT,
                              .mass = RHX_MASS_CONSISTENT,
                              .rate = ops->form->needs_rate,
                              .source = (PetscBool)(d->source != NULL)};
  PetscFunctionBegin;
  if (!d->tangent) PetscCall(RhxFormMatrixCreate(ops->form, ops->device, &spec, &d->tangent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need_product(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  if (!d->product) PetscCall(RhxFormProductCreate(ops->form, ops->device, (PetscBool)(d->source != NULL), &d->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the clock of the point. */
static PetscErrorCode point_of(RhxOps ops, const RhxOpsPoint *at, RhxMatrixPoint *point)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxTime clock = {at->t, at->dt};
  PetscFunctionBegin;
  if (!d->tangent_clock) PetscCall(RhxDeviceMalloc(ops->device, sizeof(RhxTime), "scalars", &d->tangent_clock));
  PetscCall(RhxDeviceCopy(ops->device, d->tangent_clock, &clock, sizeof(clock), RHX_COPY_TO_DEVICE));
  *point = (RhxMatrixPoint){.clock = d->tangent_clock,
                            .x = at->x->at,
                            .xdot = ops->form->needs_rate && at->xdot ? at->xdot->at : NULL,
                            .aux = ops->form->naux ? at->aux->at : NULL,
                            .source = d->source,
                            .shift = at->shift,
                            .follows = at->follows};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode zero(RhxOps ops, RhxArray a)
{
  PetscFunctionBegin;
  a->zero = PETSC_FALSE;
  PetscCall(RhxDeviceZero(ops->device, a->at, sizeof(double) * (size_t)ops->form->space->nlocal * a->width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_create(RhxOps ops, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(need_matrix(ops));
  PetscCall(RhxFormMatrixCreateMat(((RhxStepDevice)ops->data)->tangent, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A += block of each of the nodes, which it frees; NULL: none on any rank. */
static PetscErrorCode add_blocks(RhxOps ops, IS nodes, PetscScalar *block, Mat A)
{
  const PetscInt *node;
  PetscInt n;
  PetscFunctionBegin;
  if (!nodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  PetscCall(RhxFormMatrixAddBlocks(((RhxStepDevice)ops->data)->tangent, n, node, block, A));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_matrix(RhxOps ops, const RhxOpsPoint *at, Mat A)
{
  RhxMatrixPoint point = {.clock = NULL};
  PetscScalar *block;
  IS nodes;
  PetscFunctionBegin;
  PetscCall(need_matrix(ops));
  PetscCall(point_of(ops, at, &point));
  PetscCall(RhxFormMatrixAssemble(((RhxStepDevice)ops->data)->tangent, &point, A));
  PetscCall(RhxTangentInflow(ops, at->x, &nodes, &block));
  PetscCall(add_blocks(ops, nodes, block, A));
  PetscCall(RhxTangentFilm(ops, &nodes, &block));
  PetscCall(add_blocks(ops, nodes, block, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual with a rate has one. */
static PetscErrorCode need_rest(RhxOps ops)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const size_t bytes = sizeof(double) * (size_t)ops->form->space->nlocal * ops->form->space->bs;
  PetscFunctionBegin;
  if (d->rest) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceMalloc(ops->device, PetscMax(bytes, 1), "a rate of zero", &d->rest));
  PetscCall(RhxDeviceZero(ops->device, d->rest, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_fields(RhxOps ops, const RhxOpsPoint *at)
{
  RhxMatrixPoint point = {.clock = NULL};
  PetscFunctionBegin;
  PetscCall(RhxStepDeviceSetTime(ops, at->t));
  PetscCall(point_of(ops, at, &point));
  PetscCall(RhxStepDeviceProject(ops, point.clock, at->x, at->aux, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_residual(RhxOps ops, const RhxOpsPoint *at, RhxArray r)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxMatrixPoint point = {.clock = NULL};
  PetscFunctionBegin;
  PetscCall(need_rest(ops));
  PetscCall(point_of(ops, at, &point));
  PetscCall(RhxStepDeviceResidual(ops, RHX_ROWS_ALL, point.clock, at->x, at->xdot ? at->xdot->at : d->rest, at->aux, r,
                                  NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_project(RhxOps ops, const RhxOpsPoint *at, RhxArray v, RhxArray a)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxMatrixPoint point = {.clock = NULL};
  PetscFunctionBegin;
  if (!ops->form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(need_product(ops));
  PetscCall(point_of(ops, at, &point));
  PetscCall(zero(ops, a));
  PetscCall(
      RhxFormProductProject(d->product, &point, RhxFormIsConsistent(ops->form) ? NULL : d->ivolume, v->at, a->at));
  PetscCall(RhxExchangeAdd(d->halo, a->width, a->at));
  if (RhxFormIsConsistent(ops->form)) PetscCall(RhxStepDeviceSolveProjections(ops, a));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, a->width, a->at));
  PetscCall(RhxStepDeviceCorrectProjections(ops, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_product(RhxOps ops, const RhxOpsPoint *at, RhxArray v, RhxArray a, RhxArray r)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxMatrixPoint point = {.clock = NULL};
  PetscFunctionBegin;
  PetscCall(need_product(ops));
  PetscCall(point_of(ops, at, &point));
  PetscCall(zero(ops, r));
  PetscCall(RhxFormProductAdd(d->product, &point, v->at, a ? a->at : NULL, r->at));
  PetscCall(RhxExchangeAdd(d->halo, r->width, r->at));
  PetscCall(RhxStepDeviceInflowProduct(ops, at->x, v, r));
  PetscCall(RhxStepDeviceAddFilm(ops, PETSC_TRUE, v, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What ghosts hold of r is no part of it. */
static PetscErrorCode device_inertia(RhxOps ops, RhxArray v, RhxArray r)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxSpace sp = ops->form->space;
  double *ghosts = (double *)r->at + (size_t)sp->nowned * r->width;
  PetscFunctionBegin;
  PetscCall(need_product(ops));
  PetscCall(RhxDeviceZero(ops->device, ghosts, sizeof(double) * (size_t)(sp->nlocal - sp->nowned) * r->width));
  PetscCall(RhxFormProductMass(d->product, 1.0, v->at, r->at));
  PetscCall(RhxExchangeAdd(d->halo, r->width, r->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* It does not depend on the state: the host's. */
static PetscErrorCode device_inertia_matrix(RhxOps ops, Mat A)
{
  PetscFunctionBegin;
  PetscCall(RhxFormAddInertiaMatrix(ops->form, 1.0, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fetch(RhxOps ops, RhxArray a, PetscScalar **to)
{
  const size_t n = a ? (size_t)ops->form->space->nlocal * a->width : 0;
  PetscFunctionBegin;
  *to = NULL;
  if (!a) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, to));
  PetscCall(RhxDeviceCopy(ops->device, *to, a->at, sizeof(PetscScalar) * n, RHX_COPY_TO_HOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the host, at the state that is fetched. */
static PetscErrorCode device_auxiliary(RhxOps ops, const RhxOpsPoint *at, const RhxAuxiliaryPart *part, Mat *B, Mat *C)
{
  const RhxAuxiliaryPart of = part ? *part : RhxFormWholeAuxiliary(ops->form);
  RhxTangentPoint point = {.t = at->t, .dt = at->dt, .shift = at->shift};
  PetscScalar *x, *aux, *xdot;
  PetscFunctionBegin;
  PetscCall(fetch(ops, at->x, &x));
  PetscCall(fetch(ops, at->aux, &aux));
  PetscCall(fetch(ops, at->xdot, &xdot));
  point.x = x;
  point.aux = aux;
  point.xdot = xdot;
  PetscCall(RhxFormCreateAuxiliaryMatrices(ops->form, &of, B, C));
  PetscCall(RhxFormTangentAuxiliary(ops->form, &point, &of, *B, *C));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(aux));
  PetscCall(PetscFree(xdot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_turn(RhxOps ops, RhxOblique oblique, RhxArray x, RhxArray f)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryDeviceTurn(((RhxStepDevice)ops->data)->bc, oblique, x ? x->at : NULL, f->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxTangentTable RhxTangentDevice = {.create = device_create,
                                          .fields = device_fields,
                                          .residual = device_residual,
                                          .matrix = device_matrix,
                                          .project = device_project,
                                          .product = device_product,
                                          .auxiliary = device_auxiliary,
                                          .inertia = device_inertia,
                                          .inertia_matrix = device_inertia_matrix,
                                          .turn = device_turn};
