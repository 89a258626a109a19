#include "petsc_compat.h"
#include "scheme/idle_impl.h"
#include "scheme/renew_impl.h"
#include "step/solver_types.h"
#include <petscts.h>

/* The Jacobian is ours, and so is the choice of when the preconditioner is set up. */
#define KEPT "-pc_renew, which keeps the preconditioner; the Jacobian is always that of the present state"
#define EXACT "none of differences: the Jacobian is exact, by products"
static const struct {
  const char *option, *expected;
  PetscBool number; /* whose value 1 changes nothing; else a switch, that may be off */
} ours[] = {{"-snes_lag_preconditioner", KEPT, PETSC_TRUE},
            {"-snes_lag_preconditioner_persists", KEPT, PETSC_FALSE},
            {"-snes_lag_jacobian", KEPT, PETSC_TRUE},
            {"-snes_lag_jacobian_persists", KEPT, PETSC_FALSE},
            {"-ksp_reuse_preconditioner", KEPT, PETSC_FALSE},
            {"-snes_mf", EXACT, PETSC_FALSE},
            {"-snes_mf_operator", EXACT, PETSC_FALSE},
            {"-snes_fd", EXACT, PETSC_FALSE},
            {"-snes_fd_color", EXACT, PETSC_FALSE}};

static PetscErrorCode check_ours(MPI_Comm comm, const RhxSchemeType *type)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(ours); k++) {
    PetscBool on = PETSC_FALSE;
    PetscInt every = 1;
    if (ours[k].number)
      PetscCall(PetscOptionsGetInt(NULL, NULL, ours[k].option, &every, NULL));
    else
      PetscCall(PetscOptionsGetBool(NULL, NULL, ours[k].option, &on, NULL));
    PetscCheck(every == 1 && !on, comm, PETSC_ERR_USER_INPUT, "%s: got it with -scheme %s, expected %s", ours[k].option,
               type->name, ours[k].expected);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of steps by their error alone. */
static const char *const of_errors[] = {"-ts_rtol",
                                        "-ts_atol",
                                        "-ts_adapt_always_accept",
                                        "-ts_adapt_safety",
                                        "-ts_adapt_reject_safety",
                                        "-ts_adapt_ignore_max",
                                        "-ts_adapt_max_ignore",
                                        "-ts_adapt_clip",
                                        "-ts_adapt_dt_min",
                                        "-ts_adapt_dt_max",
                                        "-ts_adapt_wnormtype",
                                        "-ts_adapt_time_step_increase_delay"};

static PetscErrorCode check_constant(MPI_Comm comm)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(of_errors); k++) {
    PetscBool set;
    PetscCall(PetscOptionsHasName(NULL, NULL, of_errors[k], &set));
    PetscCheck(!set, comm, PETSC_ERR_USER_INPUT,
               "%s: got it without steps that are chosen by their error, where it does nothing, expected it with "
               "-ts_adapt_type basic",
               of_errors[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What given values leave out of balance is turned by each midpoint, undamped, and acts on the pressure over dt. */
static PetscErrorCode check_swinging(MPI_Comm comm, const char *integrator)
{
  PetscBool endpoint = PETSC_FALSE;
  PetscReal theta = 0.5;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ts_theta_endpoint", &endpoint, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-ts_theta_theta", &theta, NULL));
  PetscCheck(strcmp(integrator, TSTHETA) || endpoint || theta >= 1.0, comm, PETSC_ERR_USER_INPUT,
             "-ts_type theta: got steps chosen by their error (-ts_adapt_type), with which its pressure grows without "
             "bound, expected bdf, cn, alpha or beuler, or -ts_theta_endpoint");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_steps(MPI_Comm comm, const RhxSchemeType *type)
{
  char adapt[64] = TSADAPTNONE, option[128], integrator[64] = TSBDF;
  PetscReal cfl = 0.0;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ts_adapt_type", adapt, sizeof(adapt), NULL));
  PetscCheck(!strcmp(adapt, TSADAPTNONE) || !strcmp(adapt, TSADAPTBASIC) || !strcmp(adapt, TSADAPTDSP), comm,
             PETSC_ERR_USER_INPUT,
             "-ts_adapt_type: got '%s', which these integrators cannot be used with, expected none, basic or dsp",
             adapt);
  if (!strcmp(adapt, TSADAPTNONE)) {
    PetscCall(check_constant(comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_integrator", type->name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, integrator, sizeof(integrator), NULL));
  PetscCall(check_swinging(comm, integrator));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_cfl", type->name));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, &cfl, NULL));
  PetscCheck(cfl == 0.0, comm, PETSC_ERR_USER_INPUT,
             "%s: got %g beside -ts_adapt_type %s, and both choose the time step, expected one of them", option,
             (double)cfl, adapt);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define OF_GRAPHS "graph_" /* graph_cg, graph_mg, graph_inverse */

static PetscErrorCode check_graph(MPI_Comm comm, const char *name, const char *type)
{
  PetscFunctionBegin;
  PetscCheck(strncmp(type, OF_GRAPHS, strlen(OF_GRAPHS)), comm, PETSC_ERR_USER_INPUT,
             "-%s: got %s, which is for the matrix of a pressure alone, symmetric and positive definite, expected "
             "one of PETSc, or -solver points, multigrid on node blocks for devices",
             name, type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At the top, and inside, where nothing has read it yet. */
static PetscErrorCode check_graphs(MPI_Comm comm)
{
  static const char *const top[] = {"-ksp_type", "-pc_type"};
  char **name, **value;
  PetscInt n;
  size_t prefix;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    char type[64] = "";
    PetscCall(PetscOptionsGetString(NULL, NULL, top[k], type, sizeof(type), NULL));
    PetscCall(check_graph(comm, top[k] + 1, type));
  }
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; i++)
    if (value[i] && (RhxOptionIs(name[i], "pc_type", &prefix) || RhxOptionIs(name[i], "ksp_type", &prefix)))
      PetscCall(check_graph(comm, name[i], value[i]));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of another rule of -pc_renew than the one that is taken: told, for a case may hold those of several. */
static PetscErrorCode warn_of_rules(MPI_Comm comm, const RhxSchemeType *type)
{
  static const struct {
    const char *number, *rules;
  } of[] = {{"a", "iterations or cfl"}, {"b", "iterations or cfl"}, {"x", "demand"}, {"interval", "interval"}};
  char rule[64], option[128];
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(rule, RhxRenewNames[type->integrator ? RHX_RENEW_DEMAND : RHX_RENEW_ALWAYS], sizeof(rule)));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_pc_renew", type->name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, rule, sizeof(rule), NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(of); k++) {
    PetscBool set;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-scheme_%s_pc_renew_%s", type->name, of[k].number));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
    if (set && !strstr(of[k].rules, rule))
      PetscCall(PetscFPrintf(comm, PETSC_STDERR,
                             "rheoplex: warning: -pc_renew_%s does nothing with -pc_renew %s, expected -pc_renew %s\n",
                             of[k].number, rule, of[k].rules));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxIdleOptionsCheck(MPI_Comm comm, const RhxSchemeType *type)
{
  PetscFunctionBegin;
  PetscCall(check_ours(comm, type));
  PetscCall(check_graphs(comm));
  PetscCall(warn_of_rules(comm, type));
  if (type->integrator) PetscCall(check_steps(comm, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}
