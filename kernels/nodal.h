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
  int ends;
  unsigned anew; /* bits of components without a last sample: this one stands for it */
} RhxNodalSample;
RHX_SIZE_IS(RhxNodalSample, 56);

/* One value; anew: there is no last sample. */
RHX_INLINED void rhx_nodal_sample(const RhxNodalSample *w, int anew, double now, double *before, double *sum,
                                  double *whole)
{
  const double last = anew ? now : *before, total = *sum;

  if (w->ends) *whole = w->whole[0] * total + w->whole[1] * last + w->whole[2] * now;
  *sum = w->sum[0] * total + w->sum[1] * last + w->sum[2] * now;
  *before = now;
}
#endif
