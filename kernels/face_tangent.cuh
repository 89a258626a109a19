// Derivatives of face terms, from the text of the terms (kernels/compose_face.h). The generator (src/form/cuda/matrix_source.c)
// writes before this file what kernels/point.cuh lists, all numbers being those of kernels/dual.cuh: with one direction for
// products, or with that of a value and those of its gradient for the matrix, of which it then writes RHX_NR, RHX_NC, rhx_row[],
// rhx_col[] as for kernels/matrix.cuh.
#undef for // of kernels/dual.cuh
#define RHX_AXES RHX_DIM
#include <kernels/face_point.cuh>
#include <kernels/geometry.h>
#include <kernels/tangent.cuh>

struct RhxCell {
  const RhxFacePoint &at;
};

// Along nodal values v and auxiliary ones a, which may be 0; or by a component of the node block. shift: derivative of the rate.
struct RhxBy {
  const double *v, *a;
  int component;
  double shift;
};

static __device__ __forceinline__ RhxReal rhx_dual(double v, int k, double d)
{
  RhxReal r = v;
  r.d[k] = d;
  r.z &= ~(1u << k);
  return r;
}

// value and gradient of component c of from, [nodes][width]
static __device__ __forceinline__ double rhx_face_value(const RhxFacePoint &fp, const double *from, int width, int c,
                                                        double g[RHX_DIM])
{
  double v = 0.0;
  for (int i = 0; i < RHX_DIM; i++) g[i] = 0.0;
  for (int a = 0; a < RHX_NN; a++) {
    const double u = from[(size_t)fp.node[a] * width + c];
    v += fp.N[a] * u;
    for (int i = 0; i < RHX_DIM; i++) g[i] += fp.dN[a][i] * u;
  }
  return v;
}

template <int W>
static __device__ __forceinline__ void rhx_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by,
                                                  int first, RhxValues<W> *val)
{
  double d[RHX_DIM], along[RHX_DIM], none[RHX_DIM];
  for (int c = 0; c < W; c++) {
    const double v = rhx_face_value(cell.at, p.x, RHX_BS, first + c, d);
    const double rate = RHX_HAS_RATE && p.xdot ? rhx_face_value(cell.at, p.xdot, RHX_BS, first + c, none) : 0.0;
    val->source[c] = RHX_HAS_SOURCE ? rhx_face_value(cell.at, p.source, RHX_BS, first + c, none) : 0.0;
#if RHX_DIRECTIONS == 1
    const double slope = rhx_face_value(cell.at, by.v, RHX_BS, first + c, along);
    for (int i = 0; i < RHX_DIM; i++) val->d[c][i] = rhx_dual(d[i], 0, along[i]);
#else
    const double slope = by.component == first + c;
    for (int i = 0; i < RHX_DIM; i++) val->d[c][i] = rhx_dual(d[i], i + 1, slope);
    (void)along;
#endif
    val->v[c] = rhx_dual(v, 0, slope);
    val->rate[c] = RHX_HAS_RATE && p.xdot ? rhx_dual(rate, 0, by.shift * slope) : RhxReal(0.0);
  }
}

template <int W>
static __device__ __forceinline__ void rhx_aux_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by,
                                                      RhxReal aux[W])
{
  double none[RHX_DIM];
  for (int c = 0; c < W; c++) {
    aux[c] = p.aux ? rhx_face_value(cell.at, p.aux, W, c, none) : 0.0;
    if (by.a) aux[c] = rhx_dual(rhx_value(aux[c]), 0, rhx_face_value(cell.at, by.a, W, c, none));
  }
}

// What the form says of the traction at the point.
static __device__ __forceinline__ void rhx_face_traction(const RhxMatrixPass &p, const RhxFacePoint &fp,
                                                         const RhxBy &by, RhxReal f[RHX_DIM])
{
  RhxReal aux[RHX_NAUX ? RHX_NAUX : 1], n[RHX_DIM];
  RhxPoint pt;
  const RhxCell cell = {fp};
  const RhxIo io = {p, cell, by, aux, 0, 0};
  for (int d = 0; d < RHX_DIM; d++) {
    f[d] = 0.0;
    n[d] = fp.n[d];
    pt.x[d] = fp.x[d];
    for (int e = 0; e < RHX_DIM; e++) pt.g[d][e] = fp.g[d][e];
  }
  pt.ih2 = fp.ih2;
  if (fp.form == RHX_FACE_GRADIENT) rhx_compose_face(&io, n, &pt, f);
  if (fp.form == RHX_FACE_OPEN) rhx_compose_open(&io, n, &pt, f);
  if (fp.backflow > 0.0) rhx_compose_backflow(&io, fp.backflow, n, &pt, f);
}

