// Face terms of one composition of the form: f0u = what the form of the face says - prescribed traction.
// A thread is a quadrature point of a face; then its contributions are summed node by node, in a fixed order.
#include <kernels/point.cuh>
#include <kernels/face_point.cuh>
#include <kernels/ptx.cuh>

// Point i: traction[n][RHX_DIM] or 0; part[n][RHX_NN][RHX_DIM]
static __device__ __forceinline__ void rhx_face_point(const RhxFacePass &p, const RhxFacePoint &fp,
                                                      const double *traction, double *part, int i)
{
  RhxValues val = {};
  RhxPoint pt;
  for (int a = 0; a < RHX_NN; a++)
    for (int c = 0; c < RHX_BS; c++) {
      const double v = p.x[(size_t)fp.node[a] * RHX_BS + c];
      val.v[c] += fp.N[a] * v;
      for (int d = 0; d < RHX_DIM; d++) val.d[c][d] += fp.dN[a][d] * v;
    }
  for (int a = 0; a < RHX_NN; a++) {
    for (int c = 0; c < RHX_NAUX; c++) val.aux[c] += fp.N[a] * p.aux[(size_t)fp.node[a] * RHX_NAUX + c];
#if RHX_HAS_RATE
    for (int c = 0; c < RHX_BS; c++) val.rate[c] += fp.N[a] * p.xdot[(size_t)fp.node[a] * RHX_BS + c];
#endif
#if RHX_HAS_SOURCE
    for (int c = 0; c < RHX_BS; c++) val.source[c] += fp.N[a] * p.source[(size_t)fp.node[a] * RHX_BS + c];
#endif
  }
  for (int d = 0; d < RHX_DIM; d++) {
    pt.x[d] = fp.x[d];
    for (int e = 0; e < RHX_DIM; e++) pt.g[d][e] = fp.g[d][e];
  }
  pt.ih2 = fp.ih2;
  RhxDevicePass pass = {};
  pass.clock = p.clock;
  pass.rho = p.rho;
  pass.convection = p.convection;
  const RhxIo io = {pass, val, 0, 0, 0, false, false};
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
