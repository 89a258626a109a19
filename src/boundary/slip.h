/* Walls with slip. */
#ifndef RHX_BOUNDARY_SLIP_H
#define RHX_BOUNDARY_SLIP_H
#include "boundary/boundary.h"

#define RHX_SLIP_SHARE 0.9 /* of the bound, of which steps that follow limits stay clear */

typedef struct {
  const char *label;   /* NULL: there are no more */
  PetscBool by_stress; /* by a formula of the shear stress, else by a friction */
  double length;       /* viscosity over friction, m; infinite: there is none */
} RhxSlipLength;
/* Of the k-th wall with slip beside a shear rate, 1/s, of a fluid of viscosity eta, Pa s. */
PetscErrorCode RhxBoundaryGetSlipLength(RhxBoundary bc, PetscInt k, double t, double eta, double rate,
                                        RhxSlipLength *slip);

/* The longest step of an explicit scheme that the friction of a label allows at t, s, by the flow that conditions were told last (at rest before)
 * or one that slips as fast as `speed`, m/s; label NULL: none bounds it. After SetUp. Collective. */
PetscErrorCode RhxBoundaryGetSlipStep(RhxBoundary bc, double t, double speed, double *dt, const char **label);
PetscErrorCode RhxBoundaryCheckSlipStep(RhxBoundary bc, double t,
                                        double dt); /* an error for a longer one. Collective. */
#endif
