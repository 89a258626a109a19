#include "scheme/equations.h"
#include "form/host/inertia.h"
#include "petsc_compat.h"

/* ---- Residual and Jacobian ---- */

static PetscErrorCode load(RhxEquations eq, Vec x, PetscScalar *local)
{
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(RhxSpaceGlobalToLocal(eq->form->space, eq->form->space->bs, a, local));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode place(RhxEquations eq, Vec x, Vec xdot)
{
  PetscFunctionBegin;
  PetscCall(load(eq, x, eq->state));
  eq->moving = (PetscBool)(xdot != NULL);
  if (xdot) PetscCall(load(eq, xdot, eq->rate));
  PetscCall(RhxBoundaryProject(eq->bc, eq->t, 0.0, eq->state, eq->aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxTangentPoint point_of(RhxEquations eq)
{
  const RhxTangentPoint at = {eq->t, 0.0, eq->state, eq->aux, eq->moving ? eq->rate : NULL, eq->shift};
  return at;
}

PetscErrorCode RhxEquationsResidual(RhxEquations eq, Vec x, Vec xdot, Vec f)
{
  const RhxSpace sp = eq->form->space;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(place(eq, x, xdot));
  PetscCall(
      RhxFormResidual(eq->form, RHX_ROWS_ALL, eq->t, 0.0, eq->state, xdot ? eq->rate : NULL, eq->aux, eq->res, NULL));
  if (xdot) PetscCall(RhxFormAddInertia(eq->form, 1.0, eq->rate, eq->res));
  PetscCall(VecGetArray(f, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) a[k] = eq->given[k] ? eq->state[k] - eq->value[k] : eq->res[k];
  PetscCall(VecRestoreArray(f, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsInertia(RhxEquations eq, Vec x, Vec f)
{
  const RhxSpace sp = eq->form->space;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(load(eq, x, eq->rate));
  PetscCall(PetscArrayzero(eq->res, (size_t)sp->nlocal * sp->bs));
  PetscCall(RhxFormAddInertia(eq->form, 1.0, eq->rate, eq->res));
  PetscCall(VecGetArray(f, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) a[k] = eq->given[k] ? 0.0 : eq->res[k];
  PetscCall(VecRestoreArray(f, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(Mat J, Vec v, Vec y)
{
  RhxEquations eq;
  RhxSpace sp;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &eq));
  sp = eq->form->space;
  const RhxTangentPoint at = point_of(eq);
  PetscCall(load(eq, v, eq->along));
  if (eq->form->naux) {
    PetscCall(RhxFormTangentProject(eq->form, &at, eq->along, eq->daux));
    PetscCall(RhxBoundaryCorrectProjections(eq->bc, eq->daux));
  }
  PetscCall(RhxFormTangentProduct(eq->form, &at, eq->along, eq->form->naux ? eq->daux : NULL, eq->res));
  PetscCall(VecGetArray(y, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) a[k] = eq->given[k] ? eq->along[k] : eq->res[k];
  PetscCall(VecRestoreArray(y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsLinearise(RhxEquations eq, Vec x, Vec xdot, double shift)
{
  PetscFunctionBegin;
  PetscCall(place(eq, x, xdot));
  eq->shift = shift;
  if (eq->J == eq->P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssemblyBegin(eq->J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(eq->J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsAssemble(RhxEquations eq)
{
  const RhxTangentPoint at = point_of(eq);
  PetscFunctionBegin;
  PetscCall(RhxFormTangentMatrix(eq->form, &at, eq->P));
  PetscCall(MatZeroRows(eq->P, eq->ngiven, eq->row, 1.0, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is given ---- */

PetscErrorCode RhxEquationsSetTime(RhxEquations eq, double t)
{
  PetscFunctionBegin;
  eq->t = t;
  PetscCall(RhxBoundarySetTime(eq->bc, t));
  PetscCall(RhxBoundaryImpose(eq->bc, RHX_BC_ALL, eq->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsHold(RhxEquations eq, Vec x)
{
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(PetscArraycpy(eq->value, a, (size_t)eq->form->space->nowned * eq->form->space->bs));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsImpose(RhxEquations eq, Vec x)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &a));
  for (PetscInt k = 0; k < eq->form->space->nowned * eq->form->space->bs; k++)
    if (eq->given[k]) a[k] = eq->value[k];
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of given values. A pressure that no label gives is that of the first node; a plane of symmetry oblique to the axes would
 * couple rows. */
static PetscErrorCode find_given(RhxEquations eq, const char *scheme)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  PetscScalar *mark;
  const PetscInt *node;
  PetscInt nfixed;
  PetscBool free;
  int oblique = 0;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &mark));
  PetscCall(PetscMalloc1(n, &eq->row));
  PetscCall(PetscCalloc1(n, &eq->given));
  for (PetscInt k = 0; k < n; k++) mark[k] = 1.0;
  PetscCall(RhxBoundaryZero(eq->bc, RHX_BC_ALL, mark));
  PetscCall(RhxBoundaryGetPressureNodes(eq->bc, &nfixed, &node, &free));
  if (free && sp->rstart == 0 && n) mark[sp->dim] = 0.0;
  for (PetscInt k = 0; k < n; k++) {
    eq->given[k] = (PetscBool)(mark[k] == 0.0);
    if (eq->given[k]) eq->row[eq->ngiven++] = sp->rstart * sp->bs + k;
    if (mark[k] != 0.0 && mark[k] != 1.0) oblique = 1;
  }
  PetscCall(PetscFree(mark));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &oblique, 1, MPI_INT, MPI_MAX, eq->form->comm));
  PetscCheck(!oblique, eq->form->comm, PETSC_ERR_SUP,
             "-scheme %s: got a label without flow through it (symmetry, free_slip, slip) oblique to the axes, "
             "expected planes normal to x, y or z",
             scheme);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode create_matrices(RhxEquations eq, PetscBool products)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  PetscFunctionBegin;
  PetscCall(RhxFormCreateBlockMatrix(eq->form, &eq->P));
  if (!eq->form->naux && !products) {
    PetscCall(PetscObjectReference((PetscObject)eq->P));
    eq->J = eq->P;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateShell(eq->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, eq, &eq->J));
  PetscCall(MatShellSetOperation(eq->J, MATOP_MULT, (void (*)(void))multiply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsCreate(RhxForm form, RhxBoundary bc, const char *scheme, PetscBool products,
                                  RhxEquations *out)
{
  const RhxSpace sp = form->space;
  const size_t n = (size_t)sp->nlocal * sp->bs, na = (size_t)sp->nlocal * form->naux;
  RhxEquations eq;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  eq = *out;
  eq->form = form;
  eq->bc = bc;
  PetscCall(PetscCalloc6(n, &eq->state, n, &eq->rate, n, &eq->along, n, &eq->res, na, &eq->aux, na, &eq->daux));
  PetscCall(PetscCalloc1((size_t)sp->nowned * sp->bs, &eq->value));
  PetscCall(find_given(eq, scheme));
  PetscCall(create_matrices(eq, products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsDestroy(RhxEquations *eq)
{
  PetscFunctionBegin;
  if (!*eq) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&(*eq)->J));
  PetscCall(MatDestroy(&(*eq)->P));
  PetscCall(PetscFree6((*eq)->state, (*eq)->rate, (*eq)->along, (*eq)->res, (*eq)->aux, (*eq)->daux));
  PetscCall(PetscFree((*eq)->value));
  PetscCall(PetscFree((*eq)->given));
  PetscCall(PetscFree((*eq)->row));
  PetscCall(PetscFree(*eq));
  PetscFunctionReturn(PETSC_SUCCESS);
}
