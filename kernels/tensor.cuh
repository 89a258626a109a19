// Quads and hexes: a thread is one node of an element and one of its quadrature points; slots are threads. Bit k of the
// thread's number t in its element is the side of direction k. Differences point from the neighbour to the own node, so
// that reference derivatives are 2^-1 and a sign away from those on [-1, 1]^d; the inverse Jacobian takes both up.

#define RHX_POINTS 1
#define RHX_OUTER 0.21132486540518712 // shape function of the far node at a Gauss point in one direction

// Interpolates from node to point: w[0] value; w[k] difference in direction k - 1.
static __device__ __forceinline__ void rhx_factor(double u, double w[RHX_DIM + 1])
{
  w[0] = u;
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++)
#pragma unroll
    for (int m = k; m >= 0; m--) {
      const double difference = w[m] - __shfl_xor_sync(RHX_ALL, w[m], 1 << k);
      if (m == 0) w[k + 1] = difference;
      w[m] = fma(-RHX_OUTER, difference, w[m]);
    }
}

static __device__ __forceinline__ double rhx_factor_value(double u)
{
#pragma unroll
  for (int k = 0; k < RHX_DIM; k++) u = fma(-RHX_OUTER, u - __shfl_xor_sync(RHX_ALL, u, 1 << k), u);
  return u;
}

// The transposed of rhx_factor.
static __device__ __forceinline__ double rhx_collect(double w[RHX_DIM + 1])
{
#pragma unroll
  for (int k = RHX_DIM - 1; k >= 0; k--) {
    const double q = fma(-RHX_OUTER, w[0], w[k + 1]);
    w[0] += q - __shfl_xor_sync(RHX_ALL, q, 1 << k);
#pragma unroll
    for (int m = 1; m <= k; m++) w[m] = fma(-RHX_OUTER, w[m] - __shfl_xor_sync(RHX_ALL, w[m], 1 << k), w[m]);
  }
  return w[0];
}

template <int ROW> struct RhxElement {
  const double *row, *at;     // of the thread's node: fields, position
  double I[RHX_DIM][RHX_DIM]; // inverse Jacobian at the point; after undivided() times det J
  double w;                   // weight times Jacobian; after undivided() without det J

  __device__ __forceinline__ RhxElement(const RhxTile &tile)
  {
    const int k = tile.member[threadIdx.x];
    row = tile.rows + k * ROW;
    at = tile.coord + k * RHX_DIM;
  }
  // The rows of another turn at the tile.
  __device__ __forceinline__ void turn(const RhxTile &tile) { row = tile.rows + tile.member[threadIdx.x] * ROW; }

  template <int W> __device__ __forceinline__ void prepare() {}
  template <int W> __device__ __forceinline__ void keep(int) {}

  __device__ __forceinline__ void jacobian(RhxPoint *pt, double J[RHX_DIM][RHX_DIM]) const
  {
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      double v[RHX_DIM + 1];
      rhx_factor(at[i], v);
      pt->x[i] = v[0];
#pragma unroll
      for (int k = 0; k < RHX_DIM; k++) J[i][k] = v[k + 1];
    }
  }

  __device__ __forceinline__ void set_weight(double det, const RhxPoint *pt)
  {
    w = (__popc(threadIdx.x & (RHX_NN - 1)) + RHX_DIM & 1 ? -1.0 : 1.0) / RHX_NN * det;
#if RHX_AXISYMMETRIC
    w *= RHX_TWO_PI * rhx_value(pt->x[1]);
#endif
  }

  __device__ __forceinline__ void point(int, RhxPoint *pt)
  {
    double J[RHX_DIM][RHX_DIM];
    jacobian(pt, J);
    set_weight(rhx_invert(RHX_DIM, J, I), pt);
    rhx_set_metric(I, 4.0, pt);
  }

  // For gradients that are only integrated, without a division or a metric: those of full() are then det J times their own.
  // Returns det J.
  __device__ __forceinline__ double undivided(int, RhxPoint *pt)
  {
    double J[RHX_DIM][RHX_DIM];
    jacobian(pt, J);
    set_weight(1.0, pt);
    return rhx_adjugate(RHX_DIM, J, I);
  }

  // Is it the first point of the element?
  __device__ __forceinline__ bool first(int) const { return !(threadIdx.x & (RHX_NN - 1)); }

  // Pairs at the node; `full` and `value` take them to the point.
  __device__ __forceinline__ double2 nodal(int part) const { return rhx_pair(row + part); }
  __device__ __forceinline__ double2 gathered(int part) const { return nodal(part); }
  __device__ __forceinline__ double2 kept(int part, int) const { return nodal(part); }

  __device__ __forceinline__ void full(double u, int, double *v, double d[RHX_DIM]) const
  {
    double r[RHX_DIM + 1];
    rhx_factor(u, r);
    *v = r[0];
    rhx_to_space(RHX_DIM, I, r + 1, d);
  }

  // A pair of components: values and gradients.
  __device__ __forceinline__ void anew(int, int part, double2 *v, double2 d[RHX_DIM]) const
  {
    const double2 u = nodal(part);
    double x[RHX_DIM], y[RHX_DIM];
    full(u.x, 0, &v->x, x);
    full(u.y, 0, &v->y, y);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) d[i] = make_double2(x[i], y[i]);
  }

  __device__ __forceinline__ double value(double u) const { return rhx_factor_value(u); }
};

// Results of width W of the thread's node.
template <int W, bool gradients> struct RhxResult {
  double *mine;

  __device__ __forceinline__ RhxResult(const RhxTile &tile) : mine(tile.slot + threadIdx.x * rhx_row(rhx_even(W))) {}

  template <int ROW>
  __device__ __forceinline__ void add(const RhxElement<ROW> &el, int, const double f0[W], const double (*f1)[RHX_DIM])
  {
    double I[RHX_DIM][RHX_DIM], r[rhx_even(W)] = {};
#pragma unroll
    for (int k = 0; k < RHX_DIM; k++)
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) I[k][i] = el.I[k][i] * el.w;
#pragma unroll
    for (int c = 0; c < W; c++) {
      if (gradients) {
        double w[RHX_DIM + 1] = {f0[c] * el.w};
#pragma unroll
        for (int k = 0; k < RHX_DIM; k++) {
          w[k + 1] = I[k][0] * f1[c][0];
#pragma unroll
          for (int i = 1; i < RHX_DIM; i++) w[k + 1] += I[k][i] * f1[c][i];
        }
        r[c] = rhx_collect(w);
      } else
        r[c] = rhx_factor_value(f0[c] * el.w);
      if (c % 2 || c + 1 == W) rhx_put(mine + c / 2 * 2, r[c / 2 * 2], r[c / 2 * 2 + 1]);
    }
  }

  template <int ROW> __device__ __forceinline__ void finish(const RhxElement<ROW> &) {}
};
