// The pipeline at one point on the device, for element and face kernels. The source generator
// (src/form/device_source.c) writes before this file: the macros below, the laws and stabilisers in their namespaces,
// and their calls.
//
//   RHX_NN nodes, and as many points, of the cell type; RHX_TENSOR_CELL 1: quad or hex, 0: simplex
//   RHX_NMODES, RHX_BS, RHX_NAUX_FLOW, RHX_NAUX_MODE, RHX_NAUX; RHX_AS (representation), RHX_HAS_DIV_TAU, RHX_HAS_RATE,
//   RHX_HAS_SOURCE, RHX_PROJECT_LAW, RHX_TENSOR_OSS (convection of the modes is stabilised); RHX_RHO(pass), RHX_CONVECTION(pass)
//   of simplices: RHX_NEAR, RHX_FAR (shape function of a point's own node and of the others), RHX_WEIGHT of every
//   point, rhx_dN[RHX_NN][RHX_DIM] reference gradients, rhx_Q[RHX_DIM][RHX_DIM] metric rhx_call_kinematics, _viscosity,
//   _properties, _stress, _rate, _slip, _add_flow, _add_mode, _project, _pressure_tau, _diffusion
#ifndef RHX_POINT_CUH
#define RHX_POINT_CUH

struct RhxDevicePass {
  int first, last;                       // tiles first to last - 1
  int stride, most;                      // bytes of a tile's record, nodes it has room for
  int assembly;                          // RHX_ASSEMBLE_*
  int nzero;                             // doubles of `zero`
  const char *record;                    // of every tile: kernels/element.cuh
  const double *scale;                   // [nodes] factor of projections
  const double *x, *xdot, *aux, *source; // [nodes][RHX_BS], [nodes][RHX_NAUX]
  double *out, *zero;        // results; an array that a later kernel adds to
  const double *clock;       // t, dt
  unsigned long long *stats; // RhxFormStats, largest so far
  double rho, convection;
};

#define RHX_ALL 0xffffffffu
#define RHX_FIRST_MODE (RHX_DIM + 1)
#define RHX_MAX_OF(a, b) ((a) > (b) ? (a) : (b))

// Inverts J; returns its determinant.
static __device__ __forceinline__ double rhx_invert(const double J[RHX_DIM][RHX_DIM], double I[RHX_DIM][RHX_DIM])
{
#if RHX_DIM == 2
  const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0], id = rhx_value(1.0 / RhxReal(det));
  I[0][0] = J[1][1] * id;
  I[0][1] = -J[0][1] * id;
  I[1][0] = -J[1][0] * id;
  I[1][1] = J[0][0] * id;
#else
  const double c0 = J[1][1] * J[2][2] - J[1][2] * J[2][1], c1 = J[1][2] * J[2][0] - J[1][0] * J[2][2],
               c2 = J[1][0] * J[2][1] - J[1][1] * J[2][0];
  const double det = J[0][0] * c0 + J[0][1] * c1 + J[0][2] * c2, id = rhx_value(1.0 / RhxReal(det));
  I[0][0] = c0 * id;
  I[0][1] = (J[0][2] * J[2][1] - J[0][1] * J[2][2]) * id;
  I[0][2] = (J[0][1] * J[1][2] - J[0][2] * J[1][1]) * id;
  I[1][0] = c1 * id;
  I[1][1] = (J[0][0] * J[2][2] - J[0][2] * J[2][0]) * id;
  I[1][2] = (J[0][2] * J[1][0] - J[0][0] * J[1][2]) * id;
  I[2][0] = c2 * id;
  I[2][1] = (J[0][1] * J[2][0] - J[0][0] * J[2][1]) * id;
  I[2][2] = (J[0][0] * J[1][1] - J[0][1] * J[1][0]) * id;
#endif
  return det;
}

// g = scale I^T Q I and 1/h^2 = tr(g)/(4 dim)
static __device__ __forceinline__ void rhx_metric(const double I[RHX_DIM][RHX_DIM], double scale, RhxPoint *pt)
{
  double tr = 0.0;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++)
