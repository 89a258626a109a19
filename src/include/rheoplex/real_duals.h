/* RhxReal as a value and a derivative, each a vector of RHX_LANES doubles (C++17): exact derivatives along one direction, one
 * element a lane. RhxLanes is the vector alone: a number that no unknown changes. */
#ifndef RHX_REAL_DUALS_H
#define RHX_REAL_DUALS_H
#define RhxReal RhxLanes
#include <rheoplex/real_lanes.h>
#undef RhxReal
#undef RHX_LANE
#undef RHX_ZERO
#undef RHX_CONST
#undef RHX_LT
#undef RHX_SELECT
#undef RHX_SQRT
#undef RHX_EXP
#undef RHX_LOG
#undef RHX_POW
#undef RHX_TANH
#undef RHX_MAX
#undef RHX_MIN
#undef RHX_ABS

#define RHX_DUAL_MEMBER inline __attribute__((always_inline))
#define RHX_DUAL_FN static RHX_DUAL_MEMBER __attribute__((unused))

/* The derivative of a constant is -0, to which a sum adds without an instruction. */
struct RhxReal {
  RhxLanes v, d;
  RhxReal() = default;
  RHX_DUAL_MEMBER RhxReal(double value) : v(value - (RhxLanes){0}), d(-(RhxLanes){0}) {}
  RHX_DUAL_MEMBER RhxReal(RhxLanes value) : v(value), d(-(RhxLanes){0}) {}
  RHX_DUAL_MEMBER RhxReal(RhxLanes value, RhxLanes derivative) : v(value), d(derivative) {}
};

RHX_DUAL_FN RhxLanes rhx_value(const RhxReal &x) { return x.v; }
RHX_DUAL_FN RhxReal rhx_chain(const RhxReal &x, RhxLanes f, RhxLanes df) { return RhxReal(f, df * x.d); }

RHX_DUAL_FN RhxReal operator-(const RhxReal &a) { return RhxReal(-a.v, -a.d); }
RHX_DUAL_FN RhxReal operator+(const RhxReal &a, const RhxReal &b) { return RhxReal(a.v + b.v, a.d + b.d); }
RHX_DUAL_FN RhxReal operator-(const RhxReal &a, const RhxReal &b) { return RhxReal(a.v - b.v, a.d - b.d); }
RHX_DUAL_FN RhxReal operator*(const RhxReal &a, const RhxReal &b) { return RhxReal(a.v * b.v, a.d * b.v + a.v * b.d); }
RHX_DUAL_FN RhxReal operator/(const RhxReal &a, const RhxReal &b)
{
  const RhxLanes ib = 1.0 / b.v, q = a.v * ib;
  return RhxReal(q, (a.d - q * b.d) * ib);
}
/* With a number that does not change: a double or lanes. */
#define RHX_DUAL_WITH(Number)                                                                     \
  RHX_DUAL_FN RhxReal operator+(const RhxReal &a, Number b) { return RhxReal(a.v + b, a.d); }     \
  RHX_DUAL_FN RhxReal operator+(Number a, const RhxReal &b) { return RhxReal(a + b.v, b.d); }     \
  RHX_DUAL_FN RhxReal operator-(const RhxReal &a, Number b) { return RhxReal(a.v - b, a.d); }     \
  RHX_DUAL_FN RhxReal operator-(Number a, const RhxReal &b) { return RhxReal(a - b.v, -b.d); }    \
  RHX_DUAL_FN RhxReal operator*(const RhxReal &a, Number b) { return RhxReal(a.v * b, a.d * b); } \
  RHX_DUAL_FN RhxReal operator*(Number a, const RhxReal &b) { return RhxReal(a * b.v, a * b.d); } \
  RHX_DUAL_FN RhxReal operator/(const RhxReal &a, Number b)                                       \
  {                                                                                               \
    const Number ib = 1.0 / b;                                                                    \
    return RhxReal(a.v * ib, a.d * ib);                                                           \
  }                                                                                               \
  RHX_DUAL_FN RhxReal operator/(Number a, const RhxReal &b)                                       \
  {                                                                                               \
    const RhxLanes ib = 1.0 / b.v, q = a * ib;                                                    \
    return RhxReal(q, -q * ib * b.d);                                                             \
  }
RHX_DUAL_WITH(double)
RHX_DUAL_WITH(RhxLanes)

template <typename Number> static RHX_DUAL_MEMBER RhxReal &operator+=(RhxReal &a, const Number &b) { return a = a + b; }
template <typename Number> static RHX_DUAL_MEMBER RhxReal &operator-=(RhxReal &a, const Number &b) { return a = a - b; }
template <typename Number> static RHX_DUAL_MEMBER RhxReal &operator*=(RhxReal &a, const Number &b) { return a = a * b; }
template <typename Number> static RHX_DUAL_MEMBER RhxReal &operator/=(RhxReal &a, const Number &b) { return a = a / b; }

RHX_DUAL_FN RhxMask rhx_lt(const RhxReal &a, const RhxReal &b) { return a.v < b.v; }
RHX_DUAL_FN RhxReal rhx_select(RhxMask m, const RhxReal &a, const RhxReal &b)
{
  return RhxReal(rhx_select(m, a.v, b.v), rhx_select(m, a.d, b.d));
}
RHX_DUAL_FN RhxReal rhx_sqrt(const RhxReal &x)
{
  const RhxLanes s = rhx_sqrt(x.v);
  return rhx_chain(x, s, 0.5 / s);
}
RHX_DUAL_FN RhxReal rhx_exp(const RhxReal &x)
{
  const RhxLanes e = rhx_exp(x.v);
  return rhx_chain(x, e, e);
}
RHX_DUAL_FN RhxReal rhx_log(const RhxReal &x) { return rhx_chain(x, rhx_log(x.v), 1.0 / x.v); }
RHX_DUAL_FN RhxReal rhx_tanh(const RhxReal &x)
{
  const RhxLanes t = rhx_tanh(x.v);
  return rhx_chain(x, t, 1.0 - t * t);
}

#define RHX_LANE(x, l) ((x).v[l])
#define RHX_ZERO RhxReal(0.0)
#define RHX_CONST(x) RhxReal(x)
#define RHX_LT(a, b) rhx_lt(RhxReal(a), RhxReal(b))
#define RHX_SELECT(m, a, b) rhx_select(m, RhxReal(a), RhxReal(b))
#define RHX_SQRT(x) rhx_sqrt(RhxReal(x))
#define RHX_EXP(x) rhx_exp(RhxReal(x))
#define RHX_LOG(x) rhx_log(RhxReal(x))
#define RHX_POW(a, b) rhx_exp(RhxReal(b) * rhx_log(RhxReal(a)))
#define RHX_TANH(x) rhx_tanh(RhxReal(x))
#define RHX_MAX(a, b) rhx_max(RhxReal(a), RhxReal(b))
#define RHX_MIN(a, b) rhx_min(RhxReal(a), RhxReal(b))
#define RHX_ABS(x) rhx_abs(RhxReal(x))

#endif
