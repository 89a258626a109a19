/* The elements of a mesh whose thickness bounds explicit steps. */
#ifndef RHX_SCHEME_THINNEST_H
#define RHX_SCHEME_THINNEST_H
#include "space/space.h"

typedef struct {
  double thickness, centre[3]; /* of the thinnest element of all ranks, m (RhxCellThickness) */
  PetscInt n, all;             /* elements that are at most `factor` times as thick; all of them */
} RhxThin;
/* Collective. */
PetscErrorCode RhxThinFind(RhxSpace space, double factor, RhxThin *thin);
#endif
