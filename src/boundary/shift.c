/* Shift factors of the laws (kernels/shift.h) where a label gives the fields that shift them. */
#include "boundary/scalar_impl.h"
#include "boundary/shift_impl.h"
#include "form/scalars.h"
#include "petsc_compat.h"

#define UNIFORM 1e-6 /* of the factor: rounding of a formula */

/* fields[n][nscalars] of the label: values that it gives, zero where it gives none that a law reads. */
static PetscErrorCode get_fields(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *fields)
{
  const RhxForm form = c->bc->form;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(fields, n * form->nscalars));
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const char *name = form->scalar[k].row->name;
    if (!RhxFormShiftReads(form, k)) continue;
    PetscCheck(c->scalar[k].kind == RHX_SCALAR_VALUE && c->scalar[k].formula, c->bc->comm, PETSC_ERR_ARG_INCOMP,
               "label '%s' has the developed flow or stress of a fluid whose laws the field '%s' shifts: got no value "
               "of it, expected -bc_%s_%s \"value <formula>\", or -bc_%s_polymer formula, rest or free and a profile "
               "by formula",
               c->label, name, c->label, name, c->label);
    PetscCall(RhxBoundaryFormula(c->bc, c->scalar[k].formula, t, n, x, form->nscalars, fields + k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a[n]: of times. solvent: the one of its viscosity besides that is farthest from 1; or NULL. */
static PetscErrorCode get_factors(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *a,
                                  PetscReal *solvent)
{
  const RhxForm form = c->bc->form;
  PetscReal *fields, both[2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * form->nscalars, &fields));
  PetscCall(get_fields(c, t, n, x, fields));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(RhxFormShift(form, fields + i * form->nscalars, both));
    a[i] = both[0];
    if (solvent && PetscAbsReal(both[1] - 1) > PetscAbsReal(*solvent - 1)) *solvent = both[1];
  }
  PetscCall(PetscFree(fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionReduce(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *L,
                                  PetscReal *factor)
{
  const PetscInt size = c->bc->space->dim * c->bc->space->dim;
  PetscReal *a;

  PetscFunctionBegin;
  for (PetscInt i = 0; factor && i < n; i++) factor[i] = 1;
  if (!(c->bc->form->coupled & RHX_SHIFTS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &a));
  PetscCall(get_factors(c, t, n, x, a, NULL));
  for (PetscInt i = 0; i < n * size; i++) L[i] *= a[i / size];
  if (factor) PetscCall(PetscArraycpy(factor, a, n));
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionGetShift(RhxCondition *c, double t, PetscReal *a)
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  PetscReal *x, *of, solvent = 1;

  PetscFunctionBegin;
  *a = 1;
  if (!(c->bc->form->coupled & RHX_SHIFTS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_factors(c, t, 1, c->geo.centre, a, &solvent));
  PetscCall(PetscMalloc2(n * dim, &x, n, &of));
  for (PetscInt j = 0; j < n * dim; j++) x[j] = c->bc->space->x[c->faces->node[j / dim] * dim + j % dim];
  PetscCall(get_factors(c, t, n, x, of, &solvent));
  for (PetscInt j = 0; j < n && !c->bc->failure[0]; j++)
    if (!(PetscAbsReal(of[j] - *a) <= UNIFORM * *a))
      snprintf(
          c->bc->failure, sizeof(c->bc->failure),
          "-bc_%s_profile developed: got fields that shift the laws %g-fold at the middle and %g-fold elsewhere on "
          "the label, expected the same everywhere, or a profile by formula (-bc_%s_velocity)",
          c->label, (double)*a, (double)of[j], c->label);
  if (c->bc->form->nmodes && PetscAbsReal(solvent - 1) > UNIFORM && !c->bc->failure[0])
    snprintf(c->bc->failure, sizeof(c->bc->failure),
             "-bc_%s_profile developed: got fields that make the solvent's viscosity %g-fold beside the polymer's, "
             "expected factors of time alone, or a profile by formula (-bc_%s_velocity)",
             c->label, (double)solvent, c->label);
  PetscCall(PetscFree2(x, of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxConditionShiftsInTime(const RhxCondition *c)
{
  const RhxForm form = c->bc->form;

  for (PetscInt k = 0; k < form->nscalars && (form->coupled & RHX_SHIFTS); k++)
    if (RhxFormShiftReads(form, k) && c->scalar[k].kind == RHX_SCALAR_VALUE && c->scalar[k].time) return PETSC_TRUE;
  return PETSC_FALSE;
}
