/* The tolerances of a solver that iterates, with a prefix: PETSC_ERR_... names the option that has none of their values. */
#ifndef RHX_STEP_TOLERANCES_H
#define RHX_STEP_TOLERANCES_H
#include <petscsys.h>

/* prefix: "pressure_" or "momentum_". A direct solver meets whatever is asked, but not what is no number. */
PetscErrorCode RhxTolerancesCheck(MPI_Comm comm, const char *prefix);
/* Of Newton's method of the implicit schemes, its linear solves and the errors of its steps, which have no prefix. */
PetscErrorCode RhxNewtonTolerancesCheck(MPI_Comm comm);
#endif
