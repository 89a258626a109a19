/* What diagnostics keep in checkpoints: collected to be written, or found in one. */
#ifndef RHX_STORE_H
#define RHX_STORE_H
#include "diagnostics/named.h"

struct RhxStore {
  const RhxDiagnostic *d; /* that is asked; borrowed, as file */
  const char *file;       /* to read from, NULL: collecting */
  PetscBool other;        /* it is of another mesh */
  PetscInt n, capacity;
  RhxKept *kept;   /* [n]; owned, with values and Vecs */
  PetscBool lacks; /* something that d has asked for in this part */
  PetscInt nparts, nlacking;
  char lacking[512]; /* names of those parts, for a line */
};

/* A part of what d keeps, such as one of its walls, that goes on or begins anew by itself. Of a kind's `state`: the whole, unless it says so. */
void RhxStoreBeginPart(RhxStore *store);
void RhxStoreEndPart(RhxStore *store, const char *name);

/* RhxStoreRows of times, in the first column, and values that may be nan. */
PetscErrorCode RhxStoreSeries(RhxStore *store, const char *what, PetscInt columns, PetscInt *n, double **values);
PetscErrorCode RhxStoreDestroy(RhxStore *store);
#endif
