// The passes of a form in one kernel each, of all modes: a part of kernels/element.cuh.

// Parts of the row that a pass of the form reads.
#define RHX_EVEN (RHX_BS + RHX_BS % 2)
#define RHX_AT_SOURCE RHX_EVEN
#define RHX_AT_RATE (RHX_AT_SOURCE + RHX_HAS_SOURCE * RHX_EVEN)
#define RHX_AT_AUX (RHX_AT_RATE + RHX_HAS_RATE * RHX_EVEN)
#define RHX_ROW_PROJECT rhx_row(RHX_AT_RATE)
#define RHX_ROW_RESIDUAL rhx_row(RHX_AT_AUX + rhx_even(RHX_NAUX))

// Rates are zero in projections, as on the host, and there are no auxiliary values yet.
template <bool residual> struct RhxFields {
  static constexpr int ROW = residual ? RHX_ROW_RESIDUAL : RHX_ROW_PROJECT, TURNS = 1;
  static __device__ __forceinline__ void read(const RhxDevicePass &p, const RhxTile &tile, int)
  {
    constexpr int K = 1 + RHX_HAS_SOURCE + (residual ? RHX_HAS_RATE : 0);
    const double *const all[] = {p.x, RHX_HAS_SOURCE ? p.source : p.xdot, p.xdot};
    const double *from[K];
#pragma unroll
    for (int k = 0; k < K; k++) from[k] = all[k];
    rhx_read<RHX_BS, K, ROW>(from, 0, tile);
#if RHX_NAUX
    if (residual) rhx_read<RHX_NAUX, 1, ROW>({p.aux}, RHX_AT_AUX, tile);
#endif
  }
};

template <bool residual, int ROW>
static __device__ __forceinline__ void rhx_values(const RhxElement<ROW> &el, RhxValues *val)
{
#pragma unroll
  for (int c = 0; c < RHX_BS; c += 2) {
    const double2 u = el.nodal(c);
    el.full(u.x, c, &val->v[c], val->d[c]);
    if (c + 1 < RHX_BS) el.full(u.y, c + 1, &val->v[c + 1], val->d[c + 1]);
  }
#if RHX_HAS_SOURCE
  rhx_plain_values<RHX_BS>(
      el, [&](int c) { return el.gathered(RHX_AT_SOURCE + c); }, val->source);
#endif
#if RHX_HAS_RATE
  if (residual)
    rhx_plain_values<RHX_BS>(
        el, [&](int c) { return el.kept(RHX_AT_RATE + c, c); }, val->rate);
  else
#pragma unroll
    for (int c = 0; c < RHX_BS; c++) val->rate[c] = 0.0;
#endif
#if RHX_NAUX
  if (residual)
    rhx_plain_values<RHX_NAUX>(
        el, [&](int c) { return el.gathered(RHX_AT_AUX + c); }, val->aux);
#endif
}

#if RHX_ONE_POINT
// Of n components, all side by side.
static __device__ __forceinline__ RhxPlaces rhx_places(int n)
{
  return {0,
          n,
          n,
          RHX_AT_SOURCE,
          RHX_FIRST_MODE,
          RHX_AT_SOURCE + RHX_FIRST_MODE,
          RHX_FIRST_SCALAR,
          RHX_AT_SOURCE + RHX_FIRST_SCALAR};
}
#endif

template <bool stats> static __device__ __forceinline__ void rhx_residual_of(const RhxDevicePass &p)
{
  RHX_OWN_LARGEST(p, RHX_ROW_RESIDUAL, RHX_BS)
  if (stats)
#pragma unroll
    for (int k = 0; k < RHX_NSTATS; k++) largest[k * RHX_LARGEST_APART] = 0.0;
#pragma unroll 1
  for (RhxTiles<RhxFields<true>> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    RhxElement<RHX_ROW_RESIDUAL> el(tile);
    el.template prepare<RHX_BS>();
#if RHX_HAS_RATE
    el.template keep<RHX_BS>(RHX_AT_RATE);
#endif
    RhxResult<RHX_BS, true> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxValues val;
      RhxPoint pt;
      double f0[RHX_BS], f1[RHX_BS][RHX_DIM];
#if RHX_ONE_POINT
      const RhxNodes nodes = result.nodes(el, rhx_places(RHX_BS));
      const RhxIo io = {p, val, f0, f1, largest, stats, true, 0, 0, &nodes};
#else
      const RhxIo io = {p, val, f0, f1, largest, stats, el.first(q)};
#endif
#if RHX_ROWS != 7
      rhx_no_rows(f0, f1);
#endif
      el.point(q, &pt);
      rhx_values<true>(el, &val);
#if RHX_ONE_POINT && RHX_ROWS != 7
      result.clear();
#endif
      rhx_compose_residual(&io, &pt);
#if RHX_ONE_POINT
      result.add(el, q, f0, f1, true);
#else
      result.add(el, q, f0, f1);
#endif
    }
    result.finish(el);
    rhx_assemble<RHX_BS, false>(p, tile);
  }
  if (stats) rhx_add_largest(p, largest);
}

#if RHX_ROWS == 7 && RHX_NAUX
static __device__ __forceinline__ void rhx_project_of(const RhxDevicePass &p)
{
#pragma unroll 1
  for (RhxTiles<RhxFields<false>> tiles(p); tiles.more(); tiles.next()) {
    const RhxTile tile = tiles.begin();
    RhxElement<RHX_ROW_PROJECT> el(tile);
    el.template prepare<RHX_BS>();
    RhxResult<RHX_NAUX, false> result(tile);
#pragma unroll 1
    for (int q = 0; q < RHX_POINTS; q++) {
      RhxValues val;
      RhxPoint pt;
      RhxReal out[RHX_NAUX];
      double f0[RHX_NAUX];
#if RHX_ONE_POINT
      const RhxNodes nodes = result.nodes(el, rhx_places(RHX_NAUX));
      const RhxIo io = {p, val, 0, 0, 0, false, true, 0, 0, &nodes};
#else
      const RhxIo io = {p, val, 0, 0, 0, false, el.first(q)};
#endif
      el.point(q, &pt);
      rhx_values<false>(el, &val);
      rhx_compose_project(&io, &pt, out);
#pragma unroll
      for (int c = 0; c < RHX_NAUX; c++) f0[c] = RHX_ONE_POINT ? 0.0 : rhx_value(out[c]);
#if RHX_ONE_POINT
      result.add(el, q, f0, (const double(*)[RHX_DIM])0, true);
#else
      result.add(el, q, f0, (const double(*)[RHX_DIM])0);
#endif
    }
    result.finish(el);
    rhx_assemble<RHX_NAUX, true>(p, tile);
  }
}
#endif
