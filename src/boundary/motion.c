/* What of a wall's motion a developed profile beside it has. */
#include "boundary/impl.h"
#include "boundary/motion_impl.h"
#include "boundary/times_impl.h"

PetscBool RhxMotionMay(const RhxCondition *wall)
{
  return (PetscBool)(strcmp(wall->type->entry.name, "wall") && wall->type->velocity &&
                     !(wall->bc->space->axisymmetric && wall->turning));
}

/* One that is not finite is told where it is given. */
PetscErrorCode RhxMotionVelocity(const RhxMotion *m, double t, PetscReal *u)
{
  RhxCondition *wall = m->wall;
  const PetscBool noted = (PetscBool)(wall->bc->failure[0] != 0);

  PetscFunctionBegin;
  PetscCall(wall->type->velocity(wall, wall->opt->ramp + t, m->n, m->x, u));
  if (!noted) wall->bc->failure[0] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does it move along the flow at t, and across, by more than the label is plane to? */
static PetscErrorCode look(RhxMotion *m, double t)
{
  const PetscInt dim = m->wall->bc->space->dim;
  PetscReal *u;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n * dim, &u));
  PetscCall(RhxMotionVelocity(m, t, u));
  for (PetscInt i = 0; i < m->n; i++) {
    PetscReal part = 0, speed = 0;
    for (PetscInt d = 0; d < dim; d++) {
      part += u[i * dim + d] * m->flow[d];
      speed += PetscSqr(u[i * dim + d]);
    }
    speed = PetscSqrtReal(speed);
    if (PetscAbsReal(part) > RHX_FLAT * speed) m->along = PETSC_TRUE;
    for (PetscInt d = 0; d < dim; d++)
      if (PetscAbsReal(u[i * dim + d] - part * m->flow[d]) > RHX_FLAT * speed) m->across = PETSC_TRUE;
  }
  PetscCall(PetscFree(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMotionLook(RhxMotion *m)
{
  RhxCondition *wall = m->wall;
  const PetscBool changes =
      (PetscBool)(m->n && wall->type->changes && (wall->type->changes(wall, 0, PETSC_INFINITY) & RHX_CHANGES_VELOCITY));

  PetscFunctionBegin;
  m->along = m->across = PETSC_FALSE;
  for (int i = 0; i < RHX_LOOKS && m->n && !(m->along && m->across); i++) PetscCall(look(m, RhxLookTime(i)));
  for (PetscInt d = 0; d < wall->bc->space->dim && changes && !wall->turning; d++) {
    PetscBool later = PETSC_TRUE;
    if (wall->velocity[d]) PetscCall(RhxFormulaDependsOnTime(wall->velocity[d], &later));
    if (later && PetscAbsReal(m->flow[d]) > RHX_FLAT) m->along = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMotionTell(const RhxCondition *c, const RhxMotion *m)
{
  const char *label = m->wall->label, *type = m->wall->type->entry.name;

  PetscFunctionBegin;
  PetscCheck(!m->along || c->opt->maximum_velocity < 0, c->bc->comm, PETSC_ERR_ARG_INCOMP,
             "-bc_%s_maximum_velocity: got it with a label that ends on '%s', type %s, which moves along the flow or "
             "may, expected -bc_%s_flow_rate or -bc_%s_mean_velocity",
             c->label, label, type, c->label, c->label);
  if (m->across)
    PetscCall(
        PetscFPrintf(c->bc->comm, PETSC_STDERR,
                     "rheoplex: warning: -bc_%s_profile developed: got a label that ends on '%s', type %s, which moves "
                     "across the flow: the profile has its velocity along the flow alone; expected -bc_%s_velocity "
                     "by formula or -bc_%s_profile file\n",
                     c->label, label, type, c->label, c->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}
