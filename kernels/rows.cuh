// Rows of a matrix of node blocks: a part of its components, rows that are given, other units, blocks that are added or taken. A warp a
// node or a row.
#include <kernels/pass.h>
#define RHX_WARP (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5))

extern "C" __global__ void __launch_bounds__(128) rhx_part(RhxPartPass p)
{
  const int i = RHX_WARP;
  if (i >= p.n) return;
  const int first = p.start[i], width = p.start[i + 1] - first, line = width * p.cols;
  const double *from = p.values + (size_t)first * p.nr * p.nc;
  double *to = p.out + (size_t)first * p.rows * p.cols;
  for (int k = threadIdx.x & 31; k < p.rows * line; k += 32) {
    const int r = k / line, j = k - r * line, block = j / p.cols, c = j - block * p.cols;
    to[k] = from[(size_t)(p.component[r] * width + block) * p.nc + p.component[p.rows + c]];
  }
}

extern "C" __global__ void __launch_bounds__(128) rhx_hold(RhxHoldPass p)
{
  const int i = RHX_WARP;
  if (i >= p.n) return;
  const int node = p.row[i] / p.nr, r = p.row[i] - node * p.nr, first = p.start[node],
            line = (p.start[node + 1] - first) * p.nc, own = p.block[i] < 0 ? -1 : p.block[i] * p.nc + r;
  double *row = p.values + (size_t)first * p.nr * p.nc + (size_t)r * line;
  for (int k = threadIdx.x & 31; k < line; k += 32) row[k] = k == own ? p.diagonal : 0.0;
}

extern "C" __global__ void __launch_bounds__(128) rhx_scale(RhxScalePass p)
{
  const int i = RHX_WARP;
  if (i >= p.n) return;
  const int first = p.start[i], line = (p.start[i + 1] - first) * p.nc;
  double *row = p.values + (size_t)first * p.nr * p.nc;
  for (int k = threadIdx.x & 31; k < p.nr * line; k += 32) {
    const int r = k / line, j = k - r * line, block = j / p.nc, c = j - block * p.nc;
    const double left = p.left ? p.left[(size_t)i * p.nr + r] : 1.0,
                 right = p.right ? p.right[(size_t)p.node[first + block] * p.nc + c] : 1.0;
    row[k] *= left * right;
  }
}

extern "C" __global__ void __launch_bounds__(128) rhx_add_blocks(RhxAddPass p)
{
  const int i = RHX_WARP, size = p.nr * p.nc;
  if (i >= p.n) return;
  const int first = p.start[p.node[i]], width = p.start[p.node[i] + 1] - first;
  double *row = p.values + (size_t)first * size;
  for (int k = threadIdx.x & 31; k < size; k += 32) {
    const int r = k / p.nc, c = k - r * p.nc;
    row[(size_t)(r * width + p.block[i]) * p.nc + c] += p.more[(size_t)i * size + k];
  }
}

extern "C" __global__ void __launch_bounds__(128) rhx_blocks(RhxBlockPass p)
{
  const int i = RHX_WARP, lane = threadIdx.x & 31, size = p.nr * p.nc;
  if (i >= p.n) return;
  const int first = p.start[i], width = p.start[i + 1] - first;
  const double *row = p.values + (size_t)first * size;
  for (int k = lane; p.diagonal && k < size; k += 32) {
    const int r = k / p.nc, c = k - r * p.nc;
    p.diagonal[(size_t)i * size + k] = row[(size_t)(r * width + p.own[i]) * p.nc + c];
  }
  for (int b = lane; p.size && b < width; b += 32) {
    double sum = 0.0;
    for (int r = 0; r < p.nr; r++)
      for (int c = 0; c < p.nc; c++) sum += fabs(row[(size_t)(r * width + b) * p.nc + c]);
    p.size[first + b] = sum;
  }
}
