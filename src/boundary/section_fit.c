/* Gradients at the nodes of a section: of the polynomial of degree two that fits the values around a node best (Zhang and Naga 2005),
 * second order at the rim too; of degree one where the faces are too few. */
#include "boundary/section_impl.h"
#include <petscblaslapack.h>

enum { MOST_TERMS = 6, RINGS = 4 };
#define SINGULAR 1e-9 /* of a pivot's square to the largest */

typedef struct {
  PetscInt n, room, *node;
  PetscReal *x; /* [n][2] from the middle; of the list of all nodes: their weights */
} Patch;

static PetscErrorCode add(Patch *p, PetscInt node, const PetscReal x[2])
{
  PetscFunctionBegin;
  if (p->n == p->room) {
    PetscInt *nodes;
    PetscReal *places;
    p->room = 2 * p->room + 32;
    PetscCall(PetscMalloc1(p->room, &nodes));
    PetscCall(PetscMalloc1(2 * p->room, &places));
    PetscCall(PetscArraycpy(nodes, p->node, p->n));
    PetscCall(PetscArraycpy(places, p->x, 2 * p->n));
    PetscCall(PetscFree(p->node));
    PetscCall(PetscFree(p->x));
    p->node = nodes;
    p->x = places;
  }
  p->node[p->n] = node;
  p->x[2 * p->n] = x[0];
  p->x[2 * p->n++ + 1] = x[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of all faces around those from `from` on; mark[node] = middle: it is there. */
static PetscErrorCode add_ring(RhxSection s, PetscInt middle, PetscInt *mark, PetscInt from, Patch *p)
{
  const PetscInt end = p->n;

  PetscFunctionBegin;
  for (PetscInt i = from; i < end; i++)
    for (PetscInt k = s->first[p->node[i]]; k < s->first[p->node[i] + 1]; k++) {
      const PetscInt *node = s->node + 4 * s->around[k];
      const PetscReal *corner = s->corner + 8 * s->around[k];
      PetscInt here = 0;
      while (node[here] != p->node[i]) here++;
      for (PetscInt a = 0; a < 4 && node[a] >= 0; a++) {
        PetscReal x[2];
        if (mark[node[a]] == middle) continue;
        mark[node[a]] = middle;
        for (PetscInt d = 0; d < 2; d++) x[d] = p->x[2 * i + d] + corner[2 * a + d] - corner[2 * here + d];
        PetscCall(add(p, node[a], x));
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void terms(PetscInt dim, PetscReal size, const PetscReal *at, PetscReal t[MOST_TERMS])
{
  const PetscReal x = at[0] / size, y = at[1] / size;

  t[0] = 1;
  t[1] = x;
  t[2] = dim == 2 ? x * x : y;
  t[3] = x * x;
  t[4] = x * y;
  t[5] = y * y;
}

/* weight[n][2]: how the values make the gradient; FALSE: the places do not determine it. */
static PetscBool fit(PetscInt dim, PetscInt nterms, const Patch *p, PetscReal *weight)
{
  PetscReal A[MOST_TERMS * MOST_TERMS] = {0}, e[2 * MOST_TERMS] = {0}, t[MOST_TERMS], size = 0, most = 0;
  const PetscBLASInt n = (PetscBLASInt)nterms, two = dim - 1;
  PetscBLASInt info;

  for (PetscInt i = 0; i < 2 * p->n; i++) size = PetscMax(size, PetscAbsReal(p->x[i]));
  for (PetscInt i = 0; i < p->n; i++) {
    terms(dim, size, p->x + 2 * i, t);
    for (PetscInt a = 0; a < n; a++)
      for (PetscInt b = 0; b < n; b++) A[a * n + b] += t[a] * t[b];
  }
  LAPACKpotrf_("L", &n, A, &n, &info);
  if (info) return PETSC_FALSE;
  for (PetscInt a = 0; a < n; a++) most = PetscMax(most, PetscSqr(A[a * n + a]));
  for (PetscInt a = 0; a < n; a++)
    if (!(PetscSqr(A[a * n + a]) > SINGULAR * most)) return PETSC_FALSE;
  e[1] = e[n + 2] = 1 / size;
  LAPACKpotrs_("L", &n, &two, A, &n, e, &n, &info);
  for (PetscInt i = 0; i < p->n; i++) {
    terms(dim, size, p->x + 2 * i, t);
    weight[2 * i] = weight[2 * i + 1] = 0;
    for (PetscInt a = 0; a < n; a++)
      for (PetscInt k = 0; k < two; k++) weight[2 * i + k] += t[a] * e[k * n + a];
  }
  return PETSC_TRUE;
}

/* p: the patch that was enough, with its weights. */
static PetscErrorCode fit_node(RhxSection s, PetscInt i, PetscInt *mark, Patch *p, PetscReal **weight)
{
  const PetscInt all = s->dim == 2 ? 3 : 6;
  const PetscReal origin[2] = {0, 0};
  PetscInt from = 0;

  PetscFunctionBegin;
  p->n = 0;
  mark[i] = i;
  PetscCall(add(p, i, origin));
  for (PetscInt ring = 0; ring < RINGS; ring++) {
    const PetscInt end = p->n;
    PetscCall(add_ring(s, i, mark, from, p));
    from = end;
    PetscCall(PetscFree(*weight));
    PetscCall(PetscCalloc1(2 * p->n, weight));
    if (p->n > (s->dim == 2 ? 2 : all) && fit(s->dim, all, p, *weight)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)fit(s->dim, s->dim, p, *weight);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSectionFit(RhxSection s)
{
  Patch patch = {0}, all = {0};
  PetscReal *weight = NULL;
  PetscInt *mark;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->nnodes, &mark));
  PetscCall(PetscMalloc1(s->nnodes + 1, &s->start));
  for (PetscInt i = 0; i < s->nnodes; i++) mark[i] = -1;
  s->start[0] = 0;
  for (PetscInt i = 0; i < s->nnodes; i++) {
    PetscCall(fit_node(s, i, mark, &patch, &weight));
    for (PetscInt k = 0; k < patch.n; k++) PetscCall(add(&all, patch.node[k], weight + 2 * k));
    s->start[i + 1] = all.n;
  }
  s->at = all.node;
  s->weight = all.x;
  PetscCall(PetscFree(mark));
  PetscCall(PetscFree(weight));
  PetscCall(PetscFree(patch.node));
  PetscCall(PetscFree(patch.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
