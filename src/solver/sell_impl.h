/* Sparse matrices as the solver's kernels read them. A warp of 32 lanes holds a slice of 32 / lanes rows; `lanes` lanes share
 * a row. In step k of slice s lane l reads entry 32 (first[s] + k) + l, so that the lanes read neighbours; rows are padded
 * with zeros to the longest of their slice. */
#ifndef RHX_SOLVER_SELL_IMPL_H
#define RHX_SOLVER_SELL_IMPL_H
#include "petsc_compat.h"
#include <petscmat.h>

#define RHX_WARP 32

typedef struct {
  PetscInt n, m; /* rows, columns */
  PetscInt lanes, nslices;
  PetscInt *first;  /* [nslices + 1] steps before a slice */
  PetscInt *column; /* [32 first[nslices]] */
  double *wide;     /* the values, in one of the two */
  float *narrow;
  double nonzeros; /* without padding */
  size_t entries;  /* with it */
  size_t bytes_of_value;
} RhxSell;

/* Rows of one or two matrices side by side; the columns of the second follow those of the first. Borrowed arrays. */
typedef struct {
  PetscInt n, m;
  const PetscInt *row, *column;
  const PetscScalar *value;
} RhxRows;

/* Rows of a seqaij matrix, until Restore. */
PetscErrorCode RhxRowsGet(Mat A, RhxRows *rows);
PetscErrorCode RhxRowsRestore(Mat A, RhxRows *rows);

/* How many lanes a row gets: enough threads to fill a device, few enough to keep them busy. */
PetscInt RhxSellLanes(PetscInt n, double nonzeros);
/* second: NULL for none. lanes: 0 to choose. single: values as float. */
PetscErrorCode RhxSellCreate(const RhxRows *first, const RhxRows *second, PetscInt lanes, PetscBool single,
                             RhxSell *sell);
PetscErrorCode RhxSellFree(RhxSell *sell);
PetscErrorCode RhxSellDrop(RhxSell *sell); /* frees the arrays only */
double RhxSellBytes(const RhxSell *sell);
double RhxSellPadding(const RhxSell *sell); /* entries that pad, over those that do not */
/* y = A x in the order of the kernels, values as stored. */
void RhxSellMultiply(const RhxSell *sell, const float *x, float *y);
void RhxSellMultiplyWide(const RhxSell *sell, const double *x, double *y);
#endif
