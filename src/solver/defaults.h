/* Options of an object inside a solver of PETSc's that only the options database reaches. */
#ifndef RHX_SOLVER_DEFAULTS_H
#define RHX_SOLVER_DEFAULTS_H
#include <petscsys.h>

#define RHX_DEFAULTS_MOST 8
typedef struct {
  const char *name, *value; /* such as "-pc_type", without the prefix */
} RhxDefault;
typedef struct {
  char prefix[256];
  const RhxDefault *list; /* borrowed */
  int n;
  PetscBool given[RHX_DEFAULTS_MOST]; /* by the user, whose value stays */
} RhxDefaults;

/* Sets what the user did not, until Clear. prefix: NULL or such as "pressure_". */
PetscErrorCode RhxDefaultsSet(const char *prefix, const RhxDefault *list, int n, RhxDefaults *defaults);
PetscErrorCode RhxDefaultsClear(const RhxDefaults *defaults);
#endif
