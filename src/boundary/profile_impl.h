/* Profiles of a flow rate. */
#ifndef RHX_PROFILE_IMPL_H
#define RHX_PROFILE_IMPL_H
#include "boundary/impl.h"

const char *RhxProfileName(const RhxCondition *c); /* value of -bc_<label>_profile */
/* Distance of x[dim] from the profile's middle, and the way from there; way may be NULL. */
PetscReal RhxFromMiddle(const RhxCondition *c, PetscInt dim, const PetscReal *x, PetscReal *way);
/* profile.c: the azimuthal velocity u[n], m/s, of a developed profile. */
PetscErrorCode RhxConditionProfileSwirl(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u);
/* symmetry.c: what an inlet gives, at its places of velocity, runs along walls that slip beside it. */
void RhxConditionKeepAlong(const RhxCondition *c, PetscScalar *velocity);
/* geometry.c: where the profile stands, the nodes that carry it; profile.c: its harmonics. */
/* shared[ncond] += nodes that each label has in common with c. Collective. */
PetscErrorCode RhxConditionCountShared(RhxBoundary bc, const RhxCondition *c, PetscInt *shared);
PetscErrorCode RhxConditionSetUpProfile(RhxBoundary bc, RhxCondition *c);
PetscErrorCode RhxConditionSetUpWomersley(RhxCondition *c);
/* types.c: the condition, while it is checked, is of another type of the same options. */
PetscErrorCode RhxConditionBecome(RhxCondition *c, const RhxConditionType *type);
void RhxPlaneAxes(const PetscReal n[3], PetscReal e[2][3]); /* two unit vectors normal to n and each other */
PetscErrorCode RhxConditionReadPoints(RhxBoundary bc, RhxCondition *c); /* points.c: of -bc_<label>_profile_file */
#endif
