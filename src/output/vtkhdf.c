/* VTK HDF file format 1.0, UnstructuredGrid (docs.vtk.org, "VTKHDF File Format"): arrays of all partitions behind one another,
 * their lengths in NumberOfPoints, NumberOfCells and NumberOfConnectivityIds; offsets begin with 0 in each. */
#include "output/file_impl.h"
#include "output/skeleton_impl.h"
#include "output/vtkhdf_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_POINTS, PARTS_CELLS, PARTS_CONN, POINTS, CONNECTIVITY, OFFSETS, TYPES, TIME, NMESH };
typedef struct {
  hsize_t points, cells, conn, parts;
} Counts;

typedef struct {
  int n;
  RhxDataset *set;   /* [n] mesh, then fields; owned, as what follows */
  char (*name)[128]; /* [n] */
  Counts before;     /* of the ranks before this one */
} Layout;

static Counts count(const RhxVtu *vtu, PetscMPIInt nranks)
{
  Counts c = {0};

  for (PetscMPIInt r = 0; r < nranks; r++) {
    const int64_t *n = vtu->counts + 3 * r;
    if (!n[1]) continue;
    c.points += (hsize_t)n[0];
    c.cells += (hsize_t)n[1];
    c.conn += (hsize_t)n[2];
    c.parts++;
  }
  return c;
}

static PetscErrorCode make_layout(const RhxVtu *vtu, PetscInt nfields, const RhxVtuField *fields, Layout *layout)
{
  PetscMPIInt rank, nranks;
  Counts all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(vtu->comm, &rank));
  PetscCallMPI(MPI_Comm_size(vtu->comm, &nranks));
  all = count(vtu, nranks);
  layout->before = count(vtu, rank);
  layout->n = NMESH + (int)nfields;
  PetscCall(PetscCalloc2(layout->n, &layout->set, layout->n, &layout->name));
  const RhxDataset mesh[NMESH] = {{"NumberOfPoints", all.parts, 0, RHX_DATASET_INT64, 0},
                                  {"NumberOfCells", all.parts, 0, RHX_DATASET_INT64, 0},
                                  {"NumberOfConnectivityIds", all.parts, 0, RHX_DATASET_INT64, 0},
                                  {"Points", all.points, 3, RHX_DATASET_DOUBLE, 0},
                                  {"Connectivity", all.conn, 0, RHX_DATASET_INT64, 0},
                                  {"Offsets", all.cells + all.parts, 0, RHX_DATASET_INT64, 0},
                                  {"Types", all.cells, 0, RHX_DATASET_BYTE, 0},
                                  {"FieldData/TimeValue", 1, 0, RHX_DATASET_DOUBLE, 0}};
  for (int i = 0; i < layout->n; i++) {
    const RhxVtuField *f = i < NMESH ? NULL : fields + (i - NMESH);
    RhxDataset *set = layout->set + i;
    if (!f)
      *set = mesh[i];
    else
      *set = (RhxDataset){.name = f->name,
                          .rows = f->cell ? all.cells : all.points,
                          .columns = f->components > 1 ? (hsize_t)f->components : 0,
                          .type = vtu->single ? RHX_DATASET_SINGLE : RHX_DATASET_DOUBLE};
    snprintf(layout->name[i], sizeof *layout->name, "VTKHDF/%s%s",
             !f        ? ""
             : f->cell ? "CellData/"
                       : "PointData/",
             set->name);
    set->name = layout->name[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int write_attribute(hid_t group, const char *name, hid_t type, hid_t space, const void *value)
{
  hid_t attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int bad = attribute < 0 || H5Awrite(attribute, type, value) < 0;

  if (attribute >= 0) H5Aclose(attribute);
  return bad;
}

/* The root group says what the file is. */
static int write_attributes(hid_t file, const void *unused)
{
  static const char kind[] = "UnstructuredGrid";
  static const int version[] = {1, 0};
  const hsize_t two = 2;
  hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        pair = H5Screate_simple(1, &two, NULL), one = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
  int bad;

  (void)unused;
  H5Tset_size(text, sizeof kind - 1);
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  bad = group < 0 || write_attribute(group, "Version", H5T_NATIVE_INT, pair, version) ||
        write_attribute(group, "Type", text, one, kind);
  H5Tclose(text);
  H5Sclose(one);
  H5Sclose(pair);
  if (group >= 0) H5Gclose(group);
  return bad;
}

/* rows of this rank behind the `before` rows of others. */
static PetscErrorCode put(RhxFile *out, const RhxDataset *set, hsize_t before, int64_t rows, const void *values)
{
  const int64_t size = RhxDatasetRowSize(set);

  PetscFunctionBegin;
  PetscCall(RhxFileWrite(out, set->offset + size * (int64_t)before, values, size * rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_mesh(const RhxVtu *vtu, const Layout *layout, double t, RhxFile *out)
{
  const RhxDataset *set = layout->set;
  const Counts *c = &layout->before;
  const int64_t mine[3] = {vtu->npoints, vtu->ncells, vtu->nconn}, part = vtu->ncells > 0;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(vtu->comm, &rank));
  for (int k = 0; k < 3; k++) PetscCall(put(out, set + PARTS_POINTS + k, c->parts, part, mine + k));
  PetscCall(put(out, set + POINTS, c->points, part * vtu->npoints, vtu->xyz));
  PetscCall(put(out, set + CONNECTIVITY, c->conn, vtu->nconn, vtu->conn));
  PetscCall(put(out, set + OFFSETS, c->cells + c->parts, vtu->ncells + part, vtu->offset));
  PetscCall(put(out, set + TYPES, c->cells, vtu->ncells, vtu->type));
  PetscCall(put(out, set + TIME, 0, rank ? 0 : 1, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_fields(const RhxVtu *vtu, const Layout *layout, PetscInt nfields, const RhxVtuField *fields,
                                 RhxVtuFillFn fill, void *ctx, RhxFile *out)
{
  double *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(9 * (size_t)PetscMax(vtu->npoints, vtu->ncells) + 1, &values));
  for (PetscInt i = 0; i < nfields; i++) {
    const PetscBool cell = fields[i].cell;
    const PetscInt n = !vtu->ncells ? 0 : cell ? vtu->ncells : vtu->npoints;

    if (n) PetscCall((*fill)(ctx, i, values));
    if (vtu->single) RhxVtuRound(n * fields[i].components, values);
    PetscCall(put(out, layout->set + NMESH + i, cell ? layout->before.cells : layout->before.points, n, values));
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVtkhdfWrite(RhxVtu *vtu, const char *file, double t, PetscInt nfields, const RhxVtuField *fields,
                              RhxVtuFillFn fill, void *ctx, int *err)
{
  Layout layout;
  RhxFile out;
  char *head;
  size_t size;
  int bad;

  PetscFunctionBegin;
  PetscCall(make_layout(vtu, nfields, fields, &layout));
  PetscCall(RhxSkeletonMake(vtu->comm, layout.n, layout.set, write_attributes, NULL, &head, &size, &bad));
  PetscCheck(!bad, vtu->comm, PETSC_ERR_LIB, "HDF5 cannot lay out %" PetscInt_FMT " fields in %s", nfields, file);
  PetscCall(RhxFileCreate(vtu->comm, file, &out));
  PetscCall(RhxFileWrite(&out, 0, head, (int64_t)size));
  PetscCall(put_mesh(vtu, &layout, t, &out));
  PetscCall(put_fields(vtu, &layout, nfields, fields, fill, ctx, &out));
  PetscCall(RhxFileClose(&out, PETSC_FALSE, err));
  free(head);
  PetscCall(PetscFree2(layout.set, layout.name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
