/* Conjugate gradients on the device, single-reduction form of Chronopoulos and Gear, and the products of its multigrid.
 *
 * One iteration is: z = B r (products of the preconditioner, in single precision, on r scaled to about 1), then
 *   rhx_product: w = A z, gamma = (r, z), delta = (w, z);   beta = gamma / gamma_old,
 *                alpha = gamma / (delta - beta gamma / alpha_old)
 *   rhx_update:  p = z + beta p,  s = w + beta s,  x += alpha p,  r -= alpha s,  |r|.
 * Sums are over blocks in a fixed order: the block that comes last adds them and decides. Without RHX_WHILE the host repeats
 * the iterations in blocks, and those after the end do nothing. */
#define RHX_THREADS 256
#define RHX_FULL 0xffffffffu
#define RHX_NONE 0 /* kinds of norm, as PETSc numbers them */
#define RHX_PRECONDITIONED 1
#define RHX_UNPRECONDITIONED 2
#define RHX_NATURAL 3

/* A matrix of src/solver/sell.h. */
template <class V> struct RhxMatrix {
  int n, nslices;
  const int *first, *column;
  const V *value;
};

struct RhxState {
  double gamma, alpha, beta, scale, next_scale, norm, start, goal, mean, zmean, bnorm;
  int iteration, reason;
  unsigned ticket;
};

struct RhxResult { /* host memory */
  double norm, start;
  int iteration, reason;
};

struct RhxSolve {
  int n, norm, constants, most, guess;
  double relative, absolute, divergence;
  const double *b;
  double *x, *r, *w, *p, *s, *sums, *history;
  float *in;
  const float *out;
  RhxState *state;
  RhxResult *result;
  unsigned long long loop;
};

#if RHX_WHILE
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
#endif

/* ---- Sums ---- */

template <int N> __device__ inline void rhx_block_sum(double *v)
{
  __shared__ double part[N][RHX_THREADS / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < N; k++) {
    for (int o = 16; o; o /= 2) v[k] += __shfl_down_sync(RHX_FULL, v[k], o);
    if (lane == 0) part[k][warp] = v[k];
  }
  __syncthreads();
  if (warp == 0)
#pragma unroll
    for (int k = 0; k < N; k++) {
      v[k] = lane < RHX_THREADS / 32 ? part[k][lane] : 0;
      for (int o = RHX_THREADS / 64; o; o /= 2) v[k] += __shfl_down_sync(RHX_FULL, v[k], o);
    }
}

