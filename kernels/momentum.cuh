// The elements' part of the matrix of implicit momentum, C(u) + K + S(u) of src/form/host/momentum.h; with RHX_OF_MODES of that of a
// mode's transport. What comes before it: kernels/point.cuh. A thread is one point of an element and then the node of one column, as in kernels/cell.cuh.
#ifndef RHX_OF_MODES
#define RHX_OF_MODES 0
#endif
#if RHX_OF_MODES
#undef RHX_PLACE
#define RHX_PLACE(m) 0 // values of a point are those of one mode
#endif
#include <kernels/point.cuh>
#include <kernels/cell.cuh>
#include <kernels/implicit.h>
#if RHX_OF_MODES
#include <kernels/transport.h>
#else
#include <kernels/momentum.h>
#endif

// A point's weights, times its volume: of N v.grad, of u.grad u.grad, of grad grad. v: u of the point, where that of a simplex with
// one point is its centroid's.
struct RhxWeights {
  double u[RHX_DIM], convection, streamline;
#if RHX_OF_MODES
  double relaxation; // of N N
#else
  double viscous;
#endif
#if RHX_ONE_POINT
  double v[RHX_DIM];
#endif
};

// Components, or auxiliary values, `from` and so on to place `to` of the point's.
template <int W>
static __device__ __forceinline__ void rhx_components(const RhxMatrixPass &p, const RhxCell &cell, int from, int to,
                                                      RhxValues *val)
{
  if constexpr (W > 0) rhx_interpolate_at<W, RHX_ONE_POINT>(p, cell, p.x, RHX_BS, from, val->v + to, val->d + to);
}

template <int W>
static __device__ __forceinline__ void rhx_auxiliary(const RhxMatrixPass &p, const RhxCell &cell, int from, int to,
                                                     RhxValues *val)
{
  double aux[W ? W : 1];
  if constexpr (W > 0) rhx_interpolate_at<W, RHX_ONE_POINT>(p, cell, p.aux, RHX_NAUX, from, aux, 0);
#pragma unroll
  for (int c = 0; c < W; c++) val->aux[to + c] = aux[c];
}

// Of all fields, or of the flow, mode m and scalar fields.
static __device__ __forceinline__ void rhx_point_values(const RhxMatrixPass &p, const RhxCell &cell, int m,
                                                        RhxValues *val)
{
#if RHX_OF_MODES
  rhx_components<RHX_FIRST_MODE>(p, cell, 0, 0, val);
  rhx_components<RHX_NTENS>(p, cell, RHX_FIRST_MODE + m * RHX_NTENS, RHX_FIRST_MODE, val);
  rhx_components<RHX_BS - RHX_FIRST_SCALAR>(p, cell, RHX_FIRST_SCALAR, RHX_FIRST_SCALAR, val);
  rhx_auxiliary<RHX_NAUX_FLOW>(p, cell, 0, 0, val);
  rhx_auxiliary<RHX_NAUX_MODE>(p, cell, RHX_NAUX_FLOW + m * RHX_NAUX_MODE, RHX_NAUX_FLOW, val);
#else
  (void)m;
  rhx_components<RHX_BS>(p, cell, 0, 0, val);
  rhx_auxiliary<RHX_NAUX>(p, cell, 0, 0, val);
#endif
}

static __device__ __forceinline__ RhxWeights rhx_weights(const RhxMomentumPass &mp, const RhxCell &cell, RhxPoint *pt)
{
  RhxDevicePass pass = {};
  RhxValues val;
  RhxWeights w;
  const RhxIo io = {pass, val, 0, 0, 0, false, false};
  pass.clock = mp.cells.clock;
  pass.rho = mp.cells.rho;
  pass.convection = mp.cells.convection;
  rhx_point_values(mp.cells, cell, mp.mode, &val);
#if RHX_OF_MODES
  RhxMode md;
  RhxLog lg;
  RhxReal relaxation, streamline;
  rhx_compose_transport(&io, mp.mode, pt, &md, &lg, &relaxation, &streamline);
  w.convection = cell.w;
  w.streamline = cell.w * rhx_value(streamline);
  w.relaxation = cell.w * rhx_value(relaxation);
#else
  RhxDiffusion df;
  rhx_compose_momentum(&io, pt, &df);
  w.convection = cell.w * rhx_value(pt->convection * pt->rho);
  w.streamline = cell.w * rhx_value(df.streamline * pt->convection);
  w.viscous = cell.w * mp.viscous * rhx_value(pt->eta_s + df.viscosity);
#endif
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) w.u[i] = rhx_value(pt->u[i]);
#if RHX_ONE_POINT
  rhx_interpolate_at<RHX_DIM>(mp.cells, cell, mp.cells.x, RHX_BS, RHX_FIRST_VELOCITY, w.v, 0);
#endif
  return w;
}

