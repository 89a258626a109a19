// Element matrices and their assembly. The generator (src/form/cuda/matrix_source.c) writes before this file what
// kernels/point.cuh lists, all numbers of the pipeline being those of kernels/dual.cuh, and
//
//   RHX_NR, RHX_NC, rhx_row[], rhx_col[]: components of the node block that give rows and columns; rhx_has_mass[],
//   RHX_MASSES(pass): of all components, what multiplies their rates; RHX_MASS 0 none, 1 lumped, 2 consistent; RHX_MODE: RHX_STORE for owners, RHX_ATOMIC, or RHX_ADD for colours
//
// and after it a line RHX_TANGENT_KERNEL(column) for each column, or RHX_LAPLACIAN_KERNEL or RHX_MASS_KERNEL.
//
// The pipeline at a point is linearised once: its derivatives by value and gradient of a component are the directions of a dual
// number. Element matrices are products of those with shape functions. A thread is one quadrature point of an element and then
// the node of one column, as many as points; node a of the rows comes by loop.
#undef for // of kernels/dual.cuh
#include <kernels/cell.cuh>
#include <kernels/tangent.cuh>

#define RHX_STORE 0
#define RHX_ATOMIC 1
#define RHX_ADD 2

// A number that may be zero whatever the state.
struct RhxMaybe {
  double v;
  bool z;
};
#define RHX_NOTHING \
  {                 \
    0.0, true       \
  }

static __device__ __forceinline__ void rhx_join(RhxMaybe *sum, bool z, double a, double b)
{
  if (z) return;
  sum->v = sum->z ? a * b : sum->v + a * b;
  sum->z = false;
}

// What the tangent is by: a component of the node block; shift: derivative of its rate.
struct RhxBy {
  int component;
  double shift;
};

// A number whose derivative in direction k is `slope` if it is of the component, or else zero.
static __device__ __forceinline__ RhxReal rhx_seed(double v, bool own, int k, double slope)
{
  RhxReal r = v;
  if (own) {
    r.d[k] = slope;
    r.z &= ~(1u << k);
  }
  return r;
}

template <int W>
static __device__ __forceinline__ void rhx_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by,
                                                  int first, RhxValues<W> *val)
{
  double v[W], d[W][RHX_DIM], rate[W], source[W];
  rhx_interpolate_at<W>(p, cell, p.x, RHX_BS, first, v, d);
#if RHX_HAS_RATE
  if (p.xdot) rhx_interpolate_at<W>(p, cell, p.xdot, RHX_BS, first, rate, 0);
#endif
#if RHX_HAS_SOURCE
  rhx_interpolate_at<W>(p, cell, p.source, RHX_BS, first, source, 0);
#endif
#pragma unroll
  for (int c = 0; c < W; c++) {
    const bool own = by.component == first + c;
    val->v[c] = rhx_seed(v[c], own, 0, 1.0);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) val->d[c][i] = rhx_seed(d[c][i], own, i + 1, 1.0);
    val->rate[c] = RHX_HAS_RATE && p.xdot ? rhx_seed(rate[c], own, 0, by.shift) : RhxReal(0.0);
    val->source[c] = RHX_HAS_SOURCE ? source[c] : 0.0;
  }
}

// Auxiliary values are held.
template <int W>
static __device__ __forceinline__ void rhx_aux_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &,
                                                      RhxReal aux[W])
{
  double v[W];
  rhx_interpolate_at<W>(p, cell, p.aux, W, 0, v, 0);
#pragma unroll
  for (int c = 0; c < W; c++) aux[c] = v[c];
}

// Where the rows of node a begin that this thread's column node has in column component c; rows are `step` apart.
struct RhxTarget {
  double *at;
  size_t step;
};

