/* boundary_arriving -options: with outlets of the developed stress of the flux that arrives the Jacobian of a steady state is the
 * derivative of its residual, at the case's state and for a flux of either sign or none: differences of sixth order. */
#include "../common/caserun.h"
#include "../common/largest.h"
#include "scheme/newton_impl.h"

#define STEP 1e-4
#define BOUND 1e-8

static int failures;

/* x[node][component] = factor * a number between -1 and 1, the same on any number of ranks, of the first n components, else 0 */
static PetscErrorCode shake(RhxSpace sp, PetscInt n, double factor, double phase, Vec x)
{
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(x, &to));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) {
    double place = phase * (double)(1 + k % sp->bs);
    for (PetscInt d = 0; d < sp->dim; d++) place += (7.3 + 3.1 * (double)d) * sp->x[k / sp->bs * sp->dim + d];
    to[k] = k % sp->bs < n ? factor * PetscSinReal(place) : 0.0;
  }
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_velocity(RhxSpace sp, Vec x, Vec v)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecCopy(x, v));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++)
    if (k % sp->bs >= sp->dim) a[k] = 0.0;
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = dF/dx v at x */
static PetscErrorCode differentiate(RhxEquations eq, Vec x, Vec v, Vec y)
{
  static const double weight[] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 0.0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
  Vec at, f;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &at));
  PetscCall(VecDuplicate(x, &f));
  PetscCall(VecZeroEntries(y));
  for (int k = -3; k <= 3; k++) {
    PetscCall(VecWAXPY(at, STEP * k, v, x));
    PetscCall(RhxEquationsResidual(eq, at, NULL, f));
    PetscCall(VecAXPY(y, weight[k + 3] / STEP, f));
  }
  PetscCall(VecDestroy(&at));
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(RhxEquations eq, Vec x, Vec v)
{
  Vec y, differences;
  PetscReal off, size, flux;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &differences));
  PetscCall(differentiate(eq, x, v, differences));
  PetscCall(RhxEquationsLinearise(eq, x, NULL, 0.0));
  PetscCall(RhxEquationsAssemble(eq, PETSC_FALSE));
  PetscCall(MatMult(eq->J, v, y));
  PetscCall(VecNorm(differences, NORM_INFINITY, &size));
  PetscCall(VecAXPY(y, -1.0, differences));
  PetscCall(VecNorm(y, NORM_INFINITY, &off));
  PetscCall(VecDot(x, eq->following->weight[0], &flux));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the Jacobian, from differences, at the flux %g: %.1e of %g\n", (double)flux,
                        off / size, size));
  if (!(off <= BOUND * size)) failures++;
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&differences));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxScheme sc)
{
  static const double part[] = {1.1, 0.0, -0.7}; /* of the case's flux */
  const RhxSpace sp = sc->form->space;
  PetscReal flux, shaken;
  RhxEquations eq;
  Vec x, v, more;
  PetscFunctionBegin;
  PetscCall(RhxEquationsCreate(sc->ops, PETSC_TRUE, &eq));
  PetscCall(RhxEquationsSetTime(eq, 0.0));
  PetscCheck(eq->following, PETSC_COMM_WORLD, PETSC_ERR_USER, "Got no label that follows the flow");
  PetscCall(VecDuplicate(eq->value, &x));
  PetscCall(VecDuplicate(x, &v));
  PetscCall(VecDuplicate(x, &more));
  for (int k = 0; k < 3; k++) {
    PetscCall(RhxEquationsStore(eq, sc->x, x));
    PetscCall(keep_velocity(sp, x, more));
    PetscCall(shake(sp, sp->dim, 0.3, 0.5, v));
    PetscCall(VecDot(more, eq->following->weight[0], &flux));
    PetscCall(VecDot(v, eq->following->weight[0], &shaken));
    PetscCall(VecAXPBYPCZ(x, 1.0, part[k] - 1.0 - shaken / flux, 1.0, v, more));
    PetscCall(shake(sp, sp->bs, 1.0, 2.3, v));
    PetscCall(VecAXPY(v, 1.0, more));
    PetscCall(compare(eq, x, v));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&more));
  PetscCall(RhxEquationsDestroy(&eq));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(run_case(check));
  PetscCall(RhxFinalize());
  return failures != 0;
}
