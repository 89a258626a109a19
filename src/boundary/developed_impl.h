/* Developed flow of the case's laws over a label: a slit from its middle on, or a circle. */
#ifndef RHX_DEVELOPED_IMPL_H
#define RHX_DEVELOPED_IMPL_H
#include "boundary/sliding_impl.h"
#include "form/form.h"

typedef struct _p_RhxDeveloped *RhxDeveloped;

/* half: half width or radius, m; r[n], share[n]: of the nodes of all ranks the distance from the middle and the flux that a unit
 * velocity of the node brings; borrowed. wall: on which the flow slips, borrowed, or NULL. Nothing here is collective: every rank finds the
 * same. */
PetscErrorCode RhxDevelopedCreate(RhxForm form, double half, PetscInt n, const double *r, const double *share,
                                  RhxCondition *wall, RhxDeveloped *d);
void RhxDevelopedMove(RhxDeveloped d, double t, double a); /* slip is that of t at speeds a-fold less */
/* The flow whose nodes carry the flux `aim` >= 0, or whose middle has that velocity. Errors, of PETSC_COMM_SELF: a flow curve that
 * falls, no steady shear. */
PetscErrorCode RhxDevelopedSolve(RhxDeveloped d, double aim, PetscBool middle);
/* U and dU/dr / r at the distance r from the middle. */
void RhxDevelopedVelocity(RhxDeveloped d, double r, double *U, double *over);
PetscErrorCode RhxDevelopedForget(RhxDeveloped d); /* a law has changed; d may be NULL */
PetscErrorCode RhxDevelopedDestroy(RhxDeveloped *d);
#endif
