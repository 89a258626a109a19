// Halos: blocks of nodes into a buffer, and a buffer into blocks. The nodes are listed, or follow `first`.
#define RHX_BLOCK 256

static __device__ __forceinline__ size_t rhx_place(int i, int width, const int *node, int first)
{
  const int k = i / width;
  return (size_t)(node ? node[k] : first + k) * width + (i - k * width);
}

extern "C" __global__ void rhx_pack(int n, int width, const int *node, int first, const double *v, double *buffer)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  if (i < n * width) buffer[i] = v[rhx_place(i, width, node, first)];
}

extern "C" __global__ void rhx_unpack(int n, int width, const int *node, int first, const double *buffer, int add,
                                      double *v)
{
  const int i = blockIdx.x * RHX_BLOCK + threadIdx.x;
  if (i >= n * width) return;
  double *to = v + rhx_place(i, width, node, first);
  *to = add ? *to + buffer[i] : buffer[i];
}
