// An element of a matrix at a quadrature point, for kernels that take elements from plain arrays (RhxMatrixPass): a thread is one
// point of an element and then the node of one column, as many as points; node a of the rows comes by loop. What comes before it:
// as of kernels/point.cuh.
#ifndef RHX_CELL_CUH
#define RHX_CELL_CUH
#define RHX_AXES RHX_DIM
#include <kernels/geometry.h>
#include <kernels/pass.h>

#define RHX_THREADS 128
#define RHX_ALL 0xffffffffu
#define RHX_ELEMENTS (32 / RHX_NN) // a warp; lanes left over repeat an element and write nothing

struct RhxCell {
  int t, e, id; // point and column node; element of the pass and its number
  bool inside;
  double w; // weight times Jacobian, in axisymmetric flow times 2 pi r
#if RHX_PRODUCT_CELL
  double I[RHX_DIM][RHX_DIM]; // inverse Jacobian at the point
#else
  double dN[RHX_NN][RHX_DIM]; // gradients of the shape functions, in the order of rhx_other
#endif
};

#if RHX_PRODUCT_CELL

#define RHX_INNER \
  0.78867513459481288 // shape function in one direction of the near and of the far node at a Gauss point
#define RHX_OUTER 0.21132486540518712

// VTK number of the corner whose bits are the signs of xi, eta, zeta.
static __device__ __forceinline__ int rhx_corner(int t) { return t & 2 ? t ^ 1 : t; }
static __device__ __forceinline__ int rhx_other(int t, int s) { return t ^ s; }

// Shape function of node a at point t and its reference gradient.
static __device__ __forceinline__ double rhx_shape(int t, int a, double r[RHX_DIM])
{
  double N = 1.0;
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) r[k] = a >> k & 1 ? 0.5 : -0.5;
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) {
    const double n = (t ^ a) >> k & 1 ? RHX_OUTER : RHX_INNER;
    N *= n;
#pragma unroll
    for (int m = 0; m < RHX_DIM; m++)
      if (m != k) r[m] *= n;
  }
  return N;
}

static __device__ __forceinline__ double rhx_shape_gradient(const RhxCell &cell, int a, double g[RHX_DIM])
{
  double r[RHX_DIM];
  const double N = rhx_shape(cell.t, a, r);
  rhx_to_space(RHX_DIM, cell.I, r, g);
  return N;
}

#else

#define rhx_corner(t) (t)
static __device__ __forceinline__ int rhx_other(int t, int s) { return t + s < RHX_NN ? t + s : t + s - RHX_NN; }

#endif

// g = I^T Q I and 1/h^2 = tr(g)/(4 dim)
static __device__ __forceinline__ void rhx_set_metric(const double I[RHX_DIM][RHX_DIM], RhxPoint *pt)
{
  double g[RHX_DIM][RHX_DIM];
#if RHX_PRODUCT_CELL
  const double *const Q = 0;
#else
  const double *const Q = &rhx_Q[0][0];
#endif
  pt->ih2 = rhx_metric(RHX_DIM, !RHX_PRODUCT_CELL, I, Q, 1.0, g) / (4.0 * RHX_DIM);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++)
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) pt->g[i][j] = g[i][j];
}

// Element and geometry of this thread; pt gets the position and the metric.
static __device__ __forceinline__ void rhx_cell(const RhxMatrixPass &mp, RhxCell *cell, RhxPoint *pt)
{
  const int lane = threadIdx.x & 31, mine = lane / RHX_NN;
  const int e = (blockIdx.x * (RHX_THREADS / 32) + (threadIdx.x >> 5)) * RHX_ELEMENTS + mine;
  double J[RHX_DIM][RHX_DIM], x[RHX_DIM];
  cell->t = lane % RHX_NN;
  cell->inside = mine < RHX_ELEMENTS && e < mp.n;
  cell->e = e < mp.n ? e : mp.n - 1;
  cell->id = mp.element ? mp.element[cell->e] : cell->e;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    x[i] = 0.0;
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) J[i][j] = 0.0;
  }
#if !RHX_PRODUCT_CELL
  double r[RHX_NN][RHX_DIM];
#endif
#pragma unroll
  for (int s = 0; s < RHX_NN; s++) {
    const int a = rhx_other(cell->t, s);
    const double *at = mp.coord + ((size_t)cell->id * RHX_NN + rhx_corner(a)) * RHX_DIM;
#if RHX_PRODUCT_CELL
    double r[RHX_DIM];
    const double N = rhx_shape(cell->t, a, r), *dN = r;
#else
#pragma unroll
    for (int b = 0; b < RHX_NN; b++)
#pragma unroll
      for (int j = 0; j < RHX_DIM; j++)
        if (b == 0 || a == b) r[s][j] = rhx_dN[b][j];
    const double N = s ? RHX_FAR : RHX_NEAR, *dN = r[s];
#endif
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      const double xi = at[i];
      x[i] += N * xi;
#pragma unroll
      for (int j = 0; j < RHX_DIM; j++) J[i][j] += xi * dN[j];
    }
  }
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->x[i] = x[i];
  const double ring = RHX_AXISYMMETRIC ? RHX_TWO_PI * x[1] : 1.0;
#if RHX_PRODUCT_CELL
  cell->w = ring * rhx_invert(RHX_DIM, J, cell->I);
  rhx_set_metric(cell->I, pt);
#else
  double I[RHX_DIM][RHX_DIM];
  cell->w = ring * rhx_invert(RHX_DIM, J, I) * RHX_WEIGHT;
  rhx_set_metric(I, pt);
#pragma unroll
  for (int s = 0; s < RHX_NN; s++) rhx_to_space(RHX_DIM, I, r[s], cell->dN[s]);
#endif
}

// Shape function and gradient at this thread's point of the s-th node from its own.
static __device__ __forceinline__ double rhx_nodal(const RhxCell &cell, int s, double g[RHX_DIM])
{
#if RHX_PRODUCT_CELL
  return rhx_shape_gradient(cell, rhx_other(cell.t, s), g);
#else
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) g[i] = cell.dN[s][i];
  return s ? RHX_FAR : RHX_NEAR;
#endif
}

// Components first to first + W - 1 of from, [nodes][width], at this thread's point, or at the centroid of a simplex; their gradients
// where d is given.
template <int W, bool centroid = false>
static __device__ __forceinline__ void rhx_interpolate_at(const RhxMatrixPass &p, const RhxCell &cell,
                                                          const double *from, int width, int first, double v[W],
                                                          double (*d)[RHX_DIM])
{
#pragma unroll
  for (int s = 0; s < RHX_NN; s++) {
    double g[RHX_DIM];
    const double nodal = rhx_nodal(cell, s, g), N = centroid ? 1.0 / RHX_NN : nodal;
    const size_t node = p.conn[(size_t)cell.id * RHX_NN + rhx_corner(rhx_other(cell.t, s))];
#pragma unroll
    for (int c = 0; c < W; c++) {
      const double u = from[node * width + first + c];
      v[c] = s ? v[c] + N * u : N * u;
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++)
        if (d) d[c][i] = s ? d[c][i] + g[i] * u : g[i] * u;
    }
  }
}

#endif
