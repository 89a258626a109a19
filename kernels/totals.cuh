// Totals over the elements of one type (kernels/compose_totals.h). What comes before it: kernels/point.cuh. A thread is one point of
// an element, as in kernels/cell.cuh; blocks add up in a tree and leave their parts, which one more kernel adds, always in the same
// order.
#include <kernels/point.cuh>
#include <kernels/cell.cuh>
#include <kernels/compose_totals.h>

// Valid in thread 0.
static __device__ double rhx_block_total(double v)
{
  __shared__ double part[RHX_THREADS];
  __syncthreads();
  part[threadIdx.x] = v;
  for (int k = RHX_THREADS / 2; k; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
  }
  return part[0];
}

// part[RHX_NTOTALS][nparts]: a block's from `first` on.
extern "C" __global__ void __launch_bounds__(RHX_THREADS)
    rhx_totals(RhxMatrixPass mp, int first, int nparts, double *part)
{
  RhxCell cell;
  RhxPoint pt;
  RhxDevicePass pass = {};
  RhxValues val;
  RhxReal total[RHX_NTOTALS];
  const RhxIo io = {pass, val, 0, 0, 0, false, false};
  pass.clock = mp.clock;
  pass.rho = mp.rho;
  pass.convection = mp.convection;
  rhx_cell(mp, &cell, &pt);
  rhx_interpolate_at<RHX_BS>(mp, cell, mp.x, RHX_BS, 0, val.v, val.d);
#if RHX_HAS_SOURCE
  rhx_interpolate_at<RHX_BS>(mp, cell, mp.source, RHX_BS, 0, val.source, 0);
#endif
  rhx_compose_totals(&io, &pt, total);
  for (int k = 0; k < RHX_NTOTALS; k++) {
    const double sum = rhx_block_total(cell.inside ? cell.w * rhx_value(total[k]) : 0.0);
    if (!threadIdx.x) part[(size_t)k * nparts + first + blockIdx.x] = sum;
  }
}

// Total blockIdx.x of the parts.
extern "C" __global__ void __launch_bounds__(RHX_THREADS) rhx_totals_join(int nparts, const double *part, double *out)
{
  double sum = 0.0;
  for (int i = threadIdx.x; i < nparts; i += RHX_THREADS) sum += part[(size_t)blockIdx.x * nparts + i];
  sum = rhx_block_total(sum);
  if (!threadIdx.x) out[blockIdx.x] = sum;
}
