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

/* Rows of the system: a mass row where level is 0, else one of extrapolation. */
typedef struct {
  PetscInt *level; /* 3D: faces between the entry and the nearest that is no end */
  PetscInt *count; /* 3D: neighbours of the next lower level, each counted in every face that it shares */
} Rows;

/* 3D: ends not yet reached, beside entries of level - 1. Returns how many there are. */
static PetscInt reach(const RhxWallMesh *w, PetscInt level, Rows *rows)
{
  PetscInt n = 0;

  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++) {
        PetscInt i = w->entry[f][a];
        if (rows->level[w->entry[f][b]] != level - 1 || (rows->level[i] >= 0 && rows->level[i] != level)) continue;
        rows->level[i] = level;
        rows->count[i]++;
        n++;
      }
  return n;
}

/* An end that no inner entry can be reached from (a wall one face wide) keeps its own reaction. */
static PetscErrorCode find_levels(const RhxWallMesh *w, Rows *rows)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nentries; i++) rows->level[i] = w->e[i].end ? -1 : 0;
  for (PetscInt level = 1; reach(w, level, rows); level++)
    ;
  for (PetscInt i = 0; i < w->nentries; i++) rows->level[i] = PetscMax(rows->level[i], 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_ends_2d(const RhxWallMesh *w, Rows *rows, Mat A)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscInt from[2], n;
    double weight[2];
    rows->level[i] = 0;
    if (!w->e[i].end || !(n = extrapolate_2d(w, i, from, weight))) continue;
    rows->level[i] = 1;
    for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(A, i, from[k], -weight[k], ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_face(const RhxWallMesh *w, PetscInt f, const Rows *rows, Mat A)
{
  const PetscInt *entry = w->entry[f];

  PetscFunctionBegin;
  for (int a = 0; a < w->face[f].n; a++)
    for (int b = 0; b < w->face[f].n; b++) {
      PetscInt level = rows->level[entry[a]];
      if (!level)
        PetscCall(MatSetValue(A, entry[a], entry[b], w->face[f].mass[a][b], ADD_VALUES));
      else if (w->dim == 3 && rows->level[entry[b]] == level - 1)
        PetscCall(MatSetValue(A, entry[a], entry[b], -1.0 / rows->count[entry[a]], ADD_VALUES));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(const RhxWallMesh *w, Rows *rows, Mat *matrix)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, w->nentries, w->nentries, w->dim == 2 ? 5 : 32, NULL, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (w->dim == 2)
    PetscCall(add_ends_2d(w, rows, A));
  else
    PetscCall(find_levels(w, rows));
  for (PetscInt i = 0; i < w->nentries; i++) PetscCall(MatSetValue(A, i, i, rows->level[i] ? 1 : 0, ADD_VALUES));
  for (PetscInt f = 0; f < w->nfaces; f++) PetscCall(add_face(w, f, rows, A));
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
  Rows rows;
  PetscScalar *values;
  const PetscScalar *found;
  Mat A;
  KSP ksp;
  Vec b, t;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(w->nentries, &rows.level, w->nentries, &rows.count));
  PetscCall(assemble(w, &rows, &A));
  PetscCall(make_solver(A, &ksp));
  PetscCall(MatCreateVecs(A, &t, &b));
  for (PetscInt d = 0; d < w->dim; d++) {
    PetscCall(VecGetArrayWrite(b, &values));
    for (PetscInt i = 0; i < w->nentries; i++) values[i] = rows.level[i] ? 0 : w->reaction[w->e[i].node][d];
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
  PetscCall(PetscFree2(rows.level, rows.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}
