// Element kernels of one composition of the form, compiled at run time; what comes before it: kernels/point.cuh.
//
// A block of threads is a tile: RHX_TILE neighbouring elements (src/form/device_tiles.h). It reads the blocks of the tile's
// nodes once into shared memory, and its elements leave their results there, one row a slot (node of an element); then each
// node of the tile sums its slots, always in the same order, and the sum goes out by atomics, as a plain sum or to a place of
// its own. In quads and hexes a thread is one node of an element and one of its quadrature points, as many as nodes: between
// the two stands sum factorisation by warp shuffles. In simplices a thread is an element: gradients are the same at all points.
#include <kernels/point.cuh>

#define RHX_ASSEMBLE_ATOMIC 0 // out[node] += by atomics
#define RHX_ASSEMBLE_PLAIN 1  // out[node] +=, no two elements of the launch share a node
#define RHX_ASSEMBLE_STORE 2  // out[tile node] =

#define RHX_SLOTS (RHX_TILE * RHX_NN)
#define RHX_THREADS (RHX_TENSOR_CELL ? RHX_SLOTS : RHX_TILE)

extern __shared__ double rhx_shared[];

// Rows of the tile's nodes in shared memory: position, then a part a field; odd widths avoid bank conflicts.
struct RhxTile {
  int first, n; // of its nodes
  const unsigned short *member;
};

static __device__ __forceinline__ RhxTile rhx_tile(const RhxDevicePass &p)
{
  const int t = p.first + blockIdx.x, first = p.tile[t];
  return {first, p.tile[t + 1] - first, p.member + (size_t)t * RHX_SLOTS};
}

// Part of width W of every row, from node blocks.
template <int W, int ROW> static __device__ __forceinline__ void rhx_read(const double *from, const int *node, int n, double *to)
{
  constexpr int V = W % 2 ? 1 : 2; // components a load
#pragma unroll 2
  for (int i = threadIdx.x; i < n * (W / V); i += RHX_THREADS) {
    const int k = i / (W / V), c = (i - k * (W / V)) * V;
    const size_t at = (size_t)node[k] * W + c;
    if (V == 2) {
      const double2 v = *(const double2 *)(from + at);
      to[k * ROW + c] = v.x;
      to[k * ROW + c + 1] = v.y;
    } else
      to[k * ROW + c] = from[at];
  }
}

template <int ROW> static __device__ __forceinline__ void rhx_read_positions(const RhxDevicePass &p, const RhxTile &tile)
{
  for (int i = threadIdx.x; i < tile.n * RHX_DIM; i += RHX_THREADS) {
    const int k = i / RHX_DIM, c = i - k * RHX_DIM;
    rhx_shared[k * ROW + c] = p.coord[(size_t)tile.first * RHX_DIM + i];
  }
}

// Every node of the tile sums its slots of width W.
template <int W> static __device__ __forceinline__ void rhx_assemble(const RhxDevicePass &p, const RhxTile &tile, const double *slot)
{
  __syncthreads();
  for (int i = threadIdx.x; i < tile.n * W; i += RHX_THREADS) {
    const int k = i / W, c = i - k * W, last = p.start[tile.first + k + 1];
    double s = 0.0;
    for (int j = p.start[tile.first + k]; j < last; j++) s += slot[p.entry[j] * (W | 1) + c];
    if (p.assembly == RHX_ASSEMBLE_STORE) {
      p.out[(size_t)(tile.first + k) * W + c] = s;
      continue;
    }
    double *const to = &p.out[(size_t)p.node[tile.first + k] * W + c];
    if (p.assembly == RHX_ASSEMBLE_ATOMIC)
      atomicAdd(to, s);
    else
      *to += s;
  }
}

#if RHX_TENSOR_CELL
#include <kernels/tensor.cuh>
#else
#include <kernels/simplex.cuh>
#endif

