#include "form/device_tiles.h"
#include "petsc_compat.h"
#include "space/colour.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BITS 20 /* of the Hilbert curve in each direction */

typedef struct {
  uint64_t key; /* along the curve */
  PetscInt element, colour;
} Place;

/* Distance along the Hilbert curve of a lattice point (Skilling, AIP Conf. Proc. 707 (2004) 381). */
static uint64_t hilbert(PetscInt dim, uint32_t *x)
{
  uint32_t t = 0;
  uint64_t key = 0;
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    for (PetscInt i = 0; i < dim; i++) {
      const uint32_t p = q - 1, swap = (x[0] ^ x[i]) & p;
      if (x[i] & q)
        x[0] ^= p;
      else {
        x[0] ^= swap;
        x[i] ^= swap;
      }
    }
  for (PetscInt i = 1; i < dim; i++) x[i] ^= x[i - 1];
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    if (x[dim - 1] & q) t ^= q - 1;
  for (int bit = BITS - 1; bit >= 0; bit--)
    for (PetscInt i = 0; i < dim; i++) key = key << 1 | ((x[i] ^ t) >> bit & 1u);
  return key;
}

static PetscReal position(const RhxCells *ce, PetscInt dim, PetscInt e, PetscInt a, PetscInt d)
{
  return ce->x[((e / RHX_LANES * ce->nn + a) * dim + d) * RHX_LANES + e % RHX_LANES];
}

static int by_colour_and_key(const void *a, const void *b)
{
  const Place *p = a, *q = b;
  if (p->colour != q->colour) return p->colour < q->colour ? -1 : 1;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->element < q->element ? -1 : p->element > q->element;
}

static void centre(const RhxCells *ce, PetscInt dim, PetscInt e, PetscReal *x)
{
  for (PetscInt d = 0; d < dim; d++) {
    x[d] = 0.0;
    for (PetscInt a = 0; a < ce->nn; a++) x[d] += position(ce, dim, e, a, d) / ce->nn;
  }
}

static void place_elements(PetscInt dim, const RhxCells *ce, const RhxColouring *colouring, Place *place)
{
  PetscReal lo[3], hi[3], x[3], extent = 0.0;
  for (PetscInt e = 0; e < ce->n; e++) {
    centre(ce, dim, e, x);
    for (PetscInt d = 0; d < dim; d++) {
      lo[d] = e ? PetscMin(lo[d], x[d]) : x[d];
      hi[d] = e ? PetscMax(hi[d], x[d]) : x[d];
      extent = PetscMax(extent, hi[d] - lo[d]);
    }
  }
  for (PetscInt e = 0; e < ce->n; e++) {
    uint32_t at[3] = {0, 0, 0};
    centre(ce, dim, e, x);
    for (PetscInt d = 0; d < dim && extent > 0.0; d++)
      at[d] = (uint32_t)((x[d] - lo[d]) / extent * ((1u << BITS) - 1.0));
    place[e] = (Place){hilbert(dim, at), e, 0};
  }
  for (PetscInt c = 0; colouring && c < colouring->ncolours; c++)
    for (PetscInt i = colouring->start[c]; i < colouring->start[c + 1]; i++) place[colouring->element[i]].colour = c;
  if (ce->n) qsort(place, ce->n, sizeof(*place), by_colour_and_key);
}

/* Tiles hold elements first[t] to first[t + 1] - 1 of the places; no tile has two colours. */
static PetscErrorCode cut(const RhxCells *ce, const Place *place, RhxTiles *ti, PetscInt **first)
{
  PetscInt n = 0, ncolours = ce->n ? place[ce->n - 1].colour + 1 : 0, colour = -1;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ce->n + 1, first));
  PetscCall(PetscMalloc1(ncolours + 1, &ti->launch));
  for (PetscInt i = 0, begin = 0; i < ce->n; i++) {
    if (place[i].colour != colour) {
      colour = place[i].colour;
      ti->launch[colour] = n;
      begin = i;
    }
    if ((i - begin) % ti->size == 0) (*first)[n++] = i;
  }
  (*first)[n] = ce->n;
  ti->launch[ncolours] = n;
  ti->nlaunches = ncolours;
  ti->ntiles = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt node, slot;
  PetscReal x[3];
} Reference;

