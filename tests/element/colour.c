/* Colours of elements and lists of contributions on every kind of mesh.
 * -test_folder: of the .msh files; -mesh_...: that mesh alone, with the colours printed. */
#include "space/colour.h"
#include "petsc_compat.h"

static const char *const meshes[] = {
    "-mesh_box_faces 9,7 -mesh_box_cell triangle",
    "-mesh_box_faces 9,7",
    "-mesh_box_faces 9,7 -mesh_order none",
    "-mesh_box_faces 9,7 -mesh_box_cell mixed",
    "-mesh_box_faces 5,4,6 -mesh_box_cell tetrahedron",
    "-mesh_box_faces 5,4,6",
    "-mesh_box_faces 5,7 -mesh_box_cell triangle -mesh_box_periodic x",
    "-mesh_box_faces 6,4 -mesh_box_cell mixed -mesh_box_periodic xy",
    "-mesh_box_faces 4,3,5 -mesh_box_cell tetrahedron -mesh_box_periodic xyz",
    "-mesh_box_faces 4,3,5 -mesh_box_periodic x,z",
    "-mesh_box_faces 1,1 -mesh_box_cell triangle",
    "-mesh_file %s/triangles.msh",
    "-mesh_file %s/quadrilaterals.msh",
    "-mesh_file %s/mixed.msh",
    "-mesh_file %s/tetrahedra.msh",
    "-mesh_file %s/hexahedra.msh",
    "-mesh_file %s/periodic.msh",
};

static int failures = 0;

static void expect(const char *mesh, const char *what, PetscInt got, PetscInt expected)
{
  if (got == expected) return;
  failures++;
  fprintf(stderr, "FAIL %s: %s: got %d, expected %d\n", mesh, what, (int)got, (int)expected);
}

/* Every element once, ascending in its colour; no node twice in a colour. */
static PetscErrorCode check_colours(RhxSpace s, const RhxCells *ce, const char *mesh, PetscBool print)
{
  RhxColouring co;
  PetscInt *seen, *last, shared = 0, descending = 0, missed = 0, empty = 0;
  PetscInt largest = 0;

  PetscFunctionBegin;
  PetscCall(RhxSpaceColourCells(s, ce, &co));
  PetscCall(PetscCalloc1(ce->n, &seen));
  PetscCall(PetscCalloc1(s->nlocal, &last));
  expect(mesh, "colours without elements", ce->n ? 0 : co.ncolours, 0);
  for (PetscInt c = 0; c < co.ncolours; c++) {
    empty += co.start[c + 1] <= co.start[c];
    largest = PetscMax(largest, co.start[c + 1] - co.start[c]);
    for (PetscInt k = co.start[c]; k < co.start[c + 1]; k++) {
      descending += k > co.start[c] && co.element[k] <= co.element[k - 1];
      seen[co.element[k]]++;
      for (PetscInt a = 0; a < ce->nn; a++) {
        const PetscInt node = RhxCellsNode(ce, co.element[k], a);
        shared += last[node] == c + 1;
        last[node] = c + 1;
      }
    }
  }
  for (PetscInt e = 0; e < ce->n; e++) missed += seen[e] != 1;
  expect(mesh, "start of the first colour", co.start[0], 0);
  expect(mesh, "end of the last colour", co.start[co.ncolours], ce->n);
  expect(mesh, "nodes shared in a colour", shared, 0);
  expect(mesh, "elements out of order in a colour", descending, 0);
  expect(mesh, "elements not exactly once", missed, 0);
  expect(mesh, "empty colours", empty, 0);
  if (print)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d elements, %d colours, largest %d\n", DMPolytopeTypes[ce->type],
                          (int)ce->n, (int)co.ncolours, (int)largest));
  PetscCall(PetscFree(seen));
  PetscCall(PetscFree(last));
  PetscCall(RhxColouringDestroy(&co));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every entry once, ascending at its node. */
static PetscErrorCode check_list(RhxSpace s, const RhxCells *ce, const char *mesh)
{
  RhxGatherList li;
  PetscInt wrong = 0, descending = 0, missed = 0, *seen;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGatherList(s, ce, &li));
  PetscCall(PetscCalloc1(ce->n * ce->nn, &seen));
  for (PetscInt i = 0; i < li.n; i++)
    for (PetscInt k = li.start[i]; k < li.start[i + 1]; k++) {
      wrong += RhxCellsNode(ce, li.entry[k] / ce->nn, li.entry[k] % ce->nn) != i;
      descending += k > li.start[i] && li.entry[k] <= li.entry[k - 1];
      seen[li.entry[k]]++;
    }
  for (PetscInt k = 0; k < ce->n * ce->nn; k++) missed += seen[k] != 1;
  expect(mesh, "nodes of the list", li.n, s->nlocal);
  expect(mesh, "entries of the list", li.start[li.n], ce->n * ce->nn);
  expect(mesh, "entries at a wrong node", wrong, 0);
  expect(mesh, "entries out of order at a node", descending, 0);
  expect(mesh, "entries not exactly once", missed, 0);
  PetscCall(PetscFree(seen));
  PetscCall(RhxGatherListDestroy(&li));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_mesh(const char *name, PetscBool print)
{
  RhxMesh mesh;
  RhxSpace s;
  RhxFields fields;
  PetscInt dim;

  PetscFunctionBegin;
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  PetscCall(RhxMeshSetUp(mesh));
  PetscCall(RhxMeshGetDimension(mesh, &dim));
  PetscCall(RhxFieldsCreate(PETSC_COMM_WORLD, dim, dim == 2 ? 3 : 6, &fields));
  PetscCall(RhxFieldsAddFlow(fields, 1, 1, "stress", "Pa", NULL));
  PetscCall(RhxSpaceCreate(mesh, &fields, &s));
  for (PetscInt k = 0; k < s->ntypes; k++) {
    PetscCall(check_colours(s, &s->cells[k], name, print));
    PetscCall(check_list(s, &s->cells[k], name));
  }
  PetscCall(RhxSpaceDestroy(&s));
  PetscCall(RhxMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
  char folder[PETSC_MAX_PATH_LEN] = ".", options[PETSC_MAX_PATH_LEN + 32];
  PetscBool file, box;

  PetscFunctionBegin;
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-test_folder", folder, sizeof(folder), NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mesh_file", &file));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mesh_box_faces", &box));
  if (file || box) {
    PetscCall(check_mesh("mesh of the command line", PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < (int)PETSC_STATIC_ARRAY_LENGTH(meshes); k++) {
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscSNPrintf(options, sizeof(options), meshes[k], folder));
    PetscCall(PetscOptionsInsertString(NULL, options));
    PetscCall(check_mesh(meshes[k], PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (run()) return 2;
  PetscCall(PetscFinalize());
  return failures != 0;
}
