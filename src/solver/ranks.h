/* The multigrid hierarchy (hierarchy.h) on several ranks: levels, smoothers and interpolations are those of the whole matrix,
 * each rank has its rows of  Q^T, [S Q]  and of the coarsest inverse. A level's vector is
 *   b | b of others, for S | x_c | x_c of others, for Q | b of others, for Q^T.
 * Private to solver. */
#ifndef RHX_SOLVER_RANKS_H
#define RHX_SOLVER_RANKS_H
#include "solver/ghosts.h"

typedef struct {
  RhxGhosts down, smoother, up; /* columns of Q^T, S, Q */
  PetscInt at, length;          /* of x_c; in all */
} RhxRankLevel;

typedef struct {
  MPI_Comm comm;          /* borrowed */
  RhxRankLevel *level;    /* beside hierarchy.level */
  PetscInt total, stride; /* rows of the coarsest matrix, of all ranks; rounded up */
  PetscMPIInt *count, *first;
  float *gathered; /* [total] host memory that the device reaches: the coarsest b */
  float *mine;     /* this rank's part of it */
} RhxRankSpace;

/* hierarchy: ncoarse rows of the inverse here, of the space's stride. Collective, as all. */
PetscErrorCode RhxRankSpaceCreate(Mat A, const RhxCoarsening *coarsening, PetscBool singular,
                                  const RhxHierarchyOptions *options, RhxSolverProgram *program,
                                  RhxHierarchy *hierarchy, RhxRankSpace *space);
PetscErrorCode RhxRankSpaceFree(RhxDevice device, PetscInt nlevels, RhxRankSpace *space);
/* The coarsest b of all ranks, after the device is synchronised. */
PetscErrorCode RhxRankSpaceGather(RhxRankSpace *space);
#endif
