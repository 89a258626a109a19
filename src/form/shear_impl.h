/* Symmetric tensors in the frame of a simple shear L = g d (x) n, d.n = 0: flow along d, gradient along n. */
#ifndef RHX_SHEAR_IMPL_H
#define RHX_SHEAR_IMPL_H
#include <petscsys.h>

typedef struct {
  double g, d[3], n[3]; /* 1/s, above 0; unit vectors */
} RhxShear;

#define RHX_SHEAR_PARTS 4 /* of a tensor that shear leads to: dd, nn, the third diagonal one, dn */

PetscBool RhxShearFind(int dim, const double *L, RhxShear *shear); /* L[dim][dim]; false: it is none, or no motion */
/* c[ntens] from its parts, and back; false: it has more. */
void RhxShearTurn(const RhxShear *shear, int dim, int ntens, const double part[RHX_SHEAR_PARTS], double *c);
PetscBool RhxShearParts(const RhxShear *shear, int dim, int ntens, const double *c, double part[RHX_SHEAR_PARTS]);
PetscBool RhxShearLogarithm(const double c[RHX_SHEAR_PARTS], double part[RHX_SHEAR_PARTS]); /* false: c has none */
#endif
