#include "step/momentum.h"
#include "form/host/momentum.h"
#include "petsc_compat.h"
#include "plugin/event.h"
#include "step/tolerances.h"

static RhxEvent event = RHX_EVENT("RhxMomentum");

/* The Krylov space is that of P d, where P takes away what is given of a velocity and its normal part on planes of symmetry: the operator is P A P, node by node the same A for every component, but for the hoop of axisymmetric flow. */
struct _p_RhxMomentum {
  RhxForm form; /* borrowed */
  RhxBoundary bc;
  RhxMomentumMatrix matrix;
  Mat A;                   /* of it, borrowed */
  const PetscScalar *hoop; /* beside it in rows of the radial component, or NULL; borrowed */
  Mat components;          /* A for blocks of dim values */
  Mat free;                /* P A, of vectors in the range of P */
  KSP ksp;
  PC scalar;                  /* of A, whose options have the prefix momentum_ */
  PetscBool jacobi;           /* it is the inverse of the diagonal */
  Vec b, d;                   /* [nowned][dim] */
  PetscScalar *inertia;       /* [nlocal][dim] M v */
  Vec diagonal, one, applied; /* [nowned] inverse of that of A; one component before and after the preconditioner */
  PetscInt ngiven, *given;    /* global nodes whose velocity is given */
};

