/* A part of the matrices by auxiliary fields: of some of the state's components and of some auxiliary ones of every node. */
#ifndef RHX_PART_H
#define RHX_PART_H
#include <petscsystypes.h>

typedef struct {
  PetscInt state, nstate; /* first, number */
  PetscInt aux, naux;
} RhxAuxiliaryPart;
#endif
