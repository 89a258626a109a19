/* How fast what is given changes. */
#ifndef RHX_BOUNDARY_TIMESCALE_H
#define RHX_BOUNDARY_TIMESCALE_H
#include "boundary/boundary.h"

/* The shortest time in which something given changes between t and end, s: a known period, or that of the sine that changes as fast
 * (timescale.c), and the option that gives it; 0: nothing changes. Collective. */
typedef struct {
  double time;
  char option[256]; /* without '-' */
  PetscBool alike;  /* that of a sine, and shorter than the known period of its rows */
} RhxGivenTime;
PetscErrorCode RhxBoundaryGetShortestTime(RhxBoundary bc, double t, double end, RhxGivenTime *shortest);
/* The same of what one label gives. */
PetscErrorCode RhxBoundaryGetShortestTimeOf(RhxBoundary bc, const char *label, double t, double end,
                                            RhxGivenTime *shortest);
/* The times between t and end, ascending, at which something given jumps (the last number before it) or has a kink (breaks.c). Owned
 * by the caller. Collective. */
typedef struct _p_RhxBreaks *RhxBreaks;
PetscErrorCode RhxBoundaryFindBreaks(RhxBoundary bc, double t, double end, RhxBreaks *breaks);
PetscErrorCode RhxBreaksDestroy(RhxBreaks *breaks);
/* The last that is not later than t, or -infinity, and the next one, or infinity. */
void RhxBreaksAround(RhxBreaks breaks, double t, double *last, double *next);
/* Their number; time[] and the option of the first that was found, without '-', are borrowed; whether others have some too. */
PetscBool RhxBreaksAreMany(RhxBreaks breaks); /* too many to end steps at: then there are none */
PetscInt RhxBreaksGet(RhxBreaks breaks, const double **time, const char **option, PetscBool *others);
/* Of the rows that are i-th of what changes in time, s, and their option; 0: none; more: FALSE past the last. */
PetscErrorCode RhxBoundaryGetPeriod(RhxBoundary bc, PetscInt i, RhxGivenTime *period, PetscBool *more);
/* The same of rows that are taken once: from the first to the last. */
PetscErrorCode RhxBoundaryGetRowsOnce(RhxBoundary bc, PetscInt i, RhxGivenTime *span, PetscBool *more);
/* The longest period of rows that a condition repeats, s, and its option; 0: none does. */
PetscErrorCode RhxBoundaryGetRepeated(RhxBoundary bc, RhxGivenTime *longest);
/* Mean flow into all inlets from the end of their ramps on, m^3/s (2D: m^2/s): over the longest period of their rows, else up to `end`, or in whole
 * periods where it repeats: over span, which is one time where nothing changes; NaN: not known. Collective. */
PetscErrorCode RhxBoundaryGetMeanInflow(RhxBoundary bc, double t, double end, double *rate, double span[2]);
/* As the shortest time, of the options, which nothing has read, before there is a mesh: formulas of place in a cube of half width `size` about the
 * origin; and the longest ramp, s. Collective. */
PetscErrorCode RhxBoundaryLookAhead(MPI_Comm comm, double size, double t, double end, RhxGivenTime *shortest,
                                    double *ramp);
/* Is the mean velocity that is given at t kept, to a hundredth; of none TRUE. Collective. */
PetscErrorCode RhxBoundaryMeetsAim(RhxBoundary bc, double t, PetscBool *meets);
#define RHX_AT_ONCE 0.05 /* of its largest flow: what begins with more of it jumps */
/* The inlets without a ramp whose flow changes between t and end and does not begin near 0: its size at t over its largest. Collective. */
PetscErrorCode RhxBoundaryGetJumps(RhxBoundary bc, double t, double end, RhxTold *jumps);
/* The same of -form_mean_velocity; 0: it begins near 0, does not change, or there is none. */
PetscErrorCode RhxBoundaryGetMeanJump(RhxBoundary bc, double t, double end, double *part);
/* The end of the longest ramp, or t if that is later. */
double RhxBoundaryGetRampsEnd(RhxBoundary bc, double t);
/* Of initial formulas in t, which is the time of the start, t. Collective. */
PetscErrorCode RhxBoundaryWarnOfInitialTime(RhxBoundary bc, double t);
#endif
