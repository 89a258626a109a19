/* PETSc's options of a TS: each acts, or is refused with the option of Rheoplex that does what it would. */
#include "petsc_compat.h"
#include "scheme/idle_impl.h"
#include "scheme/renew_impl.h"
#include "scheme/renewpc_impl.h"
#include "scheme/type_impl.h"
#include "scheme/viewers_impl.h"
#include "step/solver_types.h"
#include "step/tolerances.h"
#include <petsc/private/petscimpl.h>

#define STEP "-scheme_@" /* @: the scheme's name */

/* The same thing under two names. */
static const struct {
  const char *ts, *own;
  PetscBool integrators; /* of schemes with integrators of PETSc; pc_renew of steady states too */
} same[] = {{"-ts_dt", STEP "_dt", PETSC_FALSE},
            {"-ts_time_step", STEP "_dt", PETSC_FALSE},
            {"-ts_max_time", "-stop_time", PETSC_FALSE},
            {"-ts_max_steps", "-stop_steps", PETSC_FALSE},
            {"-ts_type", STEP "_integrator", PETSC_TRUE},
            {"-pc_renew", STEP "_pc_renew", PETSC_TRUE},
            {"-pc_renew_a", STEP "_pc_renew_a", PETSC_TRUE},
            {"-pc_renew_b", STEP "_pc_renew_b", PETSC_TRUE},
            {"-pc_renew_x", STEP "_pc_renew_x", PETSC_TRUE},
            {"-pc_renew_interval", STEP "_pc_renew_interval", PETSC_TRUE}};

/* The first row counts whose name is the option's, or its beginning where the row ends in '*'. NULL: TS does it. */
static const struct {
  const char *option, *expected;
} rows[] = {
    {"ts_type", NULL},
    {"ts_exact_final_time", NULL},
    {"ts_init_time", NULL},
    {"ts_view", NULL},
    {"ts_view_solution", NULL},
    {"ts_monitor", NULL},
    {"ts_monitor_cancel", NULL},
    {"ts_monitor_extreme", NULL},
    {"ts_monitor_solution", NULL},
    {"ts_monitor_solution_vtk", NULL},
    {"ts_monitor*", "-ts_monitor, -ts_monitor_solution or -ts_monitor_extreme, or the table <name>_history.csv"},
    {"ts_adapt_dt_min", STEP "_dt_min"},
    {"ts_adapt_dt_max", STEP "_dt, the largest step with " STEP "_cfl"},
    {"ts_adapt*", STEP "_cfl, the control of the time step that this scheme has"},
    {"ts_rtol", STEP "_cfl: the scheme estimates no error of the time step"},
    {"ts_atol", STEP "_cfl: the scheme estimates no error of the time step"},
    {"ts_max_reject", STEP "_cfl: the scheme rejects no step"},
    {"ts_time_span", "-output_dt and -stop_time"},
    {"ts_eval_times", "-output_dt and -stop_time"},
    {"ts_run_steps", "-stop_steps"},
    {"ts_save_trajectory", "-output_checkpoint_every"},
    {"ts_trajectory*", "-output_checkpoint_every"},
    {"ts_*", "an option of " STEP "_... or -stop_...: the scheme has no such part"},
    {"snes_*", "no option of a nonlinear solver: a step of this scheme has none"}};

static const char *named(const char *text, const char *scheme, size_t size, char *out)
{
  size_t n = 0;

  for (; *text && n + 1 < size; text++)
    n += (size_t)(*text == '@' ? snprintf(out + n, size - n, "%s", scheme) : snprintf(out + n, size - n, "%c", *text));
  return out;
}

static PetscBool matches(const char *option, const char *row)
{
  const size_t n = strlen(row);

  if (row[n - 1] == '*') return (PetscBool)!strncmp(option, row, n - 1);
  return (PetscBool)!strcmp(option, row);
}

/* Of an integrator of PETSc; those that its type does not read remain unread, an error. */
static const char *const of_integrators[] = {
    "ts_adapt*", "ts_rtol",    "ts_atol",    "ts_max_reject", "ts_max_snes_failures",
    "ts_bdf_*",  "ts_theta_*", "ts_alpha_*", "ts_arkimex_*",  "snes_*"};

/* What is expected instead of the option; NULL: it is fine, or no option of TS. */
static const char *instead(const char *option, const RhxSchemeType *type)
{
  const PetscBool newton = type->newton;
  const char *expected = NULL;

  for (size_t i = 0; type->integrator && i < PETSC_STATIC_ARRAY_LENGTH(of_integrators); i++)
    if (matches(option, of_integrators[i])) return NULL;

  if (newton && matches(option, "snes_*")) return NULL;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); i++)
    if (matches(option, rows[i].option)) {
      expected = rows[i].expected;
      break;
    }
  if (!newton || !expected || !strstr(expected, STEP)) return expected;
  return "an option -snes_... of its solver: a step is the steady state itself";
}

/* TS makes a KSP of its own, which reads options without a prefix and is never used: they are mistakes. */
static PetscBool lacks_prefix(const char *option)
{
  return (PetscBool)(!strncmp(option, "ksp_", 4) || !strncmp(option, "pc_", 3));
}

