/* What is linear in the values at a label's nodes: weights of the geometry that are found once, for its value and its derivative. */
#ifndef RHX_DIAGNOSTICS_FUNCTIONAL_IMPL_H
#define RHX_DIAGNOSTICS_FUNCTIONAL_IMPL_H
#include "scheme/scheme.h"

typedef struct RhxFunctional_s *RhxFunctional;
/* Volume flux out of the domain, integral of u.n, m^3/s; mean pressure, Pa, of a label with an area. Collective, as the rest. */
PetscErrorCode RhxFunctionalCreateFlux(RhxSpace space, const char *label, RhxFunctional *f);
PetscErrorCode RhxFunctionalCreateMeanPressure(RhxSpace space, const char *label, RhxFunctional *f);
/* Of the last step's end: from a device the label's nodes travel. */
PetscErrorCode RhxFunctionalEvaluate(RhxFunctional f, TS ts, double *value);
/* Adds factor times its derivative with respect to the state to a global Vec of node blocks. */
PetscErrorCode RhxFunctionalAddGradient(RhxFunctional f, double factor, Vec x);
PetscErrorCode RhxFunctionalDestroy(RhxFunctional *f);
#endif
