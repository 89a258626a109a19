#include "boundary/types/shared.h"

/* Where the polymer is given. */
static PetscErrorCode choose_place(RhxCondition *c)
{
  RhxConditionOptions *o = c->opt;

  PetscFunctionBegin;
  if (!o->polymer_at)
    o->polymer_at =
        o->polymer == RHX_POLYMER_DEVELOPED && c->bc->scheme_inflow ? RHX_POLYMER_AT_FLUX : RHX_POLYMER_AT_NODES;
  if (o->polymer_at != RHX_POLYMER_AT_FLUX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
      o->polymer != RHX_POLYMER_FREE, c->bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_polymer_at flux: got -bc_%s_polymer free, by which nothing flows in, expected developed, formula or "
      "rest",
      c->label, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_memory(RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;
  const PetscBool before = (PetscBool)(o->polymer_memory_before > 0.0);

  PetscFunctionBegin;
  PetscCheck((o->polymer_memory != RHX_MEMORY_ON && !before) || o->polymer == RHX_POLYMER_DEVELOPED, c->bc->comm,
             PETSC_ERR_ARG_WRONG,
             "-bc_%s_polymer_memory%s: got it with a stress that is given, expected it with -bc_%s_polymer developed "
             "alone",
             c->label, before ? "_before" : " on", c->label);
  PetscCheck(o->polymer_memory != RHX_MEMORY_OFF || !before, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_polymer_memory_before: got it with -bc_%s_polymer_memory off, expected auto or on", c->label,
             c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxCondition *c)
{
  RhxConditionOptions *o = c->opt;

  PetscFunctionBegin;
  PetscCall(RhxConditionCheckVelocity(c));
  PetscCall(RhxConditionNeedVelocity(c, PETSC_TRUE));
  if (o->profile == RHX_PROFILE_WOMERSLEY) PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_WOMERSLEY, c->label, ""));
  if (!o->polymer) o->polymer = RHX_POLYMER_DEVELOPED;
  if (!c->bc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->polymer == RHX_POLYMER_DEVELOPED) PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_DEVELOPED, c->label, "polymer"));
  PetscCheck((o->polymer == RHX_POLYMER_FORMULA) == (o->stress[0] != 0), c->bc->comm, PETSC_ERR_ARG_WRONG,
             o->stress[0] ? "-bc_%s_stress: got formulas, expected -bc_%s_polymer formula with them"
                          : "-bc_%s_polymer formula: got no formulas, expected -bc_%s_stress",
             c->label, c->label);
  PetscCall(check_memory(c));
  PetscCall(choose_place(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned gives(const RhxCondition *c)
{
  return RHX_TYPE_VELOCITY | RHX_TYPE_INWARD | (c->opt->polymer == RHX_POLYMER_FREE ? 0u : RHX_TYPE_STRESS) |
         (c->opt->pressure[0] ? RHX_TYPE_PRESSURE : 0u) | RhxConditionGivesSwirl(c);
}

static PetscErrorCode stress(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *s)
{
  PetscFunctionBegin;
  PetscCall(RhxConditionStress(c, c->opt->polymer, t, n, x, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_inlet = {
    RHX_CONDITION_ENTRY("inlet", "given velocity, and the polymer's unknown"),
    .priority = 2,
    .flags = RHX_TYPE_VELOCITY | RHX_TYPE_STRESS | RHX_TYPE_INWARD,
    .shared = " type velocity velocity_scale velocity_time_scale velocity_interpolation velocity_rows profile "
              "profile_file mean_velocity maximum_velocity "
              "flow_rate flow_rate_scale flow_rate_time_scale flow_rate_interpolation flow_rate_rows period polymer "
              "polymer_at polymer_memory polymer_memory_before stress pressure pressure_scale "
              "pressure_time_scale pressure_interpolation pressure_rows ramp ",
    .polymer = " developed formula rest free ",
    .check = check,
    .gives = gives,
    .changes = RhxConditionChanges,
    .velocity = RhxConditionVelocity,
    .pressure = RhxConditionPressure,
    .stress = stress,
    .swirl = RhxConditionSwirl};
