/* Scalar fields of a form: the level about which one varies, and what they do to the laws. */
#ifndef RHX_FORM_SCALARS_H
#define RHX_FORM_SCALARS_H
#include "form/form.h"

/* What is given as a number for the first state, before there is a mesh to say what a formula means. */
PetscErrorCode RhxFormFindUsual(RhxForm form);
/* Mean of the initial values of scalar field k, and so the level of one that varies about its start; before the first pass. */
PetscErrorCode RhxFormSetUsual(RhxForm form, PetscInt k, PetscReal mean);
/* Shift factors of the laws' times and of the solvent's viscosity besides (kernels/shift.h) at fields[nscalars]. */
PetscErrorCode RhxFormShift(RhxForm form, const PetscReal *fields, PetscReal factor[2]);
/* The same at the means of the initial values, or what is known of them before there is a mesh; else 1. */
PetscErrorCode RhxFormUsualShift(RhxForm form, PetscReal factor[2]);
/* The factor of times, by field k alone, at 1 above the parameter that it begins with, when `more` is added to that one; 1: it is none. */
PetscErrorCode RhxFormShiftAbove(RhxForm form, PetscInt k, PetscReal more, PetscReal *factor);
/* Of field k, m^2/s, at values of their scales; 0 where it reads the flow. The least of those but the azimuthal velocity's; none:
 * PETSC_MAX_REAL. */
PetscErrorCode RhxFormDiffusivity(RhxForm form, PetscInt k, PetscReal *D);
PetscErrorCode RhxFormLeastDiffusivity(RhxForm form, PetscReal *least);
/* What field k gets of work of friction, W/m^3 or W/m^2: in its unit times m^3/J, at usual values; 0: its plugin is without RHX_WARMS. */
PetscErrorCode RhxFormWarming(RhxForm form, PetscInt k, double *rate);
/* Formula of a text for scalar field k: where it names a REAL parameter of the field's plugin, that one's value. */
void RhxFormScalarFormula(RhxForm form, PetscInt k, const char *text, size_t size, char *formula);
PetscBool RhxFormShiftReads(RhxForm form, PetscInt field); /* do the factors hang on it? */
#endif
