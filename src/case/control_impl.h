/* Steering a run: the file <output folder>/control, see --help run. */
#ifndef RHX_CONTROL_IMPL_H
#define RHX_CONTROL_IMPL_H
#include "case/impl.h"

/* What is to be done after this step. */
typedef struct {
  PetscBool output, checkpoint, stop;
  const char *ending; /* of the name that the file gets when it is done; NULL: there is none */
} RhxControlNow;

extern const RhxOptionTable RhxControlTable;
/* A file of an earlier run is moved aside. Collective, as all here. */
PetscErrorCode RhxControlBegin(RhxCase rc);
/* Once in -control_every steps: looks for the file and does what it says, or warns in one sentence and changes nothing. */
PetscErrorCode RhxControlStep(RhxCase rc, const RhxStepInfo *info, RhxControlNow *now);
/* All of it is done: the file gets another name. */
PetscErrorCode RhxControlDone(RhxCase rc, const RhxControlNow *now);
#endif
