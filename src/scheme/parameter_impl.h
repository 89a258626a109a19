/* What a continuation changes: a parameter of a law or a stabiliser, the density, or the time at which what is given is taken. */
#ifndef RHX_PARAMETER_IMPL_H
#define RHX_PARAMETER_IMPL_H
#include "scheme/type_impl.h"

#define RHX_PARAMETER_TIME "t"

typedef struct {
  char option[256];    /* without '-'; "": none, */
  PetscBool time;      /* or RHX_PARAMETER_TIME */
  const RhxRow *row;   /* borrowed; NULL: of none, and of the time */
  double from, by, to; /* as given */
  PetscInt nmodes;     /* values of it in the case */
  double *ratio;       /* [nmodes], to the largest; NULL: one value for all modes */
} RhxParameter;

/* Of option=from:by:to; "": none. Errors of what is not a parameter of the case. Collective, as RhxParameterSet. */
PetscErrorCode RhxParameterRead(RhxScheme sc, const char *text, RhxParameter *pm);
PetscErrorCode RhxParameterDestroy(RhxParameter *pm);
/* What the laws get for a value, which may be an open bound of it; and the value that the laws have as this one. */
double RhxParameterTaken(const RhxParameter *pm, double value);
double RhxParameterCalled(const RhxParameter *pm, double value);
/* An option of the case, and all that follows from it; pm: of a continuation, which may be that of another option. */
PetscErrorCode RhxParameterSet(RhxScheme sc, const RhxParameter *pm, const char *option, double value);
#endif
