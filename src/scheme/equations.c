#include "boundary/backflow.h"
#include "petsc_compat.h"
#include "scheme/columns_impl.h"
#include "space/dm.h"
#include <math.h>
#include <petscblaslapack.h>

#define INEXACT \
  1e-2 /* error of projections along a direction, over the tolerance of the solve that asks for J times it */
#define FREE 1e-10 /* of all directions along which the velocity is given: none, but for the rounding of normals */

/* ---- Residual and Jacobian ---- */

/* A state, or (pressure 0) a rate or direction. */
static PetscErrorCode load(RhxEquations eq, Vec x, double pressure, RhxArray local)
{
  PetscFunctionBegin;
  PetscCall(RhxOpsLoadVec(eq->ops, local, x));
  if (eq->driven) PetscCall(RhxDrivenRelease(eq->driven, pressure, local));
  PetscCall(eq->ops->table->ghosts(eq->ops, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_state(RhxEquations eq, Vec x, RhxArray local)
{
  double share;
  PetscFunctionBegin;
  PetscCall(load(eq, x, eq->driven ? eq->driven->level : 0.0, local));
  if (eq->following) PetscCall(RhxFollowingSet(eq->following, eq->t, x));
  if (!eq->driven) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDrivenTake(eq->driven, x, &share));
  PetscCall(RhxDrivenSetForce(eq->driven, share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsStore(RhxEquations eq, RhxArray state, Vec x)
{
  PetscFunctionBegin;
  PetscCall(RhxOpsStoreVec(eq->ops, state, x));
  if (eq->each) PetscCall(VecDot(x, eq->part, &eq->mean));
  if (eq->driven) PetscCall(RhxDrivenFromState(eq->driven, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsLevel(RhxEquations eq, double mean, Vec x)
{
  PetscScalar now;
  PetscFunctionBegin;
  if (!eq->each) PetscFunctionReturn(PETSC_SUCCESS);
  if (eq->driven) PetscCall(RhxDrivenSwap(eq->driven, x));
  PetscCall(VecDot(x, eq->part, &now));
  PetscCall(VecAXPY(x, mean - now, eq->each));
  if (eq->driven) PetscCall(RhxDrivenSwap(eq->driven, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsLevelTransposed(RhxEquations eq, Vec y)
{
  PetscScalar sum;
  PetscFunctionBegin;
  if (!eq->each) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDot(y, eq->each, &sum));
  PetscCall(VecAXPY(y, -sum, eq->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsLoad(RhxEquations eq, RhxArray state, Vec x)
{
  PetscFunctionBegin;
  PetscCall(RhxEquationsLevel(eq, eq->mean, x));
  PetscCall(load_state(eq, x, state));
  PetscCall(RhxBoundarySetTime(eq->bc, eq->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsBeginStep(RhxEquations eq, double t, Vec x)
{
  PetscFunctionBegin;
  if (eq->following) PetscCall(RhxFollowingBegin(eq->following, t, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Projections, tractions and, where they follow the flow, given values of the state. */
static PetscErrorCode meet(RhxEquations eq)
{
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(eq->ops->table->tangent->fields(eq->ops, &at));
  if (!eq->following) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(eq->value, &a));
  PetscCall(RhxBoundaryImpose(eq->bc, RHX_BC_PRESSURE, a));
  PetscCall(VecRestoreArray(eq->value, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fetch(void *ctx, IS nodes, PetscScalar *x)
{
  const RhxEquations eq = ctx;
  PetscFunctionBegin;
  PetscCall(eq->ops->table->fetch(eq->ops, eq->state, nodes, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsTell(RhxEquations eq, Vec x)
{
  PetscFunctionBegin;
  PetscCall(load_state(eq, x, eq->state));
  if (eq->meets) PetscCall(RhxBoundaryMeet(eq->bc, eq->t, fetch, eq));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode place(RhxEquations eq, Vec x, Vec xdot)
{
  PetscFunctionBegin;
  PetscCall(RhxEquationsTell(eq, x));
  eq->moving = (PetscBool)(xdot != NULL);
  if (xdot) PetscCall(load(eq, xdot, 0.0, eq->rate));
  PetscCall(meet(eq));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before `give`: rows of the residual that turn, to x; NULL: 0. */
static PetscErrorCode turn(RhxEquations eq, RhxArray x, RhxArray f)
{
  PetscFunctionBegin;
  if (eq->oblique) PetscCall(eq->ops->table->tangent->turn(eq->ops, eq->oblique, x, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f = f where it is free, x where it is given; x NULL: 0. f is not x. */
static PetscErrorCode give(RhxEquations eq, Vec x, Vec f)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(f, f, eq->free));
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecPointwiseMult(eq->work, x, eq->held));
  PetscCall(VecAXPY(f, 1.0, eq->work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsFree(RhxEquations eq, Vec f)
{
  PetscScalar *rows;
  PetscFunctionBegin;
  if (eq->oblique) {
    PetscCall(VecGetArray(f, &rows));
    RhxObliqueTurn(eq->oblique, NULL, rows);
    PetscCall(VecRestoreArray(f, &rows));
  }
  PetscCall(give(eq, NULL, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsFreeTransposed(RhxEquations eq, Vec v)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(v, v, eq->free));
  if (eq->oblique) PetscCall(RhxObliqueTurnTransposed(eq->oblique, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsFreeRows(RhxEquations eq, Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatZeroRows(A, eq->ngiven, eq->row, 0.0, NULL, NULL));
  if (eq->oblique) PetscCall(RhxObliqueTurnRows(eq->oblique, 0.0, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The net flux of what is given, which no flow balances, spread over the volume: the row of the pressure that is held is no part of
 * the rest. It does not depend on what is free. */
static PetscErrorCode spread_flux(RhxEquations eq, Vec f)
{
  PetscScalar flux;
  PetscFunctionBegin;
  if (!eq->each) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDot(f, eq->each, &flux));
  PetscCall(VecAXPY(f, -flux, eq->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows that are free from the operations, those given from x - less; x: NULL, or that of the state. */
static PetscErrorCode take(RhxEquations eq, Vec x, Vec less, Vec f)
{
  PetscFunctionBegin;
  PetscCall(turn(eq, x ? eq->state : NULL, eq->res));
  PetscCall(RhxOpsStoreVec(eq->ops, eq->res, f));
  PetscCall(spread_flux(eq, f));
  PetscCall(give(eq, x, f));
  if (!less) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecPointwiseMult(eq->work, less, eq->held));
  PetscCall(VecAXPY(f, -1.0, eq->work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxOpsPoint RhxEquationsPoint(RhxEquations eq)
{
  const RhxOpsPoint at = {
      .t = eq->t, .x = eq->state, .aux = eq->aux, .xdot = eq->moving ? eq->rate : NULL, .shift = eq->shift};
  return at;
}

PetscErrorCode RhxEquationsResidual(RhxEquations eq, Vec x, Vec xdot, Vec f)
{
  const RhxTangentTable *tangent = eq->ops->table->tangent;
  PetscFunctionBegin;
  PetscCall(place(eq, x, xdot));
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  PetscCall(tangent->residual(eq->ops, &at, eq->res));
  if (xdot) PetscCall(tangent->inertia(eq->ops, eq->rate, eq->res));
  PetscCall(take(eq, x, eq->value, f));
  if (eq->driven) PetscCall(RhxDrivenResidual(eq->driven, x, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsInertia(RhxEquations eq, Vec x, Vec f)
{
  PetscFunctionBegin;
  PetscCall(load(eq, x, 0.0, eq->rate));
  PetscCall(VecZeroEntries(f));
  PetscCall(load(eq, f, 0.0, eq->res));
  PetscCall(eq->ops->table->tangent->inertia(eq->ops, eq->rate, eq->res));
  PetscCall(take(eq, NULL, NULL, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(Mat J, Vec v, Vec y)
{
  const RhxTangentTable *tangent;
  RhxEquations eq;
  Vec free = v;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &eq));
  tangent = eq->ops->table->tangent;
  RhxOpsPoint at = RhxEquationsPoint(eq);
  const RhxArray daux = eq->form->naux ? eq->daux : NULL;
  if (eq->solving && !eq->exact) PetscCall(KSPGetTolerances(eq->solving, &at.inexact, NULL, NULL, NULL));
  at.inexact *= INEXACT / PetscMax(1.0, eq->cancels);
  if (eq->columns) PetscCall(RhxColumnsTake(eq->columns, v, &free));
  PetscCall(load(eq, free, 0.0, eq->along));
  if (daux) PetscCall(tangent->project(eq->ops, &at, eq->along, daux));
  PetscCall(tangent->product(eq->ops, &at, eq->along, daux, eq->res));
  if (eq->columns && eq->oblique) PetscCall(RhxOpsLoadVec(eq->ops, eq->along, v));
  PetscCall(turn(eq, eq->along, eq->res));
  PetscCall(RhxOpsStoreVec(eq->ops, eq->res, y));
  PetscCall(give(eq, v, y));
  if (eq->driven) PetscCall(RhxDrivenMultiply(eq->driven, v, y));
  if (eq->following) PetscCall(RhxFollowingMultiply(eq->following, free, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f = R with another force, where x is free */
static PetscErrorCode push(RhxEquations eq, double share, Vec f)
{
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  PetscFunctionBegin;
  PetscCall(RhxDrivenSetForce(eq->driven, share));
  PetscCall(eq->ops->table->tangent->fields(eq->ops, &at));
  PetscCall(eq->ops->table->tangent->residual(eq->ops, &at, eq->res));
  PetscCall(take(eq, NULL, NULL, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By a difference, exact for a residual that is linear in the force. */
static PetscErrorCode linearise_force(RhxEquations eq)
{
  double share, step;
  Vec before;
  PetscFunctionBegin;
  if (!eq->driven) PetscFunctionReturn(PETSC_SUCCESS);
  share = eq->driven->share;
  step = RhxDrivenStep(eq->driven);
  PetscCall(VecDuplicate(eq->value, &before));
  PetscCall(push(eq, share + step, eq->driven->slope));
  PetscCall(push(eq, share, before));
  PetscCall(VecAXPY(eq->driven->slope, -1.0, before));
  PetscCall(VecScale(eq->driven->slope, 1.0 / step));
  PetscCall(VecDestroy(&before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f = F with value k raised, but for a part that does not depend on it; all: R of all rows */
static PetscErrorCode raise(RhxEquations eq, PetscBool all, PetscInt k, double more, Vec f)
{
  const RhxOpsPoint at = RhxEquationsPoint(eq);
  PetscFunctionBegin;
  PetscCall(RhxFollowingRaise(eq->following, k, more));
  PetscCall(meet(eq));
  PetscCall(eq->ops->table->tangent->residual(eq->ops, &at, eq->res));
  if (all)
    PetscCall(RhxOpsStoreVec(eq->ops, eq->res, f));
  else
    PetscCall(take(eq, NULL, eq->value, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* column[k] = dF/dP_k, all: dR/dP_k of all rows. By differences, of one side where the residual is linear in the value, which are exact;
 * the last one sets them as they are. */
static PetscErrorCode differentiate_following(RhxEquations eq, PetscBool all, Vec *column)
{
  const RhxFollowing fw = eq->following;
  Vec before;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(eq->value, &before));
  for (PetscInt k = 0; k < fw->n; k++) {
    double step;
    PetscBool linear;
    PetscCall(RhxFollowingStep(fw, k, &step, &linear));
    PetscCall(raise(eq, all, k, step, column[k]));
    if (linear) continue;
    PetscCall(raise(eq, all, k, -step, before));
    PetscCall(VecAXPY(column[k], -1.0, before));
    PetscCall(VecScale(column[k], 0.5 / step));
  }
  PetscCall(raise(eq, all, -1, 0.0, before));
  for (PetscInt k = 0; k < fw->n; k++) {
    double step;
    PetscBool linear;
    PetscCall(RhxFollowingStep(fw, k, &step, &linear));
    if (!linear) continue;
    PetscCall(VecAXPY(column[k], -1.0, before));
    PetscCall(VecScale(column[k], 1.0 / step));
  }
  PetscCall(VecDestroy(&before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsFollowTransposed(RhxEquations eq, Vec w, Vec x)
{
  const RhxFollowing fw = eq->following;
  Vec *column;
  PetscFunctionBegin;
  if (!fw) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicateVecs(w, fw->n, &column));
  PetscCall(differentiate_following(eq, PETSC_TRUE, column));
  for (PetscInt k = 0; k < fw->n; k++) {
    PetscScalar by;
    PetscCall(VecDot(column[k], w, &by));
    PetscCall(VecAXPY(x, by * fw->slope[k], fw->weight[k]));
  }
  PetscCall(VecDestroyVecs(fw->n, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsLinearise(RhxEquations eq, Vec x, Vec xdot, double shift)
{
  PetscFunctionBegin;
  PetscCall(place(eq, x, xdot));
  eq->shift = shift;
  if (eq->meets) PetscCall(RhxBoundaryMeetSlopes(eq->bc, eq->t, &eq->friction));
  PetscCall(linearise_force(eq));
  if (eq->following) PetscCall(differentiate_following(eq, PETSC_FALSE, eq->following->column));
  if (eq->following && eq->columns) PetscCall(RhxColumnsFollow(eq->columns));
  if (eq->J == eq->P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssemblyBegin(eq->J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(eq->J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsAssemble(RhxEquations eq, PetscBool follows)
{
  RhxOpsPoint at = RhxEquationsPoint(eq);
  PetscFunctionBegin;
  at.follows = follows && eq->J != eq->P;
  PetscCall(eq->ops->table->tangent->matrix(eq->ops, &at, eq->P));
  if (eq->driven) PetscCall(RhxDrivenHold(eq->driven, eq->P));
  if (eq->columns) PetscCall(RhxColumnsEliminate(eq->columns, eq->P));
  PetscCall(MatZeroRows(eq->P, eq->ngiven, eq->row, 1.0, NULL, NULL));
  if (eq->driven) PetscCall(RhxDrivenPrecondition(eq->driven, eq->P));
  if (eq->oblique) PetscCall(RhxObliqueTurnRows(eq->oblique, 1.0, eq->P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is given ---- */

PetscErrorCode RhxEquationsSetTime(RhxEquations eq, double t)
{
  PetscScalar *a;
  PetscFunctionBegin;
  eq->t = t;
  PetscCall(RhxBoundarySetTime(eq->bc, t));
  PetscCall(VecGetArray(eq->value, &a));
  PetscCall(RhxBoundaryImpose(eq->bc, RHX_BC_ALL, a));
  PetscCall(VecRestoreArray(eq->value, &a));
  if (eq->driven) PetscCall(RhxBoundaryGetAim(eq->bc, t, &eq->driven->aim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsHold(RhxEquations eq, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(x, eq->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsImpose(RhxEquations eq, Vec x)
{
  PetscFunctionBegin;
  if (eq->oblique) {
    PetscCall(RhxOpsLoadVec(eq->ops, eq->along, eq->value));
    PetscCall(RhxOpsLoadVec(eq->ops, eq->res, x));
    PetscCall(turn(eq, eq->along, eq->res));
    PetscCall(RhxOpsStoreVec(eq->ops, eq->res, x));
  }
  PetscCall(give(eq, eq->value, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of given values. A pressure that no label gives is that of the first node, its number *held on the rank that has it, else -1. */
static PetscErrorCode find_given(RhxEquations eq, PetscInt *held)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  PetscScalar *mark;
  const PetscInt *node;
  PetscInt nfixed;
  PetscBool free;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &mark));
  PetscCall(PetscMalloc1(n, &eq->row));
  PetscCall(PetscCalloc1(n, &eq->given));
  for (PetscInt k = 0; k < n; k++) mark[k] = 1.0;
  PetscCall(RhxBoundaryZero(eq->bc, RHX_BC_ALL, mark));
  PetscCall(RhxObliqueCreate(eq->form, eq->bc, mark, &eq->oblique));
  PetscCall(RhxBoundaryGetPressureNodes(eq->bc, &nfixed, &node, &free));
  *held = free && sp->rstart == 0 && n ? sp->dim : -1;
  if (*held >= 0) mark[*held] = 0.0;
  for (PetscInt k = 0; k < n; k++) {
    eq->given[k] = (PetscBool)(mark[k] == 0.0);
    if (eq->given[k]) eq->row[eq->ngiven++] = sp->rstart * sp->bs + k;
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A unit vector along which nothing gives the velocity; *found: there is one. given: sum of n n^T of the directions n along which it is
 * given, of all nodes; lost. */
static PetscErrorCode find_free(PetscInt dim, double given[3][3], PetscBool *found, double free[3])
{
  double size = 0.0, value[3], work[16];
  PetscBLASInt n, three = 3, lwork = 16, info;
  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(dim, &n));
  for (PetscInt d = 0; d < dim; d++) size += given[d][d];
  PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &n, given[0], &three, value, work, &lwork, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's syev: %d", (int)info);
  *found = (PetscBool) !(value[0] > FREE * size);
  for (PetscInt d = 0; d < 3; d++) free[d] = d < dim && fabs(given[0][d]) > 1e-9 ? given[0][d] : 0.0;
  if (free[0] + free[1] + free[2] < 0.0)
    for (PetscInt d = 0; d < 3; d++) free[d] = 0.0 - free[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean along e is given. */
static void add_mean(RhxDriven driven, PetscInt dim, double given[3][3])
{
  const double *e = driven->direction;
  double along = 0.0, size = 0.0;

  for (PetscInt d = 0; d < dim; d++) {
    size += given[d][d];
    for (PetscInt k = 0; k < dim; k++) along += e[d] * given[d][k] * e[k];
  }
  driven->adrift = (PetscBool) !(along > FREE * size);
  for (PetscInt d = 0; d < dim; d++)
    for (PetscInt k = 0; k < dim; k++) given[d][k] += e[d] * e[k];
}

/* Nothing gives the velocity along `free`: does the momentum of what comes back in through an outlet hold it, at x? */
static PetscErrorCode expect_backflow(RhxEquations eq, Vec x, const char *scheme, const double free[3])
{
  const PetscScalar *state;
  const char *label;
  char hint[512] = "";
  PetscBool holds;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &state));
  PetscCall(RhxBoundaryIsHeldByBackflow(eq->bc, state, &label, &holds));
  PetscCall(VecRestoreArrayRead(x, &state));
  if (label)
    PetscCall(PetscSNPrintf(hint, sizeof(hint),
                            ", and -bc_%.100s_backflow holds it only where fluid comes in, which none does in this "
                            "state: expected one to begin with that flows in there (-initial_velocity, -case_restart, "
                            "or a pseudo-transient start by -scheme_steady_dt), or",
                            label));
  PetscCheck(holds, eq->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme %s: the matrix is singular, for no condition gives the velocity along (%.3g, %.3g, %.3g) at any "
             "node%s a wall, an inlet or a plane of symmetry across it (-bc_<label>_type), or of a periodic flow its "
             "mean (-form_mean_velocity, in one direction)",
             scheme, free[0], free[1], free[2], hint[0] ? hint : ": expected");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsCheckVelocity(RhxEquations eq, Vec x, const char *scheme)
{
  const RhxSpace sp = eq->form->space;
  double given[3][3] = {{0.0}}, free[3];
  PetscBool found = PETSC_FALSE;
  PetscFunctionBegin;
  if (eq->friction) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt d = 0; d < sp->dim; d++) given[d][d] += eq->given[i * sp->bs + d];
  if (eq->oblique) RhxObliqueAddGiven(eq->oblique, given);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, given, 9, MPI_DOUBLE, MPI_SUM, eq->form->comm));
  if (eq->driven) add_mean(eq->driven, sp->dim, given);
  PetscCall(find_free(sp->dim, given, &found, free));
  if (found) PetscCall(expect_backflow(eq, x, scheme, free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

/* 1 and 0 where rows are free and given, and the other way round. */
static PetscErrorCode create_vectors(RhxEquations eq)
{
  const RhxSpace sp = eq->form->space;
  PetscScalar *free, *held;
  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(eq->dm, &eq->value));
  PetscCall(VecDuplicate(eq->value, &eq->free));
  PetscCall(VecDuplicate(eq->value, &eq->held));
  PetscCall(VecDuplicate(eq->value, &eq->work));
  PetscCall(VecZeroEntries(eq->value));
  PetscCall(VecGetArrayWrite(eq->free, &free));
  PetscCall(VecGetArrayWrite(eq->held, &held));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) {
    free[k] = eq->given[k] ? 0.0 : 1.0;
    held[k] = 1.0 - free[k];
  }
  PetscCall(VecRestoreArrayWrite(eq->held, &held));
  PetscCall(VecRestoreArrayWrite(eq->free, &free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_balance(RhxEquations eq)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscScalar *each, *part, volume = 0.0;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(eq->value, &eq->each));
  PetscCall(VecDuplicate(eq->value, &eq->part));
  for (PetscInt i = 0; i < sp->nowned; i++) volume += sp->mass[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPIU_SCALAR, MPI_SUM, eq->form->comm));
  PetscCall(VecZeroEntries(eq->each));
  PetscCall(VecZeroEntries(eq->part));
  PetscCall(VecGetArray(eq->each, &each));
  PetscCall(VecGetArray(eq->part, &part));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    each[i * sp->bs + p] = 1.0;
    part[i * sp->bs + p] = sp->mass[i] / volume;
  }
  PetscCall(VecRestoreArray(eq->part, &part));
  PetscCall(VecRestoreArray(eq->each, &each));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_matrices(RhxEquations eq, PetscBool products)
{
  const RhxSpace sp = eq->form->space;
  const PetscInt n = sp->nowned * sp->bs;
  PetscFunctionBegin;
  PetscCall(eq->ops->table->tangent->create(eq->ops, &eq->P));
  if (!eq->form->naux && !products && !eq->driven && !eq->following) {
    PetscCall(PetscObjectReference((PetscObject)eq->P));
    eq->J = eq->P;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateShell(eq->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, eq, &eq->J));
  PetscCall(MatShellSetOperation(eq->J, MATOP_MULT, (void (*)(void))multiply));
#if defined(PETSC_HAVE_CUDA)
  if (eq->ops->device) PetscCall(MatSetVecType(eq->J, VECCUDA));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_dm(RhxEquations eq)
{
  PetscFunctionBegin;
  PetscCall(RhxSpaceCreateDM(eq->form->space, &eq->dm));
#if defined(PETSC_HAVE_CUDA)
  if (eq->ops->device) PetscCall(DMSetVecType(eq->dm, VECCUDA));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsCreate(RhxOps ops, PetscBool products, RhxEquations *out)
{
  const PetscInt bs = ops->form->space->bs, naux = ops->form->naux;
  PetscInt held = -1;
  PetscBool level, closed;
  RhxEquations eq;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  eq = *out;
  eq->ops = ops;
  eq->form = ops->form;
  eq->bc = ops->bc;
  eq->meets = RhxBoundaryHasTangents(eq->bc);
  PetscCall(RhxOpsArray(ops, bs, "the state of Newton's method", &eq->state));
  PetscCall(RhxOpsArray(ops, bs, "its rate", &eq->rate));
  PetscCall(RhxOpsArray(ops, bs, "a direction", &eq->along));
  PetscCall(RhxOpsArray(ops, bs, "the residual of Newton's method", &eq->res));
  PetscCall(RhxOpsArray(ops, naux, "its projections", &eq->aux));
  PetscCall(RhxOpsArray(ops, naux, "projections of a direction", &eq->daux));
  PetscCall(create_dm(eq));
  PetscCall(find_given(eq, &held));
  PetscCall(create_vectors(eq));
  PetscCall(RhxBoundaryGetPressureNodes(eq->bc, NULL, NULL, &level));
  PetscCall(RhxBoundaryIsClosed(eq->bc, &closed));
  if (level && closed) PetscCall(create_balance(eq));
  PetscCall(RhxDrivenCreate(ops, held, &eq->driven));
  PetscCall(RhxFollowingCreate(ops, &eq->following));
  PetscCall(create_matrices(eq, products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsEliminate(RhxEquations eq, PetscBool eliminate)
{
  PetscFunctionBegin;
  PetscCall(RhxColumnsDestroy(&eq->columns));
  if (eliminate) PetscCall(RhxColumnsCreate(eq, &eq->columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxEquationsDestroy(RhxEquations *eq)
{
  PetscFunctionBegin;
  if (!*eq) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxColumnsDestroy(&(*eq)->columns));
  PetscCall(DMDestroy(&(*eq)->dm));
  PetscCall(MatDestroy(&(*eq)->J));
  PetscCall(MatDestroy(&(*eq)->P));
  PetscCall(VecDestroy(&(*eq)->value));
  PetscCall(VecDestroy(&(*eq)->free));
  PetscCall(VecDestroy(&(*eq)->held));
  PetscCall(VecDestroy(&(*eq)->work));
  PetscCall(VecDestroy(&(*eq)->each));
  PetscCall(VecDestroy(&(*eq)->part));
  PetscCall(RhxObliqueDestroy(&(*eq)->oblique));
  PetscCall(RhxDrivenDestroy(&(*eq)->driven));
  PetscCall(RhxFollowingDestroy(&(*eq)->following));
  PetscCall(PetscFree((*eq)->given));
  PetscCall(PetscFree((*eq)->row));
  PetscCall(PetscFree(*eq));
  PetscFunctionReturn(PETSC_SUCCESS);
}
