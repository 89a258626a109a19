// What modes leave at a point for the flow (kernels/compose_turns.h), of kernels/turns.cuh and, where modes read nothing of each other,
// of kernels/fused.cuh: in a thread's registers, or in memory, where values are as far apart as there are threads.
#define RHX_SUMS (RHX_NTENS + 1 + (RHX_HAS_DIV_TAU ? RHX_DIM : 0))
#define RHX_RATES 4
#define RHX_WFLOW (RHX_FIRST_MODE - RHX_FIRST_VELOCITY) // velocity, pressure
#define RHX_SUM_APART (RHX_BY_TURNS && !RHX_PRODUCT_CELL ? RHX_THREADS : 1)

// By turns in product cells sums begin at zero: asked for the first mode when running, the compiler writes its turn a second time.
#define RHX_FROM_ZERO (RHX_BY_TURNS && RHX_PRODUCT_CELL)

static __device__ __forceinline__ void rhx_leave(double *at, int m, double v)
{
  *at = m || RHX_FROM_ZERO ? *at + v : v;
}

static __device__ __forceinline__ void rhx_out_sums(const RhxIo *io, int m, const RhxPoint *pt)
{
  double *const at = io->sums;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) rhx_leave(at + k * RHX_SUM_APART, m, rhx_value(pt->tau[k]));
  rhx_leave(at + RHX_NTENS * RHX_SUM_APART, m, rhx_value(pt->eta_p));
#if RHX_HAS_DIV_TAU
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) rhx_leave(at + (RHX_NTENS + 1 + i) * RHX_SUM_APART, m, rhx_value(pt->div_tau[i]));
#endif
}

static __device__ __forceinline__ void rhx_in_sums(const RhxIo *io, RhxPoint *pt)
{
  const double *const at = io->sums;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) pt->tau[k] = at[k * RHX_SUM_APART];
  pt->eta_p = at[RHX_NTENS * RHX_SUM_APART];
#if RHX_HAS_DIV_TAU
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->div_tau[i] = at[(RHX_NTENS + 1 + i) * RHX_SUM_APART];
#endif
}

static __device__ __forceinline__ void rhx_out_rates(const RhxIo *io, int m, const RhxLimits *li)
{
  double *const at = io->rates;
  const double lambda = rhx_value(li->lambda);
  rhx_leave(at, m, rhx_value(li->wave));
  rhx_leave(at + RHX_SUM_APART, m, rhx_value(li->damped));
  rhx_leave(at + 2 * RHX_SUM_APART, m, rhx_value(li->tension));
  at[3 * RHX_SUM_APART] = m || RHX_FROM_ZERO ? rhx_largest(at[3 * RHX_SUM_APART], lambda) : lambda;
}

static __device__ __forceinline__ void rhx_in_rates(const RhxIo *io, RhxLimits *li)
{
  const double *const at = io->rates;
  li->wave = at[0];
  li->damped = at[RHX_SUM_APART];
  li->tension = at[2 * RHX_SUM_APART];
  li->lambda = at[3 * RHX_SUM_APART];
}

// A thread's largest values, which wait behind the slots, of width W, for the last tile where registers have no room for them.
#if RHX_LARGEST_APART > 1
#define RHX_OWN_LARGEST(p, row, W) \
  double *const largest =          \
      rhx_shared + 3 * ((p).stride / 8) + 2 * (p).most * (row) + RHX_SLOTS * rhx_row(rhx_even(W)) + threadIdx.x;
#else
#define RHX_OWN_LARGEST(p, row, W) double largest[RHX_NSTATS];
#endif

template <bool stats> static __device__ __forceinline__ void rhx_clear_largest(double *largest)
{
  if (stats)
#pragma unroll
    for (int k = 0; k < RHX_NSTATS; k++) largest[k * RHX_LARGEST_APART] = 0.0;
}

static __device__ __forceinline__ void rhx_add_largest(const RhxDevicePass &p, const double *largest)
{
  double all[RHX_NSTATS];
#pragma unroll
  for (int k = 0; k < RHX_NSTATS; k++) all[k] = largest[k * RHX_LARGEST_APART];
  rhx_add_stats(p, all);
}

#include <kernels/compose_turns.h>