PetscErrorCode RhxMomentumOptionLeft(char *left, size_t size)
{
  PetscInt n;
  char **name, **value;
  PetscFunctionBegin;
  left[0] = 0;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n && !left[0]; i++)
    if (!strncmp(name[i], "momentum_", 9)) PetscCall(PetscStrncpy(left, name[i], size));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumDeviceLacks(char *option, size_t size)
{
  static const char *const has[][2] = {{"momentum_ksp_rtol", NULL},   {"momentum_ksp_atol", NULL},
                                       {"momentum_ksp_divtol", NULL}, {"momentum_ksp_max_it", NULL},
                                       {"momentum_ksp_type", "bcgs"}, {"momentum_pc_type", "jacobi"}};
  PetscInt n;
  char **name, **value;
  PetscFunctionBegin;
  option[0] = 0;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n && !option[0]; i++) {
    PetscBool known = (PetscBool)(strncmp(name[i], "momentum_", 9) != 0);
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(has); k++)
      if (!strcmp(name[i], has[k][0]) && (!has[k][1] || (value[i] && !strcmp(value[i], has[k][1])))) known = PETSC_TRUE;
    if (!known)
      PetscCall(PetscSNPrintf(option, size, "-%s%s%s", name[i], value[i] ? " " : "", value[i] ? value[i] : ""));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_free(RhxMomentum mo, Vec v)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &a));
  PetscCall(RhxBoundaryFreeVelocity(mo->bc, a));
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y_r += H x_r */
static PetscErrorCode add_hoop(RhxMomentum mo, Vec x, Vec y)
{
  const PetscInt n = mo->form->space->nowned;
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt i = 0; i < n; i++) to[2 * i + 1] += mo->hoop[i] * from[2 * i + 1];
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(PetscLogFlops(2.0 * (double)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(Mat shell, Vec x, Vec y)
{
  RhxMomentum mo;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &mo));
  PetscCall(MatMult(mo->components, x, y));
  if (mo->hoop) PetscCall(add_hoop(mo, x, y));
  PetscCall(keep_free(mo, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = D^-1 x, D of a node the same for all its components. */
static PetscErrorCode divide(RhxMomentum mo, Vec x, Vec y)
{
  const PetscInt dim = mo->form->space->dim, n = mo->form->space->nowned;
  const PetscScalar *d, *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(mo->diagonal, &d));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  for (PetscInt i = 0; i < n && dim == 2; i++)
    for (PetscInt c = 0; c < 2; c++) to[i * 2 + c] = d[i] * from[i * 2 + c];
  for (PetscInt i = 0; i < n && dim == 3; i++)
    for (PetscInt c = 0; c < 3; c++) to[i * 3 + c] = d[i] * from[i * 3 + c];
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArrayRead(mo->diagonal, &d));
  PetscCall(PetscLogFlops((double)n * dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode precondition(PC pc, Vec x, Vec y)
{
  RhxMomentum mo;
  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &mo));
  if (mo->jacobi) {
    PetscCall(divide(mo, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt c = 0; c < mo->form->space->dim; c++) {
    PetscCall(VecStrideGather(x, c, mo->one, INSERT_VALUES));
    PetscCall(PCApply(mo->scalar, mo->one, mo->applied));
    PetscCall(VecStrideScatter(mo->applied, c, y, INSERT_VALUES));
  }
  PetscCall(keep_free(mo, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner of every component; -momentum_pc_... are its options, so that the shell around it has another prefix. */
static PetscErrorCode create_preconditioner(RhxMomentum mo)
{
  PCJacobiType type;
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPGetPC(mo->ksp, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "momentum_components_"));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, mo));
  PetscCall(PCShellSetApply(pc, precondition));
  PetscCall(PCShellSetName(pc, "the preconditioner below, for each component"));
  PetscCall(PCCreate(mo->form->comm, &mo->scalar));
  PetscCall(PCSetOptionsPrefix(mo->scalar, "momentum_"));
  PetscCall(PCSetOperators(mo->scalar, mo->A, mo->A));
  PetscCall(PCSetType(mo->scalar, PCJACOBI));
  PetscCall(PCSetFromOptions(mo->scalar));
  PetscCall(PetscObjectTypeCompare((PetscObject)mo->scalar, PCJACOBI, &mo->jacobi));
  if (mo->jacobi) PetscCall(PCJacobiGetType(mo->scalar, &type));
  if (mo->jacobi && type != PC_JACOBI_DIAGONAL) mo->jacobi = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_solver(RhxMomentum mo)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate(mo->form->comm, &mo->ksp));
  PetscCall(KSPSetOptionsPrefix(mo->ksp, "momentum_"));
  PetscCall(KSPSetOperators(mo->ksp, mo->free, mo->free));
  PetscCall(KSPSetType(mo->ksp, KSPBCGS));
  PetscCall(KSPSetTolerances(mo->ksp, 1e-4, PETSC_DEFAULT, PETSC_DEFAULT, RHX_MOMENTUM_ITERATIONS));
  PetscCall(create_preconditioner(mo));
  PetscCall(KSPSetFromOptions(mo->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_matrices(RhxMomentum mo)
{
  const PetscInt dim = mo->form->space->dim;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxMomentumMatrixCreate(mo->form, &mo->matrix));
  PetscCall(RhxMomentumMatrixGet(mo->matrix, &mo->A, &mo->hoop));
  PetscCall(MatSetOption(mo->A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatCreateMAIJ(mo->A, dim, &mo->components));
  PetscCall(MatCreateVecs(mo->components, &mo->d, &mo->b));
  PetscCall(PetscMalloc1(mo->form->space->nlocal * dim, &mo->inertia));
  PetscCall(MatCreateVecs(mo->A, &mo->one, &mo->applied));
  PetscCall(VecDuplicate(mo->one, &mo->diagonal));
  PetscCall(VecGetLocalSize(mo->b, &n));
  PetscCall(MatCreateShell(mo->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, mo, &mo->free));
  PetscCall(MatShellSetOperation(mo->free, MATOP_MULT, (void (*)(void))multiply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumCreate(RhxForm form, RhxBoundary bc, RhxMomentum *momentum)
{
  RhxMomentum mo;
  PetscFunctionBegin;
  PetscCall(RhxTolerancesCheck(form->comm, "momentum_"));
  PetscCall(PetscNew(momentum));
  mo = *momentum;
  mo->form = form;
  mo->bc = bc;
  PetscCall(RhxBoundaryGivenVelocity(bc, &mo->ngiven, &mo->given));
  for (PetscInt i = 0; i < mo->ngiven; i++) mo->given[i] += form->space->rstart;
  PetscCall(create_matrices(mo));
  PetscCall(create_solver(mo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumDestroy(RhxMomentum *momentum)
{
  RhxMomentum mo = *momentum;
  PetscFunctionBegin;
  if (!mo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPDestroy(&mo->ksp));
  PetscCall(PCDestroy(&mo->scalar));
  PetscCall(MatDestroy(&mo->free));
  PetscCall(MatDestroy(&mo->components));
  PetscCall(PetscFree(mo->inertia));
  PetscCall(VecDestroy(&mo->b));
  PetscCall(VecDestroy(&mo->d));
  PetscCall(VecDestroy(&mo->diagonal));
  PetscCall(VecDestroy(&mo->one));
  PetscCall(VecDestroy(&mo->applied));
  PetscCall(RhxMomentumMatrixDestroy(&mo->matrix));
  PetscCall(PetscFree(mo->given));
  PetscCall(PetscFree(*momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumView(RhxMomentum mo, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(KSPView(mo->ksp, viewer));
  PetscCall(PCView(mo->scalar, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = -P (r + rho M v) */
static PetscErrorCode right_hand_side(RhxMomentum mo, const PetscScalar *r, const PetscScalar *v)
{
  const RhxSpace sp = mo->form->space;
  const PetscInt dim = sp->dim, first = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxFormMassProduct(mo->form, dim, v, mo->inertia));
  PetscCall(VecGetArrayWrite(mo->b, &a));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < dim; c++)
      a[i * dim + c] = -(mo->form->rho * mo->inertia[i * dim + c] + r[(size_t)i * sp->bs + first + c]);
  PetscCall(RhxBoundaryFreeVelocity(mo->bc, a));
  PetscCall(VecRestoreArrayWrite(mo->b, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RhxMomentum mo, RhxMomentumResult *result)
{
  KSPConvergedReason reason;
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(MatZeroRows(mo->A, mo->ngiven, mo->given, 1.0, NULL, NULL));
  if (mo->jacobi) {
    PetscCall(MatGetDiagonal(mo->A, mo->diagonal));
    PetscCall(VecReciprocal(mo->diagonal));
  } else
    PetscCall(PCSetUp(mo->scalar));
  PetscCall(MatAssemblyBegin(mo->free, MAT_FINAL_ASSEMBLY)); /* it is another one */
  PetscCall(MatAssemblyEnd(mo->free, MAT_FINAL_ASSEMBLY));
  PetscCall(KSPSolve(mo->ksp, mo->b, mo->d));
  PetscCall(KSPGetConvergedReason(mo->ksp, &reason));
  PetscCall(KSPGetIterationNumber(mo->ksp, &result->iterations));
  PetscCall(KSPGetResidualNorm(mo->ksp, &norm));
  result->converged = (PetscBool)(reason > 0);
  result->reason = KSPConvergedReasons[reason];
  result->norm = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMomentumSolve(RhxMomentum mo, double t, double dt, double mass, const PetscScalar *x,
                                const PetscScalar *aux, const PetscScalar *r, PetscScalar *v, RhxMomentumResult *result)
{
  const RhxSpace sp = mo->form->space;
  const PetscScalar *d;
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&event));
  PetscCall(right_hand_side(mo, r, v));
  PetscCall(VecNorm(mo->b, NORM_2, &norm));
  *result = (RhxMomentumResult){.finite = (PetscBool)!PetscIsInfOrNanReal(norm)};
  if (result->finite) {
    PetscCall(RhxMomentumMatrixAssemble(mo->matrix, t, dt, mass, x, aux));
    PetscCall(solve(mo, result));
  }
  PetscCall(VecGetArrayRead(result->finite ? mo->d : mo->b, &d));
  PetscCall(PetscArraycpy(v, d, sp->nowned * sp->dim));
  PetscCall(VecRestoreArrayRead(result->finite ? mo->d : mo->b, &d));
  PetscCall(RhxEventEnd(&event));
  PetscFunctionReturn(PETSC_SUCCESS);
}
