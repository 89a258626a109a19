/* Times at equal distances that steps are shortened to meet: rows, fields, states. */
#include "case/impl.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>
#include <stdlib.h>

#define FEW 100.0 /* steps in place of one, from which on that is told */

PetscBool RhxCaseIsInterval_Private(const char *name)
{
  static const char *const of_intervals[] = {"output_dt", "output_checkpoint_dt", "diagnostic_*_every_dt",
                                             "insitu_every_dt"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of_intervals); i++)
    if (RhxOptionMatches(name, of_intervals[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Closer than rounding of a step: times that every step meets. */
static PetscErrorCode warn_of_rounding(RhxCase rc, const char *name, const char *value, double dt)
{
  char step[32];

  PetscFunctionBegin;
  snprintf(step, sizeof(step), "%g", dt);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -%s: got %s s, less than a millionth of the time step, %s s: every step "
                         "counts, expected a longer time\n",
                         name, value, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shortest one that shortens steps of dt. warns: of those that do not. */
static PetscErrorCode find_shortest(RhxCase rc, double dt, PetscBool warns, RhxGivenTime *shortest)
{
  PetscInt n;

  PetscFunctionBegin;
  *shortest = (RhxGivenTime){0};
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    PetscBool set;
    double every;

    PetscCall(RhxOptionsReadGet(i, &name, &value, &set));
    every = set && RhxCaseIsInterval_Private(name) ? atof(value) : 0.0;
    if (!(every > 0.0)) continue;
    if (every < RHX_NEAR * dt) {
      if (warns) PetscCall(warn_of_rounding(rc, name, value, dt));
    } else if (!(shortest->time > 0.0) || every < shortest->time) {
      shortest->time = every;
      snprintf(shortest->option, sizeof(shortest->option), "%s", name);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseShortestInterval_Private(RhxCase rc, double dt, RhxGivenTime *shortest)
{
  PetscFunctionBegin;
  PetscCall(find_shortest(rc, dt, PETSC_FALSE, shortest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxCaseCountMet_Private(const RhxGivenTime *interval, double span, double dt)
{
  const double free = ceil(span / dt - RHX_NEAR);

  if (!(interval->time > 0.0 && interval->time < span)) return free;
  return PetscMax(free, ceil(span / interval->time * ceil(interval->time / dt - RHX_NEAR) - RHX_NEAR));
}

PetscErrorCode RhxCaseWarnOfIntervals_Private(RhxCase rc)
{
  RhxGivenTime shortest;
  char numbers[96];
  double limit[RHX_NLIMITS], dt, cfl;
  PetscReal longest;

  PetscFunctionBegin;
  PetscCall(TSGetTimeStep(rc->ts, &longest));
  PetscCall(find_shortest(rc, longest, PETSC_TRUE, &shortest));
  if (!(shortest.time > 0.0 && FEW * shortest.time < longest)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeFindStep(rc->ts, limit, &dt, &cfl));
  if (!(dt > 0.0)) dt = longest; /* nothing limits it */
  if (!(FEW * shortest.time < dt)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(numbers, sizeof(numbers), "got %g s, 1/%.2g of the time step that the run begins with, %g s", shortest.time,
           dt / shortest.time, dt);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -%s: %s: steps are shortened to meet it, and as many times more of them "
                         "are taken; expected a longer time\n",
                         shortest.option, numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}
