#include "output/vtu.h"
#include "output/file_impl.h"
#include "output/text.h"
#include "output/xml_impl.h"
#include <string.h>

#if defined(PETSC_WORDS_BIGENDIAN)
#define BYTE_ORDER_NAME "BigEndian"
#else
#define BYTE_ORDER_NAME "LittleEndian"
#endif

static PetscErrorCode vtk_type(DMPolytopeType type, unsigned char *vtk)
{
  PetscFunctionBegin;
  switch (type) {
  case DM_POLYTOPE_TRIANGLE:
    *vtk = 5;
    break;
  case DM_POLYTOPE_QUADRILATERAL:
    *vtk = 9;
    break;
  case DM_POLYTOPE_TETRAHEDRON:
    *vtk = 10;
    break;
  case DM_POLYTOPE_HEXAHEDRON:
    *vtk = 12;
    break;
  case DM_POLYTOPE_TRI_PRISM:
    *vtk = 13;
    break;
  case DM_POLYTOPE_PYRAMID:
    *vtk = 14;
    break;
  default:
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "field output of cell type %s: expected triangles, quads, tets, hexes, "
            "prisms or pyramids (-output_fields 0 runs without)",
            DMPolytopeTypes[type]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points while they are collected: those of one node form a list. */
typedef struct {
  RhxVtu *vtu;
  PetscInt capacity, *next; /* [capacity] next point of the same node, or -1 */
  PetscInt *first;          /* [nlocal] first point of a node, or -1 */
} Collector;

static PetscErrorCode new_point(Collector *cl, PetscInt node, const double xyz[3], PetscInt *point)
{
  RhxVtu *v = cl->vtu;

  PetscFunctionBegin;
  if (v->npoints == cl->capacity) {
    cl->capacity *= 2;
    PetscCall(PetscRealloc(cl->capacity * sizeof *v->node, &v->node));
    PetscCall(PetscRealloc(cl->capacity * sizeof *cl->next, &cl->next));
    PetscCall(PetscRealloc(3 * cl->capacity * sizeof *v->xyz, &v->xyz));
  }
  *point = v->npoints++;
  v->node[*point] = node;
  cl->next[*point] = cl->first[node];
  cl->first[node] = *point;
  memcpy(v->xyz + 3 * *point, xyz, 3 * sizeof *xyz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The point of this node that lies at xyz to within tol. */
static PetscErrorCode find_point(Collector *cl, PetscInt node, const double xyz[3], double tol, PetscInt *point)
{
  PetscFunctionBegin;
  for (*point = cl->first[node]; *point >= 0; *point = cl->next[*point]) {
    const double *p = cl->vtu->xyz + 3 * *point;
    if (PetscAbs(p[0] - xyz[0]) + PetscAbs(p[1] - xyz[1]) + PetscAbs(p[2] - xyz[2]) <= tol)
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(new_point(cl, node, xyz, point));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_cells(Collector *cl, PetscInt dim, const RhxCells *cells)
{
  RhxVtu *v = cl->vtu;
  unsigned char type;

  PetscFunctionBegin;
  PetscCall(vtk_type(cells->type, &type));
  for (PetscInt e = 0; e < cells->n; e++) {
    PetscInt group = e / RHX_LANES, lane = e % RHX_LANES;
    double xyz[8][3] = {{0}}, size = 0;

    for (PetscInt a = 0; a < cells->nn; a++) {
      for (PetscInt d = 0; d < dim; d++) xyz[a][d] = cells->x[((group * cells->nn + a) * dim + d) * RHX_LANES + lane];
      for (PetscInt d = 0; d < dim; d++) size = PetscMax(size, PetscAbs(xyz[a][d] - xyz[0][d]));
    }
    for (PetscInt a = 0; a < cells->nn; a++) {
      PetscInt point;
      PetscCall(find_point(cl, cells->conn[(group * cells->nn + a) * RHX_LANES + lane], xyz[a], 1e-6 * size, &point));
      v->conn[v->nconn++] = point;
    }
    v->type[v->ncells++] = type;
    v->offset[v->ncells] = v->nconn;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode share_counts(RhxVtu *v)
{
  const int64_t mine[3] = {v->npoints, v->ncells, v->nconn};
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(v->comm, &size));
  PetscCall(PetscMalloc1(3 * size, &v->counts));
  PetscCallMPI(MPI_Allgather(mine, 3, MPI_INT64_T, v->counts, 3, MPI_INT64_T, v->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVtuCreate(RhxSpace space, RhxVtu **vtu)
{
  RhxVtu *v;
  Collector cl = {0};
  PetscInt ncells = 0, nconn = 0;

  PetscFunctionBegin;
  PetscCall(PetscNew(&v));
  v->comm = space->comm;
  for (PetscInt k = 0; k < space->ntypes; k++) {
    ncells += space->cells[k].n;
    nconn += space->cells[k].n * space->cells[k].nn;
  }
  cl.vtu = v;
  cl.capacity = space->nlocal + 16;
  PetscCall(PetscMalloc3(nconn, &v->conn, ncells + 1, &v->offset, ncells, &v->type));
  v->offset[0] = 0;
  PetscCall(PetscMalloc1(cl.capacity, &v->node));
  PetscCall(PetscMalloc1(cl.capacity, &cl.next));
  PetscCall(PetscMalloc1(3 * cl.capacity, &v->xyz));
  PetscCall(PetscMalloc1(space->nlocal, &cl.first));
  for (PetscInt i = 0; i < space->nlocal; i++) cl.first[i] = -1;
  for (PetscInt k = 0; k < space->ntypes; k++) PetscCall(add_cells(&cl, space->dim, space->cells + k));
  PetscCall(PetscFree(cl.first));
  PetscCall(PetscFree(cl.next));
  PetscCall(share_counts(v));
  *vtu = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVtuCreateSurface(MPI_Comm comm, PetscInt npoints, const double (*xyz)[3], PetscInt nfaces,
                                   const PetscInt (*face)[4], RhxVtu **vtu)
{
  RhxVtu *v;

  PetscFunctionBegin;
  PetscCall(PetscNew(&v));
  v->comm = comm;
  v->npoints = npoints;
  PetscCall(PetscMalloc3(4 * nfaces, &v->conn, nfaces + 1, &v->offset, nfaces, &v->type));
  PetscCall(PetscMalloc1(npoints, &v->node));
  PetscCall(PetscMalloc1(3 * npoints, &v->xyz));
  PetscCall(PetscArraycpy(v->xyz, (const double *)xyz, 3 * npoints));
  for (PetscInt i = 0; i < npoints; i++) v->node[i] = i;
  v->offset[0] = 0;
  for (PetscInt f = 0; f < nfaces; f++) {
    for (int a = 0; a < 4 && face[f][a] >= 0; a++) v->conn[v->nconn++] = face[f][a];
    PetscCall(vtk_type(face[f][3] < 0 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_QUADRILATERAL, &v->type[v->ncells++]));
    v->offset[v->ncells] = v->nconn;
  }
  PetscCall(share_counts(v));
  *vtu = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVtuDestroy(RhxVtu **vtu)
{
  PetscFunctionBegin;
  if (!*vtu) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3((*vtu)->conn, (*vtu)->offset, (*vtu)->type));
  PetscCall(PetscFree((*vtu)->node));
  PetscCall(PetscFree((*vtu)->xyz));
  PetscCall(PetscFree((*vtu)->counts));
  PetscCall(PetscFree(*vtu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The XML head ---- */

/* One array of a Piece; the data begins with its length in bytes as UInt64. */
static PetscErrorCode append_array(RhxText *text, const char *type, const char *name, PetscInt components,
                                   const char *const *component, int64_t bytes, int64_t *offset)
{
  char escaped[RHX_XML_LENGTH * sizeof(((RhxVtuField *)0)->name)];

  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", type,
                          RhxXmlEscape(name, sizeof escaped, escaped), (int)components));
  for (PetscInt k = 0; component && k < components; k++)
    PetscCall(RhxTextAppend(text, " ComponentName%d=\"%s\"", (int)k, component[k]));
  PetscCall(RhxTextAppend(text, " format=\"appended\" offset=\"%lld\"/>\n", (long long)*offset));
  *offset += 8 + bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_fields(RhxText *text, PetscBool cell, PetscBool single, PetscInt nfields,
                                    const RhxVtuField *fields, int64_t n, int64_t *offset)
{
  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, cell ? "<CellData>\n" : "<PointData>\n"));
  for (PetscInt i = 0; i < nfields; i++)
    if (fields[i].cell == cell)
      PetscCall(append_array(text, single ? "Float32" : "Float64", fields[i].name, fields[i].components,
                             fields[i].component, (single ? 4 : 8) * fields[i].components * n, offset));
  PetscCall(RhxTextAppend(text, cell ? "</CellData>\n" : "</PointData>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_piece(RhxText *text, const int64_t count[3], PetscBool single, PetscInt nfields,
                                   const RhxVtuField *fields, int64_t *offset)
{
  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n", (long long)count[0],
                          (long long)count[1]));
  PetscCall(append_fields(text, PETSC_FALSE, single, nfields, fields, count[0], offset));
  PetscCall(append_fields(text, PETSC_TRUE, single, nfields, fields, count[1], offset));
  PetscCall(RhxTextAppend(text, "<Points>\n"));
  PetscCall(append_array(text, "Float64", "Points", 3, NULL, 24 * count[0], offset));
  PetscCall(RhxTextAppend(text, "</Points>\n<Cells>\n"));
  PetscCall(append_array(text, "Int64", "connectivity", 1, NULL, 8 * count[2], offset));
  PetscCall(append_array(text, "Int64", "offsets", 1, NULL, 8 * count[1], offset));
  PetscCall(append_array(text, "UInt8", "types", 1, NULL, count[1], offset));
  PetscCall(RhxTextAppend(text, "</Cells>\n</Piece>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank walks the whole head (its own data starts where it learns so); start: of this rank's data, end: of all. */
static PetscErrorCode make_head(RhxVtu *vtu, double t, PetscInt nfields, const RhxVtuField *fields, RhxText *text,
                                int64_t *start, int64_t *end)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(vtu->comm, &rank));
  PetscCallMPI(MPI_Comm_size(vtu->comm, &size));
  PetscCall(
      RhxTextAppend(text,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                    "header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n<DataArray type=\"Float64\" "
                    "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n</FieldData>\n",
                    BYTE_ORDER_NAME, t));
  *end = 0;
  for (PetscMPIInt r = 0; r < size; r++) {
    if (r == rank) *start = *end;
    if (vtu->counts[3 * r + 1]) PetscCall(append_piece(text, vtu->counts + 3 * r, vtu->single, nfields, fields, end));
  }
  PetscCall(RhxTextAppend(text, "</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The data ---- */

static char *put_array(char *at, uint64_t bytes, const void *data)
{
  memcpy(at, &bytes, 8);
  if (data) memcpy(at + 8, data, bytes);
  return at + 8 + bytes;
}

void RhxVtuRound(PetscInt n, double *values)
{
  for (PetscInt i = 0; i < n; i++) {
    const float v = (float)values[i];
    memcpy((char *)values + 4 * (size_t)i, &v, 4);
  }
}

static PetscErrorCode put_fields(RhxVtu *vtu, PetscBool cell, PetscInt nfields, const RhxVtuField *fields,
                                 RhxVtuFillFn fill, void *ctx, double *values, char **at)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < nfields; i++) {
    if (fields[i].cell != cell) continue;
    const PetscInt n = fields[i].components * (cell ? vtu->ncells : vtu->npoints);
    PetscCall((*fill)(ctx, i, values));
    if (vtu->single) RhxVtuRound(n, values);
    *at = put_array(*at, (vtu->single ? 4 : 8) * (uint64_t)n, values);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_data(RhxVtu *vtu, PetscInt nfields, const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx,
                                char **data, int64_t *size)
{
  double *values;
  char *at;

  PetscFunctionBegin;
  *size = 0;
  *data = NULL;
  if (!vtu->ncells) PetscFunctionReturn(PETSC_SUCCESS);
  *size = 4 * 8 + 24 * (int64_t)vtu->npoints + 8 * (int64_t)vtu->nconn + 9 * (int64_t)vtu->ncells;
  for (PetscInt i = 0; i < nfields; i++)
    *size += 8 + (vtu->single ? 4 : 8) * (int64_t)fields[i].components * (fields[i].cell ? vtu->ncells : vtu->npoints);
  PetscCall(PetscMalloc1(*size, data));
  PetscCall(PetscMalloc1(9 * (size_t)PetscMax(vtu->npoints, vtu->ncells), &values));
  at = *data;
  PetscCall(put_fields(vtu, PETSC_FALSE, nfields, fields, fill, ctx, values, &at));
  PetscCall(put_fields(vtu, PETSC_TRUE, nfields, fields, fill, ctx, values, &at));
  at = put_array(at, 24 * (uint64_t)vtu->npoints, vtu->xyz);
  at = put_array(at, 8 * (uint64_t)vtu->nconn, vtu->conn);
  at = put_array(at, 8 * (uint64_t)vtu->ncells, vtu->offset + 1);
  at = put_array(at, (uint64_t)vtu->ncells, vtu->type);
  PetscCheck(at == *data + *size, PETSC_COMM_SELF, PETSC_ERR_PLIB, "field output: got %lld bytes, expected %lld",
             (long long)(at - *data), (long long)*size);
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVtuWrite(RhxVtu *vtu, const char *file, double t, PetscInt nfields, const RhxVtuField *fields,
                           RhxVtuFillFn fill, void *ctx, int *err)
{
  static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
  const int64_t ntail = (int64_t)sizeof tail - 1;
  RhxText head = {0};
  RhxFile out;
  char *data;
  int64_t start = 0, end, size;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(vtu->comm, &rank));
  PetscCall(make_head(vtu, t, nfields, fields, &head, &start, &end));
  PetscCall(make_data(vtu, nfields, fields, fill, ctx, &data, &size));
  PetscCall(RhxFileCreate(vtu->comm, file, &out));
  PetscCall(RhxFileWrite(&out, 0, head.s, rank ? 0 : (int64_t)head.n));
  PetscCall(RhxFileWrite(&out, (int64_t)head.n + start, data, size));
  PetscCall(RhxFileWrite(&out, (int64_t)head.n + end, tail, rank ? 0 : ntail));
  PetscCall(RhxFileClose(&out, PETSC_FALSE, err));
  PetscCall(PetscFree(head.s));
  PetscCall(PetscFree(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
