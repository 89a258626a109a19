/* Scalar matrices of the space, assembled once, one element at a time. */
#include "form/form.h"
#include "petsc_compat.h"

#define MAX_NODES 8

/* Jacobian and gradients of one element at one quadrature point. */
typedef struct {
  double w, dN[MAX_NODES][3];
} ElementPoint;

static double invert(PetscInt dim, double J[3][3], double Ji[3][3])
{
  double det;
  if (dim == 2) {
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    Ji[0][0] = J[1][1] / det;
    Ji[0][1] = -J[0][1] / det;
    Ji[1][0] = -J[1][0] / det;
    Ji[1][1] = J[0][0] / det;
    return det;
  }
  det = 0.0;
  for (int i = 0; i < 3; i++)
    det += J[0][i] * (J[1][(i + 1) % 3] * J[2][(i + 2) % 3] - J[1][(i + 2) % 3] * J[2][(i + 1) % 3]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Ji[j][i] = (J[(i + 1) % 3][(j + 1) % 3] * J[(i + 2) % 3][(j + 2) % 3] -
                  J[(i + 1) % 3][(j + 2) % 3] * J[(i + 2) % 3][(j + 1) % 3]) /
                 det;
  return det;
}

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
  ep->w = invert(dim, J, Ji) * ce->w[q];
  for (PetscInt a = 0; a < nn; a++)
    for (PetscInt i = 0; i < dim; i++) {
      ep->dN[a][i] = 0.0;
      for (PetscInt k = 0; k < dim; k++) ep->dN[a][i] += dNr[a * dim + k] * Ji[k][i];
    }
}

static void element_nodes(const RhxCells *ce, PetscInt e, PetscInt node[MAX_NODES])
{
  for (PetscInt a = 0; a < ce->nn; a++)
    node[a] = ce->conn[((size_t)(e / RHX_LANES) * ce->nn + a) * RHX_LANES + e % RHX_LANES];
}

static PetscErrorCode add_laplacian(RhxSpace sp, const RhxCells *ce, Mat K)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < ce->n; e++) {
    PetscScalar k[MAX_NODES * MAX_NODES] = {0};
    PetscInt node[MAX_NODES];
    element_nodes(ce, e, node);
    for (PetscInt q = 0; q < ce->nq; q++) {
      ElementPoint ep;
      element_point(ce, sp->dim, e, q, &ep);
      for (PetscInt a = 0; a < ce->nn; a++)
        for (PetscInt b = 0; b < ce->nn; b++)
          for (PetscInt i = 0; i < sp->dim; i++) k[a * ce->nn + b] += ep.w * ep.dN[a][i] * ep.dN[b][i];
    }
    PetscCall(MatSetValuesLocal(K, ce->nn, node, ce->nn, node, k, ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode preallocate(RhxSpace sp, Mat K)
{
  Mat preallocator;
  PetscFunctionBegin;
  PetscCall(MatCreate(sp->comm, &preallocator));
  PetscCall(MatSetSizes(preallocator, sp->nowned, sp->nowned, sp->nglobal, sp->nglobal));
  PetscCall(MatSetType(preallocator, MATPREALLOCATOR));
  PetscCall(MatSetLocalToGlobalMapping(preallocator, sp->l2g, sp->l2g));
  PetscCall(MatSetUp(preallocator));
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    const PetscScalar zero[MAX_NODES * MAX_NODES] = {0};
    for (PetscInt e = 0; e < ce->n; e++) {
      PetscInt node[MAX_NODES];
      element_nodes(ce, e, node);
      PetscCall(MatSetValuesLocal(preallocator, ce->nn, node, ce->nn, node, zero, ADD_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(preallocator, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(preallocator, MAT_FINAL_ASSEMBLY));
  PetscCall(MatPreallocatorPreallocate(preallocator, PETSC_TRUE, K));
  PetscCall(MatDestroy(&preallocator));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCreateLaplacian(RhxForm form, Mat *K)
{
  RhxSpace sp = form->space;
  PetscFunctionBegin;
  PetscCall(MatCreate(sp->comm, K));
  PetscCall(MatSetSizes(*K, sp->nowned, sp->nowned, sp->nglobal, sp->nglobal));
  PetscCall(MatSetType(*K, MATAIJ));
  PetscCall(MatSetLocalToGlobalMapping(*K, sp->l2g, sp->l2g));
  PetscCall(preallocate(sp, *K));
  for (PetscInt t = 0; t < sp->ntypes; t++) PetscCall(add_laplacian(sp, &sp->cells[t], *K));
  PetscCall(MatAssemblyBegin(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*K, MAT_SYMMETRIC, PETSC_TRUE));
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
