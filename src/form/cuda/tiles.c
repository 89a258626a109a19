#include "form/cuda/tiles.h"
#include "kernels/tile.h"
#include "petsc_compat.h"
#include "space/colour.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BITS 20               /* of the Hilbert curve in each direction */
#define BLOCK (4 * RHX_LANES) /* elements whose keys are found side by side */

typedef struct {
  uint64_t key; /* along the curve */
  PetscInt element, colour;
} Place;

/* Rows that are equal modulo BANKS lie in the same banks of shared memory; as many slots are read at once. */
#define BANKS 8

#define DIGIT_BITS 11
#define DIGIT(place, k) \
  ((k) < 0 ? (place).colour : (PetscInt)((place).key >> ((k)*DIGIT_BITS) & ((1 << DIGIT_BITS) - 1)))

/* One bit of one direction: p where the bit is set, else the swap of both; without a branch, which would be a random one. */
static void turn(int bit, uint32_t *restrict first, uint32_t *restrict other)
{
  const uint32_t p = (1u << bit) - 1;
  for (int l = 0; l < BLOCK; l++) {
    const uint32_t set = 0u - (other[l] >> bit & 1u), swap = (first[l] ^ other[l]) & p & ~set;
    first[l] ^= (p & set) | swap;
    other[l] ^= swap;
  }
}

/* Distances along the Hilbert curve of lattice points (Skilling, AIP Conf. Proc. 707 (2004) 381). */
static void hilbert(PetscInt dim, uint32_t x[3][BLOCK], uint64_t *key)
{
  uint32_t t[BLOCK] = {0};
  for (int bit = BITS - 1; bit > 0; bit--) {
    for (int l = 0; l < BLOCK; l++) x[0][l] ^= ((1u << bit) - 1) & (0u - (x[0][l] >> bit & 1u));
    for (PetscInt i = 1; i < dim; i++) turn(bit, x[0], x[i]);
  }
  for (PetscInt i = 1; i < dim; i++)
    for (int l = 0; l < BLOCK; l++) x[i][l] ^= x[i - 1][l];
  for (int bit = BITS - 1; bit > 0; bit--)
    for (int l = 0; l < BLOCK; l++) t[l] ^= ((1u << bit) - 1) & (0u - (x[dim - 1][l] >> bit & 1u));
  for (int l = 0; l < BLOCK; l++) key[l] = 0;
  for (int bit = BITS - 1; bit >= 0; bit--)
    for (PetscInt i = 0; i < dim; i++)
      for (int l = 0; l < BLOCK; l++) key[l] = key[l] << 1 | ((x[i][l] ^ t[l]) >> bit & 1u);
}

static PetscReal position(const RhxCells *ce, PetscInt dim, PetscInt e, PetscInt a, PetscInt d)
{
  return ce->x[((e / RHX_LANES * ce->nn + a) * dim + d) * RHX_LANES + e % RHX_LANES];
}

/* Centres of the elements from `first`; how many. */
static PetscInt centres(const RhxCells *ce, PetscInt dim, PetscInt first, PetscReal x[3][BLOCK])
{
  const PetscInt n = PetscMin(BLOCK, ce->n - first);
  for (PetscInt k = 0; k < n; k += RHX_LANES)
    for (PetscInt d = 0; d < dim; d++) {
      for (int l = 0; l < RHX_LANES; l++) x[d][k + l] = 0.0;
      for (PetscInt a = 0; a < ce->nn; a++) {
        const PetscReal *from = ce->x + (((first + k) / RHX_LANES * ce->nn + a) * dim + d) * RHX_LANES;
        for (int l = 0; l < RHX_LANES; l++) x[d][k + l] += from[l] / ce->nn;
      }
    }
  return n;
}

