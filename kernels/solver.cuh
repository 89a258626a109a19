/* Conjugate gradients on the device, single-reduction form of Chronopoulos and Gear, and the products of its multigrid.
 *
 * One iteration is: z = B r (products of the preconditioner, in single precision, on r scaled to about 1), then
 *   rhx_product: w = A z, gamma = (r, z), delta = (w, z);   beta = gamma / gamma_old,
 *                alpha = gamma / (delta - beta gamma / alpha_old), and |r - alpha s| from the sums that it consists of
 *   rhx_update:  p = z + beta p,  s = w + beta s,  x += alpha p,  r -= alpha s.
 * Where B is the inverse itself, the iteration is rhx_correct: d = B r and rhx_refine: x += d, r -= A d.
 *
 * Sums are over blocks in a fixed order: the block that comes last adds them and decides. Iterations come in blocks, which the
 * device repeats or, without RHX_WHILE, the host; those after the end do nothing. A kernel may begin before the one before it
 * has ended: it reads nothing that changes before rhx_wait_prior.
 *
 * With RHX_RANKS a kernel's sums are those of a rank: they are gathered of all ranks, and rhx_judge decides, on every rank from
 * the same numbers. */
#include <kernels/real.cuh>
#include <kernels/solver.h>

#define RHX_WARPS (RHX_THREADS / 32)
#define RHX_FULL 0xffffffffu
#define RHX_NONE 0 /* kinds of norm, as PETSc numbers them */
#define RHX_PRECONDITIONED 1
#define RHX_UNPRECONDITIONED 2
#define RHX_NATURAL 3

/* A matrix of src/solver/sell_impl.h. */
template <class V> struct RhxMatrix RHX_MATRIX_MEMBERS(V);

#if RHX_WHILE
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
#endif

/* ---- Sums ---- */

/* Sums over the warp of N numbers a lane, N a power of 2: lanes exchange half of what they have as long as that is more than
 * one. Sum k is in lanes k 32 / N to (k + 1) 32 / N - 1. */
template <int N> __device__ inline double rhx_warp_sum(double *v)
{
  int n = N, o = 16;
#pragma unroll
  for (; n > 1; o /= 2) {
    const bool upper = threadIdx.x & o;
    n /= 2;
#pragma unroll
    for (int k = 0; k < n; k++) {
      const double keep = upper ? v[k + n] : v[k], send = upper ? v[k] : v[k + n];
      v[k] = keep + __shfl_xor_sync(RHX_FULL, send, o);
    }
  }
#pragma unroll
  for (; o; o /= 2) v[0] += __shfl_xor_sync(RHX_FULL, v[0], o);
  return v[0];
}

/* Sums over the block: sum k comes to lane 0 of warp k % RHX_WARPS, which hands it to put(k, sum). */
template <int N, class F> __device__ inline void rhx_block_sum(double *v, F put)
{
  constexpr int POWER = N <= 1 ? 1 : N <= 2 ? 2 : N <= 4 ? 4 : 8, SHARE = 32 / POWER;
  static_assert(N <= 8, "sums at a time");
  __shared__ double part[N][RHX_WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double w[POWER];
#pragma unroll
  for (int k = 0; k < POWER; k++) w[k] = k < N ? v[k] : 0;
  const double whole = rhx_warp_sum<POWER>(w);
  if (lane % SHARE == 0 && lane / SHARE < N) part[lane / SHARE][warp] = whole;
  __syncthreads();
  for (int k = warp; k < N; k += RHX_WARPS) {
    double sum = lane < RHX_WARPS ? part[k][lane] : 0;
#pragma unroll
    for (int o = RHX_WARPS / 2; o; o /= 2) sum += __shfl_down_sync(RHX_FULL, sum, o);
    if (lane == 0) put(k, sum);
  }
}

/* The sums over all blocks, to the first warp of the last one; NULL to all others. */
template <int N> __device__ inline const double *rhx_sum(const RhxCGSolve &c, double *v)
{
  __shared__ bool last;
  __shared__ double total[N];
  rhx_block_sum<N>(v, [&](int k, double sum) {
    c.sums[k * gridDim.x + blockIdx.x] = sum;
    __threadfence();
  });
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&c.state->ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return 0;
  __threadfence();
#pragma unroll
  for (int k = 0; k < N; k++) v[k] = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += RHX_THREADS)
#pragma unroll
    for (int k = 0; k < N; k++) v[k] += __ldcg(c.sums + k * gridDim.x + i);
  rhx_block_sum<N>(v, [&](int k, double sum) { total[k] = sum; });
  __syncthreads();
  if (threadIdx.x == 0) c.state->ticket = 0;
  return threadIdx.x < 32 ? total : 0;
}

