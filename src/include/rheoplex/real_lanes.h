/* RhxReal as a vector of RHX_LANES doubles (GCC and Clang), one element a lane. */
#ifndef RHX_REAL_LANES_H
#define RHX_REAL_LANES_H
#include <rheoplex/config.h> /* RHX_LANES */

typedef double RhxReal __attribute__((vector_size(8 * RHX_LANES)));
typedef long long RhxMask __attribute__((vector_size(8 * RHX_LANES))); /* -1 or 0 a lane */
typedef unsigned long long RhxBits __attribute__((vector_size(8 * RHX_LANES)));
typedef double RhxUnaligned __attribute__((vector_size(8 * RHX_LANES), aligned(8), may_alias));

#define RHX_NLANES RHX_LANES
#define RHX_LANE(x, l) ((x)[l])
#define RHX_ZERO ((RhxReal){0})
#define RHX_CONST(x) ((x) - (RhxReal){0}) /* of a double or a vector; x - 0 is x, -0 too */

static inline RhxReal rhx_load(const double *p) { return *(const RhxUnaligned *)p; }
static inline void rhx_store(double *p, RhxReal x) { *(RhxUnaligned *)p = x; }

/* Rows to columns: blocks of h lanes change places, h = 1, 2, 4. Not defined without the builtin (GCC before 12). */
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#if RHX_LANES == 4
#define RHX_SWAPPED(a, b, h) \
  (h) == 1 ? __builtin_shufflevector(a, b, 0, 4, 2, 6) : __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define RHX_SWAPPED_REST(a, b, h) \
  (h) == 1 ? __builtin_shufflevector(a, b, 1, 5, 3, 7) : __builtin_shufflevector(a, b, 2, 3, 6, 7)
#elif RHX_LANES == 8
#define RHX_SWAPPED(a, b, h)                                            \
  (h) == 1   ? __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) \
  : (h) == 2 ? __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)  \
             : __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define RHX_SWAPPED_REST(a, b, h)                                        \
  (h) == 1   ? __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)  \
  : (h) == 2 ? __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15) \
             : __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#endif
#endif
#endif
#ifdef RHX_SWAPPED
static inline void rhx_transpose(RhxReal r[RHX_LANES]) /* r[i][l] to r[l][i] */
{
  for (int h = 1; h < RHX_LANES; h *= 2)
    for (int i = 0; i < RHX_LANES; i++)
      if (!(i & h)) {
        const RhxReal a = r[i], b = r[i + h];
        r[i] = RHX_SWAPPED(a, b, h);
        r[i + h] = RHX_SWAPPED_REST(a, b, h);
      }
}
#endif

static inline RhxMask rhx_lt(RhxReal a, RhxReal b) { return a < b; }
static inline int rhx_every(RhxMask m)
{
  for (int l = 0; l < RHX_LANES; l++)
    if (!m[l]) return 0;
  return 1;
}
static inline RhxReal rhx_select(RhxMask m, RhxReal a, RhxReal b)
{
  return (RhxReal)((m & (RhxMask)a) | (~m & (RhxMask)b));
}
static inline RhxReal rhx_sqrt(RhxReal x)
{
  for (int l = 0; l < RHX_LANES; l++) x[l] = __builtin_sqrt(x[l]);
  return x;
}

#define RHX_MAGIC 0x1.8p52 /* x + RHX_MAGIC holds round(x) in its low bits, |x| < 2^51 */
#define RHX_MAGIC_BITS 0x4338000000000000ull

/* 2^n, -1022 <= n <= 1023 */
static inline RhxReal rhx_power_of_two(RhxBits n) { return (RhxReal)((n + 1023) << 52); }

