/* Films of scalar fields for other rooms: -D grad c.n = h (c - c_a) at the owned nodes of the labels that have one; and derivatives of the heat of
 * friction at walls that slip, whose value is among the fluxes of the form's load. */
#ifndef RHX_BOUNDARY_FILM_H
#define RHX_BOUNDARY_FILM_H
#include "boundary/boundary.h"

/* r[nowned][bs] += H v, the part of a residual that v = x has; H = integral of N h of each node. Product: the derivative along v, less the
 * slope of friction's heat times the velocity of v too. */
PetscErrorCode RhxBoundaryAddFilm(RhxBoundary bc, const PetscScalar *v, PetscScalar *r);
PetscErrorCode RhxBoundaryAddFilmProduct(RhxBoundary bc, const PetscScalar *v, PetscScalar *r);
/* The nodes, value[n][nscalars] = H and slope[n][nscalars][dim] there, NULL if no friction warms; borrowed. nodes NULL: on no rank. */
PetscErrorCode RhxBoundaryGetFilm(RhxBoundary bc, IS *nodes, const PetscScalar **value, const PetscScalar **slope);
/* The largest H over the mass[nowned] of its node, 1/s. Collective. */
PetscErrorCode RhxBoundaryGetFilmRate(RhxBoundary bc, const PetscReal *mass, double *rate);
#endif
