/* The force that keeps -form_mean_velocity. */
#include "diagnostics/named.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  PetscBool driven;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDrive(RhxDiagnosticGetRun(d)->bc, &driven, NULL, NULL));
  PetscCheck(driven, RhxDiagnosticGetComm(d), PETSC_ERR_ARG_WRONG,
             "-diagnostic_%s_kind drive: got a flow without -form_mean_velocity, expected one whose force is found",
             RhxDiagnosticGetName(d));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "force", "N/m^3"));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "mean_velocity", "m/s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscBool driven;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxBoundaryGetDrive(RhxDiagnosticGetRun(d)->bc, &driven, &values[0], &values[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_drive = {
    .entry = {sizeof(RhxDiagnosticType), "drive",
              "force per volume of the last step that keeps -form_mean_velocity, N/m^3, and that mean, m/s"},
    .setup = setup,
    .evaluate = evaluate};