/* act(sums over all blocks) by the first warp of one block, where it is to go on from them. */
template <int N, class F> __device__ inline void rhx_total_warp(const RhxCGSolve &c, double *v, F act)
{
  const double *sum = rhx_sum<N>(c, v);
  if (!sum) return;
#if RHX_RANKS
  if (threadIdx.x < N) c.mine[threadIdx.x] = sum[threadIdx.x];
#else
  act(sum);
#endif
}

/* act(c, sums over all blocks) by one thread. */
template <int N, class F> __device__ inline void rhx_total(const RhxCGSolve &c, double *v, F act)
{
  rhx_total_warp<N>(c, v, [&](const double *sum) {
    if (threadIdx.x == 0) act(c, sum);
  });
}

/* ---- Rows ---- */

#define RHX_CHUNK 4

/* Some steps of a slice, read ahead. */
template <class V> struct RhxChunk {
  V value[RHX_CHUNK];
  int column[RHX_CHUNK];
};

template <class V> __device__ inline void rhx_fetch(const RhxMatrix<V> &a, int k, int end, RhxChunk<V> &c)
{
  const long long at = 32ll * k + threadIdx.x % 32;
#pragma unroll
  for (int u = 0; u < RHX_CHUNK; u++) {
    c.value[u] = k + u < end ? a.value[at + 32 * u] : V(0);
    c.column[u] = k + u < end ? a.column[at + 32 * u] : 0;
  }
}

/* A row of a warp's slice times x, in every lane of the row; c holds the steps from k on. */
template <int LANES, class S, class V, class X>
__device__ inline S rhx_row(const RhxMatrix<V> &a, int k, int end, RhxChunk<V> &c, const X *x)
{
  S sum = 0;
  while (k < end) {
    X g[RHX_CHUNK];
    V v[RHX_CHUNK];
#pragma unroll
    for (int u = 0; u < RHX_CHUNK; u++) {
      g[u] = x[c.column[u]];
      v[u] = c.value[u];
    }
    k += RHX_CHUNK;
    if (k < end) rhx_fetch(a, k, end, c);
#pragma unroll
    for (int u = 0; u < RHX_CHUNK; u++) sum += (S)v[u] * (S)g[u];
  }
#pragma unroll
  for (int o = LANES / 2; o; o /= 2) sum += __shfl_xor_sync(RHX_FULL, sum, o);
  return sum;
}

/* The slices of this warp: body(row number or -1, slice) after the first steps are on their way. */
template <int LANES, class S, class V, class X, class F>
__device__ inline void rhx_rows(const RhxMatrix<V> &a, const X *x, F body)
{
  const int stride = gridDim.x * RHX_WARPS, lane = threadIdx.x % 32;
  int slice = (blockIdx.x * RHX_THREADS + threadIdx.x) / 32, k = 0, end = 0;
  RhxChunk<V> c;
  rhx_launch_dependents();
  if (slice < a.nslices) {
    k = a.first[slice];
    end = a.first[slice + 1];
    rhx_fetch(a, k, end, c);
  }
  rhx_wait_prior();
  while (slice < a.nslices) {
    const S sum = rhx_row<LANES, S>(a, k, end, c, x);
    const int i = slice * (32 / LANES) + lane / LANES;
    slice += stride;
    if (slice < a.nslices) {
      k = a.first[slice];
      end = a.first[slice + 1];
      rhx_fetch(a, k, end, c);
    }
    if (lane % LANES == 0 && i < a.n) body(i, sum);
  }
}

template <int LANES> __device__ inline void rhx_multiply(RhxMatrix<float> a, const float *x, float *y)
{
  rhx_rows<LANES, float>(a, x, [=](int i, float sum) { y[i] = sum; });
}

/* ---- Rows of an inverse: one warp a row, which is padded to a multiple of 4 with zeros ---- */

#define RHX_AHEAD 16 /* pieces a lane that are read before the kernel before has ended */

