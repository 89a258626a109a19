/* Traction of a wall from its reactions: the boundary mass matrix at entries of level 0 (those of simplices are smoothed
 * instead), linear extrapolation along the wall to the others. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"

typedef double Gradient[3][3]; /* d t_j / d x_i along the wall */

static void vector(const RhxWallFace *face, int from, int to, double x[3])
{
  for (int d = 0; d < 3; d++) x[d] = face->x[to][d] - face->x[from][d];
}

/* The integral of N_a t: at ends t is the own one plus its gradient times the distance. */
static PetscErrorCode add_masses(const RhxWallMesh *w, RhxWallSystem *s, PetscInt f, Mat A)
{
  const RhxWallStencil *st = &w->stencil;
  const RhxWallFace *face = w->face + f;

  PetscFunctionBegin;
  for (int a = 0; a < face->n; a++) {
    const PetscInt i = w->entry[f][a];
    if (st->level[i] || s->smoothed[i]) continue;
    for (int b = 0; b < face->n; b++) {
      const PetscInt j = w->entry[f][b];
      double x[3], t[2];
      PetscCall(MatSetValue(A, i, st->level[j] ? i : j, face->mass[a][b], ADD_VALUES));
      if (!st->level[j]) continue;
      vector(face, a, b, x);
      RhxWallAlong(st->tangent[i], x, t);
      for (int k = 0; k < 2; k++) s->off[i][k] += face->mass[a][b] * t[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weight of the difference between b and a in the gradient at a along a vector. */
static double weight(const RhxWallMesh *w, PetscInt f, int a, int b, const double *along)
{
  const PetscInt i = w->entry[f][a];
  double x[3], t[2], sum = 0;

  vector(w->face + f, a, b, x);
  RhxWallAlong(w->stencil.tangent[i], x, t);
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++) sum += along[k] * w->stencil.inverse[i][k][l] * t[l];
  return sum;
}

static PetscErrorCode add_gradients(const RhxWallMesh *w, const RhxWallSystem *s, PetscInt f, Mat A)
{
  PetscFunctionBegin;
  for (int a = 0; w->stencil.usable[f] && a < w->face[f].n; a++) {
    const PetscInt i = w->entry[f][a];
    for (int b = 0; b < w->face[f].n && !s->smoothed[i]; b++) {
      const double value = weight(w, f, a, b, s->off[i]);
      PetscCall(MatSetValue(A, i, w->entry[f][b], value, ADD_VALUES));
      PetscCall(MatSetValue(A, i, i, -value, ADD_VALUES));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(const RhxWallMesh *w, RhxWallSystem *s, Mat *matrix)
{
  const PetscInt n = w->nentries;
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, w->dim == 2 ? 5 : 32, NULL, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(MatSetValue(A, i, i, w->stencil.level[i] || s->smoothed[i] ? 1 : 0, ADD_VALUES));
  for (PetscInt f = 0; f < w->nfaces; f++) PetscCall(add_masses(w, s, f, A));
  for (PetscInt f = 0; f < w->nfaces; f++) PetscCall(add_gradients(w, s, f, A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  *matrix = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is extrapolated, and from where. */
static PetscErrorCode find_ends(const RhxWallMesh *w, RhxWallSystem *s)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc3(w->nentries, &s->asked, w->nfaces, &s->ends, w->nfaces, &s->steep));
  for (PetscInt f = 0; f < w->nfaces; f++) {
    PetscBool end = PETSC_FALSE;
    for (int a = 0; a < w->face[f].n; a++) end = (PetscBool)(end || w->stencil.level[w->entry[f][a]]);
    if (end) s->ends[s->nends++] = f;
    for (int a = 0; end && a < w->face[f].n; a++) s->asked[w->entry[f][a]] = PETSC_TRUE;
  }
  for (PetscInt f = 0; f < w->nfaces; f++) {
    PetscBool asked = PETSC_FALSE;
    for (int a = 0; w->stencil.usable[f] && a < w->face[f].n; a++)
      asked = (PetscBool)(asked || s->asked[w->entry[f][a]]);
    if (asked) s->steep[s->nsteep++] = f;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSystemCreate(const RhxWallMesh *w, RhxWallSystem *s)
{
  PetscBool any = PETSC_FALSE;
  Mat A;
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(w->nentries, &s->smoothed, w->nentries, &s->off));
  for (PetscInt i = 0; i < w->nentries; i++) {
    s->smoothed[i] = w->e[i].simplex && w->stencil.nusable[i] ? PETSC_TRUE : PETSC_FALSE;
    any = (PetscBool)(any || s->smoothed[i]);
  }
  if (any) PetscCall(RhxWallSmootherCreate(w, &s->smoother));
  PetscCall(find_ends(w, s));
  PetscCall(assemble(w, s, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s->ksp));
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(KSPSetErrorIfNotConverged(s->ksp, PETSC_TRUE));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSystemDestroy(RhxWallSystem *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(s->smoothed, s->off));
  PetscCall(PetscFree3(s->asked, s->ends, s->steep));
  PetscCall(RhxWallSmootherDestroy(&s->smoother));
  PetscCall(KSPDestroy(&s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(const RhxWallMesh *w, double (*traction)[3])
{
  const RhxWallSystem *s = &w->system;
  PetscScalar *values;
  const PetscScalar *found;
  Mat A;
  Vec b, t;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(s->ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &t, &b));
  for (PetscInt d = 0; d < w->dim + (w->swirl ? 1 : 0); d++) {
    PetscCall(VecGetArrayWrite(b, &values));
    for (PetscInt i = 0; i < w->nentries; i++)
      values[i] = s->smoothed[i] ? traction[i][d] : w->stencil.level[i] ? 0 : w->reaction[w->e[i].node][d];
    PetscCall(VecRestoreArrayWrite(b, &values));
    PetscCall(KSPSolve(s->ksp, b, t));
    PetscCall(VecGetArrayRead(t, &found));
    for (PetscInt i = 0; i < w->nentries; i++) traction[i][d] = found[i];
    PetscCall(VecRestoreArrayRead(t, &found));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void find_gradients(const RhxWallMesh *w, double (*traction)[3], Gradient *gradient)
{
  for (PetscInt k = 0; k < w->system.nsteep; k++) {
    const PetscInt f = w->system.steep[k];
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; w->system.asked[w->entry[f][a]] && b < w->face[f].n; b++) {
        const PetscInt i = w->entry[f][a], j = w->entry[f][b];
        for (int e = 0; e < 3; e++) {
          const double direction[2] = {w->stencil.tangent[i][0][e], w->stencil.tangent[i][1][e]};
          const double g = weight(w, f, a, b, direction);
          for (int d = 0; d < 3; d++) gradient[i][e][d] += g * (traction[j][d] - traction[i][d]);
        }
      }
  }
}

/* Traction and gradient of a level: the mean of what the neighbours of the level below say. */
static PetscInt extrapolate(const RhxWallMesh *w, PetscInt level, PetscInt *count, double (*traction)[3],
                            Gradient *gradient)
{
  PetscInt n = 0;

  for (PetscInt k = 0; k < w->system.nends; k++) {
    const PetscInt f = w->system.ends[k];
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++) {
        const PetscInt i = w->entry[f][a], j = w->entry[f][b];
        double x[3];
        if (w->stencil.level[i] != level || w->stencil.level[j] != level - 1) continue;
        vector(w->face + f, b, a, x);
        for (int d = 0; d < 3; d++) {
          traction[i][d] += traction[j][d];
          for (int e = 0; e < 3; e++) {
            traction[i][d] += x[e] * gradient[j][e][d];
            gradient[i][e][d] += gradient[j][e][d];
          }
        }
        count[i]++;
      }
  }
  for (PetscInt i = 0; i < w->nentries; i++) {
    if (w->stencil.level[i] != level) continue;
    n++;
    for (int d = 0; d < 3; d++) {
      traction[i][d] /= count[i];
      for (int e = 0; e < 3; e++) gradient[i][e][d] /= count[i];
    }
  }
  return n;
}

PetscErrorCode RhxWallSolve(const RhxWallMesh *w, double (*traction)[3])
{
  Gradient *gradient;
  PetscInt *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(w->nentries, &gradient, w->nentries, &count));
  PetscCall(PetscArrayzero(traction, w->nentries));
  PetscCall(RhxWallSmooth(w, traction));
  PetscCall(solve(w, traction));
  find_gradients(w, traction, gradient);
  for (PetscInt level = 1; extrapolate(w, level, count, traction, gradient); level++)
    ;
  PetscCall(PetscFree2(gradient, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}
