/* How well the mesh resolves a state: estimated errors of the velocity's gradient, of the stress of each mode and of scalar fields. */
#ifndef RHX_RESOLUTION_H
#define RHX_RESOLUTION_H
#include "form/form.h"

/* Of the velocity's gradient, 1/s, a mode's stress, Pa, or what a scalar field differs by from its mean over the domain, its unit. */
typedef struct {
  double error, size; /* L2 norms over the domain: estimated; of the field, with it */
  double mean; /* estimated over size, of the means over the domain of what elements have in the root mean square */
  double local, at[3]; /* over size in the element whose part of the error is the largest; its centre, m */
} RhxResolved;

typedef struct {
  RhxForm form;                   /* borrowed */
  struct RhxRecovery_s *recovery; /* patches of the mesh; owned */
  PetscInt n;                     /* the gradient, modes, scalar fields but the azimuthal velocity */
  RhxResolved *part;              /* [n] the same on all ranks; owned */
  double volume;                  /* of the domain, m^3, in plane flow m^2 */
  PetscInt ncells;                /* of this rank, of all types in their order */
  double *
      share; /* [n][ncells] parts of the error in elements over size, whose squares add up to that of the whole; owned */
} RhxResolution;

PetscInt RhxResolutionCount(RhxForm form); /* n */
/* Collective, as the rest. */
PetscErrorCode RhxResolutionCreate(RhxForm form, RhxResolution *r);
PetscErrorCode RhxResolutionFind(RhxResolution *r, const PetscScalar *x); /* of x[nlocal][bs] */
PetscErrorCode RhxResolutionDestroy(RhxResolution *r);
double RhxResolvedRelative(const RhxResolved *part); /* error over size; 0 of what is zero, NaN of what is none */
/* Which scalar field of the form is part k, behind those of modes? The azimuthal velocity is one of the velocity. */
PetscInt RhxResolutionScalar(RhxForm form, PetscInt k);
/* Name of part k: velocity_gradient, stress, of several modes stress_<mode>, the scalar field's. */
void RhxResolutionName(RhxForm form, PetscInt k, size_t size, char *name);
#endif