/* 16 bytes of a row. */
template <class V> struct RhxPiece;
template <> struct RhxPiece<float> {
  typedef float4 Type;
  static __device__ inline float4 zero() { return make_float4(0, 0, 0, 0); }
  static __device__ inline float dot(float4 a, float4 x) { return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w; }
};
template <> struct RhxPiece<double> {
  typedef double2 Type;
  static __device__ inline double2 zero() { return make_double2(0, 0); }
  static __device__ inline double dot(double2 a, double2 x) { return a.x * x.x + a.y * x.y; }
};

/* A row of B times x, in every lane; skip() is asked when the kernel before has ended. */
template <class V, class F> __device__ inline V rhx_inverse_row(int stride, const V *row, const V *x, F skip)
{
  typedef typename RhxPiece<V>::Type Piece;
  const int lane = threadIdx.x % 32, pieces = stride * (int)sizeof(V) / 16;
  const Piece *b = (const Piece *)row, *v = (const Piece *)x;
  Piece a[RHX_AHEAD]; /* on their way */
  V sum = 0;
#pragma unroll
  for (int k = 0; k < RHX_AHEAD; k++) a[k] = lane + 32 * k < pieces ? b[lane + 32 * k] : RhxPiece<V>::zero();
  rhx_wait_prior();
  if (skip()) return 0;
  for (int first = lane; first < pieces; first += 32 * RHX_AHEAD)
#pragma unroll
    for (int k = 0; k < RHX_AHEAD; k++) {
      const int j = first + 32 * k, next = j + 32 * RHX_AHEAD;
      const Piece now = a[k];
      if (next < pieces) a[k] = b[next];
      if (j < pieces) sum += RhxPiece<V>::dot(now, v[j]);
    }
#pragma unroll
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(RHX_FULL, sum, o);
  return sum;
}

/* y = B x */
extern "C" __global__ void __launch_bounds__(RHX_THREADS)
    rhx_inverse(int n, int stride, const float *inverse, const float *x, float *y)
{
  const int i = (blockIdx.x * RHX_THREADS + threadIdx.x) / 32;
  rhx_launch_dependents();
  if (i >= n) { /* who comes after relies on the wait */
    rhx_wait_prior();
    return;
  }
  const float sum = rhx_inverse_row(stride, inverse + (long long)i * stride, x, [] { return false; });
  if (threadIdx.x % 32 == 0) y[i] = sum;
}

/* ---- Decisions, by one thread ---- */

__device__ inline double rhx_scale(double norm) { return norm > 1e-300 && norm < 1e300 ? rhx_reciprocal(norm) : 1; }

__device__ inline void rhx_end(const RhxCGSolve &c, int reason)
{
  RhxCGState *t = c.state;
  t->reason = reason;
  c.result->last = {t->norm, t->start, t->iteration, reason};
  if (reason < 0 && !c.result->failed.reason) c.result->failed = c.result->last;
#if RHX_WHILE
  cudaGraphSetConditional(c.loop, 0);
#endif
}

/* As KSPConvergedDefault; reasons as PETSc numbers them. */
__device__ inline int rhx_test(const RhxCGSolve &c, double norm)
{
  RhxCGState *t = c.state;
  t->norm = norm;
  if (c.history) c.history[t->iteration] = norm;
  if (t->iteration == 0) {
    t->start = c.guess && t->bnorm > 0 ? t->bnorm : norm;
    t->goal = fmax(c.relative * t->start, c.absolute);
  }
  if (!(norm < 1e300)) return -9;
  if (norm <= t->goal) return norm < c.absolute ? 3 : 2;
  if (norm >= c.divergence * t->start) return -4;
  return t->iteration >= c.most ? -3 : 0;
}

/* ---- Beginning ---- */

__device__ inline void rhx_mean_of(const RhxCGSolve &c, const double *v) { c.state->mean = v[0] / c.total; }

/* The mean of b, where constants are the null space. */
extern "C" __global__ void rhx_mean(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  double v[1] = {0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) v[0] += c.b[i];
  rhx_total<1>(c, v, rhx_mean_of);
}

/* The loop runs unless there is a reason to end. */
__device__ inline void rhx_go(const RhxCGSolve &c, int reason)
{
#if RHX_WHILE
  if (!reason) cudaGraphSetConditional(c.loop, 1);
#endif
  if (reason) rhx_end(c, reason);
}

