/* Earlier states of a scheme in checkpoints. */
#ifndef RHX_CASE_HISTORY_IMPL_H
#define RHX_CASE_HISTORY_IMPL_H
#include "case/impl.h"

/* Of RhxSchemeGetHanded, and the parameters' number; and the rows of what inlets remember. */
typedef struct {
  double number[RHX_HANDED_NUMBERS + 1];
  Vec nodes;      /* or NULL, and */
  double *memory; /* or NULL: to be destroyed */
} RhxHanded;

/* What a checkpoint keeps: n others, the scheme's earlier states, what the last step hands on and what inlets remember; to be freed, what it points to is
 * borrowed, of `handed` too. */
PetscErrorCode RhxCaseAddHistory_Private(RhxCase rc, PetscInt n, const RhxKept *others, RhxHanded *handed,
                                         PetscInt *nkept, RhxKept **kept);
/* Those of a checkpoint of the same fields and mesh become the scheme's, if there are any. */
PetscErrorCode RhxCaseReadHistory_Private(RhxCase rc, const char *file);
/* What inlets remember is that of the checkpoint, as far as it is of this mesh, and of the state that was read of it; t: of its conditions. */
PetscErrorCode RhxCaseReadMemory_Private(RhxCase rc, const char *file, double t, PetscBool same_mesh);
/* What was handed on in a checkpoint of the same fields, mesh and parameters is the scheme's. */
PetscErrorCode RhxCaseReadHanded_Private(RhxCase rc, const char *file);
#endif