static __device__ __forceinline__ RhxTarget rhx_target(const RhxMatrixPass &mp, const RhxCell &cell, int a, int c)
{
  RhxTarget to = {};
#if RHX_MODE != RHX_STORE
  const int b = rhx_corner(cell.t);
  const size_t pair = (size_t)cell.id * RHX_NN + a;
  const int node = mp.conn[pair], first = mp.start[node], width = mp.start[node + 1] - first;
  to.at = mp.out + ((size_t)first * RHX_NR + mp.at[pair * RHX_NN + b]) * RHX_NC + c;
  to.step = (size_t)width * RHX_NC;
#endif
  return to;
}

// Element rows on their way to the store, so that a warp writes neighbours: RHX_KEPT rows of each of RHX_SIDES row nodes.
#if RHX_PRODUCT_CELL
#define RHX_SIDES 1
#else
#define RHX_SIDES RHX_NN
#endif
#define RHX_KEPT (RHX_NR < 10 ? RHX_NR : 10)
#define RHX_PART (RHX_KEPT * RHX_NN)         // of a row node
#define RHX_PLACE (RHX_SIDES * RHX_PART + 4) // of an element; 4 spread the banks
#define RHX_WARP_PLACES (RHX_ELEMENTS * RHX_PLACE)

// l: number of r among the live rows
static __device__ __forceinline__ void rhx_put(double *kept, const RhxCell &cell, const RhxTarget &to, int side, int l,
                                               int r, double value)
{
#if RHX_MODE == RHX_STORE
  const int mine = (threadIdx.x & 31) / RHX_NN;
  if (mine < RHX_ELEMENTS)
    kept[mine * RHX_PLACE + side * RHX_PART + l % RHX_KEPT * RHX_NN + rhx_corner(cell.t)] = value;
#else
  double *at = to.at + r * to.step;
  if (!cell.inside) return;
#if RHX_MODE == RHX_ATOMIC
  atomicAdd(at, value);
#else
  *at += value;
#endif
#endif
}

// After live row l of nlive: writes what is kept, if that is full or l the last; a: the first row node.
static __device__ __forceinline__ void rhx_flush(const RhxMatrixPass &mp, double *kept, int a, int l, int nlive)
{
#if RHX_MODE == RHX_STORE
  if (l % RHX_KEPT != RHX_KEPT - 1 && l != nlive - 1) return;
  const int first = (blockIdx.x * (RHX_THREADS / 32) + (threadIdx.x >> 5)) * RHX_ELEMENTS, left = mp.n - first;
  const int size = (l % RHX_KEPT + 1) * RHX_NN, n = (left < RHX_ELEMENTS ? left : RHX_ELEMENTS) * RHX_SIDES * size;
  double *to = mp.out + ((size_t)first * RHX_NN + a) * (nlive * RHX_NN) + l / RHX_KEPT * RHX_PART;
  __syncwarp();
  for (int i = threadIdx.x & 31; i < n; i += 32) {
    const int part = i / size, e = part / RHX_SIDES, side = part - e * RHX_SIDES, k = i - part * size;
    to[(size_t)(e * RHX_NN + side) * (nlive * RHX_NN) + k] = kept[e * RHX_PLACE + side * RHX_PART + k];
  }
  __syncwarp();
#endif
}

// Column c of the element matrix from the derivatives of f0 and f1 by value (direction 0) and gradient (1 + k) of the column's
// component. lumped: what is added to row r of the column's own node for each unit of its mass; nothing to the row `diagonal`
// if that is -1. Rows whose derivatives are all zero whatever the state are left out.
static __device__ __forceinline__ void rhx_column(const RhxMatrixPass &mp, const RhxCell &cell, int c,
                                                  const RhxReal f0[RHX_NR], const RhxReal f1[RHX_NR][RHX_DIM],
                                                  int diagonal, double lumped)
{
  bool live[RHX_NR];
  int nlive = 0;
#pragma unroll
  for (int r = 0; r < RHX_NR; r++) {
    unsigned z = f0[r].z;
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) z &= f1[r][j].z;
    live[r] = z != RHX_NO_DIRECTION || r == diagonal;
    nlive += live[r];
    if (mp.live && !blockIdx.x && !threadIdx.x) mp.live[c * RHX_NR + r] = live[r];
  }