__device__ inline void rhx_begin(const RhxCGSolve &c, const double *v)
{
  RhxCGState *t = c.state;
  t->iteration = t->reason = 0;
  t->first = 1;
  t->rs = t->ss = 0;
  t->norm = sqrt(v[0]);
  t->bnorm = sqrt(v[1]);
  t->scale = rhx_scale(t->bnorm);
  if (c.direct) rhx_go(c, rhx_test(c, t->norm));
}

/* r = b - A x, |r|, |b| */
template <int LANES> __device__ inline void rhx_residual(const RhxCGSolve &c, RhxMatrix<double> a)
{
  double v[2] = {0, 0};
  rhx_rows<LANES, double>(a, c.x, [&](int i, double ax) {
    const double b = c.b[i] - (c.constants ? c.state->mean : 0), r = b - ax;
    c.r[i] = r;
    v[0] += r * r;
    v[1] += b * b;
  });
  rhx_total<2>(c, v, rhx_begin);
}

/* in = b, scaled: for |B b| */
extern "C" __global__ void rhx_load(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  const double mean = c.constants ? c.state->mean : 0, scale = c.state->scale;
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS)
    c.in[i] = (float)((c.b[i] - mean) * scale);
}

__device__ inline void rhx_norm_of(const RhxCGSolve &c, const double *v)
{
  RhxCGState *t = c.state;
  const double square = c.constants ? v[0] - v[1] * v[1] / c.total : v[0];
  t->bnorm = c.norm == RHX_NATURAL ? sqrt(fabs(v[2] / t->scale)) : sqrt(fmax(square, 0.0)) / t->scale;
}

/* |B b| or the square root of (b, B b) instead of |b| */
extern "C" __global__ void rhx_norm(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  const double mean = c.constants ? c.state->mean : 0;
  double v[3] = {0, 0, 0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) {
    const double z = c.out[i];
    v[0] += z * z;
    v[1] += z;
    v[2] += z * (c.b[i] - mean);
  }
  rhx_total<3>(c, v, rhx_norm_of);
}

/* in = r, scaled; the test of the first residual */
extern "C" __global__ void rhx_start(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  RhxCGState *t = c.state;
  const double norm = t->norm, scale = rhx_scale(norm);
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS)
    c.in[i] = (float)(c.r[i] * scale);
  double v[1] = {0};
  if (!rhx_sum<1>(c, v) || threadIdx.x) return;
  t->scale = scale;
  if (c.norm == RHX_UNPRECONDITIONED)
    rhx_go(c, rhx_test(c, norm));
  else
    rhx_go(c, norm < 1e300 ? 0 : -9);
}

/* ---- An iteration ---- */

/* |r - alpha (w + beta s)|^2; cancellation leaves 1e-15 of |r|^2 at best */
__device__ inline double rhx_next(RhxCGState *t, const double *v, double inverse, double alpha, double beta)
{
  const double rs = v[RHX_RW] * inverse + beta * t->rs;
  const double ss = v[RHX_WW] * inverse * inverse + beta * (2 * v[RHX_WS] * inverse + beta * t->ss);
  t->rs = rs - alpha * ss; /* of the r to come */
  t->ss = ss;
  return fmax(v[RHX_RR] - alpha * (2 * rs - alpha * ss), 1e-14 * v[RHX_RR]);
}

__device__ inline void rhx_decide(const RhxCGSolve &c, const double *v)
{
  RhxCGState *t = c.state;
  const double old = t->gamma, inverse = rhx_reciprocal(t->scale), gamma = v[RHX_RZ] * inverse;
  const double delta = v[RHX_WZ] * inverse * inverse, zmean = c.constants ? v[RHX_Z] * inverse / c.total : 0;
  const bool first = t->iteration == 0;
  const double beta = first ? 0 : gamma * rhx_reciprocal(old);
  const double curvature = first ? delta : delta - beta * gamma * rhx_reciprocal(t->alpha);
  const double alpha = gamma * rhx_reciprocal(curvature), next = rhx_next(t, v, inverse, alpha, beta),
               norm = sqrt(next);
  int reason = 0;
  if (c.norm == RHX_PRECONDITIONED)
    reason = rhx_test(c, sqrt(fmax(v[RHX_ZZ] * inverse * inverse - c.total * zmean * zmean, 0.0)));
  else if (c.norm == RHX_NATURAL)
    reason = rhx_test(c, sqrt(fabs(gamma)));
  if (!reason && !(fabs(gamma) < 1e300 && fabs(delta) < 1e300)) reason = -9;
  if (!reason && gamma == 0) reason = 3;
  if (!reason && gamma < 0) reason = -8;
  if (!reason && !(curvature > 0)) reason = -10;
  t->live = reason == 0;
  if (reason) {
    rhx_end(c, reason);
    return;
  }
  t->gamma = gamma;
  t->alpha = alpha;
  t->beta = beta;
  t->inverse = inverse;
  t->zmean = zmean;
  t->first = first;
  t->scale = rhx_scale(norm);
  t->iteration++;
  if (c.norm == RHX_UNPRECONDITIONED)
    reason = rhx_test(c, norm);
  else if (c.norm == RHX_NONE) {
    t->norm = norm;
    reason = t->iteration >= c.most ? 4 : 0;
  }
  if (reason) rhx_end(c, reason);
}