// Those of the lane `from`.
static __device__ __forceinline__ RhxWeights rhx_weights_of(const RhxWeights &mine, int from)
{
  RhxWeights w;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) w.u[i] = __shfl_sync(RHX_ALL, mine.u[i], from);
#if RHX_ONE_POINT
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) w.v[i] = __shfl_sync(RHX_ALL, mine.v[i], from);
#endif
  w.convection = __shfl_sync(RHX_ALL, mine.convection, from);
  w.streamline = __shfl_sync(RHX_ALL, mine.streamline, from);
#if RHX_OF_MODES
  w.relaxation = __shfl_sync(RHX_ALL, mine.relaxation, from);
#else
  w.viscous = __shfl_sync(RHX_ALL, mine.viscous, from);
#endif
  return w;
}

// Shape function at point q, of inverse Jacobian I, of the s-th node from this thread's, and its gradient.
static __device__ __forceinline__ double rhx_shape_at(const RhxCell &cell, int q, const double I[RHX_DIM][RHX_DIM],
                                                      int s, double g[RHX_DIM])
{
#if RHX_PRODUCT_CELL
  double r[RHX_DIM];
  const double N = rhx_shape(q, rhx_other(cell.t, s), r);
  rhx_to_space(RHX_DIM, I, r, g);
  return N;
#else
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) g[i] = cell.dN[s][i];
  return rhx_other(cell.t, s) == q ? RHX_NEAR : RHX_FAR;
#endif
}

static __device__ __forceinline__ double rhx_along(const double a[RHX_DIM], const double b[RHX_DIM])
{
  double s = a[0] * b[0];
#pragma unroll
  for (int i = 1; i < RHX_DIM; i++) s += a[i] * b[i];
  return s;
}

// Point q's part of this thread's column.
static __device__ __forceinline__ void rhx_add_point(const RhxCell &cell, int q, const double I[RHX_DIM][RHX_DIM],
                                                     const RhxWeights &w, double K[RHX_NN])
{
  double own[RHX_DIM];
#if RHX_OF_MODES
  const double mine = rhx_shape_at(cell, q, I, 0, own);
#else
  (void)rhx_shape_at(cell, q, I, 0, own);
#endif
  const double column = rhx_along(w.u, own);
#if RHX_ONE_POINT
  const double carried = w.convection * rhx_along(w.v, own);
#else
  const double carried = w.convection * column;
#endif
#pragma unroll
  for (int s = 0; s < RHX_NN; s++) {
    double g[RHX_DIM];
    const double N = rhx_shape_at(cell, q, I, s, g);
#if RHX_OF_MODES
    const double rest = w.relaxation * N * mine;
#else
    const double rest = w.viscous * rhx_along(g, own);
#endif
    K[s] += N * carried + w.streamline * rhx_along(w.u, g) * column + rest;
  }
}

extern "C" __global__ void __launch_bounds__(RHX_THREADS)
#if RHX_OF_MODES
    rhx_transport_matrix(RhxMomentumPass mp)
#else
    rhx_momentum(RhxMomentumPass mp)
#endif
{
  RhxCell cell;
  RhxPoint pt;
  double K[RHX_NN] = {};
  rhx_cell(mp.cells, &cell, &pt);
  const RhxWeights mine = rhx_weights(mp, cell, &pt);
  const int first = (int)(threadIdx.x & 31) - cell.t;
#if RHX_AXISYMMETRIC && !RHX_OF_MODES
  const double r = rhx_value(pt.x[1]), around = mine.viscous / (r * r); // of H, src/form/host/momentum.h
  double hoop = 0.0;
#endif
#pragma unroll 1
  for (int q = 0; q < RHX_NN; q++) {
    const RhxWeights w = rhx_weights_of(mine, first + q);
    double I[RHX_DIM][RHX_DIM];
#if RHX_PRODUCT_CELL
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++)
#pragma unroll
      for (int j = 0; j < RHX_DIM; j++) I[i][j] = __shfl_sync(RHX_ALL, cell.I[i][j], first + q);
#endif
#if RHX_AXISYMMETRIC && !RHX_OF_MODES
    double g[RHX_DIM];
    hoop += rhx_shape_at(cell, q, I, 0, g) * __shfl_sync(RHX_ALL, around, first + q);
#endif
    rhx_add_point(cell, q, I, w, K);
  }
  if (!cell.inside) return;
#if RHX_AXISYMMETRIC && !RHX_OF_MODES
  atomicAdd(&mp.hoop[mp.cells.conn[(size_t)cell.id * RHX_NN + rhx_corner(cell.t)]], hoop);
#endif
#pragma unroll
  for (int s = 0; s < RHX_NN; s++) {
    const size_t row = (size_t)cell.id * RHX_NN + rhx_corner(rhx_other(cell.t, s));
    atomicAdd(&mp.value[mp.at[row * RHX_NN + rhx_corner(cell.t)]], K[s]);
  }
}
