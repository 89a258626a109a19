// Sums and extremes over nodes, and means over time at nodes, of components of a state. No macros.
#include <kernels/nodal.h>

#define RHX_BLOCK 256 // threads
#define RHX_INFINITY __longlong_as_double(0x7ff0000000000000ll)

static __device__ __forceinline__ RhxNodalMeasure rhx_nothing()
{
  return {0.0, RHX_INFINITY, -RHX_INFINITY, 0x7fffffff, 0x7fffffff};
}

static __device__ __forceinline__ void rhx_join(RhxNodalMeasure *to, const RhxNodalMeasure &m)
{
  to->sum += m.sum;
  if (m.least < to->least || (m.least == to->least && m.least_node < to->least_node)) {
    to->least = m.least;
    to->least_node = m.least_node;
  }
  if (m.greatest > to->greatest || (m.greatest == to->greatest && m.greatest_node < to->greatest_node)) {
    to->greatest = m.greatest;
    to->greatest_node = m.greatest_node;
  }
}

// Valid in thread 0.
static __device__ void rhx_block_join(RhxNodalMeasure *m)
{
  __shared__ RhxNodalMeasure part[RHX_BLOCK];
  part[threadIdx.x] = *m;
  for (int k = RHX_BLOCK / 2; k; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) rhx_join(&part[threadIdx.x], part[threadIdx.x + k]);
  }
  *m = part[threadIdx.x];
}

// Component blockIdx.y of n nodes, times that of y unless it is 0: a part for each of gridDim.x blocks.
extern "C" __global__ void rhx_nodal_measure(RhxNodalComponents c, int n, const double *inverse_mass, const double *x,
                                             const double *y, RhxNodalMeasure *part)
{
  RhxNodalMeasure m = rhx_nothing();
  for (int node = blockIdx.x * RHX_BLOCK + threadIdx.x; node < n; node += gridDim.x * RHX_BLOCK) {
    const size_t at = (size_t)node * c.width + c.at[blockIdx.y];
    const double v = y ? x[at] * y[at] : x[at];
    rhx_join(&m, {c.bare ? v : v / inverse_mass[node], v, v, node, node});
  }
  rhx_block_join(&m);
  if (!threadIdx.x) part[blockIdx.y * gridDim.x + blockIdx.x] = m;
}

// The parts of component blockIdx.x.
extern "C" __global__ void rhx_nodal_join(int nparts, const RhxNodalMeasure *part, RhxNodalMeasure *out)
{
  RhxNodalMeasure m = rhx_nothing();
  for (int k = threadIdx.x; k < nparts; k += RHX_BLOCK) rhx_join(&m, part[blockIdx.x * nparts + k]);
  rhx_block_join(&m);
  if (!threadIdx.x) out[blockIdx.x] = m;
}

// Integrals over time of values and their squares, less a shift, [n][2 c.n].
extern "C" __global__ void rhx_nodal_accumulate(RhxNodalComponents c, int n, RhxNodalSample w, const double *x,
                                                double *before, double *sum, double *whole)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  if (i >= n * c.n) return;
  const int node = i / c.n, k = i % c.n;
  const size_t j = (size_t)node * 2 * c.n + k;
  rhx_nodal_moments(&w, w.anew >> k & 1, x[(size_t)node * c.width + c.at[k]], c.n, before + j, sum + j, whole + j);
}
