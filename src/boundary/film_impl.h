/* Fluxes of scalar fields by nodes. */
#ifndef RHX_BOUNDARY_FILM_IMPL_H
#define RHX_BOUNDARY_FILM_IMPL_H
#include "boundary/scalar.h"
#include <rheoplex/condition.h>

/* What a label gives of a scalar field. */
typedef enum {
  RHX_SCALAR_NATURAL,
  RHX_SCALAR_VALUE,
  RHX_SCALAR_INFLOW,
  RHX_SCALAR_FLUX,
  RHX_SCALAR_FILM
} RhxScalarKind;

/* Owned nodes, ascending, of labels with a film (film.h), a wall whose friction warms (warmth_impl.h) or what comes in (coming_impl.h):
 * value[n][nscalars] = integral of N h, slope[n][nscalars][dim] = derivative of what enters in the velocity, NULL: of films alone; list: the
 * nodes, NULL if no rank has any. */
typedef struct {
  PetscInt n, *node;
  PetscScalar *value, *slope;
  IS list;
  PetscBool any, time, rubs, comes;      /* on some rank; a coefficient holds t; there is such a wall, such a label */
  RhxScalarGiven given[RHX_MAX_SCALARS]; /* of all conditions and sources, of this rank: scalar_given.c */
} RhxFilmNodes;

/* Of the flux into the fluid, q or h c_a - h c: what does not depend on the field, and h. */
typedef enum { RHX_FLUX_GIVEN, RHX_FLUX_BY_FIELD } RhxFluxPart;

/* sum[node stride] += integral of N times the part over the label's faces on this rank; field k. */
PetscErrorCode RhxConditionAddFlux(const RhxCondition *c, PetscInt k, RhxFluxPart part, double t, PetscInt stride,
                                   PetscScalar *sum);
PetscErrorCode RhxBoundarySetUpFilm(RhxBoundary bc), RhxBoundaryDestroyFilm(RhxBoundary bc);
PetscErrorCode RhxBoundaryFilm(RhxBoundary bc,
                               double t); /* its values, where they are not those of t yet. Collective. */
PetscErrorCode RhxBoundaryRub(RhxBoundary bc, double t); /* friction's heat into the fluxes, its slopes. Collective. */
#endif
