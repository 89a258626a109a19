/* The pressure of developed flow over its section beside a second normal stress difference. */
#ifndef RHX_BOUNDARY_ACROSS_H
#define RHX_BOUNDARY_ACROSS_H
#include "boundary/boundary.h"

typedef struct {             /* of an outlet */
  PetscBool developed, fits; /* its stress is the developed one; its section is straight in the plane, or a circle */
  PetscBool gives;           /* it adds the pressure that the stress asks for over the section */
  PetscBool varies;          /* the formula of its pressure differs over the label */
  PetscBool mean;            /* -bc_<label>_pressure_means mean is said */
} RhxAcross;

/* Formulas at times from begin to end. Collective. */
PetscErrorCode RhxBoundaryLookAcross(RhxBoundary bc, const char *label, double begin, double end, RhxAcross *across);
#endif
