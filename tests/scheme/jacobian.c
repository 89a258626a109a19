/* jacobian -options: at a state that meets no condition, with a rate and without, J v of Newton's equations is what differences of their residual
 * along v say, and where nothing is projected nor another unknown is there P v too; on the host or, by -device, on a device. Again
 * with the columns of what is given eliminated, on a device where no rows turn; of creeping flow whether P is symmetric then, but for the sign of continuity. */
#include "../common/caserun.h"
#include "scheme/columns_impl.h"
#include "scheme/newton_impl.h"

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

/* What the columns of J leave of v, to y; and of the rest what rows of given values take, to `left`. */
static PetscErrorCode split(RhxEquations eq, Vec v, Vec y, Vec left)
{
  double share = 0.0;
  Vec part;
  PetscFunctionBegin;
  PetscCall(VecCopy(v, y));
  PetscCall(VecZeroEntries(left));
  if (!eq->columns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxColumnsTake(eq->columns, v, &part));
  PetscCall(VecCopy(part, y));
  if (eq->driven) PetscCall(RhxDrivenTake(eq->driven, v, &share));
  if (eq->driven) PetscCall(RhxDrivenPut(eq->driven, share, y));
  PetscCall(VecWAXPY(left, -1.0, y, v));
  PetscCall(VecCopy(left, part));
  PetscCall(RhxEquationsFree(eq, part));
  PetscCall(VecAXPY(left, -1.0, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |P - P^T| over |P|, rows of continuity with the other sign. */
static PetscErrorCode check_symmetry(RhxEquations eq)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscReal off, size;
  PetscScalar *a;
  Vec sign;
  Mat A, T;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(eq->free, &sign));
  PetscCall(VecSet(sign, 1.0));
  PetscCall(VecGetArray(sign, &a));
  for (PetscInt i = 0; i < sp->nowned; i++) a[i * sp->bs + p] = -1.0;
  PetscCall(VecRestoreArray(sign, &a));
  PetscCall(MatDuplicate(eq->P, MAT_COPY_VALUES, &A));
  PetscCall(MatDiagonalScale(A, sign, NULL));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &size));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(T, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(T, NORM_FROBENIUS, &off));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "%s: asymmetry %.2e\n", eq->columns ? "columns eliminated" : "rows", off / size));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&T));
  PetscCall(VecDestroy(&sign));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* About x, along v. */
static PetscErrorCode check_at(RhxEquations eq, Vec x, Vec xdot, Vec v)
{
  const char *const with = xdot ? " with a rate" : "", *const of = eq->columns ? ", columns eliminated" : "";
  char what[64];
  Vec differences, along, left;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &differences));
  PetscCall(VecDuplicate(x, &along));
  PetscCall(VecDuplicate(x, &left));
  PetscCall(RhxEquationsLinearise(eq, x, xdot, xdot ? SHIFT : 0.0)); /* which columns stay */
  PetscCall(split(eq, v, along, left));
  PetscCall(differentiate(eq, x, xdot, along, differences));
  PetscCall(VecAXPY(differences, 1.0, left));
  PetscCall(RhxEquationsLinearise(eq, x, xdot, xdot ? SHIFT : 0.0));
  PetscCall(RhxEquationsAssemble(eq, PETSC_FALSE));
  snprintf(what, sizeof(what), "J%s%s", with, of);
  PetscCall(compare(eq->J, v, differences, what));
  snprintf(what, sizeof(what), "P%s%s", with, of);
  if (!eq->form->naux && !eq->driven && !eq->following) PetscCall(compare(eq->P, v, differences, what));
  if (!eq->form->naux && !eq->form->nmodes && eq->form->convection == 0.0 && !xdot) PetscCall(check_symmetry(eq));
  PetscCall(VecDestroy(&differences));
  PetscCall(VecDestroy(&along));
  PetscCall(VecDestroy(&left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxScheme sc)
{
  const RhxSpace sp = sc->form->space;
  RhxEquations eq;
  Vec x, xdot, v;
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "on %s\n", sc->ops->device ? "a device" : "the host"));
  PetscCall(RhxEquationsCreate(sc->ops, PETSC_TRUE, &eq));
  PetscCall(RhxEquationsSetTime(eq, 0.0));
  PetscCall(VecDuplicate(eq->value, &x));
  PetscCall(VecDuplicate(x, &xdot));
  PetscCall(VecDuplicate(x, &v));
  PetscCall(RhxEquationsStore(eq, sc->x, x));
  PetscCall(shake(sp, 0.3, 0.5, x));
  PetscCall(VecZeroEntries(xdot));
  PetscCall(shake(sp, 1.0, 1.9, xdot));
  PetscCall(VecZeroEntries(v));
  PetscCall(shake(sp, 1.0, 2.3, v));
  if (eq->each) PetscCall(VecPointwiseMult(v, v, eq->free)); /* J leaves out what flows through closed sides */
  if (eq->driven) PetscCall(RhxDrivenPut(eq->driven, 0.7, v));
  for (int k = 0; k < (sc->ops->device && eq->oblique ? 2 : 4); k++) {
    PetscCall(RhxEquationsEliminate(eq, (PetscBool)(k > 1)));
    PetscCall(check_at(eq, x, k % 2 ? xdot : NULL, v));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&xdot));
  PetscCall(VecDestroy(&v));
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
