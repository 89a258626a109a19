/* jacobian -options: at a state that meets no condition, with a rate and without, J v of Newton's equations is what differences of their residual
 * along v say, and where nothing is projected nor another unknown is there P v too; on the host or, by -device, on a device. */
#include "case/case.h"
#include "petsc_compat.h"
#include "scheme/newton_impl.h"
#include <rheoplex/rheoplex.h>

#define STEP 1e-4
#define BOUND 1e-9
#define SHIFT 2.3 /* 1/s */

static int failures;

/* x[node][component] += factor times a number between -1 and 1, the same on any number of ranks */
static PetscErrorCode shake(RhxSpace sp, double factor, double phase, Vec x)
{
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &to));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) {
    double place = phase * (double)(1 + k % sp->bs);
    for (PetscInt d = 0; d < sp->dim; d++) place += (7.3 + 3.1 * (double)d) * sp->x[k / sp->bs * sp->dim + d];
    to[k] += factor * PetscSinReal(place);
  }
  PetscCall(VecRestoreArray(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = dF/dx v + SHIFT dF/dxdot v; xdot NULL: the first alone. */
static PetscErrorCode differentiate(RhxEquations eq, Vec x, Vec xdot, Vec v, Vec y)
{
  static const double weight[] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 0.0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
  Vec at, rate, f;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &at));
  PetscCall(VecDuplicate(x, &rate));
  PetscCall(VecDuplicate(x, &f));
  PetscCall(VecZeroEntries(y));
  for (int k = -3; k <= 3; k++) {
    PetscCall(VecWAXPY(at, STEP * k, v, x));
    if (xdot) PetscCall(VecWAXPY(rate, SHIFT * STEP * k, v, xdot));
    PetscCall(RhxEquationsResidual(eq, at, xdot ? rate : NULL, f));
    PetscCall(VecAXPY(y, weight[k + 3] / STEP, f));
  }
  PetscCall(VecDestroy(&at));
  PetscCall(VecDestroy(&rate));
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(Mat A, Vec v, Vec differences, const char *what)
{
  PetscReal off, size;
  Vec y;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(v, &y));
  PetscCall(MatMult(A, v, y));
  PetscCall(VecNorm(differences, NORM_INFINITY, &size));
  PetscCall(VecAXPY(y, -1.0, differences));
  PetscCall(VecNorm(y, NORM_INFINITY, &off));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, from differences: %.1e of %g\n", what, off / size, size));
  if (!(off <= BOUND * size)) failures++;
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxScheme sc)
{
  const RhxSpace sp = sc->form->space;
  RhxEquations eq;
  Vec x, xdot, v, differences;
  PetscFunctionBegin;
  PetscCall(RhxEquationsCreate(sc->ops, PETSC_TRUE, &eq));
  PetscCall(RhxEquationsSetTime(eq, 0.0));
  PetscCall(VecDuplicate(eq->value, &x));
  PetscCall(VecDuplicate(x, &xdot));
  PetscCall(VecDuplicate(x, &v));
  PetscCall(VecDuplicate(x, &differences));
  PetscCall(RhxEquationsStore(eq, sc->x, x));
  PetscCall(shake(sp, 0.3, 0.5, x));
  PetscCall(VecZeroEntries(xdot));
  PetscCall(shake(sp, 1.0, 1.9, xdot));
  PetscCall(VecZeroEntries(v));
  PetscCall(shake(sp, 1.0, 2.3, v));
  if (eq->each) PetscCall(VecPointwiseMult(v, v, eq->free)); /* J leaves out what flows through closed sides */
  if (eq->driven) PetscCall(RhxDrivenPut(eq->driven, 0.7, v));
  for (int moving = 0; moving < 2; moving++) {
    Vec rate = moving ? xdot : NULL;
    PetscCall(differentiate(eq, x, rate, v, differences));
    PetscCall(RhxEquationsLinearise(eq, x, rate, moving * SHIFT));
    PetscCall(RhxEquationsAssemble(eq));
    PetscCall(compare(eq->J, v, differences, moving ? "J with a rate" : "J"));
    if (!sc->form->naux && !eq->driven && !eq->following)
      PetscCall(compare(eq->P, v, differences, moving ? "P with a rate" : "P"));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&xdot));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&differences));
  PetscCall(RhxEquationsDestroy(&eq));
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
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "on %s\n", sc->ops->device ? "a device" : "the host"));
  PetscCall(check(sc));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(run());
  PetscCall(RhxFinalize());
  return failures != 0;
}
