/* Times and viscosities of the laws, before there is a mesh; shifted as the usual values of scalar fields do (form/scalars.h). */
#ifndef RHX_RELAXATION_H
#define RHX_RELAXATION_H
#include "form/form.h"

/* The longest relaxation time of the modes at rest, s; 0: there are none. */
PetscErrorCode RhxFormRelaxationTime(RhxForm form, double *longest);
PetscErrorCode RhxFormRelaxationTimeOf(RhxForm form, PetscInt mode, double *lambda);
/* Of the solvent at this shear rate, 1/s, and of the modes at rest, Pa s. */
PetscErrorCode RhxFormViscosityAt(RhxForm form, double rate, double *eta);
#define RHX_YIELDING 0.1 /* of this slope: a viscosity of the step before makes flow swing for ever (time-step.md) */
/* Shear stress over shear rate of small oscillations exp(i omega t), omega in 1/s, real and imaginary part, Pa s: of the solvent at rest and the
 * sum of eta/(1 + i omega lambda) over the modes (Bird, Armstrong, Hassager, Dynamics of Polymeric Liquids 1, eq. 5.3-7). */
PetscErrorCode RhxFormComplexViscosity(RhxForm form, double omega, double eta[2]);
/* The first law whose shear stress in unidirectional shear, in time and up to Wi 1, is not that linear one; NULL: none. */
PetscErrorCode RhxFormFindNonlinearInShear(RhxForm form, const char **law);
/* Of the solvent, the least slope d ln(stress)/d ln(rate) between a hundredth of the rate and the rate, 1/s; 1: of a constant viscosity. */
PetscErrorCode RhxFormLeastSlope(RhxForm form, double rate, double *slope);
/* In steady shear, of laws that are shifted (scalars.h), the stress along the gradient, of all modes, over the shear stress of all laws; 0 where
 * a law has no such state. */
PetscErrorCode RhxFormCrossStress(RhxForm form, double rate, const double shift[2], double *ratio);
/* The first law whose rate does not commute with the conformation, so that there is no log c of it; NULL: none. */
PetscErrorCode RhxFormFindUncommuting(RhxForm form, const char **law);
/* The row of the viscous law's parameter by which it varies most about this rate (nonlinear.c), from a value with which it does less to its
 * own; NULL: it has none. */
PetscErrorCode RhxFormFindNonlinear(RhxForm form, double rate, const RhxRow **row, double *from, double *to);
/* Is there no viscosity at rest, of a solvent that has one at 1 1/s? Then `what` says so, and what gives it one. */
PetscErrorCode RhxFormIsInviscidAtRest(RhxForm form, size_t size, char *what, PetscBool *inviscid);
/* RhxPointGrowth of a mode at L[m][m] and c[ntens]; m 3: of space, or with the hoop. */
PetscErrorCode RhxFormGrowth(RhxForm form, PetscInt mode, PetscInt m, const double *L, const PetscScalar *c,
                             double near, double *growth);
#endif