/* True in thread 0 of the last block, with the sums over all blocks in v. */
template <int N> __device__ inline bool rhx_sum(const RhxSolve &c, double *v)
{
  __shared__ bool last;
  rhx_block_sum<N>(v);
  if (threadIdx.x == 0) {
    for (int k = 0; k < N; k++) c.sums[k * gridDim.x + blockIdx.x] = v[k];
    __threadfence();
    last = atomicAdd(&c.state->ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
#pragma unroll
  for (int k = 0; k < N; k++) {
    v[k] = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += RHX_THREADS) v[k] += __ldcg(c.sums + k * gridDim.x + i);
  }
  __syncthreads();
  rhx_block_sum<N>(v);
  if (threadIdx.x == 0) c.state->ticket = 0;
  return threadIdx.x == 0;
}

/* ---- Rows ---- */

/* Row i of a warp's slice times x, in every lane of the row. */
template <int LANES, class S, class V, class X>
__device__ inline S rhx_row(const RhxMatrix<V> &a, int slice, const X *x)
{
  const int lane = threadIdx.x % 32, end = a.first[slice + 1];
  S sum = 0;
#pragma unroll 4
  for (int k = a.first[slice]; k < end; k++) {
    const long long at = 32ll * k + lane;
    sum += (S)a.value[at] * (S)x[a.column[at]];
  }
#pragma unroll
  for (int o = LANES / 2; o; o /= 2) sum += __shfl_xor_sync(RHX_FULL, sum, o);
  return sum;
}

#define RHX_SLICES(a, slice)                                                                                            \
  for (int slice = (blockIdx.x * RHX_THREADS + threadIdx.x) / 32; slice < (a).nslices;                                  \
       slice += gridDim.x * (RHX_THREADS / 32))

template <int LANES> __device__ inline int rhx_row_number(int slice, int n)
{
  const int lane = threadIdx.x % 32, i = slice * (32 / LANES) + lane / LANES;
  return lane % LANES == 0 && i < n ? i : -1;
}

template <int LANES> __device__ inline void rhx_multiply(RhxMatrix<float> a, const float *x, float *y)
{
  RHX_SLICES(a, slice)
  {
    const float sum = rhx_row<LANES, float>(a, slice, x);
    const int i = rhx_row_number<LANES>(slice, a.n);
    if (i >= 0) y[i] = sum;
  }
}

/* y = B x, one warp a row; rows are padded to a multiple of 4 with zeros. */
extern "C" __global__ void rhx_inverse(int n, int stride, const float *inverse, const float *x, float *y)
{
  const int lane = threadIdx.x % 32, i = (blockIdx.x * RHX_THREADS + threadIdx.x) / 32;
  if (i >= n) return;
  const float4 *row = (const float4 *)(inverse + (long long)i * stride);
  const float4 *v = (const float4 *)x;
  float sum = 0;
#pragma unroll 8
  for (int j = lane; j < stride / 4; j += 32) {
    const float4 a = row[j], b = v[j];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
#pragma unroll
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(RHX_FULL, sum, o);
  if (lane == 0) y[i] = sum;
}

/* ---- Decisions, by one thread ---- */

__device__ inline double rhx_scale(double norm) { return norm > 1e-300 && norm < 1e300 ? 1 / norm : 1; }

__device__ inline void rhx_end(const RhxSolve &c, int reason)
{
  RhxState *t = c.state;
  t->reason = reason;
  c.result->norm = t->norm;
  c.result->start = t->start;
  c.result->iteration = t->iteration;
  c.result->reason = reason;
  __threadfence_system();
#if RHX_WHILE
  cudaGraphSetConditional(c.loop, 0);
#endif
}

/* As KSPConvergedDefault; reasons as PETSc numbers them. */
__device__ inline int rhx_test(const RhxSolve &c, double norm)
{
  RhxState *t = c.state;
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

/* The mean of b, where constants are the null space. */
extern "C" __global__ void rhx_mean(RhxSolve c)
{
  double v[1] = {0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) v[0] += c.b[i];
  if (rhx_sum<1>(c, v)) c.state->mean = v[0] / c.n;
}

/* r = b - A x, |r|, |b| */
template <int LANES> __device__ inline void rhx_residual(const RhxSolve &c, RhxMatrix<double> a)
{
  const double mean = c.constants ? c.state->mean : 0;
  double v[2] = {0, 0};
  RHX_SLICES(a, slice)
  {
    const double ax = rhx_row<LANES, double>(a, slice, c.x);
    const int i = rhx_row_number<LANES>(slice, a.n);
    if (i >= 0) {
      const double b = c.b[i] - mean, r = b - ax;
      c.r[i] = r;
      v[0] += r * r;
      v[1] += b * b;
    }
  }
  if (!rhx_sum<2>(c, v)) return;
  RhxState *t = c.state;
  t->iteration = t->reason = 0;
  t->norm = sqrt(v[0]);
  t->bnorm = sqrt(v[1]);
  t->scale = rhx_scale(t->bnorm);
  t->next_scale = rhx_scale(t->norm);
}

/* in = b, scaled: for |B b| */
extern "C" __global__ void rhx_load(RhxSolve c)
{
  const double mean = c.constants ? c.state->mean : 0, scale = c.state->scale;
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS)
    c.in[i] = (float)((c.b[i] - mean) * scale);
}

/* |B b| or the square root of (b, B b) instead of |b| */
extern "C" __global__ void rhx_norm(RhxSolve c)
{
  const double mean = c.constants ? c.state->mean : 0;
  double v[3] = {0, 0, 0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) {
    const double z = c.out[i];
    v[0] += z * z;
    v[1] += z;
    v[2] += z * (c.b[i] - mean);
  }
  if (!rhx_sum<3>(c, v)) return;
  RhxState *t = c.state;
  if (c.constants) v[0] -= v[1] * v[1] / c.n;
  t->bnorm = c.norm == RHX_NATURAL ? sqrt(fabs(v[2] / t->scale)) : sqrt(fmax(v[0], 0.0)) / t->scale;
}

/* in = r, scaled, p = s = 0; the test of the first residual */
extern "C" __global__ void rhx_start(RhxSolve c)
{
  const double scale = c.state->next_scale;
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS)
    c.in[i] = (float)(c.r[i] * scale);
  double v[1] = {0};
  if (!rhx_sum<1>(c, v)) return;
  RhxState *t = c.state;
  t->scale = scale;
  int reason = 0;
  if (c.norm == RHX_UNPRECONDITIONED) reason = rhx_test(c, t->norm);
  else if (!(t->norm < 1e300)) reason = -9;
#if RHX_WHILE
  if (!reason) cudaGraphSetConditional(c.loop, 1);
#endif
  if (reason) rhx_end(c, reason);
}

/* ---- An iteration ---- */

__device__ inline void rhx_decide(const RhxSolve &c, double gamma, double delta, double zz, double zsum)
{
  RhxState *t = c.state;
  const double old = t->gamma, inverse = 1 / t->scale;
  int reason = 0;
  gamma *= inverse;
  delta *= inverse * inverse;
  t->zmean = c.constants ? zsum * inverse / c.n : 0;
  if (c.norm == RHX_PRECONDITIONED)
    reason = rhx_test(c, sqrt(fmax(zz * inverse * inverse - c.n * t->zmean * t->zmean, 0.0)));
  else if (c.norm == RHX_NATURAL)
    reason = rhx_test(c, sqrt(fabs(gamma)));
  t->beta = t->iteration ? gamma / old : 0;
  const double curvature = t->iteration ? delta - t->beta * gamma / t->alpha : delta;
  t->gamma = gamma;
  t->alpha = gamma / curvature;
  if (!reason && !(fabs(gamma) < 1e300 && fabs(delta) < 1e300)) reason = -9;
  if (!reason && gamma == 0) reason = 3;
  if (!reason && gamma < 0) reason = -8;
  if (!reason && !(curvature > 0)) reason = -10;
  if (reason) rhx_end(c, reason);
}

template <int LANES> __device__ inline void rhx_product(const RhxSolve &c, RhxMatrix<double> a)
{
#if !RHX_WHILE
  if (c.state->reason) return;
#endif
  double v[4] = {0, 0, 0, 0};
  RHX_SLICES(a, slice)
  {
    const double w = rhx_row<LANES, double>(a, slice, c.out);
    const int i = rhx_row_number<LANES>(slice, a.n);
    if (i >= 0) {
      const double z = c.out[i];
      c.w[i] = w;
      v[0] += c.r[i] * z;
      v[1] += w * z;
      v[2] += z * z;
      v[3] += z;
    }
  }
  if (rhx_sum<4>(c, v)) rhx_decide(c, v[0], v[1], v[2], v[3]);
}

extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_update(RhxSolve c)
{
  RhxState *t = c.state;
  if (t->reason) return;
  const double inverse = 1 / t->scale, scale = t->next_scale, alpha = t->alpha, beta = t->beta, zmean = t->zmean;
  const bool first = t->iteration == 0;
  double v[1] = {0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) {
    const double z = c.out[i] * inverse - zmean, w = c.w[i] * inverse;
    const double p = first ? z : z + beta * c.p[i], s = first ? w : w + beta * c.s[i], r = c.r[i] - alpha * s;
    c.p[i] = p;
    c.s[i] = s;
    c.x[i] += alpha * p;
    c.r[i] = r;
    c.in[i] = (float)(r * scale);
    v[0] += r * r;
  }
  if (!rhx_sum<1>(c, v)) return;
  int reason = 0;
  const double norm = sqrt(v[0]);
  t->iteration++;
  t->scale = scale;
  t->next_scale = rhx_scale(norm);
  if (c.norm == RHX_UNPRECONDITIONED) reason = rhx_test(c, norm);
  else if (c.norm == RHX_NONE) {
    t->norm = norm;
    reason = t->iteration >= c.most ? 4 : 0;
  }
  if (reason) rhx_end(c, reason);
}

/* ---- One PC apply with vectors of doubles ---- */

extern "C" __global__ void rhx_narrow(int n, double scale, const double *x, float *y)
{
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < n; i += gridDim.x * RHX_THREADS) y[i] = (float)(x[i] * scale);
}

extern "C" __global__ void rhx_widen(int n, double scale, const float *x, double *y)
{
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < n; i += gridDim.x * RHX_THREADS) y[i] = x[i] * scale;
}

#define RHX_KERNELS(lanes)                                                                                              \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS)                                                             \
      rhx_multiply_##lanes(RhxMatrix<float> a, const float *x, float *y)                                                \
  {                                                                                                                     \
    rhx_multiply<lanes>(a, x, y);                                                                                       \
  }                                                                                                                     \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_residual_##lanes(RhxSolve c, RhxMatrix<double> a)       \
  {                                                                                                                     \
    rhx_residual<lanes>(c, a);                                                                                          \
  }                                                                                                                     \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_product_##lanes(RhxSolve c, RhxMatrix<double> a)        \
  {                                                                                                                     \
    rhx_product<lanes>(c, a);                                                                                           \
  }
RHX_KERNELS(1)
RHX_KERNELS(2)
RHX_KERNELS(4)
RHX_KERNELS(8)
RHX_KERNELS(16)
RHX_KERNELS(32)
