/* Traction of a wall from its reactions: boundary mass matrix, with rows of extrapolation at ends. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <petscksp.h>

/* 2D: linear along the chain from the two next entries. Without an inner entry to go by the own reaction is taken. */
static PetscInt extrapolate_2d(const RhxWallMesh *w, PetscInt i, PetscInt from[2], double weight[2])
{
  const RhxWallEntry *e = w->e;
  PetscBool forward = e[i].prev < 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscInt a = forward ? e[i].next : e[i].prev, b;
  double h0, h1;

  if (a < 0 || e[a].end) return 0;
  b = forward ? e[a].next : e[a].prev;
  from[0] = a;
  from[1] = b;
  weight[0] = 1;
  if (e[b].end) return 1;
  h0 = forward ? e[i].h : e[a].h;
  h1 = forward ? e[a].h : e[b].h;
  weight[0] = 1 + h0 / h1;
  weight[1] = -h0 / h1;
  return 2;
}

/* 3D: number of inner nodes that share a face with entry i, summed over the faces. */
static PetscErrorCode count_inner(const RhxWallMesh *w, PetscInt *count)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, w->nentries));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++)
        if (a != b && !w->e[w->entry[f][b]].end) count[w->entry[f][a]]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_face(const RhxWallMesh *w, PetscInt f, const PetscInt *rule, Mat A)
{
  const PetscInt *entry = w->entry[f];

  PetscFunctionBegin;
  for (int a = 0; a < w->face[f].n; a++)
    for (int b = 0; b < w->face[f].n; b++) {
      if (!rule[entry[a]])
        PetscCall(MatSetValue(A, entry[a], entry[b], w->face[f].mass[a][b], ADD_VALUES));
      else if (w->dim == 3 && a != b && !w->e[entry[b]].end)
        PetscCall(MatSetValue(A, entry[a], entry[b], -1.0 / rule[entry[a]], ADD_VALUES));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rule[i]: 0 for the mass row of entry i, else its row is an extrapolation (3D: from so many neighbours). */
static PetscErrorCode assemble(const RhxWallMesh *w, PetscInt *rule, Mat *matrix)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, w->nentries, w->nentries, w->dim == 2 ? 5 : 32, NULL, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (w->dim == 3) PetscCall(count_inner(w, rule));
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscInt from[2], n;
    double weight[2];
    if (!w->e[i].end)
      rule[i] = 0;
    else if (w->dim == 2) {
      rule[i] = n = extrapolate_2d(w, i, from, weight);
      for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(A, i, from[k], -weight[k], ADD_VALUES));
    }
    PetscCall(MatSetValue(A, i, i, rule[i] ? 1 : 0, ADD_VALUES));
  }
  for (PetscInt f = 0; f < w->nfaces; f++) PetscCall(add_face(w, f, rule, A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  *matrix = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_solver(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSolve(const RhxWallMesh *w, double (*traction)[3])
{
  PetscInt *rule;
  PetscScalar *values;
  const PetscScalar *found;
  Mat A;
  KSP ksp;
  Vec b, t;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(w->nentries, &rule));
  PetscCall(assemble(w, rule, &A));
  PetscCall(make_solver(A, &ksp));
  PetscCall(MatCreateVecs(A, &t, &b));
  for (PetscInt d = 0; d < w->dim; d++) {
    PetscCall(VecGetArrayWrite(b, &values));
    for (PetscInt i = 0; i < w->nentries; i++) values[i] = rule[i] ? 0 : w->reaction[w->e[i].node][d];
    PetscCall(VecRestoreArrayWrite(b, &values));
    PetscCall(KSPSolve(ksp, b, t));
    PetscCall(VecGetArrayRead(t, &found));
    for (PetscInt i = 0; i < w->nentries; i++) traction[i][d] = found[i];
    PetscCall(VecRestoreArrayRead(t, &found));
  }
  for (PetscInt i = 0; w->dim == 2 && i < w->nentries; i++) traction[i][2] = 0;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&t));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFree(rule));
  PetscFunctionReturn(PETSC_SUCCESS);
}
