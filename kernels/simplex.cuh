// Simplices: a thread is an element; slot a * RHX_TILE + thread is its node a. As many points as nodes: at point q the shape
// function of node q is RHX_NEAR, all others' RHX_FAR; gradients are constant.

#define RHX_POINTS RHX_NN

template <int ROW> struct RhxElement {
  const double *row[RHX_NN], *near; // of the nodes and of the point's node: fields
  double *slot, *kept_at;           // where values at the points wait until results take their place
  double x[RHX_NN][RHX_DIM];        // positions of the nodes
  double dN[RHX_NN][RHX_DIM];       // gradients of the shape functions
  double w;                         // weight times Jacobian, of every point
  double g[RHX_BS][RHX_DIM];        // gradients of the fields that `full` reads
  double sum[RHX_BS];               // RHX_FAR times their sums over the nodes
  RhxPoint geometry;                // its metric

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
    w = rhx_invert(J, I) * RHX_WEIGHT;
    rhx_metric(I, 1.0, &geometry);
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

  // Gradients and sums of the first W components.
  template <int W> __device__ __forceinline__ void prepare()
  {
#pragma unroll
    for (int c = 0; c < W; c++) {
      const double u = row[0][c];
      sum[c] = u;
#pragma unroll
      for (int k = 0; k < RHX_DIM; k++) {
        const double other = row[k + 1][c];
        sum[c] += other;
#pragma unroll
        for (int i = 0; i < RHX_DIM; i++) g[c][i] = k ? fma(dN[k + 1][i], other - u, g[c][i]) : dN[1][i] * (other - u);
      }
      sum[c] *= RHX_FAR;
    }
  }

  // Values at all points of the W components that begin at `part`; results of the same width follow.
  template <int W> __device__ __forceinline__ void keep(int part)
  {
#pragma unroll
    for (int c = 0; c < W; c++) {
      double u[RHX_NN], s = 0.0;
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) {
        u[a] = row[a][part + c];
        s = a ? s + u[a] : u[0];
      }
      s *= RHX_FAR;
#pragma unroll
      for (int q = 0; q < RHX_POINTS; q++)
        slot[(q * RHX_TILE + threadIdx.x) * (W | 1) + c] = s + (RHX_NEAR - RHX_FAR) * u[q];
    }
  }

  __device__ __forceinline__ void point(int q, RhxPoint *pt)
  {
    *pt = geometry;
    near = row[0];
    kept_at = slot + (q * RHX_TILE + threadIdx.x) * (RHX_BS | 1);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) {
      double s = x[0][i], own = x[0][i];
#pragma unroll
      for (int a = 1; a < RHX_NN; a++) {
        if (q == a) own = x[a][i];
        s += x[a][i];
      }
      pt->x[i] = RHX_FAR * s + (RHX_NEAR - RHX_FAR) * own;
    }
#pragma unroll
    for (int a = 1; a < RHX_NN; a++)
      if (q == a) near = row[a];
  }

  __device__ __forceinline__ double value(int part) const
  {
    double s = row[0][part];
#pragma unroll
    for (int a = 1; a < RHX_NN; a++) s += row[a][part];
    return RHX_FAR * s + (RHX_NEAR - RHX_FAR) * near[part];
  }

  __device__ __forceinline__ double kept(int, int c) const { return kept_at[c]; }

  __device__ __forceinline__ void full(int part, int c, double *v, double d[RHX_DIM]) const
  {
    *v = sum[c] + (RHX_NEAR - RHX_FAR) * near[part];
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) d[i] = g[c][i];
  }
};

// Results of width W of the thread's element: what a node has more than the others goes to its slot at its point.
template <int W, bool gradients> struct RhxResult {
  double *mine;
  double F1[W][RHX_DIM]; // sum over the points

  __device__ __forceinline__ RhxResult(const RhxTile &tile) : mine(tile.slot + threadIdx.x * (W | 1)), F1{} {}

  template <int ROW>
  __device__ __forceinline__ void add(const RhxElement<ROW> &el, int q, const double f0[W], const double (*f1)[RHX_DIM])
  {
    double *const at = mine + q * RHX_TILE * (W | 1);
    const double w = (RHX_NEAR - RHX_FAR) * el.w;
#pragma unroll
    for (int c = 0; c < W; c++) {
      at[c] = w * f0[c];
      if (gradients)
#pragma unroll
        for (int i = 0; i < RHX_DIM; i++) F1[c][i] += f1[c][i];
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
    for (int c = 0; c < W; c++) {
      double r[RHX_NN], all = 0.0;
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) {
        r[a] = mine[a * RHX_TILE * (W | 1) + c];
        all = a ? all + r[a] : r[0];
      }
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) {
        r[a] += RHX_FAR / (RHX_NEAR - RHX_FAR) * all;
        if (gradients)
#pragma unroll
          for (int i = 0; i < RHX_DIM; i++) r[a] += dN[a][i] * F1[c][i];
        mine[a * RHX_TILE * (W | 1) + c] = r[a];
      }
    }
  }
};
