/* Times at which what a formula or a table gives is looked at before a run: 0, then from 1e-6 s to 5e5 s, each 1.77 times the last one. */
#ifndef RHX_TIMES_IMPL_H
#define RHX_TIMES_IMPL_H
#include <math.h>

#define RHX_LOOKS 49

static inline double RhxLookTime(int i) { return i ? 1e-6 * pow(1.77, i - 1) : 0; }
#endif
