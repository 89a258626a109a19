// The passes of a form in one kernel each, the modes of a tile by turns, then its flow with scalar fields (kernels/compose_turns.h): registers are those of
// one mode, and a tile's nodes and geometry are read once. Where a thread has one point, the flow's values there and the sums that the
// modes leave stay in its registers. In simplices the sums lie in p.sums: of a block RHX_SUMS values of every point and RHX_RATES of every
// element's first one, each of all threads. Shared memory would be less of a way, but four blocks with that much of it fit only where the
// multiprocessor is divided anew, which a kernel that begins before its predecessor has ended may not get (H100, tets, 125k nodes, four
// modes in log c, a step: 3.86 ms, so 2.91).
#define RHX_SUMS (RHX_NTENS + 1 + (RHX_HAS_DIV_TAU ? RHX_DIM : 0))
#define RHX_RATES 4
#define RHX_WFLOW (RHX_FIRST_MODE - RHX_FIRST_VELOCITY) // velocity, pressure
#define RHX_MORE_ROWS (RHX_NSCALARS && (RHX_ROWS & 4))
#define RHX_APART (RHX_PRODUCT_CELL ? 1 : RHX_THREADS) // of a thread's values
#define RHX_LEFT ((size_t)(RHX_POINTS * RHX_SUMS + RHX_RATES) * RHX_APART)

// In space sums of product cells begin at zero: asked for the first mode while running, the compiler writes its turn a second time.
#define RHX_FROM_ZERO (RHX_DIM == 3 && RHX_PRODUCT_CELL)
#define RHX_ADDS(m) ((m) || RHX_FROM_ZERO)

static __device__ __forceinline__ void rhx_leave(double *at, int m, double v) { *at = RHX_ADDS(m) ? *at + v : v; }

static __device__ __forceinline__ void rhx_out_sums(const RhxIo *io, int m, const RhxPoint *pt)
{
  double *const at = io->sums;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) rhx_leave(at + k * RHX_APART, m, rhx_value(pt->tau[k]));
  rhx_leave(at + RHX_NTENS * RHX_APART, m, rhx_value(pt->eta_p));
#if RHX_HAS_DIV_TAU
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) rhx_leave(at + (RHX_NTENS + 1 + i) * RHX_APART, m, rhx_value(pt->div_tau[i]));
#endif
}

static __device__ __forceinline__ void rhx_in_sums(const RhxIo *io, RhxPoint *pt)
{
  const double *const at = io->sums;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) pt->tau[k] = at[k * RHX_APART];
  pt->eta_p = at[RHX_NTENS * RHX_APART];
#if RHX_HAS_DIV_TAU
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->div_tau[i] = at[(RHX_NTENS + 1 + i) * RHX_APART];
#endif
}

static __device__ __forceinline__ void rhx_out_rates(const RhxIo *io, int m, const RhxLimits *li)
{
  double *const at = io->rates;
  const double lambda = rhx_value(li->lambda);
  rhx_leave(at, m, rhx_value(li->wave));
  rhx_leave(at + RHX_APART, m, rhx_value(li->damped));
  rhx_leave(at + 2 * RHX_APART, m, rhx_value(li->tension));
  at[3 * RHX_APART] = RHX_ADDS(m) ? rhx_largest(at[3 * RHX_APART], lambda) : lambda;
}

static __device__ __forceinline__ void rhx_in_rates(const RhxIo *io, RhxLimits *li)
{
  const double *const at = io->rates;
  li->wave = at[0];
  li->damped = at[RHX_APART];
  li->tension = at[2 * RHX_APART];
  li->lambda = at[3 * RHX_APART];
}

#include <kernels/compose_turns.h>

