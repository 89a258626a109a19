/* Points in elements. */
#ifndef RHX_SPACE_LOCATE_H
#define RHX_SPACE_LOCATE_H
#include "space/space.h"

/* Where n points lie, found once: each belongs to one rank, the lowest that has an element with it. */
typedef struct {
  PetscInt n;
  PetscBool *found;     /* [n] in an element of some rank; the same on every rank */
  PetscInt nmine;       /* points of this rank */
  PetscInt *point;      /* [nmine] their numbers, ascending */
  PetscInt *nn;         /* [nmine] nodes of the element */
  PetscInt *node;       /* [nmine][8] its local nodes */
  PetscReal *N;         /* [nmine][8] their shape functions */
  PetscReal (*near)[3]; /* [n] of a point that is not found: the nearest node */
} RhxPlaces;

/* x[n][dim], the same on every rank. Positions are those that elements see, so that the images of a periodic mesh are one
 * domain; a point within 1e-8 of an element's size is in it. Collective. */
PetscErrorCode RhxSpaceLocate(RhxSpace space, PetscInt n, const PetscReal *x, RhxPlaces **places);
PetscErrorCode RhxPlacesDestroy(RhxPlaces **places);
/* out[n][components] on every rank: values[nlocal][components] at the points, 0 where one is not found. Collective. */
PetscErrorCode RhxPlacesInterpolate(RhxSpace space, const RhxPlaces *places, PetscInt components, const double *values,
                                    double *out);
#endif
