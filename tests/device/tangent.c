/* device_tangent -options: the matrix of derivatives that the table of operations makes on a device is the host's, at the state of a
 * case after its steps; where a device cannot make it, it says so. Exit code 77: no device. */
#include "form/host/tangent.h"
#include "case/case.h"
#include "common.h"
#include "scheme/type.h"
#include <math.h>
#include <rheoplex/rheoplex.h>

#define SHIFT 7.0
#define TOLERANCE 1e-12

/* The host's matrix at what the arrays of the device hold. */
static PetscErrorCode host_matrix(RhxScheme sc, const RhxOpsPoint *at, Mat *A)
{
  const RhxOps ops = sc->ops;
  const RhxArray from[3] = {at->x, at->aux, at->xdot};
  PetscScalar *to[3];
  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    PetscCall(PetscMalloc1((size_t)sc->form->space->nlocal * from[k]->width, &to[k]));
    PetscCall(ops->table->store(ops, from[k], to[k]));
  }
  const RhxTangentPoint point = {.t = at->t, .dt = at->dt, .x = to[0], .aux = to[1], .xdot = to[2], .shift = at->shift};
  PetscCall(RhxFormCreateBlockMatrix(sc->form, A));
  PetscCall(RhxFormTangentMatrix(sc->form, &point, *A));
  for (int k = 0; k < 3; k++) PetscCall(PetscFree(to[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxScheme sc)
{
  const RhxOps ops = sc->ops;
  const RhxOpsPoint at = {.t = 0.1, .dt = 1e-3, .x = sc->x, .aux = sc->aux, .xdot = sc->xdot, .shift = SHIFT};
  PetscReal size, off, rate;
  Mat A, B, there;
  PetscFunctionBegin;
  PetscCall(ops->table->begin(ops, at.t, at.dt));
  PetscCall(ops->table->stage(ops, 0.0, 1.0, 1.0, NULL));
  PetscCall(ops->table->values(ops, PETSC_FALSE));
  PetscCall(ops->table->project(ops, sc->x, sc->aux, NULL));
  PetscCall(ops->table->tangent->create(ops, &there));
  for (int k = 0; k < 2; k++) PetscCall(ops->table->tangent->matrix(ops, &at, there)); /* again into the same */
  PetscCall(host_matrix(sc, &at, &A));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &size));
  PetscCall(MatConvert(there, MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatAXPY(B, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &off));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrices of host and device: %.1e of %g\n", off / size, size));
  expect(off <= TOLERANCE * size && size > 0.0, "the device's matrix differs from the host's by %.2e, expected %.0e",
         off / size, TOLERANCE);
  RhxOpsPoint still = at;
  still.shift = 0.0;
  PetscCall(ops->table->tangent->matrix(ops, &still, there));
  PetscCall(MatConvert(there, MATSEQAIJ, MAT_REUSE_MATRIX, &B));
  PetscCall(MatAXPY(B, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &rate));
  expect(rate > 1e-3 * size, "the shift of the rate changes the matrix by %.2e of it, expected more", rate / size);
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
  RhxCase rc;
  RhxScheme sc;
  TS ts;
  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseRun(rc));
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(check(sc));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  RhxDeviceState state;
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability == RHX_DEVICE_READY) PetscCall(run());
  PetscCall(RhxFinalize());
  return state.availability != RHX_DEVICE_READY ? SKIP : failures ? 1 : 0;
}
