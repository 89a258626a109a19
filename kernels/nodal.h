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
#endif
