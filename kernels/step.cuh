// Nodal kernels of an explicit step: updates, given values, reductions. Macros: RHX_DIM, RHX_NTENS, RHX_NMODES, RHX_NSCALARS;
// RHX_BS, RHX_FIRST_VELOCITY, _PRESSURE, _MODE, _SCALAR, offsets in the node block;
// RHX_AS, what is solved for (0 stress, 1 conformation, 2 its logarithm). A kernel may begin before the one before it has
// ended: it reads nothing that changes before rhx_wait_prior.
#include <kernels/nodes.cuh>

#define RHX_INFINITY __longlong_as_double(0x7ff0000000000000ll)

// The same of three values.
static __device__ __forceinline__ void rhx_block_max3(double a, double b, double c, double *ta, double *tb, double *tc)
{
  __shared__ RhxBits best[3][RHX_BLOCK / 32];
  RhxBits v[3] = {rhx_bits(fabs(a)), rhx_bits(fabs(b)), rhx_bits(fabs(c))};
  double *const to[3] = {ta, tb, tc};
#pragma unroll
  for (int j = 0; j < 3; j++) {
    for (int k = 16; k; k /= 2) {
      const RhxBits o = __shfl_down_sync(RHX_ALL, v[j], k);
      if (o > v[j]) v[j] = o;
    }
    if (!(threadIdx.x & 31)) best[j][threadIdx.x / 32] = v[j];
  }
  __syncthreads();
  if (threadIdx.x) return;
#pragma unroll
  for (int j = 0; j < 3; j++) {
    for (int k = 1; k < RHX_BLOCK / 32; k++)
      if (best[j][k] > v[j]) v[j] = best[j][k];
    if (v[j]) atomicMax((RhxBits *)to[j], v[j]);
  }
}

static __device__ __forceinline__ void rhx_clear(int n, double *v)
{
  for (int i = blockIdx.x * RHX_BLOCK + threadIdx.x; i < n; i += gridDim.x * RHX_BLOCK) v[i] = 0.0;
}

// The stage of the clock: at t + at dt, and part dt long, the part of the implicit formula if it is negative. One thread.
static __device__ __forceinline__ void rhx_set_stage(RhxClock *clock, double at, double part)
{
  clock->stage.t = clock->step.t + at * clock->step.dt;
  clock->stage.dt = (part < 0.0 ? 1.0 / clock->lead : part) * clock->step.dt;
}

// Begins a step: its numbers from host memory, scalars zero; and its first stage.
// zero[n]: an array that a later kernel adds to.
extern "C" __global__ void rhx_begin(const volatile double *host, RhxClock *clock, double at, double part, double *s,
                                     int n, double *zero)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  if (!blockIdx.x) {
    if (threadIdx.x < RHX_CLOCK_DOUBLES) ((double *)clock)[threadIdx.x] = host[threadIdx.x];
    __syncthreads();
    if (!threadIdx.x) rhx_set_stage(clock, at, part);
  }
  if (!blockIdx.x && threadIdx.x < RHX_S_SIZE) s[threadIdx.x] = 0.0;
  rhx_clear(n, zero);
}

// Begins another stage.
extern "C" __global__ void rhx_stage(RhxClock *clock, double at, double part, int n, double *zero)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  if (!blockIdx.x && !threadIdx.x) rhx_set_stage(clock, at, part);
  rhx_clear(n, zero);
}

// Values that the host has written for a recorded step.
extern "C" __global__ void rhx_take(int n, const volatile double *host, double *to)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < n) to[i] = host[i];
}

