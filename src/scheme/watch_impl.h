/* Bifurcations that a continuation passes: where the sign of det J changes an odd number of real eigenvalues went through zero.
 *
 * Where J is P the sign is that of its factors; where stabilisers project or pressures follow a flux that of S (bordered_impl.h), det S = det M_a det J.
 * A pair that becomes unstable together, as at a Hopf bifurcation, leaves it as it is. */
#ifndef RHX_WATCH_IMPL_H
#define RHX_WATCH_IMPL_H
#include "scheme/bordered_impl.h"
#include "scheme/newton_impl.h"

enum { RHX_PASSED_NONE, RHX_PASSED_FOLD, RHX_PASSED_BRANCH, RHX_PASSED_BOTH };

typedef struct _RhxWatch *RhxWatch;
struct _RhxWatch {
  RhxNewton nt;        /* borrowed */
  const char *option;  /* the parameter, borrowed */
  double value;        /* of the last state, */
  int sign;            /* and of det J there; 0: not known */
  PetscBool arc;       /* states follow each other along their branch */
  PetscBool silent;    /* it was told why there is none, or is not asked for */
  Mat P;               /* NULL until it is needed, */
  RhxBordered factors; /* as these, of S with it */
};

/* on: without it folds alone are told. After the solver of nt has its options. Collective, as all here. */
PetscErrorCode RhxWatchCreate(RhxNewton nt, const char *option, PetscBool arc, PetscBool on, RhxWatch *watch);
PetscErrorCode RhxWatchDestroy(RhxWatch *watch);
/* nt->x is the state of a value, the next of the continuation: what was passed on the way to it, told. fresh: nt's factors are those of J there; fold: where
 * the parameter turned on the way, or NULL. watch NULL: of no continuation. */
PetscErrorCode RhxWatchTake(RhxWatch watch, double value, PetscBool fresh, const double *fold, int *passed);
#endif
