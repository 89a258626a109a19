// Nodal kernels of a step with implicit momentum, or with RHX_OF_MODES of implicit transport of a mode, and of its solver: BiCGStab with
// the diagonal as preconditioner on the left, in the order of PETSc's. Macros: those of kernels/step.cuh. Vectors are
// [nodes][RHX_WIDTH], of components from `first` on in the node block; rows of the matrix are of the elements of this rank.
#include <kernels/implicit.h>
#include <kernels/nodes.cuh>

#define RHX_BEGIN          \
  rhx_launch_dependents(); \
  rhx_wait_prior();
#if RHX_WHILE
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
#endif
#define RHX_MINE ((int)(blockIdx.x * RHX_BLOCK + threadIdx.x))

#if RHX_OF_MODES
#define RHX_WIDTH RHX_NTENS
#else
#define RHX_WIDTH RHX_DIM
#endif

static __device__ __forceinline__ size_t rhx_place(int first, int i)
{
  const int node = i / RHX_WIDTH;
  return (size_t)node * RHX_BS + first + (i - node * RHX_WIDTH);
}

static __device__ __forceinline__ bool rhx_is_given(const RhxGiven &given, int first, int i)
{
  const int node = i / RHX_WIDTH;
  return rhx_given(given, node, first + i - node * RHX_WIDTH) >= 0;
}

// ---- Matrix ----

// v = 0 where it is given, else v times the node's scale, if there is one
extern "C" __global__ void rhx_free(int n, int first, RhxGiven given, const double *scale, double *v)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n * RHX_WIDTH) return;
  if (rhx_is_given(given, first, i))
    v[i] = 0.0;
  else if (scale)
    v[i] *= scale[i / RHX_WIDTH];
}

// value = rho/dt M, dt of the stage, before the elements add theirs
extern "C" __global__ void rhx_fill(int n, double rho, const RhxClock *clock, const double *mass, double *value)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n) value[i] = rho / clock->stage.dt * mass[i];
}

extern "C" __global__ void rhx_diagonal(int n, const int *place, const double *value, double *diagonal)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n) diagonal[i] = value[place[i]];
}

extern "C" __global__ void rhx_invert(int n, double *diagonal)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n) diagonal[i] = 1.0 / diagonal[i];
}

// ---- The solver ----

// r = first direction = r^, the solution zero
extern "C" __global__ void rhx_stab_start(int n, const double *r, double *shadow, double *p, double *v, double *x)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n * RHX_WIDTH) return;
  shadow[i] = r[i];
  p[i] = v[i] = x[i] = 0.0;
}

// p = r + beta (p - omega v)
extern "C" __global__ void rhx_stab_direction(int n, const RhxStabState *state, const double *r, const double *v,
                                              double *p)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n * RHX_WIDTH && state->live) p[i] = r[i] + state->beta * (p[i] - state->omega * v[i]);
}

// y = A x, with the hoop of the radial component, if there is one; scale: of all rows, with zeros where it is given, on one
// rank; else NULL
extern "C" __global__ void rhx_stab_product(RhxMassRows A, const double *hoop, int first, const RhxStabState *state,
                                            RhxGiven given, const double *scale, const double *x, double *y)
{
  const int i = RHX_MINE, node = i / RHX_WIDTH, c = i - node * RHX_WIDTH;
  RHX_BEGIN
  if (node >= A.n || !state->live) return;
  double sum = 0.0;
  for (int k = A.start[node]; k < A.start[node + 1]; k++) sum += A.value[k] * x[(size_t)A.node[k] * RHX_WIDTH + c];
  if (hoop && c == 1) sum += hoop[node] * x[i];
  if (scale) sum = rhx_is_given(given, first, i) ? 0.0 : scale[node] * sum;
  y[i] = sum;
}

// s = r - alpha v
extern "C" __global__ void rhx_stab_half(int n, const RhxStabState *state, const double *r, const double *v, double *s)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n * RHX_WIDTH && state->live) s[i] = r[i] - state->alpha * v[i];
}

// x += alpha p + omega s, r = s - omega t
extern "C" __global__ void rhx_stab_whole(int n, const RhxStabState *state, const double *p, const double *s,
                                          const double *t, double *x, double *r)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n * RHX_WIDTH || !state->live) return;
  x[i] += state->alpha * p[i] + state->omega * s[i];
  r[i] = s[i] - state->omega * t[i];
}

