/* Eigenpairs of a real operator, by SLEPc: the one place that knows it. */
#ifndef RHX_KRYLOV_IMPL_H
#define RHX_KRYLOV_IMPL_H
#include <petscmat.h>

typedef struct {
  PetscInt n;
  double (*value)[2]; /* [n] real and imaginary part, complex ones in pairs, those of positive imaginary part first */
  Vec *re, *im;       /* [n] */
  PetscBool all;      /* as many as were asked for, or all that the space has; else the restarts ended the search */
} RhxEigenpairs;

/* Error where this build has no SLEPc. */
PetscErrorCode RhxKrylovCheck(MPI_Comm comm);
/* The n eigenpairs of T of largest modulus, conjugate ones counted once, or more, by Krylov-Schur from `start`, which is changed; most: restarts; silence: seconds
 * after which, and again, a line tells how far it is. Owned by the caller. Collective. */
PetscErrorCode RhxKrylovSolve(Mat T, Vec start, PetscInt n, PetscInt most, double silence, RhxEigenpairs *pairs);
PetscErrorCode RhxEigenpairsDestroy(RhxEigenpairs *pairs);
#endif
