/* -field_<name>_block: the split of unknowns that a scalar field is solved in. */
#ifndef RHX_SCALAR_BLOCK_H
#define RHX_SCALAR_BLOCK_H
#include "plugin/scalars.h"

typedef enum {
  RHX_BLOCK_FLOW,
  RHX_BLOCK_OWN
} RhxScalarBlock; /* with velocity and pressure; with the others of `own` */

/* Collective; an error for what is neither. */
PetscErrorCode RhxScalarBlockRead(MPI_Comm comm, const RhxScalarRow *row, RhxScalarBlock *block);
#endif
