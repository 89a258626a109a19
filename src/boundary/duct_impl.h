/* Developed flow of the case's laws through a plane label of any shape. */
#ifndef RHX_DUCT_IMPL_H
#define RHX_DUCT_IMPL_H
#include "boundary/rim_impl.h"

typedef struct _p_RhxDuct *RhxDuct;

/* Nodes of walls without slip have the velocity of these, edges of walls with slip their friction, the rest of the rim no shear. The section is
 * borrowed, the rim the duct's from then on; NULL: walls at rest alone. Nothing here is collective: every rank finds the same. */
PetscErrorCode RhxDuctCreate(RhxForm form, RhxSection section, RhxRim rim, RhxDuct *duct);
/* Walls are those of t, the flow a-fold as fast as that of the run. */
PetscErrorCode RhxDuctMove(RhxDuct duct, double t, double a);
/* The flow that carries the flux `aim`, or, between walls at rest, whose fastest node has that velocity >= 0. Errors, of PETSC_COMM_SELF: a flow
 * curve that falls, no steady shear. */
PetscErrorCode RhxDuctSolve(RhxDuct duct, double aim, PetscBool maximum);
void RhxDuctGetVelocity(RhxDuct duct, const PetscReal **w); /* [nnodes] of the section */
/* Of a duct that may be NULL: is this a wall whose motion or slip the flow has? Do its walls move or slip otherwise at t1? */
PetscBool RhxDuctHas(RhxDuct duct, const RhxCondition *wall);
PetscBool RhxDuctChanges(RhxDuct duct, double t0, double t1);
PetscErrorCode RhxDuctForget(RhxDuct duct); /* a law has changed; may be NULL */
PetscErrorCode RhxDuctDestroy(RhxDuct *duct);
#endif
