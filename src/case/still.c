/* A run that comes to rest because nothing moves its fluid. */
#include "case/impl.h"
#include "form/ask.h"
#include "petsc_compat.h"

PetscErrorCode RhxCaseWarnOfStill_Private(RhxCase rc)
{
  const RhxSpace sp = rc->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), end = RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *x;
  PetscReal most = 0.0;
  PetscBool forced;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-form_body_force", &forced)); /* which a pressure may balance */
  if (!rc->at_rest || forced || RhxFormHasAsked(rc->form, RHX_ASK_FELT)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(rc->x, &x));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = u; c < end; c++) most = PetscMax(most, PetscAbsScalar(x[(size_t)i * sp->bs + c]));
  PetscCall(VecRestoreArrayRead(rc->x, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, rc->comm));
  if (most == 0.0)
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: nothing moves the fluid, which is at rest everywhere: expected an inlet, "
                     "a wall that moves, pressures that differ, -form_body_force or -form_mean_velocity\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