// sums = (a, b), (a, a), (b, b) over this rank, in a fixed order; part[blocks][RHX_DOTS]
extern "C" __global__ void rhx_stab_dots(int n, const double *a, const double *b, double *part, unsigned *ticket,
                                         double *sums)
{
  double sum[RHX_DOTS] = {0.0, 0.0, 0.0};
  RHX_BEGIN
  for (int i = RHX_MINE; i < n * RHX_WIDTH; i += gridDim.x * RHX_BLOCK) {
    sum[0] += a[i] * b[i];
    sum[1] += a[i] * a[i];
    sum[2] += b[i] * b[i];
  }
  rhx_block_sums(sum);
  if (!threadIdx.x)
    for (int j = 0; j < RHX_DOTS; j++) part[blockIdx.x * RHX_DOTS + j] = sum[j];
  if (!rhx_comes_last(ticket)) return;
  for (int j = 0; j < RHX_DOTS; j++) sum[j] = 0.0;
  for (int k = threadIdx.x; k < gridDim.x; k += RHX_BLOCK)
    for (int j = 0; j < RHX_DOTS; j++) sum[j] += __ldcg(&part[k * RHX_DOTS + j]);
  rhx_block_sums(sum);
  if (!threadIdx.x)
    for (int j = 0; j < RHX_DOTS; j++) sums[j] = sum[j];
}

static __device__ void rhx_stab_stop(RhxStabState *state, int reason)
{
  state->reason = reason;
  state->live = 0;
}

static __device__ void rhx_stab_judge(RhxStabState *state, const RhxStabGoals &goal)
{
  const double most = fmax(goal.relative * state->start, goal.absolute);
  if (!isfinite(state->norm))
    rhx_stab_stop(state, RHX_BY_NAN);
  else if (state->norm <= most)
    rhx_stab_stop(state, state->norm < goal.absolute ? RHX_BY_ATOL : RHX_BY_RTOL);
  else if (state->norm >= goal.divergence * state->start)
    rhx_stab_stop(state, RHX_BY_DTOL);
}

// The numbers of an iteration from the sums[ranks][RHX_DOTS] of all ranks, after the vectors that RHX_AT_... says; loop: of the graph
// that iterations are part of, or 0; told: the end, for the host. One thread.
extern "C" __global__ void rhx_stab_numbers(int at, int ranks, RhxStabGoals goal, unsigned long long loop,
                                            const double *sums, RhxStabState *state, RhxStabState *told)
{
  double dot[RHX_DOTS] = {0.0, 0.0, 0.0};
  RHX_BEGIN
  if (at != RHX_AT_START && !state->live) return;
  for (int k = 0; k < ranks; k++)
    for (int j = 0; j < RHX_DOTS; j++) dot[j] += sums[k * RHX_DOTS + j];
  switch (at) {
  case RHX_AT_START: /* (r, r) */
    *state = {dot[1], 1.0, 0.0, 1.0, sqrt(dot[1]), sqrt(dot[1]), 0, 0, 1, isfinite(dot[1])};
    rhx_stab_judge(state, goal);
    break;
  case RHX_AT_PRODUCT_P: /* (A p, r^) */
    if (dot[0] == 0.0) rhx_stab_stop(state, RHX_BY_BREAKDOWN);
    state->alpha = state->rho / dot[0];
    break;
  case RHX_AT_PRODUCT_S: /* (s, A s), (s, s), (A s, A s) */
    if (dot[2] == 0.0 && dot[1] != 0.0) rhx_stab_stop(state, RHX_BY_BREAKDOWN);
    state->omega = dot[2] == 0.0 ? 0.0 : dot[0] / dot[2];
    break;
  default: /* (r, r^), (r, r) */
    state->norm = sqrt(dot[1]);
    state->iterations++;
    rhx_stab_judge(state, goal);
    if (state->live && (dot[0] == 0.0 || state->omega == 0.0)) rhx_stab_stop(state, RHX_BY_BREAKDOWN);
    if (state->live && state->iterations >= goal.most) rhx_stab_stop(state, RHX_BY_ITERATIONS);
    state->beta = dot[0] / state->rho * (state->alpha / state->omega);
    state->rho = dot[0];
  }
  if (!state->live) *told = *state;
#if RHX_WHILE
  if (loop) cudaGraphSetConditional(loop, state->live);
#endif
}

