/* Which reactions of a wall give its traction, and the gradient along the wall of what is given at entries. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <math.h>

/* Ends not yet reached, beside entries of level - 1. Returns whether there are any. */
static PetscBool reach(const RhxWallMesh *w, PetscInt level, PetscInt *levels)
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++)
        if (levels[w->entry[f][a]] < 0 && levels[w->entry[f][b]] == level - 1) {
          levels[w->entry[f][a]] = level;
          any = PETSC_TRUE;
        }
  return any;
}

void RhxWallTangents(int dim, const double *n, double t[2][3])
{
  const int k = fabs(n[0]) < 0.6 ? 0 : 1;
  double e[3] = {0, 0, 0}, size = 0;

  if (dim == 2) {
    t[0][0] = -n[1];
    t[0][1] = n[0];
    t[0][2] = t[1][0] = t[1][1] = t[1][2] = 0;
    return;
  }
  e[k] = 1;
  for (int i = 0; i < 3; i++) t[0][i] = n[(i + 1) % 3] * e[(i + 2) % 3] - n[(i + 2) % 3] * e[(i + 1) % 3];
  for (int i = 0; i < 3; i++) size += t[0][i] * t[0][i];
  for (int i = 0; i < 3; i++) t[0][i] /= sqrt(size);
  for (int i = 0; i < 3; i++) t[1][i] = n[(i + 1) % 3] * t[0][(i + 2) % 3] - n[(i + 2) % 3] * t[0][(i + 1) % 3];
}

void RhxWallAlong(double tangent[2][3], const double *v, double t[2])
{
  for (int k = 0; k < 2; k++) {
    t[k] = 0;
    for (int d = 0; d < 3; d++) t[k] += tangent[k][d] * v[d];
  }
}

void RhxWallInvert(double A[2][2], double inverse[2][2])
{
  const double trace = A[0][0] + A[1][1], det = A[0][0] * A[1][1] - A[0][1] * A[1][0];

  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++)
      if (det > 1e-6 * trace * trace)
        inverse[k][l] = (k == l ? A[1 - k][1 - k] : -A[k][l]) / det;
      else
        inverse[k][l] = trace > 0 ? A[k][l] / (trace * trace) : 0;
}

static void invert_sums(const RhxWallMesh *w, RhxWallStencil *s)
{
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; s->usable[f] && a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++) {
        const PetscInt i = w->entry[f][a];
        double x[3], t[2];
        for (int d = 0; d < 3; d++) x[d] = w->face[f].x[b][d] - w->face[f].x[a][d];
        RhxWallAlong(s->tangent[i], x, t);
        for (int k = 0; k < 2; k++)
          for (int l = 0; l < 2; l++) s->inverse[i][k][l] += t[k] * t[l];
      }
  for (PetscInt i = 0; i < w->nentries; i++) {
    double A[2][2] = {{s->inverse[i][0][0], s->inverse[i][0][1]}, {s->inverse[i][1][0], s->inverse[i][1][1]}};
    RhxWallInvert(A, s->inverse[i]);
  }
}

PetscErrorCode RhxWallStencilCreate(const RhxWallMesh *w, RhxWallStencil *s)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc5(w->nentries, &s->level, w->nfaces, &s->usable, w->nentries, &s->nusable, w->nentries,
                         &s->tangent, w->nentries, &s->inverse));
  for (PetscInt i = 0; i < w->nentries; i++) {
    s->level[i] = w->e[i].end ? -1 : 0;
    RhxWallTangents((int)w->dim, w->e[i].normal, s->tangent[i]);
  }
  for (PetscInt level = 1; reach(w, level, s->level); level++)
    ;
  for (PetscInt i = 0; i < w->nentries; i++) s->level[i] = PetscMax(s->level[i], 0);
  for (PetscInt f = 0; f < w->nfaces; f++) {
    s->usable[f] = PETSC_TRUE;
    for (int a = 0; a < w->face[f].n; a++)
      if (s->level[w->entry[f][a]]) s->usable[f] = PETSC_FALSE;
    for (int a = 0; s->usable[f] && a < w->face[f].n; a++) s->nusable[w->entry[f][a]]++;
  }
  invert_sums(w, s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallStencilDestroy(RhxWallStencil *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(s->level, s->usable, s->nusable, s->tangent, s->inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
