// Instructions that CUDA C++ has no name for.
#ifndef RHX_PTX_CUH
#define RHX_PTX_CUH

#define RHX_PTX static __device__ __forceinline__

// The next kernel of the stream may begin. Waits for the kernels before this one. Before 9.0 kernels never overlap.
#if __CUDA_ARCH__ >= 900
RHX_PTX void rhx_launch_dependents() { asm volatile("griddepcontrol.launch_dependents;"); }
RHX_PTX void rhx_wait_prior() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#else
RHX_PTX void rhx_launch_dependents() {}
RHX_PTX void rhx_wait_prior() {}
#endif

// Both with an error of 2^-20 at most.
RHX_PTX double rhx_approximate_reciprocal(double x)
{
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}
RHX_PTX double rhx_approximate_rsqrt(double x)
{
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}

RHX_PTX unsigned rhx_shared_address(const void *at) { return (unsigned)__cvta_generic_to_shared(at); }

// Copies into shared memory that have happened after rhx_copy_wait: of 16 bytes past the first cache, of 4, 8 or 16 through it.
template <int BYTES> RHX_PTX void rhx_copy_async(unsigned to, const void *from)
{
  static_assert(BYTES == 16, "past the first cache go 16 bytes");
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
template <int BYTES> RHX_PTX void rhx_copy_async_near(unsigned to, const void *from)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
}
RHX_PTX void rhx_copy_wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#undef RHX_PTX
#endif
