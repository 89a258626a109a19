/* The mesh: a DMPlex from a Gmsh or HDF5 file or a box, with its boundary labels, ordered for locality and distributed. */
#ifndef RHX_MESH_H
#define RHX_MESH_H
#include <petscdmplex.h>
#include <rheoplex/plugin.h>

#define RHX_MAX_SIDES 6

/* Sides of a cell type by the cell's vertices (VTK order), counter-clockwise seen from outside. */
typedef struct {
  PetscInt n, nn; /* sides; vertices of one */
  PetscInt node[RHX_MAX_SIDES][4];
} RhxCellSides;

typedef struct _p_RhxMesh *RhxMesh;

PetscErrorCode RhxMeshRegisterOptions(void);
PetscErrorCode RhxMeshCreate(MPI_Comm comm, RhxMesh *mesh);
PetscErrorCode RhxMeshSetFromOptions(RhxMesh mesh); /* -mesh_... */
/* Reads or makes the mesh, checks it (file there and whole, cell types with kernels, no inverted element), distributes. */
PetscErrorCode RhxMeshSetUp(RhxMesh mesh);
PetscErrorCode RhxMeshView(RhxMesh mesh, PetscViewer viewer); /* size, cell types, quality, labels with face counts */
PetscErrorCode RhxMeshDestroy(RhxMesh *mesh);

PetscErrorCode RhxMeshGetDM(RhxMesh mesh, DM *dm); /* borrowed; cells (from 0) and vertices only, overlap 0 */
PetscErrorCode RhxMeshGetDimension(RhxMesh mesh, PetscInt *dim);
PetscErrorCode RhxMeshGetShortestEdge(RhxMesh mesh, PetscReal *h); /* m; refined as -dm_refine asks */
/* Boundary labels in the order of their names; strings live as long as the mesh. */
PetscErrorCode RhxMeshGetLabels(RhxMesh mesh, PetscInt *n, const char *const **names);
/* Global number of boundary faces under a label; 0 if the label does not exist. */
PetscErrorCode RhxMeshGetLabelFaceCount(RhxMesh mesh, const char *label, PetscInt *n);
/* Global number of faces under a label that lie between two cells (joined periodic sides are not counted). */
PetscErrorCode RhxMeshGetLabelInnerFaceCount(RhxMesh mesh, const char *label, PetscInt *n);
/* Local boundary faces under a label, each RHX_MAX_SIDES * its cell + the number of its side; destroy the IS after use;
 * empty on ranks without faces. */
PetscErrorCode RhxMeshGetLabelFaces(RhxMesh mesh, const char *label, IS *faces);
/* Global number of boundary faces that carry no label. */
PetscErrorCode RhxMeshGetUnlabelledFaceCount(RhxMesh mesh, PetscInt *n);
PetscErrorCode RhxMeshGetGlobalSize(RhxMesh mesh, PetscInt *ncells, PetscInt *nvertices);
/* Of every local vertex (plex point minus vStart): its number in the mesh before distribution, its position [dim]. */
PetscErrorCode RhxMeshGetVertices(RhxMesh mesh, const PetscInt **natural, const PetscReal **x);
/* A local cell: its type and its vertices (minus vStart) in VTK order; room for 8. */
PetscErrorCode RhxMeshGetCell(RhxMesh mesh, PetscInt cell, DMPolytopeType *type, PetscInt *nn, PetscInt vertex[]);
/* Positions of the nodes of every local cell as the cell sees them, [8][dim] each (the DM's own coordinates know no
 * periodic images); NULL: those of the vertices. */
PetscErrorCode RhxMeshGetCellPositions(RhxMesh mesh, const PetscReal **x);
/* NULL for types without kernels. */
const RhxCellSides *RhxCellTypeSides(DMPolytopeType type);
PetscErrorCode RhxMeshGetReorder(RhxMesh mesh, PetscBool *reorder); /* -mesh_order rcm */
#endif
