/* The matrices of a multigrid hierarchy, made on the host. */
#ifndef RHX_SOLVER_COARSEN_IMPL_H
#define RHX_SOLVER_COARSEN_IMPL_H
#include "solver/csr_impl.h"
#include <petscpc.h>

#define RHX_MOST_LEVELS 30

typedef struct {
  PetscInt n;         /* interpolations */
  Mat *P, *A;         /* owned, each; P[k] to level k from level k + 1, whose matrix is A[k]; level 0 is the finest */
  RhxCsr *p, *a, *ap; /* owned, where known, as on one rank: what P and A borrow, and level k's matrix times P[k] */
  PetscReal *largest; /* eigenvalue of level k, where known, else 0 */
} RhxCoarsening;

PetscErrorCode RhxCoarseningFree(RhxCoarsening *coarsening);
/* From a PC that is set up and knows its interpolations: gamg, mg, hypre's boomeramg (which gives its matrices away). */
PetscErrorCode RhxCoarseningFromPC(PC pc, RhxCoarsening *coarsening);
/* Smoothed aggregation with GAMG's aggregates, which keeps constants on every level; on the finest level along the strong
 * neighbours only, on one rank: those above threshold times the largest of a row, as on stretched cells; 0: all. prefix: of
 * GAMG's options. Ends at `dense` rows. */
PetscErrorCode RhxCoarseningFromGAMG(Mat A, const char *prefix, PetscReal threshold, PetscInt dense,
                                     RhxCoarsening *coarsening);
/* A good threshold: 0.5 where cells are stretched, for the strongest neighbour then holds more than 0.3 of the diagonal in the
 * mean (a quarter at most on regular cells), else 0. */
PetscErrorCode RhxCoarseningThreshold(Mat A, PetscReal *threshold);
PetscErrorCode RhxJacobiWeights(Mat A, PetscReal weight, Vec *w); /* weight / diag(A) */
PetscErrorCode RhxLargestEigenvalue(Mat A, PetscReal *largest);   /* of D^-1 A, a few per cent too small */
#endif
