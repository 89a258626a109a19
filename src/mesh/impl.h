/* The mesh object. */
#ifndef RHX_MESHIMPL_H
#define RHX_MESHIMPL_H
#include "mesh/celllist_impl.h"
#include "mesh/mesh.h"
#include <petscsf.h>

/* Slots of the options -mesh_... */
typedef struct {
  char file[RHX_STRING_LENGTH];
  char regions[RHX_STRING_LENGTH];
  int file_periodic;
  char periodic[RHX_STRING_LENGTH];
  char box_faces[RHX_STRING_LENGTH], box_lower[RHX_STRING_LENGTH], box_upper[RHX_STRING_LENGTH],
      box_periodic[RHX_STRING_LENGTH];
  int box_cell;
  double box_jitter, scale;
  int order;
} RhxMeshOptions;

struct _p_RhxMesh {
  MPI_Comm comm;
  RhxMeshOptions options;
  PetscInt refine[2];                  /* how often before and after distribution, -dm_refine_pre, -dm_refine */
  char source[RHX_STRING_LENGTH + 64]; /* "mesh file 'x.msh'", for messages */
  PetscInt nregions;  /* of cells in the file, those of none as one more; 0: it has no groups of cells */
  char regions[2048]; /* their names and sizes */
  DM dm;
  PetscInt dim, ncells, nvertices; /* global */
  RhxMeshQuality quality;
  PetscInt nlabels, nnames;
  char **label; /* [nnames] names of faces: nlabels sorted boundary labels, then those without boundary faces */
  PetscInt *label_faces; /* [nnames] global number of boundary faces */
  PetscInt *inner_faces; /* [nnames] global number of faces between two cells */
  PetscInt *face_start;  /* [nlabels + 1] of a label's local faces in face */
  PetscInt *face;        /* RHX_MAX_SIDES * local cell + side; by label, then by number */
  PetscInt unlabelled;   /* global number of boundary faces without a label */
  PetscInt *natural;     /* [local vertices] number in the cell list */
  PetscReal *x;          /* [local vertices][dim] */
  PetscReal *xc;         /* [local cells][RHX_MAX_CELL_NODES][dim], VTK order, or NULL: positions of the vertices */
};

/* Runs f(ctx), on rank 0 only or on all; the error of the first rank that has one becomes that of every rank. Collective. */
PetscErrorCode RhxMeshOnRank0(MPI_Comm comm, PetscErrorCode (*f)(void *), void *ctx);
PetscErrorCode RhxMeshOnAll(MPI_Comm comm, PetscErrorCode (*f)(void *), void *ctx);
/* A face of the whole mesh under a boundary label. */
typedef struct {
  PetscInt face, label; /* RHX_MAX_SIDES * cell + side; index in the mesh's labels */
} RhxNamedFace;

typedef struct {
  PetscInt n;
  RhxNamedFace *face;          /* [n] by face, then by label; rank 0 only, as the rest */
  PetscInt *start, *neighbour; /* graph of the cells, on several ranks */
} RhxMeshFaces;

/* Finds the boundary and its labels: fills label, label_faces and unlabelled of the mesh. Collective. */
PetscErrorCode RhxMeshFindFaces(RhxMesh mesh, RhxCellList *list, RhxMeshFaces *faces);
/* The local faces of every label: face_start and face of the mesh. migration NULL: one rank. Collective. */
PetscErrorCode RhxMeshMigrateFaces(RhxMesh mesh, PetscSF migration, const RhxMeshFaces *faces, PetscInt ncells);
/* Moves mesh->dm, whole on rank 0, to all ranks; *migration NULL: one rank. Collective. */
PetscErrorCode RhxMeshDistribute(RhxMesh mesh, PetscInt ncells, const RhxMeshFaces *faces, PetscSF *migration);
PetscErrorCode RhxMeshFacesDestroy(RhxMeshFaces *faces);
/* Leaves [lo, hi) of the migration as an SF of their own, whose roots are the points [rlo, rhi) of rank 0. */
PetscErrorCode RhxMeshRestrictSF(MPI_Comm comm, PetscSF migration, PetscInt lo, PetscInt hi, PetscInt rlo, PetscInt rhi,
                                 PetscSF *sf);
/* DMPlex, labels and vertex data from the list on rank 0. Collective. */
PetscErrorCode RhxMeshBuildPlex(RhxMesh mesh, RhxCellList *list);
/* Cells and vertices of this rank's list as points; ranks are joined by nothing yet. Collective. */
PetscErrorCode RhxMeshCreateTopology(MPI_Comm comm, PetscInt dim, const RhxCellList *list, DM *dm);
/* Positions as the list's cells see them, as xc of a mesh has them; free x. */
PetscErrorCode RhxMeshPadPositions(const RhxCellList *list, PetscReal **x);
/* Refines every rank's part mesh->refine[1] times, before it is described; number: of the local cells in the whole mesh.
 * Vertices get the numbers that they have if the whole mesh is refined. Collective. */
PetscErrorCode RhxMeshRefine(RhxMesh mesh, const PetscInt *number);
/* Positions, periodicity and labels of the mesh into its DM. Collective. */
PetscErrorCode RhxMeshDescribe(RhxMesh mesh);
PetscErrorCode RhxMeshParseBox(RhxMesh mesh, RhxBox *box);
#endif
