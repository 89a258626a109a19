// Element kernels of one composition of the form, compiled at run time; what comes before it: kernels/point.cuh.
//
// A thread is one node of an element and one of its quadrature points, as many as nodes. Between the two stand warp
// shuffles: sum factorisation in quads and hexes, sums over the element in simplices. Node blocks go through shared memory so
// that a warp reads and adds neighbouring components; results are added by atomics without return.
#include <kernels/point.cuh>

#define RHX_WARPS 4
#define RHX_THREADS (32 * RHX_WARPS)

// ---- Node blocks through shared memory: slot s of the warp holds a block of width W at sm[s * (W | 1)] ----

template <int W> static __device__ __forceinline__ void rhx_stage_in(const double *from, int node, double *sm)
{
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int i = lane; i < 32 * W; i += 32) {
    const int slot = i / W, c = i - slot * W, n = __shfl_sync(RHX_ALL, node, slot);
    sm[slot * (W | 1) + c] = from[(size_t)n * W + c];
  }
  __syncwarp();
}

template <int W> static __device__ __forceinline__ void rhx_stage_out(double *to, int node, const double *sm)
{
  const int lane = threadIdx.x & 31;
  __syncwarp();
#pragma unroll
  for (int i = lane; i < 32 * W; i += 32) {
    const int slot = i / W, c = i - slot * W, n = __shfl_sync(RHX_ALL, node, slot);
    if (n >= 0) atomicAdd(&to[(size_t)n * W + c], sm[slot * (W | 1) + c]);
  }
  __syncwarp();
}

#define RHX_ELEMENTS (32 / RHX_NN) // a warp; lanes left over repeat an element and add nothing

struct RhxThread {
  int t, node, read; // node of the element; local node, -1 if it is not to be added to; node to read, always valid
  double w;          // weight times Jacobian
#if RHX_TENSOR_CELL
  double I[RHX_DIM][RHX_DIM]; // inverse Jacobian at the point
#else
  double dN[RHX_DIM]; // gradient of this node's shape function
#endif
};

#if RHX_TENSOR_CELL

#define RHX_INNER 0.78867513459481288 // shape function in one direction of the near and of the far node at a Gauss point
#define RHX_OUTER 0.21132486540518712

// VTK number of the corner whose bits are the signs of xi, eta, zeta.
static __device__ __forceinline__ int rhx_corner(int t) { return t & 2 ? t ^ 1 : t; }

// Value and reference gradient at this thread's point from the value of this thread's node.
static __device__ __forceinline__ void rhx_factor(int t, double u, double *v, double d[RHX_DIM])
{
  double w[RHX_DIM + 1] = {u}; // w[0] value so far; w[k] derivative in direction k - 1
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) {
    const double half = t >> k & 1 ? 0.5 : -0.5;
#pragma unroll
    for (int m = k; m >= 0; m--) {
      const double other = __shfl_xor_sync(RHX_ALL, w[m], 1 << k);
      if (m == 0) w[k + 1] = half * (w[0] - other);
      w[m] = RHX_INNER * w[m] + RHX_OUTER * other;
    }
  }
  *v = w[0];
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) d[k] = w[k + 1];
}

static __device__ __forceinline__ void rhx_interpolate(const RhxThread &th, double u, double *v, double d[RHX_DIM])
{
  double r[RHX_DIM];
  rhx_factor(th.t, u, v, r);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    d[i] = r[0] * th.I[0][i];
#pragma unroll
    for (int k = 1; k < RHX_DIM; k++) d[i] += r[k] * th.I[k][i];
  }
}

static __device__ __forceinline__ double rhx_interpolate_value(const RhxThread &th, double u)
{
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) u = RHX_INNER * u + RHX_OUTER * __shfl_xor_sync(RHX_ALL, u, 1 << k);
  return u;
}

// For this thread's node the sum over the points of (N f0 + grad N . f1) w, the transposed of rhx_interpolate.
static __device__ __forceinline__ double rhx_collect(const RhxThread &th, double f0, const double f1[RHX_DIM])
{
  double w[RHX_DIM + 1] = {f0 * th.w};
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) {
    double s = th.I[k][0] * f1[0];
#pragma unroll
    for (int i = 1; i < RHX_DIM; i++) s += th.I[k][i] * f1[i];
    w[k + 1] = s * th.w;
  }
