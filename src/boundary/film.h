/* Films of scalar fields for other rooms: -D grad c.n = h (c - c_a) at the owned nodes of the labels that have one. */
#ifndef RHX_BOUNDARY_FILM_H
#define RHX_BOUNDARY_FILM_H
#include "boundary/boundary.h"

/* r[nowned][bs] += H v, the part of a residual that v = x has, and its derivative along v; H = integral of N h of each node. */
PetscErrorCode RhxBoundaryAddFilm(RhxBoundary bc, const PetscScalar *v, PetscScalar *r);
/* The nodes, value[n][nscalars] = H there; borrowed. NULL: on no rank. */
PetscErrorCode RhxBoundaryGetFilm(RhxBoundary bc, IS *nodes, const PetscScalar **value);
/* The largest H over the mass[nowned] of its node, 1/s. Collective. */
PetscErrorCode RhxBoundaryGetFilmRate(RhxBoundary bc, const PetscReal *mass, double *rate);
#endif
