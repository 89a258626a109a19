// Simplices: a thread is an element; slot a * RHX_TILE + thread is its node a. As many points as nodes: at point q the
// shape function of node q is RHX_NEAR, all others' RHX_FAR; gradients are constant. With one point values are those of the
// centroid and results those at the nodes: sum of (1 + delta_ab)/(NN + 1) f_b is NN times the mean of N_a f for linear f.

#if RHX_ONE_POINT
#define RHX_POINTS 1
#define RHX_VALUE_FAR (1.0 / RHX_NN)
#define RHX_RESULT_FAR (1.0 / (RHX_NN + 1))
#define RHX_RESULT_MORE RHX_RESULT_FAR
#else
#define RHX_POINTS RHX_NN
#define RHX_VALUE_FAR RHX_FAR
#define RHX_RESULT_FAR RHX_FAR
#define RHX_RESULT_MORE (RHX_NEAR - RHX_FAR)
#endif

// From RHX_VALUE_FAR times the sum over the nodes and the value at the point's node.
static __device__ __forceinline__ double rhx_at_point(double sum, double own)
{
  return RHX_ONE_POINT ? sum : sum + (RHX_NEAR - RHX_FAR) * own;
}

// Where registers are left the sums of what is kept stay in them.
#define RHX_KEEP_SUMS (RHX_DIM == 2 && RHX_NMODES <= 1)

template <int ROW> struct RhxElement {
  const double *row[RHX_NN], *near; // of the nodes and of the point's node: fields
  double *slot, *kept_at;     // where, without RHX_KEEP_SUMS, values at the points wait until results take their place
  double x[RHX_NN][RHX_DIM];  // positions of the nodes
  double dN[RHX_NN][RHX_DIM]; // gradients of the shape functions
  double w;                   // weight times Jacobian, of every point
#if RHX_AXISYMMETRIC
  double ring; // 2 pi r of the point
#endif
  double g[RHX_BS][RHX_DIM];   // gradients of the fields that `full` reads
  double sum[RHX_BS];          // RHX_VALUE_FAR times their sums over the nodes
  double sum_kept[RHX_BS + 1]; // and of the fields that are kept
  RhxPoint geometry;           // its metric

  __device__ __forceinline__ RhxElement(const RhxTile &tile)
  {
    double J[RHX_DIM][RHX_DIM], I[RHX_DIM][RHX_DIM];
    slot = tile.slot;
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) {
      const int k = tile.member[a * RHX_TILE + threadIdx.x];
      row[a] = tile.rows + k * ROW;
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) x[a][i] = tile.coord[k * RHX_DIM + i];
    }
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++)
#pragma unroll
      for (int k = 0; k < RHX_DIM; k++) J[i][k] = x[k + 1][i] - x[0][i];
    w = rhx_invert(RHX_DIM, J, I) * RHX_WEIGHT;
    rhx_set_metric(I, 1.0, &geometry);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      dN[0][i] = -I[0][i];