#pragma unroll
    for (int j = i; j < RHX_DIM; j++) {
      double s = 0.0;
#pragma unroll
      for (int k = 0; k < RHX_DIM; k++) {
#if RHX_TENSOR_CELL
        s += I[k][i] * I[k][j];
#else
#pragma unroll
        for (int m = 0; m < RHX_DIM; m++) s += I[k][i] * rhx_Q[k][m] * I[m][j];
#endif
      }
      s *= scale;
      pt->g[i][j] = pt->g[j][i] = s;
      if (i == j) tr += s;
    }
  pt->ih2 = tr * (0.25 / RHX_DIM);
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

static __device__ __forceinline__ void rhx_fill_point(const RhxDevicePass &p, const RhxValues &val, RhxPoint *pt)
{
  pt->t = p.clock[0];
  pt->dt = p.clock[1];
  pt->rho = RHX_RHO(p);
  pt->convection = RHX_CONVECTION(p);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    pt->u[i] = val.v[i];
    pt->gp[i] = val.d[RHX_DIM][i];
    pt->n[i] = 0.0;
#if RHX_HAS_RATE
    pt->ut[i] = val.rate[i];
#else
    pt->ut[i] = RHX_ZERO;
#endif
#if RHX_HAS_SOURCE
    pt->f[i] = val.source[i];
#else
    pt->f[i] = 0.0;
#endif
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) pt->gu[i][j] = val.d[i][j];
  }
  pt->p = val.v[RHX_DIM];
#if RHX_HAS_SOURCE
  pt->fp = val.source[RHX_DIM];
#else
  pt->fp = 0.0;
#endif
  pt->aux = val.aux;
  rhx_flow_begin(pt);
}

#if RHX_NMODES
static __device__ __forceinline__ void rhx_fill_mode(const RhxValues &val, int m, const RhxPoint *pt, RhxMode *md)
{
  const int off = RHX_FIRST_MODE + m * RHX_NTENS;
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
  md->aux = val.aux + RHX_NAUX_FLOW + m * RHX_NAUX_MODE;
  rhx_mode_begin(pt, md);
}

static __device__ __forceinline__ void rhx_law(int m, const RhxKin *kin, RhxPoint *pt, RhxMode *md, RhxLog *lg)
{
  rhx_mode_conformation(RHX_AS, lg, md);
  rhx_call_properties(m, kin, md->c, &md->prop);
  if (RHX_AS == RHX_AS_STRESS)
    rhx_mode_from_stress(md);
  else
    rhx_call_stress(m, kin, md->c, md->tau);
  rhx_mode_sum(RHX_AS, RHX_HAS_DIV_TAU, md, pt);
}

#endif

#define RHX_NSTATS 8 // of RhxFormStats, in its order

// The larger one; NaN stays.
static __device__ __forceinline__ double rhx_largest(double a, double b) { return a == a && !(b <= a) ? b : a; }

// What bounds the time step, before their roots the convective, elastic and relaxation's rate.
template <typename Modes>
static __device__ __forceinline__ void rhx_point_limits(const RhxKin &kin, const Modes &mode, const RhxLog *log,
                                                        const RhxPoint *pt, double out[RHX_NSTATS])
{
  RhxDiffusion df = {0.0, 0.0, 0.0};
  RhxLimits li;
  rhx_limits_begin(&li);
#if RHX_NMODES
#pragma unroll
  for (int m = 0; m < RHX_NMODES; m++) {
    RhxReal c[RHX_NTENS], r[RHX_NTENS], rs[RHX_NTENS];
    rhx_limits_stretched(&mode[m], c);
    rhx_call_rate(m, &kin, mode[m].c, r);
    rhx_call_rate(m, &kin, c, rs);
    rhx_limits_mode(RHX_AS, pt, &log[m], &mode[m], r, rs, &li);
  }
#endif
  rhx_call_diffusion(pt, &df);
  rhx_limits_end(RHX_TENSOR_CELL, RHX_TENSOR_OSS, RHX_NMODES, pt, &df, &li);
  out[0] = rhx_value(rhx_ugu(pt));
  out[1] = rhx_value(li.viscous);
  out[2] = rhx_value(li.wave);
  out[5] = rhx_value(li.relaxation);
  out[6] = rhx_value(li.growth);
  out[7] = rhx_value(li.elastic);
}

