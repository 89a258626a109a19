/* A mesh on one rank, whole or its part, as a list of cells. */
#ifndef RHX_CELLLIST_IMPL_H
#define RHX_CELLLIST_IMPL_H
#include "petsc_compat.h"
#include <petscdmplex.h>

#define RHX_MAX_CELL_NODES 8

typedef struct {
  double hmin, hmax;                /* shortest and longest edge, m */
  double aspect;                    /* largest ratio of the edges of one cell */
  double jacobian;                  /* smallest scaled corner Jacobian: sine of the corner, 1 for a right angle */
  PetscInt count[DM_NUM_POLYTOPES]; /* cells of each type */
} RhxMeshQuality;

/* A physical group of cells. */
typedef struct {
  char *name;
  PetscInt tag, ncells;
} RhxRegion;

typedef struct {
  PetscInt cell, region;
} RhxMember;

typedef struct {
  PetscInt dim, nvertices, ncells;
  DMPolytopeType *type; /* [ncells] */
  PetscInt *offset;     /* [ncells + 1] of a cell's nodes in conn */
  PetscInt *conn;       /* [offset[ncells]] vertices in VTK order; periodic images are one vertex */
  PetscReal *x;         /* [nvertices][dim], m */
  PetscReal *xc;        /* [offset[ncells]][dim] positions as the cell sees them, or NULL: those of the vertices */
  PetscInt *entity;     /* [ncells] geometric entity, whose cells have one orientation; or NULL */
  PetscInt *number;     /* [ncells] number of a cell in the whole mesh, or NULL: that in the list, which is the whole */
  PetscInt nfaces;
  PetscInt *face;      /* [nfaces][4] vertices of a named boundary face, the tail -1 */
  PetscInt *face_name; /* [nfaces] index in name; a face of two names is listed twice */
  PetscInt nnames;
  char **name; /* [nnames] */
  PetscInt nregions, nmembers;
  RhxRegion *regions; /* [nregions] */
  RhxMember *members; /* [nmembers] a cell of two regions is listed twice */
} RhxCellList;

/* Room for ncells cells, nconn cell nodes, nvertices vertices. */
PetscErrorCode RhxCellListAllocate(RhxCellList *list, PetscInt dim, PetscInt ncells, PetscInt nconn,
                                   PetscInt nvertices);
/* Index of a boundary name, added if new; a name that cannot be part of an option is an error. */
PetscErrorCode RhxCellListAddName(RhxCellList *list, const char *name, PetscInt *index);
PetscErrorCode RhxCellListAddFace(RhxCellList *list, PetscInt nn, const PetscInt *vertices, PetscInt name);
/* Index of a region, added if new. */
PetscErrorCode RhxCellListAddRegion(RhxCellList *list, const char *name, PetscInt tag, PetscInt *index);
PetscErrorCode RhxCellListAddMember(RhxCellList *list, PetscInt cell, PetscInt region);
/* "'blood' (26 cells), 'wall' (16 cells)"; *n: how many there are, cells of none as one more; 0: the list has no regions. */
PetscErrorCode RhxCellListDescribeRegions(const RhxCellList *list, size_t size, char *text, PetscInt *n);
/* Leaves the cells of the regions that are given, "blood,12" by name or number; "": all. Of the regions it changes nothing. */
PetscErrorCode RhxCellListChoose(RhxCellList *list, const char *source, const char *given);
PetscErrorCode RhxCellListForgetRegions(RhxCellList *list);
/* Sorts the names (and renumbers face_name). */
PetscErrorCode RhxCellListSortNames(RhxCellList *list);
PetscErrorCode RhxCellListScale(RhxCellList *list, PetscReal scale);
/* Joins pairs of labels, "left,right;bottom,top": the second is the first moved by a translation, and becomes it. Their faces then
 * lie inside. */
PetscErrorCode RhxCellListJoin(RhxCellList *list, const char *pairs);
/* Uniformly, so many times; faces and names stay. The list has been checked: RhxCellListCheck. */
PetscErrorCode RhxCellListRefine(RhxCellList *list, PetscInt levels);
/* Turns entities of the other orientation; error if a cell is inverted or degenerate. `source` is named in the error. */
PetscErrorCode RhxCellListCheck(RhxCellList *list, const char *source, RhxMeshQuality *quality);
PetscErrorCode RhxCellListDestroy(RhxCellList *list);

typedef struct {
  PetscInt n, faces[3]; /* n: dimension */
  PetscReal lower[3], upper[3];
  PetscBool periodic[3];
  DMPolytopeType cell;
  PetscBool mixed;
  PetscReal jitter; /* largest displacement of interior nodes over the cell size */
} RhxBox;
PetscErrorCode RhxCellListBox(const RhxBox *box, RhxCellList *list);
/* Gmsh .msh 2.2 or 4.1, ascii or binary. periodic: identify the nodes of $Periodic. */
PetscErrorCode RhxCellListGmsh(const char *file, PetscBool periodic, RhxCellList *list);
/* PETSc HDF5 (DMView of a DMPlex). */
PetscErrorCode RhxCellListHDF5(const char *file, RhxCellList *list);

/* Plex and VTK number the corners of tets and hexes in opposite senses; swaps in place, its own inverse. */
static inline void rhx_plex_vtk_order(DMPolytopeType type, PetscInt *v)
{
  const PetscInt a = type == DM_POLYTOPE_HEXAHEDRON ? 1 : 0, b = type == DM_POLYTOPE_HEXAHEDRON ? 3 : 1;

  if (type == DM_POLYTOPE_TETRAHEDRON || type == DM_POLYTOPE_HEXAHEDRON) {
    const PetscInt t = v[a];
    v[a] = v[b];
    v[b] = t;
  }
}

static inline PetscInt rhx_cell_number(const RhxCellList *list, PetscInt c)
{
  return list->number ? list->number[c] : c;
}

static inline DMPolytopeType rhx_cell_type(PetscInt dim, PetscInt nn)
{
  if (dim == 2) return nn == 3 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_QUADRILATERAL;
  return nn == 4 ? DM_POLYTOPE_TETRAHEDRON : DM_POLYTOPE_HEXAHEDRON;
}

static inline PetscInt rhx_cell_nodes(DMPolytopeType type)
{
  switch (type) {
  case DM_POLYTOPE_TRIANGLE:
    return 3;
  case DM_POLYTOPE_QUADRILATERAL:
    return 4;
  case DM_POLYTOPE_TETRAHEDRON:
    return 4;
  case DM_POLYTOPE_HEXAHEDRON:
    return 8;
  default:
    return 0;
  }
}
#endif
