/* The polymer that an inlet brings in has the history of the flow that is prescribed there: memory.c. */
#ifndef RHX_BOUNDARY_MEMORY_IMPL_H
#define RHX_BOUNDARY_MEMORY_IMPL_H
#include <rheoplex/condition.h>

struct RhxMemory;

/* Unknowns of nodes that are given (s) and of those where they flow in, as of c->s and c->inflow. *has: FALSE, nothing is done: the label has
 * no memory, or a scale of what it gives is asked for. Failures are noted. Collective. */
PetscErrorCode RhxMemoryGive(RhxCondition *c, double t, PetscScalar *s, PetscScalar *inflow, PetscBool *has);
PetscBool RhxMemoryMoves(const RhxCondition *c); /* does it change while the flow does not? */
/* A step has ended at t. Failures are noted. Collective. */
PetscErrorCode RhxMemoryAdvance(RhxCondition *c, double t);
PetscErrorCode RhxMemoryDestroy(struct RhxMemory **m);

/* ---- Pieces of it: collocation.c ---- */

typedef struct {
  PetscInt n, width; /* owned nodes; components of all modes */
  PetscReal *x;      /* [n][dim] */
  double start;      /* s: of pieces before it the ends alone count, and are forgotten; one ends there */
} RhxPieceNodes;

typedef struct {
  double begin, length; /* s; length 0: what is at the one moment */
  double end;           /* begin + length, rounded */
  double next;          /* s: length of the piece behind it that is tried first */
  double *c, *last;     /* conformations [n][nmodes][ntens] at the two */
  PetscScalar *unknown; /* [RHX_FORM_PLACES][n][nmodes][ntens] */
} RhxPiece;

PetscErrorCode RhxPieceCreate(const RhxPieceNodes *nodes, RhxPiece *piece);
PetscErrorCode RhxPieceDestroy(RhxPiece *piece);
/* Its conformations stand at c, at t alone. */
PetscErrorCode RhxPieceStill(RhxCondition *c, const RhxPieceNodes *nodes, double t, double next, RhxPiece *piece);
/* It begins where `before` ends. */
void RhxPieceBehind(const RhxPieceNodes *nodes, const RhxPiece *before, RhxPiece *piece);
/* The whole of a piece that begins so, on the way to t, which may be in it. *stopped: there is none; failures are noted. Collective. */
PetscErrorCode RhxPieceFind(RhxCondition *c, const RhxPieceNodes *nodes, double t, RhxPiece *piece, PetscBool *stopped);
/* Unknowns [n][nmodes][ntens] of the nodes from `first` on, at t or at the end of the piece next to it. */
void RhxPieceGive(const RhxPieceNodes *nodes, const RhxPiece *piece, double t, PetscInt first, PetscInt n,
                  PetscScalar *unknown);
#endif
