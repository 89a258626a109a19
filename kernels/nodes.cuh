// What kernels that work on nodes share: given values, the block that comes last. Macros: RHX_DIM; RHX_BS, RHX_FIRST_VELOCITY.
#ifndef RHX_NODES_CUH
#define RHX_NODES_CUH
#include <kernels/ptx.cuh>
#include <kernels/reduce.cuh>
#include <kernels/step.h>

static __device__ __forceinline__ bool rhx_is_velocity(int c)
{
  return c >= RHX_FIRST_VELOCITY && c < RHX_FIRST_VELOCITY + RHX_DIM;
}

static __device__ __forceinline__ int rhx_given(const RhxGiven &g, int node, int c)
{
  const int k = g.slot[node];
  return k < 0 ? -1 : g.row[k * RHX_BS + c];
}

// True in the block that comes last, in all its threads; it sees what the others have written.
static __device__ bool rhx_comes_last(unsigned *ticket)
{
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (!threadIdx.x) {
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    if (last) *ticket = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

#endif
