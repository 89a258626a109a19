/* A flow whose mean velocity is given (-form_mean_velocity): the force F that keeps it is an unknown of Newton's method.
 *
 *   R(x, F) = 0 where x is free, mean of e.u = U(t);  J (dx, dF) = (dR/dx dx + dR/dF dF, mean of e.du)
 *
 * R is linear in F. One pressure of a closed flow is held, for its level is free: in its place of the vectors stands F in a unit of
 * its own, in its row the mean. */
#ifndef RHX_DRIVEN_IMPL_H
#define RHX_DRIVEN_IMPL_H
#include "step/ops.h"

typedef struct _RhxDriven *RhxDriven;
struct _RhxDriven {
  RhxOps ops; /* borrowed, as bc */
  RhxBoundary bc;
  PetscInt at;             /* the place in this rank's part of the vectors, -1: on another rank */
  double level;            /* the pressure there, Pa */
  double share;            /* the unknown: F over unit, m/s */
  double kept;             /* F of a state that may be begun with again, N/m^3 */
  double unit;             /* kg/(m^3 s) */
  double volume;           /* m^3 in space */
  double row;              /* the row: this times the mean less U, kg/s in space */
  double answer;           /* of the row to the unknown, about, kg/s */
  double aim;              /* U, m/s */
  const double *direction; /* [dim] e, borrowed */
  PetscBool adrift;        /* nothing gives the velocity along e: with F and the mean apart P would be singular */
  Vec slope;               /* dR/d(share), R by the caller */
  Vec weight;              /* the mean of x is the product with it */
};

/* Of a step whose rates take part of momentum by `inertia`, rho over about its length, kg/(m^3 s); as made 0, of a flow at rest. */
void RhxDrivenScale(RhxDriven driven, double inertia);
/* *driven NULL: the mean velocity is not given. Collective, as all here. */
PetscErrorCode RhxDrivenCreate(RhxOps ops, PetscInt at, RhxDriven *driven);
PetscErrorCode RhxDrivenDestroy(RhxDriven *driven);
/* The force that acts now is that of the state, at which attempts begin; RhxDrivenRecall: it acts again. driven NULL: nothing. */
PetscErrorCode RhxDrivenKeep(RhxDriven driven), RhxDrivenRecall(RhxDriven driven);
PetscErrorCode RhxDrivenFromState(RhxDriven driven, Vec x); /* a state becomes unknowns, with the force that acts now */
/* a[nlocal][bs], loaded from unknowns: the held pressure in its place, which in rates and directions is 0. */
PetscErrorCode RhxDrivenRelease(RhxDriven driven, double pressure, RhxArray a);
PetscErrorCode RhxDrivenSwap(RhxDriven driven, Vec x); /* the held pressure with the unknown in its place */
PetscErrorCode RhxDrivenTake(RhxDriven driven, Vec x, double *share); /* of unknowns, on every rank */
PetscErrorCode RhxDrivenPut(RhxDriven driven, double value, Vec x);   /* in the unknown's place */
/* From the next RhxBoundarySetTime on that force acts. */
PetscErrorCode RhxDrivenSetForce(RhxDriven driven, double share);
double RhxDrivenStep(RhxDriven driven);                           /* of a difference that the residual does not drown */
PetscErrorCode RhxDrivenResidual(RhxDriven driven, Vec x, Vec f); /* its row of f */
PetscErrorCode RhxDrivenMultiply(RhxDriven driven, Vec v, Vec y); /* what the force adds to y = J v, and the row */
/* Of a flow adrift: friction along e in P, F over its velocity, which stands for the row of the mean. Before given rows are set. */
PetscErrorCode RhxDrivenHold(RhxDriven driven, Mat P);
/* Its row of P, that of the held pressure: what the flow answers the force with, about, on the diagonal. */
PetscErrorCode RhxDrivenPrecondition(RhxDriven driven, Mat P);
#endif
