// Element kernels of one composition of the form, compiled at run time; what comes before it: kernels/point.cuh.
//
// A block of threads works on one tile of RHX_TILE neighbouring elements (src/form/cuda/tiles.h) after the other. It
// reads the blocks of the tile's nodes once into shared memory, and its elements leave their results there, one row a
// slot (node of an element); then each node of the tile sums its slots, always in the same order, and the sum goes out
// by atomics, as a plain sum or to a place of its own. While a tile is worked on, the fields of the next one and the
// lists of the one after that are on their way.
//
// Results are added to what is there: an array is set to zero by a kernel before, on its way. A kernel may begin before the
// one before it has ended: it reads nothing but records of tiles before rhx_wait_prior.
//
// In quads and hexes a thread is one node of an element and one of its quadrature points, as many as nodes: between the
// two stands sum factorisation by warp shuffles. In simplices a thread is an element: gradients are the same at all
// points.
#if RHX_ONE_POINT
#define RHX_WITH_CENTROID
#define RHX_CENTROID 1
#endif
// Of a thread's largest values, which lie in shared memory where registers have no room for them: src/form/cuda/size.c.
#if RHX_DIM == 3 && (RHX_BY_TURNS || (RHX_PRODUCT_CELL && RHX_NMODES && RHX_AS == RHX_AS_LOGCONF))
#define RHX_LARGEST_APART (RHX_PRODUCT_CELL ? RHX_TILE * RHX_NN : RHX_TILE)
#endif
#include <kernels/point.cuh>
#include <kernels/ptx.cuh>
#include <kernels/tile.h>

#define RHX_SLOTS (RHX_TILE * RHX_NN)
#define RHX_THREADS (RHX_PRODUCT_CELL ? RHX_SLOTS : RHX_TILE)

extern __shared__ __align__(16) double rhx_shared[];

// In shared memory components lie in pairs: a part of W has an even width, a row an odd number of pairs, so that rows
// differ in their banks as their numbers do modulo 8.
static constexpr __host__ __device__ int rhx_even(int w) { return w + w % 2; }
static constexpr __host__ __device__ int rhx_row(int w) { return (w / 2 | 1) * 2; }
static __device__ __forceinline__ double2 rhx_pair(const double *at) { return *(const double2 *)at; }
static __device__ __forceinline__ void rhx_put(double *at, double x, double y) { *(double2 *)at = make_double2(x, y); }

// A record of kernels/tile.h. Rows of the nodes: a part a field.
struct RhxTile {
  int n, first;
  const double *coord;
  const int *node;
  const unsigned short *start;
  const unsigned char *row, *entry, *member;
  double *rows, *slot; // results: a row a slot
};

// Shared memory: three records, rows of two turns, results of one. A pass of the form gives Source: ROW, TURNS, each with rows of its
// own, that it takes a tile, and read() of one of them.
template <typename Source> struct RhxTiles {
  const RhxDevicePass &p;
  int t, count, turn; // tile, counted by the block; its turn

  __device__ __forceinline__ RhxTiles(const RhxDevicePass &pass)
      : p(pass), t(pass.first + blockIdx.x), count(0), turn(0)
  {
    rhx_launch_dependents();
    read_record(t, 0);
    rhx_copy_wait();
    rhx_wait_prior();
    __syncthreads();
    Source::read(p, at(0, 0), 0);
    read_record(t + gridDim.x, 1);
    for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < p.nzero; i += gridDim.x * RHX_THREADS) p.zero[i] = 0.0;
  }

  __device__ __forceinline__ RhxTile at(int k, int m) const
  {
    RhxTile tile;
    const double *const record = rhx_shared + k % 3 * (p.stride / 8);
    const RhxTileParts at = rhx_tile_parts(record, RHX_DIM, p.most, RHX_SLOTS);
    tile.n = ((const RhxTileHead *)record)->n;
    tile.first = ((const RhxTileHead *)record)->first;
    tile.coord = at.coord;
    tile.node = at.node;
    tile.start = at.start;
    tile.row = at.row;
    tile.entry = at.entry;
    tile.member = at.member;
    tile.rows = rhx_shared + 3 * (p.stride / 8) + (k * Source::TURNS + m) % 2 * (p.most * Source::ROW);
    tile.slot = rhx_shared + 3 * (p.stride / 8) + 2 * p.most * Source::ROW;
    return tile;
  }

  __device__ __forceinline__ void read_record(int tile, int k) const
  {
    if (tile >= p.last) return;
    const char *const from = p.record + (size_t)tile * p.stride;
    const unsigned to = rhx_shared_address(rhx_shared + k % 3 * (p.stride / 8));
#pragma unroll 1
    for (int i = threadIdx.x * 16; i < p.stride; i += RHX_THREADS * 16) rhx_copy_async<16>(to + i, from + i);
  }

  __device__ __forceinline__ bool more() const { return t < p.last; }

  // The tile at hand, the rows of its turn read; those to come are asked for.
  __device__ __forceinline__ RhxTile begin() const
  {
    rhx_copy_wait();
    __syncthreads();
    if (turn + 1 < Source::TURNS)
      Source::read(p, at(count, turn + 1), turn + 1);
    else if (t + gridDim.x < p.last)
      Source::read(p, at(count + 1, 0), 0);
    if (!turn) read_record(t + 2 * gridDim.x, count + 2);
    return at(count, turn);
  }

  // Of the same tile.
  __device__ __forceinline__ void next_turn() { turn++; }

  __device__ __forceinline__ void next()
  {
    t += gridDim.x;
    count++;
    turn = 0;
  }
};