#if RHX_DIRECTIONS == 1
// A point: part[n][RHX_NN][RHX_DIM]. follows[n][RHX_DIM][RHX_DIM]: slope of the prescribed traction by the velocity, or 0.
extern "C" __global__ void rhx_face_product(RhxProductPass pp, const RhxFacePoint *point, const double *follows,
                                            double *part)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const RhxBy by = {pp.v, pp.a, -1, pp.at.shift};
  RhxReal f[RHX_DIM];
  double more[RHX_DIM] = {}, none[RHX_DIM];
  if (i >= pp.at.n) return;
  const RhxFacePoint &fp = point[i];
  rhx_face_traction(pp.at, fp, by, f);
  for (int e = 0; follows && e < RHX_DIM; e++) {
    const double u = rhx_face_value(fp, pp.v, RHX_BS, RHX_FIRST_VELOCITY + e, none);
    for (int d = 0; d < RHX_DIM; d++) more[d] += follows[(i * RHX_DIM + d) * RHX_DIM + e] * u;
  }
  for (int a = 0; a < RHX_NN; a++)
    for (int d = 0; d < RHX_DIM; d++)
      part[((size_t)i * RHX_NN + a) * RHX_DIM + d] = fp.N[a] * fp.w * (f[d].d[0] - more[d]);
}

extern "C" __global__ void rhx_face_add(RhxFaceNodes f, const double *part, double *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < f.n * RHX_DIM) rhx_face_sum(f, part, out, i);
}

#else
// Derivatives of the traction at a point by value and gradient of a column's component: slope[n][RHX_NC][RHX_DIM][RHX_DIM + 1].
// follows: as above
extern "C" __global__ void rhx_face_slopes(RhxMatrixPass p, const RhxFacePoint *point, const double *follows,
                                           double *slope)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x, i = k / RHX_NC;
  RhxReal f[RHX_DIM];
  if (i >= p.n) return;
  const int e = rhx_col[k - i * RHX_NC] - RHX_FIRST_VELOCITY; // of the velocity, or below 0, or beyond
  const RhxBy by = {0, 0, rhx_col[k - i * RHX_NC], p.shift};
  rhx_face_traction(p, point[i], by, f);
  for (int d = 0; d < RHX_DIM; d++) {
    double *to = slope + ((size_t)k * RHX_DIM + d) * (RHX_DIM + 1);
    for (int m = 0; m <= RHX_DIM; m++) to[m] = point[i].w * f[d].d[m];
    if (follows && e >= 0 && e < RHX_DIM) to[0] -= point[i].w * follows[(i * RHX_DIM + d) * RHX_DIM + e];
  }
}

// Adds to the matrix, laid out as that of kernels/matrix.cuh; a thread is a row and a column of a pair of nodes.
extern "C" __global__ void rhx_face_matrix(RhxFaceBlocks b, const RhxFacePoint *point, const double *slope, double *out)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x, pair = k / (RHX_DIM * RHX_NC);
  const int c = k % RHX_NC, d = k / RHX_NC % RHX_DIM;
  int r = 0;
  double sum = 0.0;
  while (r < RHX_NR && rhx_row[r] != RHX_FIRST_VELOCITY + d) r++;
  if (pair >= b.n || r == RHX_NR) return;
  for (int j = b.start[pair]; j < b.start[pair + 1]; j++) {
    const int i = b.entry[j] / (RHX_NN * RHX_NN), row = b.entry[j] / RHX_NN % RHX_NN, col = b.entry[j] % RHX_NN;
    const double *s = slope + (((size_t)i * RHX_NC + c) * RHX_DIM + d) * (RHX_DIM + 1);
    double v = s[0] * point[i].N[col];
    for (int m = 0; m < RHX_DIM; m++) v += s[m + 1] * point[i].dN[col][m];
    sum += point[i].N[row] * v;
  }
  const int node = b.node[pair], first = b.row[node], width = b.row[node + 1] - first;
  out[((size_t)first * RHX_NR + (size_t)r * width + b.at[pair]) * RHX_NC + c] += sum;
}
#endif