#if RHX_OF_MODES
// v = lead (y - x)/dt - late xdot
extern "C" __global__ void rhx_mode_rate(int n, int first, const RhxClock *clock, const double *x, const double *xdot,
                                         const double *y, double *v)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n * RHX_WIDTH) return;
  const size_t at = rhx_place(first, i);
  v[i] = clock->lead / clock->step.dt * (y[at] - x[at]) - clock->late * xdot[at];
}

// b = -(r + M v), of ghosts this rank's part of M v
extern "C" __global__ void rhx_mode_rhs(RhxMassRows mass, int first, const double *r, const double *v, double *b)
{
  const int i = RHX_MINE, node = i / RHX_WIDTH, c = i - node * RHX_WIDTH;
  RHX_BEGIN
  if (node >= mass.n) return;
  double sum = 0.0;
  for (int k = mass.start[node]; k < mass.start[node + 1]; k++)
    sum += mass.value[k] * v[(size_t)mass.node[k] * RHX_WIDTH + c];
  b[i] = -(sum + (node < mass.nowned ? r[rhx_place(first, i)] : 0.0));
}

// The matrix at nodes where modes flow in, place[nodes]: of its diagonal
extern "C" __global__ void rhx_mode_inflow(RhxInflow in, const int *place, const double *x, double *value)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= in.n) return;
  const size_t at = (size_t)in.node[i] * RHX_BS + RHX_FIRST_VELOCITY;
  double inward = 0.0;
  for (int d = 0; d < RHX_DIM; d++) inward -= x[at + d] * in.normal[i * RHX_DIM + d];
  value[place[in.node[i]]] += fmax(inward, 0.0);
}

// y += d, the solution, or b where that is not finite
extern "C" __global__ void rhx_mode_end(int n, int first, const RhxStabState *state, const double *solution,
                                        const double *b, double *y)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n * RHX_WIDTH) y[rhx_place(first, i)] += state->finite ? solution[i] : b[i];
}
#else
// of the last increment, and of what the balance lacked, the next step takes over what a mesh that is not graded too much allows; most:
// RHX_GRADED, of simplices infinite
static __device__ __forceinline__ double rhx_graded_part(double irho, double most, const double *s)
{
  return fmin(1.0, most * irho / (s[RHX_S_TAU] * s[RHX_S_VISCOUS]));
}

// y = x but for its velocity, and `modes` components of modes, x + dt xdot with what is given; v = lead (y - x)/dt - late xdot
extern "C" __global__ void rhx_predict(int n, int modes, const RhxClock *clock, RhxGiven given, const double *x,
                                       const double *xdot, double *y, double *v)
{
  const int i = RHX_MINE, node = i / RHX_BS, c = i - node * RHX_BS;
  RHX_BEGIN
  if (node >= n) return;
  const double old = x[i];
  if (!rhx_is_velocity(c) && !(c >= RHX_FIRST_MODE && c < RHX_FIRST_MODE + modes)) {
    y[i] = old;
    return;
  }
  const int at = rhx_given(given, node, c);
  const double rate = xdot[i], now = at < 0 ? old + clock->step.dt * rate : given.val[at];
  y[i] = now;
  if (!rhx_is_velocity(c)) return;
  v[(size_t)node * RHX_DIM + c - RHX_FIRST_VELOCITY] = clock->lead / clock->step.dt * (now - old) - clock->late * rate;
}

// z = y, its velocity less by the part of dt xdot that projections cannot take, where it is free
extern "C" __global__ void rhx_hold(int n, const RhxClock *clock, RhxGiven given, const double *inverse,
                                    const double *xdot, const double *y, double *z)
{
  const int i = RHX_MINE, node = i / RHX_BS, c = i - node * RHX_BS;
  RHX_BEGIN
  if (node >= n) return;
  const double old = y[i], reach = clock->step.dt * inverse[node];
  double square = 0.0;
  z[i] = old;
  if (!rhx_is_velocity(c) || rhx_given(given, node, c) >= 0) return;
  for (int d = 0; d < RHX_DIM; d++) {
    const double v = y[(size_t)node * RHX_BS + RHX_FIRST_VELOCITY + d] * reach;
    square += v * v;
  }
  z[i] = old - RHX_HELD * square / (1.0 + RHX_HELD * square) * clock->step.dt * xdot[i];
}

