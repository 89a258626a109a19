/* When a preconditioner is set up anew, for any of them: between set-ups it is kept, and the matrix is not assembled either.
 *
 *   demand      the sum since the last set-up of its - its_fresh, 0 at least, is beyond x, the iterations that a set-up is worth by its time
 *   iterations  its of the last solve > a + b its_fresh
 *   cfl         its of the last solve > a + b CFL, CFL that of the step
 *
 * its_fresh: of the first solve after a set-up that has the same place in its step, as the first, the second, ... iteration of
 * Newton's method: their right-hand sides differ; but at most twice that of the first solve of all, and ten, and what the place took
 * when it was the first after a set-up, for by its turn the factors have aged; times the digits that a solve is asked for over those
 * that this one was, for Newton's method asks for more and more. In `steady` all have one place: its state moves from one to the next.
 * Where a solve of as many digits takes fewer, its_fresh goes half the way there, and the sum does not fall below 0: a first step from
 * rest is no measure of those that follow. Each of the three also where a solve took more than half of its cap, or failed; so
 * `interval` where it failed. */
#ifndef RHX_RENEW_IMPL_H
#define RHX_RENEW_IMPL_H
#include "plugin/option.h"
#include <petscksp.h>
#include <stddef.h>

typedef enum {
  RHX_RENEW_DEMAND,
  RHX_RENEW_ITERATIONS,
  RHX_RENEW_CFL,
  RHX_RENEW_INTERVAL,
  RHX_RENEW_ALWAYS,
  RHX_RENEW_NEVER
} RhxRenewPolicy;

#define RHX_RENEW_PLACES 8

/* What a scheme's options say of it: `renew` in its struct of options. */
typedef struct {
  int policy, interval;
  double a, b, x;
} RhxRenewOptions;
#define RHX_RENEW_ROWS(type, at, automatic)                                                                      \
  {"pc_renew",                                                                                                   \
   RHX_CHOICE,                                                                                                   \
   0,                                                                                                            \
   offsetof(type, at.policy),                                                                                    \
   automatic,                                                                                                    \
   RHX_ANY,                                                                                                      \
   0,                                                                                                            \
   0,                                                                                                            \
   "demand|iterations|cfl|interval|always|never",                                                                \
   "",                                                                                                           \
   "when the preconditioner is set up anew: when iterations beyond those of a fresh one have cost as much as a " \
   "set-up; when a solve took more than a + b times the iterations of a fresh one; more than a + b CFL; every "  \
   "interval-th solve; before every solve; once. The same as -pc_renew"},                                        \
      {"pc_renew_a",                                                                                             \
       RHX_REAL,                                                                                                 \
       0,                                                                                                        \
       offsetof(type, at.a),                                                                                     \
       "25",                                                                                                     \
       RHX_GE,                                                                                                   \
       0,                                                                                                        \
       0,                                                                                                        \
       NULL,                                                                                                     \
       "1",                                                                                                      \
       "a of pc_renew iterations and cfl"},                                                                      \
      {"pc_renew_b",                                                                                             \
       RHX_REAL,                                                                                                 \
       0,                                                                                                        \
       offsetof(type, at.b),                                                                                     \
       "1.5",                                                                                                    \
       RHX_GE,                                                                                                   \
       0,                                                                                                        \
       0,                                                                                                        \
       NULL,                                                                                                     \
       "1",                                                                                                      \
       "b of pc_renew iterations and cfl"},                                                                      \
      {"pc_renew_x",                                                                                             \
       RHX_REAL,                                                                                                 \
       0,                                                                                                        \
       offsetof(type, at.x),                                                                                     \
       "-1",                                                                                                     \
       RHX_GE,                                                                                                   \
       -1,                                                                                                       \
       0,                                                                                                        \
       NULL,                                                                                                     \
       "1",                                                                                                      \
       "iterations that a set-up is worth, of pc_renew demand; -1: by the time of both, measured"},              \
  {                                                                                                              \
    "pc_renew_interval", RHX_INT, 0, offsetof(type, at.interval), "10", RHX_GE, 1, 0, NULL, "1",                 \
        "solves of pc_renew interval"                                                                            \
  }

typedef struct {
  RhxRenewPolicy policy;
  double a, b, x; /* x < 0: by time */
  PetscInt interval;
  MPI_Comm comm;
  KSP ksp; /* borrowed, or NULL: solves are counted by the caller */
  double cfl;
  PetscBool there, fresh, failed; /* a set-up; no solve since it; the last solve did not converge */
  PetscInt place, last,
      since; /* of the present solve in its step; iterations of the last one; solves since the set-up */
  double newest
      [RHX_RENEW_PLACES]; /* of a digit, of the last solve at the place that was the first after a set-up; 0: none was */
  double base[RHX_RENEW_PLACES];  /* its_fresh of a decimal digit by place; -1: not known yet */
  double asked[RHX_RENEW_PLACES]; /* digits of the last solve there */
  double first, digits, expected; /* that of the first solve; digits that the present one is asked for, its its_fresh */
  double excess, worth;           /* sum of iterations beyond it; those that a set-up is worth */
  double setup, begun;            /* seconds of the last set-up; when the present solve began, 0: none is */
  PetscInt setups, redone, solves, iterations;
  PetscInt failures, vain; /* solves that failed, and their iterations */
  double setup_seconds, solve_seconds;
} RhxRenew;

extern const char *const RhxRenewNames[]; /* by policy */

void RhxRenewSet(RhxRenew *rn, const RhxRenewOptions *o); /* before `Initialise` */
PetscErrorCode RhxRenewInitialise(RhxRenew *rn, MPI_Comm comm, KSP ksp);
/* Before a solve: is the preconditioner to be set up? All ranks agree. */
PetscErrorCode RhxRenewIsDue(RhxRenew *rn, PetscBool *due);
/* Around a set-up, and around a solve: `Begin` when all is ready for it, `End` at any time afterwards; a second one does nothing. */
PetscErrorCode RhxRenewSetUpBegin(double *clock);
PetscErrorCode RhxRenewSetUpEnd(RhxRenew *rn, double clock);
PetscErrorCode RhxRenewSolveBegin(RhxRenew *rn, PetscInt place);
PetscErrorCode RhxRenewSolveEnd(RhxRenew *rn);
/* A solve that is over, at the place that was set for it; `Begin` and `End` do that of a KSP. */
void RhxRenewSetPlace(RhxRenew *rn, PetscInt place);
PetscErrorCode RhxRenewCount(RhxRenew *rn, PetscInt iterations, double seconds, PetscBool failed);
/* The next solve sets up. */
void RhxRenewForget(RhxRenew *rn);
#endif
