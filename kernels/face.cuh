// Face terms of one composition of the form: f0u = what the form of the face says - prescribed traction.
// A thread is a quadrature point of a face; then its contributions are summed node by node, in a fixed order.
// Modes come one after the other, each interpolated when its turn is.
struct RhxIo;
static __device__ __forceinline__ void rhx_face_mode(const RhxIo *io, int m);
#undef RHX_PLACE
#undef RHX_EACH_MODE
#define RHX_PLACE(m) 0
#define RHX_EACH_MODE(DO)                                  \
  _Pragma("unroll 1") for (int m = 0; m < RHX_NMODES; m++) \
  {                                                        \
    rhx_face_mode(io, m);                                  \
    DO(m)                                                  \
  }
#define RHX_OWN_MODES   \
  RhxMode rhx_one_mode; \
  RhxLog rhx_one_log;
#define RHX_MODE_AT(m) (&rhx_one_mode)
#define RHX_LOG_AT(m) (&rhx_one_log)
#include <kernels/point.cuh>
#include <kernels/face_point.cuh>
#include <kernels/ptx.cuh>

struct RhxFaceIo : RhxIo {
  const RhxFacePass &pass;
  const RhxFacePoint &at;
  RhxValues &to;
};

// Components first to first + n - 1 of from, [nodes][width], at the point, and their gradients where d is given.
static __device__ __forceinline__ void rhx_face_values(const RhxFacePoint &fp, const double *from, int width, int first,
                                                       int n, double *v, double (*d)[RHX_DIM])
{
#pragma unroll
  for (int c = 0; c < n; c++) {
    v[c] = 0.0;
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++)
      if (d) d[c][i] = 0.0;
#pragma unroll
    for (int a = 0; a < RHX_NN; a++) {
      const double u = from[(size_t)fp.node[a] * width + first + c];
      v[c] += fp.N[a] * u;
#pragma unroll
      for (int i = 0; i < RHX_DIM; i++)
        if (d) d[c][i] += fp.dN[a][i] * u;
    }
  }
}

// Components of the node block, of the pass's at `first` on, of the point's at `to` on.
static __device__ __forceinline__ void rhx_face_fields(const RhxFacePass &p, const RhxFacePoint &fp, int first, int n,
                                                       int to, RhxValues *val)
{
  rhx_face_values(fp, p.x, RHX_BS, first, n, val->v + to, val->d + to);
#if RHX_HAS_RATE
  rhx_face_values(fp, p.xdot, RHX_BS, first, n, val->rate + to, 0);
#endif
#if RHX_HAS_SOURCE
  rhx_face_values(fp, p.source, RHX_BS, first, n, val->source + to, 0);
#endif
}

static __device__ __forceinline__ void rhx_face_mode(const RhxIo *io, int m)
{
#if RHX_NMODES
  const RhxFaceIo *face = static_cast<const RhxFaceIo *>(io);
  rhx_face_fields(face->pass, face->at, RHX_FIRST_MODE + m * RHX_NTENS, RHX_NTENS, RHX_FIRST_MODE, &face->to);
#endif
}

// Point i: traction[n][RHX_DIM] or 0; part[n][RHX_NN][RHX_DIM]
static __device__ __forceinline__ void rhx_face_point(const RhxFacePass &p, const RhxFacePoint &fp,
                                                      const double *traction, double *part, int i)
{
  constexpr int AFTER = RHX_FIRST_MODE + RHX_NMODES * RHX_NTENS;
  RhxValues val = {};
  RhxPoint pt;
  rhx_face_fields(p, fp, 0, RHX_FIRST_MODE, 0, &val);
  rhx_face_fields(p, fp, AFTER, RHX_BS - AFTER, AFTER, &val);
  rhx_face_values(fp, p.aux, RHX_NAUX, 0, RHX_NAUX_FLOW, val.aux, 0);
  for (int d = 0; d < RHX_DIM; d++) {
    pt.x[d] = fp.x[d];
    for (int e = 0; e < RHX_DIM; e++) pt.g[d][e] = fp.g[d][e];
  }
  pt.ih2 = fp.ih2;
  RhxDevicePass pass = {};
  pass.clock = p.clock;
  pass.rho = p.rho;
  pass.convection = p.convection;
  const RhxFaceIo io = {{pass, val, 0, 0, 0, false, false}, p, fp, val};
  double f[RHX_DIM] = {};
  if (fp.form == RHX_FACE_GRADIENT) rhx_compose_face(&io, fp.n, &pt, f);
  if (fp.form == RHX_FACE_OPEN) rhx_compose_open(&io, fp.n, &pt, f);
  if (fp.backflow > 0.0) rhx_compose_backflow(&io, fp.backflow, fp.n, &pt, f);
  for (int d = 0; d < RHX_DIM; d++) {
    if (traction) f[d] -= traction[i * RHX_DIM + d];
    for (int a = 0; a < RHX_NN; a++) part[((size_t)i * RHX_NN + a) * RHX_DIM + d] = fp.N[a] * fp.w * f[d];
  }
}

// A single block adds the sums itself; after several comes rhx_add_faces.
extern "C" __global__ void rhx_faces(RhxFacePass p, const RhxFacePoint *point, const double *traction, double *part,
                                     RhxFaceNodes f, double *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  RhxFacePoint fp = {};
  if (i < p.n) fp = point[i];
  rhx_launch_dependents();
  rhx_wait_prior();
  while (i < p.n) {
    rhx_face_point(p, fp, traction, part, i);
    i += gridDim.x * blockDim.x;
    if (i < p.n) fp = point[i];
  }
  if (gridDim.x > 1) return;
  __syncthreads();
  for (i = threadIdx.x; i < f.n * RHX_DIM; i += blockDim.x) rhx_face_sum(f, part, out, i);
}

extern "C" __global__ void rhx_add_faces(RhxFaceNodes f, const double *part, double *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  if (i < f.n * RHX_DIM) rhx_face_sum(f, part, out, i);
}