// y: velocity larger by weight bend (xdot - before), but where it is given
extern "C" __global__ void rhx_bend(int n, double weight, const RhxClock *clock, RhxGiven given, const double *xdot,
                                    const double *before, double *y)
{
  const int i = RHX_MINE, node = i / RHX_DIM, c = i - node * RHX_DIM;
  RHX_BEGIN
  if (node >= n || rhx_given(given, node, RHX_FIRST_VELOCITY + c) >= 0) return;
  const size_t at = rhx_place(RHX_FIRST_VELOCITY, i);
  y[at] += weight * clock->bend * (xdot[at] - before[at]);
}

// b = -(r + rho M v), of ghosts this rank's part of M v; into s the continuity residual of r over nodes of free pressure
extern "C" __global__ void rhx_momentum_rhs(RhxMassRows mass, double rho, RhxGiven given, const double *inverse_volume,
                                            const double *r, const double *v, double *b, double *s)
{
  const int i = RHX_MINE, node = i / RHX_DIM, c = i - node * RHX_DIM;
  const bool mine = node < mass.n, owned = node < mass.nowned;
  double sum = 0.0, residual = 0.0;
  RHX_BEGIN
  if (mine) {
    for (int k = mass.start[node]; k < mass.start[node + 1]; k++)
      sum += mass.value[k] * v[(size_t)mass.node[k] * RHX_DIM + c];
    b[i] = -(rho * sum + (owned ? r[rhx_place(RHX_FIRST_VELOCITY, i)] : 0.0));
  }
  if (owned && c == 0 && rhx_given(given, node, RHX_FIRST_PRESSURE) < 0)
    residual = r[(size_t)node * RHX_BS + RHX_FIRST_PRESSURE] * inverse_volume[node];
  rhx_block_max(residual, s + RHX_S_CONTINUITY);
}

// y = x, its velocity d larger; v = d, d: the solution, or b where that is not finite. With subscales tracked ahead = x - start, which
// joins v; else NULL.
extern "C" __global__ void rhx_momentum_end(int n, const RhxStabState *state, const double *solution, const double *b,
                                            const double *x, const double *start, double *y, double *v, double *ahead)
{
  const int i = RHX_MINE, node = i / RHX_BS, c = i - node * RHX_BS;
  RHX_BEGIN
  if (node >= n) return;
  const double old = x[i];
  if (!rhx_is_velocity(c)) {
    y[i] = old;
    return;
  }
  const size_t k = (size_t)node * RHX_DIM + c - RHX_FIRST_VELOCITY;
  const double d = state->finite ? solution[k] : b[k];
  y[i] = old + d;
  v[k] = d;
  if (!ahead) return;
  ahead[k] = old - start[i];
  v[k] = d + ahead[k];
}

// ---- Tracked subscales ----

// kept = what is known of the increment of the pressure, by the rate of the last one
extern "C" __global__ void rhx_keep(int n, const RhxClock *clock, double irho, double most, const double *s,
                                    const double *xdot, double *kept)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n) kept[i] = clock->kept * rhx_graded_part(irho, most, s) * xdot[(size_t)i * RHX_BS + RHX_FIRST_PRESSURE];
}

// Likewise of what it rises by behind open nodes, [n] of the last step
extern "C" __global__ void rhx_keep_rise(int n, const RhxClock *clock, double irho, double most, const double *s,
                                         const double *last, double *kept)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n) kept[i] = clock->known > 0.0 ? clock->kept * rhx_graded_part(irho, most, s) / clock->known * last[i] : 0.0;
}

// v and ahead -= dt/(rho m) g where the velocity is free
extern "C" __global__ void rhx_less_gradient(int n, const RhxClock *clock, double irho, const double *imass,
                                             const double *g, double *v, double *ahead)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n * RHX_DIM) return;
  const double less = clock->stage.dt * irho * imass[i / RHX_DIM] * g[i];
  v[i] -= less;
  ahead[i] -= less;
}

