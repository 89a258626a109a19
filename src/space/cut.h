/* The part of the domain's elements in a plane, in the plane of a 2D mesh along a line. */
#ifndef RHX_SPACE_CUT_H
#define RHX_SPACE_CUT_H
#include "space/locate.h"

/* Elements of this rank that are cut, as places of one point: over the cut the integral of a field with the values f at the nodes of
 * place i is sum_a places->N[8 i + a] f_a, that of the product of two is sum_ab product[64 i + 8 a + b] f_a g_b. m^2, in plane flow m;
 * axisymmetric what a line sweeps, m^2. */
typedef struct {
  RhxPlaces *places;
  PetscReal *product;
  PetscReal area;    /* of all ranks */
  PetscBool severed; /* the radius cuts through it: elements beside those that count are left out */
} RhxCut;

/* Through point[dim] across the unit vector normal[dim], of elements whose centres are within `radius` of the point, 0: all. A face in the plane, or
 * within 1e-7 of the mesh's extent of it, is counted once, with the element behind it; where no element is behind, with those in front. Sides of
 * hexahedra are taken for plane. Collective. */
PetscErrorCode RhxSpaceCut(RhxSpace space, const PetscReal *point, const PetscReal *normal, PetscReal radius,
                           RhxCut **cut);
PetscErrorCode RhxCutDestroy(RhxCut **cut);
#endif
