/* Index lists of the element kernels on every kind of mesh: tiles, their records, colours, owners.
 * -test_folder: of the .msh files. */
#include "form/cuda/tiles.h"
#include "petsc_compat.h"
#include "space/colour.h"

static const char *const meshes[] = {
    "-mesh_box_faces 9,7 -mesh_box_cell triangle",
    "-mesh_box_faces 9,7",
    "-mesh_box_faces 9,7 -mesh_box_cell mixed",
    "-mesh_box_faces 5,4,6 -mesh_box_cell tetrahedron",
    "-mesh_box_faces 5,4,6",
    "-mesh_box_faces 5,7 -mesh_box_cell triangle -mesh_box_periodic x",
    "-mesh_box_faces 4,3,5 -mesh_box_cell tetrahedron -mesh_box_periodic xyz",
    "-mesh_box_faces 4,3,5 -mesh_box_periodic x,z",
    "-mesh_box_faces 1,1 -mesh_box_cell triangle",
    "-mesh_file %s/mixed.msh",
    "-mesh_file %s/hexahedra.msh",
    "-mesh_file %s/periodic.msh",
};

static int failures = 0;

static void expect(const char *mesh, const char *what, double got, double expected)
{
  if (got == expected) return;
  failures++;
  fprintf(stderr, "FAIL %s: %s: got %.17g, expected %.17g\n", mesh, what, got, expected);
}

/* Slot of node a (VTK order) of element e of a tile, as the kernels count. */
static PetscInt slot_of(const RhxTiles *ti, const RhxCells *ce, PetscInt dim, PetscInt e, PetscInt a)
{
  static const PetscInt corner[] = {0, 1, 3, 2, 4, 5, 7, 6}; /* number of the corner with these signs */
  return ce->nn == 1 << dim ? e * ce->nn + corner[a] : a * ti->size + e;
}

/* A number of an element: of its nodes in order and where they are. */
static double signature(PetscInt a, PetscInt node, const double *x, PetscInt dim)
{
  double s = PetscSinReal(1.0 + a) * (node + 1.0);
  for (PetscInt d = 0; d < dim; d++) s += PetscCosReal(1.0 + a + 10.0 * d) * x[d];
  return s;
}

