/* PETSc's HDF5 meshes (DMView of a DMPlex), read by PETSc on one rank and taken apart into a cell list. */
#include "mesh/celllist.h"
#include <hdf5.h>
#include <petscviewerhdf5.h>

static herr_t first_name(hid_t group, const char *name, const H5L_info_t *info, void *out)
{
  (void)group, (void)info;
  snprintf((char *)out, 256, "%s", name);
  return 1;
}

/* HDF5's own look at the file, so that a damaged one is one sentence; `name` is the mesh in it. */
static PetscErrorCode inspect(const char *file, char name[256])
{
  hid_t h;
  htri_t flat = 0, named = 0;

  PetscFunctionBegin;
  name[0] = 0;
  H5E_BEGIN_TRY
  {
    h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h >= 0) {
      flat = H5Lexists(h, "topology", H5P_DEFAULT);
      named = H5Lexists(h, "topologies", H5P_DEFAULT);
      if (named > 0)
        (void)H5Literate_by_name(h, "topologies", H5_INDEX_NAME, H5_ITER_INC, NULL, first_name, name, H5P_DEFAULT);
      (void)H5Fclose(h);
    }
  }
  H5E_END_TRY
  PetscCheck(h >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is a damaged or truncated HDF5 file: expected a whole one", file);
  PetscCheck(flat > 0 || name[0], PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "HDF5 file '%s' holds no mesh: expected a group 'topology' or 'topologies' (DMView of a DMPlex)", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_cells(DM dm, RhxCellList *list)
{
  PetscInt cStart, cEnd, vStart, vEnd, dim, nconn = 0, n;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  for (PetscInt c = cStart; c < cEnd; c++) {
    DMPolytopeType type;

    PetscCall(DMPlexGetCellType(dm, c, &type));
    PetscCheck(rhx_cell_nodes(type), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "the HDF5 mesh has a cell of type %s, which has no kernels: expected triangles, quadrilaterals, "
               "tetrahedra or hexahedra",
               DMPolytopeTypes[type]);
    nconn += rhx_cell_nodes(type);
  }
  PetscCall(RhxCellListAllocate(list, dim, cEnd - cStart, nconn, vEnd - vStart));
  for (PetscInt c = cStart; c < cEnd; c++) {
    PetscInt *closure = NULL, *o = list->offset + (c - cStart), nn = 0;

    PetscCall(DMPlexGetCellType(dm, c, &list->type[c - cStart]));
    PetscCall(DMPlexGetTransitiveClosure(dm, c, PETSC_TRUE, &n, &closure));
    for (PetscInt k = 0; k < n; k++)
      if (closure[2 * k] >= vStart && closure[2 * k] < vEnd) list->conn[o[0] + nn++] = closure[2 * k] - vStart;
    PetscCall(DMPlexRestoreTransitiveClosure(dm, c, PETSC_TRUE, &n, &closure));
    rhx_plex_vtk_order(list->type[c - cStart], list->conn + o[0]);
    o[1] = o[0] + nn;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_positions(DM dm, RhxCellList *list)
{
  PetscSection section;
  Vec coordinates, cellwise;
  const PetscScalar *a;
  PetscInt vStart, vEnd, dim;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCheck(dim == list->dim, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "the HDF5 mesh has %" PetscInt_FMT "D cells in %" PetscInt_FMT "D space: expected the same dimension",
             list->dim, dim);
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetCellCoordinatesLocal(dm, &cellwise));
  PetscCheck(!cellwise, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "the HDF5 mesh is periodic, which is not read from HDF5: expected a Gmsh file or -mesh_box_periodic");
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(VecGetArrayRead(coordinates, &a));
  for (PetscInt v = vStart; v < vEnd; v++) {
    PetscInt offset;

    PetscCall(PetscSectionGetOffset(section, v, &offset));
    for (PetscInt d = 0; d < dim; d++) list->x[(v - vStart) * dim + d] = PetscRealPart(a[offset + d]);
  }
  PetscCall(VecRestoreArrayRead(coordinates, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of one stratum of a label under a boundary name. */
static PetscErrorCode list_stratum(DM dm, DMLabel label, PetscInt value, const char *name, RhxCellList *list)
{
  IS is;
  const PetscInt *points;
  PetscInt n, fStart, fEnd, vStart, vEnd, index;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMLabelGetStratumIS(label, value, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &points));
  for (PetscInt k = 0; k < n; k++) {
    PetscInt *closure = NULL, size, v[4], nn = 0;

    if (points[k] < fStart || points[k] >= fEnd) continue;
    PetscCall(RhxCellListAddName(list, name, &index));
    PetscCall(DMPlexGetTransitiveClosure(dm, points[k], PETSC_TRUE, &size, &closure));
    for (PetscInt i = 0; i < size; i++)
      if (closure[2 * i] >= vStart && closure[2 * i] < vEnd) v[nn++] = closure[2 * i] - vStart;
    PetscCall(DMPlexRestoreTransitiveClosure(dm, points[k], PETSC_TRUE, &size, &closure));
    PetscCall(RhxCellListAddFace(list, nn, v, index));
  }
  PetscCall(ISRestoreIndices(is, &points));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_label(DM dm, const char *name, RhxCellList *list)
{
  DMLabel label;
  IS values;
  const PetscInt *value;
  PetscInt n;
  PetscBool numbered;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(name, "Face Sets", &numbered));
  PetscCall(DMGetLabel(dm, name, &label));
  PetscCall(DMLabelGetValueIS(label, &values));
  PetscCall(ISGetLocalSize(values, &n));
  PetscCall(ISGetIndices(values, &value));
  for (PetscInt k = 0; k < n; k++) {
    char number[16];

    PetscCall(PetscSNPrintf(number, sizeof(number), "%" PetscInt_FMT, value[k]));
    PetscCall(list_stratum(dm, label, value[k], numbered ? number : name, list));
  }
  PetscCall(ISRestoreIndices(values, &value));
  PetscCall(ISDestroy(&values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Named labels are boundaries; the numbered sets only where nothing is named, and "marker" only where nothing else is. */
static PetscErrorCode list_labels(DM dm, RhxCellList *list)
{
  static const char *const other[] = {"depth",       "celltype",  "rheoplex_boundary", "Cell Sets",
                                      "Vertex Sets", "Edge Sets", "Face Sets",         "marker"};
  static const char *const last[] = {"Face Sets", "marker"};
  PetscInt n;
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(DMGetNumLabels(dm, &n));
  for (PetscInt k = 0; k < n; k++) {
    const char *name;

    PetscCall(DMGetLabelName(dm, k, &name));
    has = PETSC_TRUE;
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(other); i++) has = (PetscBool)(has && strcmp(name, other[i]));
    if (has) PetscCall(list_label(dm, name, list));
  }
  for (PetscInt i = 0; i < 2 && !list->nfaces; i++) {
    PetscCall(DMHasLabel(dm, last[i], &has));
    if (has) PetscCall(list_label(dm, last[i], list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListHDF5(const char *file, RhxCellList *list)
{
  DM dm = NULL;
  char name[256];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(inspect(file, name));
  PetscCall(DMPlexCreateFromFile(PETSC_COMM_SELF, file, name[0] ? name : "mesh", PETSC_TRUE, &dm));
  ierr = list_cells(dm, list);
  if (!ierr) ierr = list_positions(dm, list);
  if (!ierr) ierr = list_labels(dm, list);
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(ierr);
}
