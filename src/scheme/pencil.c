#include "petsc_compat.h"
#include "scheme/pencil_impl.h"

static PetscInt owned(RhxPencil p) { return p->eq->form->space->nowned * p->eq->form->space->bs; }

/* ---- Parts of z ---- */

PetscErrorCode RhxPencilGetState(RhxPencil p, Vec z, Vec x)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(z, &from));
  PetscCall(VecGetArray(x, &to));
  PetscCall(PetscArraycpy(to, from, owned(p)));
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(z, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_late(RhxPencil p, Vec z, PetscScalar *s)
{
  const MPI_Comm comm = p->eq->form->comm;
  const PetscScalar *from;
  PetscMPIInt size;
  PetscFunctionBegin;
  if (!p->nlate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(VecGetArrayRead(z, &from));
  if (p->last) PetscCall(PetscArraycpy(s, from + owned(p), p->nlate));
  PetscCall(VecRestoreArrayRead(z, &from));
  PetscCallMPI(MPI_Bcast(s, (PetscMPIInt)p->nlate, MPIU_SCALAR, size - 1, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set(RhxPencil p, Vec x, const PetscScalar *s, Vec z)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(z, &to));
  PetscCall(PetscArraycpy(to, from, owned(p)));
  if (p->last) PetscCall(PetscArraycpy(to + owned(p), s, p->nlate));
  PetscCall(VecRestoreArray(z, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- K and E ---- */

static PetscErrorCode multiply(Mat K, Vec z, Vec y)
{
  RhxPencil p;
  RhxFollowing fw;
  PetscScalar *s;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(K, &p));
  fw = p->eq->following;
  PetscCall(PetscMalloc1(p->nlate, &s));
  PetscCall(RhxPencilGetState(p, z, p->x));
  PetscCall(get_late(p, z, s));
  PetscCall(MatMult(p->J, p->x, p->y));
  for (PetscInt i = 0; i < p->nlate; i++) {
    const PetscInt k = p->late[i];
    PetscScalar flux;
    PetscCall(VecDot(p->x, fw->weight[k], &flux));
    s[i] -= fw->gain[k] * flux;
    PetscCall(VecAXPY(p->y, s[i], fw->column[k]));
  }
  PetscCall(set(p, p->y, s, y));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode weigh(RhxPencil p, PetscErrorCode (*product)(Mat, Vec, Vec), Vec z, Vec y)
{
  PetscScalar *s;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->nlate, &s));
  PetscCall(RhxPencilGetState(p, z, p->x));
  PetscCall(get_late(p, z, s));
  PetscCall(product(p->M, p->x, p->y));
  for (PetscInt i = 0; i < p->nlate; i++) s[i] *= p->eq->following->time[p->late[i]];
  PetscCall(set(p, p->y, s, y));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mass(Mat E, Vec z, Vec y)
{
  RhxPencil p;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(E, &p));
  PetscCall(weigh(p, MatMult, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mass_transposed(Mat E, Vec z, Vec y)
{
  RhxPencil p;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(E, &p));
  PetscCall(weigh(p, MatMultTranspose, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Solves ---- */

/* 1 + z T of a label, its conjugate where transposed. */
static void delay(RhxPencil p, PetscInt k, PetscBool transposed, const double shift[2], double d[2])
{
  d[0] = 1.0 + shift[0] * p->eq->following->time[k];
  d[1] = (transposed ? -1.0 : 1.0) * shift[1] * p->eq->following->time[k];
}

/* q = a/d, of `parts` */
static void divide(PetscInt parts, const PetscScalar a[2], const double d[2], PetscScalar q[2])
{
  const double square = d[0] * d[0] + d[1] * d[1], im = parts > 1 ? a[1] : 0.0;
  const double re = (a[0] * d[0] + im * d[1]) / square;
  q[1] = (im * d[0] - a[0] * d[1]) / square;
  q[0] = re;
}

/* rho of the labels, parts side by side */
static PetscErrorCode get_parts(RhxPencil p, PetscInt parts, Vec b[2], PetscScalar *rho[2])
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < parts; j++) {
    PetscCall(PetscMalloc1(p->nlate, &rho[j]));
    PetscCall(get_late(p, b[j], rho[j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a = b - sum c_k rho_k/(1 + z T_k), transposed b + sum w_k G_k rho_k/(1 + conj z T_k) */
PetscErrorCode RhxPencilReduce(RhxPencil p, PetscBool transposed, const double shift[2], PetscInt parts, Vec b[2],
                               Vec a[2])
{
  const RhxFollowing fw = p->eq->following;
  PetscScalar *rho[2];
  PetscFunctionBegin;
  for (PetscInt j = 0; j < parts; j++) PetscCall(RhxPencilGetState(p, b[j], a[j]));
  PetscCall(get_parts(p, parts, b, rho));
  for (PetscInt i = 0; i < p->nlate; i++) {
    const PetscInt k = p->late[i];
    const PetscScalar given[2] = {rho[0][i], parts > 1 ? rho[1][i] : 0.0};
    PetscScalar q[2];
    double d[2];
    delay(p, k, transposed, shift, d);
    divide(parts, given, d, q);
    for (PetscInt j = 0; j < parts; j++)
      PetscCall(VecAXPY(a[j], transposed ? fw->gain[k] * q[j] : -q[j], transposed ? fw->weight[k] : fw->column[k]));
  }
  for (PetscInt j = 0; j < parts; j++) PetscCall(PetscFree(rho[j]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s_k = (rho_k + G_k w_k.x)/(1 + z T_k), transposed (rho_k - c_k.x)/(1 + conj z T_k) */
PetscErrorCode RhxPencilExpand(RhxPencil p, PetscBool transposed, const double shift[2], PetscInt parts, Vec b[2],
                               Vec x[2], Vec z[2])
{
  const RhxFollowing fw = p->eq->following;
  PetscScalar *rho[2];
  PetscFunctionBegin;
  PetscCall(get_parts(p, parts, b, rho));
  for (PetscInt i = 0; i < p->nlate; i++) {
    const PetscInt k = p->late[i];
    PetscScalar given[2] = {0.0, 0.0}, q[2];
    double d[2];
    for (PetscInt j = 0; j < parts; j++) {
      PetscCall(VecDot(x[j], transposed ? fw->column[k] : fw->weight[k], &given[j]));
      given[j] = rho[j][i] + (transposed ? -1.0 : fw->gain[k]) * given[j];
    }
    delay(p, k, transposed, shift, d);
    divide(parts, given, d, q);
    for (PetscInt j = 0; j < parts; j++) rho[j][i] = q[j];
  }
  for (PetscInt j = 0; j < parts; j++) {
    PetscCall(set(p, x[j], rho[j], z[j]));
    PetscCall(PetscFree(rho[j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPencilMultiplyLate(RhxPencil p, const double shift[2], PetscInt parts, Vec x[2], Vec y[2])
{
  const RhxFollowing fw = p->eq->following;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->nlate; i++) {
    const PetscInt k = p->late[i];
    PetscScalar flux[2] = {0.0, 0.0};
    double slope[2];
    RhxFollowingRespond(fw, k, shift, slope);
    slope[0] -= fw->slope[k];
    for (PetscInt j = 0; j < parts; j++) PetscCall(VecDot(x[j], fw->weight[k], &flux[j]));
    PetscCall(VecAXPY(y[0], slope[0] * flux[0] - slope[1] * flux[1], fw->column[k]));
    if (parts > 1) PetscCall(VecAXPY(y[1], slope[1] * flux[0] + slope[0] * flux[1], fw->column[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPencilFree(RhxPencil p, PetscBool transposed, Vec z)
{
  PetscScalar *s;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->nlate, &s));
  PetscCall(RhxPencilGetState(p, z, p->x));
  PetscCall(get_late(p, z, s));
  PetscCall(transposed ? RhxEquationsFreeTransposed(p->eq, p->x) : RhxEquationsFree(p->eq, p->x));
  PetscCall(set(p, p->x, s, z));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode find_late(RhxPencil p)
{
  const RhxFollowing fw = p->eq->following;
  PetscMPIInt rank, size;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(p->eq->form->comm, &rank));
  PetscCallMPI(MPI_Comm_size(p->eq->form->comm, &size));
  p->last = (PetscBool)(rank == size - 1);
  if (!fw) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFollowingNeedLags(fw));
  PetscCall(PetscMalloc1(fw->n, &p->late));
  for (PetscInt k = 0; k < fw->n; k++)
    if (fw->time[k] > 0.0) p->late[p->nlate++] = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_shells(RhxPencil p)
{
  const PetscInt n = owned(p) + (p->last ? p->nlate : 0);
  const MPI_Comm comm = p->eq->form->comm;
  PetscFunctionBegin;
  PetscCall(MatCreateShell(comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, p, &p->K));
  PetscCall(MatShellSetOperation(p->K, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatCreateShell(comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, p, &p->E));
  PetscCall(MatShellSetOperation(p->E, MATOP_MULT, (void (*)(void))mass));
  PetscCall(MatShellSetOperation(p->E, MATOP_MULT_TRANSPOSE, (void (*)(void))mass_transposed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPencilCreate(RhxEquations eq, Mat M, RhxPencil *out)
{
  RhxPencil p;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  p = *out;
  p->eq = eq;
  p->M = M;
  p->J = eq->J;
  PetscCall(PetscObjectReference((PetscObject)p->M));
  PetscCall(PetscObjectReference((PetscObject)p->J));
  PetscCall(MatCreateVecs(M, &p->x, &p->y));
  PetscCall(find_late(p));
  if (p->nlate) {
    PetscCall(create_shells(p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p->E = p->M;
  p->K = p->J;
  PetscCall(PetscObjectReference((PetscObject)p->E));
  PetscCall(PetscObjectReference((PetscObject)p->K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPencilDestroy(RhxPencil *p)
{
  PetscFunctionBegin;
  if (!*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&(*p)->E));
  PetscCall(MatDestroy(&(*p)->K));
  PetscCall(MatDestroy(&(*p)->M));
  PetscCall(MatDestroy(&(*p)->J));
  PetscCall(VecDestroy(&(*p)->x));
  PetscCall(VecDestroy(&(*p)->y));
  PetscCall(PetscFree((*p)->late));
  PetscCall(PetscFree(*p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
