/* What is linear in the values at a label's nodes: weights of the geometry that are found once, for its value and its derivative. */
#ifndef RHX_DIAGNOSTICS_FUNCTIONAL_IMPL_H
#define RHX_DIAGNOSTICS_FUNCTIONAL_IMPL_H
#include "diagnostics/named.h"

typedef struct RhxFunctional_s *RhxFunctional;
/* Volume flux out of the domain, integral of u.n, m^3/s; mean pressure, Pa, of a label with an area. Collective, as the rest. */
PetscErrorCode RhxFunctionalCreateFlux(RhxSpace space, const char *label, RhxFunctional *f);
PetscErrorCode RhxFunctionalCreateMeanPressure(RhxSpace space, const char *label, RhxFunctional *f);
/* Of the last step's end: from a device the label's nodes travel. */
PetscErrorCode RhxFunctionalEvaluate(RhxFunctional f, TS ts, double *value);
/* Adds factor times its derivative with respect to the state to a global Vec of node blocks. */
PetscErrorCode RhxFunctionalAddGradient(RhxFunctional f, double factor, Vec x);
PetscErrorCode RhxFunctionalDestroy(RhxFunctional *f);

/* Of a kind of diagnostic with a column <label>_<end> for each label: its options, and what its descriptor has besides `setup`. */
typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  RhxFunctional *of;      /* [labels] owned */
} RhxLabelFunctionals;
PetscErrorCode RhxLabelFunctionalsSetUp(RhxDiagnostic *d, const char *end, const char *unit,
                                        PetscErrorCode (*create)(RhxSpace, const char *, RhxFunctional *));
PetscErrorCode RhxLabelFunctionalsEvaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values);
PetscErrorCode RhxLabelFunctionalsGradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there);
PetscErrorCode RhxLabelFunctionalsDestroy(RhxDiagnostic *d);
#define RHX_LABEL_FUNCTIONALS                                                                                     \
  .nrows = 1, .rows = &RhxLabelRow, .size = sizeof(RhxLabelFunctionals), .evaluate = RhxLabelFunctionalsEvaluate, \
  .gradient = RhxLabelFunctionalsGradient, .destroy = RhxLabelFunctionalsDestroy
#endif
