/* Derivatives on the host, of the arrays of the operations. */
#include "boundary/film.h"
#include "boundary/oblique.h"
#include "form/host/inertia.h"
#include "form/host/tangent.h"
#include "petsc_compat.h"
#include "step/ops.h"

static PetscScalar *values_of(RhxArray a) { return a ? (PetscScalar *)a->at : NULL; }

static RhxTangentPoint point_of(const RhxOpsPoint *at)
{
  const RhxTangentPoint point = {.t = at->t,
                                 .dt = at->dt,
                                 .x = values_of(at->x),
                                 .aux = values_of(at->aux),
                                 .xdot = values_of(at->xdot),
                                 .shift = at->shift,
                                 .inexact = at->inexact,
                                 .follows = at->follows};
  return point;
}

static PetscErrorCode host_create(RhxOps ops, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(RhxFormCreateBlockMatrix(ops->form, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_fields(RhxOps ops, const RhxOpsPoint *at)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundarySetTime(ops->bc, at->t));
  PetscCall(RhxBoundaryProject(ops->bc, at->t, at->dt, values_of(at->x), values_of(at->aux)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_residual(RhxOps ops, const RhxOpsPoint *at, RhxArray r)
{
  PetscFunctionBegin;
  PetscCall(RhxFormResidual(ops->form, RHX_ROWS_ALL, at->t, at->dt, values_of(at->x), values_of(at->xdot),
                            values_of(at->aux), values_of(r), NULL));
  PetscCall(RhxBoundaryAddInflow(ops->bc, 0.0, ops->mass, values_of(at->x), values_of(r)));
  PetscCall(RhxBoundaryAddFilm(ops->bc, values_of(at->x), values_of(r)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A += block[width][width] of each of the nodes, which it frees; NULL: none on any rank. */
static PetscErrorCode add_blocks(IS nodes, PetscInt width, PetscScalar *block, Mat A)
{
  const PetscInt *node, size = width * width;
  PetscInt n;
  PetscFunctionBegin;
  if (!nodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(MatSetValuesBlockedLocal(A, 1, &node[i], 1, &node[i], block + (size_t)i * size, ADD_VALUES));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(block));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_matrix(RhxOps ops, const RhxOpsPoint *at, Mat A)
{
  const RhxTangentPoint point = point_of(at);
  PetscScalar *block;
  IS nodes;
  PetscFunctionBegin;
  PetscCall(RhxFormTangentMatrix(ops->form, &point, A));
  PetscCall(RhxTangentInflow(ops, at->x, &nodes, &block));
  PetscCall(add_blocks(nodes, at->x->width, block, A));
  PetscCall(RhxTangentFilm(ops, &nodes, &block));
  PetscCall(add_blocks(nodes, at->x->width, block, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_project(RhxOps ops, const RhxOpsPoint *at, RhxArray v, RhxArray a)
{
  const RhxTangentPoint point = point_of(at);
  PetscFunctionBegin;
  PetscCall(RhxFormTangentProject(ops->form, &point, values_of(v), values_of(a)));
  PetscCall(RhxBoundaryCorrectProjections(ops->bc, values_of(a)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_product(RhxOps ops, const RhxOpsPoint *at, RhxArray v, RhxArray a, RhxArray r)
{
  const RhxTangentPoint point = point_of(at);
  PetscFunctionBegin;
  PetscCall(RhxFormTangentProduct(ops->form, &point, values_of(v), values_of(a), values_of(r)));
  PetscCall(RhxBoundaryAddInflowProduct(ops->bc, values_of(at->x), values_of(v), values_of(r)));
  PetscCall(RhxBoundaryAddFilmProduct(ops->bc, values_of(v), values_of(r)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_auxiliary(RhxOps ops, const RhxOpsPoint *at, const RhxAuxiliaryPart *part, Mat *B, Mat *C)
{
  const RhxAuxiliaryPart of = part ? *part : RhxFormWholeAuxiliary(ops->form);
  const RhxTangentPoint point = point_of(at);
  PetscFunctionBegin;
  PetscCall(RhxFormCreateAuxiliaryMatrices(ops->form, &of, B, C));
  PetscCall(RhxFormTangentAuxiliary(ops->form, &point, &of, *B, *C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_inertia(RhxOps ops, RhxArray v, RhxArray r)
{
  PetscFunctionBegin;
  PetscCall(RhxFormAddInertia(ops->form, 1.0, values_of(v), values_of(r)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_inertia_matrix(RhxOps ops, Mat A)
{
  PetscFunctionBegin;
  PetscCall(RhxFormAddInertiaMatrix(ops->form, 1.0, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_turn(RhxOps ops, RhxOblique oblique, RhxArray x, RhxArray f)
{
  PetscFunctionBegin;
  (void)ops;
  RhxObliqueTurn(oblique, values_of(x), values_of(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxTangentTable RhxTangentHost = {.create = host_create,
                                        .fields = host_fields,
                                        .residual = host_residual,
                                        .matrix = host_matrix,
                                        .project = host_project,
                                        .product = host_product,
                                        .auxiliary = host_auxiliary,
                                        .inertia = host_inertia,
                                        .inertia_matrix = host_inertia_matrix,
                                        .turn = host_turn};
