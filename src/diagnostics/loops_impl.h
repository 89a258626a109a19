/* The closed lines that bound a plane or axisymmetric mesh, and the streamfunction along them: what flows out between their nodes. The
 * same on every rank. */
#ifndef RHX_DIAGNOSTICS_LOOPS_IMPL_H
#define RHX_DIAGNOSTICS_LOOPS_IMPL_H
#include "boundary/boundary.h"

typedef struct {
  PetscInt n, nnodes, nloops; /* edges, nodes, lines that share no node */
  PetscInt *node;             /* [nnodes] global numbers, rising */
  PetscInt *loop;             /* [nnodes] its line */
  PetscInt *end;              /* [n][2] places in node: from the first to the second the domain lies on the left */
  PetscBool *tight;           /* [n] nothing passes, by the condition */
  PetscInt *way; /* [nnodes - nloops] 2 edge + end: steps from that end, whose value is known, to the other */
} RhxLoops;

PetscErrorCode RhxLoopsCreate(RhxForm form, RhxBoundary bc, RhxLoops *loops);
PetscErrorCode RhxLoopsDestroy(RhxLoops *loops);
/* psi[nnodes] of x[nlocal][bs], on each line from the value 0 at one node: constant where nothing passes. What the flows in and out of a
 * line lack of each other is shared by both; closed: it is less than half of them on all lines, else there is no psi. Collective. */
PetscErrorCode RhxLoopsFollow(const RhxLoops *loops, RhxForm form, const PetscScalar *x, double *psi,
                              PetscBool *closed);
#endif
