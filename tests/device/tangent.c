/* device_tangent -options: matrices and products with derivatives that the table of operations makes on a device are the host's, at
 * the state of a case after its steps, on any number of ranks; where a device cannot make them, it says so. Exit code 77: no device. */
#include "form/host/tangent.h"
#include "../common/caserun.h"
#include "../common/largest.h"
#include "boundary/boundary.h"
#include "common.h"
#include "form/host/inertia.h"
#include "scheme/type_impl.h"
#include <math.h>

#define SHIFT 7.0
#define TOLERANCE 1e-12

/* Host arrays of what the device holds, ghosts too. */
typedef struct {
  PetscScalar *x, *aux, *xdot;
} Arrays;

static PetscErrorCode fetch(RhxScheme sc, RhxArray from, PetscScalar **to)
{
  const RhxSpace sp = sc->form->space;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)sp->nlocal * from->width, to));
  PetscCall(sc->ops->table->store(sc->ops, from, *to));
  PetscCall(RhxSpaceGlobalToLocal(sp, from->width, *to, *to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode release(Arrays *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->x));
  PetscCall(PetscFree(a->aux));
  PetscCall(PetscFree(a->xdot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned values of an array against the host's, relative to the largest. */
static PetscErrorCode compare(RhxScheme sc, RhxArray got, const PetscScalar *want, const char *what)
{
  const RhxSpace sp = sc->form->space;
  PetscScalar *host;
  double d[2] = {0.0, 0.0};
  PetscFunctionBegin;
  PetscCall(fetch(sc, got, &host));
  for (PetscInt k = 0; k < sp->nowned * got->width; k++) {
    const double e = PetscAbsScalar(host[k] - want[k]);
    d[0] = larger(d[0], e);
    d[1] = PetscMax(d[1], PetscAbsScalar(want[k]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d, 2, MPI_DOUBLE, MPI_MAX, sp->comm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %.1e of %g\n", what, d[0] / d[1], d[1]));
  expect(d[0] <= TOLERANCE * d[1] && d[1] > 0.0, "%s of the device differs from the host's by %.2e, expected %.0e",
         what, d[0] / d[1], TOLERANCE);
  PetscCall(PetscFree(host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a'(x) v, J v and J v + M v, each where the device has what went before. */
static PetscErrorCode check_products(RhxScheme sc, const RhxOpsPoint *at, const RhxTangentPoint *point)
{
  const RhxOps ops = sc->ops;
  const RhxSpace sp = sc->form->space;
  const RhxTangentTable *tangent = ops->table->tangent;
  PetscScalar *along, *da, *r;
  RhxArray v, daux, res;
  PetscFunctionBegin;
  PetscCall(RhxOpsArray(ops, sp->bs, "a direction", &v));
  PetscCall(RhxOpsArray(ops, sc->form->naux, "its projections", &daux));
  PetscCall(RhxOpsArray(ops, sp->bs, "a product", &res));
  PetscCall(PetscMalloc3((size_t)sp->nlocal * sp->bs, &along, (size_t)sp->nlocal * sc->form->naux, &da,
                         (size_t)sp->nlocal * sp->bs, &r));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) along[k] = 0.8 * PetscSinReal(12.9898 * (k + 1));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, along, along));
  PetscCall(ops->table->load(ops, v, along));
  PetscCall(ops->table->ghosts(ops, v));
  for (int again = 0; again < 2; again++) PetscCall(tangent->project(ops, at, v, daux));
  PetscCall(RhxFormTangentProject(sc->form, point, along, da));
  PetscCall(RhxBoundaryCorrectProjections(sc->bc, da));
  PetscCall(compare(sc, daux, da, "projections"));
  for (int again = 0; again < 2; again++) PetscCall(tangent->product(ops, at, v, daux, res));
  PetscCall(RhxFormTangentProduct(sc->form, point, along, da, r));
  PetscCall(compare(sc, res, r, "the product"));
  PetscCall(ops->table->ghosts(ops, res));
  PetscCall(tangent->inertia(ops, v, res));
  PetscCall(RhxFormAddInertia(sc->form, 1.0, along, r));
  PetscCall(compare(sc, res, r, "the product with the inertia"));
  PetscCall(PetscFree3(along, da, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |B - A| / |A| */
static PetscErrorCode difference(Mat A, Mat B, PetscReal *d)
{
  PetscReal size;
  Mat C;
  PetscFunctionBegin;
  PetscCall(MatNorm(A, NORM_FROBENIUS, &size));
  PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatAXPY(C, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(C, NORM_FROBENIUS, d));
  PetscCall(MatDestroy(&C));
  *d /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_matrices(RhxScheme sc, const RhxOpsPoint *at, const RhxTangentPoint *point)
{
  const RhxOps ops = sc->ops;
  const RhxTangentTable *tangent = ops->table->tangent;
  const RhxAuxiliaryPart whole = RhxFormWholeAuxiliary(sc->form);
  RhxOpsPoint still = *at;
  PetscReal off, rate, inertia, part[2];
  Mat A, there, parts[4];
  PetscFunctionBegin;
  PetscCall(tangent->create(ops, &there));
  for (int k = 0; k < 2; k++) PetscCall(tangent->matrix(ops, at, there)); /* again into the same */
  PetscCall(RhxFormCreateBlockMatrix(sc->form, &A));
  PetscCall(RhxFormTangentMatrix(sc->form, point, A));
  PetscCall(difference(A, there, &off));
  expect(off <= TOLERANCE, "the device's matrix differs from the host's by %.2e, expected %.0e", off, TOLERANCE);
  still.shift = 0.0;
  PetscCall(tangent->matrix(ops, &still, there));
  PetscCall(difference(A, there, &rate));
  expect(rate > 1e-3, "the shift of the rate changes the matrix by %.2e of it, expected more", rate);
  PetscCall(tangent->matrix(ops, at, there));
  for (int k = 0; k < 2; k++) {
    Mat M = k ? there : A;
    PetscCall(tangent->inertia_matrix(ops, M));
    PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(difference(A, there, &inertia));
  expect(inertia <= TOLERANCE, "the device's matrix with inertia differs from the host's by %.2e", inertia);
  PetscCall(tangent->auxiliary(ops, at, NULL, &parts[0], &parts[1]));
  PetscCall(RhxFormCreateAuxiliaryMatrices(sc->form, &whole, &parts[2], &parts[3]));
  PetscCall(RhxFormTangentAuxiliary(sc->form, point, &whole, parts[2], parts[3]));
  for (int k = 0; k < 2; k++) {
    PetscCall(difference(parts[2 + k], parts[k], &part[k]));
    expect(part[k] <= TOLERANCE, "matrix %d of the projections differs from the host's by %.2e", k, part[k]);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrices: %.1e, with inertia %.1e, of projections %.1e %.1e\n", off, inertia,
                        part[0], part[1]));
  for (int k = 0; k < 4; k++) PetscCall(MatDestroy(&parts[k]));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const RhxOpsPoint at = {.t = 0.1, .dt = 1e-3, .x = sc->x, .aux = sc->aux, .xdot = sc->xdot, .shift = SHIFT};
  Arrays a = {0};
  PetscFunctionBegin;
  PetscCall(ops->table->begin(ops, at.t, at.dt, 0.0));
  PetscCall(ops->table->stage(ops, 0.0, 1.0, 1.0, NULL));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->ghosts(ops, sc->x));
  PetscCall(ops->table->ghosts(ops, sc->xdot));
  PetscCall(ops->table->project(ops, sc->x, sc->aux, NULL));
  PetscCall(fetch(sc, sc->x, &a.x));
  PetscCall(fetch(sc, sc->aux, &a.aux));
  PetscCall(fetch(sc, sc->xdot, &a.xdot));
  const RhxTangentPoint point = {.t = at.t, .dt = at.dt, .x = a.x, .aux = a.aux, .xdot = a.xdot, .shift = SHIFT};
  PetscCall(check_matrices(sc, &at, &point));
  PetscCall(check_products(sc, &at, &point));
  PetscCall(release(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  RhxDeviceState state;
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability == RHX_DEVICE_READY) PetscCall(run_case(check));
  PetscCall(RhxFinalize());
  return state.availability != RHX_DEVICE_READY ? SKIP : failures ? 1 : 0;
}
