/* The sides of a list against the faces that PETSc makes of the same mesh: the graph of the cells, boundary faces. */
#include "mesh/impl.h"
#include "mesh/sides_impl.h"

static int failures;

static void expect(const char *what, const char *options, int ok)
{
  if (ok) return;
  (void)PetscPrintf(PETSC_COMM_WORLD, "FAIL %s: %s\n", options, what);
  failures++;
}

static PetscErrorCode compare_graph(const char *options, const RhxListSides *sides, PetscInt ncells, DM dm)
{
  PetscInt *start, *neighbour, *petsc_start, *petsc_neighbour, n;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(RhxListSidesGraph(sides, ncells, &start, &neighbour));
  PetscCall(DMPlexCreatePartitionerGraph(dm, 0, &n, &petsc_start, &petsc_neighbour, NULL));
  expect("another number of cells", options, n == ncells);
  PetscCall(PetscArraycmp(start, petsc_start, ncells + 1, &same));
  expect("another number of neighbours", options, same);
  if (same) PetscCall(PetscArraycmp(neighbour, petsc_neighbour, start[ncells], &same));
  expect("other neighbours", options, same);
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(neighbour));
  PetscCall(PetscFree(petsc_start));
  PetscCall(PetscFree(petsc_neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_faces(const char *options, const RhxListSides *sides, DM dm)
{
  PetscInt count[3] = {0}, fStart, fEnd;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; f++) {
    PetscInt n;
    PetscCall(DMPlexGetSupportSize(dm, f, &n));
    count[n]++;
  }
  for (PetscInt v = 0; v < sides->nvertices; v++)
    for (PetscInt k = sides->first[v], n; k < sides->first[v + 1]; k += n) {
      n = RhxListSidesEqual(sides, v, k);
      count[n]--;
    }
  expect("other boundary faces", options, !count[1]);
  expect("other inner faces", options, !count[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A fan of triangles round vertex 0: a bucket too large for insertion. */
static PetscErrorCode check_fan(void)
{
  enum { N = 200 };
  RhxCellList list = {0};
  RhxListSides sides;
  PetscInt *start, *neighbour;

  PetscFunctionBegin;
  PetscCall(RhxCellListAllocate(&list, 2, N, 3 * N, N + 1));
  for (PetscInt c = 0; c < N; c++) {
    list.type[c] = DM_POLYTOPE_TRIANGLE;
    list.offset[c + 1] = 3 * (c + 1);
    list.conn[3 * c] = 0;
    list.conn[3 * c + 1] = 1 + 7 * c % N;
    list.conn[3 * c + 2] = 1 + 7 * (c + 1) % N;
  }
  PetscCall(RhxListSidesCreate(&list, &sides));
  PetscCall(RhxListSidesGraph(&sides, N, &start, &neighbour));
  for (PetscInt c = 0; c < N; c++) {
    const PetscInt a = (c + N - 1) % N, b = (c + 1) % N, rim[2] = {list.conn[3 * c + 2], list.conn[3 * c + 1]};
    const PetscInt at = RhxListSidesFind(&sides, 2, rim);

    expect("neighbours of the fan", "fan", start[c + 1] - start[c] == 2);
    expect("neighbours of the fan", "fan",
           neighbour[2 * c] == PetscMin(a, b) && neighbour[2 * c + 1] == PetscMax(a, b));
    expect("rim of the fan", "fan", at >= 0 && sides.side[at].face == RHX_MAX_SIDES * c + 1);
  }
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(neighbour));
  PetscCall(RhxListSidesDestroy(&sides));
  PetscCall(RhxCellListDestroy(&list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(const char *options)
{
  const PetscInt nowhere[3] = {0, 1, 0};
  RhxMesh mesh;
  RhxBox box;
  RhxCellList list = {0};
  RhxListSides sides;
  DM flat, dm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  PetscCall(RhxMeshSetUp(mesh));
  PetscCall(RhxMeshGetDM(mesh, &flat));
  PetscCall(DMPlexInterpolate(flat, &dm));
  PetscCall(RhxMeshParseBox(mesh, &box));
  PetscCall(RhxCellListBox(&box, &list));
  PetscCall(RhxListSidesCreate(&list, &sides));
  PetscCall(compare_graph(options, &sides, list.ncells, dm));
  PetscCall(compare_faces(options, &sides, dm));
  expect("a side that no cell has is found", options, RhxListSidesFind(&sides, 3, nowhere) < 0);
  PetscCall(RhxListSidesDestroy(&sides));
  PetscCall(RhxCellListDestroy(&list));
  PetscCall(DMDestroy(&dm));
  PetscCall(RhxMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
  static const char *const meshes[] = {"-mesh_box_faces 5,4 -mesh_box_cell triangle",
                                       "-mesh_box_faces 5,4 -mesh_box_cell quadrilateral",
                                       "-mesh_box_faces 6,4 -mesh_box_cell mixed",
                                       "-mesh_box_faces 4,3,3 -mesh_box_cell tetrahedron",
                                       "-mesh_box_faces 4,3,2 -mesh_box_cell hexahedron",
                                       "-mesh_box_faces 4,3 -mesh_box_periodic x",
                                       "-mesh_box_faces 3,4,3 -mesh_box_cell tetrahedron -mesh_box_periodic xz",
                                       "-mesh_box_faces 3,4,3 -mesh_box_cell hexahedron -mesh_box_periodic xyz"};

  PetscFunctionBegin;
  PetscCall(RhxMeshRegisterOptions());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(meshes); k++) PetscCall(check(meshes[k]));
  PetscCall(check_fan());
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (run()) return 2;
  PetscCall(PetscFinalize());
  return failures != 0;
}
