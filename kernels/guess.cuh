/* The first guess of a solve from the solutions before it (Fischer, Comput. Methods Appl. Mech. Eng. 163, 1998): of all their
 * combinations the nearest in the energy norm, X w with  X^T A X w = X^T b.  X^T A X is kept; a new solution adds a row of it,
 * with A x = b - r. Solutions follow each other closely: the elimination begins at the newest and leaves out what the
 * newer ones span but for rounding. Included by solver.cuh. */
#define RHX_SPANNED 1e-12 /* of a solution's energy: less than this beside the newer ones is rounding */

/* The weights from v_j = (x_j, b), by one warp: lane k has the row of the k-th newest, and eliminates as all do. */
__device__ inline void rhx_weigh(const RhxCGSolve &c, const double *v)
{
  RhxCGPast *m = c.past;
  const int lane = threadIdx.x % 32, mine = lane % RHX_PAST, newest = m->next + 2 * RHX_PAST - 1;
  const int place = (newest - mine) % RHX_PAST; /* empty ones have no energy */
  double row[RHX_PAST], y = v[place], inverse = 0;
#pragma unroll
  for (int j = 0; j < RHX_PAST; j++) row[j] = m->gram[place][(newest - j) % RHX_PAST];
  const double energy = m->gram[place][place];
  int used = 0;
#pragma unroll
  for (int p = 0; p < RHX_PAST; p++) {
    const double rest = __shfl_sync(RHX_FULL, row[p], p);
    const bool counts = rest > RHX_SPANNED * __shfl_sync(RHX_FULL, energy, p);
    const double over = counts ? rhx_reciprocal(rest) : 0, factor = mine == p ? 0 : row[p] * over;
#pragma unroll
    for (int j = p + 1; j < RHX_PAST; j++) row[j] -= factor * __shfl_sync(RHX_FULL, row[j], p);
    y -= factor * __shfl_sync(RHX_FULL, y, p);
    if (mine == p) inverse = over;
    used |= counts;
  }
  if (lane < RHX_PAST) m->weight[place] = y * inverse;
  if (lane == 0) m->used = used;
}

/* v_j = (x_j, b) */
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_recall(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  const double mean = c.constants ? c.state->mean : 0;
  const int places = (int)c.places;
  double v[RHX_PAST] = {0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) {
    const double b = c.b[i] - mean;
#pragma unroll
    for (int j = 0; j < RHX_PAST; j++) v[j] += j < places ? c.solutions[(long long)j * c.n + i] * b : 0;
  }
  rhx_total_warp<RHX_PAST>(c, v, [&](const double *sum) { rhx_weigh(c, sum); });
}

/* x = X w where a row is more than its diagonal; else x has the solution. */
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_guess(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  if (!c.past->used) return;
  const int places = (int)c.places;
  double w[RHX_PAST];
#pragma unroll
  for (int j = 0; j < RHX_PAST; j++) w[j] = c.past->weight[j];
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) {
    double x = 0;
#pragma unroll
    for (int j = 0; j < RHX_PAST; j++) x += j < places ? w[j] * c.solutions[(long long)j * c.n + i] : 0;
    if (!c.alone[i]) c.x[i] = x;
  }
}

/* Solved, and by an iteration at least: else the guess was enough, and is spanned already. */
__device__ inline bool rhx_is_new(const RhxCGSolve &c) { return c.state->reason > 0 && c.state->iteration > 0; }

__device__ inline void rhx_keep(const RhxCGSolve &c, const double *v)
{
  RhxCGPast *m = c.past;
  if (!rhx_is_new(c)) return;
  for (int j = 0; j < RHX_PAST; j++) m->gram[m->next][j] = m->gram[j][m->next] = v[j];
  m->next = (m->next + 1) % (int)c.places;
}

/* The solution takes the place of the oldest; v_j = (x_j, A x) */
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_remember(RhxCGSolve c)
{
  rhx_launch_dependents();
  rhx_wait_prior();
  if (!rhx_is_new(c)) return;
  const double mean = c.constants ? c.state->mean : 0;
  const int next = c.past->next, places = (int)c.places;
  double v[RHX_PAST] = {0};
  for (int i = blockIdx.x * RHX_THREADS + threadIdx.x; i < c.n; i += gridDim.x * RHX_THREADS) {
    const double x = c.x[i], ax = c.b[i] - mean - c.r[i];
    c.solutions[(long long)next * c.n + i] = x;
#pragma unroll
    for (int j = 0; j < RHX_PAST; j++)
      v[j] += j < places ? (j == next ? x : c.solutions[(long long)j * c.n + i]) * ax : 0;
  }
  rhx_total<RHX_PAST>(c, v, rhx_keep);
}
