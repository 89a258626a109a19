/* Entries of a wall and, in 2D, the chains of its faces. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CORNER 0.5 /* cosine of the turn from which a corner is two sides */
#define EDGE 0.866 /* 3D: the same turn, from the mean of the sides */

typedef struct {
  RhxWallMesh *w;
  PetscInt *start, *list; /* faces of a node: list[start[i] .. start[i + 1]) */
  PetscBool *visited;     /* [nfaces] */
} Walk;

/* A chain: its faces and whether each is walked from its second node to its first. */
typedef struct {
  PetscInt n, *face;
  PetscBool *turned;
  PetscBool closed;
  double key[2]; /* place of its start, for the order of chains */
} Chain;

static PetscInt degree(const Walk *k, PetscInt node) { return k->start[node + 1] - k->start[node]; }

static PetscErrorCode list_faces(Walk *k)
{
  RhxWallMesh *w = k->w;
  PetscInt *fill;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(w->nnodes + 1, &k->start, 2 * w->nfaces, &k->list, w->nfaces, &k->visited));
  PetscCall(PetscCalloc1(w->nnodes, &fill));
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < 2; a++) k->start[w->node[f][a] + 1]++;
  for (PetscInt i = 0; i < w->nnodes; i++) k->start[i + 1] += k->start[i];
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < 2; a++) k->list[k->start[w->node[f][a]] + fill[w->node[f][a]]++] = f;
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void step_of(const RhxWallMesh *w, PetscInt f, PetscBool turned, double step[3])
{
  for (int d = 0; d < 3; d++) step[d] = (turned ? -1 : 1) * (w->face[f].x[1][d] - w->face[f].x[0][d]);
}

static PetscInt node_of(const RhxWallMesh *w, const Chain *c, PetscInt i, int end)
{
  return w->node[c->face[i]][c->turned[i] ? 1 - end : end];
}

/* Follows unvisited faces from a node until a node that is not between two faces, or round to the start. */
static void follow(Walk *k, PetscInt node, PetscInt face, Chain *c)
{
  PetscInt start = node;

  c->n = 0;
  for (;;) {
    PetscInt next = -1;
    k->visited[face] = PETSC_TRUE;
    c->turned[c->n] = k->w->node[face][0] == node ? PETSC_FALSE : PETSC_TRUE;
    c->face[c->n++] = face;
    node = k->w->node[face][k->w->node[face][0] == node ? 1 : 0];
    if (node == start || degree(k, node) != 2) break;
    for (PetscInt j = k->start[node]; j < k->start[node + 1]; j++)
      if (!k->visited[k->list[j]]) next = k->list[j];
    if (next < 0) break;
    face = next;
  }
  c->closed = node == start && degree(k, start) == 2 ? PETSC_TRUE : PETSC_FALSE;
}

static void reverse(Chain *c)
{
  for (PetscInt i = 0, j = c->n - 1; i <= j; i++, j--) {
    PetscInt f = c->face[i];
    PetscBool t = c->turned[i];
    c->face[i] = c->face[j];
    c->turned[i] = c->turned[j] ? PETSC_FALSE : PETSC_TRUE;
    c->face[j] = f;
    c->turned[j] = t ? PETSC_FALSE : PETSC_TRUE;
    if (i == j) c->turned[i] = t ? PETSC_FALSE : PETSC_TRUE;
  }
}

/* Is a to the left of b, or below it if neither is left? */
static PetscBool before(const double *a, const double *b, double tol)
{
  if (fabs(a[0] - b[0]) > tol) return a[0] < b[0] ? PETSC_TRUE : PETSC_FALSE;
  return a[1] < b[1] ? PETSC_TRUE : PETSC_FALSE;
}

