#include "form/host/tangent.h"
#include "form/host/inertia.h"
#include "form/host/insert.h"
#include "form/host/kernel.h"
#include "form/host/projection.h"
#include "form/host/slope.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"
#include "plugin/event.h"
#include "plugin/registry.h"

static RhxEvent project_event = RHX_EVENT("RhxTanProject"), product_event = RHX_EVENT("RhxTanProduct"),
                matrix_event = RHX_EVENT("RhxTanMatrix");

static const RhxKernel *kernel_of(RhxSpace sp)
{
  return sp->dim == 3                     ? &rhx_tangent_d3t6
         : sp->dim == 2 && sp->ntens == 6 ? &rhx_tangent_d2a6
         : sp->axisymmetric               ? &rhx_tangent_d2a4
         : sp->ntens == 4                 ? &rhx_tangent_d2t4
                                          : &rhx_tangent_d2t3;
}

static PetscBool has_duals(const RhxPlugin *p, int size) { return (PetscBool)(!p || p->dual[size]); }

const RhxKernel *RhxFormProductLoops(RhxForm form)
{
  const RhxSpace sp = form->space;
  const int size = RhxVariantIndex((int)sp->dim, (int)sp->ntens, 0) / 3;
  PetscBool all = has_duals(form->viscous, size);
  for (PetscInt m = 0; m < form->nmodes; m++) all = (PetscBool)(all && has_duals(form->mode[m].law, size));
  for (PetscInt k = 0; k < form->nstabilisers; k++)
    all = (PetscBool)(all && has_duals(form->stabiliser[k].plugin, size));
  for (PetscInt k = 0; k < form->nowners; k++) all = (PetscBool)(all && has_duals(form->owner[k].plugin, size));
  if (!all) return kernel_of(sp);
  return sp->dim == 3                     ? &rhx_product_d3t6
         : sp->dim == 2 && sp->ntens == 6 ? &rhx_product_d2a6
         : sp->axisymmetric               ? &rhx_product_d2a4
         : sp->ntens == 4                 ? &rhx_product_d2t4
                                          : &rhx_product_d2t3;
}

static RhxPass pass_of(RhxForm form, const RhxTangentPoint *at)
{
  const RhxPass pass = {.form = form,
                        .rows = RHX_ROWS_ALL,
                        .t = at->t,
                        .dt = at->dt,
                        .x = at->x,
                        .xdot = form->needs_rate ? at->xdot : NULL,
                        .aux = form->naux ? at->aux : NULL,
                        .shift = at->shift,
                        .follows = at->follows};
  return pass;
}

PetscErrorCode RhxFormTangentProject(RhxForm form, const RhxTangentPoint *at, const PetscScalar *v, PetscScalar *a)
{
  const RhxSpace sp = form->space;
  RhxPass pass = pass_of(form, at);
  PetscFunctionBegin;
  if (!form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxEventBegin(&project_event));
  PetscCall(PetscArrayzero(a, (size_t)sp->nlocal * form->naux));
  pass.aux = pass.xdot = NULL;
  pass.along_x = v;
  pass.out = a;
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->in->product->project(&pass, &sp->cells[k]));
  PetscCall(RhxSpaceReduce(sp, form->naux, a));
  PetscCall(RhxProjectionSolve(form, at->inexact, a));
  PetscCall(RhxEventEnd(&project_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTangentProduct(RhxForm form, const RhxTangentPoint *at, const PetscScalar *v,
                                     const PetscScalar *a, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  RhxPass pass = pass_of(form, at);
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&product_event));
  PetscCall(PetscArrayzero(r, (size_t)sp->nlocal * sp->bs));
  pass.along_x = v;
  pass.along_aux = a;
  pass.out = r;
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(form->in->product->residual(&pass, &sp->cells[k]));
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    for (PetscInt g = 0; g < term->faces->ngroups; g++)
      PetscCall(form->in->product->faces(&pass, &term->faces->group[g], term, g));
  }
  RhxSlopesAddProduct(form, v, r);
  PetscCall(RhxSpaceReduce(sp, sp->bs, r));
  if (at->shift != 0.0) PetscCall(RhxFormAddInertia(form, at->shift, v, r));
  PetscCall(RhxEventEnd(&product_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of matrices: simplices with one point by complex numbers. */
static const RhxKernel *matrix_loops(RhxForm form)
{
  return form->centroid ? kernel_of(form->space) : form->in->product;
}

/* Room for the matrices of a lane group with `rows` rows and `columns` columns a node, and for what a point gives to them. */
static PetscErrorCode create_room(RhxSpace sp, PetscInt rows, PetscInt columns, PetscScalar **room)
{
  const size_t nn = sp->dim == 3 ? 8 : 4, n = 1 + (size_t)sp->dim;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(RHX_LANES * (nn * nn + nn * nn + n * n + n) * rows * columns, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTangentMatrix(RhxForm form, const RhxTangentPoint *at, Mat A)
{
  const RhxSpace sp = form->space;
  const RhxKernel *loops = matrix_loops(form);
  RhxPass pass = pass_of(form, at);
  RhxInsert in;
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&matrix_event));
  PetscCall(create_room(sp, sp->bs, sp->bs, &pass.out));
  PetscCall(RhxInsertBegin(sp, A, &in));
  pass.matrix = &in;
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(loops->cell_matrices(&pass, &sp->cells[k]));
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    for (PetscInt g = 0; g < term->faces->ngroups; g++)
      PetscCall(loops->face_matrices(&pass, &term->faces->group[g], term));
  }
  PetscCall(RhxSlopesAddMatrix(form, &in));
  PetscCall(PetscFree(pass.out));
  PetscCall(RhxInsertEnd(&in));
  if (at->shift != 0.0) PetscCall(RhxFormAddInertiaMatrix(form, at->shift, A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(RhxEventEnd(&matrix_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxAuxiliaryPart RhxFormWholeAuxiliary(RhxForm form) { return (RhxAuxiliaryPart){0, form->space->bs, 0, form->naux}; }

PetscErrorCode RhxFormTangentAuxiliary(RhxForm form, const RhxTangentPoint *at, const RhxAuxiliaryPart *part, Mat B,
                                       Mat C)
{
  const RhxSpace sp = form->space;
  const RhxKernel *loops = matrix_loops(form);
  RhxPass pass = pass_of(form, at);
  RhxInsert in;
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&matrix_event));
  PetscCall(create_room(sp, part->nstate, part->naux, &pass.out));
  pass.part = *part;
  PetscCall(RhxInsertBegin(sp, B, &in));
  pass.matrix = &in;
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(loops->auxiliary_matrices(&pass, &sp->cells[k]));
  for (PetscInt k = 0; k < form->nface_terms; k++)
    for (PetscInt g = 0; g < form->face_term[k].faces->ngroups; g++)
      PetscCall(loops->face_auxiliary_matrices(&pass, &form->face_term[k].faces->group[g], &form->face_term[k]));
  PetscCall(RhxInsertEnd(&in));
  PetscCall(RhxInsertBegin(sp, C, &in));
  pass.aux = pass.xdot = NULL;
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(loops->projection_matrices(&pass, &sp->cells[k]));
  PetscCall(PetscFree(pass.out));
  PetscCall(RhxInsertEnd(&in));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatAssemblyBegin(k ? C : B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(k ? C : B, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(RhxEventEnd(&matrix_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}
