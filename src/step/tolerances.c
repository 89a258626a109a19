#include "step/tolerances.h"
#include "petsc_compat.h"
#include "plugin/option.h"

static const RhxRow rows[] = {
    {"ksp_rtol", RHX_REAL, 0, 0, NULL, RHX_IN_RIGHT_OPEN, 0, 1, NULL, "1", "fall of the residual norm"},
    {"ksp_atol", RHX_REAL, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "residual norm"},
    {"ksp_max_it", RHX_INT, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "iterations at most"},
    {"ksp_divtol", RHX_REAL, 0, 0, NULL, RHX_GT, 0, 0, NULL, "1", "growth of the residual norm at which to give up"},
};

PetscErrorCode RhxTolerancesCheck(MPI_Comm comm, const char *prefix)
{
  PetscFunctionBegin;
  PetscCall(RhxRowsCheck(comm, prefix, PETSC_STATIC_ARRAY_LENGTH(rows), rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RhxRow newton_rows[] = {
    {"snes_rtol", RHX_REAL, 0, 0, NULL, RHX_IN_RIGHT_OPEN, 0, 1, NULL, "1", "fall of the residual norm"},
    {"snes_atol", RHX_REAL, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "residual norm"},
    {"snes_stol", RHX_REAL, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "correction over the solution"},
    {"snes_max_it", RHX_INT, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "iterations at most"},
    {"ts_rtol", RHX_REAL, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "error of a step over the solution"},
    {"ts_atol", RHX_REAL, 0, 0, NULL, RHX_GE, 0, 0, NULL, "1", "error of a step"},
    {"ts_max_reject", RHX_INT, 0, 0, NULL, RHX_GE, -1, 0, NULL, "1", "rejections of a step at most; -1: any"},
    {"ts_max_snes_failures", RHX_INT, 0, 0, NULL, RHX_GE, -1, 0, NULL, "1", "solves that fail at most; -1: any"},
};

PetscErrorCode RhxNewtonTolerancesCheck(MPI_Comm comm)
{
  PetscFunctionBegin;
  PetscCall(RhxRowsCheck(comm, "", PETSC_STATIC_ARRAY_LENGTH(newton_rows), newton_rows));
  PetscCall(RhxTolerancesCheck(comm, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