/* Box of the centres; its longest side. */
static PetscReal find_box(PetscInt dim, const RhxCells *ce, PetscReal *lo)
{
  PetscReal hi[3], x[3][BLOCK], extent = 0.0;
  for (PetscInt d = 0; d < dim; d++) {
    lo[d] = PETSC_MAX_REAL;
    hi[d] = PETSC_MIN_REAL;
  }
  for (PetscInt e = 0; e < ce->n; e += BLOCK) {
    const PetscInt n = centres(ce, dim, e, x);
    for (PetscInt d = 0; d < dim; d++)
      for (PetscInt l = 0; l < n; l++) {
        lo[d] = PetscMin(lo[d], x[d][l]);
        hi[d] = PetscMax(hi[d], x[d][l]);
      }
  }
  for (PetscInt d = 0; d < dim; d++) extent = PetscMax(extent, hi[d] - lo[d]);
  return extent;
}

static void find_keys(PetscInt dim, const RhxCells *ce, const RhxColouring *colouring, Place *place)
{
  PetscReal lo[3], x[3][BLOCK];
  const PetscReal extent = find_box(dim, ce, lo);
  for (PetscInt e = 0; e < ce->n; e += BLOCK) {
    const PetscInt n = centres(ce, dim, e, x);
    uint32_t at[3][BLOCK] = {{0}};
    uint64_t key[BLOCK];
    for (PetscInt d = 0; d < dim && extent > 0.0; d++)
      for (PetscInt l = 0; l < n; l++) at[d][l] = (uint32_t)((x[d][l] - lo[d]) / extent * ((1u << BITS) - 1.0));
    hilbert(dim, at, key);
    for (PetscInt l = 0; l < n; l++) place[e + l] = (Place){key[l], e + l, 0};
  }
  for (PetscInt c = 0; colouring && c < colouring->ncolours; c++)
    for (PetscInt i = colouring->start[c]; i < colouring->start[c + 1]; i++) place[colouring->element[i]].colour = c;
}

/* One pass of a radix sort; places of the same digit keep their order. digit < 0: by colour. */
static void sort_digit(PetscInt n, const Place *from, int digit, PetscInt nbuckets, PetscInt *end, Place *to)
{
  for (PetscInt i = 0; i < n; i++) end[1 + DIGIT(from[i], digit)]++;
  for (PetscInt k = 0; k < nbuckets; k++) end[k + 1] += end[k];
  for (PetscInt i = 0; i < n; i++) to[end[DIGIT(from[i], digit)]++] = from[i];
}

