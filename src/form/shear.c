/* Symmetric tensors in the frame of a simple shear. */
#include "form/shear_impl.h"
#include <math.h>
#include <rheoplex/plugin.h>

#define LEAST 1e-30  /* 1/s: no motion */
#define SHEAR 1e-13  /* of |L|: what is off simple shear, rounding */
#define BESIDE 1e-13 /* of a tensor's largest component: what is off the frame's block, rounding */

PetscBool RhxShearFind(int dim, const double *L, RhxShear *shear)
{
  double *const d = shear->d, *const n = shear->n, *const g = &shear->g;
  double square = 0.0, most = -1.0, along = 0.0, off = 0.0;
  int row = 0;

  for (int i = 0; i < dim; i++) {
    double sum = 0.0;
    for (int j = 0; j < dim; j++) sum += L[i * dim + j] * L[i * dim + j];
    if (sum > most) {
      most = sum;
      row = i;
    }
    square += sum;
  }
  *g = sqrt(square);
  if (!(*g > LEAST) || isinf(*g)) return PETSC_FALSE;
  d[2] = n[2] = 0.0;
  for (int j = 0; j < dim; j++) n[j] = L[row * dim + j] / sqrt(most);
  for (int i = 0; i < dim; i++) {
    d[i] = 0.0;
    for (int j = 0; j < dim; j++) d[i] += L[i * dim + j] * n[j] / *g;
    along += d[i] * n[i];
  }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) off = fmax(off, fabs(L[i * dim + j] / *g - d[i] * n[j]));
  return (PetscBool)(off <= SHEAR && fabs(along) <= SHEAR);
}

void RhxShearTurn(const RhxShear *shear, int dim, int ntens, const double part[RHX_SHEAR_PARTS], double *c)
{
  const double *d = shear->d, *n = shear->n;

  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      const double third = dim == 3 ? (i == j) - d[i] * d[j] - n[i] * n[j] : i == 2 && j == 2;
      if ((i != j && j >= dim) || (i == 2 && ntens == 3)) continue;
      c[i == 2 && dim == 2 ? 2 : rhx_tensor_index(dim, ntens, i, j)] =
          part[0] * d[i] * d[j] + part[1] * n[i] * n[j] + part[2] * third + part[3] * (d[i] * n[j] + n[i] * d[j]);
    }
}

PetscBool RhxShearParts(const RhxShear *shear, int dim, int ntens, const double *c, double part[RHX_SHEAR_PARTS])
{
  const double *d = shear->d, *n = shear->n;
  double back[6], most = 0.0, off = 0.0;

  part[0] = part[1] = part[3] = 0.0;
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      const double v = c[rhx_tensor_index(dim, ntens, i, j)];
      part[0] += d[i] * v * d[j];
      part[1] += n[i] * v * n[j];
      part[3] += d[i] * v * n[j];
    }
  part[2] = ntens == 3 ? 1.0 : dim == 2 ? c[2] : c[0] + c[1] + c[2] - part[0] - part[1];
  RhxShearTurn(shear, dim, ntens, part, back);
  for (int k = 0; k < ntens; k++) {
    most = fmax(most, fabs(c[k]));
    off = fmax(off, fabs(c[k] - back[k]));
  }
  return (PetscBool)(off <= BESIDE * most);
}

/* Of the block in d and n with the eigenvalues m +- r it is their mean logarithm, and half their difference over r times what the block is off
 * m. In fast shear m - r is lost in rounding, the determinant is not. */
PetscBool RhxShearLogarithm(const double c[RHX_SHEAR_PARTS], double part[RHX_SHEAR_PARTS])
{
  const double m = 0.5 * (c[0] + c[1]), half = 0.5 * (c[0] - c[1]), r = hypot(half, c[3]);
  const double product = c[0] * c[1] - c[3] * c[3], low = product / (m + r);
  const double over = r > 0.0 ? 0.5 * log1p(2.0 * r / low) / r : 1.0 / m;
  const double mean = 0.5 * log(product);

  if (!(m > 0.0 && product > 0.0 && c[2] > 0.0)) return PETSC_FALSE;
  part[0] = mean + over * half;
  part[1] = mean - over * half;
  part[2] = log(c[2]);
  part[3] = over * c[3];
  return PETSC_TRUE;
}
