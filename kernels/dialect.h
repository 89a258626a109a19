/* Words of code that is compiled for the host, C11, and for the device, C++17. */
#ifndef RHX_KERNELS_DIALECT_H
#define RHX_KERNELS_DIALECT_H

/* RHX_INLINED: a function that becomes part of its caller. RHX_FOR: a loop of few turns, their number known there. */
#ifdef __CUDACC_RTC__
#define RHX_INLINED static __device__ __forceinline__
#define RHX_FOR _Pragma("unroll") for
#else
#define RHX_INLINED static inline __attribute__((always_inline))
#define RHX_FOR for
#endif

/* A struct that launches are given has this size on both sides. */
#ifdef __cplusplus
#define RHX_SIZE_IS(type, bytes) static_assert(sizeof(type) == bytes, "size of " #type)
#else
#define RHX_SIZE_IS(type, bytes) _Static_assert(sizeof(type) == bytes, "size of " #type)
#endif

#endif