static int same_place(const Reference *r, const Reference *s)
{
  return r->node == s->node && r->x[0] == s->x[0] && r->x[1] == s->x[1] && r->x[2] == s->x[2];
}

static int by_node(const void *a, const void *b)
{
  const Reference *r = a, *s = b;
  if (r->node != s->node) return r->node < s->node ? -1 : 1;
  for (int d = 0; d < 3; d++)
    if (r->x[d] != s->x[d]) return r->x[d] < s->x[d] ? -1 : 1;
  return r->slot < s->slot ? -1 : r->slot > s->slot;
}

typedef struct {
  PetscInt first, n; /* references to a node */
} Group;

/* Nodes with many slots first: threads side by side then sum as many. */
static int by_slots(const void *a, const void *b)
{
  const Group *g = a, *h = b;
  if (g->n != h->n) return g->n > h->n ? -1 : 1;
  return g->first < h->first ? -1 : g->first > h->first;
}

/* Slots of the tile and nodes, in groups that are one node at one place; returns their number. */
static PetscInt group_references(PetscInt dim, const RhxCells *ce, const Place *place, PetscInt m, PetscInt size,
                                 Reference *ref, Group *group)
{
  const PetscInt nn = ce->nn;
  PetscInt n = 0;
  for (PetscInt e = 0; e < m; e++)
    for (PetscInt a = 0; a < nn; a++) {
      Reference *r = &ref[e * nn + a];
      const PetscInt el = place[e].element, corner = a & 2 ? a ^ 1 : a;
      *r = (Reference){RhxCellsNode(ce, el, a), nn == 1 << dim ? e * nn + corner : a * size + e, {0.0, 0.0, 0.0}};
      for (PetscInt d = 0; d < dim; d++) r->x[d] = position(ce, dim, el, a, d);
    }
  qsort(ref, m * nn, sizeof(*ref), by_node);
  for (PetscInt i = 0; i < m * nn; i++) {
    if (!i || !same_place(&ref[i], &ref[i - 1])) group[n++] = (Group){i, 0};
    group[n - 1].n++;
  }
  qsort(group, n, sizeof(*group), by_slots);
  return n;
}

/* Appends one tile of m elements. */
static void add_tile(PetscInt dim, const RhxCells *ce, const Place *place, PetscInt m, PetscInt t, Reference *ref,
                     Group *group, RhxTiles *ti)
{
  const PetscInt nn = ce->nn, n = group_references(dim, ce, place, m, ti->size, ref, group);
  const int tensor = nn == 1 << dim;
  unsigned short *member = ti->member + (size_t)t * ti->slots;
  for (PetscInt k = 0; k < n; k++, ti->nnodes++) {
    const Reference *r = ref + group[k].first;
    ti->node[ti->nnodes] = (int)r->node;
    ti->start[ti->nnodes] = (int)ti->nentries;
    for (PetscInt d = 0; d < dim; d++) ti->coord[ti->nnodes * dim + d] = r->x[d];
    for (PetscInt i = 0; i < group[k].n; i++) {
      ti->entry[ti->nentries++] = (unsigned short)r[i].slot;
      member[r[i].slot] = (unsigned short)k;
    }
  }
  for (PetscInt e = m; e < ti->size; e++) /* missing elements read as the last one */
    for (PetscInt a = 0; a < nn; a++)
      member[tensor ? e * nn + a : a * ti->size + e] = member[tensor ? (m - 1) * nn + a : a * ti->size + m - 1];
  ti->tile[t + 1] = (int)ti->nnodes;
  ti->most = PetscMax(ti->most, n);
}