#if RHX_MODE == RHX_STORE
  __shared__ double all[RHX_THREADS / 32 * RHX_WARP_PLACES];
  double *kept = all + (threadIdx.x >> 5) * RHX_WARP_PLACES;
#else
  double *kept = 0;
#endif
#if RHX_PRODUCT_CELL
  double wI[RHX_DIM][RHX_DIM], mass = cell.w;
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) {
    mass = RHX_INNER * mass + RHX_OUTER * __shfl_xor_sync(RHX_ALL, mass, 1 << k);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) wI[k][i] = cell.w * cell.I[k][i];
  }
#pragma unroll 1
  for (int a = 0; a < RHX_NN; a++) {
    double g[RHX_DIM];
    const double N = rhx_shape_gradient(cell, a, g);
    const RhxTarget to = rhx_target(mp, cell, rhx_corner(a), c);
    int l = 0;
#pragma unroll
    for (int r = 0; r < RHX_NR; r++) {
      if (!live[r]) continue;
      RhxMaybe m[RHX_DIM + 1];
#pragma unroll
      for (int k = 0; k <= RHX_DIM; k++) {
        m[k] = RHX_NOTHING;
        rhx_join(&m[k], rhx_constant(f0[r], k), f0[r].d[k], N);
#pragma unroll
        for (int j = 0; j < RHX_DIM; j++) rhx_join(&m[k], rhx_constant(f1[r][j], k), f1[r][j].d[k], g[j]);
      }
      RhxMaybe w[RHX_DIM + 1];
      w[0].z = m[0].z;
      w[0].v = m[0].v * cell.w;
#pragma unroll
      for (int k = 0; k < RHX_DIM; k++) {
        w[k + 1] = RHX_NOTHING;
#pragma unroll
        for (int i = 0; i < RHX_DIM; i++) rhx_join(&w[k + 1], m[i + 1].z, m[i + 1].v, wI[k][i]);
      }
#pragma unroll
      for (int k = RHX_DIM - 1; k >= 0; k--) {
        if (!w[0].z || !w[k + 1].z) {
          const double half = w[k + 1].z ? 0.0 : (cell.t >> k & 1 ? 0.5 : -0.5) * w[k + 1].v,
                       own = w[0].z ? 0.0 : w[0].v;
          w[0].v = RHX_INNER * own + half + __shfl_xor_sync(RHX_ALL, RHX_OUTER * own - half, 1 << k);
          w[0].z = false;
        }
#pragma unroll
        for (int i = 1; i <= k; i++)
          if (!w[i].z) w[i].v = RHX_INNER * w[i].v + RHX_OUTER * __shfl_xor_sync(RHX_ALL, w[i].v, 1 << k);
      }
      double v = w[0].z ? 0.0 : w[0].v;
      if (r == diagonal && a == cell.t) v += lumped * mass;
      rhx_put(kept, cell, to, 0, l, r, v);
      rhx_flush(mp, kept, rhx_corner(a), l++, nlive);
    }
  }
#else
  const int base = (threadIdx.x & 31) - cell.t;
  // weights of the points differ in axisymmetric flow alone: what a point sends then holds its own
  const double sent = RHX_AXISYMMETRIC ? cell.w : 1.0, received = RHX_AXISYMMETRIC ? 1.0 : cell.w;
  double mass = RHX_NEAR * cell.w;
#pragma unroll
  for (int s = 1; s < RHX_NN; s++)
    mass += RHX_FAR * (RHX_AXISYMMETRIC ? __shfl_sync(RHX_ALL, cell.w, base + rhx_other(cell.t, s)) : cell.w);
  RhxTarget to[RHX_NN];
#pragma unroll
  for (int s = 0; s < RHX_NN; s++) to[s] = rhx_target(mp, cell, rhx_other(cell.t, s), c);
  int l = 0;