#pragma unroll
  for (int k = RHX_DIM - 1; k >= 0; k--) {
    const double half = (th.t >> k & 1 ? 0.5 : -0.5) * w[k + 1];
    w[0] = RHX_INNER * w[0] + half + __shfl_xor_sync(RHX_ALL, RHX_OUTER * w[0] - half, 1 << k);
#pragma unroll
    for (int m = 1; m <= k; m++) w[m] = RHX_INNER * w[m] + RHX_OUTER * __shfl_xor_sync(RHX_ALL, w[m], 1 << k);
  }
  return w[0];
}

static __device__ __forceinline__ double rhx_collect_value(const RhxThread &th, double f0) { return rhx_interpolate_value(th, f0 * th.w); }

#else

#define rhx_corner(t) (t)

static __device__ __forceinline__ double rhx_sum(const RhxThread &th, double v)
{
#if RHX_NN == 4
  v += __shfl_xor_sync(RHX_ALL, v, 1);
  return v + __shfl_xor_sync(RHX_ALL, v, 2);
#else
  const int base = (threadIdx.x & 31) - th.t;
  return v + __shfl_sync(RHX_ALL, v, base + (th.t == 2 ? 0 : th.t + 1)) + __shfl_sync(RHX_ALL, v, base + (th.t == 0 ? 2 : th.t - 1));
#endif
}

static __device__ __forceinline__ void rhx_interpolate(const RhxThread &th, double u, double *v, double d[RHX_DIM])
{
  *v = RHX_FAR * rhx_sum(th, u) + (RHX_NEAR - RHX_FAR) * u;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) d[i] = rhx_sum(th, th.dN[i] * u);
}

static __device__ __forceinline__ double rhx_interpolate_value(const RhxThread &th, double u)
{
  return RHX_FAR * rhx_sum(th, u) + (RHX_NEAR - RHX_FAR) * u;
}

static __device__ __forceinline__ double rhx_collect(const RhxThread &th, double f0, const double f1[RHX_DIM])
{
  double s = RHX_FAR * rhx_sum(th, f0) + (RHX_NEAR - RHX_FAR) * f0;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) s += th.dN[i] * rhx_sum(th, f1[i]);
  return s * th.w;
}

static __device__ __forceinline__ double rhx_collect_value(const RhxThread &th, double f0) { return rhx_interpolate_value(th, f0) * th.w; }

#endif

// Element, node and geometry of this thread; pt gets the position and the metric.
static __device__ __forceinline__ void rhx_thread(const RhxDevicePass &p, RhxThread *th, RhxPoint *pt)
{
  const int lane = threadIdx.x & 31, mine = lane / RHX_NN;
  const int e = (blockIdx.x * RHX_WARPS + (threadIdx.x >> 5)) * RHX_ELEMENTS + mine;
  const bool inside = mine < RHX_ELEMENTS && e < p.n;
  th->t = lane % RHX_NN;
  const size_t at = (size_t)(e < p.n ? e : p.n - 1) * RHX_NN + rhx_corner(th->t);
  double J[RHX_DIM][RHX_DIM];
  th->read = p.conn[at];
  th->node = inside ? th->read : -1;
#if RHX_TENSOR_CELL
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) rhx_factor(th->t, p.coord[at * RHX_DIM + i], &pt->x[i], J[i]);
  th->w = rhx_invert(J, th->I);
  rhx_metric(th->I, pt);
#else
  double own[RHX_DIM], I[RHX_DIM][RHX_DIM];
#pragma unroll
  for (int a = 0; a < RHX_NN; a++)
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++)
      if (a == th->t) own[j] = rhx_dN[a][j];
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    const double x = p.coord[at * RHX_DIM + i];
    pt->x[i] = rhx_interpolate_value(*th, x);
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) J[i][j] = rhx_sum(*th, x * own[j]);
  }
  th->w = rhx_invert(J, I) * RHX_WEIGHT;
  rhx_metric(I, pt);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    th->dN[i] = own[0] * I[0][i];
#pragma unroll
    for (int k = 1; k < RHX_DIM; k++) th->dN[i] += own[k] * I[k][i];
  }
#endif
}

// Rates are zero in projections, as on the host.
template <bool rates> static __device__ __forceinline__ void rhx_read(const RhxDevicePass &p, const RhxThread &th, double *sm, RhxValues *val)
{
  const int lane = threadIdx.x & 31;
  rhx_stage_in<RHX_BS>(p.x, th.read, sm);
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) rhx_interpolate(th, sm[lane * (RHX_BS | 1) + c], &val->v[c], val->d[c]);
  __syncwarp();