/* Direction of a chain as diagnostics.h says. A closed chain of a periodic mesh does not close in space. */
static void orient(const RhxWallMesh *w, Chain *c)
{
  double sum[3] = {0}, length = 0, step[3];

  for (PetscInt i = 0; i < c->n; i++) {
    step_of(w, c->face[i], c->turned[i], step);
    for (int d = 0; d < 3; d++) sum[d] += step[d];
    length += hypot(step[0], step[1]);
  }
  if (c->closed && hypot(sum[0], sum[1]) < 1e-6 * length) { /* a closed curve: towards +y */
    double last[3];
    step_of(w, c->face[0], c->turned[0], step);
    step_of(w, c->face[c->n - 1], c->turned[c->n - 1], last);
    if (step[1] / hypot(step[0], step[1]) < -last[1] / hypot(last[0], last[1])) reverse(c);
  } else if (fabs(sum[0]) > 1e-6 * length ? sum[0] < 0 : sum[1] < 0)
    reverse(c);
  for (int d = 0; d < 2; d++) c->key[d] = w->x[node_of(w, c, 0, 0)][d];
}

static PetscErrorCode collect(Walk *k, PetscInt *nchains, Chain **chains)
{
  RhxWallMesh *w = k->w;
  PetscInt n = 0, used = 0, *face;
  PetscBool *turned;
  double size = 0;
  Chain *c;

  PetscFunctionBegin;
  /* chains share two arrays; those of the first chain begin them */
  PetscCall(PetscMalloc1(w->nfaces, &c));
  PetscCall(PetscMalloc2(w->nfaces, &face, w->nfaces, &turned));
  for (PetscInt i = 0; i < w->nnodes; i++) size = fmax(size, fabs(w->x[i][0] - w->x[0][0]));
  for (int pass = 0; pass < 2; pass++) /* open chains from their ends, then closed ones */
    for (;;) {
      PetscInt start = -1, from = -1;
      for (PetscInt i = 0; i < w->nnodes; i++) {
        PetscInt j = k->start[i];
        if (pass == 0 && degree(k, i) == 2) continue;
        while (j < k->start[i + 1] && k->visited[k->list[j]]) j++;
        if (j == k->start[i + 1]) continue;
        if (start < 0 || before(w->x[i], w->x[start], 1e-9 * size)) start = i, from = k->list[j];
      }
      if (start < 0) break;
      c[n].face = face + used;
      c[n].turned = turned + used;
      follow(k, start, from, c + n);
      orient(w, c + n);
      used += c[n++].n;
    }
  PetscCheck(used == w->nfaces, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "wall: got %" PetscInt_FMT " faces in chains, expected %" PetscInt_FMT, used, w->nfaces);
  *nchains = n;
  *chains = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt new_entry(RhxWallMesh *w, PetscInt node, PetscInt part, double s)
{
  RhxWallEntry *e = w->e + w->nentries;

  memset(e, 0, sizeof *e);
  e->node = node;
  e->part = part;
  e->s = s;
  e->next = e->prev = -1;
  return w->nentries++;
}

/* Is the node between two consecutive faces of the chain the end of a side? */
static PetscBool breaks(const RhxWallMesh *w, const Chain *c, PetscInt i, PetscInt j)
{
  double a[3], b[3], dot;

  if (w->shared[node_of(w, c, j, 0)]) return PETSC_TRUE;
  step_of(w, c->face[i], c->turned[i], a);
  step_of(w, c->face[j], c->turned[j], b);
  dot = a[0] * b[0] + a[1] * b[1];
  return dot < CORNER * hypot(a[0], a[1]) * hypot(b[0], b[1]) ? PETSC_TRUE : PETSC_FALSE;
}

static void make_links(RhxWallMesh *w, const Chain *c, PetscInt part)
{
  PetscInt first = new_entry(w, node_of(w, c, 0, 0), part, 0), from = first;
  PetscBool joined = c->closed && c->n > 2 && !breaks(w, c, c->n - 1, 0);
  double s = 0;

  for (PetscInt i = 0; i < c->n; i++) {
    PetscInt l = w->nlinks++, to;
    PetscBool last = i == c->n - 1 ? PETSC_TRUE : PETSC_FALSE;
    double h;
    step_of(w, c->face[i], c->turned[i], w->step[l]);
    h = hypot(w->step[l][0], w->step[l][1]);
    s += h;
    to = last && joined ? first : new_entry(w, node_of(w, c, i, 1), part, s);
    w->link[l][0] = from;
    w->link[l][1] = to;
    w->e[from].next = to;
    w->e[from].h = h;
    w->e[to].prev = from;
    w->entry[c->face[i]][c->turned[i] ? 1 : 0] = from;
    w->entry[c->face[i]][c->turned[i] ? 0 : 1] = to;
    from = !last && breaks(w, c, i, i + 1) ? new_entry(w, node_of(w, c, i, 1), part, s) : to;
  }
}

static int compare_chains(const void *a, const void *b)
{
  const Chain *p = a, *q = b;
  for (int d = 0; d < 2; d++)
    if (p->key[d] != q->key[d]) return p->key[d] < q->key[d] ? -1 : 1;
  return 0;
}

/* Normals at entries: those of the two faces weighted by the inverse of their lengths, which is second order. */
static void make_normals(RhxWallMesh *w)
{
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++) {
      const double *n = w->face[f].normal[a];
      double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), weight = w->dim == 2 ? 1 / (area * area) : 1;
      for (int d = 0; d < 3; d++) w->e[w->entry[f][a]].normal[d] += n[d] * weight;
    }
  for (PetscInt i = 0; i < w->nentries; i++) {
    double *n = w->e[i].normal, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int d = 0; d < 3; d++) n[d] /= length;
  }
}