// Parts of the row that a pass of the form reads.
#define RHX_AT_X RHX_DIM
#define RHX_AT_SOURCE (RHX_AT_X + RHX_BS)
#define RHX_AT_RATE (RHX_AT_SOURCE + RHX_HAS_SOURCE * RHX_BS)
#define RHX_AT_AUX (RHX_AT_RATE + RHX_HAS_RATE * RHX_BS)
#define RHX_ROW_PROJECT (RHX_AT_RATE | 1)
#define RHX_ROW_RESIDUAL ((RHX_AT_AUX + RHX_NAUX) | 1)

// Rates are zero in projections, as on the host, and there are no auxiliary values yet.
template <bool residual, int ROW> static __device__ __forceinline__ void rhx_read_tile(const RhxDevicePass &p, const RhxTile &tile)
{
  const int *const node = p.node + tile.first;
  rhx_read_positions<ROW>(p, tile);
  rhx_read<RHX_BS, ROW>(p.x, node, tile.n, rhx_shared + RHX_AT_X);
#if RHX_HAS_SOURCE
  rhx_read<RHX_BS, ROW>(p.source, node, tile.n, rhx_shared + RHX_AT_SOURCE);
#endif
#if RHX_HAS_RATE
  if (residual) rhx_read<RHX_BS, ROW>(p.xdot, node, tile.n, rhx_shared + RHX_AT_RATE);
#endif
#if RHX_NAUX
  if (residual) rhx_read<RHX_NAUX, ROW>(p.aux, node, tile.n, rhx_shared + RHX_AT_AUX);
#endif
  __syncthreads();
}

template <bool residual, int ROW> static __device__ __forceinline__ void rhx_values(const RhxElement<ROW> &el, RhxValues *val)
{
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) el.full(RHX_AT_X + c, c, &val->v[c], val->d[c]);
#if RHX_HAS_SOURCE
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) val->source[c] = el.value(RHX_AT_SOURCE + c);
#endif
#if RHX_HAS_RATE
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) val->rate[c] = residual ? el.value(RHX_AT_RATE + c) : 0.0;
#endif
#if RHX_NAUX
#pragma unroll
  for (int c = 0; c < RHX_NAUX; c++)
    if (residual) val->aux[c] = el.value(RHX_AT_AUX + c);
#endif
}

template <bool stats> static __device__ __forceinline__ void rhx_residual_of(const RhxDevicePass &p)
{
  const RhxTile tile = rhx_tile(p);
  double largest[RHX_NSTATS] = {};
  rhx_read_tile<true, RHX_ROW_RESIDUAL>(p, tile);
  RhxElement<RHX_ROW_RESIDUAL> el(tile);
  el.template prepare<RHX_BS, RHX_AT_X>();
  RhxResult<RHX_BS, true> result(tile, RHX_ROW_RESIDUAL);
#pragma unroll 1
  for (int q = 0; q < RHX_POINTS; q++) {
    RhxValues val;
    RhxPoint pt;
    double f0[RHX_BS], f1[RHX_BS][RHX_DIM], at[RHX_NSTATS];
    el.point(q, &pt);
    rhx_values<true>(el, &val);
    rhx_point_residual<stats>(p, val, &pt, f0, f1, at);
    if (stats)
#pragma unroll
      for (int k = 0; k < RHX_NSTATS; k++) largest[k] = rhx_largest(largest[k], at[k]);
    result.add(el, q, f0, f1);
  }
  result.finish(el);
  if (stats) rhx_add_stats(p, largest);
  rhx_assemble<RHX_BS>(p, tile, result.slot);
}

// out[node][RHX_BS] += weak residual, all rows; the second takes the largest rates too
extern "C" __global__ void __launch_bounds__(RHX_THREADS, RHX_BLOCKS) rhx_residual(RhxDevicePass p) { rhx_residual_of<false>(p); }
extern "C" __global__ void __launch_bounds__(RHX_THREADS, RHX_BLOCKS) rhx_residual_stats(RhxDevicePass p)
{
  rhx_residual_of<true>(p);
}

