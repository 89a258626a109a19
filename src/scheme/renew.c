#include "petsc_compat.h"
#include "plugin/event.h"
#include "scheme/renew_impl.h"
#include <math.h>
#include <petsctime.h>

#define LEAST_DIGITS 0.5 /* of a solve: one to a third is counted as this */
#define HARDER 2.0       /* a first solve at a place is fresh up to as many times what the first of all took, */
#define MORE \
  10.0 /* and as many iterations: what is beyond is age, for the set-up may be of another iteration's matrix */

#define EASIER 0.5 /* of its_fresh that stays where a solve like it took fewer */

static RhxEvent event = RHX_EVENT("RhxRenew");

const char *const RhxRenewNames[] = {"demand", "iterations", "cfl", "interval", "always", "never"};

PetscErrorCode RhxRenewInitialise(RhxRenew *rn, MPI_Comm comm, KSP ksp)
{
  PetscFunctionBegin;
  rn->comm = comm;
  rn->ksp = ksp;
  rn->digits = 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxRenewSet(RhxRenew *rn, const RhxRenewOptions *o)
{
  *rn = (RhxRenew){.policy = (RhxRenewPolicy)o->policy, .a = o->a, .b = o->b, .x = o->x, .interval = o->interval};
}

void RhxRenewForget(RhxRenew *rn) { rn->there = PETSC_FALSE; }

PetscErrorCode RhxRenewIsDue(RhxRenew *rn, PetscBool *due)
{
  PetscInt cap = PETSC_MAX_INT;
  PetscBool hard;
  PetscFunctionBegin;
  PetscCall(RhxRenewSolveEnd(rn));
  if (rn->ksp) PetscCall(KSPGetTolerances(rn->ksp, NULL, NULL, NULL, &cap));
  hard = (PetscBool)(rn->since > 0 && (rn->failed || rn->last > cap / 2));
  *due = PETSC_TRUE;
  if (!rn->there) PetscFunctionReturn(PETSC_SUCCESS);
  switch (rn->policy) {
  case RHX_RENEW_DEMAND:
    *due = (PetscBool)(hard || rn->excess > (rn->x < 0.0 ? rn->worth : rn->x));
    break;
  case RHX_RENEW_ITERATIONS:
    *due = (PetscBool)(hard || (rn->since > 0 && rn->last > rn->a + rn->b * rn->expected));
    break;
  case RHX_RENEW_CFL:
    *due = (PetscBool)(hard || (rn->since > 0 && rn->last > rn->a + rn->b * rn->cfl));
    break;
  case RHX_RENEW_INTERVAL:
    *due = (PetscBool)(rn->since >= rn->interval || (rn->since > 0 && rn->failed));
    break;
  case RHX_RENEW_ALWAYS:
    break;
  case RHX_RENEW_NEVER:
    *due = PETSC_FALSE;
  }
  if (*due && rn->failed) rn->redone++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewSetUpBegin(double *clock)
{
  PetscLogDouble now;
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&event));
  PetscCall(PetscTime(&now));
  *clock = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewSetUpEnd(RhxRenew *rn, double clock)
{
  PetscLogDouble now;
  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  PetscCall(RhxEventEnd(&event));
  rn->setup = now - clock;
  rn->setup_seconds += rn->setup;
  rn->setups++;
  rn->there = rn->fresh = PETSC_TRUE;
  rn->failed = PETSC_FALSE;
  rn->since = 0;
  for (int k = 0; k < RHX_RENEW_PLACES; k++) rn->base[k] = -1.0;
  rn->excess = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxRenewSetPlace(RhxRenew *rn, PetscInt place) { rn->place = PetscMin(place, RHX_RENEW_PLACES - 1); }

PetscErrorCode RhxRenewSolveBegin(RhxRenew *rn, PetscInt place)
{
  PetscLogDouble now;
  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  rn->begun = now;
  RhxRenewSetPlace(rn, place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a set-up is worth: the largest of all ranks, which have to agree. */
static PetscErrorCode price(RhxRenew *rn, double seconds)
{
  double worth = seconds > 0.0 ? rn->setup * PetscMax(rn->last, 1) / seconds : 0.0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worth, 1, MPI_DOUBLE, MPI_MAX, rn->comm));
  rn->worth = worth;
  rn->fresh = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewCount(RhxRenew *rn, PetscInt iterations, double seconds, PetscBool failed)
{
  PetscFunctionBegin;
  rn->last = iterations;
  rn->failed = failed;
  rn->solves++;
  rn->since++;
  rn->iterations += rn->last;
  rn->failures += failed;
  if (failed) rn->vain += rn->last;
  rn->solve_seconds += seconds;
  if (rn->fresh) {
    PetscCall(price(rn, seconds));
    rn->base[rn->place] = rn->first = rn->last / rn->digits;
  }
  if (rn->since == 1) rn->newest[rn->place] = rn->last / rn->digits;
  if (rn->base[rn->place] < 0.0) {
    rn->base[rn->place] = PetscMin(rn->last, HARDER * rn->first * rn->digits + MORE) / rn->digits;
    if (rn->newest[rn->place] > 0.0) rn->base[rn->place] = PetscMin(rn->base[rn->place], rn->newest[rn->place]);
  } else if (rn->digits == rn->asked[rn->place]) /* a flow that began abruptly is easier later */
    rn->base[rn->place] =
        PetscMin(rn->base[rn->place], EASIER * rn->base[rn->place] + (1.0 - EASIER) * rn->last / rn->digits);
  rn->asked[rn->place] = rn->digits;
  rn->expected = rn->base[rn->place] * rn->digits;
  rn->excess = PetscMax(rn->excess + rn->last - rn->expected, 0.0); /* what was easy pays for nothing later */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRenewSolveEnd(RhxRenew *rn)
{
  KSPConvergedReason reason;
  PetscLogDouble now;
  PetscReal rtol;
  PetscInt iterations;
  double seconds;
  PetscFunctionBegin;
  if (!(rn->begun > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&now));
  seconds = now - rn->begun;
  rn->begun = 0.0;
  PetscCall(KSPGetIterationNumber(rn->ksp, &iterations));
  PetscCall(KSPGetConvergedReason(rn->ksp, &reason));
  PetscCall(KSPGetTolerances(rn->ksp, &rtol, NULL, NULL, NULL));
  rn->digits = PetscMax(-log10(rtol), LEAST_DIGITS);
  PetscCall(RhxRenewCount(rn, iterations, seconds, (PetscBool)(reason < 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