// Inverses: per_rate[RHX_BS] of the coefficients of rates, 0: no rate; imass of the scheme's mass, ivolume of the row sums.
// u^ and s+ with what is given of them; the pressure stays. u: 0, or velocity of y, less that of `less` unless it is 0. s: 0, or
// the continuity residual of the first term over nodes of free pressure joins it. rates: y is the rate instead, of what is given
// over the step, 0 of the pressure.
extern "C" __global__ void rhx_advance(int n, const RhxClock *clock, const double *per_rate, const double *imass,
                                       const double *ivolume, RhxGiven given, const double *x, RhxStageSum r,
                                       const double *less, double *y, double *u, double *s, int rates)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / RHX_BS, c = i - node * RHX_BS;
  const bool mine = node < n;
  const int at = mine ? rhx_given(given, node, c) : 0;
  const double mass = mine ? imass[node] : 0.0, volume = mine ? ivolume[node] : 0.0, inverse = per_rate[c];
  double residual = 0.0;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (mine) {
    const double a = clock->stage.dt * mass, old = x[i];
    double v = old, sum = r.weight[0] * r.term[0][i];
#pragma unroll
    for (int j = 1; j < RHX_SUM_TERMS; j++)
      if (j < r.n) sum += r.weight[j] * r.term[j][i];
    if (inverse != 0.0) v = at < 0 ? old - a * inverse * sum : given.val[at];
    y[i] = !rates ? v : inverse == 0.0 ? 0.0 : at < 0 ? -mass * inverse * sum : (v - old) / clock->step.dt;
    if (u && rhx_is_velocity(c))
      u[(size_t)node * RHX_DIM + c - RHX_FIRST_VELOCITY] = !less ? v : v - (less == x ? old : less[i]);
    if (c == RHX_FIRST_PRESSURE && at < 0) residual = r.term[0][i] * volume;
  }
  if (s) rhx_block_max(residual, s + RHX_S_CONTINUITY);
}

// y = x, its pressure lag times its slope later.
extern "C" __global__ void rhx_tell(int n, double lag, const double *x, const double *slope, double *y)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / RHX_BS, c = i - node * RHX_BS;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (node < n) y[i] = c == RHX_FIRST_PRESSURE ? x[i] + lag * slope[i] : x[i];
}

// Sources of velocity: rest[n][RHX_DIM] and a uniform force.
extern "C" __global__ void rhx_push(int n, const double *rest, RhxForce force, double *source)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / RHX_DIM, d = i - node * RHX_DIM;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (node < n) source[(size_t)node * RHX_BS + RHX_FIRST_VELOCITY + d] = rest[i] + force.component[d];
}

// The blocks of listed nodes, one after the other.
extern "C" __global__ void rhx_pick(int n, int width, const int *node, const double *x, double *picked)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, k = i / width;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (k < n) picked[i] = x[(size_t)node[k] * width + i - k * width];
}

// r -= load
extern "C" __global__ void rhx_load(int n, const double *load, double *r)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < n) r[i] -= load[i];
}

// to = P + first - M^-1 M_c P of components with more than `which` corrections, else P; of ghosts the part of this rank's elements,
// which is still to be summed. Not in place.
extern "C" __global__ void rhx_correct(RhxMassRows mass, int width, int which, const int *corrections,
                                       const double *inverse, const double *first, const double *p, double *to)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / width, c = i - node * width;
  const bool mine = node < mass.n;
  const int begin = mine ? mass.start[node] : 0, end = mine && which < corrections[c] ? mass.start[node + 1] : begin;
  const double scale = mine ? inverse[node] : 0.0;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (!mine) return;
  double sum = 0.0, v = node < mass.nowned ? p[i] : 0.0;
  for (int k = begin; k < end; k++) sum += mass.value[k] * p[(size_t)mass.node[k] * width + c];
  if (end > begin && node < mass.nowned) v += first[i];
  to[i] = v - scale * sum;
}

// g -= (phi - rise) (integral N n), the part of the gradient's adjoint on open faces, behind which the pressure rises; rise may be NULL
extern "C" __global__ void rhx_open(int n, const int *node, const double *normal, const double *rise, const double *phi,
                                    double *g)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i >= n) return;
  const double p = phi[node[i]] - (rise ? rise[i] : 0.0);
  for (int d = 0; d < RHX_DIM; d++) g[(size_t)node[i] * RHX_DIM + d] -= p * normal[i * RHX_DIM + d];
}

