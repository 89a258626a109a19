/* Open boundary: traction t = (tau - p I).n with the developed polymer stress and the given pressure. */
#include "boundary/impl.h"

static PetscBool is_developed(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && c->opt->polymer == RHX_POLYMER_DEVELOPED);
}

static PetscErrorCode check(RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;

  PetscFunctionBegin;
  PetscCall(RhxConditionCheckVelocity(c));
  PetscCheck(!is_developed(c) || o->velocity[0] || o->profile == RHX_PROFILE_PARABOLIC, c->bc->comm,
             PETSC_ERR_ARG_WRONG,
             "label '%s' is an %s with -bc_%s_polymer developed and no profile; expected -bc_%s_velocity \"%s\", or "
             "-bc_%s_profile parabolic with -bc_%s_mean_velocity or -bc_%s_maximum_velocity, or -bc_%s_polymer zero",
             c->label, c->type->entry.name, c->label, c->label, RhxVectorNames(c->bc->space->dim), c->label, c->label,
             c->label, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned gives(const RhxCondition *c)
{
  return RHX_TYPE_PRESSURE | RHX_TYPE_OPEN | (is_developed(c) || c->opt->pressure[0] ? RHX_TYPE_TRACTION : 0u);
}

/* t[point][dim] += tau.n, tau summed over the modes of stress[point][nmodes][ntens]. */
static void add_stress(RhxBoundary bc, PetscInt n, const PetscReal *normal, const PetscReal *stress, PetscReal *t)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens, nmodes = bc->form->nmodes;

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < nmodes; k++) {
      const PetscReal *tau = stress + (i * nmodes + k) * ntens;
      for (PetscInt a = 0; a < dim; a++)
        for (PetscInt b = 0; b < dim; b++)
          t[i * dim + a] += tau[rhx_tensor_index(dim, ntens, a, b)] * normal[i * dim + b];
    }
}

static PetscErrorCode traction(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                               PetscReal *values)
{
  RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim;
  PetscReal *L, *stress, *p;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(values, n * dim));
  PetscCall(PetscCalloc3(n * dim * dim, &L, n * bc->form->nmodes * bc->space->ntens, &stress, n, &p));
  if (is_developed(c)) {
    PetscCall(RhxConditionProfile(bc, c, t, n, x, NULL, L));
    PetscCall(RhxBoundaryDeveloped(bc, n, x, L, NULL, stress));
    add_stress(bc, n, normal, stress, values);
  }
  PetscCall(RhxConditionPressure(c, t, n, x, p));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 0; d < dim; d++) values[i * dim + d] = values[i * dim + d] - p[i] * normal[i * dim + d];
  PetscCall(PetscFree3(L, stress, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_outlet = {
    RHX_CONDITION_ENTRY("outlet", "given pressure and polymer traction, no viscous traction"),
    .priority = 4,
    .flags = RHX_TYPE_PRESSURE | RHX_TYPE_OPEN | RHX_TYPE_TRACTION,
    .shared = " type pressure form polymer velocity profile mean_velocity maximum_velocity ramp ",
    .polymer = " developed zero ",
    .check = check,
    .gives = gives,
    .changes = RhxConditionChanges,
    .pressure = RhxConditionPressure,
    .traction = traction};
