/* RhxReal, the number of pointwise code, and its mathematics for each kind.
 *
 * Every macro takes RhxReal or double. RHX_SELECT(m, a, b) is a where m, else b; both must be finite. Masks combine with
 * & and |. RHX_MAX(a, b) and RHX_MIN(a, b) are NaN where a is. RHX_POW(a, b) needs a > 0.
 * Complex and dual numbers compare by their real parts; the imaginary part is an infinitesimal: f(x + ih) = f(x) + ih f'(x). */
#ifndef RHX_REAL_H
#define RHX_REAL_H

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define RHX_DEVICE __host__ __device__
#else
#define RHX_DEVICE
#endif
#if defined(__CUDACC_RTC__)
#define RHX_UNUSED
#else
#define RHX_UNUSED __attribute__((unused))
#include <math.h>
#endif

/* Added under a root: at zero the derivative is then zero. Far above the square of RHX_STEP, far below any rate squared. */
#define RHX_TINY 1e-30
#define RHX_STEP 1e-100 /* imaginary step of the complex kind */

#if RHX_KIND == RHX_KIND_LANES
#include <rheoplex/real_lanes.h>
#elif RHX_KIND == RHX_KIND_DUAL_LANES
#include <rheoplex/real_duals.h>
#else

#define RHX_NLANES 1
#define RHX_LANE(x, l) (x)

#if RHX_KIND == RHX_KIND_DOUBLE
typedef double RhxReal;
typedef int RhxMask;
#define RHX_ZERO 0.0
#define RHX_CONST(x) ((double)(x))
static inline RHX_DEVICE double rhx_value(RhxReal x) { return x; }
static inline RHX_DEVICE RhxReal rhx_chain(RhxReal x, double f, double df)
{
  (void)x;
  (void)df;
  return f;
}
#elif RHX_KIND == RHX_KIND_COMPLEX
typedef double _Complex RhxReal;
typedef int RhxMask;
#define RHX_ZERO ((RhxReal)0.0)
#define RHX_CONST(x) ((RhxReal)(double)(x))
static inline double rhx_value(RhxReal x) { return __real__ x; }
static inline RhxReal rhx_chain(RhxReal x, double f, double df) { return __builtin_complex(f, df * __imag__ x); }
#elif RHX_KIND == RHX_KIND_COUNT
typedef __float128 RhxReal;
typedef int RhxMask;
#define RHX_ZERO ((RhxReal)0.0)
#define RHX_CONST(x) ((RhxReal)(double)(x))
static inline double rhx_value(RhxReal x) { return (double)x; }
static inline RhxReal rhx_chain(RhxReal x, double f, double df) /* one operation */
{
  (void)x;
  (void)df;
  return (RhxReal)f + RHX_ZERO;
}
#define RHX_POW(a, b) rhx_chain(a, pow(rhx_value(a), rhx_value(b)), 0.0)
#else /* the includer gives the class RhxReal, double rhx_value(x) and RhxReal rhx_chain(x, f, df): value f, derivative df dx;
       * RHX_NO_DERIVATIVES: it has none */
typedef bool RhxMask;
#ifndef RHX_ZERO
#define RHX_ZERO RhxReal(0.0)
#endif
#define RHX_CONST(x) RhxReal(x)
#endif

static inline RHX_DEVICE RhxMask rhx_lt(RhxReal a, RhxReal b) { return rhx_value(a) < rhx_value(b); }
#ifndef RHX_OWN_SELECT /* whoever gives the class may give its choice */
static inline RHX_DEVICE RhxReal rhx_select(RhxMask m, RhxReal a, RhxReal b) { return m ? a : b; }
#endif
static inline RHX_DEVICE RhxReal rhx_sqrt(RhxReal x)
{
  double s = sqrt(rhx_value(x));
  return rhx_chain(x, s, 0.5 / s);
}
static inline RHX_DEVICE RhxReal rhx_exp(RhxReal x)
{
  double e = exp(rhx_value(x));
  return rhx_chain(x, e, e);
}
static inline RHX_DEVICE RhxReal rhx_log(RhxReal x) { return rhx_chain(x, log(rhx_value(x)), 1.0 / rhx_value(x)); }
static inline RHX_DEVICE RhxReal rhx_tanh(RhxReal x)
{
  double t = tanh(rhx_value(x));
  return rhx_chain(x, t, 1.0 - t * t);
}
static inline RHX_DEVICE RhxReal rhx_pow(RhxReal a, RhxReal b)
{
  double av = rhx_value(a), bv = rhx_value(b), p = pow(av, bv);
  return rhx_chain(a, p, bv * p / av) + rhx_chain(b, 0.0, p * log(av));
}

#define RHX_LT(a, b) rhx_lt(a, b)
#define RHX_EVERY(m) (m)
#define RHX_SELECT(m, a, b) rhx_select(m, a, b)
#ifndef RHX_SQRT /* whoever gives the class may give its root and zero */
#define RHX_SQRT(x) rhx_sqrt(x)
#endif
#define RHX_EXP(x) rhx_exp(x)
#define RHX_LOG(x) rhx_log(x)
#ifndef RHX_POW
#define RHX_POW(a, b) rhx_pow(a, b)
#endif
#define RHX_TANH(x) rhx_tanh(x)
#define RHX_MAX(a, b) rhx_max(a, b)
#define RHX_MIN(a, b) rhx_min(a, b)
#define RHX_ABS(x) rhx_abs(x)

#endif

static inline RHX_DEVICE RhxReal rhx_max(RhxReal a, RhxReal b) { return rhx_select(rhx_lt(a, b), b, a); }
static inline RHX_DEVICE RhxReal rhx_min(RhxReal a, RhxReal b) { return rhx_select(rhx_lt(b, a), b, a); }
static inline RHX_DEVICE RhxReal rhx_abs(RhxReal x) { return rhx_select(rhx_lt(x, RHX_ZERO), -x, x); }

/* A loop that stays one, for the size of the code. */
#ifdef __CUDACC_RTC__
#define RHX_ROLLED _Pragma("unroll 1") for
#else
#define RHX_ROLLED for
#endif

#ifndef RHX_STAGE
#define RHX_STAGE static inline RHX_DEVICE RHX_UNUSED
#endif

#endif
