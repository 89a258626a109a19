/* Assembly of matrices on the device. */
#include "form/cuda/cells.h"
#include "form/cuda/face_tangent.h"
#include "form/cuda/rows.h"
#include "form/cuda/source.h"
#include "plugin/option.h"

#define THREADS 128 /* of kernels/matrix.cuh */
#define STORE_BYTES ((size_t)8 << 30)

typedef struct {
  int assembly;
} AssemblyOptions;

static const RhxRow rows[] = {
    {"matrix", RHX_CHOICE, 0, offsetof(AssemblyOptions, assembly), "owner", RHX_ANY, 0, 0, "colour|owner|atomic", "",
     "how matrices are assembled on a device: elements of one colour at a time; every row by its owner, with the same "
     "bits "
     "in every run; or by atomics"},
};
static const RhxOptionTable table = {"assembly", "assembly_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

PetscErrorCode RhxFormMatrixRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One cell type; memory of the device. */
typedef struct {
  RhxDeviceCells cells;
  void *at; /* colour and atomic */
  RhxDeviceColours colour;
  void *element, *list, *entry, *entry_at; /* owner */
  PetscInt npairs,
      *before; /* owner: rows and columns of a pair of nodes that can be other than zero; of columns before */
  void *pair;
  RhxDeviceProgram program;
  RhxDeviceFunction *column, gather;
} Type;

struct _p_RhxFormMatrix {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  RhxMatrixSpec spec;
  RhxMatrixBlock block;
  RhxAssembly assembly;
  PetscBool compiled, prepared; /* programs, arrays of the assembly are there */
  PetscBool serial;             /* one rank: values are those of the matrix */
  RhxMatrixMap map;
  PetscInt ntypes, nranges;
  Type *type;
  RhxMatrixRange *range;
  RhxFaceTangent faces; /* NULL: not compiled yet, or no tangent */
  RhxMatrixRows rows;
#if defined(PETSC_HAVE_CUDA)
  RhxMatrixRanks ranks; /* of several; NULL before the first matrix */
#endif
  void *start, *store, *values; /* values: but for one rank's where PETSc has CUDA */
};

static PetscErrorCode create_program(RhxFormMatrix m, const RhxCells *ce, Type *type)
{
  RhxDeviceSource source;
  char name[32];

  PetscFunctionBegin;
  PetscCall(RhxMatrixSource(m->form, ce, &m->spec, &m->block, m->assembly, &source));
  PetscCall(RhxDeviceProgramCreate(m->device, source, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscCall(PetscMalloc1(m->block.nc, &type->column));
  for (PetscInt c = 0; c < m->block.nc; c++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_tangent_%" PetscInt_FMT, c));
    PetscCall(RhxDeviceProgramGetFunction(type->program, name, &type->column[c]));
  }
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_gather", &type->gather));
  PetscCall(RhxFormDeviceSetParameters(m->form, m->device, type->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode release(RhxFormMatrix m)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < m->ntypes; t++) {
    Type *type = &m->type[t];
    void **const all[] = {&type->at, &type->element, &type->list, &type->entry, &type->entry_at, &type->pair};
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); k++) {
      PetscCall(RhxDeviceFree(m->device, *all[k]));
      *all[k] = NULL;
    }
    PetscCall(RhxFormDeviceDestroyProgram(m->form, &type->program));
    PetscCall(PetscFree(type->column));
    PetscCall(PetscFree(type->before));
    PetscCall(RhxDeviceColoursDestroy(m->device, &type->colour));
  }
  PetscCall(RhxDeviceFree(m->device, m->store));
  m->store = NULL;
  {
    RhxMatrixOwners *none = NULL;
    PetscCall(RhxMatrixOwnersDestroy(m->ntypes, &m->nranges, &m->range, &none));
  }
  m->compiled = m->prepared = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t element_bytes(const Type *type)
{
  return sizeof(double) * type->cells.nn * type->cells.nn * type->npairs;
}

/* The kernels tell which rows of their column can be other than zero: one element is enough, whatever the state. */
static PetscErrorCode find_pairs(RhxFormMatrix m, Type *type, RhxMatrixPass pass)
{
  const PetscInt nr = m->block.nr, nc = m->block.nc, nn = type->cells.nn;
  unsigned char *live;
  RhxPair *pair;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nr * nc, &live));
  PetscCall(PetscMalloc1(nr * nc, &pair));
  PetscCall(PetscMalloc1(nc, &type->before));
  PetscCall(RhxDeviceMalloc(m->device, nr * nc, "the structure of the matrix", (void **)&pass.live));
  PetscCall(RhxDeviceMalloc(m->device, sizeof(double) * nn * nn * nr, "an element matrix", (void **)&pass.out));
  PetscCall(RhxDeviceZero(m->device, pass.live, nr * nc));
  pass.n = PetscMin(1, type->cells.n);
  pass.follows = 1; /* more entries for less */
  pass.conn = type->cells.conn;
  pass.coord = type->cells.coord;
  for (PetscInt c = 0; c < nc && pass.n; c++)
    PetscCall(RhxDeviceLaunch(m->device, type->column[c], (RhxLaunch){{1}, {THREADS}, 0}, RHX_ARGUMENTS(&pass)));
  PetscCall(RhxDeviceCopy(m->device, live, pass.live, nr * nc, RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceFree(m->device, pass.live));
  PetscCall(RhxDeviceFree(m->device, pass.out));
  type->npairs = 0;
  for (PetscInt c = 0; c < nc; c++) {
    const PetscInt first = type->before[c] = type->npairs;
    for (PetscInt r = 0; r < nr; r++) {
      const PetscInt k = type->npairs;
      if (!live[c * nr + r]) continue;
      pair[k] = (RhxPair){.before = (int)first, .l = (int)(k - first), .place = (int)(c * nr + r)};
      type->npairs++;
    }
    for (PetscInt k = first; k < type->npairs; k++) pair[k].nlive = (int)(type->npairs - first);
  }
  PetscCall(
      RhxDeviceUpload(m->device, pair, sizeof(RhxPair) * type->npairs, "the structure of the matrix", &type->pair));
  PetscCall(PetscFree(live));
  PetscCall(PetscFree(pair));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare_owners(RhxFormMatrix m, const RhxMatrixPass *pass)
{
  RhxMatrixOwners *owners;
  size_t unused, all, most = 0;
  PetscInt npairs = 1;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < m->ntypes; t++) {
    PetscCall(find_pairs(m, &m->type[t], *pass));
    npairs = PetscMax(npairs, m->type[t].npairs);
  }
  PetscCall(RhxDeviceMemory(m->device, &unused, &all));
  PetscCall(RhxMatrixOwnersCreate(m->form->space, &m->map, npairs, PetscMin(STORE_BYTES, unused / 4), &m->nranges,
                                  &m->range, &owners));
  for (PetscInt t = 0; t < m->ntypes; t++) {
    const RhxMatrixOwners *ow = &owners[t];
    Type *type = &m->type[t];
    PetscCall(
        RhxDeviceUpload(m->device, ow->element, sizeof(int) * ow->nelement, "the owners' elements", &type->element));
    PetscCall(RhxDeviceUpload(m->device, ow->list, sizeof(int) * ow->nlist, "the owners' lists", &type->list));
    PetscCall(RhxDeviceUpload(m->device, ow->entry, sizeof(int) * ow->nentry, "the owners' entries", &type->entry));
    PetscCall(RhxDeviceUpload(m->device, ow->at, sizeof(*ow->at) * ow->nentry * type->cells.nn, "the owners' map",
                              &type->entry_at));
    for (PetscInt k = 0; k < m->nranges; k++) most = PetscMax(most, element_bytes(type) * m->range[k].nelements[t]);
  }
  PetscCall(RhxDeviceMalloc(m->device, most, "the element matrices", &m->store));
  {
    PetscInt none = 0;
    RhxMatrixRange *kept = NULL;
    PetscCall(RhxMatrixOwnersDestroy(m->ntypes, &none, &kept, &owners));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare_adding(RhxFormMatrix m)
{
  const RhxSpace sp = m->form->space;
  PetscFunctionBegin;
  for (PetscInt t = 0; t < m->ntypes; t++) {
    Type *type = &m->type[t];
    const size_t pairs = (size_t)type->cells.n * type->cells.nn * type->cells.nn;
    PetscCall(
        RhxDeviceUpload(m->device, m->map.at[t], sizeof(*m->map.at[t]) * pairs, "the map of the matrix", &type->at));
    if (m->assembly == RHX_ASSEMBLY_COLOUR)
      PetscCall(RhxDeviceColoursCreate(m->device, sp, &sp->cells[t], &type->colour));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixSetUp(RhxFormMatrix m)
{
  PetscFunctionBegin;
  if (m->compiled) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < m->ntypes; t++) PetscCall(create_program(m, &m->form->space->cells[t], &m->type[t]));
  if (m->spec.kind == RHX_MATRIX_TANGENT && !m->faces)
    PetscCall(RhxFaceTangentCreate(m->form, m->device, m->spec.rate, m->spec.source, &m->block, &m->map, &m->faces));
  m->compiled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(RhxFormMatrix m, const RhxMatrixPass *pass)
{
  PetscFunctionBegin;
  PetscCall(RhxFormMatrixSetUp(m));
  if (m->prepared) PetscFunctionReturn(PETSC_SUCCESS);
  if (m->assembly == RHX_ASSEMBLY_OWNER)
    PetscCall(prepare_owners(m, pass));
  else
    PetscCall(prepare_adding(m));
  m->prepared = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixCreate(RhxForm form, RhxDevice device, const RhxMatrixSpec *spec, RhxFormMatrix *out)
{
  const RhxSpace sp = form->space;
  AssemblyOptions opt;
  RhxFormMatrix m;
  PetscInt64 nvalues;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  m = *out;
  m->form = form;
  m->device = device;
  m->spec = *spec;
  PetscCall(RhxOptionTableRead(form->comm, &table, NULL, &opt));
  m->assembly = (RhxAssembly)opt.assembly;
  PetscCall(RhxMatrixBlockSetUp(form, spec, &m->block));
  for (PetscInt t = 0; t < sp->ntypes; t++) PetscCall(RhxDeviceCellsExpectOpen(sp, &sp->cells[t]));
  PetscCall(RhxMatrixMapCreate(sp, &m->map));
  PetscCallMPI(MPI_Comm_size(form->comm, &size));
  m->serial = (PetscBool)(size == 1);
  nvalues = (PetscInt64)m->map.start[m->map.n] * m->block.nr * m->block.nc;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &nvalues, 1, MPIU_INT64, MPI_MAX, form->comm));
  PetscCheck(nvalues <= PETSC_MAX_INT, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The matrix has %" PetscInt64_FMT
             " values on a rank, at most %d are possible: take fewer fields, a smaller mesh or more ranks",
             nvalues, PETSC_MAX_INT);
  m->ntypes = sp->ntypes;
  PetscCall(PetscCalloc1(sp->ntypes, &m->type));
  PetscCall(
      RhxDeviceUpload(device, m->map.start, sizeof(PetscInt) * (m->map.n + 1), "the rows of the matrix", &m->start));
  PetscCall(RhxMatrixRowsCreate(device, &m->map, m->start, m->block.nr, m->block.nc, &m->rows));
  for (PetscInt t = 0; t < sp->ntypes; t++)
    PetscCall(RhxDeviceCellsCreate(device, sp, &sp->cells[t], &m->type[t].cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixDestroy(RhxFormMatrix *out)
{
  RhxFormMatrix m = *out;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(release(m));
  for (PetscInt t = 0; t < m->ntypes; t++) PetscCall(RhxDeviceCellsDestroy(m->device, &m->type[t].cells));
  PetscCall(RhxFaceTangentDestroy(&m->faces));
  PetscCall(RhxMatrixRowsDestroy(&m->rows));
#if defined(PETSC_HAVE_CUDA)
  PetscCall(RhxMatrixRanksDestroy(&m->ranks));
#endif
  PetscCall(RhxDeviceFree(m->device, m->start));
  PetscCall(RhxDeviceFree(m->device, m->values));
  PetscCall(RhxMatrixMapDestroy(&m->map));
  PetscCall(PetscFree(m->type));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixView(RhxFormMatrix m, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(RhxFormMatrixSetUp(m));
  for (PetscInt t = 0; t < m->ntypes; t++) {
    const RhxDeviceBinary *binary;
    PetscCall(RhxDeviceProgramGetBinary(m->type[t].program, &binary));
    PetscCall(RhxDeviceBinaryView(binary, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixGetSize(RhxFormMatrix m, PetscInt *nr, PetscInt *nc, PetscInt *nvalues)
{
  PetscFunctionBegin;
  if (nr) *nr = m->block.nr;
  if (nc) *nc = m->block.nc;
  if (nvalues) *nvalues = m->map.start[m->map.n] * m->block.nr * m->block.nc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixGetMap(RhxFormMatrix m, const RhxMatrixMap **map)
{
  PetscFunctionBegin;
  *map = &m->map;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixSetAssembly(RhxFormMatrix m, RhxAssembly assembly)
{
  PetscFunctionBegin;
  if (assembly != m->assembly) PetscCall(release(m));
  m->assembly = assembly;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every column of n elements of a type, those of `element` (device; NULL: all of the type). */
static PetscErrorCode run_columns(RhxFormMatrix m, Type *type, const int *element, PetscInt n, RhxMatrixPass pass)
{
  const PetscInt nn = type->cells.nn, elements = THREADS / 32 * (32 / nn); /* a block */
  const RhxLaunch shape = {{(unsigned)((n + elements - 1) / elements)}, {THREADS}, 0};

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  pass.n = (int)n;
  pass.conn = type->cells.conn;
  pass.coord = type->cells.coord;
  pass.at = type->at;
  pass.element = element;
  for (PetscInt c = 0; c < m->block.nc; c++) {
    RhxMatrixPass column = pass;
    if (type->before) column.out = pass.out + (size_t)n * nn * nn * type->before[c];
    PetscCall(RhxDeviceLaunch(m->device, type->column[c], shape, RHX_ARGUMENTS(&column)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_gather(RhxFormMatrix m, PetscInt t, const RhxMatrixRange *range, void *values)
{
  Type *type = &m->type[t];
  const size_t row = sizeof(double) * m->map.width * m->block.nr * m->block.nc;
  const RhxDeviceState *state;
  unsigned warps;
  RhxGatherPass pass = {.first = (int)range->first,
                        .n = (int)range->n,
                        .elements = (int)range->nelements[t],
                        .add = t > 0,
                        .start = m->start,
                        .list = (const int *)type->list + range->list[t],
                        .entry = type->entry,
                        .at = type->entry_at,
                        .pair = type->pair,
                        .npairs = (int)type->npairs,
                        .store = m->store,
                        .out = values,
                        .width = (int)m->map.width};
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetState(m->device, &state));
  warps = (unsigned)PetscMin(4, (size_t)state->shared / row);
  PetscCheck(warps, m->form->comm, PETSC_ERR_SUP,
             "A row of the matrix has %zu bytes, a block on %s holds %d: take fewer fields, or -assembly_matrix colour",
             row, state->name, state->shared);
  PetscCall(
      RhxDeviceLaunch(m->device, type->gather,
                      (RhxLaunch){{(unsigned)((range->n + warps - 1) / warps)}, {32 * warps}, (unsigned)(warps * row)},
                      RHX_ARGUMENTS(&pass)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble_by_owner(RhxFormMatrix m, RhxMatrixPass pass, void *values)
{
  PetscFunctionBegin;
  pass.out = m->store;
  for (PetscInt k = 0; k < m->nranges; k++)
    for (PetscInt t = 0; t < m->ntypes; t++) {
      const RhxMatrixRange *range = &m->range[k];
      PetscCall(
          run_columns(m, &m->type[t], (const int *)m->type[t].element + range->element[t], range->nelements[t], pass));
      PetscCall(run_gather(m, t, range, values));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble_by_adding(RhxFormMatrix m, RhxMatrixPass pass, void *values)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &n));
  PetscCall(RhxDeviceZero(m->device, values, sizeof(double) * n));
  pass.out = values;
  for (PetscInt t = 0; t < m->ntypes; t++) {
    Type *type = &m->type[t];
    const RhxDeviceColours *co = &type->colour;
    if (m->assembly == RHX_ASSEMBLY_ATOMIC) PetscCall(run_columns(m, type, NULL, type->cells.n, pass));
    for (PetscInt c = 0; c < co->n; c++)
      PetscCall(run_columns(m, type, (const int *)co->element + co->start[c], co->start[c + 1] - co->start[c], pass));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixValues(RhxFormMatrix m, const RhxMatrixPoint *at, void *values)
{
  RhxMatrixPass pass = RhxMatrixPassAt(m->form, at, NULL);

  PetscFunctionBegin;
  PetscCheck(at || m->spec.kind != RHX_MATRIX_TANGENT, m->form->comm, PETSC_ERR_ARG_NULL,
             "A tangent needs a state, got none");
  pass.start = m->start;
  PetscCall(prepare(m, &pass));
  if (m->assembly == RHX_ASSEMBLY_OWNER)
    PetscCall(assemble_by_owner(m, pass, values));
  else
    PetscCall(assemble_by_adding(m, pass, values));
  if (m->faces) PetscCall(RhxFaceTangentMatrix(m->faces, at, m->start, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local rows and columns of the values, in their order. */
static void number_values(RhxFormMatrix m, const PetscInt *global, PetscInt *row, PetscInt *col)
{
  const PetscInt nr = m->block.nr, nc = m->block.nc, *start = m->map.start;
  size_t at = 0;

  for (PetscInt node = 0; node < m->map.n; node++)
    for (PetscInt r = 0; r < nr; r++)
      for (PetscInt k = start[node]; k < start[node + 1]; k++)
        for (PetscInt c = 0; c < nc; c++, at++) {
          row[at] = global[node] * nr + r;
          col[at] = global[m->map.node[k]] * nc + c;
        }
}

/* One rank: its rows are the matrix. */
static PetscErrorCode preallocate_rows(RhxFormMatrix m, const PetscInt *col, Mat A)
{
  const PetscInt nr = m->block.nr, nc = m->block.nc, *start = m->map.start;
  PetscInt *first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)m->map.n * nr + 1, &first));
  first[0] = 0;
  for (PetscInt k = 0; k < m->map.n * nr; k++) first[k + 1] = first[k] + (start[k / nr + 1] - start[k / nr]) * nc;
  PetscCall(MatSeqAIJSetPreallocationCSR(A, first, col, NULL));
  PetscCall(PetscFree(first));
#if defined(PETSC_HAVE_CUDA)
  PetscScalar *values; /* GetArrayWrite makes none on the device */
  PetscCall(MatSeqAIJCUSPARSEGetArray(A, &values));
  PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &values));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode preallocate(RhxFormMatrix m, Mat A)
{
  const RhxSpace sp = m->form->space;
  const PetscInt *global;
  PetscInt n, *row, *col;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &n));
  PetscCall(PetscMalloc2(n, &row, n, &col));
  PetscCall(ISLocalToGlobalMappingGetIndices(sp->l2g, &global));
  number_values(m, global, row, col);
  PetscCall(ISLocalToGlobalMappingRestoreIndices(sp->l2g, &global));
  if (m->serial)
    PetscCall(preallocate_rows(m, col, A));
  else
    PetscCall(MatSetPreallocationCOO(A, n, row, col));
  PetscCall(PetscFree2(row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_CUDA)
static PetscErrorCode use_rows(RhxFormMatrix m, Mat A)
{
  PetscFunctionBegin;
  if (m->serial) {
    PetscCall(RhxMatrixRowsUse(m->rows, A));
  } else {
    if (!m->ranks) PetscCall(RhxMatrixRanksCreate(m->device, A, m->block.nr, m->block.nc, &m->ranks));
    PetscCall(RhxMatrixRanksUse(m->ranks, A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode RhxFormMatrixCreateMat(RhxFormMatrix m, Mat *A)
{
  const RhxSpace sp = m->form->space;
  const PetscInt nr = m->block.nr, nc = m->block.nc;
  ISLocalToGlobalMapping rows, columns;

  PetscFunctionBegin;
  PetscCall(MatCreate(m->form->comm, A));
  PetscCall(MatSetSizes(*A, sp->nowned * nr, sp->nowned * nc, sp->nglobal * nr, sp->nglobal * nc));
  PetscCall(MatSetBlockSizes(*A, nr, nc));
#if defined(PETSC_HAVE_CUDA)
  PetscCall(MatSetType(*A, MATAIJCUSPARSE));
#else
  PetscCall(MatSetType(*A, MATAIJ));
#endif
  PetscCall(preallocate(m, *A));
  PetscCall(RhxSpaceBlockMapping(sp, nr, &rows));
  PetscCall(RhxSpaceBlockMapping(sp, nc, &columns));
  PetscCall(MatSetLocalToGlobalMapping(*A, rows, columns));
  PetscCall(ISLocalToGlobalMappingDestroy(&rows));
  PetscCall(ISLocalToGlobalMappingDestroy(&columns));
  PetscCall(MatSetOption(*A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
#if defined(PETSC_HAVE_CUDA)
  PetscCall(use_rows(m, *A));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_CUDA)
/* One rank: into the matrix's own values. */
static PetscErrorCode assemble_rows(RhxFormMatrix m, const RhxMatrixPoint *at, Mat A)
{
  PetscScalar *values;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(A, &values));
  PetscCall(RhxFormMatrixValues(m, at, values));
  PetscCall(RhxDeviceSynchronize(m->device));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(A, &values));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m->values into A; rows of ghosts go to their owners by PETSc. */
static PetscErrorCode put_values(RhxFormMatrix m, Mat A)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceSynchronize(m->device));
  PetscCall(MatSetValuesCOO(A, (const PetscScalar *)m->values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
static PetscErrorCode put_values(RhxFormMatrix m, Mat A)
{
  PetscScalar *values;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &n));
  PetscCall(PetscMalloc1(n, &values));
  PetscCall(RhxDeviceCopy(m->device, values, m->values, sizeof(PetscScalar) * n, RHX_COPY_TO_HOST));
  if (m->serial) {
    PetscScalar *to;
    PetscCall(MatSeqAIJGetArrayWrite(A, &to));
    PetscCall(PetscArraycpy(to, values, n));
    PetscCall(MatSeqAIJRestoreArrayWrite(A, &to));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  } else {
    PetscCall(MatSetValuesCOO(A, values, INSERT_VALUES));
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

static PetscErrorCode need_values(RhxFormMatrix m)
{
  PetscInt n;
  PetscFunctionBegin;
  if (m->values) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &n));
  PetscCall(RhxDeviceMalloc(m->device, sizeof(PetscScalar) * PetscMax(n, 1), "the matrix", &m->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixAssemble(RhxFormMatrix m, const RhxMatrixPoint *at, Mat A)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_CUDA)
  if (m->serial) {
    PetscCall(assemble_rows(m, at, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(need_values(m));
  PetscCall(RhxFormMatrixValues(m, at, m->values));
  PetscCall(put_values(m, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixAddBlocks(RhxFormMatrix m, PetscInt n, const PetscInt *node, const PetscScalar *block,
                                      Mat A)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_CUDA)
  if (m->serial) {
    PetscScalar *values;
    PetscCall(MatSeqAIJCUSPARSEGetArray(A, &values));
    PetscCall(RhxMatrixRowsAdd(m->rows, n, node, block, values));
    PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(RhxMatrixRowsAdd(m->rows, n, node, block, m->values));
  PetscCall(put_values(m, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMatrixCompile(RhxForm form, const RhxCells *cells, const RhxMatrixSpec *spec,
                                    RhxAssembly assembly, const char *arch, RhxDeviceBinary *binary)
{
  RhxMatrixBlock block;
  RhxDeviceSource source;

  PetscFunctionBegin;
  PetscCall(RhxMatrixBlockSetUp(form, spec, &block));
  PetscCall(RhxMatrixSource(form, cells, spec, &block, assembly, &source));
  PetscCall(RhxDeviceCompile(form->comm, arch, source, binary));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}
