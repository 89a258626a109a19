/* Jacobians, metric and normals, for host and device; dim is 2 or 3, a literal where speed counts. The includer may give
 * RHX_LENGTH, the number (double), RHX_AXES, the size of its matrices (RHX_DIM, or 3), and RHX_RECIPROCAL(x). */
#ifndef RHX_KERNELS_GEOMETRY_H
#define RHX_KERNELS_GEOMETRY_H
#include <kernels/dialect.h>

#ifndef RHX_LENGTH
#define RHX_LENGTH double
#endif
#ifndef RHX_AXES
#define RHX_AXES 3
#endif
#ifndef RHX_RECIPROCAL
#define RHX_RECIPROCAL(x) (1.0 / (x))
#endif
typedef RHX_LENGTH RhxLength;

#define RHX_TWO_PI 6.283185307179586

RHX_INLINED RhxLength rhx_determinant(int dim, const RhxLength J[RHX_AXES][RHX_AXES])
{
#if RHX_AXES == 3
  if (dim == 3)
    return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
           J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
#endif
  (void)dim;
  return J[0][0] * J[1][1] - J[0][1] * J[1][0];
}

/* A = det J J^-1, the transposed cofactors; returns det J. */
RHX_INLINED RhxLength rhx_adjugate(int dim, const RhxLength J[RHX_AXES][RHX_AXES], RhxLength A[RHX_AXES][RHX_AXES])
{
#if RHX_AXES == 3
  if (dim == 3) {
    A[0][0] = J[1][1] * J[2][2] - J[1][2] * J[2][1];
    A[0][1] = J[0][2] * J[2][1] - J[0][1] * J[2][2];
    A[0][2] = J[0][1] * J[1][2] - J[0][2] * J[1][1];
    A[1][0] = J[1][2] * J[2][0] - J[1][0] * J[2][2];
    A[1][1] = J[0][0] * J[2][2] - J[0][2] * J[2][0];
    A[1][2] = J[0][2] * J[1][0] - J[0][0] * J[1][2];
    A[2][0] = J[1][0] * J[2][1] - J[1][1] * J[2][0];
    A[2][1] = J[0][1] * J[2][0] - J[0][0] * J[2][1];
    A[2][2] = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    return J[0][0] * A[0][0] + J[0][1] * A[1][0] + J[0][2] * A[2][0];
  }
#endif
  (void)dim;
  A[0][0] = J[1][1];
  A[0][1] = -J[0][1];
  A[1][0] = -J[1][0];
  A[1][1] = J[0][0];
  return J[0][0] * J[1][1] - J[0][1] * J[1][0];
}

/* Ji = J^-1; returns det J. */
RHX_INLINED RhxLength rhx_invert(int dim, const RhxLength J[RHX_AXES][RHX_AXES], RhxLength Ji[RHX_AXES][RHX_AXES])
{
  const RhxLength det = rhx_adjugate(dim, J, Ji), id = RHX_RECIPROCAL(det);
  RHX_FOR (int i = 0; i < dim; i++)
    RHX_FOR (int j = 0; j < dim; j++) Ji[i][j] *= id;
  return det;
}

/* g = scale Ji^T Q Ji, in quads and hexes without the Q[dim][dim] of a simplex. Returns tr g = 4 dim/h^2. */
RHX_INLINED RhxLength rhx_metric(int dim, int simplex, const RhxLength Ji[RHX_AXES][RHX_AXES], const double *Q,
                                 double scale, RhxLength g[RHX_AXES][RHX_AXES])
{
  RhxLength trace = {0};
  RHX_FOR (int i = 0; i < dim; i++)
    RHX_FOR (int j = i; j < dim; j++) {
      RhxLength s = {0};
      RHX_FOR (int k = 0; k < dim; k++) {
        if (simplex)
          RHX_FOR (int m = 0; m < dim; m++) s += Ji[k][i] * Q[k * dim + m] * Ji[m][j];
        else
          s += Ji[k][i] * Ji[k][j];
      }
      s *= scale;
      g[i][j] = g[j][i] = s;
      if (i == j) trace += s;
    }
  return trace;
}

/* d = Ji^T r: gradient in space of what has the reference gradient r. */
RHX_INLINED void rhx_to_space(int dim, const RhxLength Ji[RHX_AXES][RHX_AXES], const double *r, RhxLength *d)
{
  RHX_FOR (int i = 0; i < dim; i++) {
    RhxLength s = r[0] * Ji[0][i];
    RHX_FOR (int k = 1; k < dim; k++) s += r[k] * Ji[k][i];
    d[i] = s;
  }
}

/* n: to the right of the tangent a in the plane, a x b in space. */
RHX_INLINED void rhx_normal(int dim, const RhxLength *a, const RhxLength *b, RhxLength *n)
{
  if (dim == 2) {
    n[0] = a[1];
    n[1] = -a[0];
    return;
  }
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
