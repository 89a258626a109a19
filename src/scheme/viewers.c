#include "petsc_compat.h"
#include "scheme/viewers_impl.h"
#include "step/solver_types.h"

/* Types of viewers that do what the option says; the first stands for one that is not named. `whole`: of the solvers with a prefix,
 * whose vectors a viewer writes once a solve; of Newton's many, PETSc leaves files behind that cannot be read. A viewer
 * that cannot be made, as draw without a screen, prints nothing. */
static const struct {
  const char *option, *types, *whole;
} viewers[] = {{"ts_monitor", "ascii", NULL},
               {"ts_monitor_extreme", "ascii", NULL},
               {"ts_view", "ascii", NULL},
               {"ts_view_solution", "ascii|binary|hdf5|vtk", NULL},
               {"ts_monitor_solution", "ascii|binary|hdf5|vtk", NULL},
               {"snes_view", "ascii|binary", NULL},
               {"snes_view_solution", "ascii|binary|hdf5|vtk", NULL},
               {"snes_converged_reason", "ascii", NULL},
               {"snes_monitor", "ascii", NULL},
               {"snes_monitor_short", "ascii", NULL},
               {"snes_monitor_range", "ascii", NULL},
               {"snes_monitor_ratio", "ascii", NULL},
               {"snes_monitor_fields", "ascii", NULL},
               {"snes_monitor_solution", "ascii|binary", NULL},
               {"snes_monitor_solution_update", "ascii|binary", NULL},
               {"snes_monitor_residual", "ascii|binary", NULL},
               {"ksp_view", "ascii|binary", "ascii|binary"},
               {"ksp_view_pre", "ascii|binary", "ascii|binary"},
               {"ksp_view_mat", "ascii", "ascii|binary"},
               {"ksp_view_pmat", "ascii|binary", "ascii|binary"},
               {"ksp_view_rhs", "ascii|binary", "ascii|binary|hdf5"},
               {"ksp_view_solution", "ascii|binary", "ascii|binary|hdf5"},
               {"ksp_view_final_residual", "ascii", "ascii"},
               {"ksp_view_eigenvalues", "ascii", "ascii"},
               {"ksp_view_eigenvalues_explicit", "ascii", "ascii"},
               {"ksp_view_preconditioned_operator_explicit", "ascii|binary", "ascii|binary"},
               {"ksp_view_diagonal_scale", "ascii", "ascii"},
               {"ksp_view_singularvalues", "ascii", "ascii"},
               {"ksp_converged_reason", "ascii", "ascii"},
               {"ksp_converged_rate", "ascii", "ascii"},
               {"ksp_monitor", "ascii", "ascii"},
               {"ksp_monitor_short", "ascii", "ascii"},
               {"ksp_monitor_max", "ascii", "ascii"},
               {"ksp_monitor_range", "ascii", "ascii"},
               {"ksp_monitor_true_residual", "ascii", "ascii"},
               {"ksp_monitor_singular_value", "ascii", "ascii"},
               {"ksp_monitor_solution", "ascii", "ascii"},
               {"mat_view", "ascii|binary", NULL},
               {"dm_view", "ascii|hdf5|vtk", NULL},
               {"log_view", "ascii", NULL}};

/* Options that act, or that PETSc survives, beside another alone. */
static const struct {
  const char *option, *beside;
  PetscBool solvers; /* of every one with a prefix */
} pairs[] = {{"log_view_memory", "log_view", PETSC_FALSE},
             {"log_view_gpu_time", "log_view", PETSC_FALSE},
             {"ksp_view_diagonal_scale", "ksp_diagonal_scale", PETSC_TRUE}};

/* Old names of views, which draw. */
static const char *const plots[] = {"ksp_plot_eigenvalues", "ksp_plot_eigenvalues_explicitly",
                                    "ksp_plot_eigencontours"};
static const char *const prefixes[] = {"", "pressure_", "momentum_", "transport_"};
#define NPREFIXES PETSC_STATIC_ARRAY_LENGTH(prefixes)

