/* Laws in a homogeneous flow in time: all modes by one TS, explicit and adaptive unless -rheometer_ts_type says otherwise. */
#include "app/rheometer.h"
#include "petsc_compat.h"
#include <math.h>
#include <petscts.h>

#define NT 6
#define MOST_STEPS 10000000

typedef struct {
  const RhxRheometer *rm; /* borrowed */
  double rate, frequency;
} Motion;

static void gradient(const Motion *mo, double t, double *L)
{
  const double rate = mo->rate * cos(mo->frequency * t);
  for (int i = 0; i < 9; i++) L[i] = rate * mo->rm->unit[i];
}

static PetscErrorCode right_side(TS ts, PetscReal t, Vec x, Vec f, void *ctx)
{
  const Motion *mo = (const Motion *)ctx;
  const RhxForm form = mo->rm->form;
  const RhxPointLaw *point = RhxPointLawGet(3, NT, RHX_KIND_DOUBLE);
  const PetscScalar *c;
  PetscScalar *r;
  double L[9];
  PetscFunctionBegin;
  (void)ts;
  gradient(mo, t, L);
  PetscCall(VecGetArrayRead(x, &c));
  PetscCall(VecGetArrayWrite(f, &r));
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const RhxFormMode *fm = &form->mode[m];
    point->balance(fm->law, fm->par, fm->slip, L, c + NT * m, 0, r + NT * m, NULL);
    for (int k = 0; k < NT; k++) r[NT * m + k] = -r[NT * m + k];
  }
  PetscCall(VecRestoreArrayWrite(f, &r));
  PetscCall(VecRestoreArrayRead(x, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(TS ts, PetscReal t, Vec x, Mat J, Mat P, void *ctx)
{
  const Motion *mo = (const Motion *)ctx;
  const RhxForm form = mo->rm->form;
  const RhxPointLaw *point = RhxPointLawGet(3, NT, RHX_KIND_COMPLEX);
  const PetscScalar *c;
  double L[9], f[NT], df[NT];
  PetscFunctionBegin;
  (void)ts;
  gradient(mo, t, L);
  PetscCall(VecGetArrayRead(x, &c));
  for (PetscInt m = 0; m < form->nmodes; m++)
    for (PetscInt k = 0; k < NT; k++) {
      const RhxFormMode *fm = &form->mode[m];
      point->balance(fm->law, fm->par, fm->slip, L, c + NT * m, (int)k, f, df);
      for (PetscInt i = 0; i < NT; i++) PetscCall(MatSetValue(P, NT * m + i, NT * m + k, -df[i], INSERT_VALUES));
    }
  PetscCall(VecRestoreArrayRead(x, &c));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  if (J != P) {
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const RhxRheometer *rm, Motion *mo, Vec x, Mat P, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_SELF, ts));
  PetscCall(TSSetOptionsPrefix(*ts, "rheometer_"));
  PetscCall(TSSetType(*ts, TSRK));
  PetscCall(TSRKSetType(*ts, TSRK8VR));
  PetscCall(TSSetRHSFunction(*ts, NULL, right_side, mo));
  PetscCall(TSSetRHSJacobian(*ts, P, P, jacobian, mo));
  PetscCall(TSSetTolerances(*ts, rm->tolerance, NULL, rm->tolerance, NULL));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetMaxSteps(*ts, MOST_STEPS));
  PetscCall(TSSetSolution(*ts, x));
  PetscCall(TSSetFromOptions(*ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the time of ts to t1, beginning with the step that the last interval would have gone on with. */
static PetscErrorCode advance(TS ts, double t1, double *step)
{
  TSConvergedReason reason;
  PetscErrorCode code;
  PetscReal t, last;
  PetscFunctionBegin;
  PetscCall(TSGetTime(ts, &t));
  PetscCall(TSSetMaxTime(ts, t1));
  PetscCall(TSSetTimeStep(ts, PetscMin(*step, t1 - t)));
  code = TSSolve(ts, NULL);
  PetscCall(TSGetConvergedReason(ts, &reason));
  PetscCall(TSGetTime(ts, &t));
  PetscCheck(!code && reason == TS_CONVERGED_TIME, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "The integration in time stopped at t = %g s before %g s: got %s, expected a finite stress that can be "
             "followed to the tolerance (-rheometer_rate, -rheometer_time, -rheometer_tolerance, -rheometer_ts_type)",
             (double)t, t1, code ? "an error of the solver" : TSConvergedReasons[reason]);
  PetscCall(TSGetTimeStep(ts, &last));
  *step = PetscMax(*step, last);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRheometerIntegrate(const RhxRheometer *rm, double rate, double frequency, PetscInt n, const double *t,
                                     double *c, RhxRecordFn record, void *ctx)
{
  const PetscInt size = NT * rm->form->nmodes;
  Motion mo = {rm, rate, frequency};
  double step = 1e-3 / (rate + frequency + 1.0 / RhxRheometerLongest(rm));
  Vec x;
  Mat P;
  TS ts;
  PetscFunctionBegin;
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, c, &x));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, size, size, NULL, &P));
  PetscCall(create(rm, &mo, x, P, &ts));
  PetscCall(TSSetTime(ts, t[0]));
  for (PetscInt k = 0; k < n; k++) {
    if (k) PetscCall(advance(ts, t[k], &step));
    if (record) PetscCall(record(rm, t[k], rate * cos(frequency * t[k]), c, ctx));
  }
  PetscCall(TSDestroy(&ts));
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
