/* The walls at the rim of a section, each with its own velocity or friction. */
#ifndef RHX_RIM_IMPL_H
#define RHX_RIM_IMPL_H
#include "boundary/section_impl.h"

typedef struct _p_RhxRim *RhxRim;

/* c and its section are borrowed. Collective; of the rest nothing is: every rank finds the same. */
PetscErrorCode RhxRimCreate(RhxCondition *c, RhxSection section, RhxRim *rim);
PetscErrorCode RhxRimTell(
    RhxRim rim); /* what of the walls' motion developed flow has not; an error for a fastest velocity. Collective. */
PetscBool RhxRimMoves(RhxRim rim);                      /* any wall along the flow, or it may */
PetscErrorCode RhxRimRubs(RhxRim rim, PetscBool *rubs); /* has any a friction? */
/* Velocities and slip are those of t, the flow a-fold as fast as that of the run; changed: they are others than before. */
PetscErrorCode RhxRimMove(RhxRim rim, double t, double a, PetscBool *changed);
const PetscReal *RhxRimVelocity(RhxRim rim); /* [nnodes] along the flow, 0 where no wall gives it; borrowed */
/* tau, Pa, on the wall of edge i of the rim that slips, of the flow's velocity w there, and dtau/dw, which may be NULL. */
PetscErrorCode RhxRimFriction(RhxRim rim, PetscInt i, double w, double *tau, double *slope);
PetscBool RhxRimHas(RhxRim rim, const RhxCondition *wall); /* is this a wall whose motion or slip the flow has? */
PetscBool RhxRimChanges(RhxRim rim, double t0, double t1);
PetscErrorCode RhxRimDestroy(RhxRim *rim);
#endif
