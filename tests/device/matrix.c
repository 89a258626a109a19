/* Matrices of the device. matrix maps: pattern and owners' lists, no device. matrix compile: every program of a cover for sm_90,
 * registers and spills printed. matrix run, on a device: the three assemblies agree, the owner's has the same bits twice, and the
 * tangent is the derivative of the host's residual in a direction (differences extrapolated to fourth order), and the host's
 * tangent, which is exact too; scalar matrices.
 * -test_only n: one combination of the cover; -test_form n: those of one form. */
#include "../common/largest.h"
#include "form/cuda/face_tangent.h"
#include "form/cuda/product.h"
#include "form/host/tangent.h"
#include "matrix_setup.h"

static const char *const meshes2[] = {"-mesh_box_faces 7,5 -mesh_box_cell triangle -mesh_box_jitter 0.15",
                                      "-mesh_box_faces 7,5 -mesh_box_jitter 0.15",
                                      "-mesh_box_faces 6,4 -mesh_box_cell mixed -mesh_box_jitter 0.1"};
static const char *const meshes3[] = {
    "-mesh_box_faces 4,3,3 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_cell tetrahedron -mesh_box_jitter 0.1",
    "-mesh_box_faces 4,3,3 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_jitter 0.1"};

static const char *const forms[] = {
    "-physics newtonian,oldroydb -stabiliser gls",
    "-physics carreau_yasuda,giesekus -stabiliser gls -polymer_variable conformation -stabiliser_gls_tau transient",
    "-physics newtonian,ptt -stabiliser devss,split_oss",
    "-physics cross,fene_p -stabiliser devss,split_oss -polymer_variable conformation",
    "-physics newtonian,oldroydb -stabiliser devss,split_oss -polymer_variable logconf",
    "-physics power_law,fene_cr -stabiliser devss,split_oss -polymer_variable logconf",
    "-physics newtonian,johnson_segalman -stabiliser gls,split_oss -stabiliser_gls_parts tensor "
    "-stabiliser_split_oss_parts pressure,momentum",
    "-physics casson -stabiliser gls",
    "-physics newtonian,white_metzner -stabiliser gls -physics_white_metzner_modes 2 "
    "-physics_white_metzner_lambda 0.9,1.3",
};

_Static_assert(sizeof(forms) / sizeof(forms[0]) == 9, "as many as tests device_matrix_run_<form> in CMakeLists.txt");

#define MAX_STACK \
  2048 /* bytes a thread: spills of log c and of two modes in space take 1432, arrays left in memory 5056 to 14096 */

static PetscInt only = -1, only_form = -1, number;

/* ---- Maps ---- */

static const char *const map_meshes[] = {
    "-mesh_box_faces 7,5 -mesh_box_cell triangle",
    "-mesh_box_faces 7,5",
    "-mesh_box_faces 6,4 -mesh_box_cell mixed",
    "-mesh_box_faces 6,4 -mesh_box_cell mixed -mesh_box_periodic xy",
    "-mesh_box_faces 4,3,5 -mesh_box_cell tetrahedron",
    "-mesh_box_faces 4,3,5 -mesh_box_periodic xyz",
};

