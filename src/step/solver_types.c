#include "step/solver_types.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "solver/solver.h"
#include <petscpartitioner.h>
#include <petscsf.h>
#include <petscsnes.h>
#include <string.h>

/* Ends of names; their types are those of a list that PETSc keeps, or these. */
static const struct {
  const char *end, *what;
  PetscFunctionList *list;
  const char *const *names;
} rows[] = {
    {"ksp_type", "a linear solver", &KSPList, NULL},
    {"ksp_guess_type", "a way to guess", NULL, (const char *const[]){"fischer", "pod", NULL}},
    {"pc_type", "a preconditioner", &PCList, NULL},
    {"snes_type", "a nonlinear solver", &SNESList, NULL},
    {"snes_linesearch_type", "a line search", &SNESLineSearchList, NULL},
    {"ts_adapt_type", "a control of the time step", NULL,
     (const char *const[]){"none", "basic", "dsp", "cfl", "glee", "history", NULL}},
    {"vec_type", "a type of vectors", &VecList, NULL},
    {"sf_type", "a way of messages", &PetscSFList, NULL},
    {"petscpartitioner_type", "a partitioner", &PetscPartitionerList, NULL},
    {"pc_gamg_type", "a way to coarsen", NULL, (const char *const[]){"agg", "geo", "classical", NULL}},
    {"pc_factor_mat_ordering_type", "an ordering", &MatOrderingList, NULL},
    {"pc_factor_mat_solver_type", "a package that factors matrices", NULL, NULL},
};

PetscBool RhxOptionIs(const char *name, const char *option, size_t *prefix)
{
  const size_t n = strlen(name), k = strlen(option);
  if (n < k || strcmp(name + n - k, option) || (n > k && name[n - k - 1] != '_')) return PETSC_FALSE;
  *prefix = n - k;
  return PETSC_TRUE;
}

/* Those for LU; packages have no list that can be asked for. */
static PetscErrorCode list_packages(PetscInt most, const char **names, int *n)
{
  static const char *const known[] = {"petsc",       "mumps",    "superlu",      "superlu_dist", "umfpack",
                                      "cholmod",     "klu",      "spqr",         "strumpack",    "pastix",
                                      "mkl_pardiso", "cusparse", "mkl_cpardiso", "elemental",    "bas"};
  static const char *const matrices[] = {MATSEQAIJ, MATMPIAIJ, MATSEQAIJCUSPARSE};

  PetscFunctionBegin;
  *n = 0;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(known) && *n < most; i++) {
    PetscErrorCode (*lu)(Mat, MatFactorType, Mat *) = NULL;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(matrices) && !lu; k++)
      PetscCall(MatSolverTypeGet(known[i], matrices[k], MAT_FACTOR_LU, NULL, NULL, &lu));
    if (lu) names[(*n)++] = known[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(MPI_Comm comm, const char *name, const char *value, const char *what, int n,
                             const char *const *types)
{
  const char *near = RhxNearest(value, n, types);
  char all[3072] = "";

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    PetscCall(PetscStrlcat(all, i ? ", " : "", sizeof(all)));
    PetscCall(PetscStrlcat(all, types[i], sizeof(all)));
  }
  SETERRQ(comm, PETSC_ERR_USER_INPUT, "-%s: got '%s', expected %s that this PETSc has: %s%s%s%s", name, value, what,
          all, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Preconditioners that no option completes. */
static PetscErrorCode refuse_incomplete(MPI_Comm comm, const char *name, const char *value)
{
  static const struct {
    const char *type, *needs;
  } incomplete[] = {{"shell", "an application"},
                    {"mat", "a matrix that is its inverse"},
                    {"vpbjacobi", "the sizes of blocks that differ"},
                    {"bddc", "a matrix of subdomains (MATIS)"},
                    {"nn", "a matrix of subdomains (MATIS)"},
                    {"galerkin", "an interpolation"},
                    {"lmvm", "a matrix of secants"}};
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(incomplete); k++)
    PetscCheck(strcmp(value, incomplete[k].type) != 0, comm, PETSC_ERR_USER_INPUT,
               "-%s: got '%s', which needs %s from a program, expected one that takes the matrix as it is, such as lu, "
               "ilu, bjacobi, asm, pbjacobi, fieldsplit or gamg",
               name, value, incomplete[k].needs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MOST 256

static PetscErrorCode check(MPI_Comm comm, const char *name, const char *value, size_t row)
{
  const char *types[MOST], **listed = NULL;
  int n = 0;
  PetscBool has = PETSC_FALSE;

  PetscFunctionBegin;
  if (rows[row].list) {
    PetscCall(PetscFunctionListGet(*rows[row].list, &listed, &n));
    n = PetscMin(n, MOST);
    for (int i = 0; i < n; i++) types[i] = listed[i];
    while (n && !types[n - 1]) n--; /* PETSc counts the end of its list */
  } else if (rows[row].names)
    for (; rows[row].names[n]; n++) types[n] = rows[row].names[n];
  else {
    PetscCall(list_packages(MOST, types, &n));
    PetscCall(MatSolverTypeGet(value, MATSEQAIJ, MAT_FACTOR_LU, &has, NULL, NULL)); /* in capitals too */
  }
  for (int i = 0; i < n && !has; i++) PetscCall(PetscStrcmp(types[i], value, &has));
  if (!has) PetscCall(refuse(comm, name, value, rows[row].what, n, types));
  PetscCall(PetscFree(listed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSolverTypesCheck(MPI_Comm comm)
{
  char **name, **value;
  PetscInt n;
  size_t prefix;
  Vec any;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 0, &any)); /* types of vectors are known once there was one */
  PetscCall(VecDestroy(&any));
  PetscCall(MatInitializePackage());
  PetscCall(SNESInitializePackage());
  PetscCall(PetscSFInitializePackage());
  PetscCall(PetscPartitionerInitializePackage());
  PetscCall(RhxSolverRegister());
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; i++)
    for (size_t row = 0; row < PETSC_STATIC_ARRAY_LENGTH(rows); row++)
      if (RhxOptionIs(name[i], rows[row].end, &prefix)) {
        PetscCall(check(comm, name[i], value[i] ? value[i] : "", row));
        if (rows[row].list == &PCList) PetscCall(refuse_incomplete(comm, name[i], value[i]));
      }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