/* By colour, then along the curve, then by number. */
static PetscErrorCode place_elements(PetscInt dim, const RhxCells *ce, const RhxColouring *colouring, Place *place)
{
  const int ndigits = (dim * BITS + DIGIT_BITS - 1) / DIGIT_BITS;
  const PetscInt ncolours = colouring ? colouring->ncolours : 0;
  PetscInt *end;
  Place *from = place, *to, *other;
  PetscFunctionBegin;
  find_keys(dim, ce, colouring, place);
  PetscCall(PetscMalloc1(ce->n, &other));
  PetscCall(PetscMalloc1(PetscMax(1 << DIGIT_BITS, ncolours) + 1, &end));
  to = other;
  for (int k = 0; k < ndigits + (ncolours > 0); k++) {
    const PetscInt nbuckets = k < ndigits ? 1 << DIGIT_BITS : ncolours;
    Place *const sorted = to;
    PetscCall(PetscArrayzero(end, nbuckets + 1));
    sort_digit(ce->n, from, k < ndigits ? k : -1, nbuckets, end, to);
    to = from;
    from = sorted;
  }
  if (from != place) PetscCall(PetscArraycpy(place, from, ce->n));
  PetscCall(PetscFree(other));
  PetscCall(PetscFree(end));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* References of a tile to one node at one place. */
typedef struct {
  PetscInt node, n, first; /* first: in slot */
  PetscInt next;           /* group of the same node at another place, or -1 */
  PetscReal x[3];
} Group;

/* Room for building one tile. */
typedef struct {
  PetscInt *group_of;           /* [nlocal] first group of a node in this tile, else -1 */
  PetscInt *of;                 /* [slots] group of a slot */
  PetscInt *slot;               /* [slots] slots of the groups, ascending in each */
  Group *group;                 /* [slots] */
  PetscInt *eights;             /* [slots] of a node */
  unsigned char (*used)[BANKS]; /* [slots / BANKS + 1] nodes of an eight by the remainder of their rows */
  unsigned char *most;          /* [slots / BANKS + 1] the most of them */
} TileRoom;

static int same_place(const Group *g, const PetscReal *x)
{
  return g->x[0] == x[0] && g->x[1] == x[1] && g->x[2] == x[2];
}

/* Nodes with many slots first: threads side by side then sum as many. */
static int by_slots(const void *a, const void *b)
{
  const Group *g = a, *h = b;
  if (g->n != h->n) return g->n > h->n ? -1 : 1;
  if (g->node != h->node) return g->node < h->node ? -1 : 1;
  for (int d = 0; d < 3; d++)
    if (g->x[d] != h->x[d]) return g->x[d] < h->x[d] ? -1 : 1;
  return 0;
}

static PetscInt find_group(TileRoom *room, PetscInt node, const PetscReal *x, PetscInt *n)
{
  PetscInt k = room->group_of[node];
  while (k >= 0 && !same_place(&room->group[k], x)) k = room->group[k].next;
  if (k >= 0) return k;
  room->group[*n] = (Group){node, 0, 0, room->group_of[node], {x[0], x[1], x[2]}};
  room->group_of[node] = *n;
  return (*n)++;
}

/* The slots of m elements rise with k: element and node of the k-th, and the slot. */
static PetscInt slot_of(PetscInt dim, PetscInt nn, PetscInt m, PetscInt size, PetscInt k, PetscInt *e, PetscInt *a)
{
  PetscInt corner;
  if (nn != 1 << dim) {
    *a = k / m;
    *e = k % m;
    return *a * size + *e;
  }
  *e = k / nn;
  corner = k % nn;
  *a = corner & 2 ? corner ^ 1 : corner;
  return k;
}

/* Slots of the tile and nodes, in groups that are one node at one place; returns their number. */
static PetscInt group_slots(PetscInt dim, const RhxCells *ce, const Place *place, PetscInt m, PetscInt size,
                            TileRoom *room)
{
  PetscInt n = 0, first = 0, e, a;
  for (PetscInt k = 0; k < m * ce->nn; k++) {
    PetscReal x[3] = {0.0, 0.0, 0.0};
    (void)slot_of(dim, ce->nn, m, size, k, &e, &a);
    for (PetscInt d = 0; d < dim; d++) x[d] = position(ce, dim, place[e].element, a, d);
    room->of[k] = find_group(room, RhxCellsNode(ce, place[e].element, a), x, &n);
    room->group[room->of[k]].n++;
  }
  for (PetscInt g = 0; g < n; g++) {
    room->group_of[room->group[g].node] = -1;
    room->group[g].first = first;
    first += room->group[g].n;
    room->group[g].n = 0;
  }
  for (PetscInt k = 0; k < m * ce->nn; k++) {
    Group *g = &room->group[room->of[k]];
    room->slot[g->first + g->n++] = slot_of(dim, ce->nn, m, size, k, &e, &a);
  }
  qsort(room->group, n, sizeof(*room->group), by_slots);
  return n;
}

/* The eights of slots that node k is in. */
static PetscInt eights_of(const RhxTiles *ti, PetscInt k, PetscInt *eights)
{
  PetscInt n = 0;
  for (int j = ti->start[k]; j < ti->start[k + 1]; j++) {
    const PetscInt eight = ti->entry[j] / BANKS;
    if (!n || eights[n - 1] != eight) eights[n++] = eight;
  }
  return n;
}

/* Remainder of the row of a node of n eights: of those that have a row left, where it makes the fewest eights slower,
 * then where the fewest nodes share banks with it, then the emptiest. full: rows in use by remainder, of `rows` each. */
static PetscInt choose_bank(PetscInt n, const TileRoom *room, const PetscInt *full, PetscInt rows)
{
  PetscInt best = -1, least = PETSC_MAX_INT;
  for (PetscInt b = 0; b < BANKS; b++) {
    PetscInt more = 0, shared = 0;
    if (full[b] == rows) continue;
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt eight = room->eights[i];
      shared += room->used[eight][b];
      more += room->used[eight][b] >= room->most[eight];
    }
    more = (more * 256 + PetscMin(shared, 255)) * 256 + full[b];
    if (more < least) {
      least = more;
      best = b;
    }
  }
  return best;
}

