/* The data of conjugate gradients on the device, on one rank (graph_cg.c) and on several (graph_ranks.c). */
#ifndef RHX_SOLVER_GRAPH_CG_IMPL_H
#define RHX_SOLVER_GRAPH_CG_IMPL_H
#include "solver/ghosts_impl.h"

typedef struct {
  PetscBool host_loop; /* the host repeats the iterations, as it must with an older driver */
  RhxDevice device;    /* borrowed */
  RhxSolverProgram program;
  RhxDeviceMatrix A;
  double bytes, nonzeros;
  PetscInt lanes;
  RhxDeviceFunction mean, recall, guess, residual, load, norm, start, product, update, refine, remember;
  RhxCGSolve work;      /* what does not change from solve to solve */
  void *b, *x;          /* [n] for vectors of PETSc */
  PetscInt history;     /* norms that fit */
  RhxDeviceGraph graph; /* the recorded solve, on several ranks an iteration, and what it was recorded for: */
  RhxCGSolve recorded;
  PetscInt setup;
  PetscInt places; /* earlier solutions that guesses are made of */
  /* several ranks */
  PetscMPIInt size, *count, *first; /* of the sums in work.shared */
  PetscInt taken;                   /* iterations of the last solve */
  RhxLink link;
  RhxGhosts ghosts;
  RhxDeviceFunction judge;
  const void *smoothed; /* the PC's output; z has room for its ghosts */
  void *z;
} RhxGraphCG;

/* function(c, A) by so many threads; after a kernel of ours it overlaps with that one */
PetscErrorCode RhxGraphCGLaunch(RhxGraphCG *g, RhxDeviceFunction function, double threads, RhxCGSolve *c);

/* ---- Guesses from earlier solutions ---- */

/* With the program there; nothing where g->places is 0. */
PetscErrorCode RhxGraphGuessSetUp(RhxGraphCG *g, Mat A);
PetscErrorCode RhxGraphGuessFree(RhxGraphCG *g);

/* ---- Several ranks ---- */

PetscErrorCode RhxGraphRanksSetUp(KSP ksp, Mat A); /* with program and matrix there */
PetscErrorCode RhxGraphRanksFree(RhxGraphCG *g);
PetscErrorCode RhxGraphRanksDescribe(KSP ksp, RhxCGSolve *c); /* completes it */
/* Where the messages join the stream: an iteration as a graph. */
PetscErrorCode RhxGraphRanksRecord(KSP ksp, RhxCGSolve *c);
PetscErrorCode RhxGraphRanksRun(KSP ksp, RhxCGSolve *c);
#endif
