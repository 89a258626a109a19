/* Forces from the state at the faces of a label and its gradients: a second way, beside the reactions. */
#ifndef RHX_TRACTION_IMPL_H
#define RHX_TRACTION_IMPL_H
#include "form/form.h"

/* Force of the fluid on a label and its moment about centre, by the surface integral; N and N m (2D: N/m and N). Collective. */
typedef struct {
  double pressure[3], solvent[3], polymer[3], torque[3]; /* with swirl torque[2] is about the axis, */
  double twist[2];                                       /* of solvent and polymer */
} RhxSurfaceForce;
PetscErrorCode RhxIntegrateForce(RhxForm form, const char *label, const PetscScalar *x, const double centre[3],
                                 RhxSurfaceForce *force);
#endif