static PetscBool is_viewer_of(const char *value, const char *types)
{
  static const char *const switches[] = {"", "true", "false", "yes", "no", "on", "off", "1", "0"};
  const size_t n = strcspn(value, ":");
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(switches); k++)
    if (!strcmp(value, switches[k])) return PETSC_TRUE;
  if (!n) return PETSC_TRUE; /* :file, of ascii */
  for (const char *t = types; *t; t += strcspn(t, "|"), t += *t == '|')
    if (strcspn(t, "|") == n && !strncmp(value, t, n)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* An option that nothing has read yet stays so: whether it acts at all is found out later. */
static PetscErrorCode look_up(const char *option, char *value, size_t size, PetscBool *set)
{
  char **names, **values;
  PetscInt n;
  PetscFunctionBegin;
  *set = PETSC_FALSE;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n && !*set; i++) {
    if (strcmp(names[i], option + 1)) continue;
    PetscCall(PetscStrncpy(value, values[i] ? values[i] : "", size));
    *set = PETSC_TRUE;
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  if (!*set) PetscCall(PetscOptionsGetString(NULL, NULL, option, value, size, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(MPI_Comm comm, const char *prefix, const char *option, const char *types)
{
  char got[PETSC_MAX_PATH_LEN] = "", name[256];
  PetscBool set;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", prefix, option));
  PetscCall(look_up(name, got, sizeof(got), &set));
  PetscCheck(!set || is_viewer_of(got, types), comm, PETSC_ERR_USER_INPUT, "%s: got '%s', expected a viewer of type %s",
             name, got, types);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_pair(MPI_Comm comm, const char *prefix, const char *option, const char *beside)
{
  char value[PETSC_MAX_PATH_LEN], name[256], other[256];
  PetscBool set, there;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", prefix, option));
  PetscCall(PetscSNPrintf(other, sizeof(other), "-%s%s", prefix, beside));
  PetscCall(look_up(name, value, sizeof(value), &set));
  PetscCall(look_up(other, value, sizeof(value), &there));
  PetscCheck(!set || there, comm, PETSC_ERR_USER_INPUT, "%s: got it without %s, expected both, or neither", name,
             other);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_plot(MPI_Comm comm, const char *prefix, const char *option)
{
  char value[PETSC_MAX_PATH_LEN], name[256];
  PetscBool set;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", prefix, option));
  PetscCall(look_up(name, value, sizeof(value), &set));
  PetscCheck(!set, comm, PETSC_ERR_USER_INPUT, "%s: got it, which draws, expected -%sksp_view_eigenvalues, to ascii",
             name, prefix);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solvers inside of preconditioners, which nothing has read yet: a view that they would draw. */
static PetscErrorCode check_inner(MPI_Comm comm)
{
  char **name, **value;
  PetscInt left;
  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &left, &name, &value));
  for (PetscInt i = 0; i < left; i++)
    for (size_t k = 0, n; k < PETSC_STATIC_ARRAY_LENGTH(viewers); k++)
      PetscCheck(!value[i] || strncmp(viewers[k].option, "ksp_", 4) || !RhxOptionIs(name[i], viewers[k].option, &n) ||
                     !n || is_viewer_of(value[i], viewers[k].whole),
                 comm, PETSC_ERR_USER_INPUT, "-%s: got '%s', expected a viewer of type %s", name[i], value[i],
                 viewers[k].whole);
  PetscCall(PetscOptionsLeftRestore(NULL, &left, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxViewersCheck(MPI_Comm comm)
{
  PetscMPIInt ranks;
  PetscBool set;
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(viewers); i++) {
    PetscCall(check(comm, "", viewers[i].option, viewers[i].types));
    for (size_t k = 1; k < NPREFIXES && viewers[i].whole; k++)
      PetscCall(check(comm, prefixes[k], viewers[i].option, viewers[i].whole));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(pairs); i++)
    for (size_t k = 0; k < (pairs[i].solvers ? NPREFIXES : 1); k++)
      PetscCall(check_pair(comm, prefixes[k], pairs[i].option, pairs[i].beside));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(plots); i++)
    for (size_t k = 0; k < NPREFIXES; k++) PetscCall(check_plot(comm, prefixes[k], plots[i]));
  PetscCall(check_inner(comm));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-snes_monitor_fields", &set));
  PetscCheck(
      !set || ranks == 1, comm, PETSC_ERR_USER_INPUT,
      "-snes_monitor_fields: got it on %d ranks, where PETSc adds what is not the residual's, expected one rank, "
      "or -snes_monitor",
      (int)ranks);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-snes_monitor_lg_range", &set));
  PetscCheck(!set, comm, PETSC_ERR_USER_INPUT,
             "Option -snes_monitor_lg_range does nothing here: expected -snes_monitor_range");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Levels, elements and subdomains that a DM without PETSc's elements does not have ---- */

/* Of a preconditioner with some prefix, of which `name` is an option. */
static PetscErrorCode check_multigrid(MPI_Comm comm, const char *name, const char *value)
{
  size_t n;
  char option[256], type[64] = "";
  PetscFunctionBegin;
  if (!RhxOptionIs(name, "pc_mg_levels", &n) || atoi(value) <= 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%.*spc_type", (int)n, name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, type, sizeof(type), NULL));
  PetscCheck(
      strcmp(type, PCMG), comm, PETSC_ERR_USER_INPUT,
      "-%s: got %s with %s mg, expected 1: there is one mesh, and coarser ones are made of the matrix by %s gamg", name,
      value, option, option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_patches(MPI_Comm comm, const char *name, const char *value)
{
  size_t n;
  PetscFunctionBegin;
  PetscCheck(!RhxOptionIs(name, "pc_type", &n) || strcmp(value, PCPATCH), comm, PETSC_ERR_USER_INPUT,
             "-%s: got patch, which asks for PETSc's finite elements, expected a preconditioner of the matrix (asm "
             "has overlapping parts of it)",
             name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_newton(MPI_Comm comm)
{
  static const char *const without[] = {SNESNASM, SNESASPIN, SNESPATCH};
  PetscInt levels = 0;
  PetscBool set;
  char type[64];
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-snes_grid_sequence", &levels, NULL));
  PetscCheck(levels <= 0, comm, PETSC_ERR_USER_INPUT,
             "-snes_grid_sequence: got %" PetscInt_FMT ", expected 0: a run has one mesh, refined by -dm_refine",
             levels);
  levels = 1;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-snes_fas_levels", &levels, NULL));
  PetscCheck(levels <= 1, comm, PETSC_ERR_USER_INPUT,
             "-snes_fas_levels: got %" PetscInt_FMT ", expected 1: a run has one mesh", levels);
  PetscCall(look_up("-snes_type", type, sizeof(type), &set));
  for (size_t k = 0; set && k < PETSC_STATIC_ARRAY_LENGTH(without); k++)
    PetscCheck(strcmp(type, without[k]), comm, PETSC_ERR_USER_INPUT,
               "-snes_type: got %s, which asks for the residual of a part of the mesh, expected a method that asks for "
               "the whole, such as newtonls",
               type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLevelsCheck(MPI_Comm comm)
{
  static const char *const types[] = {"-pc_type", "-pressure_pc_type", "-momentum_pc_type", "-transport_pc_type"};
  char **name, **value, type[64];
  PetscInt n;
  PetscBool set;
  PetscFunctionBegin;
  PetscCall(check_newton(comm));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); k++) {
    PetscCall(look_up(types[k], type, sizeof(type), &set));
    if (set) PetscCall(check_patches(comm, types[k] + 1, type));
  }
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; i++) {
    if (!value[i]) continue;
    PetscCall(check_multigrid(comm, name[i], value[i]));
    PetscCall(check_patches(comm, name[i], value[i]));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
