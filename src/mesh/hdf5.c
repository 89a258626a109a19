/* PETSc's HDF5 meshes (DMView of a DMPlex): read and checked here, walked by PETSc on one rank, taken apart into a cell
 * list. */
#include "mesh/celllist_impl.h"
#include "mesh/hdf5_plex_impl.h"
#include <stdlib.h>

static PetscErrorCode list_cells(const RhxH5Plex *plex, DM dm, RhxCellList *list)
{
  const PetscInt dim = plex->dim, first = plex->first[dim], ncells = plex->end[dim] - first;
  PetscInt n, nconn = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < ncells; c++) nconn += plex->size[first + c] == 6 ? 8 : plex->size[first + c];
  PetscCall(RhxCellListAllocate(list, dim, ncells, nconn, plex->end[0] - plex->first[0]));
  for (PetscInt c = 0; c < ncells; c++) {
    PetscInt *closure = NULL, *o = list->offset + c, nn = 0;

    PetscCall(DMPlexGetTransitiveClosure(dm, first + c, PETSC_TRUE, &n, &closure));
    for (PetscInt k = 0; k < n; k++)
      if (plex->depth[closure[2 * k]] == 0) list->conn[o[0] + nn++] = closure[2 * k] - plex->first[0];
    PetscCall(DMPlexRestoreTransitiveClosure(dm, first + c, PETSC_TRUE, &n, &closure));
    list->type[c] = rhx_cell_type(dim, nn);
    rhx_plex_vtk_order(list->type[c], list->conn + o[0]);
    o[1] = o[0] + nn;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces among the points of a label under a boundary name, cells as a region. */
static PetscErrorCode list_points(const RhxH5Plex *plex, DM dm, PetscInt n, const PetscInt *point, const char *name,
                                  PetscInt tag, RhxCellList *list)
{
  const PetscInt d = plex->dim - 1;
  PetscInt index;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    PetscInt *closure = NULL, size, v[4], nn = 0;

    PetscCheck(point[k] >= 0 && point[k] < plex->npoints, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "mesh file '%s' is damaged: the label '%s' holds point %" PetscInt_FMT ", expected 0 to %" PetscInt_FMT,
               plex->file.name, name, point[k], plex->npoints - 1);
    if (plex->depth[point[k]] == plex->dim) {
      PetscCall(RhxCellListAddRegion(list, name, tag, &index));
      PetscCall(RhxCellListAddMember(list, point[k] - plex->first[plex->dim], index));
    }
    if (point[k] < plex->first[d] || point[k] >= plex->end[d]) continue;
    PetscCall(RhxCellListAddName(list, name, &index));
    PetscCall(DMPlexGetTransitiveClosure(dm, point[k], PETSC_TRUE, &size, &closure));
    for (PetscInt i = 0; i < size; i++)
      if (plex->depth[closure[2 * i]] == 0) v[nn++] = closure[2 * i] - plex->first[0];
    PetscCall(DMPlexRestoreTransitiveClosure(dm, point[k], PETSC_TRUE, &size, &closure));
    PetscCall(RhxCellListAddFace(list, nn, v, index));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_label(const RhxH5Plex *plex, DM dm, const char *name, RhxCellList *list)
{
  const PetscBool numbered = (PetscBool)(!strcmp(name, "Face Sets") || !strcmp(name, "Cell Sets"));
  char group[2 * RHX_H5_PATH], path[4 * RHX_H5_PATH], value[64];

  PetscFunctionBegin;
  snprintf(group, sizeof(group), "%slabels/%s", plex->root, name);
  for (PetscInt k = 0;; k++) {
    PetscInt n, *point;
    PetscErrorCode ierr;

    PetscCall(RhxH5Member(&plex->file, group, k, sizeof(value), value));
    if (!value[0]) break;
    snprintf(path, sizeof(path), "%s/%s/indices", group, value);
    PetscCall(RhxH5Ints(&plex->file, path, &n, &point));
    ierr = list_points(plex, dm, n, point, numbered ? value : name, atoi(value), list);
    PetscCall(PetscFree(point));
    PetscCall(ierr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Named labels are boundaries and regions; the numbered sets only where nothing is named, and "marker" only where nothing else is. */
static PetscErrorCode list_labels(const RhxH5Plex *plex, DM dm, RhxCellList *list)
{
  static const char *const other[] = {"depth",       "celltype",  "rheoplex_boundary", "Cell Sets",
                                      "Vertex Sets", "Edge Sets", "Face Sets",         "marker"};
  static const char *const last[] = {"Face Sets", "marker"};
  char labels[RHX_H5_PATH + 16], name[256];

  PetscFunctionBegin;
  snprintf(labels, sizeof(labels), "%slabels", plex->root);
  if (!RhxH5IsGroup(&plex->file, labels)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0;; k++) {
    PetscBool named = PETSC_TRUE;

    PetscCall(RhxH5Member(&plex->file, labels, k, sizeof(name), name));
    if (!name[0]) break;
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(other); i++) named = (PetscBool)(named && strcmp(name, other[i]));
    if (named) PetscCall(list_label(plex, dm, name, list));
  }
  if (!list->nregions) PetscCall(list_label(plex, dm, "Cell Sets", list));
  for (PetscInt i = 0; i < 2 && !list->nfaces; i++) PetscCall(list_label(plex, dm, last[i], list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_plex(RhxH5Plex *plex, DM *dm, RhxCellList *list)
{
  PetscFunctionBegin;
  PetscCall(RhxH5PlexRead(plex));
  PetscCall(RhxH5PlexCheck(plex));
  PetscCall(RhxH5PlexCreateDM(plex, dm));
  PetscCall(list_cells(plex, *dm, list));
  PetscCall(RhxH5PlexPositions(plex, list->x));
  PetscCall(list_labels(plex, *dm, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListHDF5(const char *file, RhxCellList *list)
{
  RhxH5Plex plex;
  DM dm = NULL;
  PetscBool survived;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(RhxH5Probe(file, NULL, NULL, &survived));
  PetscCheck(survived, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is a damaged HDF5 file: the HDF5 library does not survive it, expected a whole one", file);
  PetscCall(PetscMemzero(&plex, sizeof(plex)));
  ierr = RhxH5Open(file, &plex.file);
  if (!ierr) ierr = list_plex(&plex, &dm, list);
  PetscCall(DMDestroy(&dm));
  PetscCall(RhxH5PlexDestroy(&plex));
  PetscCall(RhxH5Close(&plex.file));
  PetscFunctionReturn(ierr);
}
