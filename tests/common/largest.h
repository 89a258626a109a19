/* The larger of what was found so far and of v; NaN counts as infinite, so that what comes after it cannot hide it. */
#ifndef TEST_COMMON_LARGEST_H
#define TEST_COMMON_LARGEST_H

#include <math.h>

static inline double larger(double largest, double v) { return v <= largest ? largest : isnan(v) ? INFINITY : v; }

#endif