// r of modes with what those of x lack of the modes that flow in; rows that this would change faster than 1/dt are slowed to it
extern "C" __global__ void rhx_inflow(RhxInflow in, double slow, const RhxTime *clock, const double *imass,
                                      const double *x, double *r)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, k = i / in.width;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (k >= in.n) return;
  const size_t at = (size_t)in.node[k] * RHX_BS, to = at + RHX_FIRST_MODE + i - k * in.width;
  double inward = 0.0;
  for (int d = 0; d < RHX_DIM; d++) inward -= x[at + RHX_FIRST_VELOCITY + d] * in.normal[k * RHX_DIM + d];
  if (inward > 0.0)
    r[to] = (r[to] + inward * (x[to] - in.val[i])) / fmax(1.0, slow * clock->dt * inward * imass[in.node[k]]);
}

// r += H v of scalar fields with a film: of a residual, v = x; or its derivative along v, with friction's heat, which a residual has in its load
extern "C" __global__ void rhx_film(RhxFilm film, int product, const double *v, double *r)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, k = i / film.width;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (k >= film.n) return;
  const size_t row = (size_t)film.node[k] * RHX_BS, at = row + RHX_FIRST_SCALAR + i - k * film.width;
  double sum = film.value[i] * v[at];
  for (int d = 0; d < RHX_DIM && product && film.slope; d++)
    sum -= film.slope[i * RHX_DIM + d] * v[row + RHX_FIRST_VELOCITY + d];
  r[at] += sum;
}

// what flows in: its derivative at dt 0 along v
extern "C" __global__ void rhx_inflow_product(RhxInflow in, const double *x, const double *v, double *r)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, k = i / in.width;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (k >= in.n) return;
  const size_t at = (size_t)in.node[k] * RHX_BS, to = at + RHX_FIRST_MODE + i - k * in.width;
  double inward = 0.0, more = 0.0;
  for (int d = 0; d < RHX_DIM; d++) {
    inward -= x[at + RHX_FIRST_VELOCITY + d] * in.normal[k * RHX_DIM + d];
    more -= v[at + RHX_FIRST_VELOCITY + d] * in.normal[k * RHX_DIM + d];
  }
  if (inward > 0.0) r[to] += inward * v[to] + more * (x[to] - in.val[i]);
}

// b of open nodes with what the pressure behind them rises by, less what is known of it (NULL: nothing); diagonal: that of K
extern "C" __global__ void rhx_rise(int n, const int *node, const double *diagonal, const double *rise,
                                    const double *known, double *b)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < n) b[node[i]] += diagonal[i] * (rise[i] - (known ? known[i] : 0.0));
}

// r += first (0: nothing) + weight M_c w, times its coefficient 1/per_rate, in rows before end_of_mass that have a rate; of ghosts the part of
// this rank's elements.
extern "C" __global__ void rhx_add_mass(RhxMassRows mass, const double *per_rate, int end_of_mass, double weight,
                                        const double *first, const double *w, double *r)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / RHX_BS, c = i - node * RHX_BS;
  const double inverse = per_rate[c];
  const bool mine = node < mass.n && inverse != 0.0 && c < end_of_mass;
  const int begin = mine ? mass.start[node] : 0, end = mine ? mass.start[node + 1] : 0;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (node >= mass.n) return;
  double sum = 0.0;
  for (int k = begin; k < end; k++) sum += mass.value[k] * w[(size_t)mass.node[k] * RHX_BS + c];
  if (mine) sum *= weight / inverse;
  r[i] = node >= mass.nowned ? sum : mine ? r[i] + (first ? first[i] : 0.0) + sum : r[i];
}

// Rows x[idx] = 0, then x -= (dual.(x - weight towards)) part for the parts of every node in turn, in each vector or tensor of its block; of
// vectors both are the normal. towards 0: zeros.
extern "C" __global__ void rhx_impose(int nzero, const int *idx, int nnodes, const int *start, const int *node,
                                      int components, const double *part, const double *dual, int nvectors,
                                      const int *vector, int width, double weight, const double *towards, double *x)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, j = i - nzero;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < nzero) {
    x[idx[i]] = 0.0;
    return;
  }
  if (j >= nnodes) return;
  for (int k = start[j]; k < start[j + 1]; k++)
    for (int v = 0; v < nvectors; v++) {
      const size_t at = (size_t)node[k] * width + vector[v];
      double *u = x + at, along = 0.0;
      for (int d = 0; d < components; d++)
        along += dual[k * components + d] * (towards ? u[d] - weight * towards[at + d] : u[d]);
      for (int d = 0; d < components; d++) u[d] -= along * part[k * components + d];
    }
}