// What a turn reads of a node, side by side in a row: velocity and pressure; of a mode its unknown; of its OWN components, from
// FIRST on, sources and rates; NAUX auxiliary values from FIRST_AUX on. The flow's has MORE scalar fields, their sources, rates and MORE_AUX values
// too, each behind its own; results likewise.
template <bool mode, bool residual> struct RhxColumns {
  static constexpr bool MODE = mode, RESIDUAL = residual;
  static constexpr int FIRST = mode ? RHX_FIRST_MODE : RHX_FIRST_VELOCITY, OWN = mode ? RHX_NTENS : RHX_WFLOW;
  static constexpr int FIRST_AUX = mode ? RHX_NAUX_FLOW : 0, NAUX = mode ? RHX_NAUX_MODE : RHX_NAUX_FLOW;
  static constexpr int MORE = mode ? 0 : RHX_NSCALARS, MORE_AUX = MORE * RHX_NAUX_SCALAR,
                       FIRST_MORE_AUX = RHX_NAUX - MORE_AUX;
  static constexpr int SOURCE = rhx_even(RHX_WFLOW) + rhx_even(mode ? OWN : MORE);
  static constexpr int MORE_SOURCE = SOURCE + RHX_HAS_SOURCE * rhx_even(OWN);
  static constexpr int RATE = MORE_SOURCE + RHX_HAS_SOURCE * rhx_even(MORE);
  static constexpr int MORE_RATE = RATE + (residual ? RHX_HAS_RATE : 0) * rhx_even(OWN);
  static constexpr int AUX = MORE_RATE + (residual ? RHX_HAS_RATE : 0) * rhx_even(MORE);
  static constexpr int OF_MORE_AUX = AUX + (residual ? rhx_even(NAUX) : 0);
  static constexpr int MINE = rhx_row(OF_MORE_AUX + (residual ? rhx_even(MORE_AUX) : 0));

  // Where in blocks of components and of auxiliary values those of mode m, or of the flow, begin.
  static __device__ __forceinline__ int own(int m) { return FIRST + (mode ? m * OWN : 0); }
  static __device__ __forceinline__ int aux(int m) { return FIRST_AUX + (mode ? m * NAUX : 0); }
};

