/* Compressed rows of our own, and what makes new ones. */
#ifndef RHX_SOLVER_CSR_IMPL_H
#define RHX_SOLVER_CSR_IMPL_H
#include "solver/sell_impl.h"

typedef struct {
  PetscInt n, m, *row, *column;
  PetscScalar *value;
} RhxCsr;

PetscErrorCode RhxCsrCreate(PetscInt n, PetscInt m, PetscInt entries, RhxCsr *csr);
PetscErrorCode RhxCsrFree(RhxCsr *csr);
RhxRows RhxCsrRows(const RhxCsr *csr);
/* A seqaij matrix that borrows the arrays; the columns of a row are in order. */
PetscErrorCode RhxCsrToMat(const RhxCsr *csr, Mat *A);
PetscErrorCode RhxCsrTranspose(const RhxRows *a, RhxCsr *t);
/* C = A B, the columns of a row in order. */
PetscErrorCode RhxCsrMultiply(const RhxRows *a, const RhxRows *b, RhxCsr *c);
/* X - W A X in place of A X, which has the columns of X, without what is 0. */
PetscErrorCode RhxCsrSmooth(const RhxRows *x, const PetscScalar *w, RhxCsr *ax);
#endif
