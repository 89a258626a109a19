/* A rotating wall's motion, for who asks whether the wall is round about its axis. */
#ifndef RHX_ROTATING_WALL_H
#define RHX_ROTATING_WALL_H
#include "boundary/impl.h"

extern const RhxConditionType RhxConditionType_rotating_wall;
/* u[n][dim] at x[n][dim] with the angular velocity `rate`; not in axisymmetric flow. */
void RhxRotatingWallTurn(const RhxCondition *c, double rate, PetscInt n, const PetscReal *x, PetscReal *u);
void RhxRotatingWallGetAxis(const RhxCondition *c, const char **axis, const char **point); /* as given; borrowed */

#endif
