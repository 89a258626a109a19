/* Matrices of elements into a matrix of node blocks. Once its pattern is there they are added where the entries lie; other types
 * of matrices and the first time go through PETSc's own insertion, rows of other ranks by ghost_rows.h. */
#ifndef RHX_INSERT_H
#define RHX_INSERT_H
#include "form/host/ghost_rows.h"
#include "space/space.h"
#include <petscmat.h>

typedef struct {
  Mat mat;    /* borrowed, or NULL: no place is known */
  PetscInt n; /* of column node [first, first + n) of the mesh */
  PetscInt first;
  const PetscInt *start, *column; /* of a row; its columns, rising */
  const PetscInt *at;             /* [n] column node in `mat` of a node, < 0: none; NULL: node - first */
  PetscScalar *value;
} RhxInsertPart;

typedef struct RhxInsert {
  Mat A;
  PetscInt rows, columns;        /* of a block */
  PetscInt nowned;               /* nodes whose rows are of this rank */
  PetscInt *ghost;               /* owned: `at` of the second part */
  RhxInsertPart inside, outside; /* columns of this rank, of others */
  RhxGhostRows ghosts;           /* rows of other ranks */
} RhxInsert;

/* A becomes zero. */
PetscErrorCode RhxInsertBegin(RhxSpace sp, Mat A, RhxInsert *in);
/* k[nn][rows][nn][columns] of local nodes. */
PetscErrorCode RhxInsertAdd(const RhxInsert *in, PetscInt nn, const PetscInt *node, const PetscScalar *k);
/* Before other entries are added by PETSc's calls. Collective. */
PetscErrorCode RhxInsertEnd(RhxInsert *in);
#endif
