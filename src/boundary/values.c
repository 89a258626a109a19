/* Given values at a time, and their imposition. */
#include "boundary/boundary_impl.h"

/* Does something that the ramp and formulas give change between the last evaluation and t? */
static PetscBool changes(RhxBoundary bc, PetscBool formula_time, double ramp, double t)
{
  if (!bc->evaluated) return PETSC_TRUE;
  if (t == bc->t) return PETSC_FALSE;
  return (PetscBool)(formula_time || RhxRamp(t, ramp) != RhxRamp(bc->t, ramp));
}

static PetscErrorCode evaluate_velocity(RhxBoundary bc, RhxCondition *c, double t)
{
  PetscFunctionBegin;
  PetscCall(RhxConditionProfile(bc, c, t, c->v.n, c->v.x, bc->fixed[RHX_GROUP_VELOCITY].val + c->v.start, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_pressure(RhxBoundary bc, RhxCondition *c, double t)
{
  PetscFunctionBegin;
  if (c->pressure)
    PetscCall(
        RhxBoundaryFormula(bc, c->pressure, t, c->p.n, c->p.x, 1, bc->fixed[RHX_GROUP_PRESSURE].val + c->p.start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknown at rest, raised by the ramp towards the formulas. */
static PetscErrorCode stress_by_formula(RhxBoundary bc, RhxCondition *c, double t, PetscScalar *val)
{
  PetscInt ntens = bc->space->ntens, nmodes = bc->form->nmodes, width = nmodes * ntens;
  PetscReal factor = RhxRamp(t, c->opt->ramp), rest[6];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nmodes; k++) {
    PetscCall(RhxFormRest(bc->form, k, rest));
    for (PetscInt a = 0; a < ntens; a++) {
      PetscScalar *v = val + k * ntens + a;
      if (c->stress) PetscCall(RhxBoundaryFormula(bc, c->stress[k * ntens + a], t, c->s.n, c->s.x, width, v));
      for (PetscInt i = 0; i < c->s.n; i++)
        v[i * width] = c->stress ? rest[a] + factor * (v[i * width] - rest[a]) : rest[a];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_stress(RhxBoundary bc, RhxCondition *c, double t)
{
  PetscScalar *val = bc->fixed[RHX_GROUP_MODES].val + c->s.start;
  PetscInt dim = bc->space->dim;
  PetscReal *L;

  PetscFunctionBegin;
  if (c->opt->polymer != RHX_POLYMER_DEVELOPED) {
    PetscCall(stress_by_formula(bc, c, t, val));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(c->s.n * dim * dim, &L));
  PetscCall(RhxConditionProfile(bc, c, t, c->s.n, c->s.x, NULL, L));
  PetscCall(RhxBoundaryDeveloped(bc, c->s.n, c->s.x, L, val, NULL));
  PetscCall(PetscFree(L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_condition(RhxBoundary bc, RhxCondition *c, double t)
{
  PetscBool velocity = changes(bc, c->velocity_time, c->opt->ramp, t);
  PetscBool pressure = changes(bc, c->pressure_time, 0, t);
  PetscBool stress = changes(bc, (PetscBool)(c->stress_time || c->velocity_time), c->opt->ramp, t);

  PetscFunctionBegin;
  if (velocity && (c->type->flags & RHX_TYPE_VELOCITY)) PetscCall(evaluate_velocity(bc, c, t));
  if (pressure) PetscCall(evaluate_pressure(bc, c, t));
  if (stress && (c->type->flags & RHX_TYPE_STRESS) && bc->form->nmodes && c->opt->polymer != RHX_POLYMER_FREE)
    PetscCall(evaluate_stress(bc, c, t));
  if (velocity || pressure) PetscCall(RhxConditionTraction(bc, c, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool anything_changes(RhxBoundary bc, double t)
{
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (changes(bc, (PetscBool)(c->velocity_time || c->pressure_time || c->stress_time), c->opt->ramp, t))
      return PETSC_TRUE;
  }
  return changes(bc, bc->source_time, 0, t);
}

PetscErrorCode RhxBoundaryIsSteady(RhxBoundary bc, double t, PetscBool *steady)
{
  PetscFunctionBegin;
  *steady = (PetscBool)(bc->evaluated && !bc->source_time);
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (c->velocity_time || c->pressure_time || c->stress_time || c->opt->ramp > t) *steady = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetVersions(RhxBoundary bc, PetscInt *values, PetscInt *sources)
{
  PetscFunctionBegin;
  if (values) *values = bc->version;
  if (sources) *sources = bc->source_version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is raised by a ramp has to exist at full speed too: found out before the first step. */
static PetscErrorCode try_full_speed(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].opt->ramp > t) PetscCall(evaluate_condition(bc, &bc->cond[i], bc->cond[i].opt->ramp));
  PetscCall(RhxBoundaryRaise(bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetTime(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  PetscCheck(bc->setup, bc->comm, PETSC_ERR_ORDER, "RhxBoundarySetTime: got a boundary that is not set up");
  if (!bc->evaluated) PetscCall(try_full_speed(bc, t));
  if (anything_changes(bc, t)) { /* the same on every rank */
    for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(evaluate_condition(bc, &bc->cond[i], t));
    bc->version++;
    if (changes(bc, bc->source_time, 0, t)) {
      PetscCall(RhxBoundarySources(bc, t));
      bc->source_version++;
    }
    PetscCall(RhxBoundaryRaise(bc));
  }
  bc->t = t;
  bc->evaluated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void project_velocity(RhxBoundary bc, PetscScalar *x)
{
  RhxProject(&bc->symmetry, bc->space->dim, bc->space->bs, RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY), x);
}

PetscErrorCode RhxBoundaryImpose(RhxBoundary bc, unsigned what, PetscScalar *x)
{
  PetscFunctionBegin;
  for (PetscInt q = 0; q < RHX_NGROUPS; q++) {
    const RhxFixed *f = &bc->fixed[q];
    if (!(what & (1u << q))) continue;
    for (PetscInt i = 0; i < f->n; i++) x[f->idx[i]] = f->val[i];
  }
  if (what & RHX_BC_VELOCITY) project_velocity(bc, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryZero(RhxBoundary bc, unsigned what, PetscScalar *x)
{
  PetscFunctionBegin;
  for (PetscInt q = 0; q < RHX_NGROUPS; q++) {
    const RhxFixed *f = &bc->fixed[q];
    if (!(what & (1u << q))) continue;
    for (PetscInt i = 0; i < f->n; i++) x[f->idx[i]] = 0;
  }
  if (what & RHX_BC_VELOCITY) project_velocity(bc, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}
