#include "diagnostics/store.h"
#include "petsc_compat.h"

static PetscErrorCode add(RhxStore *s, const char *what, PetscInt columns, RhxKept **kept)
{
  PetscFunctionBegin;
  if (s->n == s->capacity) {
    s->capacity = 2 * s->capacity + 16;
    PetscCall(PetscRealloc(s->capacity * sizeof(*s->kept), &s->kept));
  }
  *kept = &s->kept[s->n++];
  **kept = (RhxKept){.columns = columns};
  PetscCall(PetscSNPrintf((*kept)->name, sizeof((*kept)->name), "diagnostics/%s/%s", s->d->name, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode store_rows(RhxStore *s, const char *what, PetscInt columns, PetscBool gaps, PetscInt *n,
                                 double **values)
{
  const MPI_Comm comm = RhxDiagnosticGetComm(s->d);
  char name[256];
  PetscInt rows = *n, there;
  PetscMPIInt rank;
  RhxKept *kept;
  double *found;

  PetscFunctionBegin;
  if (s->file) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "diagnostics/%s/%s", s->d->name, what));
    there = -1;
    if (!s->other) PetscCall(RhxCheckpointReadRows(comm, s->file, name, columns, gaps, &there, &found));
    if (there < 0) s->lacks = PETSC_TRUE;
    if (there < 0) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscFree(*values));
    *values = found;
    *n = there;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Bcast(&rows, 1, MPIU_INT, 0, comm));
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(add(s, what, columns, &kept));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  kept->rows = rows;
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(rows * columns, &kept->values));
  PetscCall(PetscArraycpy(kept->values, *values, rows * columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStoreRows(RhxStore *s, const char *what, PetscInt columns, PetscInt *n, double **values)
{
  PetscFunctionBegin;
  PetscCall(store_rows(s, what, columns, PETSC_FALSE, n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStoreSeries(RhxStore *s, const char *what, PetscInt columns, PetscInt *n, double **values)
{
  PetscFunctionBegin;
  PetscCall(store_rows(s, what, columns, PETSC_TRUE, n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStoreNodes(RhxStore *s, const char *what, PetscInt columns, double *values)
{
  const RhxForm form = RhxDiagnosticGetRun(s->d)->form;
  const PetscScalar *read;
  PetscScalar *to;
  PetscBool found = PETSC_FALSE;
  char name[256];
  RhxKept *kept;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxSpaceCreateVec(form->space, columns, &x));
  if (!s->file) {
    PetscCall(VecGetArrayWrite(x, &to));
    PetscCall(PetscArraycpy(to, values, (size_t)form->space->nowned * columns));
    PetscCall(VecRestoreArrayWrite(x, &to));
    PetscCall(add(s, what, columns, &kept));
    kept->nodes = x;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(name, sizeof(name), "diagnostics/%s/%s", s->d->name, what));
  if (!s->other) PetscCall(RhxCheckpointReadNodes(form, s->file, name, columns, x, &found));
  if (found) {
    PetscCall(VecGetArrayRead(x, &read));
    PetscCall(RhxSpaceGlobalToLocal(form->space, columns, read, values));
    PetscCall(VecRestoreArrayRead(x, &read));
  } else
    s->lacks = PETSC_TRUE;
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxStoreRefuse(RhxStore *s) { s->lacks = s->file ? PETSC_TRUE : PETSC_FALSE; }

PetscBool RhxStoreLacks(const RhxStore *s) { return s->lacks; }

PetscErrorCode RhxStoreDestroy(RhxStore *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++) {
    PetscCall(VecDestroy(&s->kept[i].nodes));
    PetscCall(PetscFree(s->kept[i].values));
  }
  PetscCall(PetscFree(s->kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}
