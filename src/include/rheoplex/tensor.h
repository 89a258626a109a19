/* Part of point.h: symmetric tensors by components. */
#ifndef RHX_TENSOR_H
#define RHX_TENSOR_H

/* Index of the component ij of a symmetric tensor of ntens components. */
RHX_POINTWISE int rhx_tensor_index(int dim, int ntens, int i, int j)
{
  return i == j ? i : dim == 2 && ntens < 6 ? ntens - 1 : 6 - i - j;
}
RHX_POINTWISE int rhx_ij(int i, int j) { return rhx_tensor_index(RHX_DIM, RHX_NTENS, i, j); }

/* Delta of component k: 1 on the diagonal, else 0. */
RHX_POINTWISE double rhx_delta(int k) { return k < RHX_NDIAG ? 1.0 : 0.0; }

/* tr a over the components carried. */
RHX_POINTWISE RhxReal rhx_trace(const RhxReal a[RHX_NTENS])
{
  RhxReal s = a[0];
  for (int k = 1; k < RHX_NDIAG; k++) s += a[k];
  return s;
}

/* a : b, off-diagonal components counted twice. */
RHX_POINTWISE RhxReal rhx_double_dot(const RhxReal a[RHX_NTENS], const RhxReal b[RHX_NTENS])
{
  RhxReal s = a[0] * b[0];
  for (int k = 1; k < RHX_NTENS; k++) s += (2.0 - rhx_delta(k)) * a[k] * b[k];
  return s;
}

/* out = a . a */
RHX_POINTWISE void rhx_square(const RhxReal a[RHX_NTENS], RhxReal out[RHX_NTENS])
{
#if RHX_NTENS == 4
  out[2] = a[2] * a[2];
#endif
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = i; j < RHX_LDIM; j++) {
      RhxReal s = a[rhx_ij(i, 0)] * a[rhx_ij(0, j)];
      for (int k = 1; k < RHX_LDIM; k++) s += a[rhx_ij(i, k)] * a[rhx_ij(k, j)];
      out[rhx_ij(i, j)] = s;
    }
}

/* out = L c + c L^T, L row by row (&pt->L[0][0]); L_zz = 0: of axisymmetric flow without the hoop's 2 (u_r/r) c_zz. */
RHX_POINTWISE void rhx_stretch(const RhxReal *L, const RhxReal c[RHX_NTENS], RhxReal out[RHX_NTENS])
{
#if RHX_NTENS == 4
  out[2] = RHX_ZERO;
#endif
  for (int i = 0; i < RHX_LDIM; i++)
    for (int j = i; j < RHX_LDIM; j++) {
      RhxReal s = L[RHX_LDIM * i] * c[rhx_ij(0, j)] + c[rhx_ij(i, 0)] * L[RHX_LDIM * j];
      for (int k = 1; k < RHX_LDIM; k++)
        s += L[RHX_LDIM * i + k] * c[rhx_ij(k, j)] + c[rhx_ij(i, k)] * L[RHX_LDIM * j + k];
      out[rhx_ij(i, j)] = s;
    }
}

#endif
