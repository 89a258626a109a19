// Maxima and sums over a block of RHX_BLOCK threads. No macros.
#ifndef RHX_REDUCE_CUH
#define RHX_REDUCE_CUH

#define RHX_ALL 0xffffffffu
#define RHX_BLOCK 256

typedef unsigned long long RhxBits;

static __device__ __forceinline__ RhxBits rhx_bits(double v) { return (RhxBits)__double_as_longlong(v); }

// *to = max(*to, v) over the block, v >= 0 or NaN.
static __device__ __forceinline__ void rhx_block_max(double v, double *to)
{
  __shared__ RhxBits best[RHX_BLOCK / 32];
  RhxBits b = rhx_bits(fabs(v));
  for (int k = 16; k; k /= 2) {
    const RhxBits o = __shfl_down_sync(RHX_ALL, b, k);
    if (o > b) b = o;
  }
  __syncthreads();
  if (!(threadIdx.x & 31)) best[threadIdx.x / 32] = b;
  __syncthreads();
  if (threadIdx.x) return;
  for (int k = 1; k < RHX_BLOCK / 32; k++)
    if (best[k] > b) b = best[k];
  if (b) atomicMax((RhxBits *)to, b);
}

// Sums over the block in a fixed order; valid in thread 0.
template <int N> static __device__ __forceinline__ void rhx_block_sums(double (&v)[N])
{
  __shared__ double part[N][RHX_BLOCK / 32];
#pragma unroll
  for (int j = 0; j < N; j++)
    for (int k = 16; k; k /= 2) v[j] += __shfl_down_sync(RHX_ALL, v[j], k);
  __syncthreads();
  if (!(threadIdx.x & 31))
#pragma unroll
    for (int j = 0; j < N; j++) part[j][threadIdx.x / 32] = v[j];
  __syncthreads();
  if (!threadIdx.x)
#pragma unroll
    for (int j = 0; j < N; j++)
      for (int k = 1; k < RHX_BLOCK / 32; k++) v[j] += part[j][k];
}
#endif