PetscErrorCode RhxTilesCreate(RhxSpace space, const RhxCells *ce, PetscInt size, PetscBool colours, RhxTiles *ti)
{
  const size_t nrefs = (size_t)ce->n * ce->nn;
  RhxColouring colouring;
  Place *place;
  Reference *ref;
  Group *group;
  PetscInt *first;
  PetscFunctionBegin;
  PetscCall(PetscMemzero(ti, sizeof(*ti)));
  ti->size = size;
  ti->slots = size * ce->nn;
  PetscCheck(ti->slots <= 65536 && nrefs < INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Too many elements for the device's index lists: got %" PetscInt_FMT
             " on this rank, expected fewer than %d",
             ce->n, INT_MAX / 8);
  PetscCall(PetscMalloc3(ce->n, &place, ti->slots, &ref, ti->slots, &group));
  if (colours) PetscCall(RhxSpaceColourCells(space, ce, &colouring));
  place_elements(space->dim, ce, colours ? &colouring : NULL, place);
  if (colours) PetscCall(RhxColouringDestroy(&colouring));
  PetscCall(cut(ce, place, ti, &first));
  PetscCall(
      PetscCalloc4(ti->ntiles + 1, &ti->tile, nrefs, &ti->node, nrefs + 1, &ti->start, nrefs * space->dim, &ti->coord));
  PetscCall(PetscMalloc2(nrefs, &ti->entry, (size_t)ti->ntiles * ti->slots, &ti->member));
  for (PetscInt t = 0; t < ti->ntiles; t++)
    add_tile(space->dim, ce, place + first[t], first[t + 1] - first[t], t, ref, group, ti);
  ti->start[ti->nnodes] = (int)ti->nentries;
  PetscCall(PetscFree3(place, ref, group));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTilesDestroy(RhxTiles *ti)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(ti->launch));
  PetscCall(PetscFree4(ti->tile, ti->node, ti->start, ti->coord));
  PetscCall(PetscFree2(ti->entry, ti->member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static char *put(char *at, const void *from, size_t bytes)
{
  memcpy(at, from, bytes);
  return at + bytes;
}

PetscErrorCode RhxTilesPack(const RhxTiles *ti, PetscInt dim, size_t *stride, char **records)
{
  const size_t most = ti->most, node = 16 + sizeof(double) * most * dim, start = node + sizeof(int) * most,
               entry = start + sizeof(short) * (most + 1), member = entry + sizeof(short) * ti->slots;
  PetscFunctionBegin;
  *stride = (member + sizeof(short) * ti->slots + 15) / 16 * 16;
  PetscCall(PetscCalloc1(*stride * ti->ntiles, records));
  for (PetscInt t = 0; t < ti->ntiles; t++) {
    char *const at = *records + *stride * t;
    const int first = ti->tile[t], n = ti->tile[t + 1] - first, entries = ti->start[first + n] - ti->start[first];
    const int head[2] = {n, first};
    put(at, head, sizeof(head));
    put(at + 16, ti->coord + (size_t)first * dim, sizeof(double) * n * dim);
    put(at + node, ti->node + first, sizeof(int) * n);
    for (int k = 0; k <= n; k++) {
      const unsigned short from = (unsigned short)(ti->start[first + k] - ti->start[first]);
      put(at + start + sizeof(from) * k, &from, sizeof(from));
    }
    put(at + entry, ti->entry + ti->start[first], sizeof(short) * entries);
    put(at + member, ti->member + (size_t)t * ti->slots, sizeof(short) * ti->slots);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTilesGatherList(const RhxTiles *ti, PetscInt nlocal, int **start, int **entry)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nlocal + 1, start));
  PetscCall(PetscMalloc1(ti->nnodes, entry));
  for (PetscInt i = 0; i < ti->nnodes; i++) (*start)[ti->node[i] + 1]++;
  for (PetscInt i = 0; i < nlocal; i++) (*start)[i + 1] += (*start)[i];
  for (PetscInt i = ti->nnodes - 1; i >= 0; i--) (*entry)[--(*start)[ti->node[i] + 1]] = (int)i;
  for (PetscInt i = 0; i < nlocal; i++) (*start)[i] = (*start)[i + 1];
  (*start)[nlocal] = (int)ti->nnodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}
