/* Formulas as sums of products of a function of t and one of the place. */
#ifndef RHX_BOUNDARY_SEPARATE_IMPL_H
#define RHX_BOUNDARY_SEPARATE_IMPL_H
#include "boundary/boundary.h"

#define RHX_PRODUCTS 8 /* most terms of a formula that is separated */

typedef struct {
  RhxFormula time, place; /* place NULL: 1 */
  PetscReal *value;       /* [nlocal] of place, once it was evaluated; owned */
} RhxProduct;

/* A source formula of a row. */
typedef struct {
  RhxFormula whole; /* NULL: none */
  PetscInt n;       /* 0: not separated */
  RhxProduct product[RHX_PRODUCTS];
} RhxSourceFormula;

/* n = 0: it has more terms than `most`, or one whose factors have both t and a coordinate (sin(x - t)). */
PetscErrorCode RhxFormulaSeparate(MPI_Comm comm, RhxFormula f, PetscInt most, RhxProduct *product, PetscInt *n);
PetscErrorCode RhxProductsDestroy(PetscInt *n, RhxProduct *product);
#endif
