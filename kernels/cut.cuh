// The passes of a form that is cut (kernels/compose_cut.h), in the place of those of kernels/element.cuh: p.mode says which
// mode, the others are launched once. What modes leave at the points lies in p.sums: of a tile, RHX_SUMS values of every point
// and RHX_RATES of every element's first one, each of all threads of the block.
#define RHX_SUMS (RHX_NTENS + 1 + (RHX_HAS_DIV_TAU ? RHX_DIM : 0))
#define RHX_RATES 4
#define RHX_WFLOW (RHX_FIRST_MODE - RHX_FIRST_VELOCITY) // velocity, pressure
#define RHX_LEFT ((size_t)(RHX_POINTS * RHX_SUMS + RHX_RATES) * RHX_THREADS)

static __device__ __forceinline__ void rhx_leave(double *at, int m, double v) { *at = m ? *at + v : v; }

static __device__ __forceinline__ void rhx_out_sums(const RhxIo *io, int m, const RhxPoint *pt)
{
  double *const at = io->sums;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) rhx_leave(at + k * RHX_THREADS, m, rhx_value(pt->tau[k]));
  rhx_leave(at + RHX_NTENS * RHX_THREADS, m, rhx_value(pt->eta_p));
#if RHX_HAS_DIV_TAU
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) rhx_leave(at + (RHX_NTENS + 1 + i) * RHX_THREADS, m, rhx_value(pt->div_tau[i]));
#endif
}

static __device__ __forceinline__ void rhx_in_sums(const RhxIo *io, RhxPoint *pt)
{
  const double *const at = io->sums;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) pt->tau[k] = at[k * RHX_THREADS];
  pt->eta_p = at[RHX_NTENS * RHX_THREADS];
#if RHX_HAS_DIV_TAU
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->div_tau[i] = at[(RHX_NTENS + 1 + i) * RHX_THREADS];
#endif
}

static __device__ __forceinline__ void rhx_out_rates(const RhxIo *io, int m, const RhxLimits *li)
{
  double *const at = io->rates;
  const double lambda = rhx_value(li->lambda);
  rhx_leave(at, m, rhx_value(li->wave));
  rhx_leave(at + RHX_THREADS, m, rhx_value(li->damped));
  rhx_leave(at + 2 * RHX_THREADS, m, rhx_value(li->tension));
  at[3 * RHX_THREADS] = m ? rhx_largest(at[3 * RHX_THREADS], lambda) : lambda;
}

static __device__ __forceinline__ void rhx_in_rates(const RhxIo *io, RhxLimits *li)
{
  const double *const at = io->rates;
  li->wave = at[0];
  li->damped = at[RHX_THREADS];
  li->tension = at[2 * RHX_THREADS];
  li->lambda = at[3 * RHX_THREADS];
}

#include <kernels/compose_cut.h>

// What a pass reads of a node, side by side in a row: velocity and pressure; of a mode its unknown; of its OWN components, from
// FIRST on, sources and rates; NAUX auxiliary values from FIRST_AUX on.
template <bool mode, bool residual> struct RhxCut {
  static constexpr bool MODE = mode, RESIDUAL = residual;
  static constexpr int FIRST = mode ? RHX_FIRST_MODE : RHX_FIRST_VELOCITY, OWN = mode ? RHX_NTENS : RHX_WFLOW;
  static constexpr int FIRST_AUX = mode ? RHX_NAUX_FLOW : 0, NAUX = mode ? RHX_NAUX_MODE : RHX_NAUX_FLOW;
  static constexpr int SOURCE = rhx_even(RHX_WFLOW) + (mode ? rhx_even(OWN) : 0);
  static constexpr int RATE = SOURCE + RHX_HAS_SOURCE * rhx_even(OWN);
  static constexpr int AUX = RATE + (residual ? RHX_HAS_RATE : 0) * rhx_even(OWN);
  static constexpr int ROW = rhx_row(AUX + (residual ? rhx_even(NAUX) : 0));

  // Where in blocks of components and of auxiliary values its own begin.
  static __device__ __forceinline__ int own(const RhxDevicePass &p) { return FIRST + (mode ? p.mode * OWN : 0); }
  static __device__ __forceinline__ int aux(const RhxDevicePass &p) { return FIRST_AUX + (mode ? p.mode * NAUX : 0); }

  static __device__ __forceinline__ void read(const RhxDevicePass &p, const RhxTile &tile)
  {
    constexpr bool PAIRS = FIRST % 2 == 0 && OWN % 2 == 0;
    rhx_read<RHX_WFLOW, 1, ROW, RHX_BS>({p.x}, 0, tile);
    if (mode) rhx_read<OWN, 1, ROW, RHX_BS, PAIRS>({p.x + own(p)}, rhx_even(RHX_WFLOW), tile);
#if RHX_HAS_SOURCE
    rhx_read<OWN, 1, ROW, RHX_BS, PAIRS>({p.source + own(p)}, SOURCE, tile);
#endif
#if RHX_HAS_RATE
    if (residual) rhx_read<OWN, 1, ROW, RHX_BS, PAIRS>({p.xdot + own(p)}, RATE, tile);
#endif
    if (NAUX && residual)
      rhx_read<(NAUX ? NAUX : 1), 1, ROW, RHX_NAUX, FIRST_AUX % 2 == 0>({p.aux + aux(p)}, AUX, tile);
  }
};

