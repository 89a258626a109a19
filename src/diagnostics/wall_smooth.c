/* The traction at nodes of simplices. A reaction there is right to first order only, and so are its neighbours', in turns
 * to either side: few elements at a node, many at the next; their sums are right to second order. So force and area are
 * spread alike, to the faces and back; their quotient stands at the centroid of what was spread, from which a gradient of the
 * quotients leads to the node. What alternates from node to node vanishes, a traction linear along the wall is met exactly.
 * Treating what the result leaves of the reactions likewise takes the smoothing of a bent traction to higher order (Tukey's
 * twicing): traction = S (2 r - U r) of reactions r, S what is said and U the integral of N times S r, which the geometry
 * alone gives. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"

#define PASSES 2
#define PER_ROW 32 /* as a guess */

/* Integrals over the wall with a weight, at first the node's shape function: w, and w (x - x_node). */
typedef struct {
  double area, moment[3];
} Share;

typedef struct {
  const RhxWallMesh *w;
  Share *share;            /* [nentries] when it was spread */
  double (*inverse)[2][2]; /* [nentries] of the sum over neighbours of t t, t along the wall between centroids */
} Geometry;

static PetscErrorCode first_shares(const RhxWallMesh *w, Share *share)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(share, w->nentries));
  for (PetscInt f = 0; f < w->nfaces; f++) {
    const RhxWallFace *face = w->face + f;
    for (int a = 0; a < face->n; a++)
      for (int b = 0; b < face->n; b++) {
        share[w->entry[f][a]].area += face->mass[a][b];
        for (int d = 0; d < 3; d++)
          share[w->entry[f][a]].moment[d] += face->mass[a][b] * (face->x[b][d] - face->x[a][d]);
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what node b of a usable face has node a takes this part: the mean over its usable faces of the mean over their nodes. */
static double part_of(const RhxWallMesh *w, PetscInt f, int a)
{
  return 1 / (w->face[f].n * w->stencil.nusable[w->entry[f][a]]);
}

static PetscErrorCode spread(const RhxWallMesh *w, const Share *from, Share *to)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(to, w->nentries));
  for (PetscInt f = 0; f < w->nfaces; f++) {
    const RhxWallFace *face = w->face + f;
    for (int a = 0; w->stencil.usable[f] && a < face->n; a++)
      for (int b = 0; b < face->n; b++) {
        const Share *other = from + w->entry[f][b];
        Share *mine = to + w->entry[f][a];
        const double part = part_of(w, f, a);
        mine->area += part * other->area;
        for (int d = 0; d < 3; d++)
          mine->moment[d] += part * (other->moment[d] + other->area * (face->x[b][d] - face->x[a][d]));
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Along the tangents of node a of a usable face, from its centroid to that of b. */
static void between(const Geometry *g, PetscInt f, int a, int b, double t[2])
{
  const RhxWallFace *face = g->w->face + f;
  const PetscInt i = g->w->entry[f][a];
  const Share *mine = g->share + i, *other = g->share + g->w->entry[f][b];
  double x[3];

  for (int d = 0; d < 3; d++)
    x[d] = face->x[b][d] - face->x[a][d] + other->moment[d] / other->area - mine->moment[d] / mine->area;
  RhxWallAlong(g->w->stencil.tangent[i], x, t);
}

static PetscErrorCode find_geometry(const RhxWallMesh *w, Geometry *g)
{
  Share *next;
  double sum[2][2], t[2];

  PetscFunctionBegin;
  g->w = w;
  PetscCall(PetscCalloc2(w->nentries, &g->share, w->nentries, &g->inverse));
  PetscCall(PetscMalloc1(w->nentries, &next));
  PetscCall(first_shares(w, g->share));
  for (int pass = 0; pass < PASSES; pass++) {
    PetscCall(spread(w, g->share, next));
    PetscCall(PetscArraycpy(g->share, next, w->nentries));
  }
  PetscCall(PetscFree(next));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; w->stencil.usable[f] && a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++) {
        between(g, f, a, b, t);
        for (int k = 0; k < 2; k++)
          for (int l = 0; l < 2; l++) g->inverse[w->entry[f][a]][k][l] += t[k] * t[l];
      }
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscCall(PetscArraycpy(&sum[0][0], &g->inverse[i][0][0], 4));
    RhxWallInvert(sum, g->inverse[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(PetscInt n, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, PER_ROW, NULL, A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Q, the quotients of the forces that were spread, of forces at the nodes: P P over the area. */
static PetscErrorCode make_quotients(const Geometry *g, Mat *Q)
{
  const RhxWallMesh *w = g->w;
  PetscScalar *values;
  Vec scale;
  Mat P;

  PetscFunctionBegin;
  PetscCall(create(w->nentries, &P));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; w->stencil.usable[f] && a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++)
        PetscCall(MatSetValue(P, w->entry[f][a], w->entry[f][b], part_of(w, f, a), ADD_VALUES));
  PetscCall(assemble(P));
  PetscCall(MatMatMult(P, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, Q));
  PetscCall(MatDestroy(&P));
  PetscCall(MatCreateVecs(*Q, NULL, &scale));
  PetscCall(VecGetArrayWrite(scale, &values));
  for (PetscInt i = 0; i < w->nentries; i++) values[i] = w->stencil.nusable[i] ? 1 / g->share[i].area : 0;
  PetscCall(VecRestoreArrayWrite(scale, &values));
  PetscCall(MatDiagonalScale(*Q, scale, NULL));
  PetscCall(VecDestroy(&scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds rows[nentries][2].g to A, g the gradient along the tangents of an entry, of quotients. */
static PetscErrorCode add_gradients(const Geometry *g, const double (*rows)[2], Mat A)
{
  const RhxWallMesh *w = g->w;
  double t[2];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; w->stencil.usable[f] && a < w->face[f].n; a++)
      for (int b = 0; b < w->face[f].n; b++) {
        const PetscInt i = w->entry[f][a];
        double value = 0;
        between(g, f, a, b, t);
        for (int k = 0; k < 2; k++)
          for (int l = 0; l < 2; l++) value += rows[i][k] * g->inverse[i][k][l] * t[l];
        PetscCall(MatSetValue(A, i, w->entry[f][b], value, ADD_VALUES));
        PetscCall(MatSetValue(A, i, i, -value, ADD_VALUES));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E: from the centroids to the nodes, q - moment/area . g, of quotients q. */
static PetscErrorCode make_nodal(const Geometry *g, Mat *E)
{
  const RhxWallMesh *w = g->w;
  double(*rows)[2];

  PetscFunctionBegin;
  PetscCall(create(w->nentries, E));
  PetscCall(PetscCalloc1(w->nentries, &rows));
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscCall(MatSetValue(*E, i, i, w->stencil.nusable[i] ? 1 : 0, ADD_VALUES));
    if (!w->stencil.nusable[i]) continue;
    RhxWallAlong(w->stencil.tangent[i], g->share[i].moment, rows[i]);
    for (int k = 0; k < 2; k++) rows[i][k] /= -g->share[i].area;
  }
  PetscCall(add_gradients(g, (const double(*)[2])rows, *E));
  PetscCall(assemble(*E));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M: the integral of N times nodal values; at ends, where the traction is not known, it goes by the gradient, which the rows take. */
static PetscErrorCode make_mass(const RhxWallMesh *w, Mat *M, double (*rows)[2])
{
  double x[3], t[2];

  PetscFunctionBegin;
  PetscCall(create(w->nentries, M));
  for (PetscInt f = 0; f < w->nfaces; f++) {
    const RhxWallFace *face = w->face + f;
    for (int a = 0; a < face->n; a++)
      for (int b = 0; b < face->n; b++) {
        const PetscInt i = w->entry[f][a], j = w->entry[f][b];
        PetscCall(MatSetValue(*M, i, w->stencil.nusable[j] ? j : i, face->mass[a][b], ADD_VALUES));
        if (w->stencil.nusable[j]) continue;
        for (int d = 0; d < 3; d++) x[d] = face->x[b][d] - face->x[a][d];
        RhxWallAlong(w->stencil.tangent[i], x, t);
        for (int k = 0; k < 2; k++) rows[i][k] += face->mass[a][b] * t[k];
      }
  }
  PetscCall(assemble(*M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M E and what the ends have of the gradient, of quotients. */
static PetscErrorCode make_integral(const Geometry *g, Mat E, Mat *F)
{
  double(*rows)[2];
  Mat M, ends;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(g->w->nentries, &rows));
  PetscCall(make_mass(g->w, &M, rows));
  PetscCall(create(g->w->nentries, &ends));
  PetscCall(add_gradients(g, (const double(*)[2])rows, ends));
  PetscCall(assemble(ends));
  PetscCall(MatMatMult(M, E, MAT_INITIAL_MATRIX, PETSC_DEFAULT, F));
  PetscCall(MatAXPY(*F, 1, ends, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&ends));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSmootherCreate(const RhxWallMesh *w, RhxWallSmoother *s)
{
  Geometry g;
  Mat Q, E, F;

  PetscFunctionBegin;
  PetscCall(find_geometry(w, &g));
  PetscCall(make_quotients(&g, &Q));
  PetscCall(make_nodal(&g, &E));
  PetscCall(make_integral(&g, E, &F));
  PetscCall(MatMatMult(E, Q, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->once));
  PetscCall(MatMatMult(F, Q, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->integral));
  PetscCall(MatCreateVecs(s->once, &s->left, &s->given));
  PetscCall(MatDestroy(&Q));
  PetscCall(MatDestroy(&E));
  PetscCall(MatDestroy(&F));
  PetscCall(PetscFree2(g.share, g.inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSmootherDestroy(RhxWallSmoother *s)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&s->once));
  PetscCall(MatDestroy(&s->integral));
  PetscCall(VecDestroy(&s->given));
  PetscCall(VecDestroy(&s->left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSmooth(const RhxWallMesh *w, double (*traction)[3])
{
  const RhxWallSmoother *s = &w->system.smoother;
  PetscScalar *values;
  const PetscScalar *found;

  PetscFunctionBegin;
  for (int d = 0; s->once && d < (w->swirl ? 3 : w->dim); d++) {
    PetscCall(VecGetArrayWrite(s->given, &values));
    for (PetscInt i = 0; i < w->nentries; i++) values[i] = w->reaction[w->e[i].node][d];
    PetscCall(VecRestoreArrayWrite(s->given, &values));
    PetscCall(MatMult(s->integral, s->given, s->left));
    PetscCall(VecAYPX(s->left, -1, s->given));
    PetscCall(VecAXPY(s->left, 1, s->given)); /* 2 r - U r */
    PetscCall(MatMult(s->once, s->left, s->given));
    PetscCall(VecGetArrayRead(s->given, &found));
    for (PetscInt i = 0; i < w->nentries; i++) traction[i][d] = found[i];
    PetscCall(VecRestoreArrayRead(s->given, &found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
