/* Mean pressures of labels. */
#include "diagnostics/functional_impl.h"
#include "petsc_compat.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(RhxLabelFunctionalsSetUp(d, "pressure", "Pa", RhxFunctionalCreateMeanPressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_mean_pressure = {
    .entry = {sizeof(RhxDiagnosticType), "mean_pressure", "mean pressure over labels, Pa: columns <label>_pressure"},
    RHX_LABEL_FUNCTIONALS,
    .setup = setup};
