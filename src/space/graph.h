/* Nodes that share an element: the pattern of the space's matrices. */
#ifndef RHX_GRAPH_H
#define RHX_GRAPH_H
#include "space/space.h"

/* Local nodes that share an element of this rank with node i, ascending, itself too: node[start[i]] to
 * node[start[i + 1] - 1]. */
typedef struct {
  PetscInt n, *start, *node;
} RhxNodeGraph;

/* Of the first n local nodes; not collective. */
PetscErrorCode RhxSpaceNodeGraph(RhxSpace space, PetscInt n, RhxNodeGraph *graph);
PetscErrorCode RhxNodeGraphDestroy(RhxNodeGraph *graph);

/* Place of node j among the neighbours of node i, of which it is one. */
static inline PetscInt RhxNodeGraphFind(const RhxNodeGraph *graph, PetscInt i, PetscInt j)
{
  PetscInt lo = graph->start[i], hi = graph->start[i + 1] - 1;

  while (lo < hi) {
    const PetscInt mid = lo + (hi - lo) / 2;
    if (graph->node[mid] < j)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}
#endif
