/* An outlet whose pressure follows its flux and waits for the step's end, and which does not say how late that is. */
#include <rheoplex/condition.h>

static PetscErrorCode pressure(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p)
{
  PetscFunctionBegin;
  (void)t;
  (void)x;
  for (PetscInt i = 0; i < n; i++) p[i] = RhxConditionGetState(c)[RHX_FOLLOW_PRESSURE];
  PetscFunctionReturn(0);
}

static PetscErrorCode follow(RhxCondition *c, double t, double dt, double flux, double *at, double *slope)
{
  PetscFunctionBegin;
  (void)c;
  (void)t;
  (void)dt;
  *at = 2.0 * flux;
  *slope = 2.0;
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(RhxCondition *c, double t, double dt)
{
  PetscFunctionBegin;
  (void)t;
  RhxConditionGetState(c)[RHX_FOLLOW_OWN] += dt;
  PetscFunctionReturn(0);
}

static const RhxConditionType waiting = {.entry = {sizeof(RhxConditionType), "waiting", "outlet that waits"},
                                         .priority = 4,
                                         .flags = RHX_TYPE_PRESSURE | RHX_TYPE_OPEN,
                                         .shared = " type ",
                                         .nstate = RHX_FOLLOW_OWN + 1,
                                         .pressure = pressure,
                                         .advance = advance,
                                         .follow = follow};

static PetscErrorCode add(void)
{
  PetscFunctionBegin;
  PetscCall(RhxConditionRegister(&waiting));
  PetscFunctionReturn(0);
}

RHX_EXTENSION(add);
