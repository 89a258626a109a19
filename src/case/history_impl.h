/* Earlier states of a scheme in checkpoints. */
#ifndef RHX_CASE_HISTORY_IMPL_H
#define RHX_CASE_HISTORY_IMPL_H
#include "case/impl.h"

/* What a checkpoint keeps: n others and the scheme's earlier states; to be freed, what it points to is borrowed. */
PetscErrorCode RhxCaseAddHistory_Private(RhxCase rc, PetscInt n, const RhxKept *others, PetscInt *nkept,
                                         RhxKept **kept);
/* Those of a checkpoint of the same fields and mesh become the scheme's, if there are any. */
PetscErrorCode RhxCaseReadHistory_Private(RhxCase rc, const char *file);
#endif
