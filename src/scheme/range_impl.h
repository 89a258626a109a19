/* The values of a continuation, option=from:by:to, in a parameter of the case. */
#ifndef RHX_RANGE_IMPL_H
#define RHX_RANGE_IMPL_H
#include "scheme/parameter.h"
#include "scheme/type_impl.h"

typedef struct {
  RhxParameter how;
  const RhxRow *row;   /* borrowed; NULL: of none, and of the time */
  double from, by, to; /* as given */
} RhxRange;

/* "": none. Errors of what is no parameter of the case, or not at an end. Collective. */
PetscErrorCode RhxRangeRead(RhxScheme sc, const char *text, RhxRange *range);
/* What the laws get for a value, which may be an open bound of the parameter; and the value that the laws have as this one. */
double RhxRangeTaken(const RhxRange *range, double value);
double RhxRangeCalled(const RhxRange *range, double value);
/* Continuations "option=from:by:to" that may lead to the case's parameters from where Newton's method converges, the likelier first: in the
 * density where inertia is large, in the longest relaxation time of a law, in what makes the viscosity vary. */
#define RHX_MOST_CLIMBS 3
#define RHX_CLIMB_TEXT 512
#define RHX_ADVICE (RHX_CLIMB_TEXT + 600) /* bytes */
PetscErrorCode RhxRangeFindClimbs(RhxForm form, PetscInt *n, char range[RHX_MOST_CLIMBS][RHX_CLIMB_TEXT]);
/* What leads to a state: a viscosity at rest where there is none, `hint`, or the first of these continuations or, where there is none, one
 * in the time of conditions. */
PetscErrorCode RhxRangeAdvise(RhxForm form, const char *hint, size_t size, char *text);
#endif
