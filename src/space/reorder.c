/* Reverse Cuthill-McKee of the nodes that this rank owns; nodes of one cell are neighbours. */
#include "space/spaceimpl.h"

typedef struct {
  const RhxCellTable *table;
  PetscInt *first, *cell; /* cells of every vertex: cell[first[v]] ... cell[first[v + 1] - 1] */
  PetscInt *stamp;        /* [nvertices] last pass that reached a vertex; -1: not owned */
  PetscInt pass;
} Graph;

static PetscErrorCode graph_create(const RhxCellTable *t, PetscInt nowned, const PetscInt *owned, Graph *g)
{
  PetscFunctionBegin;
  g->table = t;
  g->pass = 0;
  PetscCall(PetscCalloc1(t->nvertices + 1, &g->first));
  PetscCall(PetscMalloc1(t->nvertices, &g->stamp));
  for (PetscInt k = 0; k < t->n * RHX_MAX_NODES; k++)
    if (t->vertex[k] >= 0) g->first[t->vertex[k] + 1]++;
  for (PetscInt v = 0; v < t->nvertices; v++) {
    g->first[v + 1] += g->first[v];
    g->stamp[v] = -1;
  }
  PetscCall(PetscMalloc1(g->first[t->nvertices], &g->cell));
  for (PetscInt k = t->n * RHX_MAX_NODES - 1; k >= 0; k--)
    if (t->vertex[k] >= 0) g->cell[--g->first[t->vertex[k] + 1]] = k / RHX_MAX_NODES;
  /* first[v + 1] now begins v: shift back */
  for (PetscInt v = 0; v < t->nvertices; v++) g->first[v] = g->first[v + 1];
  g->first[t->nvertices] = 0;
  for (PetscInt k = 0; k < t->n * RHX_MAX_NODES; k++) g->first[t->nvertices] += t->vertex[k] >= 0;
  for (PetscInt k = 0; k < nowned; k++) g->stamp[owned[k]] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt degree(const Graph *g, PetscInt v) { return g->first[v + 1] - g->first[v]; }

/* Breadth first from `seed` into queue; returns the number reached. Neighbours come by rising degree. */
static PetscInt breadth_first(Graph *g, PetscInt seed, PetscInt *queue)
{
  PetscInt tail = 1;

  queue[0] = seed;
  g->pass++;
  g->stamp[seed] = g->pass;
  for (PetscInt head = 0; head < tail; head++) {
    const PetscInt begin = tail;

    for (PetscInt i = g->first[queue[head]]; i < g->first[queue[head] + 1]; i++) {
      const PetscInt *v = g->table->vertex + g->cell[i] * RHX_MAX_NODES;
      for (PetscInt a = 0; a < RHX_MAX_NODES && v[a] >= 0; a++) {
        PetscInt k = tail;

        if (g->stamp[v[a]] < 0 || g->stamp[v[a]] == g->pass) continue;
        g->stamp[v[a]] = g->pass;
        for (; k > begin && degree(g, queue[k - 1]) > degree(g, v[a]); k--) queue[k] = queue[k - 1];
        queue[k] = v[a];
        tail++;
      }
    }
  }
  return tail;
}

PetscErrorCode RhxSpaceReorder(const RhxCellTable *table, PetscInt nowned, const PetscInt *owned_in, PetscInt *order)
{
  Graph g;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(graph_create(table, nowned, owned_in, &g));
  for (PetscInt k = 0; k < nowned; k++) {
    PetscInt reached;

    if (g.stamp[owned_in[k]] > 0) continue;
    /* the last node reached is nearly as far as can be: a better seed */
    reached = breadth_first(&g, owned_in[k], order + n);
    reached = breadth_first(&g, order[n + reached - 1], order + n);
    n += breadth_first(&g, order[n + reached - 1], order + n);
  }
  PetscCheck(n == nowned, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "the reordering reached %" PetscInt_FMT " nodes, expected %" PetscInt_FMT, n, nowned);
  for (PetscInt k = 0; k < n / 2; k++) {
    const PetscInt v = order[k];
    order[k] = order[n - 1 - k];
    order[n - 1 - k] = v;
  }
  PetscCall(PetscFree(g.first));
  PetscCall(PetscFree(g.cell));
  PetscCall(PetscFree(g.stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
