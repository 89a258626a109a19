/* What scheme `steady` has of a continuation, and what a climb does with it. */
#ifndef RHX_STEADY_IMPL_H
#define RHX_STEADY_IMPL_H
#include "scheme/arclength_impl.h"
#include "scheme/range_impl.h"
#include "scheme/watch_impl.h"

#define RHX_MOST_STATES 3 /* that a next one is extrapolated from */
#define RHX_STEADY_HINT                                    \
  "a pseudo-transient start (-scheme_steady_dt), a state " \
  "nearer to it (-case_restart from a run with smaller parameters)"

typedef struct {
  RhxNewton nt;
  RhxRange range;             /* of the continuation */
  double time;                /* at which conditions and sources are taken, s */
  double value, way;          /* of the last state; to the next one */
  PetscBool begun;            /* there is a last state */
  PetscBool climbs;           /* it is that of a climb, in sc->x */
  PetscBool found;            /* the state is of a step, not of a checkpoint */
  PetscInt halvings;          /* of the way, at present */
  PetscInt nstates;           /* last ones that are kept, the last first: */
  double at[RHX_MOST_STATES]; /* their values; */
  Vec state[RHX_MOST_STATES]; /* [global] */
  RhxArc arc;                 /* of a continuation by arc length, NULL: by value */
  double first;               /* length of its first step */
  double reached;             /* arc length of the last state, in units of the parameter */
  PetscInt points;            /* found by it */
  RhxWatch watch;             /* of bifurcations that it passes; NULL: no continuation */
  double *kept;               /* [NKEPT + nfields], of the last state; KEPT_WAY 0: none */
} RhxSteady;

/* From sc->x to st->nt->x. */
PetscErrorCode RhxSteadySolve(RhxScheme sc, RhxSteady *st, PetscBool *solved);
PetscErrorCode RhxSteadyRemember(RhxSteady *st, double value); /* nt->x is the state of a value */
/* One value of the continuation, or one nearer to the last; failed: "", or at which value and after which none is reached. */
PetscErrorCode RhxSteadyFollow(RhxScheme sc, RhxSteady *st, size_t size, char *failed);
/* Newton's method did not converge from the first state: parameters of the case grow to their values, one after another, until one leads
 * there. Not solved: the case has none, or the state is one to rounding; an error: none leads there, of the last one. */
PetscErrorCode RhxSteadyClimb(RhxScheme sc, RhxSteady *st, PetscBool *solved);
#endif
