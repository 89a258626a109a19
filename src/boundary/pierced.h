/* Conditions that contradict the domain or each other: rotating walls that fluid would flow through, rates of outlets. */
#ifndef RHX_BOUNDARY_PIERCED_H
#define RHX_BOUNDARY_PIERCED_H
#include "boundary/boundary.h"

typedef struct {
  const char *label, *axis, *point; /* axis and a point of it as given */
  double mean;                      /* |u.n| over |u| of a rotation, root mean squares of the label's own nodes */
  double through, speed;            /* largest |u.n|, at x, and largest |u| */
  double x[3];
} RhxPierced;
/* The k-th rotating wall, by the normals of nodes that no other label has; label NULL: there are no more. Collective. */
PetscErrorCode RhxBoundaryGetPierced(RhxBoundary bc, PetscInt k, RhxPierced *one);
/* Where every open label has the rate of a profile whose stress it gives: their sum out of the domain and what flows in by the inlets, at the
 * end of ramps after t, m^3/s (2D: m^2/s), and the first of these labels; NULL: there is none, or one without. Collective. */
PetscErrorCode RhxBoundaryGetBalance(RhxBoundary bc, double t, const char **label, double *out, double *in);

/* Least and largest flow in by all inlets from the end of ramps to `end`, m^3/s (2D: m^2/s), 0 among them; where it reverses the open labels
 * without -bc_<label>_backflow. Collective. */
PetscErrorCode RhxBoundaryGetReversal(RhxBoundary bc, double t, double end, double range[2], RhxTold *open);

/* Flow out of a domain without an outlet by the velocities that labels give at all of their nodes, m^3/s (2D: m^2/s): of all, the sum of their
 * sizes, and of the label with the largest; scale: integral of the speeds. label NULL: there is an outlet, or a source. Collective. */
typedef struct {
  const char *label;
  double rate, total, size, scale;
} RhxThrough;
PetscErrorCode RhxBoundaryGetThrough(RhxBoundary bc, double t, RhxThrough *most);
#endif