__device__ inline void rhx_decide_of(const RhxCGSolve &c, const double *v)
{
  if (c.state->reason)
    c.state->live = 0;
  else
    rhx_decide(c, v);
}

template <int LANES> __device__ inline void rhx_product(const RhxCGSolve &c, RhxMatrix<double> a)
{
  double v[RHX_SUMS] = {0};
  rhx_rows<LANES, double>(a, c.out, [&](int i, double w) {
    const double z = c.out[i], r = c.r[i], s = c.state->iteration ? c.s[i] : 0;
    c.w[i] = w;
    v[RHX_RZ] += r * z;
    v[RHX_WZ] += w * z;
    v[RHX_RR] += r * r;
    v[RHX_RW] += r * w;
    v[RHX_WW] += w * w;
    v[RHX_WS] += w * s;
    v[RHX_ZZ] += z * z;
    v[RHX_Z] += z;
  });
  rhx_total<RHX_SUMS>(c, v, rhx_decide_of);
}

extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_update(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  const RhxCGState *t = c.state;
  const double inverse = t->inverse, scale = t->scale, alpha = t->alpha, beta = t->beta, zmean = t->zmean;
  const int live = t->live, first = t->first, stride = gridDim.x * RHX_THREADS;
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += 2 * stride) {
    const int m[2] = {i, i + stride < c.n ? i + stride : i};
    double z[2], w[2], p[2], s[2], x[2], r[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
      z[k] = c.out[m[k]];
      w[k] = c.w[m[k]];
      p[k] = c.p[m[k]];
      s[k] = c.s[m[k]];
      x[k] = c.x[m[k]];
      r[k] = c.r[m[k]];
    }
    if (!live) return;
#pragma unroll
    for (int k = 0; k < 2; k++) {
      z[k] = z[k] * inverse - zmean;
      w[k] *= inverse;
      p[k] = first ? z[k] : z[k] + beta * p[k];
      s[k] = first ? w[k] : w[k] + beta * s[k];
      r[k] -= alpha * s[k];
      c.p[m[k]] = p[k];
      c.s[m[k]] = s[k];
      c.x[m[k]] = x[k] + alpha * p[k];
      c.r[m[k]] = r[k];
      c.in[m[k]] = (float)(r[k] * scale);
    }
  }
}

#include <kernels/guess.cuh>

/* ---- Several ranks ---- */

#if RHX_RANKS
__device__ inline void rhx_judge_sums(const RhxCGSolve &c, int stage, const double *v)
{
  if (stage == RHX_AT_MEAN)
    rhx_mean_of(c, v);
  else if (stage == RHX_AT_RESIDUAL)
    rhx_begin(c, v);
  else if (stage == RHX_AT_NORM)
    rhx_norm_of(c, v);
  else if (stage == RHX_AT_REMEMBER)
    rhx_keep(c, v);
  else
    rhx_decide_of(c, v);
}

/* One warp, a lane for each sum over ranks. */
extern "C" __global__ void rhx_judge(RhxCGSolve c, int stage)
{
  __shared__ double total[RHX_SUMS];
  const int lane = threadIdx.x;
  double sum = 0;
  rhx_launch_dependents();
  rhx_wait_prior();
  for (int j = 0; lane < RHX_SUMS && j < c.ranks; j++) sum += c.shared[j * RHX_SUMS + lane];
  if (lane < RHX_SUMS) total[lane] = sum;
  __syncthreads();
  if (stage == RHX_AT_RECALL)
    rhx_weigh(c, total);
  else if (lane == 0)
    rhx_judge_sums(c, stage, total);
}

