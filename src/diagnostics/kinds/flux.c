#include "diagnostics/functional_impl.h"
#include "petsc_compat.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const char *const unit = space->dim == 2 && !space->axisymmetric ? "m^2/s" : "m^3/s";

  PetscFunctionBegin;
  PetscCall(RhxLabelFunctionalsSetUp(d, "flux", unit, RhxFunctionalCreateFlux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_flux = {
    .entry = {sizeof(RhxDiagnosticType), "flux", "volume flux out of the domain through labels, m^3/s (2D: m^2/s)"},
    RHX_LABEL_FUNCTIONALS,
    .setup = setup};