/* x = n log 2 + r, |r| <= log(2)/2, Taylor series to r^13 (4e-18); 2^n in two factors for the ends of the range. */
static inline RhxReal rhx_exp(RhxReal x)
{
  static const double taylor[12] = {1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0,
                                    1 / 362880.0,     1 / 40320.0,     1 / 5040.0,     1 / 720.0,
                                    1 / 120.0,        1 / 24.0,        1 / 6.0,        1 / 2.0};
  x = rhx_select(rhx_lt(x, RHX_CONST(-750.0)), RHX_CONST(-750.0), x);
  x = rhx_select(rhx_lt(RHX_CONST(750.0), x), RHX_CONST(750.0), x);
  RhxReal t = x * 0x1.71547652b82fep0 + RHX_MAGIC, n = t - RHX_MAGIC;
  RhxReal r = x - n * 0x1.62e42feep-1 - n * 0x1.a39ef35793c76p-33; /* the first product is exact */
  RhxReal q = RHX_CONST(taylor[0]);
  for (int k = 1; k < 12; k++) q = q * r + taylor[k];
  RhxBits i = (RhxBits)t - RHX_MAGIC_BITS, half = ((i + 2048) >> 1) - 1024;
  return (1.0 + (r + r * r * q)) * rhx_power_of_two(half) * rhx_power_of_two(i - half);
}

/* x = 2^e m, sqrt(1/2) <= m < sqrt(2), s = (m - 1)/(m + 1): log m = 2 atanh s, series to s^21 (1e-18). */
static inline RhxReal rhx_log(RhxReal x)
{
  RhxMask subnormal = rhx_lt(x, RHX_CONST(0x1p-1022));
  RhxReal y = rhx_select(subnormal, x * 0x1p54, x);
  RhxBits bits = (RhxBits)y - 0x3fe6a09e667f3bcdull; /* sqrt(1/2) */
  RhxBits e = (RhxBits)((RhxMask)bits >> 52);
  RhxReal m = (RhxReal)((RhxBits)y - (e << 52));
  RhxReal n = (RhxReal)(e + RHX_MAGIC_BITS) - RHX_MAGIC;
  n = rhx_select(subnormal, n - 54.0, n);
  RhxReal f = m - 1.0, s = f / (m + 1.0), z = s * s, h = 0.5 * f * f;
  RhxReal R = RHX_CONST(2.0 / 21.0);
  for (int k = 19; k >= 3; k -= 2) R = R * z + 2.0 / k;
  R = R * z;
  RhxReal w = n * 0x1.62e42feep-1 - ((h - (s * (h + R) + n * 0x1.a39ef35793c76p-33)) - f);
  w = rhx_select(rhx_lt(x, RHX_CONST(__builtin_inf())), w, x); /* inf and NaN stay */
  w = rhx_select(rhx_lt(RHX_ZERO, x), w, RHX_CONST(-__builtin_inf()));
  w = rhx_select(rhx_lt(x, RHX_ZERO) | (x != x), RHX_CONST(__builtin_nan("")), w);
  return w;
}

/* Pade [7/6] below 0.4 (1e-17), 1 - 2/(exp(2x) + 1) above. */
static inline RhxReal rhx_tanh(RhxReal x)
{
  RhxReal z = x * x, big = 1.0 - 2.0 / (rhx_exp(2.0 * x) + 1.0);
  RhxReal num = x * (135135.0 + z * (17325.0 + z * (378.0 + z)));
  RhxReal den = 135135.0 + z * (62370.0 + z * (3150.0 + z * 28.0));
  RhxMask small = rhx_lt(z, RHX_CONST(0.16));
  return rhx_select(small, rhx_select(small, num, RHX_ZERO) / rhx_select(small, den, RHX_CONST(1.0)), big);
}

#define RHX_LT(a, b) rhx_lt(RHX_CONST(a), RHX_CONST(b))
#define RHX_EVERY(m) rhx_every(m)
#define RHX_SELECT(m, a, b) rhx_select(m, RHX_CONST(a), RHX_CONST(b))
#define RHX_SQRT(x) rhx_sqrt(RHX_CONST(x))
#define RHX_EXP(x) rhx_exp(RHX_CONST(x))
#define RHX_LOG(x) rhx_log(RHX_CONST(x))
#define RHX_POW(a, b) rhx_exp(RHX_CONST(b) * rhx_log(RHX_CONST(a)))
#define RHX_TANH(x) rhx_tanh(RHX_CONST(x))
#define RHX_MAX(a, b) rhx_max(RHX_CONST(a), RHX_CONST(b))
#define RHX_MIN(a, b) rhx_min(RHX_CONST(a), RHX_CONST(b))
#define RHX_ABS(x) rhx_abs(RHX_CONST(x))

/* A stage of the weak form that is a part of its caller: called, what it reads and writes is in memory (residual of tetrahedra 7 %
 * slower, with as many instructions). */
#define RHX_STAGE static inline __attribute__((always_inline))

#endif