// Asks for K parts of width W of every row, side by side from the part `first` on, of blocks of STRIDE components. PAIRS: each
// begins in a block at an even component.
template <int W, int K, int ROW, int STRIDE = W, bool PAIRS = true>
static __device__ __forceinline__ void rhx_read(const double *const (&from)[K], int first, const RhxTile &tile)
{
  constexpr int V = W % 2 || STRIDE % 2 || !PAIRS ? 1 : 2; // components a copy
  const unsigned to = rhx_shared_address(tile.rows + first);
#pragma unroll 1
  for (int i = threadIdx.x; i < tile.n * (W / V); i += RHX_THREADS) {
    const int k = i / (W / V), c = (i - k * (W / V)) * V, row = tile.row[k];
    const size_t at = (size_t)tile.node[k] * STRIDE + c;
#pragma unroll
    for (int j = 0; j < K; j++) rhx_copy_async_near<V * 8>(to + (row * ROW + j * rhx_even(W) + c) * 8, from[j] + at);
  }
}

static __device__ __forceinline__ void rhx_add(const RhxDevicePass &p, size_t at, double s)
{
  if (p.assembly == RHX_ASSEMBLE_ATOMIC)
    atomicAdd(&p.out[at], s);
  else if (p.assembly == RHX_ASSEMBLE_PLAIN)
    p.out[at] += s;
  else
    p.out[at] = s;
}

// Every node of the tile sums its slots of width W, components `first` and so on of blocks of STRIDE, from number SPLIT of them `more` and so on.
template <int W, bool scaled, int STRIDE = W, int SPLIT = W>
static __device__ __forceinline__ void rhx_assemble(const RhxDevicePass &p, const RhxTile &tile, int first = 0,
                                                    int more = 0)
{
  constexpr int PAIRS = rhx_even(W) / 2, ROW = rhx_row(rhx_even(W));
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < tile.n * PAIRS; i += RHX_THREADS) {
    const int k = i / PAIRS, c = 2 * (i - k * PAIRS), last = tile.start[k + 1], node = tile.node[k];
    double2 s = {0.0, 0.0};
#pragma unroll 2
    for (int j = tile.start[k]; j < last; j++) {
      const double2 r = rhx_pair(tile.slot + tile.entry[j] * ROW + c);
      s.x += r.x;
      s.y += r.y;
    }
    if (scaled) {
      const double f = p.scale[node];
      s.x *= f;
      s.y *= f;
    }
    const int to = SPLIT == W || c < SPLIT ? first + c : more + c - SPLIT;
    const size_t at = (size_t)(p.assembly == RHX_ASSEMBLE_STORE ? tile.first + k : node) * STRIDE + to;
    rhx_add(p, at, s.x);
    if (W % 2 == 0 || c + 1 < W) rhx_add(p, SPLIT == W || c + 1 != SPLIT ? at + 1 : at + more - to, s.y);
  }
}

#if RHX_PRODUCT_CELL
#include <kernels/tensor.cuh>
#else
#include <kernels/simplex.cuh>
#endif

// One field of width W.
template <int W> struct RhxField {
  static constexpr int ROW = rhx_row(rhx_even(W)), TURNS = 1;
  static __device__ __forceinline__ void read(const RhxDevicePass &p, const RhxTile &tile, int)
  {
    rhx_read<W, 1, ROW>({p.x}, 0, tile);
  }
};

