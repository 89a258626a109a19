/* Solutions of (J + (s + i w) M) x = b without factors, for spectra. */
#ifndef RHX_STEPPER_IMPL_H
#define RHX_STEPPER_IMPL_H
#include "scheme/equations_impl.h"

/* A solver of A, (J + (s + i w) M) of states, with w not 0 of parts side by side, to 1e-11: by products with it and what -solver gives
 * Newton's method for P + (s + |w|) M, P the matrix of the equations at fixed projections. shift: s, w, 1/s. M has P's places. Collective;
 * ksp is the caller's. */
PetscErrorCode RhxStepperCreate(RhxEquations eq, Mat A, Mat M, const double shift[2], KSP *ksp);
#endif
