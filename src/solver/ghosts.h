/* Entries of other ranks that a matrix's rows on this rank multiply. On the device they follow the own entries of a vector;
 * kernels pack what others need into host memory that the device reaches, PetscSF sends it. Private to solver. */
#ifndef RHX_SOLVER_GHOSTS_H
#define RHX_SOLVER_GHOSTS_H
#include "solver/impl.h"
#include <petscsf.h>

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

typedef struct {
  RhxDevice device;                       /* borrowed */
  PetscSF sf;                             /* between the buffers */
  PetscInt nown, nshared, nghosts, place; /* place: of the ghosts in a vector, nown unless set */
  void *shared;                           /* [nshared] own rows that others need */
  void *roots, *leaves;                   /* host memory: [nshared], [nghosts] */
  RhxDeviceFunction pack[2], unpack[2];
} RhxGhosts;

PetscErrorCode RhxGhostsCreate(Mat A, RhxSolverProgram *program, RhxGhosts *ghosts); /* collective */
PetscErrorCode RhxGhostsFree(RhxGhosts *ghosts);
typedef enum { RHX_GHOSTS_FLOAT, RHX_GHOSTS_DOUBLE } RhxGhostsKind;
/* x[nown], ghosts at x[place]: Pack, synchronise the device, Exchange, Unpack; the first and the last can be recorded. */
PetscErrorCode RhxGhostsPack(RhxGhosts *ghosts, RhxGhostsKind kind, void *x);
PetscErrorCode RhxGhostsExchange(RhxGhosts *ghosts, RhxGhostsKind kind);
PetscErrorCode RhxGhostsUnpack(RhxGhosts *ghosts, RhxGhostsKind kind, void *x);
PetscErrorCode RhxGhostsUpdate(RhxGhosts *ghosts, RhxGhostsKind kind, void *x); /* all of it */
#endif
