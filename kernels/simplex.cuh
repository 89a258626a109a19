// Simplices: a thread is an element; slot a * RHX_TILE + thread is its node a. As many points as nodes: at point q the shape
// function of node q is RHX_NEAR, all others' RHX_FAR; gradients are constant.

#define RHX_POINTS RHX_NN

template <int ROW> struct RhxElement {
  int row[RHX_NN];              // of its nodes, in shared memory
  const double *near;           // row of the point's node
  double dN[RHX_NN][RHX_DIM];   // gradients of the shape functions
  double w;                     // weight times Jacobian, of every point
  double g[RHX_BS][RHX_DIM];    // gradients of the fields that `full` reads
  RhxPoint geometry;            // its metric

  __device__ __forceinline__ RhxElement(const RhxTile &tile)
  {
    double J[RHX_DIM][RHX_DIM] = {}, I[RHX_DIM][RHX_DIM];
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) {
      row[a] = tile.member[a * RHX_TILE + threadIdx.x] * ROW;
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++)
#pragma unroll
        for (int k = 0; k < RHX_DIM; k++)
          if (rhx_dN[a][k] != 0.0) J[i][k] += rhx_dN[a][k] * rhx_shared[row[a] + i];
    }
    w = rhx_invert(J, I) * RHX_WEIGHT;
    rhx_metric(I, 1.0, &geometry);
#pragma unroll
    for (int a = 0; a < RHX_NN; a++)
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) {
        dN[a][i] = 0.0;
#pragma unroll
        for (int k = 0; k < RHX_DIM; k++)
          if (rhx_dN[a][k] != 0.0) dN[a][i] += rhx_dN[a][k] * I[k][i];
      }
  }

  // Gradients of the W components that begin at AT.
  template <int W, int AT> __device__ __forceinline__ void prepare()
  {
#pragma unroll
    for (int c = 0; c < W; c++) {
      double u[RHX_NN];
#pragma unroll
      for (int a = 0; a < RHX_NN; a++) u[a] = rhx_shared[row[a] + AT + c];
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++) {
        g[c][i] = dN[0][i] * u[0];
#pragma unroll
        for (int a = 1; a < RHX_NN; a++) g[c][i] += dN[a][i] * u[a];
      }
    }
  }

  __device__ __forceinline__ void point(int q, RhxPoint *pt)
  {
    *pt = geometry;
    near = rhx_shared + row[0];
#pragma unroll
    for (int a = 1; a < RHX_NN; a++)
      if (q == a) near = rhx_shared + row[a];
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) pt->x[i] = value(i);
  }

  __device__ __forceinline__ double value(int at) const
  {
    double s = rhx_shared[row[0] + at];
#pragma unroll
    for (int a = 1; a < RHX_NN; a++) s += rhx_shared[row[a] + at];
    return RHX_FAR * s + (RHX_NEAR - RHX_FAR) * near[at];
  }

  __device__ __forceinline__ void full(int at, int c, double *v, double d[RHX_DIM]) const
  {
    *v = value(at);
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) d[i] = g[c][i];
  }
};

// Results of width W of the thread's element: what a node has more than the others goes to its slot at its point.
template <int W, bool gradients> struct RhxResult {
  double *slot;
  double F0[W], F1[W][RHX_DIM]; // sums over the points

  __device__ __forceinline__ RhxResult(const RhxTile &tile, int row) : slot(rhx_shared + tile.n * row), F0{}, F1{} {}

  template <int ROW>
  __device__ __forceinline__ void add(const RhxElement<ROW> &, int q, const double f0[W], const double (*f1)[RHX_DIM])
  {
    double *const mine = slot + (q * RHX_TILE + threadIdx.x) * (W | 1);
#pragma unroll
    for (int c = 0; c < W; c++) {
      mine[c] = (RHX_NEAR - RHX_FAR) * f0[c];
      F0[c] += f0[c];
      if (gradients)
#pragma unroll
        for (int i = 0; i < RHX_DIM; i++) F1[c][i] += f1[c][i];
    }
  }

  template <int ROW> __device__ __forceinline__ void finish(const RhxElement<ROW> &el)
  {
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) {
      double *const mine = slot + (a * RHX_TILE + threadIdx.x) * (W | 1);
#pragma unroll
      for (int c = 0; c < W; c++) {
        double s = mine[c] + RHX_FAR * F0[c];
        if (gradients)
#pragma unroll
          for (int i = 0; i < RHX_DIM; i++) s += el.dN[a][i] * F1[c][i];
        mine[c] = s * el.w;
      }
    }
  }
};
