// Products with derivatives: of the residual along a direction, of the values that are projected, and of the mass. The generator
// (src/form/cuda/matrix_source.c) writes before this file what kernels/point.cuh lists, all numbers being those of
// kernels/dual.cuh with one direction, and rhx_has_mass[], RHX_MASSES(pass) as for kernels/matrix.cuh.
//
// A thread is a quadrature point and then a node of its element, to which the other points of the element send their parts. No two
// elements of a launch share a node.
#undef for // of kernels/dual.cuh
#include <kernels/cell.cuh>
#include <kernels/tangent.cuh>

// What the derivative is along: nodal values of a direction and of the auxiliary fields' derivative, which may be 0.
struct RhxBy {
  const double *v, *a;
  double shift;
};

static __device__ __forceinline__ RhxReal rhx_dual(double v, double d)
{
  RhxReal r = v;
  r.d[0] = d;
  r.z = 0;
  return r;
}

template <int W>
static __device__ __forceinline__ void rhx_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by,
                                                  int first, RhxValues<W> *val)
{
  double v[W], d[W][RHX_DIM], along[W], dalong[W][RHX_DIM], rate[W], source[W];
  rhx_interpolate_at<W>(p, cell, p.x, RHX_BS, first, v, d);
  rhx_interpolate_at<W>(p, cell, by.v, RHX_BS, first, along, dalong);
#if RHX_HAS_RATE
  if (p.xdot) rhx_interpolate_at<W>(p, cell, p.xdot, RHX_BS, first, rate, 0);
#endif
#if RHX_HAS_SOURCE
  rhx_interpolate_at<W>(p, cell, p.source, RHX_BS, first, source, 0);
#endif
#pragma unroll
  for (int c = 0; c < W; c++) {
    val->v[c] = rhx_dual(v[c], along[c]);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) val->d[c][i] = rhx_dual(d[c][i], dalong[c][i]);
    val->rate[c] = RHX_HAS_RATE && p.xdot ? rhx_dual(rate[c], by.shift * along[c]) : RhxReal(0.0);
    val->source[c] = RHX_HAS_SOURCE ? source[c] : 0.0;
  }
}

template <int W>
static __device__ __forceinline__ void rhx_aux_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by,
                                                      RhxReal aux[W])
{
  double v[W] = {}, along[W] = {};
  if (p.aux) rhx_interpolate_at<W>(p, cell, p.aux, W, 0, v, 0);
  if (by.a) rhx_interpolate_at<W>(p, cell, by.a, W, 0, along, 0);
#pragma unroll
  for (int c = 0; c < W; c++) aux[c] = rhx_dual(v[c], along[c]);
}

// out[node][W] += integral of N f0 + grad N . f1 over the element, scaled, for the thread's node
template <int W, bool gradient>
static __device__ __forceinline__ void rhx_integrate(const RhxProductPass &pp, const RhxCell &cell, const double f0[W],
                                                     const double (*f1)[RHX_DIM])
{
  const RhxMatrixPass &p = pp.at;
  const int base = (threadIdx.x & 31) - cell.t;
  double sum[W] = {};
#pragma unroll 1
  for (int s = 0; s < RHX_NN; s++) {
    double g[RHX_DIM];
    const double N = cell.w * rhx_nodal(cell, s, g);
    // the point whose s-th node from its own is this thread's
    const int from = base + (RHX_PRODUCT_CELL ? cell.t ^ s : rhx_other(cell.t, s ? RHX_NN - s : 0));
#pragma unroll
    for (int c = 0; c < W; c++) {
      double v = N * f0[c];
#pragma unroll
      for (int j = 0; j < RHX_DIM; j++)
        if (gradient) v += cell.w * g[j] * f1[c][j];
      sum[c] += __shfl_sync(RHX_ALL, v, from);
    }
  }
  if (!cell.inside) return;
  const size_t node = p.conn[(size_t)cell.id * RHX_NN + rhx_corner(cell.t)];
  const double scale = pp.scale ? pp.scale[node] : 1.0;
#pragma unroll
  for (int c = 0; c < W; c++) p.out[node * W + c] += scale * sum[c];
}

// dR/dx v + shift (M + dR/dx_t) v + dR/da a
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_product(RhxProductPass pp)
{
  const RhxMatrixPass &p = pp.at;
  RhxCell cell;
  RhxPoint pt;
  RhxReal f0[RHX_BS], f1[RHX_BS][RHX_DIM], aux[RHX_NAUX ? RHX_NAUX : 1];
  double r0[RHX_BS], r1[RHX_BS][RHX_DIM], v[RHX_BS];
  const RhxBy by = {pp.v, pp.a, p.shift};
  const RhxIo io = {p, cell, by, aux, f0, f1};
  const double masses[] = RHX_MASSES(p);
  rhx_cell(p, &cell, &pt);
  rhx_compose_residual(&io, &pt);
  rhx_interpolate_at<RHX_BS>(p, cell, pp.v, RHX_BS, 0, v, 0);
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) {
    r0[c] = f0[c].d[0] + (rhx_has_mass[c] ? p.shift * masses[c] * v[c] : 0.0);
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) r1[c][j] = f1[c][j].d[0];
  }
  rhx_integrate<RHX_BS, true>(pp, cell, r0, r1);
}

// The derivative along v of what is projected, times N.
#if RHX_NAUX
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_product_project(RhxProductPass pp)
{
  const RhxMatrixPass &p = pp.at;
  RhxCell cell;
  RhxPoint pt;
  RhxReal out[RHX_NAUX], aux[RHX_NAUX];
  double r0[RHX_NAUX];
  const RhxBy by = {pp.v, pp.a, p.shift};
  const RhxIo io = {p, cell, by, aux, 0, 0};
  rhx_cell(p, &cell, &pt);
#pragma unroll
  for (int c = 0; c < RHX_NAUX; c++) out[c] = 0.0;
  rhx_compose_project(&io, &pt, out);
#pragma unroll
  for (int c = 0; c < RHX_NAUX; c++) r0[c] = out[c].d[0];
  rhx_integrate<RHX_NAUX, false>(pp, cell, r0, 0);
}
#endif

// shift M v
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_product_mass(RhxProductPass pp)
{
  const RhxMatrixPass &p = pp.at;
  RhxCell cell;
  RhxPoint pt;
  double r0[RHX_BS], v[RHX_BS];
  const double masses[] = RHX_MASSES(p);
  rhx_cell(p, &cell, &pt);
  rhx_interpolate_at<RHX_BS>(p, cell, pp.v, RHX_BS, 0, v, 0);
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) r0[c] = rhx_has_mass[c] ? p.shift * masses[c] * v[c] : 0.0;
  rhx_integrate<RHX_BS, false>(pp, cell, r0, 0);
}
