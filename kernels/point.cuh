// A point on the device, for element and face kernels: what kernels/compose.h asks for. The source generator
// (src/form/cuda/source.c) writes before this file: the macros below, the laws and stabilisers in their namespaces,
// their calls (those of compose.h) and the list of modes.
//
//   RHX_NN nodes, and as many points, of the cell type; RHX_PRODUCT_CELL 1: quad or hex, 0: simplex; RHX_ONE_POINT 1: a simplex
//   whose laws are evaluated at its centroid (kernels/simplex.h)
//   RHX_NMODES, RHX_BS, RHX_FIRST_VELOCITY, _PRESSURE, _MODE, _SCALAR (offsets in the node block), RHX_NAUX_FLOW, RHX_NAUX_MODE, RHX_NAUX; RHX_AS (representation), RHX_HAS_DIV_TAU, RHX_HAS_RATE,
//   RHX_HAS_SOURCE, RHX_PLACE(m) (of mode m among the values of a point), RHX_PROJECT_LAW, RHX_TENSOR_OSS (convection of the modes is stabilised); RHX_RHO(pass), RHX_CONVECTION(pass)
//   of simplices: RHX_NEAR, RHX_FAR (shape function of a point's own node and of the others), RHX_WEIGHT of every
//   point, rhx_dN[RHX_NN][RHX_DIM] reference gradients, rhx_Q[RHX_DIM][RHX_DIM] metric
#ifndef RHX_POINT_CUH
#define RHX_POINT_CUH

#include <kernels/pass.h>

#define RHX_ALL 0xffffffffu
#ifndef RHX_BY_TURNS
#define RHX_BY_TURNS 0 // do the modes take turns (kernels/turns.cuh)? Else they are taken all at a point
#endif
#ifndef RHX_LARGEST_APART
#define RHX_LARGEST_APART 1 // of a thread's largest values
#endif
#ifndef RHX_ROWS
#define RHX_ROWS 7 // of the residual, RHX_ROWS_... of src/form/form.h: all
#endif
#define RHX_MAX_OF(a, b) ((a) > (b) ? (a) : (b))
#define RHX_AXES RHX_DIM
#define RHX_RECIPROCAL(x) rhx_value(1.0 / RhxReal(x))
#include <kernels/geometry.h>

// g = scale I^T Q I and 1/h^2 = tr(g)/(4 dim)
static __device__ __forceinline__ void rhx_set_metric(const double I[RHX_DIM][RHX_DIM], double scale, RhxPoint *pt)
{
  double g[RHX_DIM][RHX_DIM];
#if RHX_PRODUCT_CELL
  const double *const Q = 0;
#else
  const double *const Q = &rhx_Q[0][0];
#endif
  pt->ih2 = rhx_metric(RHX_DIM, !RHX_PRODUCT_CELL, I, Q, scale, g) * (0.25 / RHX_DIM);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++)
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) pt->g[i][j] = g[i][j];
}

// Values of one point: of every component of the node block and its gradient in space; rates, sources, auxiliary
// values.
struct RhxValues {
  double v[RHX_BS], d[RHX_BS][RHX_DIM];
#if RHX_HAS_RATE
  double rate[RHX_BS];
#endif
#if RHX_HAS_SOURCE
  double source[RHX_BS];
#endif
  RhxReal aux[RHX_NAUX ? RHX_NAUX : 1];
};

// The larger one; NaN stays.
static __device__ __forceinline__ double rhx_largest(double a, double b) { return a == a && !(b <= a) ? b : a; }

struct RhxNodes;

// A point, for kernels/compose.h: f0[c] and f1[c][j] (in space) of every component.
struct RhxIo {
  const RhxDevicePass &p;
  const RhxValues &val;
  double *f0, (*f1)[RHX_DIM];
  double *largest; // RHX_NSTATS, if there are to be stats
  bool stats, first;
  double *sums, *rates;  // of kernels/turns.cuh: where modes leave theirs
  const RhxNodes *nodes; // of a simplex with one point
};

static __device__ __forceinline__ void rhx_in_flow(const RhxIo *io, RhxPoint *pt)
{
  const RhxValues &val = io->val;
  pt->t = io->p.clock->t;
  pt->dt = io->p.clock->dt;
  pt->rho = RHX_RHO(io->p);
  pt->convection = RHX_CONVECTION(io->p);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    pt->u[i] = val.v[RHX_FIRST_VELOCITY + i];
    pt->gp[i] = val.d[RHX_FIRST_PRESSURE][i];
    pt->n[i] = 0.0;
#if RHX_HAS_RATE
    pt->ut[i] = val.rate[RHX_FIRST_VELOCITY + i];
#else
    pt->ut[i] = RHX_ZERO;
#endif
#if RHX_HAS_SOURCE
    pt->f[i] = val.source[RHX_FIRST_VELOCITY + i];
#else
    pt->f[i] = 0.0;
#endif
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) pt->gu[i][j] = val.d[RHX_FIRST_VELOCITY + i][j];
  }