// W components that lie in the row at `part`.
template <int W, int ROW>
static __device__ __forceinline__ void rhx_anew(const RhxElement<ROW> &el, int q, int part, double *v,
                                                double (*d)[RHX_DIM])
{
#pragma unroll
  for (int c = 0; c < W; c += 2) {
    double2 u, du[RHX_DIM];
    el.anew(q, part + c, &u, du);
    v[c] = u.x;
    if (c + 1 < W) v[c + 1] = u.y;
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      d[c][i] = du[i].x;
      if (c + 1 < W) d[c + 1][i] = du[i].y;
    }
  }
}

template <typename Cut>
static __device__ __forceinline__ void rhx_cut_values(const RhxElement<Cut::ROW> &el, int q, RhxValues *val)
{
  if (Cut::MODE) {
    rhx_anew<RHX_WFLOW>(el, q, 0, val->v, val->d);
    rhx_anew<Cut::OWN>(el, q, rhx_even(RHX_WFLOW), val->v + Cut::FIRST, val->d + Cut::FIRST);
  } else
#pragma unroll
    for (int c = 0; c < RHX_WFLOW; c += 2) {
      const double2 u = el.nodal(c);
      el.full(u.x, c, &val->v[c], val->d[c]);
      if (c + 1 < RHX_WFLOW) el.full(u.y, c + 1, &val->v[c + 1], val->d[c + 1]);
    }
#if RHX_HAS_SOURCE
  rhx_plain_values<Cut::OWN>(
      el, [&](int c) { return el.gathered(Cut::SOURCE + c); }, val->source + Cut::FIRST);
#endif
#if RHX_HAS_RATE
  if (Cut::RESIDUAL)
    rhx_plain_values<Cut::OWN>(
        el, [&](int c) { return el.gathered(Cut::RATE + c); }, val->rate + Cut::FIRST);
#endif
  if (Cut::RESIDUAL && !Cut::MODE)
    rhx_plain_values<Cut::NAUX>(
        el, [&](int c) { return el.gathered(Cut::AUX + c); }, val->aux + Cut::FIRST_AUX);
}

template <typename Cut> struct RhxCutIo : RhxIo {
  const RhxElement<Cut::ROW> &el;
  RhxValues &to;
};

// The auxiliary values of a mode, when the registers of its law are free again.
static __device__ __forceinline__ void rhx_late_aux(const RhxIo *io)
{
  typedef RhxCut<true, true> Cut;
  const RhxCutIo<Cut> *cut = static_cast<const RhxCutIo<Cut> *>(io);
  rhx_plain_values<Cut::NAUX>(
      cut->el, [&](int c) { return cut->el.gathered(Cut::AUX + c); }, cut->to.aux + Cut::FIRST_AUX);
}