/* Rows of the nodes of a tile, of which those with many slots come first. */
static void place_rows(PetscInt t, TileRoom *room, RhxTiles *ti)
{
  PetscInt full[BANKS] = {0};
  memset(room->used, 0, sizeof(*room->used) * (size_t)(ti->slots / BANKS + 1));
  memset(room->most, 0, (size_t)(ti->slots / BANKS + 1));
  for (PetscInt k = ti->tile[t]; k < ti->tile[t + 1]; k++) {
    const PetscInt n = eights_of(ti, k, room->eights), b = choose_bank(n, room, full, ti->most / BANKS);
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt eight = room->eights[i];
      room->used[eight][b]++;
      room->most[eight] = PetscMax(room->most[eight], room->used[eight][b]);
    }
    ti->row[k] = (unsigned char)(full[b]++ * BANKS + b);
  }
}

/* Appends one tile of m elements. */
static void add_tile(PetscInt dim, const RhxCells *ce, const Place *place, PetscInt m, PetscInt t, TileRoom *room,
                     RhxTiles *ti)
{
  const PetscInt nn = ce->nn, n = group_slots(dim, ce, place, m, ti->size, room);
  const int product = nn == 1 << dim;
  unsigned char *member = ti->member + (size_t)t * ti->slots;
  for (PetscInt k = 0; k < n; k++, ti->nnodes++) {
    const Group *g = &room->group[k];
    ti->node[ti->nnodes] = (int)g->node;
    ti->start[ti->nnodes] = (int)ti->nentries;
    for (PetscInt d = 0; d < dim; d++) ti->coord[ti->nnodes * dim + d] = g->x[d];
    for (PetscInt i = g->first; i < g->first + g->n; i++) {
      ti->entry[ti->nentries++] = (unsigned char)room->slot[i];
      member[room->slot[i]] = (unsigned char)k;
    }
  }
  for (PetscInt e = m; e < ti->size; e++) /* missing elements read as the last one */
    for (PetscInt a = 0; a < nn; a++)
      member[product ? e * nn + a : a * ti->size + e] = member[product ? (m - 1) * nn + a : a * ti->size + m - 1];
  ti->tile[t + 1] = (int)ti->nnodes;
  ti->start[ti->nnodes] = (int)ti->nentries;
  ti->most = PetscMax(ti->most, (n + BANKS - 1) / BANKS * BANKS);
}