#if RHX_SWIRL
  pt->w = val.v[RHX_FIRST_SCALAR + RHX_SWIRL_FIELD];
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->gw[i] = val.d[RHX_FIRST_SCALAR + RHX_SWIRL_FIELD][i];
#endif
  pt->p = val.v[RHX_FIRST_PRESSURE];
#if RHX_HAS_SOURCE
  pt->fp = val.source[RHX_FIRST_PRESSURE];
#else
  pt->fp = 0.0;
#endif
}

static __device__ __forceinline__ void rhx_in_aux(const RhxIo *io, RhxPoint *pt) { pt->aux = io->val.aux; }

static __device__ __forceinline__ void rhx_in_mode(const RhxIo *io, int m, RhxMode *md)
{
  const RhxValues &val = io->val;
  const int place = RHX_PLACE(m), off = RHX_FIRST_MODE + place * RHX_NTENS;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) {
    md->s[k] = val.v[off + k];
#if RHX_HAS_RATE
    md->st[k] = val.rate[off + k];
#else
    md->st[k] = RHX_ZERO;
#endif
#if RHX_HAS_SOURCE
    md->src[k] = val.source[off + k];
#else
    md->src[k] = 0.0;
#endif
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) md->gs[k][i] = val.d[off + k][i];
  }
  md->aux = val.aux + RHX_NAUX_FLOW + place * RHX_NAUX_MODE;
}

static __device__ __forceinline__ void rhx_out_flow(const RhxIo *io, const RhxPoint *pt)
{
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    io->f0[RHX_FIRST_VELOCITY + i] = rhx_value(pt->f0u[i]);
    io->f1[RHX_FIRST_PRESSURE][i] = rhx_value(pt->f1p[i]);
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) io->f1[RHX_FIRST_VELOCITY + i][j] = rhx_value(pt->f1u[i][j]);
  }
  io->f0[RHX_FIRST_PRESSURE] = rhx_value(pt->f0p);
}

static __device__ __forceinline__ void rhx_out_mode(const RhxIo *io, int m, const RhxMode *md)
{
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) {
    const int c = RHX_FIRST_MODE + RHX_PLACE(m) * RHX_NTENS + k;
    io->f0[c] = rhx_value(md->f0[k]);
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) io->f1[c][j] = rhx_value(md->f1[k][j]);
  }
}

static __device__ __forceinline__ void rhx_out_largest(const RhxIo *io, int k, RhxReal v)
{
  double *const at = io->largest + k * RHX_LARGEST_APART;
  *at = rhx_largest(*at, rhx_value(v));
}

#if RHX_NSCALARS
#include <kernels/scalar.cuh>
#endif
#ifdef RHX_WITH_CENTROID
#include <kernels/centroid.cuh>
#endif
#define RHX_FLOW_ROWS (RHX_ROWS & 1)
#define RHX_MODE_ROWS (RHX_ROWS & 2)
#define RHX_STATS io->stats
#define RHX_FIRST_POINT io->first
#if RHX_BY_TURNS
static __device__ __forceinline__ void rhx_late_aux(const RhxIo *io);
#define RHX_LATE_AUX(io, m) rhx_late_aux(io)
#endif
#include <kernels/compose.h>

// Takes the largest over the warp into the pass's, as bits: of numbers that are not negative the order is the same, and
// NaN is above all. Every lane calls it.
static __device__ __forceinline__ void rhx_add_stats(const RhxDevicePass &p, const double v[RHX_NSTATS])
{
  const int lane = threadIdx.x & 31;
  const unsigned all = blockDim.x < 32 ? (1u << blockDim.x) - 1 : RHX_ALL;
  double mine = 0.0;
#pragma unroll
  for (int k = 0; k < RHX_NSTATS; k++) {
    const double x = v[k] <= 0.0 ? 0.0 : v[k];
    const unsigned hi = (unsigned)__double2hiint(x), most = __reduce_max_sync(all, hi);
    const unsigned least = __reduce_max_sync(all, hi == most ? (unsigned)__double2loint(x) : 0u);
    if (lane == k) mine = __hiloint2double((int)most, (int)least);
  }
  if (lane >= RHX_NSTATS) return;
  if (lane == RHX_MOST_CONVECTIVE) mine = 0.5 * sqrt(mine);
  if (lane == RHX_MOST_ELASTIC || lane == RHX_MOST_RELAXATION) mine = sqrt(mine);
  const unsigned long long bits = (unsigned long long)__double_as_longlong(mine);
  if (bits > *(volatile unsigned long long *)&p.stats[lane]) atomicMax(&p.stats[lane], bits);
}

#endif
