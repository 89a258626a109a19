/* The spectrum of a flow linearised about a steady state, M dx/dt = -J x: J the exact tangent of scheme `steady`, M the inertia
 * (form/host/inertia.h) with what stabilisers have of the rate, rows of given values zero.
 *
 *   M v lambda = -J v,  lambda = growth rate + i angular frequency, 1/s: v exp(lambda t) */
#ifndef RHX_SPECTRUM_H
#define RHX_SPECTRUM_H
#include "scheme/parameter.h"

typedef struct _p_RhxSpectrum *RhxSpectrum;

#define RHX_ROUGH 0.5 /* a wave of four elements */

typedef struct {
  double value[2]; /* lambda, 1/s */
  double residual; /* |J v + lambda M v| / |M v|, 1/s */
  double
      roughness; /* what of v is between nodes, over all of it (roughness_impl.h): above RHX_ROUGH it is of the mesh */
  Vec re, im;    /* v: the largest component of its velocity is 1 m/s, or without velocity its largest value 1; owned */
  /* Where adjoint modes are asked for, w: w^H (J + lambda M) = 0, w^H M v = 1 and 0 for the other modes; zero where values are given. */
  Vec adjoint_re, adjoint_im; /* owned, or NULL: not asked for, or not found */
  double
      adjoint_residual; /* NaN without them; |w^H (J + lambda M) x| / |w^H M x|, x random numbers where nothing is given, 1/s */
} RhxEigenmode;

/* Error where the TS's scheme is not `steady`, or this build has no SLEPc. */
PetscErrorCode RhxSpectrumCheck(TS ts);
/* About x, a state of scheme `steady`, which the TS has. Collective. */
PetscErrorCode RhxSpectrumCreate(TS ts, Vec x, RhxSpectrum *spectrum);
/* The parameter becomes `value`; x the steady state there, by Newton's method from the last one; modes are
 * about it. Of a continuation of this parameter the state's value is this one. Error where it does not converge, which ends with the hint. */
PetscErrorCode RhxSpectrumMove(RhxSpectrum spectrum, const RhxParameter *parameter, double value, const char *hint,
                               Vec x);
/* Norm of the steady residual of x over that of the state at rest with what is given. */
PetscErrorCode RhxSpectrumGetResidual(RhxSpectrum spectrum, double *residual);
/* Modes have parts beside the state: pressures that answer their flux late. */
PetscBool RhxSpectrumHasLate(RhxSpectrum spectrum);
/* The n modes nearest to a shift (1/s), the nearest first, by shift-invert; of a real shift those of conjugate values stand once, with
 * a positive imaginary part, and *found may be below n. mode[n] is the caller's, as what it owns. most: restarts. */
PetscErrorCode RhxSpectrumSolve(RhxSpectrum spectrum, const double shift[2], PetscInt n, PetscInt most, PetscInt *found,
                                RhxEigenmode *mode);
/* From now on without adjoint modes and without factors of the projections beside the state: -(s + i w) (J + (s + i w) M)^-1 M, of s > 0 and w = 0 a
 * step of backward Euler of length 1/s, by products with J and M and the preconditioner that options give Newton's method (stepper_impl.h). */
PetscErrorCode RhxSpectrumSetStepper(RhxSpectrum spectrum);
/* Modes that are solved for from now on come with their adjoint ones. */
PetscErrorCode RhxSpectrumSetAdjoint(RhxSpectrum spectrum);
/* A line is printed each time that so many seconds have passed, 0: at each restart. */
PetscErrorCode RhxSpectrumSetProgress(RhxSpectrum spectrum, double seconds);
PetscErrorCode RhxEigenmodeDestroy(RhxEigenmode *mode);
PetscErrorCode RhxSpectrumDestroy(RhxSpectrum *spectrum);
#endif
