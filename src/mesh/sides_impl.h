/* The sides of all cells of a list, those with the same vertices together. */
#ifndef RHX_SIDES_IMPL_H
#define RHX_SIDES_IMPL_H
#include "mesh/celllist_impl.h"

typedef struct {
  PetscInt vertex[3]; /* its vertices but the smallest, ascending, the tail -1 */
  PetscInt face;      /* RHX_MAX_SIDES * cell + number of the side */
} RhxListSide;

typedef struct {
  PetscInt nvertices;
  PetscInt *first;   /* [nvertices + 1] of a vertex's sides: those of which it is the smallest vertex */
  RhxListSide *side; /* [first[nvertices]] by vertices, then by face */
} RhxListSides;

PetscErrorCode RhxListSidesCreate(const RhxCellList *list, RhxListSides *sides);
PetscErrorCode RhxListSidesDestroy(RhxListSides *sides);
/* Number of sides from `at` on that have the same vertices as it; `vertex` is the smallest. */
PetscInt RhxListSidesEqual(const RhxListSides *sides, PetscInt vertex, PetscInt at);
/* The first side that has these n vertices; -1: none. */
PetscInt RhxListSidesFind(const RhxListSides *sides, PetscInt n, const PetscInt *vertices);
/* The n sides from `at` on that are the list's face f; error if it is no side of a cell. `source` is named in the error. */
PetscErrorCode RhxListSidesOfFace(const RhxListSides *sides, const RhxCellList *list, PetscInt f, const char *source,
                                  PetscInt *at, PetscInt *n);
/* Cells that share a side with cell c, ascending: neighbour[start[c]] to neighbour[start[c + 1] - 1]. */
PetscErrorCode RhxListSidesGraph(const RhxListSides *sides, PetscInt ncells, PetscInt **start, PetscInt **neighbour);
#endif
