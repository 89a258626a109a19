/* The coarse part of a preconditioner whose ranks work alone: one constant a rank.
 *
 *   B = sum_i R_i^T B_i R_i + R_0^T A_0^-1 R_0,  A_0 = R_0 A R_0^T,
 * R_i the rows of rank i, row i of R_0 the vector u that is 1 there on rows with neighbours and 0 on those without, which stand
 * for given values. Private to solver. */
#ifndef RHX_SOLVER_RANKS_H
#define RHX_SOLVER_RANKS_H
#include <petscmat.h>

typedef struct {
  PetscMPIInt size;
  MPI_Comm comm; /* borrowed */
  PetscInt n;    /* rows here */
  float *u;      /* [n] */
  double *row;   /* [size] of A_0^-1, of this rank */
  double *sums;  /* [size] work */
} RhxRankSpace;

/* singular: constants are A's null space; alone: whether no row here has a neighbour on another rank. Collective, as Apply. */
PetscErrorCode RhxRankSpaceCreate(Mat A, PetscBool singular, PetscBool *alone, RhxRankSpace *space);
PetscErrorCode RhxRankSpaceFree(RhxRankSpace *space);
/* x += R_0^T A_0^-1 R_0 b on the host */
PetscErrorCode RhxRankSpaceApply(const RhxRankSpace *space, const PetscScalar *b, PetscScalar *x);
#endif
