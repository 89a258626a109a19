/* The friction of the walls on which a profile ends. */
#include "boundary/profile_impl.h"
#include "boundary/sliding_impl.h"

#define ALIKE 1e-12 /* frictions of two labels */
#define LEAST 1e-6  /* speed at which they are compared, m/s, and */
#define SPEEDS 7    /* of ten times the last one, as far as both slip so fast */
#define SOON 1e-3   /* s, of formulas in time, then */
#define LATER 17.0  /* times later, until */
#define LATE 1e3
#define CLOSE 1e-14 /* of a speed */
#define TRIES 200
#define MOST 1e300

PetscBool RhxConditionSlips(const RhxCondition *c)
{
  return (PetscBool)((c->type->flags & RHX_TYPE_NORMAL) && (c->type->flags & RHX_TYPE_TRACTION));
}

/* Has the wall friction at all, and do both have the same at t? */
static PetscErrorCode compare(RhxCondition *c, RhxCondition *other, double t, PetscBool *same)
{
  double speed = LEAST, tau[2];
  PetscErrorCode ierr[2] = {0, 0};

  PetscFunctionBegin;
  *same = PETSC_TRUE;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  for (int i = 0; i < SPEEDS && *same && !ierr[0]; i++, speed *= 10) {
    ierr[0] = c->type->friction(c, t, 1, &speed, &tau[0], NULL);
    ierr[1] = other->type->friction(other, t, 1, &speed, &tau[1], NULL);
    if (!ierr[0] != !ierr[1] || (ierr[0] && !i)) *same = PETSC_FALSE;
    if (!ierr[0] && !ierr[1]) *same = (PetscBool)(tau[0] > 0 && PetscAbsReal(tau[1] - tau[0]) <= ALIKE * tau[0]);
  }
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSlidingHasFriction(RhxCondition *c, PetscBool *has)
{
  const double speed = LEAST;
  double tau;

  PetscFunctionBegin;
  PetscCall(c->type->friction(c, 0, 1, &speed, &tau, NULL));
  *has = (PetscBool)(tau > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSlidingFind(RhxCondition *c, RhxCondition **wall)
{
  const RhxBoundary bc = c->bc;
  PetscBool same = PETSC_TRUE, rests = PETSC_FALSE;
  PetscInt *shared;

  PetscFunctionBegin;
  *wall = NULL;
  PetscCall(PetscCalloc1(bc->ncond, &shared));
  PetscCall(RhxConditionCountShared(bc, c, shared));
  for (PetscInt k = 0; k < bc->ncond && same; k++) {
    RhxCondition *beside = &bc->cond[k];
    if (!shared[k] || beside == c) continue;
    rests = (PetscBool)(rests || (beside->type->flags & RHX_TYPE_NO_SLIP));
    if (!RhxConditionSlips(beside)) continue;
    if (!*wall) *wall = beside;
    same = PETSC_FALSE;
    if (beside->type->friction) PetscCall(compare(*wall, beside, 0, &same));
    for (double t = SOON; t <= LATE && same && beside != *wall; t *= LATER) PetscCall(compare(*wall, beside, t, &same));
  }
  PetscCall(PetscFree(shared));
  /* between two parallel walls of which one holds, where there is no shear is not known */
  if (!same || rests) *wall = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxSlidingMove(RhxSliding *s, double t, double a)
{
  const PetscBool moves =
      s->wall && (s->a != a || (s->wall->type->changes && s->wall->type->changes(s->wall, s->t, t)));

  s->t = t;
  s->a = a;
  return moves;
}

PetscErrorCode RhxSlidingStress(const RhxSliding *s, PetscInt n, const double *speed, double *tau, double *slope)
{
  double *own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &own));
  for (PetscInt i = 0; i < n; i++) own[i] = speed[i] / s->a;
  PetscCall(s->wall->type->friction(s->wall, s->t, n, own, tau, slope));
  for (PetscInt i = 0; i < n && slope; i++) slope[i] /= s->a;
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method within a bracket. */
PetscErrorCode RhxSlidingSpeed(const RhxSliding *s, double T, double guess, double *speed)
{
  double low = 0, high = guess, tau, slope;

  PetscFunctionBegin;
  *speed = 0;
  if (!(T > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  for (;; high *= 2) {
    PetscCall(RhxSlidingStress(s, 1, &high, &tau, NULL));
    if (!(tau < T && high < MOST)) break;
    low = high;
  }
  *speed = high;
  for (int it = 0; it < TRIES && high - low > CLOSE * high; it++) {
    double next;
    PetscCall(RhxSlidingStress(s, 1, speed, &tau, &slope));
    if (tau < T)
      low = *speed;
    else
      high = *speed;
    next = *speed - (tau - T) / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (PetscAbsReal(next - *speed) <= CLOSE * next) break;
    *speed = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
