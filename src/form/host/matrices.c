/* Scalar matrices of the space, assembled once, one element at a time. */
#include "form/form.h"
#include "form/host/ghost_rows.h"
#include "form/host/tangent.h"
#include "kernels/geometry.h"
#include "petsc_compat.h"
#include "space/face.h"
#include "space/graph.h"

#define MAX_NODES 8

/* Jacobian and gradients of one element at one quadrature point. */
typedef struct {
  double w, dN[MAX_NODES][3];
} ElementPoint;

/* Element e of a type: nodes and what a quadrature point gives. */
static void element_point(const RhxCells *ce, PetscInt dim, PetscInt e, PetscInt q, ElementPoint *ep)
{
  const PetscInt group = e / RHX_LANES, lane = e % RHX_LANES, nn = ce->nn;
  const PetscReal *dNr = ce->dN + (size_t)q * nn * dim;
  double J[3][3] = {{0}}, Ji[3][3];
  for (PetscInt a = 0; a < nn; a++)
    for (PetscInt i = 0; i < dim; i++)
      for (PetscInt j = 0; j < dim; j++)
        J[i][j] += ce->x[(((size_t)group * nn + a) * dim + i) * RHX_LANES + lane] * dNr[a * dim + j];
  ep->w = rhx_invert(dim, J, Ji) * ce->w[q] * RhxCellsSwept(ce, e, q);
  for (PetscInt a = 0; a < nn; a++) rhx_to_space(dim, Ji, dNr + a * dim, ep->dN[a]);
}

static void element_nodes(const RhxCells *ce, PetscInt e, PetscInt node[MAX_NODES])
{
  for (PetscInt a = 0; a < ce->nn; a++)
    node[a] = ce->conn[((size_t)(e / RHX_LANES) * ce->nn + a) * RHX_LANES + e % RHX_LANES];
}

/* Lower half of the element's matrix: k[a][b], b <= a. The gradients of a simplex are the same at all its points. */
static void element_laplacian(const RhxCells *ce, PetscInt dim, PetscInt e, double k[MAX_NODES][MAX_NODES])
{
  const PetscInt nq = ce->nn == dim + 1 && !ce->axisymmetric ? 1 : ce->nq;

  for (PetscInt a = 0; a < ce->nn; a++)
    for (PetscInt b = 0; b <= a; b++) k[a][b] = 0;
  for (PetscInt q = 0; q < nq; q++) {
    ElementPoint ep;
    element_point(ce, dim, e, q, &ep);
    if (nq < ce->nq) ep.w *= ce->nq;
    for (PetscInt a = 0; a < ce->nn; a++)
      for (PetscInt b = 0; b <= a; b++)
        for (PetscInt i = 0; i < dim; i++) k[a][b] += ep.w * ep.dN[a][i] * ep.dN[b][i];
  }
}

static void element_mass(const RhxCells *ce, PetscInt dim, PetscInt e, double m[MAX_NODES][MAX_NODES])
{
  for (PetscInt a = 0; a < ce->nn; a++)
    for (PetscInt b = 0; b <= a; b++) m[a][b] = 0;
  for (PetscInt q = 0; q < ce->nq; q++) {
    const PetscReal *N = ce->N + q * ce->nn;
    ElementPoint ep;
    element_point(ce, dim, e, q, &ep);
    for (PetscInt a = 0; a < ce->nn; a++)
      for (PetscInt b = 0; b <= a; b++) m[a][b] += ep.w * N[a] * N[b];
  }
}

typedef void (*ElementMatrix)(const RhxCells *, PetscInt, PetscInt, double[MAX_NODES][MAX_NODES]);

