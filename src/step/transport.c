#include "step/transport.h"
#include "form/host/momentum.h"
#include "petsc_compat.h"
#include "plugin/event.h"
#include "step/tolerances.h"

static RhxEvent of_velocity = RHX_EVENT("RhxMomentum"), of_modes = RHX_EVENT("RhxTransport");

/* The Krylov space is that of P d, where P takes away what is given and of a velocity its normal part on planes of symmetry: the operator is P A P, node by node the same A for every component, but for the hoop of axisymmetric flow. */
struct _p_RhxTransport {
  RhxForm form; /* borrowed */
  RhxBoundary bc;
  RhxFieldGroup group;
  PetscInt width, mode; /* components; of a mode, which it is at present */
  RhxMomentumMatrix matrix;
  Mat A;                   /* of it, borrowed */
  const PetscScalar *hoop; /* beside it in rows of the radial component, or NULL; borrowed */
  Mat components;          /* A for blocks of width values */
  Mat free;                /* P A, of vectors in the range of P */
  KSP ksp;
  PC scalar;                  /* of A, whose options have the solver's prefix */
  PetscBool jacobi;           /* it is the inverse of the diagonal */
  Vec b, d;                   /* [nowned][width] */
  PetscScalar *inertia;       /* [nlocal][width] M v */
  PetscScalar *inward;        /* [nowned] of modes, what they get at inlets; or NULL */
  Vec diagonal, one, applied; /* [nowned] inverse of that of A; one component before and after the preconditioner */
  PetscInt ngiven, *given;    /* global nodes whose velocity is given */
};

const char *RhxTransportPrefix(RhxFieldGroup group) { return group == RHX_GROUP_MODES ? "transport_" : "momentum_"; }

RhxTransportResult RhxTransportWorse(RhxTransportResult a, RhxTransportResult b)
{
  if (a.finite != b.finite) return a.finite ? b : a;
  if (a.converged != b.converged) return a.converged ? b : a;
  return a.iterations >= b.iterations ? a : b;
}

