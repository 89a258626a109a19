/* Steps of building the space. */
#ifndef RHX_SPACE_IMPL_H
#define RHX_SPACE_IMPL_H
#include "space/element_impl.h"
#include "space/space.h"

/* The local cells as vertices and positions, for the time of building. */
typedef struct {
  PetscInt n, nvertices;
  DMPolytopeType *type; /* [n] */
  PetscInt *vertex;     /* [n][RHX_MAX_NODES], tail -1 */
  const PetscReal *x;   /* [nvertices][dim] */
  const PetscReal *xc;  /* [n][RHX_MAX_NODES][dim] as the cell sees them, or NULL: x */
  PetscInt *kind;       /* [n] index in space->cells */
  PetscInt *element;    /* [n] number in space->cells[kind] */
} RhxCellTable;

/* Numbers the nodes (owned first, then ghosts by owner), makes SF and mapping. Collective. */
PetscErrorCode RhxSpaceNumberNodes(RhxSpace space, const RhxCellTable *table);
/* Fills order[nowned] with owned vertices in reverse Cuthill-McKee order; owned_in: the same set, start order. */
PetscErrorCode RhxSpaceReorder(const RhxCellTable *table, PetscInt nowned, const PetscInt *owned_in, PetscInt *order);
PetscErrorCode RhxSpaceSetUpCells(RhxSpace space, RhxCellTable *table);
PetscErrorCode RhxSpaceSetUpFaces(RhxSpace space, const RhxCellTable *table);
#endif
