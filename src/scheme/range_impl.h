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
/* The longest relaxation time that a law was given, of all modes, and its option; 0: none. */
PetscErrorCode RhxRangeFindTime(size_t size, char *option, double *longest);
/* What leads to a state: a viscosity at rest where there is none, `hint`, or a continuation in that time or, where there is none, in the
 * parameter that makes the solvent's viscosity vary or, where none does, in the time of conditions. */
PetscErrorCode RhxRangeAdvise(RhxForm form, const char *hint, size_t size, char *text);
#endif