// Rows are as wide as the widest of them.
template <bool mode, bool residual> struct RhxTurn : RhxColumns<mode, residual> {
  typedef RhxColumns<mode, residual> Columns;
  static constexpr int ROW = RHX_MAX_OF((RhxColumns<true, residual>::MINE), (RhxColumns<false, residual>::MINE));

  // flow: velocity and pressure too.
  static __device__ __forceinline__ void read(const RhxDevicePass &p, const RhxTile &tile, int m, bool flow)
  {
    constexpr int OWN = Columns::OWN, NAUX = Columns::NAUX;
    constexpr bool PAIRS = Columns::FIRST % 2 == 0 && OWN % 2 == 0;
    if (flow) rhx_read<RHX_WFLOW, 1, ROW, RHX_BS>({p.x}, 0, tile);
    if (mode) rhx_read<OWN, 1, ROW, RHX_BS, PAIRS>({p.x + Columns::own(m)}, rhx_even(RHX_WFLOW), tile);
#if RHX_HAS_SOURCE
    rhx_read<OWN, 1, ROW, RHX_BS, PAIRS>({p.source + Columns::own(m)}, Columns::SOURCE, tile);
#endif
#if RHX_HAS_RATE
    if (residual) rhx_read<OWN, 1, ROW, RHX_BS, PAIRS>({p.xdot + Columns::own(m)}, Columns::RATE, tile);
#endif
    if (NAUX && residual)
      rhx_read<(NAUX ? NAUX : 1), 1, ROW, RHX_NAUX, Columns::FIRST_AUX % 2 == 0>({p.aux + Columns::aux(m)},
                                                                                 Columns::AUX, tile);
#if RHX_NSCALARS
    if (!mode) read_more(p, tile);
#endif
  }

#if RHX_NSCALARS
  static __device__ __forceinline__ void read_more(const RhxDevicePass &p, const RhxTile &tile)
  {
    constexpr int N = RHX_NSCALARS, NAUX = RHX_NSCALARS * RHX_NAUX_SCALAR;
    constexpr bool PAIRS = RHX_FIRST_SCALAR % 2 == 0 && N % 2 == 0;
    rhx_read<N, 1, ROW, RHX_BS, PAIRS>({p.x + RHX_FIRST_SCALAR}, rhx_even(RHX_WFLOW), tile);
#if RHX_HAS_SOURCE
    rhx_read<N, 1, ROW, RHX_BS, PAIRS>({p.source + RHX_FIRST_SCALAR}, Columns::MORE_SOURCE, tile);
#endif
#if RHX_HAS_RATE
    if (residual) rhx_read<N, 1, ROW, RHX_BS, PAIRS>({p.xdot + RHX_FIRST_SCALAR}, Columns::MORE_RATE, tile);
#endif
    if (NAUX && residual)
      rhx_read<(NAUX ? NAUX : 1), 1, ROW, RHX_NAUX, (RHX_NAUX - NAUX) % 2 == 0>({p.aux + RHX_NAUX - NAUX},
                                                                                Columns::OF_MORE_AUX, tile);
  }
#endif
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

#if RHX_NSCALARS
template <typename Turn>
static __device__ __forceinline__ void rhx_scalar_values(const RhxElement<Turn::ROW> &el, int q, RhxValues *val)
{
  rhx_anew<RHX_NSCALARS>(el, q, rhx_even(RHX_WFLOW), val->v + RHX_FIRST_SCALAR, val->d + RHX_FIRST_SCALAR);
#if RHX_HAS_SOURCE
  rhx_plain_values<RHX_NSCALARS>(
      el, [&](int c) { return el.gathered(Turn::MORE_SOURCE + c); }, val->source + RHX_FIRST_SCALAR);
#endif
#if RHX_HAS_RATE
  if (Turn::RESIDUAL)
    rhx_plain_values<RHX_NSCALARS>(
        el, [&](int c) { return el.gathered(Turn::MORE_RATE + c); }, val->rate + RHX_FIRST_SCALAR);
#endif
  if (Turn::RESIDUAL)
    rhx_plain_values<Turn::MORE_AUX>(
        el, [&](int c) { return el.gathered(Turn::OF_MORE_AUX + c); }, val->aux + Turn::FIRST_MORE_AUX);
}
#endif

// flow: velocity and pressure too, unless they are there.
template <typename Turn>
static __device__ __forceinline__ void rhx_turn_values(const RhxElement<Turn::ROW> &el, int q, RhxValues *val,
                                                       bool flow)
{
  if (Turn::MODE) {
    if (flow) rhx_anew<RHX_WFLOW>(el, q, 0, val->v, val->d);
    rhx_anew<Turn::OWN>(el, q, rhx_even(RHX_WFLOW), val->v + Turn::FIRST, val->d + Turn::FIRST);
  } else if (flow)
#pragma unroll
    for (int c = 0; c < RHX_WFLOW; c += 2) {
      const double2 u = el.nodal(c);
      el.full(u.x, c, &val->v[c], val->d[c]);
      if (c + 1 < RHX_WFLOW) el.full(u.y, c + 1, &val->v[c + 1], val->d[c + 1]);
    }
#if RHX_HAS_SOURCE
  rhx_plain_values<Turn::OWN>(
      el, [&](int c) { return el.gathered(Turn::SOURCE + c); }, val->source + Turn::FIRST);
#endif
#if RHX_HAS_RATE
  if (Turn::RESIDUAL)
    rhx_plain_values<Turn::OWN>(
        el, [&](int c) { return el.gathered(Turn::RATE + c); }, val->rate + Turn::FIRST);
#endif
  if (Turn::RESIDUAL && !Turn::MODE)
    rhx_plain_values<Turn::NAUX>(
        el, [&](int c) { return el.gathered(Turn::AUX + c); }, val->aux + Turn::FIRST_AUX);
#if RHX_NSCALARS
  if (!Turn::MODE) rhx_scalar_values<Turn>(el, q, val);
#endif
}

template <typename Turn> struct RhxTurnIo : RhxIo {
  const RhxElement<Turn::ROW> &el;
  RhxValues &to;
};

// A point with the flow's values, of a thread that has one alone.
struct RhxKept {
  RhxPoint pt;
  RhxValues val;
};

template <typename Turn>
static __device__ __forceinline__ void rhx_turn_point(RhxElement<Turn::ROW> &el, int q, const RhxKept *kept,
                                                      RhxPoint *pt, RhxValues *val)
{
  if (kept) {
    *pt = kept->pt;
#pragma unroll
    for (int c = 0; c < RHX_WFLOW; c++) {
      val->v[c] = kept->val.v[c];
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) val->d[c][i] = kept->val.d[c][i];
    }
  } else
    el.point(q, pt);
  rhx_turn_values<Turn>(el, q, val, !kept);
}

