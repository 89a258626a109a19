/* Traction of a wall from its reactions: the boundary mass matrix at entries of level 0 (those of simplices are smoothed
 * instead), linear extrapolation along the wall to the others. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <petscksp.h>

typedef struct {
  const RhxWallMesh *w;
  RhxWallStencil st;
  PetscBool *known;         /* [nentries] given by RhxWallSmooth */
  double (*off)[2];         /* [nentries] integral of N times the shape functions of ends times their distance */
  double (*gradient)[3][3]; /* [nentries] d t_j / d x_i along the wall */
} System;

static void vector(const RhxWallFace *face, int from, int to, double x[3])
{
  for (int d = 0; d < 3; d++) x[d] = face->x[to][d] - face->x[from][d];
}

/* The integral of N_a t: at ends t is the own one plus its gradient times the distance. */
static PetscErrorCode add_masses(System *s, PetscInt f, Mat A)
{
  const RhxWallFace *face = s->w->face + f;

  PetscFunctionBegin;
  for (int a = 0; a < face->n; a++) {
    const PetscInt i = s->w->entry[f][a];
    if (s->st.level[i] || s->known[i]) continue;
    for (int b = 0; b < face->n; b++) {
      const PetscInt j = s->w->entry[f][b];
      double x[3], t[2];
      PetscCall(MatSetValue(A, i, s->st.level[j] ? i : j, face->mass[a][b], ADD_VALUES));
      if (!s->st.level[j]) continue;
      vector(face, a, b, x);
      RhxWallAlong(s->st.tangent[i], x, t);
      for (int k = 0; k < 2; k++) s->off[i][k] += face->mass[a][b] * t[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weight of the difference between b and a in the gradient at a along a vector. */
static double weight(const System *s, PetscInt f, int a, int b, const double *along)
{
  const PetscInt i = s->w->entry[f][a];
  double x[3], t[2], sum = 0;

  vector(s->w->face + f, a, b, x);
  RhxWallAlong(s->st.tangent[i], x, t);
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++) sum += along[k] * s->st.inverse[i][k][l] * t[l];
  return sum;
}

static PetscErrorCode add_gradients(System *s, PetscInt f, Mat A)
{
  PetscFunctionBegin;
  for (int a = 0; s->st.usable[f] && a < s->w->face[f].n; a++) {
    const PetscInt i = s->w->entry[f][a];
    for (int b = 0; b < s->w->face[f].n && !s->known[i]; b++) {
      const double value = weight(s, f, a, b, s->off[i]);
      PetscCall(MatSetValue(A, i, s->w->entry[f][b], value, ADD_VALUES));
      PetscCall(MatSetValue(A, i, i, -value, ADD_VALUES));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(System *s, Mat *matrix)
{
  const PetscInt n = s->w->nentries;
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, s->w->dim == 2 ? 5 : 32, NULL, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < n; i++) PetscCall(MatSetValue(A, i, i, s->st.level[i] || s->known[i] ? 1 : 0, ADD_VALUES));
  for (PetscInt f = 0; f < s->w->nfaces; f++) PetscCall(add_masses(s, f, A));
  for (PetscInt f = 0; f < s->w->nfaces; f++) PetscCall(add_gradients(s, f, A));
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

static PetscErrorCode solve(System *s, double (*traction)[3])
{
  PetscScalar *values;
  const PetscScalar *found;
  Mat A;
  KSP ksp;
  Vec b, t;

  PetscFunctionBegin;
  PetscCall(assemble(s, &A));
  PetscCall(make_solver(A, &ksp));
  PetscCall(MatCreateVecs(A, &t, &b));
  for (PetscInt d = 0; d < s->w->dim + (s->w->swirl ? 1 : 0); d++) {
    PetscCall(VecGetArrayWrite(b, &values));
    for (PetscInt i = 0; i < s->w->nentries; i++)
      values[i] = s->known[i] ? traction[i][d] : s->st.level[i] ? 0 : s->w->reaction[s->w->e[i].node][d];
    PetscCall(VecRestoreArrayWrite(b, &values));
    PetscCall(KSPSolve(ksp, b, t));
    PetscCall(VecGetArrayRead(t, &found));
    for (PetscInt i = 0; i < s->w->nentries; i++) traction[i][d] = found[i];
    PetscCall(VecRestoreArrayRead(t, &found));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&t));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_gradients(System *s, double (*traction)[3])
{
  for (PetscInt f = 0; f < s->w->nfaces; f++)
    for (int a = 0; s->st.usable[f] && a < s->w->face[f].n; a++)
      for (int b = 0; b < s->w->face[f].n; b++) {
        const PetscInt i = s->w->entry[f][a], j = s->w->entry[f][b];
        for (int e = 0; e < 3; e++) {
          const double direction[2] = {s->st.tangent[i][0][e], s->st.tangent[i][1][e]};
          const double g = weight(s, f, a, b, direction);
          for (int d = 0; d < 3; d++) s->gradient[i][e][d] += g * (traction[j][d] - traction[i][d]);
        }
      }
}

/* Traction and gradient of a level: the mean of what the neighbours of the level below say. */
static PetscInt extrapolate(System *s, PetscInt level, PetscInt *count, double (*traction)[3])
{
  PetscInt n = 0;

  for (PetscInt f = 0; f < s->w->nfaces; f++)
    for (int a = 0; a < s->w->face[f].n; a++)
      for (int b = 0; b < s->w->face[f].n; b++) {
        const PetscInt i = s->w->entry[f][a], j = s->w->entry[f][b];
        double x[3];
        if (s->st.level[i] != level || s->st.level[j] != level - 1) continue;
        vector(s->w->face + f, b, a, x);
        for (int d = 0; d < 3; d++) {
          traction[i][d] += traction[j][d];
          for (int e = 0; e < 3; e++) {
            traction[i][d] += x[e] * s->gradient[j][e][d];
            s->gradient[i][e][d] += s->gradient[j][e][d];
          }
        }
        count[i]++;
      }
  for (PetscInt i = 0; i < s->w->nentries; i++) {
    if (s->st.level[i] != level) continue;
    n++;
    for (int d = 0; d < 3; d++) {
      traction[i][d] /= count[i];
      for (int e = 0; e < 3; e++) s->gradient[i][e][d] /= count[i];
    }
  }
  return n;
}

PetscErrorCode RhxWallSolve(const RhxWallMesh *w, double (*traction)[3])
{
  System s = {.w = w};
  PetscInt *count;

  PetscFunctionBegin;
  PetscCall(RhxWallStencilCreate(w, &s.st));
  PetscCall(PetscCalloc4(w->nentries, &s.known, w->nentries, &s.off, w->nentries, &s.gradient, w->nentries, &count));
  PetscCall(PetscArrayzero(traction, w->nentries));
  PetscCall(RhxWallSmooth(w, &s.st, traction, s.known));
  PetscCall(solve(&s, traction));
  find_gradients(&s, traction);
  for (PetscInt level = 1; extrapolate(&s, level, count, traction); level++)
    ;
  PetscCall(PetscFree4(s.known, s.off, s.gradient, count));
  PetscCall(RhxWallStencilDestroy(&s.st));
  PetscFunctionReturn(PETSC_SUCCESS);
}
