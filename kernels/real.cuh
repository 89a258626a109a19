// RhxReal of the element kernels: a double whose quotients and roots come from the hardware's approximations and one
// step of third order (errors of 2^-20 become rounding errors), without the branches for zero, denormal and infinite
// arguments that the compiler would add: 1/0 is NaN, sqrt(0) is 0.
#ifndef RHX_REAL_CUH
#define RHX_REAL_CUH
#include <kernels/ptx.cuh>

#define RHX_NO_DERIVATIVES
#define RHX_INLINE static __device__ __forceinline__

struct RhxReal {
  double v;
  RhxReal() = default;
  __device__ __forceinline__ RhxReal(double value) : v(value) {}
};

// A root that has not been taken: 1/sqrt(x) costs less than sqrt(x).
struct RhxRoot {
  double x, r; // r = 1/sqrt(x) but for 2^-20
  __device__ __forceinline__ operator RhxReal() const
  {
    const double s = x * r, e = fma(-s, r, 1.0);
    return fma(s * e, fma(0.375, e, 0.5), s);
  }
};

RHX_INLINE double rhx_reciprocal(double x)
{
  const double r = rhx_approximate_reciprocal(x);
  const double e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
}

RHX_INLINE RhxReal operator-(RhxReal a) { return -a.v; }
RHX_INLINE RhxReal operator+(RhxReal a, RhxReal b) { return a.v + b.v; }
RHX_INLINE RhxReal operator-(RhxReal a, RhxReal b) { return a.v - b.v; }
RHX_INLINE RhxReal operator*(RhxReal a, RhxReal b) { return a.v * b.v; }
RHX_INLINE RhxReal operator/(RhxReal a, RhxReal b) { return a.v * rhx_reciprocal(b.v); }
RHX_INLINE RhxReal operator/(RhxReal a, RhxRoot b)
{
  const double e = fma(-b.x * b.r, b.r, 1.0);
  return a.v * fma(b.r * e, fma(0.375, e, 0.5), b.r);
}
RHX_INLINE RhxReal &operator+=(RhxReal &a, RhxReal b) { return a = a + b; }
RHX_INLINE RhxReal &operator-=(RhxReal &a, RhxReal b) { return a = a - b; }
RHX_INLINE RhxReal &operator*=(RhxReal &a, RhxReal b) { return a = a * b; }
RHX_INLINE RhxReal &operator/=(RhxReal &a, RhxReal b) { return a = a / b; }
RHX_INLINE double rhx_value(RhxReal x) { return x.v; }
RHX_INLINE RhxReal rhx_chain(RhxReal, double f, double) { return f; }

RHX_INLINE RhxRoot rhx_root(RhxReal x)
{
  return {x.v, rhx_approximate_rsqrt(x.v + 1e-290)}; // sqrt(0) = 0 * 1e145
}
#define RHX_SQRT(x) rhx_root(x)
#define RHX_ZERO RhxReal(-0.0) // x + (-0.0) is x to the compiler, x + 0.0 is not

#endif
