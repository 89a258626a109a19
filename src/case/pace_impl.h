/* How fast a run goes, by its last steps: seconds a step, and how the rate that -stop_steady_tol looks at decays. */
#ifndef RHX_PACE_IMPL_H
#define RHX_PACE_IMPL_H
#include <petscsys.h>

typedef struct {
  double seconds, steps, rate; /* wall clock; number of the step; larger of the two rates */
} RhxPaceMark;

typedef struct {
  RhxPaceMark mark[2], now; /* of the last RHX_PACE_WINDOW to twice that: the older first */
} RhxPace;

#define RHX_PACE_WINDOW 5.0 /* seconds */

void RhxPaceBegin(RhxPace *pace, double seconds, double step);
/* After a step. */
void RhxPaceStep(RhxPace *pace, double seconds, double step, double rate);
/* Seconds until so many further steps are done; negative: not known. */
double RhxPaceOfSteps(const RhxPace *pace, double steps);
/* Seconds until the rate is down to tol, as it decays now; negative: not known. */
double RhxPaceOfDecay(const RhxPace *pace, double tol);
#endif
