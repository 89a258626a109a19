#include "petsc_compat.h"
#include "scheme/driven_impl.h"
#include <math.h>

/* eta/L^2 is the force of friction by volume over the velocity, but for a number; the inertia's where there is none. */
static PetscErrorCode scale(RhxForm form, RhxDriven driven)
{
  const double length = pow(driven->volume, 1.0 / form->space->dim);
  double eta_s, eta_p;
  PetscFunctionBegin;
  PetscCall(RhxFormViscosity(form, &eta_s, &eta_p));
  driven->unit = (eta_s + eta_p > 0.0 ? eta_s + eta_p : form->rho) / (length * length);
  RhxDrivenScale(driven, 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row is of the size that a mean as large has in the balance of momentum: friction's on the domain, inertia's at each node. A unit of
 * the unknown moves the mean by unit/(unit + inertia), so the row's answer to it is as much of the row. */
void RhxDrivenScale(RhxDriven driven, double inertia)
{
  const double nodes = (double)driven->ops->form->space->nglobal;
  driven->row = driven->volume * (driven->unit + inertia / sqrt(nodes));
  driven->answer = driven->row * driven->unit / (driven->unit + inertia);
}

PetscErrorCode RhxDrivenCreate(RhxOps ops, PetscInt at, RhxDriven *out)
{
  PetscScalar *weight;
  PetscBool there;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDrive(ops->bc, &there, NULL, NULL));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(out));
  (*out)->ops = ops;
  (*out)->bc = ops->bc;
  (*out)->at = at;
  PetscCall(RhxBoundarySolveDrive(ops->bc, &(*out)->volume, &(*out)->direction));
  PetscCall(scale(ops->form, *out));
  PetscCall(RhxOpsCreateVec(ops, ops->form->space->bs, &(*out)->slope));
  PetscCall(VecDuplicate((*out)->slope, &(*out)->weight));
  PetscCall(VecGetArrayWrite((*out)->weight, &weight));
  PetscCall(RhxBoundaryGetMeanWeights(ops->bc, weight));
  PetscCall(VecRestoreArrayWrite((*out)->weight, &weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenDestroy(RhxDriven *driven)
{
  PetscFunctionBegin;
  if (!*driven) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*driven)->slope));
  PetscCall(VecDestroy(&(*driven)->weight));
  PetscCall(PetscFree(*driven));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenKeep(RhxDriven driven)
{
  PetscFunctionBegin;
  if (driven) PetscCall(RhxBoundaryGetForce(driven->bc, &driven->kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenRecall(RhxDriven driven)
{
  PetscFunctionBegin;
  if (driven) PetscCall(RhxBoundarySetForce(driven->bc, driven->kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenFromState(RhxDriven driven, Vec x)
{
  double force;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetForce(driven->bc, &force));
  if (force != driven->share * driven->unit) driven->share = force / driven->unit; /* else the same bits */
  if (driven->at >= 0) PetscCall(RhxOpsTake(driven->ops, x, driven->at, &driven->level));
  PetscCall(RhxDrivenPut(driven, driven->share, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenRelease(RhxDriven driven, double pressure, RhxArray a)
{
  PetscFunctionBegin;
  if (driven->at >= 0) PetscCall(driven->ops->table->put(driven->ops, a, driven->at, pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenPut(RhxDriven driven, double value, Vec x)
{
  PetscFunctionBegin;
  if (driven->at >= 0) PetscCall(RhxOpsPut(driven->ops, x, driven->at, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenSwap(RhxDriven driven, Vec x)
{
  const double level = driven->level;
  PetscFunctionBegin;
  if (driven->at >= 0) PetscCall(RhxOpsTake(driven->ops, x, driven->at, &driven->level));
  PetscCall(RhxDrivenPut(driven, level, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenTake(RhxDriven driven, Vec x, double *share)
{
  PetscFunctionBegin;
  *share = 0.0;
  if (driven->at >= 0) PetscCall(RhxOpsTake(driven->ops, x, driven->at, share));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, share, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)x)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenSetForce(RhxDriven driven, double share)
{
  PetscFunctionBegin;
  driven->share = share;
  PetscCall(RhxBoundarySetForce(driven->bc, share * driven->unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxDrivenStep(RhxDriven driven) { return PetscMax(1.0, PetscMax(fabs(driven->share), fabs(driven->aim))); }

/* f's row = row (mean of x less U) */
static PetscErrorCode set_row(RhxDriven driven, Vec x, double aim, Vec f)
{
  PetscScalar mean;
  PetscFunctionBegin;
  PetscCall(VecDot(x, driven->weight, &mean));
  PetscCall(RhxDrivenPut(driven, driven->row * (mean - aim), f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenResidual(RhxDriven driven, Vec x, Vec f)
{
  PetscFunctionBegin;
  PetscCall(set_row(driven, x, driven->aim, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenMultiply(RhxDriven driven, Vec v, Vec y)
{
  double share;
  PetscFunctionBegin;
  PetscCall(RhxDrivenTake(driven, v, &share));
  PetscCall(VecAXPY(y, share, driven->slope));
  PetscCall(set_row(driven, v, 0.0, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenHold(RhxDriven driven, Mat P)
{
  const RhxSpace sp = driven->ops->form->space;
  const PetscScalar *weight;
  PetscScalar *a;
  Vec friction;
  PetscFunctionBegin;
  if (!driven->adrift) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(driven->weight, &friction));
  PetscCall(VecZeroEntries(friction));
  PetscCall(VecGetArrayRead(driven->weight, &weight));
  PetscCall(VecGetArray(friction, &a));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt d = 0; d < sp->dim; d++)
      a[i * sp->bs + d] = driven->unit * driven->volume * driven->direction[d] * weight[i * sp->bs + d];
  PetscCall(VecRestoreArray(friction, &a));
  PetscCall(VecRestoreArrayRead(driven->weight, &weight));
  PetscCall(MatDiagonalSet(P, friction, ADD_VALUES));
  PetscCall(VecDestroy(&friction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDrivenPrecondition(RhxDriven driven, Mat P)
{
  PetscInt row;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(P, &row, NULL));
  row += driven->at;
  PetscCall(MatZeroRowsColumns(P, driven->at >= 0 ? 1 : 0, &row, driven->answer, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
