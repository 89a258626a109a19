/* derivatives [-test_cases a,b,...]: matrices and products of a device are the host's, over the cases of the host's own test
 * (tests/form/tangent_cases.h) but those of one point a simplex, of which a device takes no derivatives, on any number of ranks: the matrix
 * in PETSc's type, again into the same; products with and without the derivative of the projections, those of projections and of the mass.
 * Exit code 77: no device. */
#include "../common/largest.h"
#include "../form/tangent_cases.h"
#include "form/cuda/product.h"
#include "form/host/inertia.h"
#include "form/host/projection.h"
#include "form/host/tangent.h"
#include "matrix_setup.h"

#define NEAR 1e-12 /* of matrices, and of products: relative to the largest value of a component */
#define SHIFT 0.6  /* 1/s */

static RhxDevice device;

static double noise(PetscInt i, PetscInt c) { return 0.8 * PetscSinReal(12.9898 * (i + 1) + 7.1 * c); }

/* The same state whatever the ranks are. */
static PetscErrorCode random_nodes(RhxSpace sp, PetscInt width, PetscScalar *v)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < width; c++) v[i * width + c] = noise(sp->natural[i], c);
  PetscCall(RhxSpaceGlobalToLocal(sp, width, v, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of owned values of a component over its largest value, on all ranks. */
static PetscErrorCode compare(RhxSpace sp, PetscInt width, const PetscScalar *got, const PetscScalar *want,
                              const char *what, const char *options)
{
  double all = 0.0;
  PetscFunctionBegin;
  for (PetscInt c = 0; c < width; c++) {
    double d[2] = {0.0, 0.0};
    for (PetscInt i = 0; i < sp->nowned; i++) {
      const double e = PetscAbsScalar(got[i * width + c] - want[i * width + c]);
      d[0] = larger(d[0], e);
      d[1] = PetscMax(d[1], PetscAbsScalar(want[i * width + c]));
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d, 2, MPI_DOUBLE, MPI_MAX, sp->comm));
    all = PetscMax(all, d[0] / PetscMax(d[1], 1e-3));
  }
  expect(all <= NEAR, "%s: %s differs from the host's by %.2e", options, what, all);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s %.1e", what, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What lies on the device, with ghosts added up. */
static PetscErrorCode take(RhxSpace sp, PetscInt width, void *at, PetscScalar *v)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(device, v, at, sizeof(PetscScalar) * (size_t)sp->nlocal * width, RHX_COPY_TO_HOST));
  PetscCall(RhxSpaceReduce(sp, width, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_matrix(Setup *s, const RhxTangentPoint *here, const RhxMatrixPoint *there,
                                   RhxAssembly assembly, const char *options)
{
  const RhxMatrixSpec spec = {.kind = RHX_MATRIX_TANGENT, .mass = RHX_MASS_CONSISTENT, .rate = s->form->needs_rate};
  RhxFormMatrix m;
  PetscReal size, off;
  PetscInt bs;
  Mat A, B, C;
  PetscFunctionBegin;
  PetscCall(RhxFormMatrixCreate(s->form, device, &spec, &m));
  PetscCall(RhxFormMatrixSetAssembly(m, assembly));
  PetscCall(RhxFormMatrixCreateMat(m, &B));
  for (int k = 0; k < 2; k++) PetscCall(RhxFormMatrixAssemble(m, there, B));
  PetscCall(RhxFormCreateBlockMatrix(s->form, &A));
  PetscCall(RhxFormTangentMatrix(s->form, here, A));
  PetscCall(MatGetBlockSize(B, &bs));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &size));
  PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatAXPY(C, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &off));
  expect(off <= NEAR * size && size > 0.0, "%s: the matrix differs from the host's by %.2e", options, off / size);
  expect(bs == s->space->bs, "%s: the matrix has blocks of %d, expected %d", options, (int)bs, (int)s->space->bs);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrix %.1e", off / size));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(RhxFormMatrixDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Host arrays and their like on the device. */
typedef struct {
  PetscScalar *v, *a, *got, *want;
  void *v_at, *a_at, *out;
} Arrays;

static PetscErrorCode check_projections(Setup *s, RhxFormProduct p, const RhxTangentPoint *here,
                                        const RhxMatrixPoint *there, Arrays *ar, const char *options)
{
  const RhxSpace sp = s->space;
  const PetscInt naux = s->form->naux;
  PetscFunctionBegin;
  if (!naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceZero(device, ar->out, sizeof(PetscScalar) * (size_t)sp->nlocal * naux));
  PetscCall(RhxFormProductProject(p, there, NULL, ar->v_at, ar->out));
  PetscCall(take(sp, naux, ar->out, ar->got));
  PetscCall(RhxProjectionSolve(s->form, 0.0, ar->got));
  PetscCall(RhxFormTangentProject(s->form, here, ar->v, ar->want));
  PetscCall(compare(sp, naux, ar->got, ar->want, "projections", options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_products(Setup *s, const RhxTangentPoint *here, const RhxMatrixPoint *there,
                                     const char *options)
{
  const RhxSpace sp = s->space;
  const PetscInt bs = sp->bs, naux = s->form->naux;
  const size_t n = (size_t)sp->nlocal * PetscMax(bs, naux);
  RhxFormProduct p;
  Arrays ar;
  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n, &ar.v, n, &ar.a, n, &ar.got, n, &ar.want));
  PetscCall(random_nodes(sp, bs, ar.v));
  PetscCall(random_nodes(sp, naux, ar.a));
  PetscCall(to_device(device, ar.v, n, &ar.v_at));
  PetscCall(to_device(device, ar.a, n, &ar.a_at));
  PetscCall(to_device(device, ar.got, n, &ar.out));
  PetscCall(RhxFormProductCreate(s->form, device, PETSC_FALSE, &p));
  PetscCall(check_projections(s, p, here, there, &ar, options));
  for (int whole = 0; whole < 2; whole++) {
    const PetscBool all = (PetscBool)(whole && naux);
    PetscCall(RhxDeviceZero(device, ar.out, sizeof(PetscScalar) * n));
    PetscCall(RhxFormProductAdd(p, there, ar.v_at, all ? ar.a_at : NULL, ar.out));
    PetscCall(take(sp, bs, ar.out, ar.got));
    PetscCall(RhxFormTangentProduct(s->form, here, ar.v, all ? ar.a : NULL, ar.want));
    PetscCall(compare(sp, bs, ar.got, ar.want, whole ? "product with projections" : "product", options));
  }
  PetscCall(RhxDeviceZero(device, ar.out, sizeof(PetscScalar) * n));
  PetscCall(RhxFormProductMass(p, 1.3, ar.v_at, ar.out));
  PetscCall(take(sp, bs, ar.out, ar.got));
  PetscCall(PetscArrayzero(ar.want, n));
  PetscCall(RhxFormAddInertia(s->form, 1.3, ar.v, ar.want));
  PetscCall(compare(sp, bs, ar.got, ar.want, "inertia", options));
  PetscCall(RhxFormProductDestroy(&p));
  PetscCall(RhxDeviceFree(device, ar.v_at));
  PetscCall(RhxDeviceFree(device, ar.a_at));
  PetscCall(RhxDeviceFree(device, ar.out));
  PetscCall(PetscFree4(ar.v, ar.a, ar.got, ar.want));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep(void *ctx, PetscScalar *aux)
{
  PetscFunctionBegin;
  (void)ctx;
  (void)aux;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(size_t number)
{
  const double clock[2] = {0.0, 0.0}, shift = number % 2 ? 0.0 : SHIFT;
  RhxMatrixPoint there = {.shift = shift, .follows = number / 2 % 2};
  char options[1024];
  void *at[4];
  Setup s;
  PetscFunctionBegin;
  PetscCall(tangent_options(number, sizeof(options), options));
  PetscCall(setup_create(options, &s));
  PetscCall(tangent_faces(s.form, number));
  if (cases[number].consistent) PetscCall(RhxFormSetConsistent(s.form, keep, NULL));
  PetscCall(setup_state(&s, 0.0));
  const size_t n = (size_t)s.space->nlocal * s.space->bs;
  const RhxTangentPoint here = {0.0, 0.0, s.x, s.aux, shift > 0.0 ? s.xdot : NULL, shift, 0.0, there.follows};
  PetscCall(to_device(device, clock, 2, &at[0]));
  PetscCall(to_device(device, s.x, n, &at[1]));
  PetscCall(to_device(device, s.xdot, n, &at[2]));
  PetscCall(to_device(device, s.aux, (size_t)s.space->nlocal * s.form->naux, &at[3]));
  there.clock = at[0];
  there.x = at[1];
  there.xdot = shift > 0.0 ? at[2] : NULL;
  there.aux = at[3];
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%2d: ", (int)number));
  PetscCall(check_matrix(&s, &here, &there, number % 2 ? RHX_ASSEMBLY_OWNER : RHX_ASSEMBLY_COLOUR, options));
  PetscCall(check_products(&s, &here, &there, options));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ": %s\n", options));
  for (int k = 0; k < 4; k++) PetscCall(RhxDeviceFree(device, at[k]));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RhxDeviceState state;
  PetscInt list[PETSC_STATIC_ARRAY_LENGTH(cases)], n = PETSC_STATIC_ARRAY_LENGTH(cases);
  PetscBool given;
  PetscCall(setup_begin(&argc, &argv));
  for (PetscInt k = 0; k < n; k++) list[k] = k;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-test_cases", list, &n, &given));
  if (!given) n = PETSC_STATIC_ARRAY_LENGTH(cases);
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability == RHX_DEVICE_READY) {
    PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
    for (PetscInt k = 0; k < n; k++)
      if (!strstr(cases[list[k]].options, "-form_quadrature centroid")) PetscCall(check((size_t)list[k]));
    PetscCall(RhxDeviceClose(&device));
  }
  return setup_end() ? 1 : state.availability != RHX_DEVICE_READY ? SKIP : 0;
}
