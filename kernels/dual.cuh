// The number of a tangent program: a value and its derivatives in RHX_DIRECTIONS directions. Bit k of z says that derivative k is
// zero whatever the state: where everything is inlined it is known when compiling, and what is multiplied by zero is dropped.
// The derivative is then -0.0, to which a sum adds without an instruction.
#ifndef RHX_DUAL_CUH
#define RHX_DUAL_CUH

#define RHX_DUAL_FN static __host__ __device__ __forceinline__
#define RHX_EACH_DIRECTION _Pragma("unroll") for (int k = 0; k < RHX_DIRECTIONS; k++)
#define RHX_NO_DIRECTION ((1u << RHX_DIRECTIONS) - 1)

struct RhxReal {
  double v, d[RHX_DIRECTIONS];
  unsigned z;
  RhxReal() = default;
  __host__ __device__ __forceinline__ RhxReal(double value) : v(value), z(RHX_NO_DIRECTION)
  {
    RHX_EACH_DIRECTION d[k] = -0.0;
  }
};

RHX_DUAL_FN bool rhx_constant(const RhxReal &x, int k) { return x.z >> k & 1; }

RHX_DUAL_FN RhxReal rhx_chain(const RhxReal &x, double f, double df)
{
  RhxReal r;
  r.v = f;
  r.z = x.z;
  RHX_EACH_DIRECTION r.d[k] = rhx_constant(x, k) ? -0.0 : df * x.d[k];
  return r;
}

// v + sum of a.d fa + b.d fb
RHX_DUAL_FN RhxReal rhx_linear(double v, const RhxReal &a, double fa, const RhxReal &b, double fb)
{
  RhxReal r;
  r.v = v;
  r.z = a.z & b.z;
  RHX_EACH_DIRECTION r.d[k] = (rhx_constant(a, k) ? -0.0 : a.d[k] * fa) + (rhx_constant(b, k) ? -0.0 : b.d[k] * fb);
  return r;
}

RHX_DUAL_FN RhxReal operator-(const RhxReal &a)
{
  RhxReal r;
  r.v = -a.v;
  r.z = a.z;
  RHX_EACH_DIRECTION r.d[k] = rhx_constant(a, k) ? -0.0 : -a.d[k];
  return r;
}
RHX_DUAL_FN RhxReal operator+(const RhxReal &a, const RhxReal &b)
{
  RhxReal r;
  r.v = a.v + b.v;
  r.z = a.z & b.z;
  RHX_EACH_DIRECTION r.d[k] = a.d[k] + b.d[k];
  return r;
}
RHX_DUAL_FN RhxReal operator-(const RhxReal &a, const RhxReal &b) { return a + -b; }
RHX_DUAL_FN RhxReal operator*(const RhxReal &a, const RhxReal &b) { return rhx_linear(a.v * b.v, a, b.v, b, a.v); }
RHX_DUAL_FN RhxReal operator*(double a, const RhxReal &b) { return rhx_chain(b, a * b.v, a); }
RHX_DUAL_FN RhxReal operator*(const RhxReal &a, double b) { return rhx_chain(a, a.v * b, b); }
RHX_DUAL_FN RhxReal operator/(const RhxReal &a, const RhxReal &b)
{
  const double ib = 1.0 / b.v, q = a.v * ib;
  return rhx_linear(q, a, ib, b, -q * ib);
}
RHX_DUAL_FN RhxReal operator/(const RhxReal &a, double b) { return a * (1.0 / b); }
RHX_DUAL_FN RhxReal &operator+=(RhxReal &a, const RhxReal &b) { return a = a + b; }
RHX_DUAL_FN RhxReal &operator-=(RhxReal &a, const RhxReal &b) { return a = a - b; }
RHX_DUAL_FN RhxReal &operator*=(RhxReal &a, const RhxReal &b) { return a = a * b; }
RHX_DUAL_FN RhxReal &operator/=(RhxReal &a, const RhxReal &b) { return a = a / b; }
RHX_DUAL_FN double rhx_value(const RhxReal &x) { return x.v; }

// Zero only where both are: not known otherwise when compiling, and different from thread to thread.
#define RHX_OWN_SELECT
RHX_DUAL_FN RhxReal rhx_select(bool m, const RhxReal &a, const RhxReal &b)
{
  RhxReal r;
  r.v = m ? a.v : b.v;
  r.z = a.z & b.z;
  RHX_EACH_DIRECTION r.d[k] = m ? a.d[k] : b.d[k];
  return r;
}

// Loops of pointwise code are short; unrolled, their arrays become registers and z becomes known.
#define for _Pragma("unroll") for

#endif
