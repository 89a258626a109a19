/* Reverse Cuthill-McKee of the nodes that this rank owns; nodes of one cell are neighbours. */
#include "space/impl.h"

typedef struct {
  PetscInt *first, *cell;      /* cells of every vertex: cell[first[v]] ... cell[first[v + 1] - 1] */
  PetscInt *start, *neighbour; /* owned vertices that share a cell with an owned one, in the order of its cells */
  PetscInt *stamp;             /* [nvertices] last pass that reached a vertex; -1: not owned */
  PetscInt pass;
} Graph;

static PetscErrorCode find_cells(const RhxCellTable *t, Graph *g)
{
  PetscInt *at;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(t->nvertices + 2, &g->first));
  /* at[v + 1] counts, at[v] then begins v, and after its cells are placed ends it */
  at = g->first + 1;
  for (PetscInt k = 0; k < t->n * RHX_MAX_NODES; k++)
    if (t->vertex[k] >= 0) at[t->vertex[k] + 1]++;
  for (PetscInt v = 0; v < t->nvertices; v++) at[v + 1] += at[v];
  PetscCall(PetscMalloc1(at[t->nvertices], &g->cell));
  for (PetscInt k = 0; k < t->n * RHX_MAX_NODES; k++)
    if (t->vertex[k] >= 0) g->cell[at[t->vertex[k]]++] = k / RHX_MAX_NODES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned neighbours of v, each once, into `to`. */
static PetscInt list_neighbours(const RhxCellTable *t, Graph *g, PetscInt v, PetscInt *to)
{
  PetscInt n = 0;

  g->pass++;
  g->stamp[v] = g->pass;
  for (PetscInt i = g->first[v]; i < g->first[v + 1]; i++) {
    const PetscInt *u = t->vertex + g->cell[i] * RHX_MAX_NODES;
    for (PetscInt a = 0; a < RHX_MAX_NODES && u[a] >= 0; a++) {
      if (g->stamp[u[a]] < 0 || g->stamp[u[a]] == g->pass) continue;
      g->stamp[u[a]] = g->pass;
      to[n++] = u[a];
    }
  }
  return n;
}

static PetscErrorCode graph_create(const RhxCellTable *t, PetscInt nowned, const PetscInt *owned, Graph *g)
{
  PetscInt room = 16 * nowned + 64, most = 0;

  PetscFunctionBegin;
  g->pass = 0;
  PetscCall(find_cells(t, g));
  for (PetscInt v = 0; v < t->nvertices; v++) most = PetscMax(most, (g->first[v + 1] - g->first[v]) * RHX_MAX_NODES);
  PetscCall(PetscMalloc1(t->nvertices, &g->stamp));
  for (PetscInt v = 0; v < t->nvertices; v++) g->stamp[v] = -1;
  for (PetscInt k = 0; k < nowned; k++) g->stamp[owned[k]] = 0;
  PetscCall(PetscMalloc1(t->nvertices + 1, &g->start));
  PetscCall(PetscMalloc1(room, &g->neighbour));
  g->start[0] = 0;
  for (PetscInt v = 0; v < t->nvertices; v++) {
    const PetscInt at = g->start[v];

    if (at + most > room) {
      room = PetscMax(at + most, room + room / 2);
      PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)room, &g->neighbour));
    }
    g->start[v + 1] = at + (g->stamp[v] < 0 ? 0 : list_neighbours(t, g, v, g->neighbour + at));
  }
  for (PetscInt k = 0; k < nowned; k++) g->stamp[owned[k]] = 0;
  PetscCall(PetscFree(g->cell));
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

    for (PetscInt i = g->start[queue[head]]; i < g->start[queue[head] + 1]; i++) {
      const PetscInt v = g->neighbour[i], d = degree(g, v);
      PetscInt k = tail;

      if (g->stamp[v] == g->pass) continue;
      g->stamp[v] = g->pass;
      for (; k > begin && degree(g, queue[k - 1]) > d; k--) queue[k] = queue[k - 1];
      queue[k] = v;
      tail++;
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
  PetscCall(PetscFree(g.start));
  PetscCall(PetscFree(g.neighbour));
  PetscCall(PetscFree(g.stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
