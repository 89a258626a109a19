/* What the library's types of conditions have in common. */
#include "boundary/impl.h"

/* Given at most once: by formula, or as a parabola with one of its two measures. */
PetscErrorCode RhxConditionCheckVelocity(RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;
  PetscBool mean = (PetscBool)(o->mean_velocity >= 0), maximum = (PetscBool)(o->maximum_velocity >= 0);
  const PetscBool rate = (PetscBool)(o->flow_rate[0] != 0);
  MPI_Comm comm = c->bc->comm;

  PetscFunctionBegin;
  if (o->profile == RHX_PROFILE_PARABOLIC) {
    PetscCheck(!rate || (!mean && !maximum), comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_flow_rate: got it with -bc_%s_%s_velocity, expected one of the two", c->label, c->label,
               mean ? "mean" : "maximum");
    PetscCheck(rate || mean != maximum, comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_profile parabolic: got %s, expected exactly one of -bc_%s_mean_velocity, "
               "-bc_%s_maximum_velocity and -bc_%s_flow_rate",
               c->label, mean ? "both the mean and the maximum" : "neither mean nor maximum", c->label, c->label,
               c->label);
    PetscCheck(!o->velocity[0], comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_velocity: got formulas and -bc_%s_profile parabolic, expected one of the two", c->label,
               c->label);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!rate, comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_flow_rate: expected -bc_%s_profile parabolic with it, got formula", c->label, c->label);
  PetscCheck(!mean && !maximum, comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_%s: expected -bc_%s_profile parabolic with it, got profile formula", c->label,
             mean ? "mean_velocity" : "maximum_velocity", c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionNeedVelocity(RhxCondition *c, PetscBool parabola)
{
  const char *names = RhxVectorNames(c->bc->space->dim), *type = c->type->entry.name;

  PetscFunctionBegin;
  if (c->opt->velocity[0] || c->opt->profile == RHX_PROFILE_PARABOLIC) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(parabola, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is a %s without a velocity; expected -bc_%s_velocity \"%s\"", c->label, type, c->label, names);
  SETERRQ(c->bc->comm, PETSC_ERR_ARG_WRONG,
          "label '%s' is an %s without a velocity; expected -bc_%s_velocity \"%s\", or -bc_%s_profile parabolic with "
          "-bc_%s_mean_velocity or -bc_%s_maximum_velocity",
          c->label, type, c->label, names, c->label, c->label, c->label);
}

PetscBool RhxConditionIsOpen(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && c->opt->polymer == RHX_POLYMER_OPEN);
}

unsigned RhxConditionChanges(RhxCondition *c, double t0, double t1)
{
  const PetscBool velocity = (PetscBool)(c->velocity_time || RhxRamp(t0, c->opt->ramp) != RhxRamp(t1, c->opt->ramp));

  return (velocity ? RHX_CHANGES_ALL & ~RHX_CHANGES_PRESSURE : 0u) | (c->stress_time ? RHX_CHANGES_STRESS : 0u) |
         (c->traction_time ? RHX_CHANGES_TRACTION : 0u) |
         (c->pressure_time ? RHX_CHANGES_PRESSURE | RHX_CHANGES_TRACTION : 0u);
}

PetscErrorCode RhxConditionVelocity(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  PetscFunctionBegin;
  PetscCall(RhxConditionProfile(c->bc, c, t, n, x, u, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionPressure(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p)
{
  PetscFunctionBegin;
  if (c->pressure) PetscCall(RhxBoundaryFormula(c->bc, c->pressure, t, n, x, 1, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