// The velocity of x
extern "C" __global__ void rhx_velocity(int n, const double *x, double *v)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n * RHX_DIM) v[i] = x[rhx_place(RHX_FIRST_VELOCITY, i)];
}

// What a step follows of R_p by the rate of subscales, f, and of the part of e that is S dp, (1 - f)(1 - (1 - exp(-k))/k)
static __device__ __forceinline__ void rhx_follow_by(const RhxClock *clock, double rate, double *f, double *handed)
{
  const double k = clock->known * rate;
  *f = -expm1(-clock->follow * rate);
  *handed = clock->known > 0.0 ? (1.0 - *f) * (1.0 + expm1(-k) / k) : 0.0;
}

// now = S p = R_p - D u, D u on entry; b, D (u^ - u) on entry, += F R_p - (1 - F) e with F of the slowest subscales and of those of
// each node (theory.md, section 7), but for M_c own; divergence: of u* - u; both less what is known of the increment.
extern "C" __global__ void rhx_subscales(int n, const RhxClock *clock, double irho, double most, const double *s,
                                         const double *u, const double *r, const double *inverse,
                                         const double *free_mass, const double *inverse_volume,
                                         const double *divergence, const double *last, const double *before,
                                         double *now, double *own, double *b)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n) return;
  const double residual = r[(size_t)i * RHX_BS + RHX_FIRST_PRESSURE], p = residual - now[i],
               part = clock->share * rhx_graded_part(irho, most, s), slowest = irho / s[RHX_S_TAU],
               lacking = residual - divergence[i] - part * before[i], changed = part * (p - last[i]);
  double speed = 0.0, all, all_handed, f, handed;
  for (int d = 0; d < RHX_DIM; d++) {
    const double v = u[(size_t)i * RHX_BS + RHX_FIRST_VELOCITY + d];
    speed += v * v;
  }
  rhx_follow_by(clock, slowest, &all, &all_handed);
  rhx_follow_by(clock, slowest + (free_mass[i] > 0.0 ? RHX_OWN_RATE : 0.0) * inverse[i] * sqrt(speed), &f, &handed);
  const double y = (f - all) * lacking + (handed - all_handed) * changed;
  now[i] = p;
  own[i] = inverse_volume[i] * y;
  b[i] += all * lacking + all_handed * changed + free_mass[i] * y;
}

// product = this rank's part of M_c own
extern "C" __global__ void rhx_own_product(RhxMassRows mass, const double *own, double *product)
{
  const int i = RHX_MINE;
  double sum = 0.0;
  RHX_BEGIN
  if (i >= mass.n) return;
  for (int k = mass.start[i]; k < mass.start[i + 1]; k++) sum += mass.value[k] * own[mass.node[k]];
  product[i] = sum;
}

// b -= M_c own; right = b and what is known: -dt/rho K dp
extern "C" __global__ void rhx_less_around(int n, const RhxClock *clock, double irho, double most, const double *s,
                                           const double *before, const double *product, double *right, double *b)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n) return;
  const double v = b[i] - product[i];
  b[i] = v;
  right[i] = v + clock->share * rhx_graded_part(irho, most, s) * before[i];
}

// The problem of the increment less what is known of it: at fixed nodes, in the rows beside them, in the guess
extern "C" __global__ void rhx_less_known(int n, RhxGiven given, RhxLift lift, const double *kept, double *b,
                                          double *phi)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i >= n) return;
  const int k = lift.of ? lift.of[i] : -1;
  phi[i] -= kept[i];
  if (rhx_given(given, i, RHX_FIRST_PRESSURE) >= 0) {
    b[i] -= kept[i];
    return;
  }
  for (int j = k < 0 ? 0 : lift.start[k]; k >= 0 && j < lift.start[k + 1]; j++)
    b[i] += lift.entry[j].k * kept[lift.entry[j].node];
}

extern "C" __global__ void rhx_add_known(int n, const double *kept, double *phi)
{
  const int i = RHX_MINE;
  RHX_BEGIN
  if (i < n) phi[i] += kept[i];
}
#endif
