/* Parts of a device's matrix, its given rows and its scaling, on the device: PETSc (3.24) has them on the host, with all values there
 * and back.
 *
 * The matrix is one of node blocks with the layout of form/cuda/matrix.h, of one rank; of several, each of the two that PETSc has of a
 * rank's rows. */
#ifndef RHX_DEVICE_ROWS_H
#define RHX_DEVICE_ROWS_H
#include "form/cuda/matrix.h"

/* map, its `start` on the device: borrowed, as the device; nr, nc: components of a node's rows and columns. The program is compiled
 * with the first use. What takes values is collective over the ranks of the device: they agree on errors. */
PetscErrorCode RhxMatrixRowsCreate(RhxDevice device, const RhxMatrixMap *map, const void *start, PetscInt nr,
                                   PetscInt nc, RhxMatrixRows *rows);
PetscErrorCode RhxMatrixRowsDestroy(RhxMatrixRows *rows);

/* out: rows and columns of the given components, rising, of every node, laid out as the values are. Memory of the device. */
PetscErrorCode RhxMatrixRowsPart(RhxMatrixRows rows, PetscInt nrows, const PetscInt *row, PetscInt ncols,
                                 const PetscInt *col, const void *values, void *out);
/* Rows node * nr + component become zero but for `diagonal` at their own column; nr = nc. With 0 they need have none. */
PetscErrorCode RhxMatrixRowsHold(RhxMatrixRows rows, PetscInt n, const PetscInt *row, double diagonal, void *values);

PetscErrorCode RhxMatrixRowsGet(RhxMatrixRows rows, const RhxMatrixMap **map, PetscInt *nr,
                                PetscInt *nc); /* map: borrowed */
/* values += block[n][nr][nc] of each of the nodes, at its own row and column; node, block: of the host. */
PetscErrorCode RhxMatrixRowsAdd(RhxMatrixRows rows, PetscInt n, const PetscInt *node, const double *block,
                                void *values);
/* values = diag(left) values diag(right), of all rows and columns; either may be NULL: 1. */
PetscErrorCode RhxMatrixRowsScale(RhxMatrixRows rows, const void *left, const void *right, void *values);

/* Of a matrix of the same nodes with nr x nc components: the sums of magnitudes of its blocks, in the order of the map
 * [map->start[map->n]], and its diagonal blocks [map->n][nr][nc]. Arrays of the host; either may be NULL. */
PetscErrorCode RhxMatrixRowsBlocks(RhxMatrixRows rows, PetscInt nr, PetscInt nc, const void *values, double *size,
                                   double *diagonal);

#if defined(PETSC_HAVE_CUDA)
/* MatCreateSubMatrix of index sets of the same components of every node, MatZeroRows and MatDiagonalScale of A do so while `rows` is
 * there, and MatCreateGraph, MatGetDiagonal and MatInvertBlockDiagonal of the sub-matrices; other index sets by the host. A: AIJCUSPARSE of one rank. */
PetscErrorCode RhxMatrixRowsUse(RhxMatrixRows rows, Mat A);

/* The same on several ranks. A: MPIAIJCUSPARSE of whole node blocks whose pattern is set; all matrices of later use are laid out alike.
 * Collective. */
typedef struct _p_RhxMatrixRanks *RhxMatrixRanks;
PetscErrorCode RhxMatrixRanksCreate(RhxDevice device, Mat A, PetscInt nr, PetscInt nc, RhxMatrixRanks *ranks);
PetscErrorCode RhxMatrixRanksDestroy(RhxMatrixRanks *ranks);
PetscErrorCode RhxMatrixRanksUse(RhxMatrixRanks ranks, Mat A);
#endif
#endif
