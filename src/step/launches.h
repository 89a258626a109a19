/* What is said of how a device carries out steps. */
#ifndef RHX_STEP_LAUNCHES_H
#define RHX_STEP_LAUNCHES_H
#include "step/ops.h"

/* Why steps after t are launched operation by operation; "": they are recorded as one graph. */
PetscErrorCode RhxOpsWhyLaunches(RhxOps ops, double t, size_t size, char *why);
#endif
