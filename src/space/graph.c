/* The graph of the nodes, node by node from the elements around it. */
#include "space/graph.h"
#include "petsc_compat.h"
#include "space/colour.h"

typedef struct {
  RhxSpace space;
  RhxGatherList *list;   /* [ntypes] */
  PetscInt *stamp, room; /* [nlocal] last node + 1 that reached a node; size of graph->node */
} Builder;

static PetscErrorCode add_neighbour(Builder *b, RhxNodeGraph *graph, PetscInt j, PetscInt *total)
{
  PetscFunctionBegin;
  if (*total == b->room) {
    b->room += b->room / 2;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)b->room, &graph->node));
  }
  graph->node[(*total)++] = j;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_node(Builder *b, RhxNodeGraph *graph, PetscInt i)
{
  PetscInt total = graph->start[i];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < b->space->ntypes; t++) {
    const RhxCells *ce = &b->space->cells[t];
    const RhxGatherList *list = &b->list[t];

    for (PetscInt k = list->start[i]; k < list->start[i + 1]; k++)
      for (PetscInt a = 0; a < ce->nn; a++) {
        const PetscInt j = RhxCellsNode(ce, list->entry[k] / ce->nn, a);
        if (b->stamp[j] == i + 1) continue;
        b->stamp[j] = i + 1;
        PetscCall(add_neighbour(b, graph, j, &total));
      }
  }
  PetscCall(PetscSortInt(total - graph->start[i], graph->node + graph->start[i]));
  graph->start[i + 1] = total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceNodeGraph(RhxSpace space, PetscInt n, RhxNodeGraph *graph)
{
  Builder b = {space, NULL, NULL, 16 * n + 64};

  PetscFunctionBegin;
  graph->n = n;
  PetscCall(PetscCalloc1(space->ntypes, &b.list));
  for (PetscInt t = 0; t < space->ntypes; t++) PetscCall(RhxSpaceGatherList(space, &space->cells[t], &b.list[t]));
  PetscCall(PetscCalloc1(space->nlocal, &b.stamp));
  PetscCall(PetscMalloc1(n + 1, &graph->start));
  PetscCall(PetscMalloc1(b.room, &graph->node));
  graph->start[0] = 0;
  for (PetscInt i = 0; i < n; i++) PetscCall(add_node(&b, graph, i));
  for (PetscInt t = 0; t < space->ntypes; t++) PetscCall(RhxGatherListDestroy(&b.list[t]));
  PetscCall(PetscFree(b.list));
  PetscCall(PetscFree(b.stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNodeGraphDestroy(RhxNodeGraph *graph)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(graph->start));
  PetscCall(PetscFree(graph->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}
