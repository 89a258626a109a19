/* Orders in which contributions of elements may be added up: colours of elements, contributions of each node.
 * Elements have their numbers in RhxCells, 0 to n - 1; the copies that pad the last lane group take no part. */
#ifndef RHX_COLOUR_H
#define RHX_COLOUR_H
#include "space/space.h"

/* Elements of colour c, ascending: element[start[c]] to element[start[c + 1] - 1]. No two of them share a node. */
typedef struct {
  PetscInt ncolours, *start, *element;
} RhxColouring;

/* Contributions to local node i, ascending: entry[start[i]] to entry[start[i + 1] - 1], each element * nn + its node. */
typedef struct {
  PetscInt n, *start, *entry; /* n: local nodes, ghosts too */
} RhxGatherList;

/* Local node a of element e. */
static inline PetscInt RhxCellsNode(const RhxCells *cells, PetscInt e, PetscInt a)
{
  return cells->conn[(e / RHX_LANES * cells->nn + a) * RHX_LANES + e % RHX_LANES];
}

/* Few colours of nearly the same size. Of this rank's elements; not collective. */
PetscErrorCode RhxSpaceColourCells(RhxSpace space, const RhxCells *cells, RhxColouring *colouring);
PetscErrorCode RhxColouringDestroy(RhxColouring *colouring);
PetscErrorCode RhxSpaceGatherList(RhxSpace space, const RhxCells *cells, RhxGatherList *list);
PetscErrorCode RhxGatherListDestroy(RhxGatherList *list);
#endif