// The solve's right-hand side and guess, b = D v on entry.
//   increment:   b = -(D(u^ - u) + R_p)/(dt/rho + tau_0), guess the last increment; with subscales tracked (1) R_p is times
//     f = 1 - exp(-dt/(2 rho tau_0)), or (2) in b, and tau_0 is not there; with `asked`, which becomes -b dt/rho, (1 - f)(asked_before - done) is;
//     of the second increment of a step `asked` becomes the mean of that and of e of its start
//   dissipation: b = factor D u, factor = -rho/eps, guess the last pressure
// A fixed value is what is given, less the present pressure for the increment; rows beside fixed nodes lose K value.
// zero[nzero]: an array that a later kernel adds to.
extern "C" __global__ void rhx_rhs(int n, int increment, int tracked, const RhxClock *clock, double irho, double factor,
                                   const double *s, RhxGiven given, RhxLift lift, const double *x, const double *r,
                                   const double *xdot, int second, const double *asked_before, const double *done,
                                   const double *asked_start, const double *done_start, double *asked, double *b,
                                   double *phi, int nzero, double *zero)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  const size_t at = (size_t)i * RHX_BS + RHX_FIRST_PRESSURE;
  const int fixed = i < n ? rhx_given(given, i, RHX_FIRST_PRESSURE) : -1, k = i < n && lift.of ? lift.of[i] : -1;
  const int begin = k < 0 ? 0 : lift.start[k], end = k < 0 ? 0 : lift.start[k + 1];
  rhx_launch_dependents();
  rhx_wait_prior();
  rhx_clear(nzero, zero);
  if (i >= n) return;
  if (fixed >= 0) {
    b[i] = phi[i] = given.val[fixed] - (increment ? x[at] : 0.0);
    return;
  }
  const double dt = clock->stage.dt, step = dt * irho, tau = s[RHX_S_TAU],
               follow = tracked == 2 ? 0.0
                        : tracked    ? -expm1(-clock->follow * irho / tau)
                                     : 1.0;
  double v = increment ? b[i] + follow * r[at] : factor * b[i];
  if (increment && asked) {
    const double share = second ? 1.0 : clock->share;
    if (share > 0.0 && follow < 1.0) v += (1.0 - follow) * share * (asked_before[i] - done[i]);
    asked[i] = second ? 0.5 * (v + (clock->share > 0.0 ? clock->share * (asked_start[i] - done_start[i]) : 0.0)) : v;
  }
  if (increment) v /= -(step + (tracked ? 0.0 : 0.5 * tau));
  for (int j = begin; j < end; j++) {
    const RhxLiftEntry e = lift.entry[j];
    v -= e.k * (given.val[e.val] - (increment ? x[(size_t)e.node * RHX_BS + RHX_FIRST_PRESSURE] : 0.0));
  }
  b[i] = v;
  phi[i] = increment ? dt * xdot[at] : x[at];
}

// Sums of v by blocks, then v less its mean over `all` nodes of all ranks: a right-hand side of the singular problem, or a guess.
extern "C" __global__ void rhx_sum(int n, const double *v, double *partial)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  double sum[1] = {0.0};
  for (int i = blockIdx.x * RHX_BLOCK + threadIdx.x; i < n; i += gridDim.x * RHX_BLOCK) sum[0] += v[i];
  rhx_block_sums(sum);
  if (!threadIdx.x) partial[blockIdx.x] = sum[0];
}

extern "C" __global__ void rhx_centre(int n, int all, int nblocks, const double *partial, double *v)
{
  __shared__ double mean;
  double sum[1] = {0.0};
  rhx_launch_dependents();
  rhx_wait_prior();
  for (int k = threadIdx.x; k < nblocks; k += RHX_BLOCK) sum[0] += partial[k];
  rhx_block_sums(sum);
  if (!threadIdx.x) mean = sum[0] / all;
  __syncthreads();
  for (int i = blockIdx.x * RHX_BLOCK + threadIdx.x; i < n; i += gridDim.x * RHX_BLOCK) v[i] -= mean;
}

