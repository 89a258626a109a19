/* What the library's types of conditions have in common. */
#include "boundary/types/shared.h"
#include "boundary/across_impl.h"
#include "boundary/duct_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/memory_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/shift_impl.h"
#include <stdlib.h>

const char *RhxProfileName(const RhxCondition *c)
{
  static const char *const name[] = {"formula", "parabolic", "developed", "womersley", "file"};
  return name[c->opt->profile];
}

/* Rows of -bc_<label>_velocity. */
static PetscErrorCode create_motion(RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;
  const char *names = c->bc->form->swirl >= 0 ? "time,u,v[,w]" : c->bc->space->dim == 3 ? "time,u,v,w" : "time,u,v";
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_velocity", c->label));
  PetscCall(RhxWaveformCheckRows(c->bc->comm, option, o->velocity, &o->velocity_rows));
  if (!RhxWaveformIsFile(o->velocity)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!(c->type->flags & RHX_TYPE_OPEN), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-%s: got the rows of \"%s\" at an %s, where a velocity is that of the profile whose polymer traction is "
             "prescribed; expected formulas in x, y, z, t",
             option, o->velocity, c->type->entry.name);
  PetscCall(RhxWaveformCreateRows(c->bc->comm, option, o->velocity, names, &o->velocity_rows, &c->motion));
  PetscCall(RhxWaveformWarn(c->bc->comm, c->motion));
  c->velocity_time = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Given at most once: by formula, or as a profile with one of its measures; a flow rate alone is that of the developed flow. */
PetscErrorCode RhxConditionCheckVelocity(RhxCondition *c)
{
  RhxConditionOptions *o = c->opt;
  PetscBool mean = (PetscBool)(o->mean_velocity >= 0), maximum = (PetscBool)(o->maximum_velocity >= 0);
  const PetscBool rate = (PetscBool)(o->flow_rate[0] != 0);
  MPI_Comm comm = c->bc->comm;

  PetscFunctionBegin;
  PetscCall(create_motion(c));
  PetscCheck(o->profile_file[0] || o->profile != RHX_PROFILE_FILE, comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_profile file: got no points, expected -bc_%s_profile_file", c->label, c->label);
  PetscCheck(o->period < 0 || o->profile == RHX_PROFILE_WOMERSLEY, comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_period: expected -bc_%s_profile womersley with it, got another", c->label, c->label);
  if (o->profile_file[0]) {
    PetscCheck((o->profile == RHX_PROFILE_FORMULA || o->profile == RHX_PROFILE_FILE) && !o->velocity[0] && !mean &&
                   !maximum,
               comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_profile_file: got it with another profile, formulas, a mean or a maximum velocity, expected it "
               "alone or with -bc_%s_flow_rate",
               c->label, c->label);
    o->profile = RHX_PROFILE_FILE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (rate && o->profile == RHX_PROFILE_FORMULA && !o->velocity[0]) o->profile = RHX_PROFILE_DEVELOPED;
  if (o->profile != RHX_PROFILE_FORMULA) {
    const char *profile = RhxProfileName(c);
    PetscCheck(rate || o->profile != RHX_PROFILE_WOMERSLEY, comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_profile womersley: expected -bc_%s_flow_rate with it, got none", c->label, c->label);
    PetscCheck(!rate || (!mean && !maximum), comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_flow_rate: got it with -bc_%s_%s_velocity, expected one of the two", c->label, c->label,
               mean ? "mean" : "maximum");
    PetscCheck(rate || mean != maximum, comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_profile %s: got %s, expected exactly one of -bc_%s_mean_velocity, "
               "-bc_%s_maximum_velocity and -bc_%s_flow_rate",
               c->label, profile, mean ? "both the mean and the maximum" : "neither mean nor maximum", c->label,
               c->label, c->label);
    PetscCheck(!o->velocity[0], comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_velocity: got formulas and -bc_%s_profile %s, expected one of the two", c->label, c->label,
               profile);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!rate, comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_flow_rate: got it with formulas of the velocity, expected -bc_%s_profile parabolic, developed or "
             "womersley "
             "in their place",
             c->label, c->label);
  PetscCheck(!mean && !maximum, comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_%s: expected -bc_%s_profile parabolic or developed with it, got profile formula", c->label,
             mean ? "mean_velocity" : "maximum_velocity", c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionNeedVelocity(RhxCondition *c, PetscBool parabola)
{
  const char *names = RhxVectorNames(c->bc->space->dim), *type = c->type->entry.name;

  PetscFunctionBegin;
  if (c->opt->velocity[0] || c->opt->profile != RHX_PROFILE_FORMULA) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(parabola, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' has the type %s without a velocity; expected -bc_%s_velocity \"%s\"", c->label, type, c->label,
             names);
  SETERRQ(
      c->bc->comm, PETSC_ERR_ARG_WRONG,
      "label '%s' is an %s without a velocity; expected -bc_%s_velocity \"%s\", or -bc_%s_flow_rate, or -bc_%s_profile "
      "parabolic or developed with -bc_%s_mean_velocity or -bc_%s_maximum_velocity",
      c->label, type, c->label, names, c->label, c->label, c->label, c->label);
}

PetscBool RhxConditionIsOpen(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && c->opt->polymer == RHX_POLYMER_OPEN);
}

unsigned RhxConditionChanges(RhxCondition *c, double t0, double t1)
{
  const PetscBool shifted = RhxConditionShiftsInTime(c);
  const PetscBool velocity =
      (PetscBool)(c->velocity_time || RhxGapChanges(c->gap, t0, t1) || RhxDuctChanges(c->duct, t0, t1) ||
                  RhxRamp(t0, c->opt->ramp) != RhxRamp(t1, c->opt->ramp) ||
                  (shifted && c->opt->profile == RHX_PROFILE_DEVELOPED));

  return (velocity ? RHX_CHANGES_ALL & ~(RhxConditionGivesAcross(c) ? 0u : (unsigned)RHX_CHANGES_PRESSURE) : 0u) |
         (c->stress_time || shifted || RhxMemoryMoves(c) ? RHX_CHANGES_STRESS : 0u) |
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
  PetscReal value;

  PetscFunctionBegin;
  if (c->pressure) PetscCall(RhxBoundaryFormula(c->bc, c->pressure, t, n, x, 1, p));
  if (!c->pressure_rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryEvaluateWaveform(c->bc, c->pressure_rows, t, &value));
  for (PetscInt i = 0; i < n; i++) p[i] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxConditionDevelopsSwirl(const RhxCondition *c)
{
  char option[RHX_OPTION_LENGTH];
  PetscBool given = PETSC_TRUE;

  if (c->bc->form->swirl < 0 || !(c->type->flags & RHX_TYPE_INWARD) || c->opt->profile != RHX_PROFILE_DEVELOPED)
    return PETSC_FALSE;
  snprintf(option, sizeof(option), "-bc_%s_%s", c->label, c->bc->form->scalar[c->bc->form->swirl].row->name);
  if (PetscOptionsHasName(NULL, NULL, option, &given)) return PETSC_FALSE;
  return (PetscBool)!given;
}

unsigned RhxConditionGivesSwirl(const RhxCondition *c)
{
  const char *text = c->opt->velocity;
  const PetscInt n = c->motion ? RhxWaveformWidth(c->motion) : RhxFormulaListLength(text);
  return (c->bc->form->swirl >= 0 && text[0] && n != 2) || RhxConditionDevelopsSwirl(c) ? RHX_TYPE_SWIRL : 0u;
}

PetscErrorCode RhxConditionSwirl(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  const PetscReal factor = RhxRamp(t, c->opt->ramp);
  PetscReal v[3];

  PetscFunctionBegin;
  if (c->gap) {
    PetscCall(RhxConditionProfileSwirl(c, t, n, x, u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->motion)
    PetscCall(RhxBoundaryEvaluateWaveform(c->bc, c->motion, t, v));
  else
    PetscCall(RhxBoundaryFormula(c->bc, c->velocity[2], t, n, x, 1, u));
  for (PetscInt i = 0; c->motion && i < n; i++) u[i] = v[2];
  for (PetscInt i = 0; i < n; i++) u[i] *= factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryNumbers(MPI_Comm comm, const char *option, const char *text, int max, double *values)
{
  char *end = (char *)text;
  int n = 0;

  PetscFunctionBegin;
  for (const char *at = text; n < max; at = end + 1) {
    const double value = strtod(at, &end);
    if (end == at || !(PetscAbsReal(value) < 1e100)) break;
    values[n++] = value;
    if (*end != ',') break;
  }
  PetscCheck(n > 0 && !*end, comm, PETSC_ERR_ARG_WRONG, "-%s: got '%s', expected up to %d numbers, such as %s", option,
             text, max, max == 2 ? "1,0" : "1,0,0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionTurn(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  PetscFunctionBegin;
  if (c->gives & RHX_TYPE_SWIRL)
    PetscCall(c->type->swirl(c, t, n, x, u));
  else
    PetscCall(RhxBoundaryFormula(c->bc, c->scalar[c->bc->form->swirl].formula, t, n, x, 1, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxConditionTurnChanges(RhxCondition *c, double t0, double t1)
{
  if (!(c->gives & RHX_TYPE_SWIRL)) return (PetscBool)(c->scalar[c->bc->form->swirl].time && t0 != t1);
  return (PetscBool)(c->type->changes && (c->type->changes(c, t0, t1) & RHX_CHANGES_VELOCITY));
}