#if RHX_NAUX
// out[node][RHX_NAUX] += integral N times the auxiliary values
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_project(RhxDevicePass p)
{
  const RhxTile tile = rhx_tile(p);
  rhx_read_tile<false, RHX_ROW_PROJECT>(p, tile);
  RhxElement<RHX_ROW_PROJECT> el(tile);
  el.template prepare<RHX_BS, RHX_AT_X>();
  RhxResult<RHX_NAUX, false> result(tile, RHX_ROW_PROJECT);
#pragma unroll 1
  for (int q = 0; q < RHX_POINTS; q++) {
    RhxValues val;
    RhxPoint pt;
    RhxReal out[RHX_NAUX];
    double f0[RHX_NAUX];
    el.point(q, &pt);
    rhx_values<false>(el, &val);
    rhx_point_project(p, val, &pt, out);
#pragma unroll
    for (int c = 0; c < RHX_NAUX; c++) f0[c] = rhx_value(out[c]);
    result.add(el, q, f0, (const double(*)[RHX_DIM])0);
  }
  result.finish(el);
  rhx_assemble<RHX_NAUX>(p, tile, result.slot);
}
#endif

// out[node] += integral N div x, x[node][RHX_DIM]
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_divergence(RhxDevicePass p)
{
  constexpr int ROW = 2 * RHX_DIM | 1;
  const RhxTile tile = rhx_tile(p);
  rhx_read_positions<ROW>(p, tile);
  rhx_read<RHX_DIM, ROW>(p.x, p.node + tile.first, tile.n, rhx_shared + RHX_DIM);
  __syncthreads();
  RhxElement<ROW> el(tile);
  el.template prepare<RHX_DIM, RHX_DIM>();
  RhxResult<1, false> result(tile, ROW);
#pragma unroll 1
  for (int q = 0; q < RHX_POINTS; q++) {
    RhxPoint pt;
    double v, d[RHX_DIM], div = 0.0;
    el.point(q, &pt);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      el.full(RHX_DIM + i, i, &v, d);
      div += d[i];
    }
    result.add(el, q, &div, (const double(*)[RHX_DIM])0);
  }
  result.finish(el);
  rhx_assemble<1>(p, tile, result.slot);
}

// out[node][RHX_DIM] += integral N grad x, x[node]
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_gradient(RhxDevicePass p)
{
  constexpr int ROW = (RHX_DIM + 1) | 1;
  const RhxTile tile = rhx_tile(p);
  rhx_read_positions<ROW>(p, tile);
  rhx_read<1, ROW>(p.x, p.node + tile.first, tile.n, rhx_shared + RHX_DIM);
  __syncthreads();
  RhxElement<ROW> el(tile);
  el.template prepare<1, RHX_DIM>();
  RhxResult<RHX_DIM, false> result(tile, ROW);
#pragma unroll 1
  for (int q = 0; q < RHX_POINTS; q++) {
    RhxPoint pt;
    double v, d[RHX_DIM];
    el.point(q, &pt);
    el.full(RHX_DIM, 0, &v, d);
    result.add(el, q, d, (const double(*)[RHX_DIM])0);
  }
  result.finish(el);
  rhx_assemble<RHX_DIM>(p, tile, result.slot);
}

// out[node][width] += the parts of the tiles that hold it, entry[start[node]..start[node + 1]), always in that order
extern "C" __global__ void rhx_gather(int n, int width, const int *start, const int *entry, const double *part, double *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int node = i / width, c = i - node * width, last = start[node + 1];
  double s = out[i];
  for (int j = start[node]; j < last; j++) s += part[(size_t)entry[j] * width + c];
  out[i] = s;
}

// out[i] /= mass[i / width]
extern "C" __global__ void rhx_divide(int n, int width, const double *mass, double *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] /= mass[i / width];
}
