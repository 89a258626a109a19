/* A mesh written by PETSc as HDF5 and read again: the same nodes, cells and labels, and one of its sets of cells; cut off, an error.
 * The mesh of the options is written to the file of -test_hdf5. */
#include "mesh/regions.h"
#include "petsc_compat.h"
#include <petscviewerhdf5.h>
#include <stdio.h>
#include <unistd.h>

static PetscErrorCode read_mesh(const char *file, RhxMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_box_faces"));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_file", file));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RhxMeshSetFromOptions(*mesh));
  PetscCall(RhxMeshSetUp(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(RhxMesh a, RhxMesh b, int *bad)
{
  PetscInt n[2], m[2], na, nb;
  const char *const *la, *const *lb;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetGlobalSize(a, &n[0], &n[1]));
  PetscCall(RhxMeshGetGlobalSize(b, &m[0], &m[1]));
  *bad += n[0] != m[0] || n[1] != m[1];
  PetscCall(RhxMeshGetLabels(a, &na, &la));
  PetscCall(RhxMeshGetLabels(b, &nb, &lb));
  *bad += na != nb;
  for (PetscInt k = 0; k < na && k < nb; k++) {
    *bad += strcmp(la[k], lb[k]) != 0;
    PetscCall(RhxMeshGetLabelFaceCount(a, la[k], &n[0]));
    PetscCall(RhxMeshGetLabelFaceCount(b, la[k], &m[0]));
    *bad += n[0] != m[0];
  }
  PetscCall(RhxMeshGetUnlabelledFaceCount(b, &n[0]));
  *bad += n[0] != 0;
  if (*bad) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "FAIL the mesh read from HDF5 is another one\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The point of a face that is side `side` of a cell. */
static PetscErrorCode find_face(DM dm, const RhxCellSides *sides, PetscInt side, const PetscInt *vertex, PetscInt *face)
{
  PetscInt points[4], n, vStart;
  const PetscInt *join;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, NULL));
  for (PetscInt a = 0; a < sides->nn; a++) points[a] = vStart + vertex[sides->node[side][a]];
  PetscCall(DMPlexGetFullJoin(dm, sides->nn, points, &n, &join));
  PetscCheck(n == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " faces have the same vertices", n);
  *face = join[0];
  PetscCall(DMPlexRestoreJoin(dm, sides->nn, points, &n, &join));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode label_faces(RhxMesh mesh, const char *name, DM dm)
{
  IS is;
  const PetscInt *face;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, name));
  PetscCall(RhxMeshGetLabelFaces(mesh, name, &is));
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &face));
  for (PetscInt k = 0; k < n; k++) {
    DMPolytopeType type;
    PetscInt vertex[8], nn, point = 0;

    PetscCall(RhxMeshGetCell(mesh, face[k] / RHX_MAX_SIDES, &type, &nn, vertex));
    PetscCall(find_face(dm, RhxCellTypeSides(type), face[k] % RHX_MAX_SIDES, vertex, &point));
    PetscCall(DMSetLabelValue(dm, name, point, 1));
  }
  PetscCall(ISRestoreIndices(is, &face));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every third cell in set 7, the others in set 4. */
static PetscErrorCode set_cells(DM dm)
{
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; c++) PetscCall(DMSetLabelValue(dm, "Cell Sets", c, c % 3 ? 4 : 7));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_sets(RhxMesh whole, const char *file, int *bad)
{
  RhxMesh part = NULL;
  const char *text;
  PetscInt n, ncells, chosen;
  PetscBool all;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetGlobalSize(whole, &ncells, NULL));
  PetscCall(RhxMeshGetRegions(whole, &n, &text, &all));
  *bad += n != 2 || !all;
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_regions", "7"));
  PetscCall(read_mesh(file, &part));
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_regions"));
  PetscCall(RhxMeshGetGlobalSize(part, &chosen, NULL));
  *bad += chosen != (ncells + 2) / 3;
  if (*bad) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "FAIL the sets of cells: %s\n", text));
  PetscCall(RhxMeshDestroy(&part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh as another program of PETSc has it: with faces, some of them labelled, and sets of cells. */
static PetscErrorCode interpolate(RhxMesh mesh, DM *dm)
{
  const char *const *names;
  PetscInt n;
  DM flat;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(mesh, &flat));
  PetscCall(DMPlexInterpolate(flat, dm));
  PetscCall(PetscObjectSetName((PetscObject)*dm, "mesh"));
  PetscCall(RhxMeshGetLabels(mesh, &n, &names));
  for (PetscInt k = 0; k < n; k++) PetscCall(label_faces(mesh, names[k], *dm));
  PetscCall(set_cells(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(int *bad)
{
  char file[PETSC_MAX_PATH_LEN] = "mesh.h5";
  RhxMesh mesh, again = NULL;
  PetscViewer viewer;
  DM dm;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-test_hdf5", file, sizeof(file), NULL));
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  PetscCall(RhxMeshSetUp(mesh));
  PetscCall(interpolate(mesh, &dm));
  PetscCall(PetscViewerHDF5Open(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
  PetscCall(DMView(dm, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(DMDestroy(&dm));
  PetscCall(read_mesh(file, &again));
  PetscCall(compare(mesh, again, bad));
  PetscCall(check_sets(again, file, bad));
  PetscCall(RhxMeshDestroy(&again));
  PetscCall(RhxMeshDestroy(&mesh));
  PetscCheck(!truncate(file, 3000), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot truncate %s", file);
  PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  ierr = read_mesh(file, &again);
  PetscCall(PetscPopErrorHandler());
  if (!ierr) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "FAIL a truncated HDF5 file is read\n"));
  *bad += !ierr;
  PetscCall(RhxMeshDestroy(&again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int bad = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (run(&bad)) return 2;
  PetscCall(PetscFinalize());
  return bad != 0;
}
