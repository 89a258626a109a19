#include "petsc_compat.h"
#include "scheme/columns_impl.h"

struct _RhxColumns {
  RhxEquations eq; /* borrowed */
  Vec stays;       /* 0 where a column is eliminated, else 1 */
  Vec part;
  Mat turn; /* Q; NULL: no rows turn */
};

PetscErrorCode RhxColumnsCreate(RhxEquations eq, RhxColumns *out)
{
  RhxColumns cs;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  cs = *out;
  cs->eq = eq;
  PetscCall(VecDuplicate(eq->free, &cs->stays));
  PetscCall(VecDuplicate(eq->free, &cs->part));
  PetscCall(VecCopy(eq->free, cs->stays));
  if (eq->oblique) PetscCall(RhxObliqueCreateProjector(eq->oblique, &cs->turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColumnsDestroy(RhxColumns *cs)
{
  PetscFunctionBegin;
  if (!*cs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*cs)->stays));
  PetscCall(VecDestroy(&(*cs)->part));
  PetscCall(MatDestroy(&(*cs)->turn));
  PetscCall(PetscFree(*cs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColumnsFollow(RhxColumns cs)
{
  const RhxFollowing fw = cs->eq->following;
  const PetscInt n = cs->eq->form->space->nowned * cs->eq->form->space->bs;
  PetscScalar *stays;
  PetscFunctionBegin;
  PetscCall(VecGetArray(cs->stays, &stays));
  for (PetscInt k = 0; k < fw->n; k++) {
    const PetscScalar *column;
    PetscCall(VecGetArrayRead(fw->column[k], &column));
    for (PetscInt i = 0; i < n; i++)
      if (cs->eq->given[i] && column[i] != 0.0) stays[i] = 1.0;
    PetscCall(VecRestoreArrayRead(fw->column[k], &column));
  }
  PetscCall(VecRestoreArray(cs->stays, &stays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColumnsTake(RhxColumns cs, Vec v, Vec *part)
{
  PetscScalar *a;
  PetscFunctionBegin;
  *part = cs->part;
  PetscCall(VecPointwiseMult(cs->part, v, cs->stays));
  if (!cs->turn) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(cs->part, &a));
  RhxObliqueTurn(cs->eq->oblique, NULL, a);
  PetscCall(VecRestoreArray(cs->part, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColumnsEliminate(RhxColumns cs, Mat A)
{
  Mat turned;
  PetscFunctionBegin;
  PetscCall(MatDiagonalScale(A, NULL, cs->stays));
  if (!cs->turn) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMatMult(A, cs->turn, MAT_INITIAL_MATRIX, 1.0, &turned));
  PetscCall(MatCopy(turned, A, SAME_NONZERO_PATTERN)); /* A has whole blocks of nodes */
  PetscCall(MatDestroy(&turned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColumnsScalePressure(RhxColumns cs, Mat A)
{
  const RhxSpace sp = cs->eq->form->space;
  const PetscInt p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  const PetscScalar *stays;
  PetscScalar *to;
  Vec pressure;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &pressure, NULL));
  PetscCall(VecGetArrayRead(cs->stays, &stays));
  PetscCall(VecGetArrayWrite(pressure, &to));
  for (PetscInt i = 0; i < sp->nowned; i++) to[i] = stays[i * sp->bs + p];
  PetscCall(VecRestoreArrayWrite(pressure, &to));
  PetscCall(VecRestoreArrayRead(cs->stays, &stays));
  PetscCall(MatDiagonalScale(A, NULL, pressure));
  PetscCall(VecDestroy(&pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}
