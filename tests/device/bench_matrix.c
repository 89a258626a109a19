/* Times of matrix assembly on the device, one JSON line each: bench_matrix [-bench_size 1] [-bench_repeat 10] [-bench_form ...]. Sizes are
 * those of share/doc/benchmarks.md times -bench_size: 1M nodes in the plane, 90^3 in space. Built, not run by ctest. */
#include "matrix_setup.h"

typedef struct {
  RhxDevice device;
  PetscInt repeat;
  PetscBool owner; /* only */
} Bench;

static PetscErrorCode time_assembly(Bench *b, Setup *s, RhxFormMatrix m, const char *kind, const RhxMatrixPoint *at)
{
  static const char *const name[] = {"colour", "owner", "atomic"};
  double *ms;
  PetscInt nvalues;
  void *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->repeat, &ms));
  PetscCall(RhxFormMatrixGetSize(m, NULL, NULL, &nvalues));
  PetscCall(RhxDeviceMalloc(b->device, sizeof(double) * nvalues, "the matrix", &values));
  for (int k = 0; k < 3; k++) {
    const RhxAssembly assembly = (RhxAssembly)((k + 1) % 3);
    if (k && b->owner) break;
    PetscCall(RhxFormMatrixSetAssembly(m, assembly));
    for (PetscInt i = -2; i < b->repeat; i++) {
      double t;
      PetscCall(RhxDeviceTimerBegin(b->device));
      PetscCall(RhxFormMatrixValues(m, at, values));
      PetscCall(RhxDeviceTimerEnd(b->device, &t));
      if (i >= 0) ms[i] = t;
    }
    PetscCall(PetscSortReal(b->repeat, ms));
    PetscCall(PetscPrintf(
        PETSC_COMM_WORLD,
        "{\"matrix\": \"%s\", \"cells\": \"%s\", \"nodes\": %d, \"values\": %d, \"assembly\": \"%s\", "
        "\"median_us\": %.1f, \"min_us\": %.1f, \"max_us\": %.1f, \"write_GB_per_s\": %.1f}\n",
        kind, DMPolytopeTypes[s->space->cells[0].type], (int)s->space->nglobal, (int)nvalues, name[assembly],
        1e3 * ms[b->repeat / 2], 1e3 * ms[0], 1e3 * ms[b->repeat - 1], 8e-6 * nvalues / ms[b->repeat / 2]));
  }
  PetscCall(RhxDeviceFree(b->device, values));
  PetscCall(PetscFree(ms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode bench_mesh(Bench *b, const char *mesh, const char *form)
{
  const double clock[2] = {0.0, 1e-3};
  RhxMatrixPoint at = {.shift = 1000.0};
  char options[1024];
  void *ptr[4];
  Setup s;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s %s", mesh, form));
  PetscCall(setup_create(options, &s));
  PetscCall(setup_state(&s, clock[1]));
  PetscCall(to_device(b->device, clock, 2, &ptr[0]));
  PetscCall(to_device(b->device, s.x, s.space->nlocal * s.space->bs, &ptr[1]));
  PetscCall(to_device(b->device, s.xdot, s.space->nlocal * s.space->bs, &ptr[2]));
  PetscCall(to_device(b->device, s.aux, s.space->nlocal * s.form->naux, &ptr[3]));
  at.clock = ptr[0];
  at.x = ptr[1];
  at.xdot = ptr[2];
  at.aux = ptr[3];
  for (int k = 0; k < 2; k++) {
    const RhxMatrixSpec spec = {
        .kind = k ? RHX_MATRIX_LAPLACIAN : RHX_MATRIX_TANGENT, .mass = RHX_MASS_LUMPED, .rate = s.form->needs_rate};
    RhxFormMatrix m;
    PetscCall(RhxFormMatrixCreate(s.form, b->device, &spec, &m));
    if (!k) PetscCall(RhxFormMatrixView(m, PETSC_VIEWER_STDOUT_WORLD));
    PetscCall(time_assembly(b, &s, m, k ? "laplacian" : "tangent", &at));
    PetscCall(RhxFormMatrixDestroy(&m));
  }
  for (int k = 0; k < 4; k++) PetscCall(RhxDeviceFree(b->device, ptr[k]));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const cell[] = {"triangle", "quadrilateral", "tetrahedron", "hexahedron"};
  Bench b = {.repeat = 10};
  double size = 1.0;
  char form[1024] = "-physics newtonian,oldroydb -stabiliser gls", mesh[256], cells[256] = "";
  RhxDeviceState state;

  PetscCall(setup_begin(&argc, &argv));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_size", &size, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_repeat", &b.repeat, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_form", form, sizeof(form), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_cells", cells, sizeof(cells), NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-bench_owner", &b.owner));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  puts(state.sentence);
  if (state.availability != RHX_DEVICE_READY) return setup_end() ? 1 : SKIP;
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &b.device));
  for (int k = 0; k < 4; k++) {
    const int n = k < 2 ? (int)(999 * PetscSqrtReal(size)) : (int)(89 * PetscPowReal(size, 1.0 / 3));
    if (cells[0] && !strstr(cells, cell[k])) continue;
    if (k < 2)
      PetscCall(PetscSNPrintf(mesh, sizeof(mesh), "-mesh_box_cell %s -mesh_box_faces %d,%d -mesh_box_jitter 0.1",
                              cell[k], n, n));
    else
      PetscCall(PetscSNPrintf(mesh, sizeof(mesh), "-mesh_box_cell %s -mesh_box_faces %d,%d,%d -mesh_box_jitter 0.1",
                              cell[k], n, n, n));
    PetscCall(bench_mesh(&b, mesh, form));
  }
  PetscCall(RhxDeviceClose(&b.device));
  return setup_end();
}