// The auxiliary values of a mode, when the registers of its law are free again.
static __device__ __forceinline__ void rhx_late_aux(const RhxIo *io)
{
  typedef RhxTurn<true, true> Turn;
  const RhxTurnIo<Turn> *own = static_cast<const RhxTurnIo<Turn> *>(io);
  rhx_plain_values<Turn::NAUX>(
      own->el, [&](int c) { return own->el.gathered(Turn::AUX + c); }, own->to.aux + Turn::FIRST_AUX);
}

#if RHX_ONE_POINT
// Components `first` and on are the turn's own, `n` of them, and `more` and on those behind.
template <typename Turn> static __device__ __forceinline__ RhxPlaces rhx_turn_places(int first, int n, int more)
{
  return {first, n, more, Turn::SOURCE, rhx_even(RHX_WFLOW), Turn::SOURCE, rhx_even(RHX_WFLOW), Turn::MORE_SOURCE};
}
#endif

// The rows of scalar fields behind the flow's own.
template <typename Turn> static __device__ __forceinline__ void rhx_join(double f0[RHX_BS], double f1[RHX_BS][RHX_DIM])
{
#pragma unroll
  for (int k = 0; k < Turn::MORE; k++) {
    const int to = Turn::FIRST + Turn::OWN + k, from = RHX_FIRST_SCALAR + k;
    f0[to] = f0[from];
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) f1[to][j] = f1[from][j];
  }
}

// At the points of an element: rows of mode m, or of the flow, to its slots. kept: a product cell's point with the flow's values, or
// NULL. left: where its thread's sums are.
template <typename Turn, bool stats>
static __device__ __forceinline__ void rhx_turn_residual(const RhxDevicePass &p, const RhxTile &tile,
                                                         RhxElement<Turn::ROW> &el, int m, bool rows, double *left,
                                                         double *largest, const RhxKept *kept)
{
  RhxResult<Turn::OWN + Turn::MORE, true> result(tile);
#pragma unroll 1
  for (int q = 0; q < RHX_POINTS; q++) {
    RhxValues val = {};
    RhxPoint pt;
    double f0[RHX_BS], f1[RHX_BS][RHX_DIM];
#if RHX_ONE_POINT
    const RhxNodes nodes = result.nodes(el, rhx_turn_places<Turn>(Turn::FIRST, Turn::OWN, RHX_FIRST_SCALAR));
#endif
    const RhxTurnIo<Turn> io = {{p, val, f0, f1, largest, stats, el.first(q), left + q * RHX_SUMS * RHX_APART,
                                 left + RHX_POINTS * RHX_SUMS * RHX_APART,
#if RHX_ONE_POINT
                                 &nodes
#endif
                                },
                                el,
                                val};
    rhx_turn_point<Turn>(el, q, kept, &pt, &val);
#if RHX_NSCALARS && RHX_ROWS != 7
    rhx_no_rows(f0, f1);
#if RHX_ONE_POINT
    result.clear();
#endif
#endif
    if (Turn::MODE)
      rhx_compose_mode(&io, m, rows, &pt);
    else
      rhx_compose_flow(&io, &pt);
    rhx_join<Turn>(f0, f1);
#if RHX_ONE_POINT
    if (rows) result.add(el, q, f0 + Turn::FIRST, f1 + Turn::FIRST, true);
#else
    if (rows) result.add(el, q, f0 + Turn::FIRST, f1 + Turn::FIRST);
#endif
  }
  if (!rows) return;
  result.finish(el);
  rhx_assemble<Turn::OWN + Turn::MORE, false, RHX_BS, Turn::OWN>(p, tile, Turn::own(m), RHX_FIRST_SCALAR);
}

