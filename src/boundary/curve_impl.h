/* Flow curve: the steady shear stress T of all laws of a form together against the shear rate g. */
#ifndef RHX_CURVE_IMPL_H
#define RHX_CURVE_IMPL_H
#include "form/form.h"

typedef struct _p_RhxCurve *RhxCurve;

typedef struct {
  double g, T, J; /* 1/s, Pa; J = int_0^g T dg */
} RhxCurvePlace;

/* Nothing here is collective. */
PetscErrorCode RhxCurveCreate(RhxForm form, RhxCurve *curve);
/* Asks the laws up to g at least, the first time from a small part of the typical rate on, 1/s. Errors, of PETSC_COMM_SELF: T falls, no
 * steady shear; what was found below stays. */
PetscErrorCode RhxCurveExtend(RhxCurve curve, double g, double typical);
PetscBool RhxCurveIsEmpty(RhxCurve curve);
PetscInt RhxCurveGetStresses(RhxCurve curve, const double **T); /* of the rates asked for, rising from 0; borrowed */
double RhxCurveGetFastest(RhxCurve curve);                      /* of these rates */
/* At g >= 0, beyond the last rate on a straight line; slope: dT/dg, may be NULL. */
RhxCurvePlace RhxCurveAtRate(RhxCurve curve, double g, double *slope);
RhxCurvePlace RhxCurveAtStress(RhxCurve curve, double T, double *slope); /* at most that of the last rate */
void RhxCurveForget(RhxCurve curve);                                     /* a law has changed */
PetscErrorCode RhxCurveDestroy(RhxCurve *curve);
#endif
