/* What the matrices of implicit momentum of host and device share. */
#ifndef RHX_FORM_IMPLICIT_IMPL_H
#define RHX_FORM_IMPLICIT_IMPL_H
#include "form/form.h"

/* Factor of the viscosity in the matrix: 1, or what the extrapolated part of the viscous term asks for. */
double RhxFormImplicitViscosity(RhxForm form);
#endif
