/* Numbers of the log-conformation: in space those of kinds with derivatives are the values alone, to whose functions the
 * tangent is added; else they are RhxReal. A part of logconf.h. */
#ifndef RHX_LOGVALUE_H
#define RHX_LOGVALUE_H
#include <rheoplex/point.h>

#if RHX_NTENS == 6 && !defined(RHX_NO_DERIVATIVES) && \
    (RHX_KIND == RHX_KIND_COMPLEX || RHX_KIND == RHX_KIND_DUAL || RHX_KIND == RHX_KIND_DUAL_LANES)
#define RHX_LOG_TANGENT 1
#else
#define RHX_LOG_TANGENT 0
#endif

/* RHX_LOG_IF_LT(a, b, x, y): x where a < b, else y. RHX_LOG_ALL_LT(a, b): is a < b in all lanes? RhxLogChange: an infinitesimal number; of x, and what is added to a. */
#if !RHX_LOG_TANGENT
typedef RhxReal RhxLogValue;
#define RHX_LOG_ZERO RHX_ZERO
#define RHX_LOG_SQRT(x) RHX_SQRT(x)
#define RHX_LOG_EXP(x) RHX_EXP(x)
#define RHX_LOG_IF_LT(a, b, x, y) RHX_SELECT(RHX_LT(a, b), x, y)
#define RHX_LOG_ALL_LT(a, b) RHX_EVERY(RHX_LT(a, b))
#elif RHX_KIND == RHX_KIND_DUAL_LANES
typedef RhxLanes RhxLogValue, RhxLogChange;
#define RHX_LOG_LANES(x) ((x) - (RhxLanes){0})
#define RHX_LOG_ZERO ((RhxLanes){0})
#define RHX_LOG_SQRT(x) rhx_sqrt(x)
#define RHX_LOG_EXP(x) rhx_exp(x)
#define RHX_LOG_IF_LT(a, b, x, y) rhx_select((a) < RHX_LOG_LANES(b), RHX_LOG_LANES(x), RHX_LOG_LANES(y))
#define RHX_LOG_ALL_LT(a, b) rhx_every((a) < RHX_LOG_LANES(b))
RHX_POINTWISE RhxLogChange rhx_log_change(RhxReal x) { return x.d; }
RHX_POINTWISE RhxReal rhx_log_changed(RhxReal a, RhxLogChange da) { return RhxReal(a.v, a.d + da); }
#else
typedef double RhxLogValue;
#define RHX_LOG_ZERO 0.0
#define RHX_LOG_SQRT(x) sqrt(x)
#define RHX_LOG_EXP(x) exp(x)
#define RHX_LOG_IF_LT(a, b, x, y) ((a) < (b) ? (x) : (y))
#define RHX_LOG_ALL_LT(a, b) ((a) < (b))
#if RHX_KIND == RHX_KIND_COMPLEX
typedef double RhxLogChange;
RHX_POINTWISE RhxLogChange rhx_log_change(RhxReal x) { return __imag__ x; }
RHX_POINTWISE RhxReal rhx_log_changed(RhxReal a, RhxLogChange da)
{
  return __builtin_complex(__real__ a, __imag__ a + da);
}
#else
typedef RhxReal RhxLogChange;
RHX_POINTWISE RhxLogChange rhx_log_change(const RhxReal &x) { return x - rhx_value(x); }
RHX_POINTWISE RhxReal rhx_log_changed(const RhxReal &a, const RhxLogChange &da) { return a + da; }
#endif
#endif

#endif
