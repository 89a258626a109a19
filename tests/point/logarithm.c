/* exp(s), exp(-s) of logconf.h at one tensor; compiled once a size and kind. */
#include "logarithm.h"
#include <rheoplex/logconf.h>

#define NAMED_(a, b, c, d) a##_##b##_##c##_##d
#define NAMED(a, b, c, d) NAMED_(a, b, c, d)

void NAMED(logarithm, RHX_DIM, RHX_NTENS, RHX_KIND)(const double *s, const double *ds, Exponential *out)
{
  RhxReal x[RHX_NTENS];
  RhxLog lg;
  for (int k = 0; k < RHX_NTENS; k++) {
#if RHX_KIND == RHX_KIND_COMPLEX
    x[k] = __builtin_complex(s[k], RHX_STEP * ds[k]);
#elif RHX_KIND == RHX_KIND_DUAL_LANES
    x[k] = RhxReal((RhxLanes){0} + s[k], (RhxLanes){0} + ds[k]);
#else
    (void)ds;
    x[k] = RHX_CONST(s[k]);
#endif
  }
  rhx_log_set(x, &lg);
  for (int k = 0; k < RHX_NTENS; k++) {
#if RHX_KIND == RHX_KIND_COMPLEX
    out->c[k] = __real__ lg.c[k];
    out->ic[k] = __real__ lg.ic[k];
    out->dc[k] = __imag__ lg.c[k] / RHX_STEP;
    out->dic[k] = __imag__ lg.ic[k] / RHX_STEP;
#elif RHX_KIND == RHX_KIND_DUAL_LANES
    const int l = k % RHX_LANES; /* all are the same */
    out->c[k] = lg.c[k].v[l];
    out->ic[k] = lg.ic[k].v[l];
    out->dc[k] = lg.c[k].d[l];
    out->dic[k] = lg.ic[k].d[l];
#else
    out->c[k] = RHX_LANE(lg.c[k], 0);
    out->ic[k] = RHX_LANE(lg.ic[k], 0);
#endif
  }
}
