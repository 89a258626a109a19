/* Steady states of a law that flow leaves, within a steady state that Newton's method found. */
#include "case/impl.h"
#include "form/relaxation.h"
#include "output/quantity.h"
#include "petsc_compat.h"

#define LOCAL 0.05   /* |dc/dt| over |L||c|: convection balances little of it, as at walls and in developed flow */
#define GROWING 0.01 /* of |L| */
#define MAX_GRADIENT 9

typedef struct {
  PetscInt n; /* nodes and modes */
  double growth, x[3];
} Unstable;

static PetscErrorCode look_at_node(RhxCase rc, PetscInt mode, PetscInt node, const double *L, const PetscScalar *c,
                                   Unstable *u)
{
  const PetscInt m = RhxGradientSize(rc->space), dim = rc->space->dim;
  double growth, size = 0.0;

  PetscFunctionBegin;
  PetscCall(RhxFormGrowth(rc->form, mode, m, L, c, LOCAL, &growth));
  for (PetscInt k = 0; k < m * m; k++) size = PetscMax(size, PetscAbsReal(L[k]));
  if (!(growth > GROWING * size)) PetscFunctionReturn(PETSC_SUCCESS);
  u->n++;
  if (growth <= u->growth) PetscFunctionReturn(PETSC_SUCCESS);
  u->growth = growth;
  for (PetscInt d = 0; d < dim; d++) u->x[d] = rc->space->x[node * dim + d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look(RhxCase rc, Unstable *u)
{
  const RhxSpace sp = rc->space;
  const PetscInt nL = PetscSqr(RhxGradientSize(sp));
  const PetscScalar *global;
  PetscScalar *x, *L, *c;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(sp->nlocal * sp->bs, &x, sp->nlocal * nL, &L, sp->nowned * sp->ntens, &c));
  PetscCall(VecGetArrayRead(rc->x, &global));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, global, x));
  PetscCall(VecRestoreArrayRead(rc->x, &global));
  PetscCall(RhxVelocityGradient(rc->form, x, L));
  for (PetscInt k = 0; k < rc->form->nmodes; k++) {
    PetscCall(RhxFormConformation(rc->form, k, sp->nowned, x, c));
    for (PetscInt i = 0; i < sp->nowned; i++) PetscCall(look_at_node(rc, k, i, L + i * nL, c + i * sp->ntens, u));
  }
  PetscCall(PetscFree3(x, L, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfUnstable_Private(RhxCase rc)
{
  Unstable u = {0, 0.0, {0.0, 0.0, 0.0}};
  struct {
    double growth;
    int rank;
  } mine = {0.0, rc->rank}, worst;
  char at[96];

  PetscFunctionBegin;
  if (!rc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(look(rc, &u));
  mine.growth = u.growth;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &u.n, 1, MPIU_INT, MPI_SUM, rc->comm));
  PetscCallMPI(MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, rc->comm));
  PetscCallMPI(MPI_Bcast(u.x, 3, MPI_DOUBLE, worst.rank, rc->comm));
  if (!u.n) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(at, sizeof(at), rc->space->dim == 3 ? "%.4g, %.4g, %.4g" : "%.4g, %.4g", u.x[0], u.x[1], u.x[2]);
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: the polymer is in a steady state of its law that a flow in time leaves: got "
                   "%d of %d (nodes and modes), growing by up to %.3g 1/s at (%s) m, expected none: continuation "
                   "from a smaller relaxation time (-scheme_steady_continuation), steps in time (-scheme "
                   "monolithic) or -polymer_variable logconf\n",
                   (int)u.n, (int)(rc->space->nglobal * rc->form->nmodes), worst.growth, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}