// part[n][width]: components [first, first + width) of the blocks of size bs.
extern "C" __global__ void rhx_part(int n, int bs, int first, int width, const double *x, double *part)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / width;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (node < n) part[i] = x[node * bs + first + (i - node * width)];
}

// y = a x + b z, the pressure that of z, and what is given; v, if any, what the velocity of z lost: b times that and what y lacks of a x + b z.
extern "C" __global__ void rhx_combine(int n, RhxGiven given, double a, const double *x, double b, const double *z,
                                       double *y, double *v)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / RHX_BS, c = i - node * RHX_BS;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (node >= n) return;
  const int at = rhx_given(given, node, c);
  const double both = c == RHX_FIRST_PRESSURE ? z[i] : a * x[i] + b * z[i], now = at >= 0 ? given.val[at] : both;
  y[i] = now;
  if (!v || !rhx_is_velocity(c)) return;
  double *lost = v + (size_t)node * RHX_DIM + c - RHX_FIRST_VELOCITY;
  *lost = b * *lost + (both - now);
}

#if RHX_NMODES
#if RHX_NTENS == 6
// By sweeps of Jacobi; NaN where c is not finite.
static __device__ double rhx_least_eigenvalue(const double *c)
{
  double a[3][3] = {{c[0], c[5], c[4]}, {c[5], c[1], c[3]}, {c[4], c[3], c[2]}};
  for (int sweep = 0; sweep < 6; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[p][q] == 0.0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta)), k = rsqrt(1.0 + t * t),
                     m = t * k;
        const int o = 3 - p - q;
        const double pq = a[p][q], po = a[p][o], qo = a[q][o];
        a[p][p] -= t * pq;
        a[q][q] += t * pq;
        a[p][q] = a[q][p] = 0.0;
        a[p][o] = a[o][p] = k * po - m * qo;
        a[q][o] = a[o][q] = m * po + k * qo;
      }
  const double sum = a[0][0] + a[1][1] + a[2][2];
  return isfinite(sum) ? fmin(a[0][0], fmin(a[1][1], a[2][2])) : sum - sum;
}
#else
static __device__ double rhx_least_eigenvalue(const double *c)
{
  const double h = 0.5 * (c[0] - c[1]), o = c[RHX_NTENS - 1], e = 0.5 * (c[0] + c[1]) - sqrt(h * h + o * o);
#if RHX_NTENS == 4
  return c[2] < e ? c[2] : e + 0.0 * c[2];
#else
  return e;
#endif
}
#endif
#endif

static __device__ __forceinline__ void rhx_join(RhxHealth *a, const RhxHealth &b)
{
  if (b.least < a->least || (b.least == a->least && b.mode == a->mode && b.node < a->node)) {
    a->least = b.least;
    a->node = b.node;
    a->mode = b.mode;
  }
  a->nbad += b.nbad;
}

// Joined over the block; valid in thread 0.
static __device__ void rhx_block_health(RhxHealth *h)
{
  __shared__ RhxHealth part[RHX_BLOCK / 32];
  for (int k = 16; k; k /= 2) {
    RhxHealth o;
    o.least = __shfl_down_sync(RHX_ALL, h->least, k);
    o.node = __shfl_down_sync(RHX_ALL, h->node, k);
    o.mode = __shfl_down_sync(RHX_ALL, h->mode, k);
    o.nbad = __shfl_down_sync(RHX_ALL, h->nbad, k);
    if ((threadIdx.x & 31) + k < 32) rhx_join(h, o);
  }
  __syncthreads();
  if (!(threadIdx.x & 31)) part[threadIdx.x / 32] = *h;
  __syncthreads();
  if (!threadIdx.x)
    for (int k = 1; k < RHX_BLOCK / 32; k++) rhx_join(h, part[k]);
}

#define RHX_PARENT_NODES (1 << RHX_DIM) // of a boundary point

