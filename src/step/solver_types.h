/* Types of PETSc's solvers that options name: -..._ksp_type, -..._pc_type, -snes_type and the like. */
#ifndef RHX_STEP_SOLVER_TYPES_H
#define RHX_STEP_SOLVER_TYPES_H
#include <petscsys.h>

/* An error names the option whose type this PETSc does not have, and those that it has. Of those that nothing has read yet. Collective. */
PetscErrorCode RhxSolverTypesCheck(MPI_Comm comm);
/* Is `name` this option, both without '-', alone or behind a prefix? *prefix: length of that, its '_' included. */
PetscBool RhxOptionIs(const char *name, const char *option, size_t *prefix);
#endif