PetscErrorCode RhxTransportOptionLeft(RhxFieldGroup group, size_t size, char *left)
{
  const char *prefix = RhxTransportPrefix(group);
  PetscInt n;
  char **name, **value;
  PetscFunctionBegin;
  left[0] = 0;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n && !left[0]; i++)
    if (!strncmp(name[i], prefix, strlen(prefix))) PetscCall(PetscStrncpy(left, name[i], size));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTransportDeviceLacks(RhxFieldGroup group, size_t size, char *option)
{
  static const char *const has[][2] = {{"ksp_rtol", NULL},   {"ksp_atol", NULL},   {"ksp_divtol", NULL},
                                       {"ksp_max_it", NULL}, {"ksp_type", "bcgs"}, {"pc_type", "jacobi"}};
  const char *prefix = RhxTransportPrefix(group);
  const size_t start = strlen(prefix);
  PetscInt n;
  char **name, **value;
  PetscFunctionBegin;
  option[0] = 0;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n && !option[0]; i++) {
    PetscBool known = (PetscBool)(strncmp(name[i], prefix, start) != 0);
    for (size_t k = 0; !known && k < PETSC_STATIC_ARRAY_LENGTH(has); k++)
      if (!strcmp(name[i] + start, has[k][0]) && (!has[k][1] || (value[i] && !strcmp(value[i], has[k][1]))))
        known = PETSC_TRUE;
    if (!known)
      PetscCall(PetscSNPrintf(option, size, "-%s%s%s", name[i], value[i] ? " " : "", value[i] ? value[i] : ""));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_of(RhxTransport tr, PetscScalar *v)
{
  PetscFunctionBegin;
  if (tr->group == RHX_GROUP_MODES)
    PetscCall(RhxBoundaryFreeMode(tr->bc, tr->mode, v));
  else
    PetscCall(RhxBoundaryFreeVelocity(tr->bc, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_free(RhxTransport tr, Vec v)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &a));
  PetscCall(free_of(tr, a));
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y_r += H x_r */
static PetscErrorCode add_hoop(RhxTransport tr, Vec x, Vec y)
{
  const PetscInt n = tr->form->space->nowned;
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt i = 0; i < n; i++) to[2 * i + 1] += tr->hoop[i] * from[2 * i + 1];
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(PetscLogFlops(2.0 * (double)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(Mat shell, Vec x, Vec y)
{
  RhxTransport tr;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &tr));
  PetscCall(MatMult(tr->components, x, y));
  if (tr->hoop) PetscCall(add_hoop(tr, x, y));
  PetscCall(keep_free(tr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = D^-1 x, D of a node the same for all its components. */
static PetscErrorCode divide(RhxTransport tr, Vec x, Vec y)
{
  const PetscInt width = tr->width, n = tr->form->space->nowned;
  const PetscScalar *d, *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(tr->diagonal, &d));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  for (PetscInt i = 0; i < n && width == 2; i++)
    for (PetscInt c = 0; c < 2; c++) to[i * 2 + c] = d[i] * from[i * 2 + c];
  for (PetscInt i = 0; i < n && width == 3; i++)
    for (PetscInt c = 0; c < 3; c++) to[i * 3 + c] = d[i] * from[i * 3 + c];
  for (PetscInt i = 0; i < n && width > 3; i++)
    for (PetscInt c = 0; c < width; c++) to[i * width + c] = d[i] * from[i * width + c];
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArrayRead(tr->diagonal, &d));
  PetscCall(PetscLogFlops((double)n * width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode precondition(PC pc, Vec x, Vec y)
{
  RhxTransport tr;
  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &tr));
  if (tr->jacobi) {
    PetscCall(divide(tr, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt c = 0; c < tr->width; c++) {
    PetscCall(VecStrideGather(x, c, tr->one, INSERT_VALUES));
    PetscCall(PCApply(tr->scalar, tr->one, tr->applied));
    PetscCall(VecStrideScatter(tr->applied, c, y, INSERT_VALUES));
  }
  PetscCall(keep_free(tr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner of every component has the options -momentum_pc_..., -transport_pc_..., so that the shell around it has another prefix. */
static PetscErrorCode create_preconditioner(RhxTransport tr)
{
  const char *prefix = RhxTransportPrefix(tr->group);
  PCJacobiType type;
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPGetPC(tr->ksp, &pc));
  PetscCall(PCSetOptionsPrefix(pc, prefix));
  PetscCall(PCAppendOptionsPrefix(pc, "components_"));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, tr));
  PetscCall(PCShellSetApply(pc, precondition));
  PetscCall(PCShellSetName(pc, "the preconditioner below, for each component"));
  PetscCall(PCCreate(tr->form->comm, &tr->scalar));
  PetscCall(PCSetOptionsPrefix(tr->scalar, prefix));
  PetscCall(PCSetOperators(tr->scalar, tr->A, tr->A));
  PetscCall(PCSetType(tr->scalar, PCJACOBI));
  PetscCall(PCSetFromOptions(tr->scalar));
  PetscCall(PetscObjectTypeCompare((PetscObject)tr->scalar, PCJACOBI, &tr->jacobi));
  if (tr->jacobi) PetscCall(PCJacobiGetType(tr->scalar, &type));
  if (tr->jacobi && type != PC_JACOBI_DIAGONAL) tr->jacobi = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_solver(RhxTransport tr)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate(tr->form->comm, &tr->ksp));
  PetscCall(KSPSetOptionsPrefix(tr->ksp, RhxTransportPrefix(tr->group)));
  PetscCall(KSPSetOperators(tr->ksp, tr->free, tr->free));
  PetscCall(KSPSetType(tr->ksp, KSPBCGS));
  PetscCall(KSPSetTolerances(tr->ksp, 1e-4, PETSC_DEFAULT, PETSC_DEFAULT, RHX_TRANSPORT_ITERATIONS));
  PetscCall(create_preconditioner(tr));
  PetscCall(KSPSetFromOptions(tr->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_matrices(RhxTransport tr)
{
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxMomentumMatrixCreate(tr->form, &tr->matrix));
  PetscCall(RhxMomentumMatrixGet(tr->matrix, &tr->A, &tr->hoop));
  if (tr->group == RHX_GROUP_MODES) tr->hoop = NULL; /* is the velocity's */
  PetscCall(MatSetOption(tr->A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatCreateMAIJ(tr->A, tr->width, &tr->components));
  PetscCall(MatCreateVecs(tr->components, &tr->d, &tr->b));
  PetscCall(PetscMalloc1(tr->form->space->nlocal * tr->width, &tr->inertia));
  PetscCall(MatCreateVecs(tr->A, &tr->one, &tr->applied));
  PetscCall(VecDuplicate(tr->one, &tr->diagonal));
  PetscCall(VecGetLocalSize(tr->b, &n));
  PetscCall(MatCreateShell(tr->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, tr, &tr->free));
  PetscCall(MatShellSetOperation(tr->free, MATOP_MULT, (void (*)(void))multiply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTransportCreate(RhxForm form, RhxBoundary bc, RhxFieldGroup group, RhxTransport *transport)
{
  RhxTransport tr;
  PetscFunctionBegin;
  PetscCall(RhxTolerancesCheck(form->comm, RhxTransportPrefix(group)));
  PetscCall(PetscNew(transport));
  tr = *transport;
  tr->form = form;
  tr->bc = bc;
  tr->group = group;
  tr->width = group == RHX_GROUP_MODES ? form->space->ntens : form->space->dim;
  if (group == RHX_GROUP_MODES)
    PetscCall(PetscMalloc1(form->space->nowned, &tr->inward));
  else
    PetscCall(RhxBoundaryGivenVelocity(bc, &tr->ngiven, &tr->given));
  for (PetscInt i = 0; i < tr->ngiven; i++) tr->given[i] += form->space->rstart;
  PetscCall(create_matrices(tr));
  PetscCall(create_solver(tr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTransportDestroy(RhxTransport *transport)
{
  RhxTransport tr = *transport;
  PetscFunctionBegin;
  if (!tr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPDestroy(&tr->ksp));
  PetscCall(PCDestroy(&tr->scalar));
  PetscCall(MatDestroy(&tr->free));
  PetscCall(MatDestroy(&tr->components));
  PetscCall(PetscFree(tr->inertia));
  PetscCall(PetscFree(tr->inward));
  PetscCall(VecDestroy(&tr->b));
  PetscCall(VecDestroy(&tr->d));
  PetscCall(VecDestroy(&tr->diagonal));
  PetscCall(VecDestroy(&tr->one));
  PetscCall(VecDestroy(&tr->applied));
  PetscCall(RhxMomentumMatrixDestroy(&tr->matrix));
  PetscCall(PetscFree(tr->given));
  PetscCall(PetscFree(*transport));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTransportView(RhxTransport tr, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(KSPView(tr->ksp, viewer));
  PetscCall(PCView(tr->scalar, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = -P (r + c M v), c the density or 1 */
static PetscErrorCode right_hand_side(RhxTransport tr, const PetscScalar *r, const PetscScalar *v)
{
  const RhxSpace sp = tr->form->space;
  const PetscInt width = tr->width, first = RhxFieldsStart(sp->fields, tr->group) + tr->mode * width;
  const double density = tr->group == RHX_GROUP_MODES ? 1.0 : tr->form->rho;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxFormMassProduct(tr->form, width, v, tr->inertia));
  PetscCall(VecGetArrayWrite(tr->b, &a));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < width; c++)
      a[i * width + c] = -(density * tr->inertia[i * width + c] + r[(size_t)i * sp->bs + first + c]);
  PetscCall(free_of(tr, a));
  PetscCall(free_of(tr, a)); /* of a flow at rest the rest of the force across a wall is its rounding, as large as b */
  PetscCall(VecRestoreArrayWrite(tr->b, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare(RhxTransport tr)
{
  PetscFunctionBegin;
  if (tr->group == RHX_GROUP_VELOCITY) PetscCall(MatZeroRows(tr->A, tr->ngiven, tr->given, 1.0, NULL, NULL));
  if (tr->jacobi) {
    PetscCall(MatGetDiagonal(tr->A, tr->diagonal));
    PetscCall(VecReciprocal(tr->diagonal));
  } else
    PetscCall(PCSetUp(tr->scalar));
  PetscCall(MatAssemblyBegin(tr->free, MAT_FINAL_ASSEMBLY)); /* it is another one */
  PetscCall(MatAssemblyEnd(tr->free, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RhxTransport tr, RhxTransportResult *result)
{
  KSPConvergedReason reason;
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(KSPSolve(tr->ksp, tr->b, tr->d));
  PetscCall(KSPGetConvergedReason(tr->ksp, &reason));
  PetscCall(KSPGetIterationNumber(tr->ksp, &result->iterations));
  PetscCall(KSPGetResidualNorm(tr->ksp, &norm));
  result->converged = (PetscBool)(reason > 0);
  result->reason = KSPConvergedReasons[reason];
  result->norm = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(RhxTransport tr, double t, double dt, double mass, const PetscScalar *x,
                               const PetscScalar *aux)
{
  PetscFunctionBegin;
  if (tr->group == RHX_GROUP_VELOCITY) {
    PetscCall(RhxMomentumMatrixAssemble(tr->matrix, t, dt, mass, x, aux));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscArrayzero(tr->inward, tr->form->space->nowned));
  PetscCall(RhxBoundaryAddInflowDiagonal(tr->bc, x, tr->inward));
  PetscCall(RhxMomentumMatrixAssembleMode(tr->matrix, tr->mode, t, dt, mass, x, aux, tr->inward));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTransportSolve(RhxTransport tr, PetscInt mode, PetscBool kept, double t, double dt, double mass,
                                 const PetscScalar *x, const PetscScalar *aux, const PetscScalar *r, PetscScalar *v,
                                 RhxTransportResult *result)
{
  RhxEvent *event = tr->group == RHX_GROUP_MODES ? &of_modes : &of_velocity;
  const RhxSpace sp = tr->form->space;
  const PetscScalar *d;
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(event));
  tr->mode = mode;
  PetscCall(right_hand_side(tr, r, v));
  PetscCall(VecNorm(tr->b, NORM_2, &norm));
  *result = (RhxTransportResult){.finite = (PetscBool)!PetscIsInfOrNanReal(norm)};
  if (result->finite) {
    if (!kept) PetscCall(assemble(tr, t, dt, mass, x, aux));
    if (!kept) PetscCall(prepare(tr));
    PetscCall(solve(tr, result));
  }
  PetscCall(VecGetArrayRead(result->finite ? tr->d : tr->b, &d));
  PetscCall(PetscArraycpy(v, d, sp->nowned * tr->width));
  PetscCall(VecRestoreArrayRead(result->finite ? tr->d : tr->b, &d));
  PetscCall(RhxEventEnd(event));
  PetscFunctionReturn(PETSC_SUCCESS);
}
