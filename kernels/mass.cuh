// The inverse of the consistent mass by Chebyshev's iteration (src/step/device_projection.c). No macros.
#include <kernels/ptx.cuh>
#include <kernels/reduce.cuh>
#include <kernels/step.h>

// y = M x of all local nodes, of ghosts the part of this rank's elements.
extern "C" __global__ void rhx_mass_product(RhxMassRows mass, int width, const double *x, double *y)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, node = i / width, c = i - node * width;
  const bool mine = node < mass.n;
  const int begin = mine ? mass.start[node] : 0, end = mine ? mass.start[node + 1] : 0;
  rhx_launch_dependents();
  rhx_wait_prior();
  double sum = 0.0;
  for (int k = begin; k < end; k++) sum += mass.value[k] * x[(size_t)mass.node[k] * width + c];
  if (mine) y[i] = sum;
}

// r = b, d = x = first M_l^-1 r of n owned values, M_l the row sums; size[0]: the largest |M_l^-1 b|. x may be b.
extern "C" __global__ void rhx_mass_begin(int n, int width, double first, const double *inverse, const double *b,
                                          double *r, double *d, double *x, double *size)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  const double v = i < n ? b[i] : 0.0, s = i < n ? inverse[i / width] * v : 0.0;
  if (i < n) {
    r[i] = v;
    x[i] = d[i] = first * s;
  }
  rhx_block_max(s, size);
}

// r -= y, d = keep d + step M_l^-1 r, x += d; size: NULL, or size[1]: the largest |M_l^-1 r|.
extern "C" __global__ void rhx_mass_step(int n, int width, double keep, double step, const double *inverse,
                                         const double *y, double *r, double *d, double *x, double *size)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  rhx_launch_dependents();
  rhx_wait_prior();
  double s = 0.0;
  if (i < n) {
    const double v = r[i] - y[i];
    s = inverse[i / width] * v;
    r[i] = v;
    d[i] = keep * d[i] + step * s;
    x[i] += d[i];
  }
  if (size) rhx_block_max(s, size + 1);
}