// Projections likewise.
template <typename Turn>
static __device__ __forceinline__ void rhx_turn_project(const RhxDevicePass &p, const RhxTile &tile,
                                                        RhxElement<Turn::ROW> &el, int m, const RhxKept *kept)
{
  constexpr int ALL = Turn::NAUX + Turn::MORE_AUX;
  RhxResult<ALL, false> result(tile);
#pragma unroll 1
  for (int q = 0; q < RHX_POINTS; q++) {
    RhxValues val = {};
    RhxPoint pt;
    RhxReal out[RHX_NAUX];
    double f0[ALL];
#if RHX_ONE_POINT
    const RhxNodes nodes = result.nodes(el, rhx_turn_places<Turn>(Turn::FIRST_AUX, Turn::NAUX, Turn::FIRST_MORE_AUX));
    const RhxIo io = {p, val, 0, 0, 0, false, true, 0, 0, &nodes};
#else
    const RhxIo io = {p, val, 0, 0, 0, false, el.first(q), 0, 0};
#endif
    rhx_turn_point<Turn>(el, q, kept, &pt, &val);
    if (Turn::MODE)
      rhx_compose_project_mode(&io, m, &pt, out);
    else
      rhx_compose_project_flow(&io, &pt, out);
#pragma unroll
    for (int c = 0; c < ALL; c++)
      f0[c] = RHX_ONE_POINT
                  ? 0.0
                  : rhx_value(out[c < Turn::NAUX ? Turn::FIRST_AUX + c : Turn::FIRST_MORE_AUX + c - Turn::NAUX]);
#if RHX_ONE_POINT
    result.add(el, q, f0, (const double(*)[RHX_DIM])0, true);
#else
    result.add(el, q, f0, (const double(*)[RHX_DIM])0);
#endif
  }
  result.finish(el);
  rhx_assemble<ALL, true, RHX_NAUX, Turn::NAUX>(p, tile, Turn::aux(m), Turn::FIRST_MORE_AUX);
}

// A form's passes: their modes, then the flow if it takes part.
template <bool residual, int modes, bool flow> struct RhxTurns {
  typedef RhxTurn<true, residual> Mode;
  typedef RhxTurn<false, residual> Flow;
  static constexpr int ROW = Mode::ROW, TURNS = modes + flow;
  static __device__ __forceinline__ void read(const RhxDevicePass &p, const RhxTile &tile, int turn)
  {
    const bool both = !RHX_PRODUCT_CELL || !turn;
    if (turn < modes)
      Mode::read(p, tile, turn, both);
    else if (flow)
      Flow::read(p, tile, 0, both);
  }
};

// The next turn at a tile.
template <typename Turns>
static __device__ __forceinline__ void rhx_take_turn(RhxTiles<Turns> &tiles, RhxTile &tile, RhxElement<Turns::ROW> &el)
{
  tiles.next_turn();
  tile = tiles.begin();
  el.turn(tile);
}

// What there is of the flow at a point that is kept, else NULL.
template <int ROW> static __device__ __forceinline__ const RhxKept *rhx_keep(RhxElement<ROW> &el, RhxKept *kept)
{
  if (!RHX_PRODUCT_CELL) return 0;
  el.point(0, &kept->pt);
  rhx_anew<RHX_WFLOW>(el, 0, 0, kept->val.v, kept->val.d);
  return kept;
}

