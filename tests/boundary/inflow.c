/* boundary_inflow -options: where an inlet gives the polymer in its flux the Jacobian of scheme `steady` is the derivative of its residual,
 * by products and by the matrix, at the case's state and off it: differences of sixth order. */
#include "../common/caserun.h"
#include "../common/largest.h"
#include "boundary/boundary.h"
#include "scheme/newton_impl.h"
#include <stdarg.h>

/* Three of them stay on one side of the kink of tau1's |u| at cells whose nodes are all on walls, where |u| is that of the shaking alone:
 * where a difference reaches across, as from u = 0, its limits from the two sides differ and the derivative is their mean. */
#define STEP 1e-4
#define SHAKEN 0.02 /* of each field's largest value */

static int failures;

__attribute__((format(printf, 2, 3))) static void expect(int ok, const char *format, ...)
{
  va_list args;
  if (ok) return;
  failures++;
  va_start(args, format);
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

/* x[node][component] = factor * largest of the component in `of` * a number between -1 and 1, the same on any number of ranks */
static PetscErrorCode shake(RhxSpace sp, Vec of, double factor, double phase, Vec x)
{
  const PetscInt bs = sp->bs;
  PetscReal *largest;
  const PetscScalar *a;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bs, &largest));
  PetscCall(VecGetArrayRead(of, &a));
  for (PetscInt k = 0; k < sp->nowned * bs; k++) largest[k % bs] = PetscMax(largest[k % bs], PetscAbsScalar(a[k]));
  PetscCall(VecRestoreArrayRead(of, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, (PetscMPIInt)bs, MPIU_REAL, MPI_MAX, sp->comm));
  PetscCall(VecGetArrayWrite(x, &to));
  for (PetscInt k = 0; k < sp->nowned * bs; k++) {
    double place = phase * (double)(1 + k % bs);
    for (PetscInt d = 0; d < sp->dim; d++) place += (7.3 + 3.1 * (double)d) * sp->x[k / bs * sp->dim + d];
    to[k] = factor * largest[k % bs] * PetscSinReal(place);
  }
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(PetscFree(largest));
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

/* Largest |a - b| over the largest |b|, of all rows or of the modes where they flow in. */
static PetscErrorCode compare(RhxEquations eq, Vec a, Vec b, PetscBool inlet, double bound, const char *what)
{
  const PetscInt bs = eq->form->space->bs, first = RhxFieldsStart(eq->form->space->fields, RHX_GROUP_MODES);
  const PetscScalar *ga, *gb;
  const PetscInt *node;
  PetscInt n = eq->form->space->nowned;
  double d[2] = {0.0, 0.0};
  IS nodes;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetInflowNodes(eq->bc, &nodes));
  PetscCheck(nodes, eq->form->comm, PETSC_ERR_USER, "Got no node where the polymer flows in");
  if (inlet) PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  PetscCall(VecGetArrayRead(a, &ga));
  PetscCall(VecGetArrayRead(b, &gb));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt c = inlet ? first : 0; c < bs; c++) {
      const PetscInt k = (inlet ? node[i] : i) * bs + c;
      d[0] = larger(d[0], PetscAbsScalar(ga[k] - gb[k]));
      d[1] = larger(d[1], PetscAbsScalar(gb[k]));
    }
  PetscCall(VecRestoreArrayRead(a, &ga));
  PetscCall(VecRestoreArrayRead(b, &gb));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d, 2, MPI_DOUBLE, MPI_MAX, eq->form->comm));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "%s%s: %.1e of %g\n", what, inlet ? ", at the inlet" : "", d[0] / d[1], d[1]));
  expect(d[0] <= bound * d[1] && d[1] > 0.0, "%s%s: off by %.2e, expected %.0e", what, inlet ? ", at the inlet" : "",
         d[0] / d[1], bound);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where eq is linearised, at fixed projections. */
static PetscErrorCode check_matrix(RhxEquations eq, Vec v)
{
  const RhxTangentTable *tangent = eq->ops->table->tangent;
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  Vec y, z;
  Mat A;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(v, &y));
  PetscCall(VecDuplicate(v, &z));
  PetscCall(tangent->create(eq->ops, &A));
  PetscCall(RhxOpsLoadVec(eq->ops, eq->along, v));
  PetscCall(eq->ops->table->ghosts(eq->ops, eq->along));
  PetscCall(tangent->product(eq->ops, &at, eq->along, NULL, eq->res));
  PetscCall(RhxOpsStoreVec(eq->ops, eq->res, y));
  for (int again = 0; again < 2; again++) PetscCall(tangent->matrix(eq->ops, &at, A));
  PetscCall(MatMult(A, v, z));
  for (int inlet = 0; inlet < 2; inlet++) PetscCall(compare(eq, z, y, inlet, 1e-12, "the matrix, from products"));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxScheme sc)
{
  RhxNewton nt;
  Vec x, v, more, y, differences;
  double t;
  PetscFunctionBegin;
  PetscCall(RhxSteadyGetNewton(sc, &nt, &t));
  PetscCall(VecDuplicate(nt->x, &x));
  PetscCall(VecDuplicate(nt->x, &v));
  PetscCall(VecDuplicate(nt->x, &more));
  PetscCall(VecDuplicate(nt->x, &y));
  PetscCall(VecDuplicate(nt->x, &differences));
  PetscCall(RhxEquationsStore(nt->eq, sc->x, x));
  PetscCall(shake(sc->form->space, x, SHAKEN, 0.9, more));
  PetscCall(shake(sc->form->space, x, 1.0, 2.3, v));
  PetscCall(VecAXPY(x, 1.0, more));
  PetscCall(differentiate(nt->eq, x, v, differences));
  PetscCall(RhxEquationsLinearise(nt->eq, x, NULL, 0.0));
  PetscCall(RhxEquationsAssemble(nt->eq, PETSC_FALSE)); /* is J without projections */
  PetscCall(MatMult(nt->eq->J, v, y));
  for (int inlet = 0; inlet < 2; inlet++)
    PetscCall(compare(nt->eq, y, differences, inlet, 1e-8, "the Jacobian, from differences"));
  PetscCall(check_matrix(nt->eq, v));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&more));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&differences));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(run_case(check));
  PetscCall(RhxFinalize());
  return failures != 0;
}
