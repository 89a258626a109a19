/* Times of the laws at rest, before there is a mesh. */
#ifndef RHX_RELAXATION_H
#define RHX_RELAXATION_H
#include "form/form.h"

/* The longest relaxation time of the modes at rest, s; 0: there are none. */
PetscErrorCode RhxFormRelaxationTime(RhxForm form, double *longest);
PetscErrorCode RhxFormRelaxationTimeOf(RhxForm form, PetscInt mode, double *lambda);
#endif
