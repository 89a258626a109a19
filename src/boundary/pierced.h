/* Rotating walls that fluid would flow through. */
#ifndef RHX_BOUNDARY_PIERCED_H
#define RHX_BOUNDARY_PIERCED_H
#include "boundary/boundary.h"

typedef struct {
  const char *label, *axis, *point; /* NULL: there is no rotating wall; axis and a point of it as given */
  double mean;                      /* |u.n| over |u| of a rotation, root mean squares of the label's own nodes */
  double through, speed;            /* largest |u.n|, at x, and largest |u| */
  double x[3];
} RhxPierced;
/* The rotating wall with the largest mean, by the normals of nodes that no other label has. Collective. */
PetscErrorCode RhxBoundaryGetPierced(RhxBoundary bc, RhxPierced *worst);

#endif
