/* One uniform refinement of a list of cells, with its new nodes. */
#ifndef RHX_REFINE_IMPL_H
#define RHX_REFINE_IMPL_H
#include "mesh/celllist_impl.h"

typedef struct {
  PetscInt
      v[4]; /* corners that it is the mean of, ascending, the tail -1; one alone: number of a cell, for its centre */
  PetscInt vertex; /* in the fine list */
  PetscInt seen;   /* number of the cell whose corners place it; -1 - number: across the seam of a periodic mesh */
} RhxNewNode;

typedef struct {
  const RhxCellList *coarse; /* borrowed */
  PetscInt *first;           /* [ncells + 1] of a cell's new nodes in number */
  PetscInt *number;          /* their vertices in the fine list */
  PetscInt nnodes;
  RhxNewNode *node; /* [nnodes] sorted; vertices of the fine list behind those of the coarse one */
} RhxRefinement;

/* The children of a cell follow each other: 4 in the plane, 8 in space. Both are to be destroyed, after an error too. */
PetscErrorCode RhxRefinementCreate(const RhxCellList *coarse, RhxRefinement *r, RhxCellList *fine);
PetscErrorCode RhxRefinementDestroy(RhxRefinement *r);
/* Order by corners; takes pointers to RhxNewNode, as qsort gives them. */
int RhxNewNodeCompare(const void *a, const void *b);
#endif
