/* Passes over the mesh: element loops, face terms, sums over ranks. */
#include "form/host/kernel.h"
#include "form/host/projection.h"
#include "form/inside_impl.h"
#include "form/patch.h"
#include "petsc_compat.h"
#include "plugin/event.h"

static RhxEvent residual_event = RHX_EVENT("RhxResidual"), project_event = RHX_EVENT("RhxProject"),
                faces_event = RHX_EVENT("RhxFaces"), divergence_event = RHX_EVENT("RhxDivergence"),
                gradient_event = RHX_EVENT("RhxGradient"), reduce_event = RHX_EVENT("RhxHalo");

static PetscErrorCode reduce(RhxForm form, PetscInt bs, PetscScalar *r)
{
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&reduce_event));
  PetscCall(RhxSpaceReduce(form->space, bs, r));
  PetscCall(RhxEventEnd(&reduce_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode log_flops(const RhxPass *pass, RhxPassKind kind)
{
  double flops;
  PetscFunctionBegin;
  PetscCall(RhxFormPassFlops(pass, kind, &flops));
  PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProject(RhxForm form, double t, double dt, const PetscScalar *x, PetscScalar *aux)
{
  const RhxSpace sp = form->space;
  const RhxCells *cells = form->in->patch && form->in->patch->project ? form->in->patch->project : sp->cells;
  const PetscInt naux = form->naux;
  RhxPass pass = {.form = form, .t = t, .dt = dt, .x = x, .out = aux};
  PetscFunctionBegin;
  if (!naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormKeepGeometry(form));
  PetscCall(RhxEventBegin(&project_event));
  PetscCall(PetscArrayzero(aux, (size_t)sp->nlocal * naux));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->in->kernel->project(&pass, &cells[k]));
  PetscCall(reduce(form, naux, aux));
  PetscCall(RhxProjectionSolve(form, 0.0, aux));
  PetscCall(log_flops(&pass, RHX_PASS_PROJECT));
  PetscCall(RhxEventEnd(&project_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_faces(RhxForm form, const RhxPass *pass)
{
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&faces_event));
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    for (PetscInt g = 0; g < term->faces->ngroups; g++)
      PetscCall(form->in->kernel->faces(pass, &term->faces->group[g], term, g));
  }
  PetscCall(log_flops(pass, RHX_PASS_FACES));
  PetscCall(RhxEventEnd(&faces_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormResidual(RhxForm form, unsigned rows, double t, double dt, const PetscScalar *x,
                               const PetscScalar *xdot, const PetscScalar *aux, PetscScalar *r, RhxFormStats *stats)
{
  const RhxSpace sp = form->space;
  const RhxCells *cells = form->in->patch ? form->in->patch->residual : sp->cells;
  RhxPass pass = {.form = form,
                  .rows = rows,
                  .t = t,
                  .dt = dt,
                  .x = x,
                  .xdot = form->needs_rate ? xdot : NULL,
                  .aux = form->naux ? aux : NULL,
                  .out = r,
                  .stats = stats};
  PetscFunctionBegin;
  PetscCall(RhxFormKeepGeometry(form));
  PetscCall(RhxEventBegin(&residual_event));
  if (stats) PetscCall(PetscMemzero(stats, sizeof(*stats)));
  PetscCall(PetscArrayzero(r, (size_t)sp->nlocal * sp->bs));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->in->kernel->residual(&pass, &cells[k]));
  if (rows & RHX_ROWS_FLOW) PetscCall(add_faces(form, &pass));
  if (form->load && (rows & RHX_ROWS_SCALARS))
    for (size_t i = 0; i < (size_t)sp->nlocal * sp->bs; i++) r[i] -= form->load[i];
  PetscCall(reduce(form, sp->bs, r));
  PetscCall(log_flops(&pass, RHX_PASS_RESIDUAL));
  PetscCall(RhxEventEnd(&residual_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDivergence(RhxForm form, const PetscScalar *u, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  RhxPass pass = {.form = form, .x = u, .out = r};
  PetscFunctionBegin;
  PetscCall(RhxFormKeepGeometry(form));
  PetscCall(RhxEventBegin(&divergence_event));
  PetscCall(PetscArrayzero(r, sp->nlocal));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->in->kernel->divergence(&pass, &sp->cells[k]));
  PetscCall(reduce(form, 1, r));
  PetscCall(log_flops(&pass, RHX_PASS_DIVERGENCE));
  PetscCall(RhxEventEnd(&divergence_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormGradient(RhxForm form, const PetscScalar *phi, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  RhxPass pass = {.form = form, .x = phi, .out = r};
  PetscFunctionBegin;
  PetscCall(RhxFormKeepGeometry(form));
  PetscCall(RhxEventBegin(&gradient_event));
  PetscCall(PetscArrayzero(r, (size_t)sp->nlocal * sp->dim));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->in->kernel->gradient(&pass, &sp->cells[k]));
  PetscCall(reduce(form, sp->dim, r));
  PetscCall(log_flops(&pass, RHX_PASS_GRADIENT));
  PetscCall(RhxEventEnd(&gradient_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormStatsReduce(RhxForm form, RhxFormStats *stats)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, stats, sizeof(*stats) / sizeof(double), MPI_DOUBLE, MPI_MAX, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
