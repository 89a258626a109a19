/* Ranks that need entries of each other, for the tests of exchanges. */
#ifndef RHX_TEST_GRAPH_H
#define RHX_TEST_GRAPH_H
#include "petsc_compat.h"
#include <petscsf.h>

#define GAP 2 /* entries between own ones and ghosts */
#define MOST 64

static PetscMPIInt rank, size;

static PetscInt own_of(PetscMPIInt r) { return r == 1 ? 0 : 7 + 3 * r; } /* rank 1 has none */

/* Does rank `who` have entry e of rank r as a ghost? */
static PetscBool needs(PetscMPIInt who, PetscMPIInt r, PetscInt e)
{
  return (PetscBool)(who != r && (e * 13 + who + r) % 3 != 0);
}

static double value(PetscMPIInt r, PetscInt e, PetscInt c, int turn) { return 1 + r + 10 * e + 1000 * c + 0.5 * turn; }

/* Ghosts in an order that mixes their owners. numbered: leaves have the numbers of their entries, as nodes have. */
static PetscErrorCode make_sf(PetscBool numbered, PetscInt *nown, PetscInt *nghosts, PetscSFNode *ghost, PetscSF *sf)
{
  PetscInt leaf[MOST], n = 0;
  PetscFunctionBegin;
  *nown = own_of(rank);
  for (PetscInt e = 0; e < MOST; e++)
    for (PetscMPIInt r = 0; r < size; r++)
      if (e < own_of(r) && needs(rank, r, e)) ghost[n++] = (PetscSFNode){r, e};
  *nghosts = n;
  for (PetscInt i = 0; i < n; i++) leaf[i] = *nown + GAP + i;
  PetscCall(PetscSFCreate(PETSC_COMM_WORLD, sf));
  PetscCall(PetscSFSetGraph(*sf, *nown, n, numbered ? leaf : NULL, PETSC_COPY_VALUES, ghost, PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(*sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