#pragma unroll
      for (int k = 0; k < RHX_DIM; k++) {
        dN[k + 1][i] = I[k][i];
        if (k) dN[0][i] -= I[k][i];
      }
    }
  }

  // The rows of another turn at the tile.
  __device__ __forceinline__ void turn(const RhxTile &tile)
  {
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) row[a] = tile.rows + tile.member[a * RHX_TILE + threadIdx.x] * ROW;
  }

  // Is it the first point of the element?
  __device__ __forceinline__ bool first(int q) const { return q == 0; }

  // Gradients and sums of the first W components.
  template <int W> __device__ __forceinline__ void prepare()
  {
#pragma unroll
    for (int c = 0; c < W; c += 2) {
      double u[2][RHX_NN];
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) {
        const double2 pair = rhx_pair(row[a] + c);
        u[0][a] = pair.x;
        u[1][a] = pair.y;
      }
#pragma unroll
      for (int m = 0; m < 2; m++)
        if (c + m < W) prepare_one(c + m, u[m]);
    }
  }

  __device__ __forceinline__ void prepare_one(int c, const double u[RHX_NN])
  {
    double s = u[0];
#pragma unroll
    for (int k = 1; k < RHX_NN; k++) {
      s += u[k];
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++)
        g[c][i] = k > 1 ? fma(dN[k][i], u[k] - u[0], g[c][i]) : dN[1][i] * (u[1] - u[0]);
    }
    sum[c] = RHX_VALUE_FAR * s;
  }

  // For values at all points of the W components that begin at `part`; in the slots results of the same width follow.
  template <int W> __device__ __forceinline__ void keep(int part)
  {
    constexpr int SLOT = rhx_row(rhx_even(W));
#pragma unroll
    for (int c = 0; c < W; c += 2) {
      double2 u[RHX_NN], s;
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) {
        u[a] = rhx_pair(row[a] + part + c);
        s = a ? make_double2(s.x + u[a].x, s.y + u[a].y) : u[0];
      }
      if (RHX_KEEP_SUMS) {
        sum_kept[c] = RHX_VALUE_FAR * s.x;
        sum_kept[c + 1] = RHX_VALUE_FAR * s.y;
      } else
#pragma unroll
        for (int q = 0; q < RHX_POINTS; q++)
          rhx_put(slot + (q * RHX_TILE + threadIdx.x) * SLOT + c, rhx_at_point(RHX_VALUE_FAR * s.x, u[q].x),
                  rhx_at_point(RHX_VALUE_FAR * s.y, u[q].y));
    }
  }

  __device__ __forceinline__ void point(int q, RhxPoint *pt)
  {
    *pt = geometry;
    near = row[0];
    kept_at = slot + (q * RHX_TILE + threadIdx.x) * rhx_row(rhx_even(RHX_BS));
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      double s = x[0][i], own = x[0][i];
#pragma unroll
      for (int a = 1; a < RHX_NN; a++) {
        if (q == a) own = x[a][i];
        s += x[a][i];
      }
      pt->x[i] = rhx_at_point(RHX_VALUE_FAR * s, own);
    }
#if RHX_AXISYMMETRIC
    ring = RHX_TWO_PI * rhx_value(pt->x[1]);
#endif
#pragma unroll
    for (int a = 1; a < RHX_NN; a++)
      if (q == a) near = row[a];
  }

  // The point of a product cell without a division: here nothing is divided.
  __device__ __forceinline__ double undivided(int q, RhxPoint *pt)
  {
    point(q, pt);
    return 1.0;
  }

  // Pairs: at the point's node, which `full` takes; at the point.
  __device__ __forceinline__ double2 nodal(int part) const { return rhx_pair(near + part); }
  __device__ __forceinline__ double2 kept(int part, int c) const
  {
    if (!RHX_KEEP_SUMS) return rhx_pair(kept_at + c);
    const double2 u = nodal(part);
    return make_double2(rhx_at_point(sum_kept[c], u.x), rhx_at_point(sum_kept[c + 1], u.y));
  }
  __device__ __forceinline__ double2 gathered(int part) const
  {
    const double2 own = nodal(part);
    double2 s = rhx_pair(row[0] + part);
#pragma unroll
    for (int a = 1; a < RHX_NN; a++) {
      const double2 u = rhx_pair(row[a] + part);
      s = make_double2(s.x + u.x, s.y + u.y);
    }
    return make_double2(rhx_at_point(RHX_VALUE_FAR * s.x, own.x), rhx_at_point(RHX_VALUE_FAR * s.y, own.y));
  }

  // A pair of components, of which nothing is kept from point to point: values and gradients.
  __device__ __forceinline__ void anew(int q, int part, double2 *v, double2 d[RHX_DIM]) const
  {
    const double2 u0 = rhx_pair(row[0] + part);
    double2 s = u0, own = u0;
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) d[i] = make_double2(0.0, 0.0);
#pragma unroll
    for (int a = 1; a < RHX_NN; a++) {
      const double2 u = rhx_pair(row[a] + part);
      if (q == a) own = u;
      s = make_double2(s.x + u.x, s.y + u.y);
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++)
        d[i] = make_double2(fma(dN[a][i], u.x - u0.x, d[i].x), fma(dN[a][i], u.y - u0.y, d[i].y));
    }
    *v = make_double2(rhx_at_point(RHX_VALUE_FAR * s.x, own.x), rhx_at_point(RHX_VALUE_FAR * s.y, own.y));
  }

  __device__ __forceinline__ double value(double u) const { return u; }

  __device__ __forceinline__ void full(double u, int c, double *v, double d[RHX_DIM]) const
  {
    *v = rhx_at_point(sum[c], u);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) d[i] = g[c][i];
  }
};

