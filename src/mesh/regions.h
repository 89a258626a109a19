/* Regions of a mesh: the physical groups of cells in its file. */
#ifndef RHX_REGIONS_H
#define RHX_REGIONS_H
#include "mesh/mesh.h"

/* Their number in the file, cells of none as one more; 0: it has no groups of cells. text: their names and sizes, which lives as long
 * as the mesh. all: every cell is taken, for none is chosen (-mesh_regions). */
PetscErrorCode RhxMeshGetRegions(RhxMesh mesh, PetscInt *n, const char **text, PetscBool *all);
#endif
