/* Between which values conditions and sources of a scalar field have been since the run began: what a maximum principle holds the field against. */
#include "boundary/scalar_impl.h"

static const RhxScalarGiven none = {
    {PETSC_INFINITY, PETSC_NINFINITY}, {PETSC_INFINITY, PETSC_NINFINITY}, {PETSC_INFINITY, PETSC_NINFINITY}};

static void widen(double range[2], PetscInt n, const PetscReal *value)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscBool is = (PetscBool)!PetscIsInfOrNanReal(value[i]);
    range[0] = is ? PetscMin(range[0], value[i]) : PETSC_NINFINITY;
    range[1] = is ? PetscMax(range[1], value[i]) : PETSC_INFINITY;
  }
}

/* At the label's owned nodes. */
static PetscErrorCode look_at_condition(const RhxCondition *c, PetscInt k, double t, RhxScalarGiven *given)
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  const RhxScalarCondition *s = &c->scalar[k];
  PetscReal *x, *value;

  PetscFunctionBegin;
  if (!s->formula) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(n * dim, &x, n, &value));
  for (PetscInt i = 0; i < n * dim; i++) x[i] = c->bc->space->x[(size_t)c->faces->node[i / dim] * dim + i % dim];
  PetscCall(RhxFormulaEvaluate(s->formula, t, n, dim, x, value));
  widen(s->kind == RHX_SCALAR_FLUX ? given->flux : given->value, n, value);
  PetscCall(PetscFree2(x, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBeginGiven(RhxBoundary bc)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < bc->form->nscalars; k++) bc->film.given[k] = none;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryNoteGiven(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt k = 0; k < bc->form->nscalars; k++)
      if (!bc->evaluated || bc->cond[i].scalar[k].time)
        PetscCall(look_at_condition(&bc->cond[i], k, t, &bc->film.given[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxBoundaryNoteSource(RhxBoundary bc, PetscInt row, const PetscReal *value)
{
  const PetscInt k = row - bc->form->first_scalar;

  if (k >= 0 && k < bc->form->nscalars) widen(bc->film.given[k].source, bc->space->nowned, value);
}

/* The same on all ranks; what nobody gives is 0, but for values. */
static PetscErrorCode agree(RhxBoundary bc, RhxScalarGiven *given)
{
  double *range[3] = {given->value, given->flux, given->source}, all[6];

  PetscFunctionBegin;
  for (int i = 0; i < 6; i++) all[i] = i % 2 ? -range[i / 2][1] : range[i / 2][0];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 6, MPI_DOUBLE, MPI_MIN, bc->comm));
  for (int i = 0; i < 3; i++) {
    const PetscBool lacks = (PetscBool)(i > 0 && all[2 * i] == PETSC_INFINITY);
    range[i][0] = lacks ? 0.0 : all[2 * i];
    range[i][1] = lacks ? 0.0 : -all[2 * i + 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetScalarGiven(RhxBoundary bc, PetscInt k, PetscBool now, RhxScalarGiven *given)
{
  static const PetscReal heat[2] = {0.0, PETSC_INFINITY}; /* of friction, however much */

  PetscFunctionBegin;
  *given = bc->film.given[k];
  if (now) PetscCall(PetscArraycpy(given->value, none.value, 2));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (now && bc->cond[i].scalar[k].kind != RHX_SCALAR_FLUX)
      PetscCall(look_at_condition(&bc->cond[i], k, bc->t, given));
    if (bc->cond[i].warmth) widen(given->flux, 2, heat);
  }
  PetscCall(agree(bc, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}
