/* What a steady state of scheme `steady` would be with another parameter of a law. */
#ifndef RHX_SENSITIVITY_H
#define RHX_SENSITIVITY_H
#include "scheme/scheme.h"

typedef struct _p_RhxSensitivity *RhxSensitivity;

/* About x, the steady state that the TS has: linearised and factored once. Collective, as all here. */
PetscErrorCode RhxSensitivityCreate(TS ts, Vec x, RhxSensitivity *s);
/* slope = dx/dp = -J^-1 dF/dp, what is given included; dF/dp at fixed x by differences of fourth order with steps h. option:
 * without '-', a parameter of a law, whose value is p and stays. */
PetscErrorCode RhxSensitivitySolve(RhxSensitivity s, const char *option, double p, double h, Vec slope);
/* The parameter is p, and the TS's state x: what is asked of the scheme is of these. */
PetscErrorCode RhxSensitivityPlace(RhxSensitivity s, const char *option, double p, Vec x);
PetscErrorCode RhxSensitivityDestroy(RhxSensitivity *s);
#endif
