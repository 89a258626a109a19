/* What the files of a device's rows share: PETSc's operations on matrices that RhxMatrixRows does in their place. */
#ifndef RHX_DEVICE_ROWS_IMPL_H
#define RHX_DEVICE_ROWS_IMPL_H
#include "form/cuda/rows.h"
#if defined(PETSC_HAVE_CUDA)

typedef PetscErrorCode (*RhxCreateGraph)(Mat, PetscBool, PetscBool, PetscReal, PetscInt, PetscInt[], Mat *);
typedef PetscErrorCode (*RhxGetDiagonal)(Mat, Vec);
typedef PetscErrorCode (*RhxInvertBlocks)(Mat, const PetscScalar **);
typedef PetscErrorCode (*RhxCreateSubMatrix)(Mat, IS, IS, MatReuse, Mat *);

/* What a part keeps: PETSc's operations and, after this in the same allocation, what they give on the host. */
typedef struct {
  RhxMatrixRows rows;
  PetscInt nrows, ncols;
  RhxCreateGraph create_graph;
  RhxGetDiagonal get_diagonal;
  RhxInvertBlocks invert;
  PetscScalar *inverse; /* [nodes][nrows][nrows]; NULL: the part has no diagonal */
} RhxMatrixPart;

/* What a matrix keeps for the operations, borrowed unless it is `owned`, memory of PetscMalloc that goes with the matrix then. */
PetscErrorCode RhxMatrixKeep(Mat A, void *what, PetscBool owned);
PetscErrorCode RhxMatrixKept(Mat A, void *what); /* void ** */

/* Sequential parts of nrows x ncols components of every node. Of one rank, values not set: */
PetscErrorCode RhxMatrixPartCreate(RhxMatrixRows m, PetscInt nrows, PetscInt ncols, Mat *B);
/* B, of the rows and columns of m, has the pattern already; square: it has diagonal blocks. */
PetscErrorCode RhxMatrixPartUse(RhxMatrixRows m, PetscInt nrows, PetscInt ncols, PetscBool square, Mat B);
PetscErrorCode RhxMatrixPartFill(RhxMatrixRows m, PetscInt nrows, const PetscInt *row, PetscInt ncols,
                                 const PetscInt *col, Mat A, Mat B);
/* Sums of magnitudes of a part's blocks, in the order of the map; the caller frees them. */
PetscErrorCode RhxMatrixPartSizes(Mat B, double **size);

/* *n: components of every node that an index set has, bs of a node, in the order of the nodes, of which the first is `first`; 0: it is
 * another one. component[bs]. */
PetscErrorCode RhxMatrixComponents(IS is, PetscInt first, PetscInt nodes, PetscInt bs, PetscInt *n,
                                   PetscInt *component);
#endif
#endif