// Results of width W of the thread's element: what a node has more than the others goes to its slot at its point.
template <int W, bool gradients> struct RhxResult {
  static constexpr int SLOT = rhx_row(rhx_even(W));
  double *mine;
  double F1[W][RHX_DIM]; // sum over the points

  __device__ __forceinline__ RhxResult(const RhxTile &tile) : mine(tile.slot + threadIdx.x * SLOT), F1{} {}

#if RHX_ONE_POINT
  // At the centroid; linear: at the nodes the slots have more.
  template <int ROW>
  __device__ __forceinline__ void add(const RhxElement<ROW> &el, int, const double f0[W], const double (*f1)[RHX_DIM],
                                      bool linear = false)
  {
    const double w = RHX_RESULT_MORE * el.w;
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) {
      double *const at = mine + a * RHX_TILE * SLOT;
#pragma unroll
      for (int c = 0; c < W; c += 2) {
        const double2 more = linear ? rhx_pair(at + c) : make_double2(0.0, 0.0);
        rhx_put(at + c, w * (f0[c] + more.x), c + 1 < W ? w * (f0[c + 1 < W ? c + 1 : c] + more.y) : 0.0);
      }
    }
    if (gradients)
#pragma unroll
      for (int c = 0; c < W; c++)
#pragma unroll
        for (int i = 0; i < RHX_DIM; i++) F1[c][i] = RHX_NN * f1[c][i];
  }

  // What the nodes have more begins here.
  template <int ROW> __device__ __forceinline__ RhxNodes nodes(const RhxElement<ROW> &el, const RhxPlaces &at) const
  {
    RhxNodes nodes = {{}, el.x, mine, RHX_TILE * SLOT, W, at};
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) nodes.row[a] = el.row[a];
    return nodes;
  }

  __device__ __forceinline__ void clear() const
  {
#pragma unroll
    for (int a = 0; a < RHX_NN; a++)
#pragma unroll
      for (int c = 0; c < W; c += 2) rhx_put(mine + a * RHX_TILE * SLOT + c, 0.0, 0.0);
  }
#else
  template <int ROW>
  __device__ __forceinline__ void add(const RhxElement<ROW> &el, int q, const double f0[W], const double (*f1)[RHX_DIM])
  {
    double *const at = mine + q * RHX_TILE * SLOT;
#if RHX_AXISYMMETRIC
    const double ring = el.ring, w = RHX_RESULT_MORE * el.w * ring;
#else
    const double w = RHX_RESULT_MORE * el.w;
#endif
#pragma unroll
    for (int c = 0; c < W; c += 2) rhx_put(at + c, w * f0[c], c + 1 < W ? w * f0[c + 1 < W ? c + 1 : c] : 0.0);
    if (gradients)
#pragma unroll
      for (int c = 0; c < W; c++)
#pragma unroll
#if RHX_AXISYMMETRIC
        for (int i = 0; i < RHX_DIM; i++) F1[c][i] += ring * f1[c][i];
#else
        for (int i = 0; i < RHX_DIM; i++) F1[c][i] += f1[c][i];
#endif
  }
#endif

  // All of component c, from what the nodes have more.
  __device__ __forceinline__ void finish_one(int c, const double dN[RHX_NN][RHX_DIM], double r[RHX_NN]) const
  {
    double all = r[0];
#pragma unroll
    for (int a = 1; a < RHX_NN; a++) all += r[a];
    all *= RHX_RESULT_FAR / RHX_RESULT_MORE;
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) {
      r[a] += all;
      if (gradients)
#pragma unroll
        for (int i = 0; i < RHX_DIM; i++) r[a] += dN[a][i] * F1[c][i];
    }
  }

  template <int ROW> __device__ __forceinline__ void finish(const RhxElement<ROW> &el)
  {
    double dN[RHX_NN][RHX_DIM];
#pragma unroll
    for (int a = 0; a < RHX_NN; a++)
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) dN[a][i] = el.dN[a][i] * el.w;
#pragma unroll
    for (int c = 0; c < W; c += 2) {
      double r[2][RHX_NN];
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) {
        const double2 pair = rhx_pair(mine + a * RHX_TILE * SLOT + c);
        r[0][a] = pair.x;
        r[1][a] = pair.y;
      }
      finish_one(c, dN, r[0]);
      if (c + 1 < W) finish_one(c + 1, dN, r[1]);
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) rhx_put(mine + a * RHX_TILE * SLOT + c, r[0][a], r[1][a]);
    }
  }
};