#pragma unroll
  for (int r = 0; r < RHX_NR; r++) {
    if (!live[r]) continue;
    double own[RHX_NN];
    RhxMaybe sum[RHX_DIM + 1];
#pragma unroll
    for (int j = 0; j <= RHX_DIM; j++) sum[j] = RHX_NOTHING;
      // this point's contribution to column node t - s goes to that node's thread
#pragma unroll
    for (int s = 0; s < RHX_NN; s++) {
      const int back = s ? RHX_NN - s : 0, from = base + rhx_other(cell.t, s);
      own[s] = 0.0;
#pragma unroll
      for (int j = 0; j <= RHX_DIM; j++) {
        const RhxReal &f = j ? f1[r][j - 1] : f0[r];
        RhxMaybe m = RHX_NOTHING;
        rhx_join(&m, rhx_constant(f, 0), f.d[0], s ? RHX_FAR : RHX_NEAR);
#pragma unroll
        for (int k = 0; k < RHX_DIM; k++) rhx_join(&m, rhx_constant(f, k + 1), f.d[k + 1], cell.dN[back][k]);
        if (m.z) continue;
        m.v *= sent;
        const double got = s ? __shfl_sync(RHX_ALL, m.v, from) : m.v;
        if (j == 0) own[s] = got;
        sum[j].v = sum[j].z ? got : sum[j].v + got;
        sum[j].z = false;
      }
    }
#pragma unroll
    for (int s = 0; s < RHX_NN; s++) {
      double v = sum[0].z ? 0.0 : RHX_FAR * sum[0].v + (RHX_NEAR - RHX_FAR) * own[s];
#pragma unroll
      for (int j = 0; j < RHX_DIM; j++)
        if (!sum[j + 1].z) v += cell.dN[s][j] * sum[j + 1].v;
      v *= received;
      if (r == diagonal && s == 0) v += lumped * mass;
      rhx_put(kept, cell, to[s], rhx_other(cell.t, s), l, r, v);
    }
    rhx_flush(mp, kept, 0, l++, nlive);
  }
#endif
}

// d/d(column component C): of f0, f1 by x and its gradient, plus shift times that by the rate and the mass.
template <int C> static __device__ __forceinline__ void rhx_tangent(const RhxMatrixPass &mp)
{
  RhxCell cell;
  RhxPoint pt;
  RhxReal f0[RHX_BS], f1[RHX_BS][RHX_DIM], r0[RHX_NR], r1[RHX_NR][RHX_DIM];
  RhxReal aux[RHX_NAUX ? RHX_NAUX : 1];
  const RhxBy by = {rhx_col[C], mp.shift};
  const RhxIo io = {mp, cell, by, aux, f0, f1};
  int diagonal = -1;
  rhx_cell(mp, &cell, &pt);
  rhx_compose_residual(&io, &pt);
  const double masses[] = RHX_MASSES(mp), mass = RHX_MASS ? mp.shift * masses[rhx_col[C]] : 0.0;
#pragma unroll
  for (int r = 0; r < RHX_NR; r++) {
    const bool own = rhx_row[r] == rhx_col[C] && rhx_has_mass[rhx_row[r]];
    r0[r] = f0[rhx_row[r]];
    if (RHX_MASS == 1 && own) diagonal = r;
    if (RHX_MASS == 2 && own) {
      r0[r].d[0] += mass;
      r0[r].z &= ~1u;
    }
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) r1[r][j] = f1[rhx_row[r]][j];
  }
  rhx_column(mp, cell, C, r0, r1, diagonal, mass);
}

// integral of grad N . grad N, or of N N
template <bool gradient> static __device__ __forceinline__ void rhx_scalar(const RhxMatrixPass &mp)
{
  RhxCell cell;
  RhxPoint pt;
  RhxReal f0[1] = {0.0}, f1[1][RHX_DIM];
  rhx_cell(mp, &cell, &pt);
  if (!gradient) {
    f0[0].d[0] = 1.0;
    f0[0].z &= ~1u;
  }
#pragma unroll
  for (int j = 0; j < RHX_DIM; j++) {
    f1[0][j] = 0.0;
    if (gradient) {
      f1[0][j].d[j + 1] = 1.0;
      f1[0][j].z &= ~(2u << j);
    }
  }
  rhx_column(mp, cell, 0, f0, f1, -1, 0.0);
}

