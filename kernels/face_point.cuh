// A quadrature point of a face, and the sum of the points' parts at nodes: of kernels/face.cuh and of its derivatives. What comes
// before it: as of kernels/point.cuh.
#ifndef RHX_FACE_POINT_CUH
#define RHX_FACE_POINT_CUH
#include <kernels/pass.h>

typedef RHX_FACE_POINT(RHX_NN, RHX_DIM) RhxFacePoint;
static_assert(sizeof(RhxFacePoint) == RHX_FACE_POINT_SIZE(RHX_NN, RHX_DIM), "as on the host");

// As RhxFaceNodes says.
static __device__ __forceinline__ void rhx_face_sum(const RhxFaceNodes &f, const double *part, double *out, int i)
{
  const int k = i / RHX_DIM, d = i - k * RHX_DIM;
  double sum = 0.0;
  for (int j = f.start[k]; j < f.start[k + 1]; j++) sum += part[(size_t)f.entry[j] * RHX_DIM + d];
  out[(size_t)f.node[k] * RHX_BS + RHX_FIRST_VELOCITY + d] += sum;
}

#endif
