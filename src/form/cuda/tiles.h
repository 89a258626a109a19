/* Tiles of neighbouring elements, what a block of threads of kernels/element.cuh works on: index lists on the host.
 *
 * A slot is a node of an element of a tile. Every tile lists its nodes, once each (a periodic image is a node of its own), and
 * for each of them the slots that contribute to it, ascending. */
#ifndef RHX_DEVICE_TILES_H
#define RHX_DEVICE_TILES_H
#include "space/space.h"

typedef struct {
  PetscInt size, slots, ntiles; /* elements of a tile; its slots, at most 256, also those of missing elements */
  PetscInt nlaunches, *launch;  /* tiles launch[k] to launch[k + 1] - 1 run together: all, or one colour's */
  PetscInt nnodes, nentries;    /* of all tiles */
  PetscInt most;                /* nodes of the largest tile, a multiple of 8 */
  int *tile;                    /* [ntiles + 1] its first node */
  int *node, *start;            /* [nnodes] local node; [nnodes + 1] first entry */
  unsigned char *row;           /* [nnodes] where the node lies in shared memory, below `most` */
  unsigned char *entry;         /* [nentries] slots */
  unsigned char *member;        /* [ntiles][slots] node of a slot, from 0 in its tile */
  double *coord;                /* [nnodes][dim] */
} RhxTiles;

/* Rows: threads read those of their slots 16 bytes at a time, eight threads at once. Rows that are equal modulo 8 lie in
 * the same banks, so the nodes of slots 8 k to 8 k + 7 get different remainders as far as can be.
 *
 * Elements along a Hilbert curve; of one colour after the other if `colours`. Slot of node a of element e of a tile:
 * e * nn + its corner's number in quads and hexes, where bit k is the side of direction k; a * size + e in simplices. */
PetscErrorCode RhxTilesCreate(RhxSpace space, const RhxCells *cells, PetscInt size, PetscBool colours, RhxTiles *tiles);
PetscErrorCode RhxTilesDestroy(RhxTiles *tiles);
/* Bytes of a record of a tile. */
size_t RhxTilesStride(const RhxTiles *tiles, PetscInt dim);
/* The tiles as kernels/element.cuh reads them: one record of `stride` bytes, a multiple of 16, a tile; free it. */
PetscErrorCode RhxTilesPack(const RhxTiles *tiles, PetscInt dim, size_t *stride, char **records);
/* The tiles' nodes that are local node i, ascending: entry[start[i]] to entry[start[i + 1] - 1]; free both. */
PetscErrorCode RhxTilesGatherList(const RhxTiles *tiles, PetscInt nlocal, int **start, int **entry);
#endif
