/* Whole steps for the verb bench. */
#ifndef RHX_APP_BENCH_STEP_H
#define RHX_APP_BENCH_STEP_H
#include "case/case.h"

/* Times steps first + 1 to last from the case's initial state and prints one line; setup: seconds that it took so far. */
PetscErrorCode RhxAppBenchSteps(RhxCase rc, PetscInt first, PetscInt last, double setup);
#endif
