/* The wall as rank 0 holds it: faces with their integrals, nodes, entries. Private to diagnostics. */
#ifndef RHX_DIAGNOSTICS_WALL_IMPL_H
#define RHX_DIAGNOSTICS_WALL_IMPL_H
#include "diagnostics/diagnostics.h"

/* One face as it travels; a struct of doubles only. Node arrays have n used places. */
typedef struct {
  double n, node[4];     /* nodes of the face; their global numbers */
  double shared[4];      /* number of other labels at the node */
  double x[4][3];        /* as the parent element sees them */
  double reaction[4][3]; /* of the node (all faces), without the pressure's part once merged */
  double pressure[4];
  double mass[4][4];                          /* integral N_a N_b */
  double normal[4][3], pressure_normal[4][3]; /* integrals N_a n, N_a p n */
} RhxWallFace;

/* An unknown of the traction: a node, or one side of a 2D corner. */
typedef struct {
  PetscInt node, part;
  PetscInt next, prev; /* 2D: entries along the chain, -1: none */
  double s, h;         /* 2D: arc length; distance to next */
  double normal[3];    /* unit, out of the fluid */
  PetscBool end;       /* the reaction is not this side's alone: extrapolate */
} RhxWallEntry;

typedef struct {
  PetscInt dim, nfaces, nnodes, nentries;
  RhxWallFace *face;
  PetscInt *global;                          /* [nnodes] global numbers, rising */
  PetscInt (*node)[4];                       /* [nfaces] node numbers */
  PetscInt (*entry)[4];                      /* [nfaces] entry numbers */
  double (*x)[3], (*reaction)[3], *pressure; /* [nnodes] */
  PetscBool *shared;
  RhxWallEntry *e;     /* [nentries] */
  PetscInt nlinks;     /* 2D: faces in the order of their chains */
  PetscInt (*link)[2]; /* [nlinks] entries */
  double (*step)[3];   /* [nlinks] vector from the first to the second */
} RhxWallMesh;

/* 2D: orders the faces into chains and makes entries and links. 3D: an entry a node. */
PetscErrorCode RhxWallMakeEntries(RhxWallMesh *w);
/* Copies n structs of `size` bytes, doubles only, of every rank to rank 0; free there with PetscFree. */
PetscErrorCode RhxWallGather(MPI_Comm comm, PetscInt n, size_t size, const void *mine, PetscInt *nall, void *all);

/* An element near the wall as it travels; a struct of doubles only. */
typedef struct {
  double n, node[8], wall[8]; /* nodes; global numbers; 1 on the label */
  double x[8][3], u[8][3];    /* positions as the element sees them; velocity */
} RhxWallCell;

/* The elements that touch the label and those that touch them, on rank 0; free with PetscFree. Collective. */
PetscErrorCode RhxWallCells(RhxForm form, const char *label, Vec x, PetscInt *n, RhxWallCell **cell);
/* slope[nentries][3]: n.(grad u + grad u^T) for n into the fluid, by a least-squares fit of nodal values; its tangential
 * part is the shear. */
PetscErrorCode RhxWallSlopes(const RhxWallMesh *w, PetscInt n, const RhxWallCell *cell, double (*slope)[3]);
/* traction[nentries][3]: viscous traction sigma n + p n at the entries. */
PetscErrorCode RhxWallSolve(const RhxWallMesh *w, double (*traction)[3]);
#endif
