// Ghosts: blocks of entries into a buffer in the order of the ranks that they go to, and back. list[n]: entries, numbered from
// `base`; width: values of an entry.
#include <kernels/ptx.cuh>
#define RHX_BLOCK 256

static __device__ __forceinline__ size_t rhx_place(int i, int width, const int *list, int base)
{
  const int k = i / width;
  return (size_t)(base + list[k]) * width + (i - k * width);
}

#define RHX_BUFFERS(bytes, V)                                                                                       \
  extern "C" __global__ void rhx_pack_##bytes(int n, int width, const int *list, int base, const V *v, V *buffer)   \
  {                                                                                                                 \
    const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;                                                             \
    rhx_launch_dependents();                                                                                        \
    rhx_wait_prior();                                                                                               \
    if (i < n * width) buffer[i] = v[rhx_place(i, width, list, base)];                                              \
  }                                                                                                                 \
  extern "C" __global__ void rhx_unpack_##bytes(int n, int width, const int *list, int base, const V *buffer, V *v) \
  {                                                                                                                 \
    const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;                                                             \
    if (i < n * width) v[rhx_place(i, width, list, base)] = buffer[i];                                              \
  }
RHX_BUFFERS(4, float)
RHX_BUFFERS(8, double)

// v of an own entry plus what the ranks that have it as a ghost sent, in the order of the ranks: entry list[k] gets the blocks
// slot[start[k]], ... of the buffer.
extern "C" __global__ void rhx_add(int n, int width, const int *list, const int *start, const int *slot,
                                   const double *buffer, double *v)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x, k = i / width, c = i - k * width;
  if (k >= n) return;
  double sum = v[(size_t)list[k] * width + c];
  for (int s = start[k]; s < start[k + 1]; s++) sum += buffer[(size_t)slot[s] * width + c];
  v[(size_t)list[k] * width + c] = sum;
}