// Outward, inward flux and scale over the points of one of several blocks; valid in thread 0.
static __device__ void rhx_block_flux(const RhxBoundaryPoints &p, const double *y, int block, int nblocks,
                                      double (&sum)[3])
{
  double out = 0.0, in = 0.0, scale = 0.0;
  for (int i = block * RHX_BLOCK + threadIdx.x; i < p.n; i += nblocks * RHX_BLOCK) {
    double un = 0.0, area = 0.0;
    for (int d = 0; d < RHX_DIM; d++) area += p.normal[i * RHX_DIM + d] * p.normal[i * RHX_DIM + d];
    area = sqrt(area);
#pragma unroll
    for (int a = 0; a < RHX_PARENT_NODES; a++) { // unrolled: the loads wait together
      const int k = p.node[i * RHX_PARENT_NODES + a];
      const double N = p.N[i * RHX_PARENT_NODES + a];
#pragma unroll
      for (int d = 0; d < RHX_DIM; d++) {
        const double u = k < 0 ? 0.0 : __ldcg(&y[(size_t)k * RHX_BS + RHX_FIRST_VELOCITY + d]);
        un += N * u * p.normal[i * RHX_DIM + d];
        scale += fabs(u) * area;
      }
    }
    out += fmax(un, 0.0);
    in += fmax(-un, 0.0);
  }
  sum[0] = out;
  sum[1] = in;
  sum[2] = scale;
  rhx_block_sums(sum);
}

// By one block: joins the partial results, adds up the fluxes itself if nflux is 0, and hands the scalars to the host. What
// other blocks of the same kernel have written it reads past the first cache.
static __device__ void rhx_report_of(int nhealth, const RhxHealth *health, int nflux, const double *flux,
                                     const RhxBoundaryPoints &p, const double *y, double *s, volatile double *host)
{
  RhxHealth h = {RHX_INFINITY, 0x7fffffff, -1, 0};
  double sum[3] = {0.0, 0.0, 0.0};
  for (int k = threadIdx.x; k < nhealth; k += RHX_BLOCK) {
    const RhxHealth *from = &health[k];
    rhx_join(&h, {__ldcg(&from->least), __ldcg(&from->node), __ldcg(&from->mode), __ldcg(&from->nbad)});
  }
  rhx_block_health(&h);
  if (nflux) {
    for (int k = threadIdx.x; k < nflux; k += RHX_BLOCK)
      for (int j = 0; j < 3; j++) sum[j] += flux[3 * k + j];
    rhx_block_sums(sum);
  } else
    rhx_block_flux(p, y, 0, 1, sum);
  if (!threadIdx.x) {
    s[RHX_S_LEAST] = h.least;
    s[RHX_S_NODE] = h.node;
    s[RHX_S_MODE] = h.mode;
    s[RHX_S_NBAD] = h.nbad;
    for (int j = 0; j < 3; j++) s[RHX_S_FLUX + j] = sum[j];
  }
  __syncthreads();
  if (threadIdx.x < RHX_S_SIZE) host[threadIdx.x] = __ldcg(&s[threadIdx.x]);
}

// Nodes that a block holds at a time, by the shared memory that their new values and rates take.
#define RHX_CHUNK (RHX_BS <= 11 ? 256 : RHX_BS <= 22 ? 128 : RHX_BS <= 44 ? 64 : RHX_BS <= 88 ? 32 : 8)
#define RHX_ROW (RHX_BS | 1)
#define RHX_READS 4 // values of a thread at a time

// Value c of a node's block after the solve, what being RHX_FINISH_...:
//   projection:  p+ = p + phi, u+ = u^ - dt/(rho m) G;  dissipation: p+ = phi
static __device__ __forceinline__ double rhx_updated(int what, int node, int c, double step, const RhxGiven &given,
                                                     double old, double now, const double *phi, const double *gradient)
{
  if (c != RHX_FIRST_PRESSURE && !(rhx_is_velocity(c) && what & RHX_FINISH_PROJECT)) return now;
  if (c == RHX_FIRST_PRESSURE) return what & RHX_FINISH_PROJECT ? old + phi[node] : phi[node];
  return rhx_given(given, node, c) >= 0 ? now : now - step * gradient[(size_t)node * RHX_DIM + c - RHX_FIRST_VELOCITY];
}

