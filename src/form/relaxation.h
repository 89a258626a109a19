/* Times and viscosities of the laws, before there is a mesh; shifted as the usual values of scalar fields do (form/scalars.h). */
#ifndef RHX_RELAXATION_H
#define RHX_RELAXATION_H
#include "form/form.h"

/* The longest relaxation time of the modes at rest, s; 0: there are none. */
PetscErrorCode RhxFormRelaxationTime(RhxForm form, double *longest);
PetscErrorCode RhxFormRelaxationTimeOf(RhxForm form, PetscInt mode, double *lambda);
/* Of the solvent at this shear rate, 1/s, and of the modes at rest, Pa s. */
PetscErrorCode RhxFormViscosityAt(RhxForm form, double rate, double *eta);
/* The row of the viscous law's parameter by which it varies most about this rate (nonlinear.c), from a value with which it does less to its
 * own; NULL: it has none. */
PetscErrorCode RhxFormFindNonlinear(RhxForm form, double rate, const RhxRow **row, double *from, double *to);
/* Is there no viscosity at rest, of a solvent that has one at 1 1/s? Then `what` says so, and what gives it one. */
PetscErrorCode RhxFormIsInviscidAtRest(RhxForm form, size_t size, char *what, PetscBool *inviscid);
/* RhxPointGrowth of a mode at L[m][m] and c[ntens]; m 3: of space, or with the hoop. */
PetscErrorCode RhxFormGrowth(RhxForm form, PetscInt mode, PetscInt m, const double *L, const PetscScalar *c,
                             double near, double *growth);
#endif
