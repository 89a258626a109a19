/* The pattern of a matrix and what its owners sum, on the host. */
#include "form/cuda/matrix_impl.h"
#include "space/graph.h"

static PetscErrorCode make_rows(RhxSpace sp, RhxMatrixMap *map)
{
  RhxNodeGraph graph;

  PetscFunctionBegin;
  PetscCall(RhxSpaceNodeGraph(sp, map->n, &graph));
  map->start = graph.start;
  map->node = graph.node;
  for (PetscInt i = 0; i < map->n; i++) map->width = PetscMax(map->width, map->start[i + 1] - map->start[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &map->width, 1, MPIU_INT, MPI_MAX, sp->comm));
  PetscCheck(map->width <= 65535, sp->comm, PETSC_ERR_SUP,
             "A node has %" PetscInt_FMT " neighbours; the device's matrices take at most 65535", map->width);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block number of node j in the row of node i. */
static PetscInt block_of(const RhxMatrixMap *map, PetscInt i, PetscInt j)
{
  const RhxNodeGraph graph = {map->n, map->start, map->node};

  return RhxNodeGraphFind(&graph, i, j) - map->start[i];
}

static PetscErrorCode make_positions(RhxSpace sp, RhxMatrixMap *map, PetscInt t)
{
  const RhxCells *ce = &sp->cells[t];
  unsigned short *at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)ce->n * ce->nn * ce->nn, &at));
  map->at[t] = at;
  for (PetscInt e = 0; e < ce->n; e++)
    for (PetscInt a = 0; a < ce->nn; a++)
      for (PetscInt b = 0; b < ce->nn; b++) {
        const PetscInt i = RhxCellsNode(ce, e, a), j = RhxCellsNode(ce, e, b);
        *at++ = (unsigned short)block_of(map, i, j);
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixMapCreate(RhxSpace sp, RhxMatrixMap *map)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(map, sizeof(*map)));
  map->n = sp->nlocal;
  map->ntypes = sp->ntypes;
  PetscCall(PetscCalloc1(sp->ntypes, &map->at));
  PetscCall(make_rows(sp, map));
  for (PetscInt t = 0; t < sp->ntypes; t++) PetscCall(make_positions(sp, map, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixMapDestroy(RhxMatrixMap *map)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < map->ntypes; t++) PetscCall(PetscFree(map->at[t]));
  PetscCall(PetscFree(map->at));
  PetscCall(PetscFree(map->start));
  PetscCall(PetscFree(map->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Ranges of the owners ---- */

/* Last node + 1 of a range that begins at `first`: the stored elements of no type exceed the room. */
static PetscInt range_end(RhxSpace sp, PetscInt n, const RhxGatherList *list, PetscInt first, const PetscInt *most,
                          PetscInt mark, PetscInt **stamp, PetscInt *count)
{
  for (PetscInt t = 0; t < sp->ntypes; t++) count[t] = 0;
  for (PetscInt i = first; i < n; i++)
    for (PetscInt t = 0; t < sp->ntypes; t++)
      for (PetscInt k = list[t].start[i]; k < list[t].start[i + 1]; k++) {
        const PetscInt e = list[t].entry[k] / sp->cells[t].nn;
        if (stamp[t][e] == mark) continue;
        stamp[t][e] = mark;
        if (++count[t] > most[t] && i > first) return i;
      }
  return n;
}

/* Elements of the range, ascending, and its entries, appended to the type's arrays. */
static PetscErrorCode fill_range(const RhxCells *ce, const RhxGatherList *list, const unsigned short *at,
                                 PetscInt *number, PetscInt t, RhxMatrixRange *range, RhxMatrixOwners *ow)
{
  const PetscInt nn = ce->nn, last = range->first + range->n;
  PetscInt n = 0;
  int *element;

  PetscFunctionBegin;
  range->element[t] = ow->nelement;
  range->list[t] = ow->nlist;
  for (PetscInt i = range->first; i < last; i++)
    for (PetscInt k = list->start[i]; k < list->start[i + 1]; k++) number[list->entry[k] / nn] = -1;
  PetscCall(PetscRealloc(sizeof(int) * (ow->nelement + range->nelements[t] + 1), &ow->element));
  element = ow->element + ow->nelement;
  for (PetscInt i = range->first; i < last; i++)
    for (PetscInt k = list->start[i]; k < list->start[i + 1]; k++) {
      const PetscInt e = list->entry[k] / nn;
      if (number[e] >= 0) continue;
      number[e] = 0;
      element[n++] = (int)e;
    }
  range->nelements[t] = n;
  PetscCall(PetscSortInt(n, element));
  for (PetscInt k = 0; k < n; k++) number[element[k]] = k;
  for (PetscInt i = range->first; i < last; i++) {
    ow->list[ow->nlist++] = (int)ow->nentry;
    for (PetscInt k = list->start[i]; k < list->start[i + 1]; k++) {
      const PetscInt pair = list->entry[k];
      PetscCall(PetscArraycpy(ow->at + ow->nentry * nn, at + (size_t)pair * nn, nn));
      ow->entry[ow->nentry++] = (int)(number[pair / nn] * nn + pair % nn);
    }
  }
  ow->list[ow->nlist++] = (int)ow->nentry;
  ow->nelement += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_owners(RhxSpace sp, const RhxMatrixMap *map, PetscInt t, PetscInt nranges,
                                  RhxMatrixRange *range, RhxMatrixOwners *ow)
{
  const RhxCells *ce = &sp->cells[t];
  const size_t npairs = (size_t)ce->n * ce->nn;
  RhxGatherList list;
  PetscInt *number;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGatherList(sp, ce, &list));
  PetscCall(PetscMalloc1(ce->n, &number));
  PetscCall(PetscMalloc1((size_t)map->n + nranges, &ow->list));
  PetscCall(PetscMalloc1(npairs, &ow->entry));
  PetscCall(PetscMalloc1(npairs * ce->nn, &ow->at));
  for (PetscInt k = 0; k < nranges; k++) PetscCall(fill_range(ce, &list, map->at[t], number, t, &range[k], ow));
  PetscCall(PetscFree(number));
  PetscCall(RhxGatherListDestroy(&list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixOwnersCreate(RhxSpace sp, const RhxMatrixMap *map, PetscInt nvalues, size_t bytes,
                                     PetscInt *nranges, RhxMatrixRange **ranges, RhxMatrixOwners **owners)
{
  RhxGatherList *list;
  PetscInt **stamp, *count, *most, size = 0, first = 0;

  PetscFunctionBegin;
  *nranges = 0;
  *ranges = NULL;
  PetscCall(PetscCalloc1(sp->ntypes, owners));
  PetscCall(PetscMalloc4(sp->ntypes, &list, sp->ntypes, &stamp, sp->ntypes, &count, sp->ntypes, &most));
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    PetscCall(RhxSpaceGatherList(sp, ce, &list[t]));
    PetscCall(PetscCalloc1(ce->n, &stamp[t]));
    most[t] = (PetscInt)PetscMin(bytes / (sizeof(double) * ce->nn * ce->nn * nvalues), (size_t)PETSC_MAX_INT / ce->nn);
  }
  while (first < map->n) {
    RhxMatrixRange *range;
    if (*nranges == size) {
      size = 2 * size + 8;
      PetscCall(PetscRealloc(sizeof(RhxMatrixRange) * size, ranges));
    }
    range = &(*ranges)[(*nranges)++];
    range->first = first;
    range->n = range_end(sp, map->n, list, first, most, *nranges, stamp, count) - first;
    PetscCall(PetscMalloc3(sp->ntypes, &range->nelements, sp->ntypes, &range->element, sp->ntypes, &range->list));
    PetscCall(PetscArraycpy(range->nelements, count, sp->ntypes)); /* room; fill_range counts */
    first += range->n;
  }
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    PetscCall(RhxGatherListDestroy(&list[t]));
    PetscCall(PetscFree(stamp[t]));
    PetscCall(fill_owners(sp, map, t, *nranges, *ranges, &(*owners)[t]));
  }
  PetscCall(PetscFree4(list, stamp, count, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixOwnersDestroy(PetscInt ntypes, PetscInt *nranges, RhxMatrixRange **ranges,
                                      RhxMatrixOwners **owners)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < *nranges; k++)
    PetscCall(PetscFree3((*ranges)[k].nelements, (*ranges)[k].element, (*ranges)[k].list));
  *nranges = 0;
  PetscCall(PetscFree(*ranges));
  for (PetscInt t = 0; *owners && t < ntypes; t++) {
    RhxMatrixOwners *ow = &(*owners)[t];
    PetscCall(PetscFree(ow->element));
    PetscCall(PetscFree(ow->list));
    PetscCall(PetscFree(ow->entry));
    PetscCall(PetscFree(ow->at));
  }
  PetscCall(PetscFree(*owners));
  PetscFunctionReturn(PETSC_SUCCESS);
}
