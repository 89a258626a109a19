/* Earlier states in checkpoints: datasets of the nodes, history/0 the last, and their times. */
#include "case/history_impl.h"

#define TIMES "history/times"

static void name_of(PetscInt k, char name[256]) { snprintf(name, 256, "history/%d", (int)k); }

PetscErrorCode RhxCaseAddHistory_Private(RhxCase rc, PetscInt n, const RhxKept *others, PetscInt *nkept, RhxKept **kept)
{
  const double *t;
  const Vec *x;
  PetscInt states;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetHistory(rc->ts, &states, &t, &x));
  *nkept = n + (states ? states + 1 : 0);
  PetscCall(PetscCalloc1(*nkept + 1, kept));
  for (PetscInt k = 0; k < n; k++) (*kept)[k] = others[k];
  if (!states) PetscFunctionReturn(PETSC_SUCCESS);
  (*kept)[n] = (RhxKept){.name = TIMES, .columns = 1, .rows = states, .values = (double *)t};
  for (PetscInt k = 0; k < states; k++) {
    RhxKept *one = &(*kept)[n + 1 + k];
    *one = (RhxKept){.columns = rc->space->bs, .nodes = x[k]};
    name_of(k, one->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseReadHistory_Private(RhxCase rc, const char *file)
{
  const PetscInt bs = rc->space->bs;
  Vec x[RHX_MOST_HISTORY];
  PetscInt n, there = 0;
  PetscBool found = PETSC_TRUE;
  double *t;

  PetscFunctionBegin;
  PetscCall(RhxCheckpointReadRows(rc->comm, file, TIMES, 1, &n, &t));
  for (PetscInt k = 0; k < PetscMin(n, RHX_MOST_HISTORY) && found; k++) {
    char name[256];

    name_of(k, name);
    PetscCall(RhxSpaceCreateVec(rc->space, bs, &x[k]));
    there++;
    PetscCall(RhxCheckpointReadNodes(rc->form, file, name, bs, x[k], &found));
  }
  if (there) PetscCall(RhxSchemeSetHistory(rc->ts, found ? there : there - 1, t, x));
  for (PetscInt k = 0; k < there; k++) PetscCall(VecDestroy(&x[k]));
  PetscCall(PetscFree(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
