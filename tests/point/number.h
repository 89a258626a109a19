/* A number from what a test has, and back, for every kind of RhxReal. */
#ifndef NUMBER_H
#define NUMBER_H
#include <rheoplex/plugin.h>

static inline void state_set(RhxReal *x, const double *v, double direction)
{
#if RHX_KIND == RHX_KIND_LANES
  (void)direction;
  *x = rhx_load(v);
#elif RHX_KIND == RHX_KIND_COMPLEX
  *x = __builtin_complex(*v, RHX_STEP * direction);
#elif RHX_KIND == RHX_KIND_DUAL_LANES
  *x = RhxReal(rhx_load(v), (RhxLanes){0} + direction);
#elif RHX_KIND == RHX_KIND_DUAL
  *x = RhxReal(*v, direction);
#else
  (void)direction;
  *x = *v;
#endif
}

static inline void state_get(RhxReal x, double *v, double *derivative)
{
#if RHX_KIND == RHX_KIND_LANES
  (void)derivative;
  rhx_store(v, x);
#elif RHX_KIND == RHX_KIND_COMPLEX
  *v = __real__ x;
  *derivative = __imag__ x / RHX_STEP;
#elif RHX_KIND == RHX_KIND_DUAL_LANES
  rhx_store(v, x.v);
  rhx_store(derivative, x.d);
#elif RHX_KIND == RHX_KIND_DUAL
  *v = x.v;
  *derivative = x.d;
#else
  *v = x;
  *derivative = 0.0;
#endif
}

#endif
