/* Pulsatile flow of a fluid that is linear in shear through a plane label of any shape. */
#ifndef RHX_PULSE_IMPL_H
#define RHX_PULSE_IMPL_H
#include "boundary/section_impl.h"
#include <complex.h>

/* Velocity at the nodes, shape[k * nnodes + i], that a unit gradient of pressure over eta exp(i omega[k] t) drives, m^2, and its flux carried[k], m^4: no
 * flow at nodes of walls, no shear at the rest of the rim; nu[k], complex, in m^2/s. Harmonics with skip[k] are left as they are. Nothing here is collective: every
 * rank finds the same. */
PetscErrorCode RhxPulseShapes(RhxSection section, const double complex *nu, PetscInt n, const double *omega,
                              const PetscBool *skip, double complex *shape, double complex *carried);
#endif
