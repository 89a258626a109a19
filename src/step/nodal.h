/* Reductions over the nodes and points of a state and means over time, for diagnostics: a part of the table of operations. */
#ifndef RHX_STEP_NODAL_H
#define RHX_STEP_NODAL_H
#include "space/space.h"

typedef struct _p_RhxArray *RhxArray;
typedef struct _p_RhxOps *RhxOps;
typedef struct RhxNodalComponents RhxNodalComponents; /* of kernels/nodal.h */
typedef struct RhxNodalMeasure RhxNodalMeasure;
typedef struct RhxNodalSample RhxNodalSample;

/* Running integrals over time of n components and their squares, less a shift: arrays [nodes][2 n]. */
typedef struct {
  /* values of the last sample and shifts; integrals of what differs from these; means and variances of the last whole period */
  RhxArray before, sum, whole;
} RhxNodalMean;

typedef struct {
  /* m[c->n] over this rank's nodes, of products with the same components of `times` unless that is NULL; waits. */
  PetscErrorCode (*measure)(RhxOps ops, RhxArray x, RhxArray times, const RhxNodalComponents *c, RhxNodalMeasure *m);
  /* total[RHX_NTOTALS] over the quadrature points of this rank's elements, of x with its ghosts and the stage's sources; waits. */
  PetscErrorCode (*totals)(RhxOps ops, RhxArray x, double *total);
  PetscErrorCode (*accumulate)(RhxOps ops, RhxArray x, const RhxNodalComponents *c, const RhxNodalSample *w,
                               const RhxNodalMean *mean);
} RhxNodalTable;

/* The same of x[nowned] by this stride, times y[nowned] or NULL. */
void RhxNodalMeasureHost(RhxSpace space, PetscInt stride, const PetscScalar *x, const PetscScalar *y,
                         RhxNodalMeasure *m);

extern const RhxNodalTable RhxNodalHost, RhxNodalDevice;
#endif
