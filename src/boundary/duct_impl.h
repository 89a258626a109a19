/* Developed flow of the case's laws through a plane label of any shape. */
#ifndef RHX_DUCT_IMPL_H
#define RHX_DUCT_IMPL_H
#include "boundary/section_impl.h"
#include "boundary/sliding_impl.h"

typedef struct _p_RhxDuct *RhxDuct;

/* No flow at nodes of walls without slip; the friction of `wall`, if any, at edges of walls with slip, no shear at the rest of the rim. Section
 * and wall are borrowed. Nothing here is collective: every rank finds the same. */
PetscErrorCode RhxDuctCreate(RhxForm form, RhxSection section, RhxCondition *wall, RhxDuct *duct);
void RhxDuctMove(RhxDuct duct, double t, double a); /* slip is that of t at speeds a-fold less */
/* The flow that carries the flux `aim` >= 0, or whose fastest node has that velocity. Errors, of PETSC_COMM_SELF: a flow curve that falls, no
 * steady shear. */
PetscErrorCode RhxDuctSolve(RhxDuct duct, double aim, PetscBool maximum);
void RhxDuctGetVelocity(RhxDuct duct, const PetscReal **w); /* [nnodes] of the section */
PetscErrorCode RhxDuctForget(RhxDuct duct);                 /* a law has changed; may be NULL */
PetscErrorCode RhxDuctDestroy(RhxDuct *duct);
#endif
