/* The record of a tile, which host code packs and kernels/element.cuh reads: a head, then for its nodes, `most` at the most,
 *
 *   double coord[most][dim]        positions as the elements see them, by rows
 *   int node[most]                 local nodes
 *   unsigned short start[most + 1] first of the slots of every node
 *   unsigned char row[most]        where the node lies in shared memory
 *
 * and for its slots unsigned char entry[slots], the slots of every node, and member[slots], the row of every slot's node. */
#ifndef RHX_KERNELS_TILE_H
#define RHX_KERNELS_TILE_H
#include <kernels/dialect.h>

typedef struct {
  int n, first, unused[2]; /* nodes; of the first one among all tiles' */
} RhxTileHead;
RHX_SIZE_IS(RhxTileHead, 16);

/* The parts of a record; `end`: of their bytes, before the record is filled up to a multiple of 16. */
typedef struct {
  const double *coord;
  const int *node;
  const unsigned short *start;
  const unsigned char *row, *entry, *member, *end;
} RhxTileParts;
RHX_SIZE_IS(RhxTileParts, 56);

RHX_INLINED RhxTileParts rhx_tile_parts(const double *record, int dim, int most, int slots)
{
  RhxTileParts at;
  at.coord = record + sizeof(RhxTileHead) / sizeof(double);
  at.node = (const int *)(at.coord + most * dim);
  at.start = (const unsigned short *)(at.node + most);
  at.row = (const unsigned char *)(at.start + most + 1);
  at.entry = at.row + most;
  at.member = at.entry + slots;
  at.end = at.member + slots;
  return at;
}
#endif
