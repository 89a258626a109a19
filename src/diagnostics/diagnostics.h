/* What is measured on a state: forces by consistent reactions, wall shear stress, fluxes, conformation health. */
#ifndef RHX_DIAGNOSTICS_H
#define RHX_DIAGNOSTICS_H
#include "boundary/boundary.h"

/* Force of the fluid on the boundary label: minus the sum of the raw momentum residual (plus mass times rate) over the
 * nodes whose velocity the label gives. x, xdot: global state and rate (NULL: steady). Collective. N (per m in 2D). */
PetscErrorCode RhxForces(RhxForm form, RhxBoundary bc, const char *label, double t, Vec x, Vec xdot, double force[3]);
/* Volume flux integral of u.n over a label by quadrature, m^3/s. */
PetscErrorCode RhxFlux(RhxForm form, const char *label, Vec x, double *flux);
/* Flux out of minus flux into the domain over the inflow, by quadrature over every label: the relative mass error. */
PetscErrorCode RhxMassError(RhxForm form, Vec x, double *error);

/* Wall shear stress along a wall: traction from the consistent reactions and the label's boundary mass matrix. */
typedef struct {
  PetscInt n;        /* rank 0 holds all nodes of the label, in order of arc length in 2D; 0 elsewhere */
  PetscReal *s, *x;  /* [n] arc length from the first node, m; [n][dim] */
  PetscReal *wss;    /* [n][dim] tangential traction of the fluid on the wall, Pa */
  PetscReal *shear;  /* [n] signed wall shear rate in 2D (positive: flow along increasing arc length); magnitude in 3D, 1/s */
  PetscReal *pressure; /* [n] nodal pressure, Pa */
  PetscInt nsep, nreat; /* 2D: sign changes of shear, separation (+ to -) and reattachment (- to +) */
  PetscReal *sep, *reat; /* [nsep][dim], [nreat][dim] positions by linear interpolation */
} RhxWall;
PetscErrorCode RhxWallCreate(RhxForm form, RhxBoundary bc, const char *label, double t, Vec x, Vec xdot, RhxWall **wall);
PetscErrorCode RhxWallWrite(const RhxWall *wall, PetscInt dim, const char *file, double velocity, double length);
PetscErrorCode RhxWallDestroy(RhxWall **wall);

/* Smallest eigenvalue of c over nodes and modes, its place, and the number of nodes that are not positive definite. */
typedef struct {
  double min_eigenvalue, x[3], max_trace;
  PetscInt mode, nbad;
} RhxConformationHealth;
PetscErrorCode RhxConformationCheck(RhxForm form, Vec x, RhxConformationHealth *health);
/* Error if a value of x is not finite: names field, place, time, dt, local Wi. Collective. */
PetscErrorCode RhxCheckFinite(RhxForm form, Vec x, double t, double dt, double wi, PetscBool *finite, char message[512]);
#endif
