/* What a scheme whose steps change a parameter adds to the results; of others nothing. */
#ifndef RHX_CONTINUATION_IMPL_H
#define RHX_CONTINUATION_IMPL_H
#include "case/impl.h"

PetscErrorCode RhxContinuationBegin(RhxCase rc); /* <case>_continuation.csv, before the first step */
PetscErrorCode RhxContinuationStep(RhxCase rc, const RhxStepInfo *info);
/* file[]: of a checkpoint of this step alone, "": none is kept */
PetscErrorCode RhxContinuationFile(RhxCase rc, PetscInt step, double t, size_t size, char *file);
/* Which states are kept, "": it is none. After TSSetUp. */
PetscErrorCode RhxContinuationDescribe(RhxCase rc, size_t size, char *text);
#endif