PetscErrorCode RhxTilesCreate(RhxSpace space, const RhxCells *ce, PetscInt size, PetscBool colours, RhxTiles *ti)
{
  const size_t nrefs = (size_t)ce->n * ce->nn;
  RhxColouring colouring;
  Place *place;
  TileRoom room;
  PetscInt *first;
  PetscFunctionBegin;
  PetscCall(PetscMemzero(ti, sizeof(*ti)));
  ti->size = size;
  ti->slots = size * ce->nn;
  PetscCheck(ti->slots <= 256, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A tile has %" PetscInt_FMT " slots, at most 256 are possible", ti->slots);
  PetscCheck(nrefs < INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Too many elements for the device's index lists: got %" PetscInt_FMT
             " on this rank, expected fewer than %d",
             ce->n, INT_MAX / 8);
  PetscCall(PetscMalloc1(ce->n, &place));
  PetscCall(
      PetscMalloc4(space->nlocal, &room.group_of, ti->slots, &room.of, ti->slots, &room.slot, ti->slots, &room.group));
  PetscCall(
      PetscMalloc3(ti->slots, &room.eights, ti->slots / BANKS + 1, &room.used, ti->slots / BANKS + 1, &room.most));
  for (PetscInt i = 0; i < space->nlocal; i++) room.group_of[i] = -1;
  if (colours) PetscCall(RhxSpaceColourCells(space, ce, &colouring));
  PetscCall(place_elements(space->dim, ce, colours ? &colouring : NULL, place));
  if (colours) PetscCall(RhxColouringDestroy(&colouring));
  PetscCall(cut(ce, place, ti, &first));
  PetscCall(
      PetscCalloc4(ti->ntiles + 1, &ti->tile, nrefs, &ti->node, nrefs + 1, &ti->start, nrefs * space->dim, &ti->coord));
  PetscCall(PetscMalloc3(nrefs, &ti->entry, (size_t)ti->ntiles * ti->slots, &ti->member, nrefs, &ti->row));
  for (PetscInt t = 0; t < ti->ntiles; t++)
    add_tile(space->dim, ce, place + first[t], first[t + 1] - first[t], t, &room, ti);
  for (PetscInt t = 0; t < ti->ntiles; t++) place_rows(t, &room, ti);
  PetscCall(PetscFree(place));
  PetscCall(PetscFree4(room.group_of, room.of, room.slot, room.group));
  PetscCall(PetscFree3(room.eights, room.used, room.most));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTilesDestroy(RhxTiles *ti)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(ti->launch));
  PetscCall(PetscFree4(ti->tile, ti->node, ti->start, ti->coord));
  PetscCall(PetscFree3(ti->entry, ti->member, ti->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same at every address. */
size_t RhxTilesStride(const RhxTiles *ti, PetscInt dim)
{
  const double *const record = (const double *)(uintptr_t)sizeof(RhxTileHead);
  const RhxTileParts at = rhx_tile_parts(record, (int)dim, (int)ti->most, (int)ti->slots);
  return ((size_t)((uintptr_t)at.end - (uintptr_t)record) + 15) / 16 * 16;
}

static void pack(const RhxTiles *ti, PetscInt dim, PetscInt t, double *record)
{
  const RhxTileParts at = rhx_tile_parts(record, (int)dim, (int)ti->most, (int)ti->slots);
  const int first = ti->tile[t], n = ti->tile[t + 1] - first, entries = ti->start[first + n] - ti->start[first];
  const unsigned char *const rows = ti->row + first, *const members = ti->member + (size_t)t * ti->slots;
  *(RhxTileHead *)record = (RhxTileHead){.n = n, .first = first};
  for (int k = 0; k < n; k++)
    memcpy((double *)at.coord + rows[k] * dim, ti->coord + (size_t)(first + k) * dim, sizeof(double) * dim);
  memcpy((int *)at.node, ti->node + first, sizeof(int) * n);
  for (int k = 0; k <= n; k++)
    ((unsigned short *)at.start)[k] = (unsigned short)(ti->start[first + k] - ti->start[first]);
  memcpy((unsigned char *)at.row, rows, n);
  memcpy((unsigned char *)at.entry, ti->entry + ti->start[first], entries);
  for (PetscInt slot = 0; slot < ti->slots; slot++) ((unsigned char *)at.member)[slot] = rows[members[slot]];
}

PetscErrorCode RhxTilesPack(const RhxTiles *ti, PetscInt dim, size_t *stride, char **records)
{
  PetscFunctionBegin;
  *stride = RhxTilesStride(ti, dim);
  PetscCall(PetscCalloc1(*stride * ti->ntiles, records));
  for (PetscInt t = 0; t < ti->ntiles; t++) pack(ti, dim, t, (double *)(*records + *stride * t));
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
