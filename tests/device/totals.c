/* totals [-test_cases a,b,...]: totals (kernels/totals.h) of a device are the host's, the same bits twice, over the cases of the
 * derivatives (tests/form/tangent_cases.h), with a source, on any number of ranks. Exit code 77: no device. */
#include "kernels/totals.h"
#include "../form/tangent_cases.h"
#include "form/cuda/totals.h"
#include "form/host/totals.h"
#include "matrix_setup.h"

#define NEAR 1e-12
#define NCASES PETSC_STATIC_ARRAY_LENGTH(cases)

static RhxDevice device;

/* A force that differs from node to node. */
static PetscErrorCode add_source(Setup *s)
{
  const RhxSpace sp = s->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  PetscScalar *source;
  PetscFunctionBegin;
  PetscCall(RhxFormNeedSource(s->form, &source));
  for (PetscInt i = 0; i < sp->nlocal; i++)
    for (PetscInt d = 0; d < sp->dim; d++) source[i * sp->bs + u + d] = 0.4 + d + sp->x[i * sp->dim];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(Setup *s, const double *got, const double *want, const char *options)
{
  double both[2][RHX_NTOTALS], worst = 0.0;
  const int polymer = s->form->nmodes > 0;
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(both[0], got, RHX_NTOTALS));
  PetscCall(PetscArraycpy(both[1], want, RHX_NTOTALS));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, both, 2 * RHX_NTOTALS, MPI_DOUBLE, MPI_SUM, setup_comm));
  for (int k = 0; k < RHX_NTOTALS; k++) {
    const double size = PetscAbsReal(both[1][k]), off = PetscAbsReal(both[0][k] - both[1][k]) / PetscMax(size, 1e-300);
    expect(off <= NEAR || (size == 0.0 && both[0][k] == 0.0), "%s: total %d is %.17g on the device, %.17g on the host",
           options, k, both[0][k], both[1][k]);
    if (size > 0.0) worst = PetscMax(worst, off);
    expect(size > 1e-4 || (k >= RHX_TOTAL_POLYMER && !polymer) || k == RHX_TOTAL_VISCOUS, "%s: total %d is %g", options,
           k, both[1][k]);
  }
  PetscCall(PetscPrintf(setup_comm, "%.1e: %s\n", worst, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(size_t number)
{
  const double clock[2] = {0.3, 0.01};
  double got[2][RHX_NTOTALS], want[RHX_NTOTALS];
  RhxFormTotals totals;
  char options[1024];
  void *at[3];
  PetscBool same;
  Setup s;
  PetscFunctionBegin;
  PetscCall(tangent_options(number, sizeof(options), options));
  PetscCall(setup_create(options, &s));
  PetscCall(setup_state(&s, 0.01));
  PetscCall(add_source(&s));
  const size_t n = (size_t)s.space->nlocal * s.space->bs;
  PetscCall(to_device(device, clock, 2, &at[0]));
  PetscCall(to_device(device, s.x, n, &at[1]));
  PetscCall(to_device(device, s.form->source, n, &at[2]));
  PetscCall(RhxFormTotalsCreate(s.form, device, PETSC_TRUE, &totals));
  for (int k = 0; k < 2; k++) PetscCall(RhxFormTotalsGet(totals, at[0], at[1], at[2], got[k]));
  PetscCall(PetscArraycmp(got[0], got[1], RHX_NTOTALS, &same));
  expect(same, "%s: totals differ when they are taken again", options);
  PetscCall(RhxFormTotalsOf(s.form, clock[0], s.x, want));
  PetscCall(compare(&s, got[0], want, options));
  PetscCall(RhxFormTotalsDestroy(&totals));
  for (int k = 0; k < 3; k++) PetscCall(RhxDeviceFree(device, at[k]));
  PetscCall(setup_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RhxDeviceState state;
  PetscInt list[NCASES], n = NCASES;
  PetscBool given;
  PetscCall(setup_begin(&argc, &argv));
  for (PetscInt k = 0; k < n; k++) list[k] = k;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-test_cases", list, &n, &given));
  if (!given) n = NCASES;
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability == RHX_DEVICE_READY) {
    PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
    for (PetscInt k = 0; k < n; k++) PetscCall(check((size_t)list[k]));
    PetscCall(RhxDeviceClose(&device));
  }
  return setup_end() ? 1 : state.availability != RHX_DEVICE_READY ? SKIP : 0;
}
