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
#endif
