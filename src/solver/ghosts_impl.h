/* Matrices that are spread over ranks: their parts, and the entries of other ranks that their rows multiply. */
#ifndef RHX_SOLVER_GHOSTS_IMPL_H
#define RHX_SOLVER_GHOSTS_IMPL_H
#include "exchange/exchange.h"
#include "solver/impl.h"

/* The parts of a matrix that is spread over ranks; all borrowed. other: NULL on one rank. */
typedef struct {
  Mat own, other;
  const PetscInt *column; /* of `other`, global */
} RhxMatrixParts;

PetscErrorCode RhxMatrixGetParts(Mat A, RhxMatrixParts *parts); /* seqaij or mpiaij */
/* Rows of both parts side by side; lanes chosen. wide: values in double precision. */
PetscErrorCode RhxMatrixPartsToSell(const RhxMatrixParts *parts, RhxSell *sell);
/* Between the own columns and those of `other`: leaves; host data. */
PetscErrorCode RhxMatrixCreateSF(Mat A, PetscSF *sf);

/* Entries of other ranks that A's rows on this rank multiply; in a vector they lie from `place` on. sf: RhxMatrixCreateSF. */
typedef struct {
  PetscInt n, place;
  PetscSF sf;           /* owned */
  RhxExchange exchange; /* owned; there once RhxGhostsSetUp has been called */
} RhxGhosts;

/* Collective, as all. place: behind the own columns, unless it is set before RhxGhostsSetUp. */
PetscErrorCode RhxGhostsCreate(Mat A, RhxGhosts *ghosts);
PetscErrorCode RhxGhostsSetUp(RhxGhosts *ghosts, RhxDevice device);
PetscErrorCode RhxGhostsFree(RhxGhosts *ghosts);
#endif