// Where a thread's sums are.
#if RHX_FROM_ZERO
#define RHX_OWN_LEFT double left[RHX_LEFT] = {};
#elif RHX_PRODUCT_CELL
#define RHX_OWN_LEFT double left[RHX_LEFT];
#else
#define RHX_OWN_LEFT double *const left = p.sums + blockIdx.x * RHX_LEFT + threadIdx.x;
#endif

// In space a mode takes the turn after it, so that a turn is written once.
#define RHX_TAKES_NEXT (RHX_DIM == 3)

template <bool stats> static __device__ __forceinline__ void rhx_residual_of(const RhxDevicePass &p)
{
  constexpr bool rows = RHX_MODE_ROWS, flow = RHX_FLOW_ROWS || RHX_MORE_ROWS || stats;
  typedef RhxTurns<true, RHX_NMODES, flow> Turns;
  RHX_OWN_LARGEST(p, Turns::ROW, RHX_MAX_OF(RHX_NTENS, RHX_WFLOW + RHX_NSCALARS))
  if (stats)
#pragma unroll
    for (int k = 0; k < RHX_NSTATS; k++) largest[k * RHX_LARGEST_APART] = 0.0;
#pragma unroll 1
  for (RhxTiles<Turns> tiles(p); tiles.more(); tiles.next()) {
    RhxTile tile = tiles.begin();
    RhxElement<Turns::ROW> el(tile);
    RHX_OWN_LEFT
    RhxKept point;
    const RhxKept *const kept = rhx_keep(el, &point);
#pragma unroll 1
    for (int m = 0; m < RHX_NMODES; m++) {
      if (m && !RHX_TAKES_NEXT) rhx_take_turn(tiles, tile, el);
      rhx_turn_residual<typename Turns::Mode, stats>(p, tile, el, m, rows, left, largest, kept);
      if (RHX_TAKES_NEXT && (flow || m + 1 < RHX_NMODES)) rhx_take_turn(tiles, tile, el);
    }
    if (!flow) continue;
    if (!RHX_TAKES_NEXT) rhx_take_turn(tiles, tile, el);
    el.template prepare<RHX_WFLOW>();
    rhx_turn_residual<typename Turns::Flow, stats>(p, tile, el, 0, RHX_FLOW_ROWS || RHX_MORE_ROWS, left, largest, kept);
  }
  if (stats) rhx_add_largest(p, largest);
}

#if RHX_ROWS == 7 && RHX_NAUX
static __device__ __forceinline__ void rhx_project_of(const RhxDevicePass &p)
{
  constexpr bool flow = RHX_NAUX_FLOW + RHX_NSCALARS * RHX_NAUX_SCALAR > 0;
  typedef RhxTurns<false, RHX_NAUX_MODE ? RHX_NMODES : 0, flow> Turns;
#pragma unroll 1
  for (RhxTiles<Turns> tiles(p); tiles.more(); tiles.next()) {
    RhxTile tile = tiles.begin();
    RhxElement<Turns::ROW> el(tile);
    RhxKept point;
    const RhxKept *const kept = rhx_keep(el, &point);
#if RHX_NAUX_MODE
#pragma unroll 1
    for (int m = 0; m < RHX_NMODES; m++) {
      if (m) rhx_take_turn(tiles, tile, el);
      rhx_turn_project<typename Turns::Mode>(p, tile, el, m, kept);
    }
#endif
#if RHX_NAUX_FLOW || (RHX_NSCALARS && RHX_NAUX_SCALAR)
    if (RHX_NAUX_MODE) rhx_take_turn(tiles, tile, el);
    el.template prepare<RHX_WFLOW>();
    rhx_turn_project<typename Turns::Flow>(p, tile, el, 0, kept);
#endif
  }
}
#endif