/* The level that every rank has: b of all, and the x that this rank reads. */
extern "C" __global__ void rhx_copy(int n, const float *from, float *to)
{
  const int i = blockIdx.x * RHX_THREADS + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < n) to[i] = from[i];
}

extern "C" __global__ void rhx_take(int n, const int *row, const float *x, float *mine)
{
  const int i = blockIdx.x * RHX_THREADS + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < n) mine[i] = x[row[i]];
}

/* y -= A x */
template <int LANES> __device__ inline void rhx_subtract(RhxMatrix<double> a, const double *x, double *y)
{
  rhx_rows<LANES, double>(a, x, [=](int i, double sum) { y[i] -= sum; });
}
#endif

/* ---- An iteration with the inverse ---- */

/* d = B r */
extern "C" __global__ void __launch_bounds__(RHX_THREADS)
    rhx_correct(int n, int stride, const double *inverse, const double *r, const RhxCGState *state, double *d)
{
  const int i = (blockIdx.x * RHX_THREADS + threadIdx.x) / 32;
  rhx_launch_dependents();
  if (i >= n) { /* who comes after relies on the wait */
    rhx_wait_prior();
    return;
  }
  const double sum = rhx_inverse_row(stride, inverse + (long long)i * stride, r, [=] { return state->reason != 0; });
  if (threadIdx.x % 32 == 0) d[i] = sum;
}

/* x += d, r -= A d, d = p */
template <int LANES> __device__ inline void rhx_refine(const RhxCGSolve &c, RhxMatrix<double> a)
{
  double v[1] = {0};
  int reason = 1;
  rhx_rows<LANES, double>(a, c.p, [&](int i, double ad) {
    if (reason > 0) reason = c.state->reason ? 0 : -1;
    if (!reason) return;
    const double r = c.r[i] - ad;
    c.r[i] = r;
    c.x[i] += c.p[i];
    v[0] += r * r;
  });
  const double *sum = rhx_sum<1>(c, v);
  RhxCGState *t = c.state;
  if (!sum || threadIdx.x || t->reason) return;
  t->iteration++;
  if (c.norm == RHX_UNPRECONDITIONED)
    reason = rhx_test(c, sqrt(sum[0]));
  else {
    t->norm = sqrt(sum[0]);
    reason = t->iteration >= c.most ? 4 : 0;
  }
  if (reason) rhx_end(c, reason);
}

/* ---- One PC apply with vectors of doubles ---- */

extern "C" __global__ void rhx_narrow(int n, double scale, const double *x, float *y)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < n; i += gridDim.x * RHX_THREADS)
    y[i] = (float)(x[i] * scale);
}

extern "C" __global__ void rhx_widen(int n, double scale, const float *x, double *y)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < n; i += gridDim.x * RHX_THREADS) y[i] = x[i] * scale;
}

#define RHX_KERNEL(name, lanes)                                                                                  \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS, 4) name##_##lanes(RhxCGSolve c, RhxMatrix<double> a) \
  {                                                                                                              \
    name<lanes>(c, a);                                                                                           \
  }
#define RHX_KERNELS(lanes)                                               \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS)              \
      rhx_multiply_##lanes(RhxMatrix<float> a, const float *x, float *y) \
  {                                                                      \
    rhx_multiply<lanes>(a, x, y);                                        \
  }                                                                      \
  RHX_KERNEL(rhx_residual, lanes)                                        \
  RHX_KERNEL(rhx_product, lanes)                                         \
  RHX_KERNEL(rhx_refine, lanes)
#define RHX_KERNELS_RANKS(lanes)                                            \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS)                 \
      rhx_subtract_##lanes(RhxMatrix<double> a, const double *x, double *y) \
  {                                                                         \
    rhx_subtract<lanes>(a, x, y);                                           \
  }
RHX_KERNELS(1)
RHX_KERNELS(2)
RHX_KERNELS(4)
RHX_KERNELS(8)
RHX_KERNELS(16)
RHX_KERNELS(32)
#if RHX_RANKS
RHX_KERNELS_RANKS(1)
RHX_KERNELS_RANKS(2)
RHX_KERNELS_RANKS(4)
RHX_KERNELS_RANKS(8)
RHX_KERNELS_RANKS(16)
RHX_KERNELS_RANKS(32)
#endif
