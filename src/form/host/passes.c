/* Passes over the mesh: element loops, face terms, sums over ranks. */
#include "form/host/kernel.h"
#include "form/host/projection.h"
#include "petsc_compat.h"

static struct {
  PetscLogEvent residual, project, faces, divergence, gradient, reduce;
  PetscBool registered;
} events;

static PetscErrorCode register_events(void)
{
  PetscClassId id;
  PetscFunctionBegin;
  if (events.registered) PetscFunctionReturn(PETSC_SUCCESS);
  events.registered = PETSC_TRUE;
  PetscCall(PetscClassIdRegister("Rheoplex form", &id));
  PetscCall(PetscLogEventRegister("RhxResidual", id, &events.residual));
  PetscCall(PetscLogEventRegister("RhxProject", id, &events.project));
  PetscCall(PetscLogEventRegister("RhxFaces", id, &events.faces));
  PetscCall(PetscLogEventRegister("RhxDivergence", id, &events.divergence));
  PetscCall(PetscLogEventRegister("RhxGradient", id, &events.gradient));
  PetscCall(PetscLogEventRegister("RhxHalo", id, &events.reduce));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reduce(RhxForm form, PetscInt bs, PetscScalar *r)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.reduce, 0, 0, 0, 0));
  PetscCall(RhxSpaceReduce(form->space, bs, r));
  PetscCall(PetscLogEventEnd(events.reduce, 0, 0, 0, 0));
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
  const PetscInt naux = form->naux;
  RhxPass pass = {.form = form, .t = t, .dt = dt, .x = x, .out = aux};
  PetscFunctionBegin;
  if (!naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(register_events());
  PetscCall(PetscLogEventBegin(events.project, 0, 0, 0, 0));
  PetscCall(PetscArrayzero(aux, (size_t)sp->nlocal * naux));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->kernel->project(&pass, &sp->cells[k]));
  PetscCall(reduce(form, naux, aux));
  PetscCall(RhxProjectionSolve(form, aux));
  PetscCall(log_flops(&pass, RHX_PASS_PROJECT));
  PetscCall(PetscLogEventEnd(events.project, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_faces(RhxForm form, const RhxPass *pass)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.faces, 0, 0, 0, 0));
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    for (PetscInt g = 0; g < term->faces->ngroups; g++)
      PetscCall(form->kernel->faces(pass, &term->faces->group[g], term, g));
  }
  PetscCall(log_flops(pass, RHX_PASS_FACES));
  PetscCall(PetscLogEventEnd(events.faces, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormResidual(RhxForm form, unsigned rows, double t, double dt, const PetscScalar *x,
                               const PetscScalar *xdot, const PetscScalar *aux, PetscScalar *r, RhxFormStats *stats)
{
  const RhxSpace sp = form->space;
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
  PetscCall(register_events());
  PetscCall(PetscLogEventBegin(events.residual, 0, 0, 0, 0));
  if (stats) PetscCall(PetscMemzero(stats, sizeof(*stats)));
  PetscCall(PetscArrayzero(r, (size_t)sp->nlocal * sp->bs));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->kernel->residual(&pass, &sp->cells[k]));
  if (rows & RHX_ROWS_FLOW) PetscCall(add_faces(form, &pass));
  if (form->load && (rows & RHX_ROWS_SCALARS))
    for (size_t i = 0; i < (size_t)sp->nlocal * sp->bs; i++) r[i] -= form->load[i];
  PetscCall(reduce(form, sp->bs, r));
  PetscCall(log_flops(&pass, RHX_PASS_RESIDUAL));
  PetscCall(PetscLogEventEnd(events.residual, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDivergence(RhxForm form, const PetscScalar *u, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  RhxPass pass = {.form = form, .x = u, .out = r};
  PetscFunctionBegin;
  PetscCall(register_events());
  PetscCall(PetscLogEventBegin(events.divergence, 0, 0, 0, 0));
  PetscCall(PetscArrayzero(r, sp->nlocal));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->kernel->divergence(&pass, &sp->cells[k]));
  PetscCall(reduce(form, 1, r));
  PetscCall(log_flops(&pass, RHX_PASS_DIVERGENCE));
  PetscCall(PetscLogEventEnd(events.divergence, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormGradient(RhxForm form, const PetscScalar *phi, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  RhxPass pass = {.form = form, .x = phi, .out = r};
  PetscFunctionBegin;
  PetscCall(register_events());
  PetscCall(PetscLogEventBegin(events.gradient, 0, 0, 0, 0));
  PetscCall(PetscArrayzero(r, (size_t)sp->nlocal * sp->dim));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->kernel->gradient(&pass, &sp->cells[k]));
  PetscCall(reduce(form, sp->dim, r));
  PetscCall(log_flops(&pass, RHX_PASS_GRADIENT));
  PetscCall(PetscLogEventEnd(events.gradient, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormStatsReduce(RhxForm form, RhxFormStats *stats)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, stats, sizeof(*stats) / sizeof(double), MPI_DOUBLE, MPI_MAX, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
