/* The mass balance by the nodes of the boundary's elements, the conformations by the components of the modes. */
#include "diagnostics/named.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const columns[] = {"mass_error",       "min_eigenvalue", "min_eigenvalue_x", "min_eigenvalue_y",
                                        "min_eigenvalue_z", "mode",           "indefinite_nodes", "max_trace"};
  static const char *const units[] = {"1", "1", "m", "m", "m", "1", "1", "1"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(columns); i++)
    PetscCall(RhxDiagnosticAddColumnUnit(d, columns[i], units[i]));
  PetscCall(RhxDiagnosticSetAllLabels(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  const PetscInt first = RhxFieldsStart(form->space->fields, RHX_GROUP_MODES);
  RhxConformationHealth c;
  PetscScalar *near;
  Vec x = NULL;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticGetStateNear(d, &near));
  PetscCall(RhxMassErrorNear(form, near, values));
  PetscCall(PetscFree(near));
  if (form->nmodes)
    PetscCall(
        RhxSchemeGetPart(RhxDiagnosticGetRun(d)->ts, first, RhxFieldsEnd(form->space->fields, RHX_GROUP_MODES), &x));
  PetscCall(RhxConformationCheck(form, x, &c));
  values[1] = c.min_eigenvalue;
  for (int k = 0; k < 3; k++) values[2 + k] = c.x[k];
  values[5] = (double)c.mode;
  values[6] = (double)c.nbad;
  values[7] = c.max_trace;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_health = {
    .entry = {sizeof(RhxDiagnosticType), "health",
              "relative mass error; least eigenvalue of the conformations, its place and mode, nodes where one is not "
              "positive, largest trace"},
    .setup = setup,
    .evaluate = evaluate};
