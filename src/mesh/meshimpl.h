/* The mesh object. Private to the mesh room. */
#ifndef RHX_MESHIMPL_H
#define RHX_MESHIMPL_H
#include "mesh/celllist.h"
#include "mesh/mesh.h"

/* Slots of the options -mesh_... */
typedef struct {
  char file[RHX_STRING_LENGTH];
  int file_periodic;
  char box_faces[RHX_STRING_LENGTH], box_lower[RHX_STRING_LENGTH], box_upper[RHX_STRING_LENGTH],
      box_periodic[RHX_STRING_LENGTH];
  int box_cell;
  double box_jitter, scale;
  int order;
} RhxMeshOptions;

struct _p_RhxMesh {
  MPI_Comm comm;
  RhxMeshOptions options;
  char source[RHX_STRING_LENGTH + 64]; /* "mesh file 'x.msh'", for messages */
  DM dm;
  PetscInt dim, ncells, nvertices; /* global */
  RhxMeshQuality quality;
  PetscInt nlabels;
  char **label;          /* [nlabels] sorted */
  PetscInt *label_faces; /* [nlabels] global number of faces */
  PetscInt unlabelled;   /* global number of boundary faces without a label */
  PetscInt *natural;     /* [local vertices] number in the cell list */
  PetscReal *x;          /* [local vertices][dim] */
  PetscReal *xc;         /* [local cells][RHX_MAX_CELL_NODES][dim], VTK order, or NULL: positions of the vertices */
};

/* Runs f(ctx) on rank 0 only; its error becomes one error on every rank. Collective. */
PetscErrorCode RhxMeshOnRank0(MPI_Comm comm, PetscErrorCode (*f)(void *), void *ctx);
/* DMPlex, labels and vertex data from the list on rank 0. Collective. */
PetscErrorCode RhxMeshBuildPlex(RhxMesh mesh, RhxCellList *list);
PetscErrorCode RhxMeshParseBox(RhxMesh mesh, RhxBox *box);
#endif