#if RHX_HAS_RATE
  if (rates) rhx_stage_in<RHX_BS>(p.xdot, th.read, sm);
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) val->rate[c] = rates ? rhx_interpolate_value(th, sm[lane * (RHX_BS | 1) + c]) : 0.0;
  __syncwarp();
#endif
#if RHX_HAS_SOURCE
  rhx_stage_in<RHX_BS>(p.source, th.read, sm);
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) val->source[c] = rhx_interpolate_value(th, sm[lane * (RHX_BS | 1) + c]);
  __syncwarp();
#endif
}

#define RHX_STAGE_WIDTH (RHX_MAX_OF(RHX_BS, RHX_NAUX) | 1)

template <bool stats> static __device__ __forceinline__ void rhx_residual_of(const RhxDevicePass &p)
{
  __shared__ double stage[RHX_THREADS * RHX_STAGE_WIDTH];
  double *sm = stage + (threadIdx.x >> 5) * 32 * RHX_STAGE_WIDTH;
  const int lane = threadIdx.x & 31;
  RhxThread th;
  RhxPoint pt;
  RhxValues val;
  double f0[RHX_BS], f1[RHX_BS][RHX_DIM], largest[RHX_NSTATS];
  rhx_thread(p, &th, &pt);
#if RHX_NAUX
  rhx_stage_in<RHX_NAUX>(p.aux, th.read, sm);
#pragma unroll
  for (int c = 0; c < RHX_NAUX; c++) val.aux[c] = rhx_interpolate_value(th, sm[lane * (RHX_NAUX | 1) + c]);
  __syncwarp();
#endif
  rhx_read<true>(p, th, sm, &val);
  rhx_point_residual<stats>(p, val, &pt, f0, f1, largest);
  if (stats) rhx_add_stats(p, largest);
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) sm[lane * (RHX_BS | 1) + c] = rhx_collect(th, f0[c], f1[c]);
  rhx_stage_out<RHX_BS>(p.out, th.node, sm);
}

// out[node][RHX_BS] += weak residual, all rows; the second takes the largest rates too
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_residual(RhxDevicePass p) { rhx_residual_of<false>(p); }
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_residual_stats(RhxDevicePass p) { rhx_residual_of<true>(p); }

#if RHX_NAUX
// out[node][RHX_NAUX] += integral N times the auxiliary values
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_project(RhxDevicePass p)
{
  __shared__ double stage[RHX_THREADS * RHX_STAGE_WIDTH];
  double *sm = stage + (threadIdx.x >> 5) * 32 * RHX_STAGE_WIDTH;
  const int lane = threadIdx.x & 31;
  RhxThread th;
  RhxPoint pt;
  RhxValues val;
  double out[RHX_NAUX];
  rhx_thread(p, &th, &pt);
  rhx_read<false>(p, th, sm, &val);
  rhx_point_project(p, val, &pt, out);
#pragma unroll
  for (int c = 0; c < RHX_NAUX; c++) sm[lane * (RHX_NAUX | 1) + c] = rhx_collect_value(th, out[c]);
  rhx_stage_out<RHX_NAUX>(p.out, th.node, sm);
}
#endif

// out[node] += integral N div x, x[node][RHX_DIM]
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_divergence(RhxDevicePass p)
{
  RhxThread th;
  RhxPoint pt;
  double v, d[RHX_DIM], div = 0.0;
  rhx_thread(p, &th, &pt);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    rhx_interpolate(th, p.x[(size_t)th.read * RHX_DIM + i], &v, d);
    div += d[i];
  }
  div = rhx_collect_value(th, div);
  if (th.node >= 0) atomicAdd(&p.out[th.node], div);
}

// out[node][RHX_DIM] += integral N grad x, x[node]
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_gradient(RhxDevicePass p)
{
  RhxThread th;
  RhxPoint pt;
  double v, d[RHX_DIM];
  rhx_thread(p, &th, &pt);
  rhx_interpolate(th, p.x[th.read], &v, d);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    const double g = rhx_collect_value(th, d[i]);
    if (th.node >= 0) atomicAdd(&p.out[(size_t)th.node * RHX_DIM + i], g);
  }
}

// out[i] /= mass[i / width]
extern "C" __global__ void rhx_divide(int n, int width, const double *mass, double *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] /= mass[i / width];
}