// Rates and times of the point, of which the pass wants the largest; first: the element's first point. Overwrites u.
template <typename Modes>
static __device__ __forceinline__ void rhx_point_stats(bool first, const RhxKin &kin, const Modes &mode,
                                                       const RhxLog *log, RhxPoint *pt, double out[RHX_NSTATS])
{
  double wi = 0.0, tau = 0.0;
#pragma unroll
  for (int k = 0; k < RHX_NSTATS; k++) out[k] = 0.0;
#pragma unroll
  for (int m = 0; m < RHX_NMODES; m++) wi = rhx_largest(wi, rhx_value(mode[m].prop.lambda * kin.shear_rate));
  if (first) rhx_point_limits(kin, mode, log, pt, out);
  out[3] = wi;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->u[i] = 0.0;
  rhx_call_pressure_tau(pt, &tau);
  out[4] = tau;
}

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
  if (lane == 0) mine = 0.5 * sqrt(mine);
  if (lane == 2 || lane == 5) mine = sqrt(mine);
  const unsigned long long bits = (unsigned long long)__double_as_longlong(mine);
  if (bits > *(volatile unsigned long long *)&p.stats[lane]) atomicMax(&p.stats[lane], bits);
}

// The pipeline at one point: f0[c] and f1[c][j] (in space) of every component, and largest[] if there are to be stats.
template <bool stats>
static __device__ __forceinline__ void rhx_point_residual(const RhxDevicePass &p, const RhxValues &val, bool first, RhxPoint *pt,
                                                          double f0[RHX_BS], double f1[RHX_BS][RHX_DIM],
                                                          double largest[RHX_NSTATS])
{
  RhxKin kin;
  rhx_fill_point(p, val, pt);
  rhx_call_kinematics(pt);
  rhx_kinematics(pt, &kin);
  rhx_call_viscosity(&kin, &pt->eta_s);
#if RHX_NMODES
  RhxMode mode[RHX_NMODES];
  RhxLog log[RHX_NMODES];
#pragma unroll
  for (int m = 0; m < RHX_NMODES; m++) {
    rhx_fill_mode(val, m, pt, &mode[m]);
    rhx_law(m, &kin, pt, &mode[m], &log[m]);
  }
#endif
  rhx_galerkin(pt);
  rhx_call_add_flow(pt);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    f0[i] = rhx_value(pt->f0u[i]);
    f1[RHX_DIM][i] = rhx_value(pt->f1p[i]);
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) f1[i][j] = rhx_value(pt->f1u[i][j]);
  }
  f0[RHX_DIM] = rhx_value(pt->f0p);
#if RHX_NMODES
#pragma unroll
  for (int m = 0; m < RHX_NMODES; m++) {
    RhxReal r[RHX_NTENS];
    rhx_call_rate(m, &kin, mode[m].c, r);
    rhx_transport(RHX_AS, rhx_call_slip(m), &kin, pt, &log[m], r, &mode[m]);
    rhx_call_add_mode(pt, &mode[m]);
#pragma unroll
    for (int k = 0; k < RHX_NTENS; k++) {
      const int c = RHX_FIRST_MODE + m * RHX_NTENS + k;
      f0[c] = rhx_value(mode[m].f0[k]);
#pragma unroll
      for (int j = 0; j < RHX_DIM; j++) f1[c][j] = rhx_value(mode[m].f1[k][j]);
    }
  }
  if (stats) rhx_point_stats(first, kin, mode, log, pt, largest);
#else
  if (stats) rhx_point_stats(first, kin, (const RhxMode *)0, (const RhxLog *)0, pt, largest);
#endif
}

// Values whose projections fill the auxiliary fields.
static __device__ __forceinline__ void rhx_point_project(const RhxDevicePass &p, const RhxValues &val, RhxPoint *pt,
                                                         RhxReal *out)
{
  rhx_fill_point(p, val, pt);
#if RHX_PROJECT_LAW
  RhxKin kin;
  rhx_call_kinematics(pt);
  rhx_kinematics(pt, &kin);
  rhx_call_viscosity(&kin, &pt->eta_s);
#endif
#if RHX_NMODES
  RhxMode mode[RHX_NMODES];
#pragma unroll
  for (int m = 0; m < RHX_NMODES; m++) {
    rhx_fill_mode(val, m, pt, &mode[m]);
#if RHX_PROJECT_LAW
    RhxLog log;
    rhx_law(m, &kin, pt, &mode[m], &log);
#endif
  }
  rhx_call_project(pt, mode, out);
#else
  rhx_call_project(pt, 0, out);
#endif
}

#endif
