// The residual of all modes at once where a mode's terms read nothing of the others: a part of kernels/fused.cuh. At a point each is
// gathered, evaluated (kernels/compose_turns.h) and given to the results before the next, the flow after them, so that a thread holds
// one of them. Bytes spilled, all of them held before and so (ptxas, sm_90, with limits): FENE-P, log c, four modes, quads 276 and 0,
// triangles 1276 and 116; PTT 224 and 0, 648 and 60.
#include <kernels/sums.cuh>

struct RhxApartIo : RhxIo {
  const RhxElement<RHX_ROW_RESIDUAL> &el;
  RhxValues &to;
  int q;
};

// Component c of a part, of which pairs are read.
template <typename Load> static __device__ __forceinline__ double rhx_one(Load load, int c)
{
  const double2 u = load(c & ~1);
  return c & 1 ? u.y : u.x;
}

// Components first to first + W - 1 and their gradients, sources and rates.
template <int W> static __device__ __forceinline__ void rhx_gather_some(const RhxApartIo *io, int first)
{
  const RhxElement<RHX_ROW_RESIDUAL> &el = io->el;
#pragma unroll
  for (int c = first; c < first + W; c++) {
    double2 v, d[RHX_DIM];
    el.anew(io->q, c & ~1, &v, d);
    io->to.v[c] = c & 1 ? v.y : v.x;
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) io->to.d[c][i] = c & 1 ? d[i].y : d[i].x;
#if RHX_HAS_SOURCE
    io->to.source[c] = el.value(rhx_one([&](int k) { return el.gathered(RHX_AT_SOURCE + k); }, c));
#endif
#if RHX_HAS_RATE
    io->to.rate[c] = el.value(rhx_one([&](int k) { return el.kept(RHX_AT_RATE + k, k); }, c));
#endif
  }
}

template <int W> static __device__ __forceinline__ void rhx_gather_aux(const RhxApartIo *io, int first)
{
#pragma unroll
  for (int c = first; c < first + W; c++)
    io->to.aux[c] = io->el.value(rhx_one([&](int k) { return io->el.gathered(RHX_AT_AUX + k); }, c));
}

// The auxiliary values of a mode, when the registers of its law are free again.
static __device__ __forceinline__ void rhx_late_aux(const RhxIo *io, int m)
{
  rhx_gather_aux<RHX_NAUX_MODE>(static_cast<const RhxApartIo *>(io), RHX_NAUX_FLOW + m * RHX_NAUX_MODE);
}

static __device__ __forceinline__ void rhx_mode_apart(const RhxApartIo *io, int m, RhxPoint *pt,
                                                      RhxResult<RHX_BS, true> *result)
{
  const int first = RHX_FIRST_MODE + m * RHX_NTENS;
  rhx_gather_some<RHX_NTENS>(io, first);
  rhx_compose_mode(io, m, RHX_MODE_ROWS, pt);
  if (RHX_MODE_ROWS)
    result->template add<RHX_NTENS>(io->el, io->q, first, io->f0, io->f1);
  else
    result->template add_none<RHX_NTENS>(io->q, first);
}

static __device__ __forceinline__ void rhx_flow_apart(const RhxApartIo *io, RhxPoint *pt,
                                                      RhxResult<RHX_BS, true> *result)
{
  if (RHX_FLOW_ROWS || io->stats) {
    rhx_gather_some<RHX_WFLOW - RHX_DIM>(io, RHX_FIRST_PRESSURE);
    rhx_gather_aux<RHX_NAUX_FLOW>(io, 0);
    rhx_compose_flow(io, pt);
  }
  if (RHX_FLOW_ROWS)
    result->template add<RHX_WFLOW>(io->el, io->q, 0, io->f0, io->f1);
  else
    result->template add_none<RHX_WFLOW>(io->q, 0);
}

#define RHX_DO_APART(m) rhx_mode_apart(&io, m, &pt, &result);

template <bool stats> static __device__ __forceinline__ void rhx_residual_of(const RhxDevicePass &p)
{
  RHX_OWN_LARGEST(p, RHX_ROW_RESIDUAL, RHX_BS)
  rhx_clear_largest<stats>(largest);
#pragma unroll 1
  for (RhxTiles<RhxFields<true>> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    RhxElement<RHX_ROW_RESIDUAL> el(tile);
#if RHX_HAS_RATE
    el.template keep<RHX_BS>(RHX_AT_RATE);
#endif
    RhxResult<RHX_BS, true> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxValues val = {};
      RhxPoint pt;
      double f0[RHX_BS], f1[RHX_BS][RHX_DIM], sums[RHX_SUMS], rates[RHX_RATES];
      const RhxApartIo io = {{p, val, f0, f1, largest, stats, el.first(q), sums, rates}, el, val, q};
      el.point(q, &pt);
      rhx_gather_some<RHX_DIM>(&io, RHX_FIRST_VELOCITY);
      RHX_EACH_MODE(RHX_DO_APART)
      rhx_flow_apart(&io, &pt, &result);
    }
    result.finish(el);
    rhx_assemble<RHX_BS, false>(p, tile);
  }
  if (stats) rhx_add_largest(p, largest);
}
