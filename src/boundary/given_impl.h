/* What is given in time, for those that look at how it changes. */
#ifndef RHX_BOUNDARY_GIVEN_IMPL_H
#define RHX_BOUNDARY_GIVEN_IMPL_H
#include "boundary/timescale.h"
#include "boundary/waveform_impl.h"

#define RHX_GIVEN_PLACES 4

/* A formula, or a waveform. */
typedef struct {
  RhxFormula formula;
  RhxWaveform waveform;
  const char *option, *text;
  PetscInt dim, n; /* places x[n][dim] of the formula, or values of the waveform */
  PetscReal x[3 * RHX_GIVEN_PLACES];
} RhxGiven;

PetscErrorCode RhxGivenEvaluate(const RhxGiven *g, double t, PetscReal value[RHX_GIVEN_PLACES]);
/* Adds the jumps of what is given between t and end, and the kinks at numbers of its text. */
PetscErrorCode RhxBreaksAdd(RhxBreaks breaks, const RhxGiven *g, double t, double end);
/* Of rows of a file: the kinks of straight lines between them, in every period. */
PetscErrorCode RhxBreaksAddRows(RhxBreaks breaks, const RhxGiven *g, double t, double end);
PetscErrorCode RhxBreaksCreate(RhxBreaks *breaks);
void RhxBreaksSort(RhxBreaks breaks, double begin, double span); /* once all are added; what begins is none */
#endif
