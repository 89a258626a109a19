/* A linear solve that does not converge with a solver that was chosen by size, and not asked for.
 *
 * It is done again with a preconditioner of its own matrix, unless it had that; then by factors, where they fit into the memory, as all
 * later ones are. Where they do not, it has failed, as without all this. */
#ifndef RHX_RESCUE_IMPL_H
#define RHX_RESCUE_IMPL_H
#include "scheme/newton_impl.h"

/* For all solves of nt's KSP; sc->rescue is what the solver is called. */
PetscErrorCode RhxRescueUse(RhxNewton nt);
#endif