// Largest |rate|^2 of u, of the modes over their moduli and scalars over their scales; 1 in bad if a value is lost; health of the conformations.
static __device__ __forceinline__ void rhx_measure(int node, const double *y, const double *rate,
                                                   const double *inverse_scale, double *du, double *ds, double *bad,
                                                   RhxHealth *h)
{
  double sum = 0.0, finite = 0.0;
#pragma unroll
  for (int c = RHX_FIRST_VELOCITY; c < RHX_FIRST_VELOCITY + RHX_DIM; c++) sum += rate[c] * rate[c];
#pragma unroll
  for (int c = 0; c < RHX_BS; c++) finite += RHX_LOST(y[c]);
  if (!(sum <= *du) && *du == *du) *du = sum;
  if (!(finite == 0.0)) *bad = 1.0;
#if RHX_NMODES
  for (int m = 0; m < RHX_NMODES; m++) {
    double c[RHX_NTENS], e;
    sum = 0.0;
#pragma unroll
    for (int k = 0; k < RHX_NTENS; k++) {
      const int at = RHX_FIRST_MODE + m * RHX_NTENS + k;
      const double d = rate[at] * inverse_scale[m];
      sum += d * d;
      c[k] = RHX_AS == 0 ? y[at] * inverse_scale[m] : y[at];
    }
    if (!(sum <= *ds) && *ds == *ds) *ds = sum;
    e = rhx_least_eigenvalue(c);
    RhxHealth here = {RHX_AS == 0 ? 1.0 + e : RHX_AS == 1 ? e : exp(e), node, m, 0};
    if (!(here.least == here.least)) here.least = -RHX_INFINITY;
    here.nbad = !(here.least > 0.0);
    rhx_join(h, here);
  }
#endif
#if RHX_NSCALARS
#pragma unroll
  for (int k = 0; k < RHX_NSCALARS; k++) {
    const double d = rate[RHX_FIRST_SCALAR + k] * inverse_scale[RHX_NMODES + k];
    if (!(d * d <= *ds) && *ds == *ds) *ds = d * d;
  }
#endif
}

// RHX_FINISH_UPDATE: y gets its pressure and velocity after the solve. RHX_FINISH_MEASURE: rate = (y - x)/dt and its measures.
// RHX_FINISH_REPORT: what rhx_report does, with few boundary points.
// x: state at the start of the Euler step; inverse_scale[mode]: conformation per unknown, then those of scalars.
extern "C" __global__ void rhx_finish(int n, int what, const RhxClock *clock, double irho, const double *imass,
                                      RhxGiven given, const double *inverse_scale, const double *x, const double *phi,
                                      double *gradient, double *y, double *rate, RhxHealth *partial, double *s,
                                      unsigned *ticket, RhxBoundaryPoints points, volatile double *host, int most)
{
  const int chunk = min(RHX_CHUNK, most); // nodes at a time
  __shared__ double row[RHX_CHUNK * RHX_ROW], slope[RHX_CHUNK * RHX_ROW];
  RhxHealth h = {RHX_INFINITY, 0x7fffffff, -1, 0};
  rhx_launch_dependents();
  rhx_wait_prior();
  double du = 0.0, ds = 0.0, bad = 0.0;
  const double dt = clock->stage.dt, idt = 1.0 / clock->step.dt;
  for (int first = blockIdx.x * chunk; first < n; first += gridDim.x * chunk) {
    const int count = min(chunk, n - first);
    for (int i = threadIdx.x; i < count * RHX_BS; i += RHX_READS * RHX_BLOCK) {
      double old[RHX_READS], now[RHX_READS]; // together: the reads wait together
#pragma unroll
      for (int u = 0; u < RHX_READS; u++) {
        const int m = min(i + u * RHX_BLOCK, count * RHX_BS - 1), k = m / RHX_BS, c = m - k * RHX_BS;
        const size_t at = (size_t)first * RHX_BS + m;
        old[u] = x[at];
        now[u] = y[at];
        if (what & RHX_FINISH_UPDATE)
          now[u] = rhx_updated(what, first + k, c, dt * irho * imass[first + k], given, old[u], now[u], phi, gradient);
      }
#pragma unroll
      for (int u = 0; u < RHX_READS; u++) {
        const int m = i + u * RHX_BLOCK, k = m / RHX_BS, c = m - k * RHX_BS;
        const size_t at = (size_t)first * RHX_BS + m;
        if (m >= count * RHX_BS) break;
        if (what & RHX_FINISH_TAKE && rhx_is_velocity(c))
          gradient[(size_t)(first + k) * RHX_DIM + c - RHX_FIRST_VELOCITY] = y[at] - now[u];
        if (what & RHX_FINISH_UPDATE && c < RHX_FIRST_MODE) y[at] = now[u]; // the flow comes first
        if (!(what & RHX_FINISH_MEASURE)) continue;
        rate[at] = slope[k * RHX_ROW + c] = (now[u] - old[u]) * idt;
        row[k * RHX_ROW + c] = now[u];
      }
    }
    if (!(what & RHX_FINISH_MEASURE)) continue;
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += RHX_BLOCK)
      rhx_measure(first + k, row + k * RHX_ROW, slope + k * RHX_ROW, inverse_scale, &du, &ds, &bad, &h);
    __syncthreads();
  }
  if (!(what & RHX_FINISH_MEASURE)) return;
  rhx_block_max3(du, ds, bad, s + RHX_S_DU, s + RHX_S_DS, s + RHX_S_BAD);
  rhx_block_health(&h);
  if (!threadIdx.x) partial[blockIdx.x] = h;
  if (what & RHX_FINISH_REPORT && rhx_comes_last(ticket)) rhx_report_of(gridDim.x, partial, 0, 0, points, y, s, host);
}