/* This rank's contributions to the entries on and below the diagonal. */
static void sum_lower(RhxSpace sp, const RhxCells *ce, ElementMatrix matrix, const RhxNodeGraph *graph,
                      PetscScalar *value)
{
  for (PetscInt e = 0; e < ce->n; e++) {
    double k[MAX_NODES][MAX_NODES];
    PetscInt node[MAX_NODES];

    element_nodes(ce, e, node);
    matrix(ce, sp->dim, e, k);
    for (PetscInt a = 0; a < ce->nn; a++)
      for (PetscInt b = 0; b <= a; b++) {
        const PetscInt row = PetscMax(node[a], node[b]), col = PetscMin(node[a], node[b]);
        PetscInt at = graph->start[row];

        while (graph->node[at] != col) at++;
        value[at] += k[a][b];
      }
  }
}

/* Entries above the diagonal from those below: in rising rows they come in rising order. */
static PetscErrorCode mirror(const RhxNodeGraph *graph, PetscScalar *value)
{
  PetscInt *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(graph->n, &next));
  for (PetscInt i = 0; i < graph->n; i++) {
    PetscInt k = graph->start[i];

    for (; graph->node[k] < i; k++) value[next[graph->node[k]]++] = value[k];
    next[i] = k + 1;
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sum over this rank's elements, rows of all its nodes. */
static PetscErrorCode symmetric_matrix(RhxSpace sp, ElementMatrix matrix, RhxNodeGraph *graph, PetscScalar **value)
{
  PetscFunctionBegin;
  PetscCall(RhxSpaceNodeGraph(sp, sp->nlocal, graph));
  PetscCall(PetscCalloc1(graph->start[graph->n], value));
  for (PetscInt t = 0; t < sp->ntypes; t++) sum_lower(sp, &sp->cells[t], matrix, graph, *value);
  PetscCall(mirror(graph, *value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of blocks that are not square, which PETSc's call for blocks takes for square ones. */
static PetscErrorCode preallocate_rows(PetscInt n, PetscInt bs, PetscInt cbs, const PetscInt *inside,
                                       const PetscInt *outside, Mat K)
{
  PetscInt *near, *far;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * bs, &near, n * bs, &far));
  for (PetscInt k = 0; k < n * bs; k++) {
    near[k] = cbs * inside[k / bs];
    far[k] = cbs * outside[k / bs];
  }
  PetscCall(MatSeqAIJSetPreallocation(K, 0, near));
  PetscCall(MatMPIAIJSetPreallocation(K, 0, near, 0, far));
  PetscCall(PetscFree2(near, far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for this rank's rows of blocks bs x cbs; what other ranks add to a row counts in full. */
static PetscErrorCode preallocate(RhxSpace sp, const RhxNodeGraph *graph, PetscInt bs, PetscInt cbs, Mat K)
{
  PetscInt *inside, *outside;
  PetscScalar *sent;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sp->nlocal, &sent));
  PetscCall(PetscCalloc2(sp->nowned, &inside, sp->nowned, &outside));
  for (PetscInt i = sp->nowned; i < sp->nlocal; i++) sent[i] = graph->start[i + 1] - graph->start[i];
  PetscCall(RhxSpaceReduce(sp, 1, sent));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    for (PetscInt k = graph->start[i]; k < graph->start[i + 1]; k++)
      graph->node[k] < sp->nowned ? inside[i]++ : outside[i]++;
    inside[i] = PetscMin(sp->nowned, inside[i] + (PetscInt)sent[i]);
    outside[i] = PetscMin(sp->nglobal - sp->nowned, outside[i] + (PetscInt)sent[i]);
  }
  if (bs == cbs)
    PetscCall(MatXAIJSetPreallocation(K, bs, inside, outside, NULL, NULL));
  else
    PetscCall(preallocate_rows(sp->nowned, bs, cbs, inside, outside, K));
  PetscCall(PetscFree2(inside, outside));
  PetscCall(PetscFree(sent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of bs rows and cbs columns. */
static PetscErrorCode create(RhxSpace sp, PetscInt bs, PetscInt cbs, const RhxNodeGraph *graph, Mat *K)
{
  ISLocalToGlobalMapping rows, columns;
  PetscFunctionBegin;
  PetscCall(MatCreate(sp->comm, K));
  PetscCall(MatSetSizes(*K, sp->nowned * bs, sp->nowned * cbs, sp->nglobal * bs, sp->nglobal * cbs));
  PetscCall(MatSetBlockSizes(*K, bs, cbs));
  PetscCall(MatSetType(*K, MATAIJ));
  PetscCall(RhxSpaceBlockMapping(sp, bs, &rows));
  PetscCall(RhxSpaceBlockMapping(sp, cbs, &columns));
  PetscCall(MatSetLocalToGlobalMapping(*K, rows, columns));
  PetscCall(ISLocalToGlobalMappingDestroy(&rows));
  PetscCall(ISLocalToGlobalMappingDestroy(&columns));
  PetscCall(preallocate(sp, graph, bs, cbs, *K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCreateBlockMatrix(RhxForm form, Mat *A)
{
  RhxNodeGraph graph;
  PetscFunctionBegin;
  PetscCall(RhxSpaceNodeGraph(form->space, form->space->nlocal, &graph));
  PetscCall(create(form->space, form->space->bs, form->space->bs, &graph, A));
  PetscCall(MatSetOption(*A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(RhxNodeGraphDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCreateAuxiliaryMatrices(RhxForm form, const RhxAuxiliaryPart *part, Mat *B, Mat *C)
{
  RhxNodeGraph graph;
  PetscFunctionBegin;
  PetscCall(RhxSpaceNodeGraph(form->space, form->space->nlocal, &graph));
  PetscCall(create(form->space, part->nstate, part->naux, &graph, B));
  PetscCall(create(form->space, part->naux, part->nstate, &graph, C));
  PetscCall(RhxNodeGraphDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RhxSpace sp, const RhxNodeGraph *graph, const PetscScalar *value, Mat K)
{
  RhxGhostRows ghosts;
  PetscFunctionBegin;
  PetscCall(RhxGhostRowsCreate(sp, 1, 1, &ghosts));
  for (PetscInt i = 0; i < graph->n; i++) {
    const PetscInt k = graph->start[i], n = graph->start[i + 1] - k;
    if (i < sp->nowned)
      PetscCall(MatSetValuesLocal(K, 1, &i, n, graph->node + k, value + k, ADD_VALUES));
    else
      PetscCall(RhxGhostRowsAdd(ghosts, i, n, graph->node + k, value + k));
  }
  PetscCall(RhxGhostRowsEnd(&ghosts, K));
  PetscCall(MatAssemblyBegin(K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(K, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCreateLaplacian(RhxForm form, Mat *K)
{
  RhxSpace sp = form->space;
  RhxNodeGraph graph;
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(symmetric_matrix(sp, element_laplacian, &graph, &value));
  PetscCall(create(sp, 1, 1, &graph, K));
  PetscCall(fill(sp, &graph, value, *K));
  PetscCall(PetscFree(value));
  PetscCall(RhxNodeGraphDestroy(&graph));
  PetscCall(MatSetOption(*K, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormNeedMass(RhxForm form)
{
  PetscFunctionBegin;
  if (form->consistent.graph.start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(symmetric_matrix(form->space, element_mass, &form->consistent.graph, &form->consistent.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDiagonalMass(RhxForm form, PetscReal *mass)
{
  RhxSpace sp = form->space;
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mass, sp->nlocal));
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    for (PetscInt e = 0; e < ce->n; e++) {
      double m[MAX_NODES] = {0}, volume = 0.0, sum = 0.0;
      PetscInt node[MAX_NODES];
      element_nodes(ce, e, node);
      for (PetscInt q = 0; q < ce->nq; q++) {
        ElementPoint ep;
        element_point(ce, sp->dim, e, q, &ep);
        volume += ep.w;
        for (PetscInt a = 0; a < ce->nn; a++) m[a] += ep.w * PetscSqr(ce->N[q * ce->nn + a]);
      }
      for (PetscInt a = 0; a < ce->nn; a++) sum += m[a];
      for (PetscInt a = 0; a < ce->nn; a++) mass[node[a]] += m[a] * volume / sum;
    }
  }
  PetscCall(RhxSpaceReduce(sp, 1, mass));
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, mass, mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}
