/* What host and device share of reductions over the nodes of a state. */
#ifndef RHX_KERNELS_NODAL_H
#define RHX_KERNELS_NODAL_H
#include <kernels/dialect.h>

#define RHX_NODAL_MOST 32
/* Components of node blocks of this width; bare: sums are of values alone, not times the nodes' mass. */
typedef struct RhxNodalComponents {
  int n, width, at[RHX_NODAL_MOST], bare;
} RhxNodalComponents;
RHX_SIZE_IS(RhxNodalComponents, 140);

/* Of one component: its integral by the lumped mass; extreme values with their nodes, of equal ones the first. */
typedef struct RhxNodalMeasure {
  double sum, least, greatest;
  int least_node, greatest_node;
} RhxNodalMeasure;
RHX_SIZE_IS(RhxNodalMeasure, 32);

/* A sample `now` of a mean over time: weights of the sum, of the last sample and of this one. First, where a period has ended, its mean;
 * then the new sum. */
typedef struct RhxNodalSample {
  double whole[3], sum[3];
  int ends, begins; /* a period has ended; there is no sum so far */
  unsigned anew;    /* bits of components without a last sample: this one stands for it */
} RhxNodalSample;
RHX_SIZE_IS(RhxNodalSample, 64);

/* One value; anew: there is no last sample. */
RHX_INLINED void rhx_nodal_sample(const RhxNodalSample *w, int anew, double now, double *before, double *sum,
                                  double *whole)
{
  const double last = anew ? now : *before, total = *sum;

  if (w->ends) *whole = w->whole[0] * total + w->whole[1] * last + w->whole[2] * now;
  *sum = w->sum[0] * total + w->sum[1] * last + w->sum[2] * now;
  *before = now;
}

/* The same of a value and of the square of what it differs by from a shift, `apart` further in the arrays, which keeps the digits of small
 * swings on large means: the second of `before` is the shift, of `whole` the variance. The first sample in the sum shifts, later the mean of
 * the period before: its square is at most the number of samples times the variance. */
RHX_INLINED void rhx_nodal_moments(const RhxNodalSample *w, int anew, double now, long apart, double *before,
                                   double *sum, double *whole)
{
  const double last = anew ? now : *before;
  double shift = w->begins ? now : before[apart], by[2] = {last - shift, now - shift};

  if (w->ends) {
    const double mean = w->whole[0] * *sum + w->whole[1] * by[0] + w->whole[2] * by[1];
    whole[apart] = w->whole[0] * sum[apart] + w->whole[1] * by[0] * by[0] + w->whole[2] * by[1] * by[1] - mean * mean;
    *whole = shift + mean;
    shift = *whole;
    by[0] = last - shift;
    by[1] = now - shift;
  }
  *sum = w->sum[0] * *sum + w->sum[1] * by[0] + w->sum[2] * by[1];
  sum[apart] = w->sum[0] * sum[apart] + w->sum[1] * by[0] * by[0] + w->sum[2] * by[1] * by[1];
  *before = now;
  before[apart] = shift;
}
#endif