#define RHX_TANGENT_KERNEL(C) \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_tangent_##C(RhxMatrixPass p) { rhx_tangent<C>(p); }
#define RHX_LAPLACIAN_KERNEL \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_tangent_0(RhxMatrixPass p) { rhx_scalar<true>(p); }
#define RHX_MASS_KERNEL \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_tangent_0(RhxMatrixPass p) { rhx_scalar<false>(p); }

// ---- The owner of a row sums the stored element rows of its node, in the order of the elements, and writes each value once ----

#define RHX_MOST ((RHX_NR * RHX_NC * RHX_NN + 31) / 32)
#define RHX_BATCH (RHX_MOST < 10 ? RHX_MOST : 10)

// A warp is a node; its rows are summed in shared memory, a lane always the same values of an entry.
extern "C" __global__ void __launch_bounds__(128) rhx_gather(RhxGatherPass p)
{
  extern __shared__ double sm[];
  const int lane = threadIdx.x & 31, i = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  double *row = sm + (size_t)(threadIdx.x >> 5) * p.width * (RHX_NR * RHX_NC);
  if (i >= p.n) return;
  const int node = p.first + i, first = p.start[node], width = p.start[node + 1] - first,
            size = width * (RHX_NR * RHX_NC);
  double *out = p.out + (size_t)first * (RHX_NR * RHX_NC);
  for (int k = lane; k < size; k += 32) {
    const int c = k % RHX_NC, line = k / RHX_NC, r = line / width;
    row[(c * RHX_NR + r) * width + line - r * width] = p.add ? out[k] : 0.0;
  }
  __syncwarp();
  for (int m0 = lane; m0 - lane < p.npairs * RHX_NN; m0 += 32 * RHX_BATCH) {
    const double *from[RHX_BATCH];
    int stride[RHX_BATCH], place[RHX_BATCH];
#pragma unroll
    for (int k = 0; k < RHX_BATCH; k++) {
      const int m = m0 + 32 * k, number = m / RHX_NN, b = m - number * RHX_NN;
      const bool mine = number < p.npairs;
      const RhxPair pair = p.pair[mine ? number : 0];
      from[k] = p.store + ((size_t)p.elements * RHX_NN * pair.before + pair.l) * RHX_NN + b;
      stride[k] = pair.nlive * RHX_NN;
      place[k] = mine ? pair.place * width : -1;
    }
    // values of the next entry are under way while those of this one are added
    const int last = p.list[i + 1];
    for (int l0 = p.list[i]; l0 < last; l0 += 32) {
      const int count = last - l0 < 32 ? last - l0 : 32, entries = lane < count ? p.entry[l0 + lane] : 0;
      double next[RHX_BATCH];
      int next_block = 0;
#pragma unroll 1
      for (int j = -1; j < count; j++) {
        double v[RHX_BATCH];
        const int block = next_block;
#pragma unroll
        for (int k = 0; k < RHX_BATCH; k++) v[k] = next[k];
        if (j + 1 < count) {
          const size_t entry = __shfl_sync(RHX_ALL, entries, j + 1);
          next_block = p.at[(size_t)(l0 + j + 1) * RHX_NN + lane % RHX_NN];
#pragma unroll
          for (int k = 0; k < RHX_BATCH; k++) next[k] = place[k] < 0 ? 0.0 : from[k][entry * stride[k]];
        }
        if (j < 0) continue;
#pragma unroll
        for (int k = 0; k < RHX_BATCH; k++) {
          const int at = RHX_NN == 3 ? __shfl_sync(RHX_ALL, block, (m0 + 32 * k) % RHX_NN) : block;
          if (place[k] >= 0) row[place[k] + at] += v[k];
        }
        __syncwarp();
      }
    }
  }
  for (int k = lane; k < size; k += 32) {
    const int c = k % RHX_NC, line = k / RHX_NC, r = line / width;
    out[k] = row[(c * RHX_NR + r) * width + line - r * width];
  }
}
