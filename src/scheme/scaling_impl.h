/* The units of Newton's method. Its unknowns z = x/C and rows R F(C z) have no dimension, so that norms, factors and what splits make of
 * them are those of the flow, whatever units its case has. C and R are one number a field; C is a power of 2, so that states are not
 * rounded.
 *
 *   velocity  U                    momentum    1/(S A)
 *   pressure  eta U/h + rho U^2    continuity  1/(U A)
 *   mode      g We/(1 + We)        mode        1/(S U A) in stress, 1/(U A)     We = lambda U/h; g: the modulus (stress) or 1
 *   scalar    its scale s          scalar      1/(s U A)
 *
 * h: mean distance of nodes, L: size of the domain, A: its measure over L, S = max(eta U/L, rho U^2); rows of given values have 1/C. Where U, L and S are
 * between 1/100 and 100 all are 1.
 * R is of the whole flow: weighed by what a cell adds, line searches from rest end in other states or in none (vortex_breakdown). */
#ifndef RHX_SCALING_IMPL_H
#define RHX_SCALING_IMPL_H
#include "scheme/equations_impl.h"

typedef struct _RhxScaling *RhxScaling;

/* From laws and conditions as they are now; oblique rows get their weight. Collective. */
PetscErrorCode RhxScalingCreate(RhxEquations eq, RhxScaling *scaling);
PetscErrorCode RhxScalingDestroy(RhxScaling *scaling);
PetscErrorCode RhxScalingToState(RhxScaling sg, Vec z, Vec x);     /* x = C z; they may be the same */
PetscErrorCode RhxScalingFromState(RhxScaling sg, Vec x, Vec z);   /* z = x/C */
PetscErrorCode RhxScalingRows(RhxScaling sg, Vec f);               /* f = R f */
PetscErrorCode RhxScalingRowsBack(RhxScaling sg, Vec f);           /* f = f/R */
PetscErrorCode RhxScalingNorm(RhxScaling sg, Vec f, double *norm); /* |R f| */
PetscErrorCode RhxScalingMatrix(RhxScaling sg, Mat P);             /* P = R P C */
double RhxScalingUnit(RhxScaling sg, PetscInt c);                  /* C of component c of a node */
/* *J = R J C by products, and a matrix that is P itself. What acts is eq->J. */
PetscErrorCode RhxScalingCreateJacobian(RhxScaling sg, Mat *J);
#endif
