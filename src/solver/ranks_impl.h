/* The multigrid hierarchy (hierarchy_impl.h) on several ranks. Smoothers and interpolations of large levels are those of the whole
 * matrix, each rank has its rows of  Q^T  and  [S Q].  A level's vector is
 *   b | b of others, for S | x_c | x_c of others, for Q | b of others, for Q^T.
 * A level of few rows is gathered on every rank, and every rank does the rest of the cycle by itself: it would wait for the
 * others longer than it computes. */
#ifndef RHX_SOLVER_RANKS_IMPL_H
#define RHX_SOLVER_RANKS_IMPL_H
#include "solver/ghosts_impl.h"

typedef struct {
  RhxGhosts down, smoother, up; /* columns of Q^T, S, Q */
  PetscInt *others;             /* [up.n] rows of the next level */
  PetscInt at, length;          /* of x_c; in all */
} RhxRankLevel;

typedef struct {
  RhxLink link;
  RhxRankLevel *level; /* beside hierarchy.level */
  PetscInt total;      /* rows of the gathered level */
  PetscMPIInt *count, *first;
  float *gathered; /* [total] of the link's memory: b of that level */
  float *mine;     /* this rank's part of it */
  PetscInt ntaken; /* rows of its x that this rank reads: its own, and others for Q of the level above */
  void *taken;     /* [ntaken] int, on the device */
} RhxRankSpace;

/* hierarchy: the levels of more than `least` rows, without an inverse; whole: the next one, on every rank, the caller's.
 * Collective, as all. */
PetscErrorCode RhxRankSpaceCreate(Mat A, const RhxCoarsening *coarsening, PetscInt least,
                                  const RhxHierarchyOptions *options, RhxSolverProgram *program,
                                  RhxHierarchy *hierarchy, RhxRankSpace *space, Mat *whole);
PetscErrorCode RhxRankSpaceFree(RhxDevice device, PetscInt nlevels, RhxRankSpace *space);
PetscErrorCode RhxRankSpaceGather(RhxRankSpace *space); /* b of all ranks */
#endif
