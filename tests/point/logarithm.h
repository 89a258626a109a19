/* The exponential of the log-conformation at a point, for its test. */
#ifndef LOGARITHM_H
#define LOGARITHM_H
#include <rheoplex/plugin.h>

typedef struct {
  double c[6], ic[6], dc[6],
      dic[6]; /* exp(s), exp(-s), their derivatives in a direction: of the kinds that have them */
} Exponential;

/* Of a tensor s and a direction ds of as many components as the size has, in the order of rhx_ij. */
typedef void LogPoint(const double *s, const double *ds, Exponential *out);

extern LogPoint logarithm_2_3_0, logarithm_2_3_1, logarithm_2_3_2, logarithm_2_3_5, logarithm_2_4_0, logarithm_2_4_1,
    logarithm_2_4_2, logarithm_2_4_5, logarithm_3_6_0, logarithm_3_6_1, logarithm_3_6_2, logarithm_3_6_5;

#endif
