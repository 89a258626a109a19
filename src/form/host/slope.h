/* Prescribed tractions that follow the velocity, by their slopes (faceterm.h), in derivatives of the form on the host. */
#ifndef RHX_SLOPE_H
#define RHX_SLOPE_H
#include "form/form.h"
#include "form/host/insert.h"

/* r[nlocal][bs] -= integral N_a slope v, of this rank's faces */
void RhxSlopesAddProduct(RhxForm form, const PetscScalar *v, PetscScalar *r);
/* -integral N_a N_b slope into a matrix of node blocks */
PetscErrorCode RhxSlopesAddMatrix(RhxForm form, const RhxInsert *in);
#endif
