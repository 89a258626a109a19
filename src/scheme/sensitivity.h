/* What a steady state of scheme `steady` would be with another parameter. */
#ifndef RHX_SENSITIVITY_H
#define RHX_SENSITIVITY_H
#include "scheme/parameter.h"

typedef struct _p_RhxSensitivity *RhxSensitivity;

/* Of fourth order: a derivative is the sum of weight[k] times the value at place[k]. */
#define RHX_DIFFERENCE_POINTS 5
typedef struct {
  double place[RHX_DIFFERENCE_POINTS], weight[RHX_DIFFERENCE_POINTS];
} RhxDifference;
/* With steps h; way 0: about p, 1: from p upwards, -1: downwards. */
void RhxDifferenceSet(RhxDifference *d, double p, double h, int way);

/* About x, the steady state that the TS has: linearised and factored once. Collective, as all here. */
PetscErrorCode RhxSensitivityCreate(TS ts, Vec x, RhxSensitivity *s);
/* slope = dx/dp = -J^-1 dF/dp, J exact, what is given included; dF/dp at fixed x by differences d. Its value is p and stays. */
PetscErrorCode RhxSensitivitySolve(RhxSensitivity s, const RhxParameter *parameter, double p, const RhxDifference *d,
                                   Vec slope);
/* change = dF/dp at fixed x, by differences d. */
PetscErrorCode RhxSensitivityChange(RhxSensitivity s, const RhxParameter *parameter, double p, const RhxDifference *d,
                                    Vec change);
/* J^T adjoint = x + (dr/dx)^T w of a sum x.dx + w.dr, r(x) the reactions of the nodes (RhxSchemeFindReactions): along p it changes by
 * -adjoint.dF/dp. x is changed. Error unless RhxSensitivityHasAdjoint. */
PetscErrorCode RhxSensitivitySolveAdjoint(RhxSensitivity s, Vec x, Vec w, Vec adjoint);
PetscBool RhxSensitivityHasAdjoint(RhxForm form); /* projections are not corrected: their transposed is not there */
/* The parameter is p, and the TS's state x: what is asked of the scheme is of these. */
PetscErrorCode RhxSensitivityPlace(RhxSensitivity s, const RhxParameter *parameter, double p, Vec x);
PetscErrorCode RhxSensitivityDestroy(RhxSensitivity *s);
#endif