// Values only, of the W components of a part that `load` gives in pairs.
template <int W, typename Element, typename Load, typename To>
static __device__ __forceinline__ void rhx_plain_values(const Element &el, Load load, To *to)
{
#pragma unroll
  for (int c = 0; c < W; c += 2) {
    const double2 u = load(c);
    to[c] = el.value(u.x);
    if (c + 1 < W) to[c + 1] = el.value(u.y);
  }
}

// A thread's largest values, in shared memory behind the slots, of width W, of the last tile.
#if RHX_LARGEST_APART > 1
#define RHX_OWN_LARGEST(p, row, W) \
  double *const largest =          \
      rhx_shared + 3 * ((p).stride / 8) + 2 * (p).most * (row) + RHX_SLOTS * rhx_row(rhx_even(W)) + threadIdx.x;
#else
#define RHX_OWN_LARGEST(p, row, W) double largest[RHX_NSTATS];
#endif

static __device__ __forceinline__ void rhx_add_largest(const RhxDevicePass &p, const double *largest)
{
  double all[RHX_NSTATS];
#pragma unroll
  for (int k = 0; k < RHX_NSTATS; k++) all[k] = largest[k * RHX_LARGEST_APART];
  rhx_add_stats(p, all);
}

#if RHX_ROWS != 7
static __device__ __forceinline__ void rhx_no_rows(double f0[RHX_BS], double f1[RHX_BS][RHX_DIM])
{
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) {
    f0[c] = 0.0;
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) f1[c][j] = 0.0;
  }
}
#endif

#if RHX_BY_TURNS
#include <kernels/turns.cuh>
#else
#include <kernels/fused.cuh>
#endif

// out[node][RHX_BS] += weak residual, the rows of RHX_ROWS, zeros in others; the second takes the largest rates too
extern "C" __global__ void __launch_bounds__(RHX_THREADS, RHX_BLOCKS) rhx_residual(RhxDevicePass p)
{
  rhx_residual_of<false>(p);
}
extern "C" __global__ void __launch_bounds__(RHX_THREADS, RHX_BLOCKS_STATS) rhx_residual_stats(RhxDevicePass p)
{
  rhx_residual_of<true>(p);
}

#if RHX_ROWS == 7 && RHX_NAUX
// out[node][RHX_NAUX] += scale[node] times the integral of N times the auxiliary values
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_project(RhxDevicePass p) { rhx_project_of(p); }
#endif

#if RHX_ROWS == 7 // the other passes are in the program of all rows
// out[node] += integral N div x, x[node][RHX_DIM]
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_divergence(RhxDevicePass p)
{
#pragma unroll 1
  for (RhxTiles<RhxField<RHX_DIM>> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    RhxElement<RhxField<RHX_DIM>::ROW> el(tile);
    el.template prepare<RHX_DIM>();
    RhxResult<1, false> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxPoint pt;
      double v, d[RHX_DIM], div = 0.0;
      [[maybe_unused]] const double det = el.undivided(q, &pt);
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) {
        const double2 u = el.nodal(i & ~1);
        el.full(i & 1 ? u.y : u.x, i, &v, d);
        div += d[i];
      }
#if RHX_AXISYMMETRIC
      div += det * v / rhx_value(pt.x[1]); // v: the last component, u_r
#endif
      result.add(el, q, &div, (const double(*)[RHX_DIM])0);
    }
    result.finish(el);
    rhx_assemble<1, false>(p, tile);
  }
}

// out[node][RHX_DIM] += integral N grad x, x[node]
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_gradient(RhxDevicePass p)
{
#pragma unroll 1
  for (RhxTiles<RhxField<1>> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    RhxElement<RhxField<1>::ROW> el(tile);
    el.template prepare<1>();
    RhxResult<RHX_DIM, false> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxPoint pt;
      double v, d[RHX_DIM];
      (void)el.undivided(q, &pt);
      el.full(el.nodal(0).x, 0, &v, d);
      result.add(el, q, d, (const double(*)[RHX_DIM])0);
    }
    result.finish(el);
    rhx_assemble<RHX_DIM, false>(p, tile);
  }
}

// out[node][width] += the parts of the tiles that hold it, entry[start[node]..start[node + 1]), always in that order
extern "C" __global__ void rhx_gather(int n, int width, const int *start, const int *entry, const double *part,
                                      double *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i >= n) return;
  const int node = i / width, c = i - node * width, last = start[node + 1];
  double s = out[i];
  for (int j = start[node]; j < last; j++) s += part[(size_t)entry[j] * width + c];
  out[i] = s;
}
#endif