// Rows of the mode p.mode, or of the flow. A mode whose rows are not asked for leaves its sums alone.
template <typename Cut, bool stats> static __device__ __forceinline__ void rhx_cut_residual(const RhxDevicePass &p)
{
  const bool rows = p.rows & (Cut::MODE ? 2 : 1);
  double largest[RHX_NSTATS] = {};
#pragma unroll 1
  for (RhxTiles<Cut> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    double *const left = p.sums + tiles.t * RHX_LEFT + threadIdx.x;
    RhxElement<Cut::ROW> el(tile);
    if (!Cut::MODE) el.template prepare<RHX_WFLOW>();
    RhxResult<Cut::OWN, true> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxValues val = {};
      RhxPoint pt;
      double f0[RHX_BS], f1[RHX_BS][RHX_DIM];
#if RHX_ONE_POINT
      const RhxNodes nodes = result.nodes(el, Cut::FIRST, Cut::SOURCE, rhx_even(RHX_WFLOW), Cut::SOURCE);
#endif
      const RhxCutIo<Cut> io = {{p, val, f0, f1, largest, stats, el.first(q), left + q * RHX_SUMS * RHX_THREADS,
                                 left + RHX_POINTS * RHX_SUMS * RHX_THREADS,
#if RHX_ONE_POINT
                                 &nodes
#endif
                                },
                                el,
                                val};
      el.point(q, &pt);
      rhx_cut_values<Cut>(el, q, &val);
      if (Cut::MODE)
        rhx_compose_mode(&io, p.mode, rows, &pt);
      else
        rhx_compose_flow(&io, &pt);
#if RHX_ONE_POINT
      if (rows) result.add(el, q, f0 + Cut::FIRST, f1 + Cut::FIRST, true);
#else
      if (rows) result.add(el, q, f0 + Cut::FIRST, f1 + Cut::FIRST);
#endif
    }
    if (rows) {
      result.finish(el);
      rhx_assemble<Cut::OWN, false, RHX_BS>(p, tile, Cut::own(p));
    }
  }
  if (stats) rhx_add_stats(p, largest);
}

#define RHX_CUT_KERNEL(name, blocks, what) \
  extern "C" __global__ void __launch_bounds__(RHX_THREADS, blocks) name(RhxDevicePass p) { what(p); }
RHX_CUT_KERNEL(rhx_mode_residual, RHX_BLOCKS, (rhx_cut_residual<RhxCut<true, true>, false>))
RHX_CUT_KERNEL(rhx_mode_residual_stats, RHX_BLOCKS_STATS, (rhx_cut_residual<RhxCut<true, true>, true>))
RHX_CUT_KERNEL(rhx_flow_residual, RHX_BLOCKS_FLOW, (rhx_cut_residual<RhxCut<false, true>, false>))
RHX_CUT_KERNEL(rhx_flow_residual_stats, RHX_BLOCKS_FLOW_STATS, (rhx_cut_residual<RhxCut<false, true>, true>))

// Projections of the mode p.mode, or of the flow.
template <typename Cut> static __device__ __forceinline__ void rhx_cut_project(const RhxDevicePass &p)
{
#pragma unroll 1
  for (RhxTiles<Cut> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    RhxElement<Cut::ROW> el(tile);
    if (!Cut::MODE) el.template prepare<RHX_WFLOW>();
    RhxResult<Cut::NAUX, false> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxValues val = {};
      RhxPoint pt;
      RhxReal out[RHX_NAUX];
      double f0[Cut::NAUX];
#if RHX_ONE_POINT
      const RhxNodes nodes = result.nodes(el, Cut::FIRST_AUX, Cut::SOURCE, rhx_even(RHX_WFLOW), Cut::SOURCE);
      const RhxIo io = {p, val, 0, 0, 0, false, true, 0, 0, &nodes};
#else
      const RhxIo io = {p, val, 0, 0, 0, false, el.first(q), 0, 0};
#endif
      el.point(q, &pt);
      rhx_cut_values<Cut>(el, q, &val);
      if (Cut::MODE)
        rhx_compose_project_mode(&io, p.mode, &pt, out);
      else
        rhx_compose_project_flow(&io, &pt, out);
#pragma unroll
      for (int c = 0; c < Cut::NAUX; c++) f0[c] = RHX_ONE_POINT ? 0.0 : rhx_value(out[Cut::FIRST_AUX + c]);
#if RHX_ONE_POINT
      result.add(el, q, f0, (const double(*)[RHX_DIM])0, true);
#else
      result.add(el, q, f0, (const double(*)[RHX_DIM])0);
#endif
    }
    result.finish(el);
    rhx_assemble<Cut::NAUX, true, RHX_NAUX>(p, tile, Cut::aux(p));
  }
}
#if RHX_NAUX_MODE
RHX_CUT_KERNEL(rhx_mode_project, 1, (rhx_cut_project<RhxCut<true, false>>))
#endif
#if RHX_NAUX_FLOW
RHX_CUT_KERNEL(rhx_flow_project, 1, (rhx_cut_project<RhxCut<false, false>>))
#endif