extern "C" __global__ void rhx_flux(RhxBoundaryPoints p, const double *y, double *partial)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  double sum[3];
  rhx_block_flux(p, y, blockIdx.x, gridDim.x, sum);
  if (!threadIdx.x)
    for (int j = 0; j < 3; j++) partial[3 * blockIdx.x + j] = sum[j];
}

extern "C" __global__ void rhx_report(int nhealth, const RhxHealth *health, int nflux, const double *flux,
                                      RhxBoundaryPoints p, const double *y, double *s, volatile double *host)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  rhx_report_of(nhealth, health, nflux, flux, p, y, s, host);
}

// Largest |u|^2, p^2, and |s|^2 of the modes in conformation units and of scalars over their scales to the host. norm[3] is 0 before and after.
extern "C" __global__ void rhx_norms(int n, const double *inverse_scale, const double *x, double *norm,
                                     unsigned *ticket, volatile double *host)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  double u = 0.0, p = 0.0, s = 0.0;
  for (int node = blockIdx.x * RHX_BLOCK + threadIdx.x; node < n; node += gridDim.x * RHX_BLOCK) {
    const double *v = x + (size_t)node * RHX_BS;
    double sum = 0.0;
    for (int c = RHX_FIRST_VELOCITY; c < RHX_FIRST_VELOCITY + RHX_DIM; c++) sum += v[c] * v[c];
    u = fmax(u, sum);
    p = fmax(p, v[RHX_FIRST_PRESSURE] * v[RHX_FIRST_PRESSURE]);
#if RHX_NMODES
    for (int m = 0; m < RHX_NMODES; m++) {
      sum = 0.0;
      for (int k = 0; k < RHX_NTENS; k++) {
        const double c = v[RHX_FIRST_MODE + m * RHX_NTENS + k] * inverse_scale[m];
        sum += c * c;
      }
      s = fmax(s, sum);
    }
#endif
#if RHX_NSCALARS
    for (int k = 0; k < RHX_NSCALARS; k++) {
      const double c = v[RHX_FIRST_SCALAR + k] * inverse_scale[RHX_NMODES + k];
      s = fmax(s, c * c);
    }
#endif
  }
  rhx_block_max3(u, p, s, norm, norm + 1, norm + 2);
  if (!rhx_comes_last(ticket) || threadIdx.x >= 3) return;
  host[threadIdx.x] = __ldcg(&norm[threadIdx.x]);
  norm[threadIdx.x] = 0.0;
}