/* Elements, the same in the tiles and in the cells, and every slot in one list. */
static PetscErrorCode check_elements(RhxSpace s, const RhxCells *ce, const RhxTiles *ti, const char *mesh)
{
  const PetscInt dim = s->dim, nn = ce->nn;
  PetscInt n = 0, wrong = 0, repeated = 0;
  double *got, *expected, difference = 0.0;
  int *seen;
  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)ti->ntiles * ti->size, &got, ce->n, &expected, ti->slots, &seen));
  for (PetscInt t = 0; t < ti->ntiles; t++) {
    const int first = ti->tile[t];
    PetscInt entries = 0;
    PetscCall(PetscArrayzero(seen, ti->slots));
    for (int k = first; k < ti->tile[t + 1]; k++)
      for (int j = ti->start[k]; j < ti->start[k + 1]; j++, entries++) {
        repeated += seen[ti->entry[j]]++;
        wrong += ti->member[(size_t)t * ti->slots + ti->entry[j]] != k - first;
        wrong += j > ti->start[k] && ti->entry[j] <= ti->entry[j - 1];
      }
    for (PetscInt e = 0; e < entries / nn; e++) {
      got[n] = 0.0;
      for (PetscInt a = 0; a < nn; a++) {
        const PetscInt slot = slot_of(ti, ce, dim, e, a), k = first + ti->member[(size_t)t * ti->slots + slot];
        wrong += !seen[slot];
        got[n] += signature(a, ti->node[k], ti->coord + k * dim, dim);
      }
      n++;
    }
  }
  expect(mesh, "elements of the tiles", n, ce->n);
  for (PetscInt e = 0; e < ce->n; e++) {
    expected[e] = 0.0;
    for (PetscInt a = 0; a < nn; a++) {
      double x[3];
      for (PetscInt d = 0; d < dim; d++) x[d] = ce->x[((e / RHX_LANES * nn + a) * dim + d) * RHX_LANES + e % RHX_LANES];
      expected[e] += signature(a, RhxCellsNode(ce, e, a), x, dim);
    }
  }
  if (n == ce->n) {
    PetscCall(PetscSortReal(n, got));
    PetscCall(PetscSortReal(n, expected));
    for (PetscInt e = 0; e < n; e++) difference = PetscMax(difference, PetscAbsReal(got[e] - expected[e]));
  }
  expect(mesh, "elements that differ", difference, 0.0);
  expect(mesh, "slots in two lists", repeated, 0);
  expect(mesh, "slots in a wrong list or out of order", wrong, 0);
  PetscCall(PetscFree3(got, expected, seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tiles that run together share no node. */
static PetscErrorCode check_colours(RhxSpace s, const RhxTiles *ti, const char *mesh)
{
  PetscInt *last, shared = 0;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(s->nlocal, &last));
  for (PetscInt c = 0; c < ti->nlaunches; c++)
    for (int k = ti->tile[ti->launch[c]]; k < ti->tile[ti->launch[c + 1]]; k++) {
      shared += last[ti->node[k]] == c + 1 || ti->start[k + 1] != ti->start[k] + 1;
      last[ti->node[k]] = c + 1;
    }
  expect(mesh, "nodes shared in a colour", shared, 0);
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_owners(RhxSpace s, const RhxTiles *ti, const char *mesh)
{
  int *start, *entry;
  PetscInt wrong = 0;
  PetscFunctionBegin;
  PetscCall(RhxTilesGatherList(ti, s->nlocal, &start, &entry));
  expect(mesh, "first owner", start[0], 0);
  expect(mesh, "entries of the owners", start[s->nlocal], ti->nnodes);
  for (PetscInt i = 0; i < s->nlocal; i++)
    for (int j = start[i]; j < start[i + 1]; j++)
      wrong += ti->node[entry[j]] != i || (j > start[i] && entry[j] <= entry[j - 1]);
  expect(mesh, "entries of a wrong owner or out of order", wrong, 0);
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every record, read as the kernels do. */
static PetscErrorCode check_records(RhxSpace s, const RhxTiles *ti, const char *mesh)
{
  const PetscInt dim = s->dim;
  size_t stride;
  char *records;
  PetscInt wrong = 0;
  PetscFunctionBegin;
  PetscCall(RhxTilesPack(ti, dim, &stride, &records));
  wrong += stride % 16 != 0;
  for (PetscInt t = 0; t < ti->ntiles; t++) {
    const char *at = records + stride * t;
    const int *head = (const int *)at, n = head[0], first = head[1];
    const double *coord = (const double *)(at + 16);
    const int *node = (const int *)(coord + ti->most * dim);
    const unsigned short *start = (const unsigned short *)(node + ti->most);
    const unsigned char *row = (const unsigned char *)(start + ti->most + 1), *entry = row + ti->most,
                        *member = entry + ti->slots;
    wrong += n != ti->tile[t + 1] - ti->tile[t] || first != ti->tile[t] || n > ti->most;
    for (int k = 0; k < n; k++) {
      wrong += node[k] != ti->node[first + k];
      wrong += start[k + 1] - start[k] != ti->start[first + k + 1] - ti->start[first + k];
      wrong += row[k] != ti->row[first + k];
      for (PetscInt d = 0; d < dim; d++) wrong += coord[row[k] * dim + d] != ti->coord[(first + k) * dim + d];
      for (int j = start[k]; j < start[k + 1]; j++) wrong += entry[j] != ti->entry[ti->start[first] + j];
    }
    for (PetscInt slot = 0; slot < ti->slots; slot++)
      wrong += member[slot] != row[ti->member[(size_t)t * ti->slots + slot]];
  }
  expect(mesh, "entries of the records that differ", wrong, 0);
  PetscCall(PetscFree(records));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The most different nodes in slots 8 k to 8 k + 7 whose rows are equal modulo 8: as often those banks are read. */
static int reads_of_eight(const RhxTiles *ti, PetscInt t, PetscInt k)
{
  const unsigned char *member = ti->member + (size_t)t * ti->slots, *row = ti->row + ti->tile[t];
  int n[8] = {0}, most = 0;
  for (PetscInt i = 8 * k; i < 8 * k + 8; i++) {
    PetscInt j = 8 * k;
    while (member[j] != member[i]) j++;
    if (j == i && ++n[row[member[i]] % 8] > most) most++;
  }
  return most;
}

/* Rows differ within a tile; reads of banks over those without any conflict. */
static PetscErrorCode check_rows(const RhxTiles *ti, const char *mesh, double most)
{
  PetscInt wrong = 0, reads = 0;
  char *taken;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ti->most + 1, &taken));
  for (PetscInt t = 0; t < ti->ntiles; t++) {
    PetscCall(PetscArrayzero(taken, ti->most + 1));
    for (int k = ti->tile[t]; k < ti->tile[t + 1]; k++) wrong += ti->row[k] >= ti->most || taken[ti->row[k]]++;
    for (PetscInt k = 0; k < ti->slots / 8; k++) reads += reads_of_eight(ti, t, k);
  }
  expect(mesh, "rows twice or too large", wrong, 0);
  if (ti->ntiles && !(reads <= most * ti->ntiles * (ti->slots / 8)))
    expect(mesh, "reads of banks an eight", (double)reads / ti->ntiles / (ti->slots / 8), most);
  PetscCall(PetscFree(taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_mesh(const char *mesh)
{
  static const PetscInt sizes[] = {32, 5, 1};
  RhxMesh m;
  RhxSpace s;
  RhxFields fields;
  PetscInt dim;
  PetscMPIInt ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &m));
  PetscCall(RhxMeshSetFromOptions(m));
  PetscCall(RhxMeshSetUp(m));
  PetscCall(RhxMeshGetDimension(m, &dim));
  PetscCall(RhxFieldsCreate(PETSC_COMM_WORLD, dim, dim == 2 ? 3 : 6, &fields));
  PetscCall(RhxFieldsAddFlow(fields, 1, 1, "stress", "Pa", NULL));
  PetscCall(RhxSpaceCreate(m, &fields, &s));
  for (PetscInt k = 0; k < s->ntypes; k++)
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(sizes); i++)
      for (int colours = 0; colours < 2; colours++) {
        RhxTiles ti;
        PetscCall(RhxTilesCreate(s, &s->cells[k], sizes[i], (PetscBool)colours, &ti));
        if (!colours) expect(mesh, "launches", ti.nlaunches, s->cells[k].n ? 1 : 0);
        PetscCall(check_elements(s, &s->cells[k], &ti, mesh));
        if (colours) PetscCall(check_colours(s, &ti, mesh));
        PetscCall(check_owners(s, &ti, mesh));
        PetscCall(check_records(s, &ti, mesh));
        PetscCall(check_rows(&ti, mesh, colours || sizes[i] % 8 ? 8.0 : ranks > 1 ? 2.0 : 1.4));
        PetscCall(RhxTilesDestroy(&ti));
      }
  PetscCall(RhxSpaceDestroy(&s));
  PetscCall(RhxMeshDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The curve fills a block of quads or hexes before it goes on: tiles of blocks have the fewest nodes. */
static PetscErrorCode check_blocks(const char *mesh, PetscInt size, PetscInt nodes)
{
  RhxMesh m;
  RhxSpace s;
  RhxTiles ti;
  RhxFields fields;
  PetscInt dim;
  PetscMPIInt ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, mesh));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &m));
  PetscCall(RhxMeshSetFromOptions(m));
  PetscCall(RhxMeshSetUp(m));
  PetscCall(RhxMeshGetDimension(m, &dim));
  PetscCall(RhxFieldsCreate(PETSC_COMM_WORLD, dim, dim == 2 ? 3 : 6, &fields));
  PetscCall(RhxFieldsAddFlow(fields, 1, 1, "stress", "Pa", NULL));
  PetscCall(RhxSpaceCreate(m, &fields, &s));
  PetscCall(RhxTilesCreate(s, &s->cells[0], size, PETSC_FALSE, &ti));
  expect(mesh, "nodes of a block", (double)ti.nnodes / ti.ntiles, nodes);
  PetscCall(RhxTilesDestroy(&ti));
  PetscCall(RhxSpaceDestroy(&s));
  PetscCall(RhxMeshDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
  char folder[PETSC_MAX_PATH_LEN] = ".", options[PETSC_MAX_PATH_LEN + 32];
  PetscFunctionBegin;
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-test_folder", folder, sizeof(folder), NULL));
  for (int k = 0; k < (int)PETSC_STATIC_ARRAY_LENGTH(meshes); k++) {
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscSNPrintf(options, sizeof(options), meshes[k], folder));
    PetscCall(PetscOptionsInsertString(NULL, options));
    PetscCall(check_mesh(meshes[k]));
  }
  PetscCall(check_blocks("-mesh_box_faces 16,16", 16, 25));
  PetscCall(check_blocks("-mesh_box_faces 8,8,8", 8, 27));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (run()) return 2;
  PetscCall(PetscFinalize());
  return failures != 0;
}
