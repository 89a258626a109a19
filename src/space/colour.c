/* First-fit colours, evened out, and lists of contributions. */
#include "space/colour.h"
#include "petsc_compat.h"

#define WORD_BITS 64

/* The colours taken at each node, one bit each. */
typedef struct {
  const RhxCells *cells;
  PetscInt words; /* of a node */
  uint64_t *taken;
} Palette;

/* No element has more neighbours than its nodes have other elements. */
static PetscErrorCode create_palette(RhxSpace space, const RhxCells *cells, Palette *p)
{
  PetscInt *degree, most = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &degree));
  for (PetscInt e = 0; e < cells->n; e++)
    for (PetscInt a = 0; a < cells->nn; a++) most = PetscMax(most, ++degree[RhxCellsNode(cells, e, a)]);
  PetscCall(PetscFree(degree));
  p->cells = cells;
  p->words = (cells->nn * most + WORD_BITS - 1) / WORD_BITS + 1;
  PetscCall(PetscCalloc1((size_t)p->words * space->nlocal, &p->taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static uint64_t taken_by_neighbours(const Palette *p, PetscInt e, PetscInt word)
{
  uint64_t taken = 0;

  for (PetscInt a = 0; a < p->cells->nn; a++) taken |= p->taken[(size_t)RhxCellsNode(p->cells, e, a) * p->words + word];
  return taken;
}

static void flip(Palette *p, PetscInt e, PetscInt colour)
{
  for (PetscInt a = 0; a < p->cells->nn; a++)
    p->taken[(size_t)RhxCellsNode(p->cells, e, a) * p->words + colour / WORD_BITS] ^= (uint64_t)1 << colour % WORD_BITS;
}

static PetscInt first_free(const Palette *p, PetscInt e)
{
  PetscInt colour = 0;

  for (PetscInt w = 0;; w++) {
    uint64_t taken = taken_by_neighbours(p, e, w);
    colour = w * WORD_BITS;
    if (!~taken) continue;
    for (; taken & 1; taken >>= 1) colour++;
    return colour;
  }
}

/* The smallest colour that e may have and that has fewer than `below` elements; -1 if there is none. */
static PetscInt smallest_free(const Palette *p, PetscInt e, PetscInt ncolours, const PetscInt *size, PetscInt below)
{
  PetscInt best = -1;

  for (PetscInt w = 0; w * WORD_BITS < ncolours; w++) {
    const uint64_t taken = taken_by_neighbours(p, e, w);
    for (PetscInt c = w * WORD_BITS; c < PetscMin(ncolours, (w + 1) * WORD_BITS); c++)
      if (!(taken >> c % WORD_BITS & 1) && size[c] < below) {
        below = size[c];
        best = c;
      }
  }
  return best;
}

/* Elements of colours above the mean size move to smaller colours where their neighbours let them. */
static void even_out(Palette *p, PetscInt ncolours, PetscInt *size, PetscInt *colour)
{
  const PetscInt mean = (p->cells->n + ncolours - 1) / ncolours;

  for (PetscInt e = p->cells->n - 1; e >= 0; e--) {
    if (size[colour[e]] <= mean) continue;
    const PetscInt to = smallest_free(p, e, ncolours, size, mean);
    if (to < 0) continue;
    flip(p, e, colour[e]);
    flip(p, e, to);
    size[colour[e]]--;
    size[to]++;
    colour[e] = to;
  }
}

PetscErrorCode RhxSpaceColourCells(RhxSpace space, const RhxCells *cells, RhxColouring *co)
{
  Palette p;
  PetscInt *colour, *size;

  PetscFunctionBegin;
  PetscCall(create_palette(space, cells, &p));
  PetscCall(PetscMalloc1(cells->n, &colour));
  PetscCall(PetscCalloc1(p.words * WORD_BITS, &size));
  co->ncolours = 0;
  for (PetscInt e = 0; e < cells->n; e++) {
    colour[e] = first_free(&p, e);
    flip(&p, e, colour[e]);
    size[colour[e]]++;
    co->ncolours = PetscMax(co->ncolours, colour[e] + 1);
  }
  if (co->ncolours) even_out(&p, co->ncolours, size, colour);
  PetscCall(PetscMalloc1(co->ncolours + 1, &co->start));
  PetscCall(PetscMalloc1(cells->n, &co->element));
  co->start[0] = 0;
  for (PetscInt c = 0; c < co->ncolours; c++) {
    co->start[c + 1] = co->start[c] + size[c];
    size[c] = co->start[c];
  }
  for (PetscInt e = 0; e < cells->n; e++) co->element[size[colour[e]]++] = e;
  PetscCall(PetscFree(colour));
  PetscCall(PetscFree(size));
  PetscCall(PetscFree(p.taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColouringDestroy(RhxColouring *co)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(co->start));
  PetscCall(PetscFree(co->element));
  co->ncolours = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceGatherList(RhxSpace space, const RhxCells *cells, RhxGatherList *list)
{
  PetscInt *next;

  PetscFunctionBegin;
  list->n = space->nlocal;
  PetscCall(PetscCalloc1(list->n + 1, &list->start));
  PetscCall(PetscMalloc1(cells->n * cells->nn, &list->entry));
  for (PetscInt e = 0; e < cells->n; e++)
    for (PetscInt a = 0; a < cells->nn; a++) list->start[RhxCellsNode(cells, e, a) + 1]++;
  for (PetscInt i = 0; i < list->n; i++) list->start[i + 1] += list->start[i];
  PetscCall(PetscMalloc1(list->n, &next));
  PetscCall(PetscArraycpy(next, list->start, list->n));
  for (PetscInt e = 0; e < cells->n; e++)
    for (PetscInt a = 0; a < cells->nn; a++) list->entry[next[RhxCellsNode(cells, e, a)]++] = e * cells->nn + a;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGatherListDestroy(RhxGatherList *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(list->start));
  PetscCall(PetscFree(list->entry));
  list->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
