/* Before every program of the emulated compiler: the part of CUDA C++ that the kernels use. Without the C++ library's headers,
 * which are larger than a program. */
#define __CUDACC_RTC__ 1
#include "runtime.h"
using std::size_t;

/* ---- Functions of the C library ---- */

extern "C" {
typedef double RhxEmuOfOne(double) noexcept, RhxEmuOfTwo(double, double) noexcept;
RhxEmuOfOne acos, acosh, asin, asinh, atan, atanh, cbrt, ceil, cos, cosh, erf, erfc, exp, exp2, expm1, fabs, floor,
    lgamma, log, log10, log1p, log2, round, sin, sinh, sqrt, tan, tanh, tgamma, trunc;
RhxEmuOfTwo atan2, copysign, fdim, fmax, fmin, fmod, hypot, pow;
double fma(double, double, double) noexcept;
void *malloc(size_t) noexcept, *memcpy(void *, const void *, size_t) noexcept;
}
static inline bool isfinite(double x) { return __builtin_isfinite(x); }
static inline bool isnan(double x) { return __builtin_isnan(x); }

#define __host__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __global__ rhx_emu_global
#define __shared__ rhx_emu_shared

static RhxEmuRuntime *rhx_emu;
#define threadIdx (rhx_emu->thread->index)
#define blockIdx (rhx_emu->at)
#define blockDim (rhx_emu->block)
#define gridDim (rhx_emu->grid)

template <class T> struct RhxEmuDynamic { // shared memory of the launch's size
  RhxEmuDynamic() {}
  operator T *() const { return (T *)rhx_emu->shared; }
};

struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
static inline double2 make_double2(double x, double y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }

/* ---- Bits ---- */

template <class To, class From> static inline To rhx_emu_bits(From from)
{
  To to = {};
  memcpy(&to, &from, sizeof(from) < sizeof(to) ? sizeof(from) : sizeof(to));
  return to;
}
static inline long long __double_as_longlong(double x) { return rhx_emu_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return rhx_emu_bits<double>(x); }
static inline int __double2hiint(double x) { return (int)(rhx_emu_bits<uint64_t>(x) >> 32); }
static inline int __double2loint(double x) { return (int)rhx_emu_bits<uint64_t>(x); }
static inline double __hiloint2double(int hi, int lo)
{
  return rhx_emu_bits<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
template <class T> static inline T __ldg(const T *at) { return *at; }
template <class T> static inline T __ldcg(const T *at) { return *at; }

/* ---- Threads of a block and of a warp ---- */

#define __syncthreads() rhx_emu->barrier(__LINE__)
static inline void __threadfence() {}
static inline void __threadfence_system() {}
static inline void __syncwarp(unsigned mask = 0xffffffffu) { rhx_emu->meet(mask, 0); }

template <class T> static inline T rhx_emu_from(unsigned mask, T v, unsigned lane)
{
  static_assert(sizeof(T) <= 8, "a shuffle of more than 8 bytes");
  const uint64_t *all = rhx_emu->meet(mask, rhx_emu_bits<uint64_t>(v));
  return rhx_emu_bits<T>(all[lane]);
}
template <class T> static inline T __shfl_sync(unsigned mask, T v, int lane)
{
  return rhx_emu_from(mask, v, lane & 31);
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T v, int bits)
{
  return rhx_emu_from(mask, v, (rhx_emu->thread->lane ^ bits) & 31);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T v, unsigned by)
{
  const unsigned lane = rhx_emu->thread->lane;
  return rhx_emu_from(mask, v, lane + by < 32 ? lane + by : lane);
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned v)
{
  const uint64_t *all = rhx_emu->meet(mask, v);
  unsigned most = 0;
  for (int k = 0; k < 32; k++)
    if (mask >> k & 1) most = max(most, (unsigned)all[k]);
  return most;
}

template <class T> static inline T atomicAdd(T *at, T v)
{
  const T old = *at;
  *at += v;
  return old;
}
template <class T> static inline T atomicMax(T *at, T v)
{
  const T old = *at;
  if (*at < v) *at = v;
  return old;
}

/* A loop's handle is the address of its condition. */
extern "C" inline void cudaGraphSetConditional(unsigned long long loop, unsigned value) { *(unsigned *)loop = value; }

/* ---- Launches: the arguments are copied one behind the other ---- */

template <class... A> static constexpr size_t rhx_emu_place(unsigned argument)
{
  const size_t bytes[] = {sizeof(A)..., 0};
  size_t at = 0;
  for (unsigned k = 0; k < argument; k++) at += (bytes[k] + 15) / 16 * 16;
  return at;
}
template <unsigned... K> struct RhxEmuNumbers {
  template <class... A> static void run(void (*f)(A...), const char *copied)
  {
    f(*(const A *)(copied + rhx_emu_place<A...>(K))...);
  }
};
template <unsigned N, unsigned... K> struct RhxEmuFirst : RhxEmuFirst<N - 1, N - 1, K...> {
};
template <unsigned... K> struct RhxEmuFirst<0, K...> : RhxEmuNumbers<K...> {
};

template <class... A> static void *rhx_emu_copy(void (*)(A...), void **a)
{
  char *const copied = (char *)malloc(rhx_emu_place<A...>(sizeof...(A)) + 1);
  unsigned k = 0;
  (void)k;
  ((memcpy(copied + rhx_emu_place<A...>(k), a[k], sizeof(A)), k++), ...);
  return copied;
}
template <class... A> static void rhx_emu_run(void (*f)(A...), const void *copied)
{
  RhxEmuFirst<sizeof...(A)>::run(f, (const char *)copied);
}
