#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"

PetscErrorCode RhxReactions(RhxForm form, RhxBoundary bc, double t, Vec x, Vec xdot, PetscScalar *r, PetscScalar *xl)
{
  RhxSpace space = form->space;
  size_t n = (size_t)space->nlocal * space->bs;
  PetscScalar *state, *rate = NULL, *aux;
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &state, xdot ? n : 0, &rate, (size_t)space->nlocal * form->naux, &aux));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, state));
  PetscCall(VecRestoreArrayRead(x, &g));
  if (xdot) {
    PetscCall(VecGetArrayRead(xdot, &g));
    PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, rate));
    PetscCall(VecRestoreArrayRead(xdot, &g));
  }
  PetscCall(RhxFormProject(form, t, 0, state, aux));
  if (form->naux) PetscCall(RhxBoundaryImposeAuxiliary(bc, aux));
  PetscCall(RhxFormResidual(form, RHX_ROWS_FLOW, t, 0, state, xdot ? rate : NULL, aux, r, NULL));
  for (PetscInt i = 0; xdot && i < space->nowned; i++)
    for (PetscInt d = 0; d < space->dim; d++)
      r[i * space->bs + d] += form->rho * space->mass[i] * rate[i * space->bs + d];
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, r, r));
  if (xl) PetscCall(PetscArraycpy(xl, state, n));
  PetscCall(PetscFree3(state, rate, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxForces(RhxForm form, RhxBoundary bc, const char *label, double t, Vec x, Vec xdot, double force[3])
{
  RhxSpace space = form->space;
  PetscScalar *r;
  PetscInt n;
  const PetscInt *node;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, &r));
  PetscCall(RhxReactions(form, bc, t, x, xdot, r, NULL));
  PetscCall(RhxBoundaryGetVelocityNodes(bc, label, &n, &node));
  force[0] = force[1] = force[2] = 0;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < space->dim; d++) force[d] -= r[node[i] * space->bs + d];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, force, 3, MPI_DOUBLE, MPI_SUM, form->comm));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