/* Every pair of an element's nodes falls on the block of its row that belongs to the other node, and every block is reached. */
static PetscErrorCode check_map(RhxSpace sp, const RhxMatrixMap *map, const char *mesh)
{
  PetscInt *reached, wrong = 0, missed = 0, descending = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(map->start[map->n], &reached));
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    for (PetscInt e = 0; e < ce->n; e++)
      for (PetscInt a = 0; a < ce->nn; a++)
        for (PetscInt b = 0; b < ce->nn; b++) {
          const PetscInt i = RhxCellsNode(ce, e, a), block = map->at[t][((size_t)e * ce->nn + a) * ce->nn + b];
          if (map->start[i] + block >= map->start[i + 1] || map->node[map->start[i] + block] != RhxCellsNode(ce, e, b))
            wrong++;
          else
            reached[map->start[i] + block]++;
        }
  }
  for (PetscInt i = 0; i < map->n; i++)
    for (PetscInt k = map->start[i]; k < map->start[i + 1]; k++) {
      missed += !reached[k];
      descending += k > map->start[i] && map->node[k] <= map->node[k - 1];
    }
  expect(!wrong, "%s: %d pairs at a wrong block", mesh, (int)wrong);
  expect(!missed, "%s: %d blocks that no element reaches", mesh, (int)missed);
  expect(!descending, "%s: %d blocks out of order", mesh, (int)descending);
  PetscCall(PetscFree(reached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_owners(RhxSpace sp, const RhxMatrixMap *map, size_t bytes, const char *mesh)
{
  RhxMatrixRange *range;
  RhxMatrixOwners *owners;
  PetscInt n, next = 0, wrong = 0, *seen;

  PetscFunctionBegin;
  PetscCall(RhxMatrixOwnersCreate(sp, map, 36, bytes, &n, &range, &owners));
  expect(bytes > 1000000 ? n == 1 : n > 1, "%s: %d ranges for %zu bytes", mesh, (int)n, bytes);
  for (PetscInt k = 0; k < n; k++) {
    wrong += range[k].first != next || range[k].n < 1;
    next += range[k].n;
  }
  expect(!wrong && next == map->n, "%s: ranges do not follow each other to the last node", mesh);
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    const RhxMatrixOwners *ow = &owners[t];
    PetscCall(PetscCalloc1((size_t)ce->n * ce->nn, &seen));
    for (PetscInt k = 0; k < n; k++)
      for (PetscInt i = 0; i < range[k].n; i++) {
        const int *list = ow->list + range[k].list[t];
        for (int l = list[i]; l < list[i + 1]; l++) {
          const PetscInt e = ow->element[range[k].element[t] + ow->entry[l] / ce->nn], a = ow->entry[l] % ce->nn;
          wrong += ow->entry[l] / ce->nn >= range[k].nelements[t] || RhxCellsNode(ce, e, a) != range[k].first + i;
          for (PetscInt b = 0; b < ce->nn; b++)
            wrong += ow->at[(size_t)l * ce->nn + b] != map->at[t][((size_t)e * ce->nn + a) * ce->nn + b];
          seen[e * ce->nn + a]++;
        }
      }
    for (PetscInt k = 0; k < ce->n * ce->nn; k++) wrong += seen[k] != 1;
    PetscCall(PetscFree(seen));
  }
  expect(!wrong, "%s: %d faults in the owners' lists of %d ranges", mesh, (int)wrong, (int)n);
  PetscCall(RhxMatrixOwnersDestroy(sp->ntypes, &n, &range, &owners));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode maps(void)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(map_meshes); k++) {
    RhxMatrixMap map;
    Setup s;
    char options[1024];
    PetscCall(PetscSNPrintf(options, sizeof(options), "%s %s", map_meshes[k], forms[0]));
    PetscCall(setup_create(options, &s));
    PetscCall(RhxMatrixMapCreate(s.space, &map));
    PetscCall(check_map(s.space, &map, map_meshes[k]));
    PetscCall(check_owners(s.space, &map, 1 << 30, map_meshes[k]));
    PetscCall(check_owners(s.space, &map, 60000 / size, map_meshes[k]));
    PetscCall(RhxMatrixMapDestroy(&map));
    PetscCall(setup_destroy(&s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Programs ---- */

static PetscErrorCode compile_cells(Setup *s, const RhxCells *ce, RhxAssembly assembly, const char *options)
{
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT, .mass = RHX_MASS_LUMPED, .rate = s->form->needs_rate};
  RhxDeviceBinary binary;
  int registers = 0, spills = 0, stack = 0;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixCompile(s->form, ce, &spec, assembly, "sm_90", &binary));
  for (PetscInt k = 0; k < binary.nkernels; k++) {
    registers = PetscMax(registers, binary.kernel[k].registers);
    spills = PetscMax(spills, binary.kernel[k].spill_stores);
    stack = PetscMax(stack, binary.kernel[k].stack);
  }
  expect(binary.nkernels == s->space->bs + 1, "%d kernels, expected %d", (int)binary.nkernels, (int)s->space->bs + 1);
  expect(stack <= MAX_STACK, "%s: %d bytes of stack, expected at most %d: zeros or arrays are not known when compiling",
         options, stack, MAX_STACK);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%2d %d registers, %d bytes stack, %d bytes spill stores, %.1f s, %zu kB: %s, %s\n",
                        (int)number - 1, registers, stack, spills, binary.seconds, binary.size / 1000,
                        DMPolytopeTypes[ce->type], options));
  PetscCall(RhxDeviceBinaryFree(&binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compile_product(Setup *s, const RhxCells *ce, const char *options)
{
  RhxDeviceBinary binary;

  PetscFunctionBegin;
  PetscCall(RhxFormProductCompile(s->form, ce, "sm_90", &binary));
  expect(binary.nkernels == (s->form->naux ? 3 : 2), "%s: %d kernels of products", options, (int)binary.nkernels);
  for (PetscInt k = 0; k < binary.nkernels; k++) {
    const RhxKernelUse *kernel = &binary.kernel[k];
    expect(kernel->stack <= MAX_STACK, "%s: %s has %d bytes of stack, expected at most %d", options, kernel->name,
           kernel->stack, MAX_STACK);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   %s %d registers, %d bytes stack: %s\n", kernel->name, kernel->registers,
                          kernel->stack, DMPolytopeTypes[ce->type]));
  }
  PetscCall(RhxDeviceBinaryFree(&binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Programs of the faces' derivatives: of products, of the matrix. */
static PetscErrorCode compile_faces(Setup *s, const RhxCells *ce, const char *options)
{
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT};
  RhxMatrixBlock block;

  PetscFunctionBegin;
  PetscCall(RhxMatrixBlockSetUp(s->form, &spec, &block));
  for (int matrix = 0; matrix < 2; matrix++) {
    RhxDeviceSource source;
    RhxDeviceBinary binary;
    PetscCall(RhxFaceTangentSource(s->form, ce, s->form->needs_rate, PETSC_FALSE, matrix ? &block : NULL, &source));
    PetscCall(RhxDeviceCompile(s->form->comm, "sm_90", source, &binary));
    PetscCall(RhxDeviceSourceDestroy(&source));
    expect(binary.nkernels == 2, "%s: %d kernels of faces, expected 2", options, (int)binary.nkernels);
    for (PetscInt k = 0; k < binary.nkernels; k++)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   %s %d registers, %d bytes stack: %s\n", binary.kernel[k].name,
                            binary.kernel[k].registers, binary.kernel[k].stack, DMPolytopeTypes[ce->type]));
    PetscCall(RhxDeviceBinaryFree(&binary));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compile(const char *options, PetscBool all)
{
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_create(options, &s));
  for (PetscInt t = 0; t < s.space->ntypes; t++) {
    PetscCall(compile_faces(&s, &s.space->cells[t], options));
    PetscCall(compile_product(&s, &s.space->cells[t], options));
  }
  for (PetscInt t = 0; t < s.space->ntypes; t++)
    for (int k = 0; k < 3; k++)
      if (all || k == RHX_ASSEMBLY_OWNER) PetscCall(compile_cells(&s, &s.space->cells[t], (RhxAssembly)k, options));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Runs ---- */

static RhxDevice device;
static const double dt = 0.1, shift = 7.0;

static double noise(PetscInt i) { return PetscSinReal(12.9898 * (i + 1)) * 0.8; }

/* y = J v, values row by row in the layout of the map */
static void multiply(const RhxMatrixMap *map, PetscInt bs, const PetscScalar *values, const PetscScalar *v,
                     PetscScalar *y)
{
  for (PetscInt i = 0; i < map->n; i++)
    for (PetscInt r = 0; r < bs; r++) {
      PetscScalar sum = 0;
      for (PetscInt k = map->start[i]; k < map->start[i + 1]; k++)
        for (PetscInt c = 0; c < bs; c++) sum += *values++ * v[map->node[k] * bs + c];
      y[i * bs + r] = sum;
    }
}

/* Central difference of the residual along v, of the state and the rate, step h. */
static PetscErrorCode difference(Setup *s, const PetscScalar *v, double h, PetscScalar *out)
{
  const PetscInt n = s->space->nlocal * s->space->bs;
  PetscScalar *x, *xdot, *r;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &x, n, &xdot, n, &r));
  for (int side = 1; side >= -1; side -= 2) {
    for (PetscInt i = 0; i < n; i++) {
      x[i] = s->x[i] + side * h * v[i];
      xdot[i] = s->xdot[i] + side * h * shift * v[i];
    }
    PetscCall(RhxFormResidual(s->form, RHX_ROWS_ALL, 0.0, dt, x, xdot, s->aux, side > 0 ? out : r, NULL));
  }
  for (PetscInt i = 0; i < n; i++) out[i] = (out[i] - r[i]) / (2 * h);
  PetscCall(PetscFree3(x, xdot, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference over the largest value, of each component the worst. */
static double worst(PetscInt n, PetscInt bs, const PetscScalar *got, const PetscScalar *want)
{
  double all = 0;
  for (PetscInt c = 0; c < bs; c++) {
    double d = 0, scale = 0;
    for (PetscInt i = 0; i < n; i++) {
      const double e = PetscAbsScalar(got[i * bs + c] - want[i * bs + c]);
      d = larger(d, e);
      scale = PetscMax(scale, PetscAbsScalar(want[i * bs + c]));
    }
    d /= scale;
    all = larger(all, d);
  }
  return all;
}

/* The derivative along v that the tangent must give, lumped mass too. */
static PetscErrorCode derivative(Setup *s, const PetscScalar *v, PetscScalar *want)
{
  const RhxSpace sp = s->space;
  const PetscInt n = sp->nlocal * sp->bs;
  PetscScalar *wide;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &wide));
  PetscCall(difference(s, v, 1e-4, want));
  PetscCall(difference(s, v, 2e-4, wide));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt c = i % sp->bs;
    const double mass = c == sp->dim ? 0.0 : sp->mass[i / sp->bs] * (c < sp->dim ? s->form->rho : 1.0);
    want[i] = (4 * want[i] - wide[i]) / 3 + shift * mass * v[i];
  }
  PetscCall(PetscFree(wide));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_values(RhxFormMatrix m, RhxAssembly assembly, const RhxMatrixPoint *at, PetscScalar **values)
{
  PetscInt n;
  void *ptr;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &n));
  PetscCall(PetscMalloc1(n, values));
  for (PetscInt k = 0; k < n; k++) (*values)[k] = NAN; /* what is not written is seen */
  PetscCall(to_device(device, *values, n, &ptr));
  PetscCall(RhxFormMatrixSetAssembly(m, assembly));
  PetscCall(RhxFormMatrixValues(m, at, ptr));
  PetscCall(RhxDeviceCopy(device, *values, ptr, sizeof(double) * n, RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceFree(device, ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double largest(PetscInt n, const PetscScalar *a, const PetscScalar *b)
{
  double d = 0, scale = 0;
  for (PetscInt k = 0; k < n; k++) {
    const double e = PetscAbsScalar(a[k] - (b ? b[k] : 0));
    d = larger(d, e);
    scale = PetscMax(scale, PetscAbsScalar(a[k]));
  }
  return b ? d / scale : scale;
}

/* Without rates: duals on the device against the complex step on the host. */
static PetscErrorCode check_host(Setup *s, RhxFormMatrix m, const RhxMatrixPoint *at, const PetscScalar *v,
                                 const char *options)
{
  const PetscInt n = s->space->nlocal * s->space->bs;
  const RhxTangentPoint here = {.dt = dt, .x = s->x, .aux = s->aux};
  const RhxMatrixMap *map;
  RhxMatrixPoint still = *at;
  PetscScalar *zero, *values, *got, *want;
  void *ptr;
  double d;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &zero));
  PetscCall(PetscMalloc2(n, &got, n, &want));
  PetscCall(to_device(device, zero, n, &ptr));
  still.xdot = ptr;
  still.shift = 0.0;
  PetscCall(get_values(m, RHX_ASSEMBLY_OWNER, &still, &values));
  PetscCall(RhxFormMatrixGetMap(m, &map));
  multiply(map, s->space->bs, values, v, got);
  PetscCall(RhxFormTangentProduct(s->form, &here, v, NULL, want));
  d = worst(s->space->nlocal, s->space->bs, got, want);
  expect(d <= 1e-12, "%s: J v differs from the host's tangent by %.2e", options, d);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   J v against the host's %.1e\n", d));
  PetscCall(RhxDeviceFree(device, ptr));
  PetscCall(PetscFree2(got, want));
  PetscCall(PetscFree(values));
  PetscCall(PetscFree(zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_tangent(Setup *s, const RhxMatrixPoint *at, PetscBool all, const char *options)
{
  const RhxSpace sp = s->space;
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT, .mass = RHX_MASS_LUMPED, .rate = s->form->needs_rate};
  const PetscInt n = sp->nlocal * sp->bs;
  const RhxMatrixMap *map;
  RhxFormMatrix m;
  PetscScalar *v, *want, *got, *owner, *again, *other;
  PetscInt nvalues;
  PetscBool same;
  double d, da = 0;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixCreate(s->form, device, &spec, &m));
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &nvalues));
  PetscCall(RhxFormMatrixGetMap(m, &map));
  PetscCall(get_values(m, RHX_ASSEMBLY_OWNER, at, &owner));
  PetscCall(get_values(m, RHX_ASSEMBLY_OWNER, at, &again));
  PetscCall(PetscMemcmp(owner, again, sizeof(*owner) * nvalues, &same));
  PetscCall(PetscMalloc3(n, &v, n, &want, n, &got));
  for (PetscInt i = 0; i < n; i++) v[i] = noise(i);
  PetscCall(derivative(s, v, want));
  multiply(map, sp->bs, owner, v, got);
  d = worst(sp->nlocal, sp->bs, got, want);
  for (int k = 0; k < 3 && all; k++) {
    if (k == RHX_ASSEMBLY_OWNER) continue;
    PetscCall(get_values(m, (RhxAssembly)k, at, &other));
    da = PetscMax(da, largest(nvalues, owner, other));
    expect(da <= 1e-13, "%s: assembly %d differs from the owners' by %.2e", options, k, da);
    PetscCall(PetscFree(other));
  }
  expect(same, "%s: the owners' matrix differs in two runs", options);
  expect(d <= 1e-8, "%s: J v differs from the difference of residuals by %.2e", options, d);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%2d J v %.1e, assemblies %.1e: %s\n", (int)number - 1, d, da, options));
  PetscCall(check_host(s, m, at, v, options));
  PetscCall(PetscFree3(v, want, got));
  PetscCall(PetscFree(owner));
  PetscCall(PetscFree(again));
  PetscCall(RhxFormMatrixDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of a subset of the fields are those of the whole; a consistent mass adds shift rho M. */
static PetscErrorCode check_subset(Setup *s, const RhxMatrixPoint *at, const char *options)
{
  const PetscInt bs = s->space->bs, dim = s->space->dim;
  const RhxMatrixSpec all = {.kind = RHX_MATRIX_TANGENT, .rate = s->form->needs_rate};
  const RhxMatrixSpec part = {.kind = RHX_MATRIX_TANGENT,
                              .mass = RHX_MASS_CONSISTENT,
                              .rate = s->form->needs_rate,
                              .nrows = 2,
                              .row = {1, 0},
                              .ncols = 1,
                              .col = {0}};
  const RhxMatrixSpec mass = {.kind = RHX_MATRIX_MASS};
  const RhxMatrixMap *map;
  RhxFormMatrix m[3];
  PetscScalar *values[3];
  double d = 0, scale = 0, sum = 0;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixCreate(s->form, device, &all, &m[0]));
  PetscCall(RhxFormMatrixCreate(s->form, device, &part, &m[1]));
  PetscCall(RhxFormMatrixCreate(s->form, device, &mass, &m[2]));
  for (int k = 0; k < 3; k++) PetscCall(get_values(m[k], RHX_ASSEMBLY_OWNER, at, &values[k]));
  PetscCall(RhxFormMatrixGetMap(m[0], &map));
  for (PetscInt i = 0; i < map->n; i++) {
    const PetscInt first = map->start[i], width = map->start[i + 1] - first;
    double row = 0;
    for (PetscInt k = 0; k < width; k++) {
      const double M = values[2][first + k];
      row += M;
      for (PetscInt r = 0; r <= dim; r++)
        for (PetscInt c = 0; c < dim; c++) {
          const PetscInt from = r ? r - 1 : dim; /* rows: pressure, velocity */
          const double want = values[0][(size_t)first * bs * bs + (from * width + k) * bs + c] +
                              (from == c ? shift * s->form->rho * M : 0.0);
          const double e =
              PetscAbsScalar(values[1][(size_t)first * (dim + 1) * dim + (r * width + k) * dim + c] - want);
          d = larger(d, e);
          scale = PetscMax(scale, PetscAbsReal(want));
        }
    }
    sum = larger(sum, PetscAbsReal(row / s->space->mass[i] - 1));
  }
  expect(d <= 1e-14 * scale, "%s: a subset of fields differs by %.2e", options, d / scale);
  expect(sum <= 1e-13, "%s: row sums of the mass differ by %.2e", options, sum);
  for (int k = 0; k < 3; k++) {
    PetscCall(PetscFree(values[k]));
    PetscCall(RhxFormMatrixDestroy(&m[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into a Mat, against the host's Laplacian. */
static PetscErrorCode check_laplacian(Setup *s, const char *options)
{
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_LAPLACIAN};
  RhxFormMatrix m;
  Mat A, K;
  double norm, d;

  PetscFunctionBegin;
  PetscCall(RhxFormMatrixCreate(s->form, device, &spec, &m));
  PetscCall(RhxFormCreateLaplacian(s->form, &K));
  PetscCall(RhxFormMatrixCreateMat(m, &A));
  PetscCall(MatNorm(K, NORM_FROBENIUS, &norm));
  for (int k = 0; k < 3; k++) {
    Mat C;
    PetscCall(RhxFormMatrixSetAssembly(m, (RhxAssembly)k));
    PetscCall(RhxFormMatrixAssemble(m, NULL, A));
    PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &C));
    PetscCall(MatAXPY(C, -1.0, K, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatNorm(C, NORM_FROBENIUS, &d));
    expect(d <= 1e-14 * norm, "%s: the Laplacian differs from the host's by %.2e", options, d / norm);
    PetscCall(MatDestroy(&C));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&K));
  PetscCall(RhxFormMatrixDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const char *options, PetscBool scalar)
{
  const double clock[2] = {0.0, dt};
  RhxMatrixPoint at = {.shift = shift};
  void *ptr[4];
  Setup s;

  PetscFunctionBegin;
  PetscCall(setup_create(options, &s));
  PetscCall(setup_state(&s, dt));
  PetscCall(to_device(device, clock, 2, &ptr[0]));
  PetscCall(to_device(device, s.x, s.space->nlocal * s.space->bs, &ptr[1]));
  PetscCall(to_device(device, s.xdot, s.space->nlocal * s.space->bs, &ptr[2]));
  PetscCall(to_device(device, s.aux, s.space->nlocal * s.form->naux, &ptr[3]));
  at.clock = ptr[0];
  at.x = ptr[1];
  at.xdot = ptr[2];
  at.aux = ptr[3];
  PetscCall(check_tangent(&s, &at, scalar, options));
  if (scalar) PetscCall(check_subset(&s, &at, options));
  if (scalar) PetscCall(check_laplacian(&s, options));
  for (int k = 0; k < 4; k++) PetscCall(RhxDeviceFree(device, ptr[k]));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cover(const char *what)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(forms); k++)
    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(meshes2) + PETSC_STATIC_ARRAY_LENGTH(meshes3); j++) {
      const size_t n2 = PETSC_STATIC_ARRAY_LENGTH(meshes2);
      char options[1024];
      if ((number++ != only && only >= 0) || ((PetscInt)k != only_form && only_form >= 0)) continue;
      PetscCall(PetscSNPrintf(options, sizeof(options), "%s %s", j < n2 ? meshes2[j] : meshes3[j - n2], forms[k]));
      if (what[0] == 'c')
        PetscCall(compile(options, (PetscBool)!k));
      else
        PetscCall(run(options, (PetscBool)!k));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode has_compiler(PetscBool *has)
{
  RhxDeviceSource source;
  RhxDeviceBinary binary;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(RhxDeviceSourceCreate("nothing.cu", "", &source));
  CATCH(code, RhxDeviceCompile(PETSC_COMM_WORLD, "sm_90", source, &binary));
  PetscCall(RhxDeviceSourceDestroy(&source));
  if (!code) PetscCall(RhxDeviceBinaryFree(&binary));
  *has = (PetscBool)!code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  RhxDeviceState state;
  PetscBool possible = PETSC_TRUE;

  PetscCall(setup_begin(&argc, &argv));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-test_only", &only, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-test_form", &only_form, NULL));
  if (!strcmp(what, "maps"))
    PetscCall(maps());
  else if (!strcmp(what, "compile")) {
    PetscCall(has_compiler(&possible));
    if (possible) PetscCall(cover(what));
  } else {
    PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
    possible = (PetscBool)(state.availability == RHX_DEVICE_READY);
    if (possible) {
      PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
      PetscCall(cover(what));
      PetscCall(RhxDeviceClose(&device));
    }
  }
  if (!possible) puts(what[0] == 'c' ? "skipped: no NVRTC" : state.sentence);
  return setup_end() ? 1 : possible ? 0 : SKIP;
}
