#include "form/host/momentum.h"
#include "form/host/kernel.h"
#include "form/implicit_impl.h"
#include "form/inside_impl.h"
#include "kernels/pass.h"
#include "petsc_compat.h"
#include "plugin/event.h"

static RhxEvent matrix_event = RHX_EVENT("RhxMomMatrix");

struct _p_RhxMomentumMatrix {
  RhxForm form; /* borrowed */
  Mat A;
  PetscInt **at;      /* [ntypes][ngroups][nn][nn][RHX_LANES] where an element's entries are in value */
  PetscScalar *value; /* of this rank's elements, in the order of the graph of form->consistent */
  PetscScalar *hoop;  /* [nlocal], or NULL */
  double viscous;     /* factor of the viscosity in A */
};

/* Places of the entries of a type's elements; those of padding are any. */
static PetscErrorCode list_places(const RhxCells *ce, const RhxNodeGraph *graph, PetscInt **at)
{
  const PetscInt nn = ce->nn;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)ce->ngroups * nn * nn * RHX_LANES, at));
  for (PetscInt g = 0; g < ce->ngroups; g++) {
    const PetscInt *conn = ce->conn + (size_t)g * nn * RHX_LANES;
    PetscInt *to = *at + (size_t)g * nn * nn * RHX_LANES;
    for (PetscInt a = 0; a < nn; a++)
      for (PetscInt b = 0; b < nn; b++)
        for (PetscInt l = 0; l < RHX_LANES; l++)
          *to++ = RhxNodeGraphFind(graph, conn[a * RHX_LANES + l], conn[b * RHX_LANES + l]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of the graph, whose values are then given in its order; ranks add up. */
static PetscErrorCode make_pattern(RhxSpace sp, const RhxNodeGraph *graph, Mat A)
{
  const PetscInt n = graph->start[graph->n];
  PetscInt *row, *col;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &row, n, &col));
  for (PetscInt i = 0; i < graph->n; i++)
    for (PetscInt k = graph->start[i]; k < graph->start[i + 1]; k++) row[k] = i;
  PetscCall(PetscArraycpy(col, graph->node, n));
  PetscCall(MatSetSizes(A, sp->nowned, sp->nowned, sp->nglobal, sp->nglobal));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(MatSetLocalToGlobalMapping(A, sp->l2g, sp->l2g));
  PetscCall(MatSetPreallocationCOOLocal(A, n, row, col));
  PetscCall(PetscFree2(row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumMatrixCreate(RhxForm form, RhxMomentumMatrix *matrix)
{
  const RhxSpace sp = form->space;
  RhxMomentumMatrix m;
  const RhxNodeGraph *graph = &form->consistent.graph;
  PetscFunctionBegin;
  PetscCall(PetscNew(matrix));
  m = *matrix;
  m->form = form;
  m->viscous = RhxFormImplicitViscosity(form);
  PetscCall(RhxFormNeedMass(form));
  PetscCall(PetscMalloc1(graph->start[graph->n], &m->value));
  if (sp->axisymmetric) PetscCall(PetscMalloc1(sp->nlocal, &m->hoop));
  PetscCall(PetscCalloc1(sp->ntypes, &m->at));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(list_places(&sp->cells[k], graph, &m->at[k]));
  PetscCall(MatCreate(sp->comm, &m->A));
  PetscCall(make_pattern(sp, graph, m->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumMatrixDestroy(RhxMomentumMatrix *matrix)
{
  RhxMomentumMatrix m = *matrix;
  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < m->form->space->ntypes; k++) PetscCall(PetscFree(m->at[k]));
  PetscCall(PetscFree(m->at));
  PetscCall(PetscFree(m->value));
  PetscCall(PetscFree(m->hoop));
  PetscCall(MatDestroy(&m->A));
  PetscCall(PetscFree(*matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mass M, what the loop adds for its elements, and the diagonal inward[nowned], or NULL. */
static PetscErrorCode assemble(RhxMomentumMatrix m, RhxPass pass, RhxPassKind kind, double mass,
                               const PetscScalar *inward)
{
  const RhxForm form = m->form;
  const RhxSpace sp = form->space;
  PetscErrorCode (*const loop)(const RhxPass *, const RhxCells *) =
      kind == RHX_PASS_MOMENTUM ? form->in->kernel->momentum : form->in->kernel->transport;
  double flops;
  PetscFunctionBegin;
  PetscCall(RhxFormKeepGeometry(form));
  PetscCall(RhxEventBegin(&matrix_event));
  for (PetscInt k = 0; k < form->consistent.graph.start[form->consistent.graph.n]; k++)
    m->value[k] = mass * form->consistent.value[k];
  if (pass.hoop) PetscCall(PetscArrayzero(pass.hoop, sp->nlocal));
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    pass.at = m->at[k];
    PetscCall(loop(&pass, &sp->cells[k]));
  }
  for (PetscInt i = 0; inward && i < sp->nowned; i++)
    if (inward[i] != 0.0) m->value[RhxNodeGraphFind(&form->consistent.graph, i, i)] += inward[i];
  if (pass.hoop) PetscCall(RhxHaloReduceBegin(sp->halo, MPIU_SCALAR, 1, MPIU_SUM, pass.hoop));
  PetscCall(MatSetValuesCOO(m->A, m->value, INSERT_VALUES));
  if (pass.hoop) PetscCall(RhxHaloReduceEnd(sp->halo, MPIU_SCALAR, 1, MPIU_SUM, pass.hoop));
  PetscCall(RhxFormPassFlops(&pass, kind, &flops));
  PetscCall(PetscLogFlops(flops));
  PetscCall(RhxEventEnd(&matrix_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumMatrixAssemble(RhxMomentumMatrix m, double t, double dt, double mass, const PetscScalar *x,
                                         const PetscScalar *aux)
{
  const RhxPass pass = {.form = m->form,
                        .rows = RHX_ROWS_FLOW,
                        .t = t,
                        .dt = dt,
                        .x = x,
                        .aux = m->form->naux ? aux : NULL,
                        .out = m->value,
                        .viscous = m->viscous,
                        .hoop = m->hoop};
  PetscFunctionBegin;
  PetscCall(assemble(m, pass, RHX_PASS_MOMENTUM, mass, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumMatrixAssembleMode(RhxMomentumMatrix m, PetscInt mode, double t, double dt, double mass,
                                             const PetscScalar *x, const PetscScalar *aux, const PetscScalar *inward)
{
  const RhxPass pass = {.form = m->form,
                        .rows = RHX_ROWS_MODES,
                        .t = t,
                        .dt = dt,
                        .x = x,
                        .aux = m->form->naux ? aux : NULL,
                        .out = m->value,
                        .mode = mode};
  PetscFunctionBegin;
  PetscCall(assemble(m, pass, RHX_PASS_TRANSPORT, mass, inward));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumMatrixGet(RhxMomentumMatrix m, Mat *A, const PetscScalar **hoop)
{
  PetscFunctionBegin;
  *A = m->A;
  *hoop = m->hoop;
  PetscFunctionReturn(PETSC_SUCCESS);
}