static PetscErrorCode make_chains(RhxWallMesh *w)
{
  Walk k = {.w = w};
  PetscInt n = 0, *faces;
  PetscBool *turned;
  Chain *c = NULL;

  PetscFunctionBegin;
  PetscCall(list_faces(&k));
  PetscCall(collect(&k, &n, &c));
  faces = c[0].face, turned = c[0].turned;
  qsort(c, n, sizeof *c, compare_chains);
  for (PetscInt i = 0; i < n; i++) make_links(w, c + i, i);
  for (PetscInt i = 0; i < w->nentries; i++)
    w->e[i].end = w->e[i].next < 0 || w->e[i].prev < 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscFree2(faces, turned));
  PetscCall(PetscFree(c));
  PetscCall(PetscFree3(k.start, k.list, k.visited));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 3D: ends at nodes that another label shares and on sharp edges. */
static void mark_ends(RhxWallMesh *w)
{
  for (PetscInt i = 0; i < w->nentries; i++) w->e[i].end = w->shared[i];
  for (PetscInt f = 0; f < w->nfaces; f++)
    for (int a = 0; a < w->face[f].n; a++) {
      const double *n = w->face[f].normal[a], *mean = w->e[w->entry[f][a]].normal;
      const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      if (n[0] * mean[0] + n[1] * mean[1] + n[2] * mean[2] < EDGE * area) w->e[w->entry[f][a]].end = PETSC_TRUE;
    }
}

PetscErrorCode RhxWallMakeEntries(RhxWallMesh *w)
{
  PetscFunctionBegin;
  PetscCall(
      PetscMalloc4(2 * w->nfaces + w->nnodes, &w->e, w->nfaces, &w->entry, w->nfaces, &w->link, w->nfaces, &w->step));
  w->nentries = w->nlinks = 0;
  if (w->dim == 2) {
    PetscCall(make_chains(w));
  } else {
    for (PetscInt i = 0; i < w->nnodes; i++) new_entry(w, i, 0, 0);
    PetscCall(PetscArraycpy(w->entry, w->node, w->nfaces));
  }
  make_normals(w);
  if (w->dim == 3) mark_ends(w);
  PetscFunctionReturn(PETSC_SUCCESS);
}
