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
