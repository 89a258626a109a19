/* The polymer's unknown that a label gives: of the law's developed flow, by formulas, or at rest. */
#include "boundary/shift_impl.h"

/* Notes the worst of s [n][nmodes][ntens] of formulas that is no state of its law. */
static PetscErrorCode check_positive(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *s)
{
  RhxBoundary bc = c->bc;
  const PetscInt nmodes = bc->form->nmodes;
  PetscInt worst = 0;
  double value, least = PETSC_MAX_REAL;
  char place[128], where[256];

  PetscFunctionBegin;
  if (bc->failure[0]) PetscFunctionReturn(PETSC_SUCCESS); /* s may not be finite */
  for (PetscInt i = 0; i < n * nmodes; i++) {
    PetscCall(RhxFormSmallestEigenvalue(bc->form, i % nmodes, s + (size_t)i * bc->space->ntens, &value));
    if (value >= least) continue;
    least = PetscIsNanReal(value) ? PETSC_NINFINITY : value;
    worst = i;
  }
  if (least > 0) PetscFunctionReturn(PETSC_SUCCESS);
  RhxBoundaryPlace(bc, x + worst / nmodes * bc->space->dim, place, sizeof(place));
  snprintf(where, sizeof(where), "-bc_%s_stress at %s, t = %g", c->label, place, t);
  RhxBoundaryNotPositive(bc, where, worst % nmodes, least);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unknown at rest, raised by the ramp towards the formulas. */
static PetscErrorCode stress_by_formula(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *s)
{
  RhxBoundary bc = c->bc;
  PetscInt ntens = bc->space->ntens, nmodes = bc->form->nmodes, width = nmodes * ntens;
  PetscReal factor = RhxRamp(t, c->opt->ramp), rest[6];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nmodes; k++) {
    PetscCall(RhxFormRest(bc->form, k, rest));
    for (PetscInt a = 0; a < ntens; a++) {
      PetscReal *v = s + k * ntens + a;
      if (c->stress) PetscCall(RhxBoundaryFormula(bc, c->stress[k * ntens + a], t, n, x, width, v));
      for (PetscInt i = 0; i < n; i++) v[i * width] = c->stress ? rest[a] + factor * (v[i * width] - rest[a]) : rest[a];
    }
  }
  if (c->stress) PetscCall(check_positive(c, t, n, x, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionStress(RhxCondition *c, int polymer, double t, PetscInt n, const PetscReal *x, PetscReal *s)
{
  const PetscInt dim = c->bc->space->dim;
  PetscReal *L;

  PetscFunctionBegin;
  if (polymer != RHX_POLYMER_DEVELOPED) {
    PetscCall(stress_by_formula(c, t, n, x, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n * dim * dim, &L));
  PetscCall(RhxConditionProfile(c->bc, c, t, n, x, NULL, L));
  PetscCall(RhxConditionReduce(c, t, n, x, L, NULL));
  PetscCall(RhxBoundaryDeveloped(c->bc, n, x, L, s, NULL));
  PetscCall(PetscFree(L));
  PetscFunctionReturn(PETSC_SUCCESS);
}