static PetscErrorCode expect_value(MPI_Comm comm, const char *option, const char *value, const char *why)
{
  char got[256] = "";
  PetscBool set, same_text;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, got, sizeof(got), &set));
  PetscCall(PetscStrcasecmp(got, value, &same_text));
  PetscCheck(!set || same_text, comm, PETSC_ERR_USER_INPUT, "%s: got '%s', expected %s (%s)", option, got, value, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeCheckOptions(TS ts)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)ts);
  RhxScheme sc;
  const char *scheme;
  PetscBool solver;
  PetscInt n;
  char **name, **value, bad[256] = "", expected[512];
  PetscBool start, restart;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  scheme = sc->type->name;
  solver = (PetscBool)(sc->type->newton || sc->type->integrator);
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n && !bad[0]; i++)
    if (instead(name[i], sc->type) || (!solver && lacks_prefix(name[i])))
      PetscCall(PetscStrncpy(bad, name[i], sizeof(bad)));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscCheck(
      !bad[0] || solver || !lacks_prefix(bad), comm, PETSC_ERR_USER_INPUT,
      "The solvers of scheme '%s' have prefixes: got -%s, expected -pressure_%s (or -momentum_%s, of an implicit "
      "integrator)",
      scheme, bad, bad, bad);
  PetscCheck(!bad[0], comm, PETSC_ERR_USER_INPUT, "Option -%s does nothing for scheme '%s': expected %s", bad, scheme,
             named(instead(bad, sc->type), scheme, sizeof(expected), expected));
  if (solver) PetscCall(RhxNewtonTolerancesCheck(comm));
  if (solver) PetscCall(RhxIdleOptionsCheck(comm, sc->type));
  PetscCall(RhxViewersCheck(comm));
  PetscCall(RhxLevelsCheck(comm));
  PetscCall(expect_value(comm, "-ts_type", scheme, "-scheme; integrators of PETSc are those of -scheme monolithic"));
  PetscCall(expect_value(comm, "-ts_exact_final_time", "matchstep", "a run ends at -stop_time exactly"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ts_init_time", &start));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-case_restart", &restart));
  PetscCheck(
      !start || !restart, comm, PETSC_ERR_USER_INPUT,
      "-ts_init_time: got it beside -case_restart, expected one of them (a restart goes on at the checkpoint's time)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With -pc_type renew the options -pc_renew... are those of that PC, to which every matrix is handed on unless the scheme's own say
 * otherwise. */
static PetscErrorCode leave_to_pc(const char *scheme, PetscBool solver, PetscBool *kept)
{
  char type[64] = "", ours[256];
  PetscBool set;

  PetscFunctionBegin;
  *kept = PETSC_FALSE;
  if (!solver) PetscFunctionReturn(PETSC_SUCCESS); /* an option that was looked at counts as used */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_type", type, sizeof(type), NULL));
  *kept = (PetscBool)!strcmp(type, RHXPCRENEW);
  if (!*kept) PetscFunctionReturn(PETSC_SUCCESS);
  named(STEP "_pc_renew", scheme, sizeof(ours), ours);
  PetscCall(PetscOptionsHasName(NULL, NULL, ours, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, ours, RhxRenewNames[RHX_RENEW_ALWAYS]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PETSc without devices reads these, and nothing comes of it. */
static PetscErrorCode refuse_device_options(MPI_Comm comm)
{
  static const char *const of_devices[] = {"-device_enable", "-device_select", "-root_device_context_device_type",
                                           "-root_device_context_stream_type"};
  PetscFunctionBegin;
  if (PetscDefined(HAVE_DEVICE)) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(of_devices); k++) {
    PetscBool has;
    PetscCall(PetscOptionsHasName(NULL, NULL, of_devices[k], &has));
    PetscCheck(
        !has, comm, PETSC_ERR_USER_INPUT,
        "%s: got it with a PETSc that has no devices, where it does nothing; expected -device auto, cpu or cuda, "
        "which Rheoplex's own kernels take, or a PETSc with CUDA (share/petsc-cuda)",
        of_devices[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeTranslateOptions(MPI_Comm comm)
{
  char scheme[256] = RHXTSLUMPED;
  PetscBool integrators, newton, kept;

  PetscFunctionBegin;
  PetscCall(refuse_device_options(comm));
  PetscCall(RhxSolverTypesCheck(comm)); /* some are looked up from here on */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-scheme", scheme, sizeof(scheme), NULL));
  PetscCall(RhxSchemeHasIntegrators(scheme, &integrators, &newton));
  PetscCall(leave_to_pc(scheme, (PetscBool)(integrators || newton), &kept));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(same); i++) {
    char value[256], ours[512];
    PetscBool set, both;

    const PetscBool of_pc = (PetscBool)!strncmp(same[i].ts, "-pc_renew", 9);

    if ((of_pc && kept) || (same[i].integrators && !integrators && !(newton && of_pc))) continue;
    PetscCall(PetscOptionsGetString(NULL, NULL, same[i].ts, value, sizeof(value), &set));
    PetscCall(PetscOptionsHasName(NULL, NULL, named(same[i].own, scheme, sizeof(ours), ours), &both));
    PetscCheck(!set || !both, comm, PETSC_ERR_USER_INPUT, "%s and %s are the same thing: got both, expected one",
               same[i].ts, ours);
    if (!set) continue;
    PetscCall(PetscOptionsSetValue(NULL, ours, value));
    PetscCall(PetscOptionsClearValue(NULL, same[i].ts));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
