#include "boundary/memory.h"
#include "boundary/scalar.h"
#include "case/control_impl.h"
#include "case/impl.h"
#include "case/origin_impl.h"
#include "case/trust.h"
#include "form/taken.h"
#include "plugin/doing.h"
#include "plugin/length.h"
#include <signal.h>

static const RhxRow case_rows[] = {
    {"name", RHX_STRING, 0, offsetof(RhxCaseOptions, name), "case", RHX_ANY, 0, 0, NULL, "",
     "name of the case, the start of every file name (default: the name of the YAML file)"},
    {"velocity", RHX_REAL, 0, offsetof(RhxCaseOptions, velocity), "1", RHX_GT, 0, 0, NULL, "m/s",
     "velocity U: reports and -stop_steady_tol are in units of U and D"},
    {"length", RHX_REAL, 0, offsetof(RhxCaseOptions, length), "1", RHX_GT, 0, 0, NULL, "m", "length D of reports"},
    {"restart", RHX_STRING, 0, offsetof(RhxCaseOptions, restart), "", RHX_ANY, 0, 0, NULL, "",
     "checkpoint file to start from instead of the initial state"},
    {"restart_fields", RHX_CHOICE, 0, offsetof(RhxCaseOptions, restart_fields), "same", RHX_ANY, 0, 0,
     "same|conformation|flow", "",
     "what is taken of the checkpoint: all, of the same laws; velocity and pressure and, of the modes that the case "
     "has too, the conformation, and scalar fields by name, whatever the laws and -polymer_variable; velocity and "
     "pressure alone. The rest begins as -initial_... says"},
    {"restart_mesh", RHX_CHOICE, 0, offsetof(RhxCaseOptions, restart_mesh), "same", RHX_ANY, 0, 0, "same|map", "",
     "map: the checkpoint is of another mesh, named in the <case>_effective.yaml beside it, and its values are "
     "interpolated; nodes outside that mesh take those of its nearest node"},
    {"report_every", RHX_INT, 0, offsetof(RhxCaseOptions, report_every), "100", RHX_GE, 1, 0, NULL, "1",
     "steps a line of the table on the screen"},
    {"report_seconds", RHX_REAL, 0, offsetof(RhxCaseOptions, report_seconds), "30", RHX_GE, 0, 0, NULL, "s",
     "wall time after which a step has a line of that table besides, with the checks that lines have, and after which "
     "an iteration of Newton's method is told, or what the set-up is at; 0: none"},
};
#define REPORT_SECONDS (PETSC_STATIC_ARRAY_LENGTH(case_rows) - 1) /* the last of them */

static const RhxRow restart_rows[] = {
    {"missing_fields", RHX_CHOICE, 0, offsetof(RhxRestartOptions, missing_fields), "error", RHX_ANY, 0, 0,
     "error|initial", "",
     "fields of the case that the checkpoint of -case_restart has not, such as a scalar field that is new: an "
     "error, or their initial values"},
};
static const RhxRow stop_rows[] = {
    {"steady_tol", RHX_REAL, 0, offsetof(RhxStopOptions, steady_tol), "0", RHX_GE, 0, 0, NULL, "1",
     "stop when the largest nodal |du/dt| in U^2/D and |dc/dt| in U/D, c the polymer's conformation and scalar fields "
     "over -field_<name>_scale, are both below this; 0: off"},
    {"settled", RHX_STRING, 0, offsetof(RhxStopOptions, settled), "", RHX_ANY, 0, 0, NULL, "",
     "<diagnostic>:<change>:<time>, such as drag:1e-5:20: stop when no column of its table changed by more than "
     "this part of the largest value of its unit in this time, in D/U; empty: off"},
    {"periodic", RHX_STRING, 0, offsetof(RhxStopOptions, periodic), "", RHX_ANY, 0, 0, NULL, "",
     "<diagnostic of the kind periodicity>:<change>, such as cycle:1e-3: stop at the end of a period in which "
     "velocity, pressure, each mode and each scalar field changed by no more than this part of its largest value, "
     "nor are left to by their decay; empty: off"},
    {"min_time", RHX_REAL, 0, offsetof(RhxStopOptions, min_time), "0", RHX_GE, 0, 0, NULL, "s",
     "time before which the tests of steady_tol, settled and periodic are not made, such as that of a formula that "
     "raises an inlet; nor are they before -bc_<label>_ramp ends"},
    {"lost", RHX_REAL, 0, offsetof(RhxStopOptions, lost), "1e6", RHX_GE, 0, 0, NULL, "1",
     "an error, with the last good state saved, where velocity, pressure or polymer are more than so many times their "
     "scale: -case_velocity U, the larger of rho U^2 and eta U/D, 1 + (lambda U/D)^2, or what the run began with, if "
     "that is more; looked at every few steps, by monolithic after each; 0: never"},
    {"time", RHX_REAL, 0, offsetof(RhxStopOptions, time), "0", RHX_GE, 0, 0, NULL, "s", "final time; 0: none"},
    {"steps", RHX_INT, 0, offsetof(RhxStopOptions, steps), "0", RHX_GE, 0, 0, NULL, "1", "last step; 0: none"},
    {"wall_time", RHX_REAL, 0, offsetof(RhxStopOptions, wall_time), "0", RHX_GE, 0, 0, NULL, "s",
     "wall time, set-up included, after which the run ends with its step, fields and state saved, exit code 0; less "
     "than a batch system grants by some steps and their files; 0: none"},
    {"patience", RHX_REAL, 0, offsetof(RhxStopOptions, patience), "10", RHX_GE, 0, 0, NULL, "s",
     "wall time after a signal that a step of Newton's method has to end in; then it ends before its next iteration, "
     "or that of a linear solve, and the state before the step is saved"},
    {"signal_ok", RHX_BOOL, 0, offsetof(RhxStopOptions, signal_ok), "false", RHX_ANY, 0, 0, NULL, "1",
     "exit code 0 after SIGINT and SIGTERM, which end a run after its step with 130 and 143 (SIGUSR1: with 0)"},
};
static const RhxRow diagnostic_rows[] = {
    {"history_every", RHX_INT, 0, offsetof(RhxDiagnosticOptions, history_every), "1", RHX_GE, 1, 0, NULL, "1",
     "steps a row of <name>_history.csv"},
    {"forces", RHX_STRING, 0, offsetof(RhxDiagnosticOptions, forces), "", RHX_ANY, 0, 0, NULL, "",
     "labels whose forces go to <name>_forces.csv, comma-separated"},
    {"forces_every", RHX_INT, 0, offsetof(RhxDiagnosticOptions, forces_every), "1", RHX_GE, 1, 0, NULL, "1",
     "steps a row of <name>_forces.csv"},
    {"wall", RHX_STRING, 0, offsetof(RhxDiagnosticOptions, wall), "", RHX_ANY, 0, 0, NULL, "",
     "labels whose wall shear stress goes to <name>_wall_<label>.csv, comma-separated"},
};
static const RhxRow general_rows[] = {
    {"scheme", RHX_STRING, 0, offsetof(RhxGeneralOptions, scheme), "auto", RHX_ANY, 0, 0, NULL, "",
     "time scheme, a name of `rheoplex list scheme`; auto: the one whose options are given, else lumped for a polymer "
     "that comes to rest (-stop_steady_tol) and fractional_step for all other flows, by bdf2 where it can, else by "
     "ssp3, at 0.9 of the limits of the time step and at most 1/200 of -stop_time and of the shortest period of "
     "what is given"},
    {"device", RHX_CHOICE, 0, offsetof(RhxGeneralOptions, device), "auto", RHX_ANY, 0, 0, "auto|cpu|cuda", "",
     "where the steps are done; auto: on an NVIDIA device where there is one, else on the CPU; there too "
     "steady and monolithic (with a PETSc built for CUDA, cuda is faster on large meshes) and what no device does: "
     "momentum by other solvers than bcgs with jacobi, plugins without a source for it"},
    {"solver", RHX_CHOICE, 0, offsetof(RhxGeneralOptions, solver), "auto", RHX_ANY, 0, 0, "auto|direct|split|points",
     "",
     "of -scheme steady and monolithic: options of PETSc by options/solver/<name>.yaml, where they are not given; "
     "points is for GPUs; split and points want a viscous law, or a stabiliser of velocity and stress that acts; auto: "
     "by these, the number of nodes, the dimension, the device and what PETSc has, unless -pc_type is given; where a "
     "linear solve does not converge with what it chose, factors are made from then on, if they fit into the memory"},
    {"solver_nodes", RHX_INT, 0, offsetof(RhxGeneralOptions, solver_nodes), "0", RHX_GE, 0, 0, NULL, "1",
     "nodes up to which -solver auto takes factors; 0: by dimension, polymer, number of modes and device"},
    {"sensitivity", RHX_STRING, 0, offsetof(RhxGeneralOptions, sensitivity), "", RHX_ANY, 0, 0, NULL, "",
     "of a steady state (-scheme steady): diagnostic:parameter, comma-separated, such as drag:physics_ptt_epsilon; "
     "derivatives of the diagnostic's columns with respect to a parameter of a law (of each mode's, where modes have "
     "values of their own) or a stabiliser, form_density, or t, the time of conditions and sources, of a continuation "
     "in t, to <case>_sensitivity.csv"},
    {"sensitivity_method", RHX_CHOICE, 0, offsetof(RhxGeneralOptions, sensitivity_method), "auto", RHX_ANY, 0, 0,
     "auto|forward|adjoint", "",
     "forward: two solves a parameter, for any diagnostic; adjoint: one solve a column with the transposed "
     "equations, for any number of parameters (forces, flux, mean_pressure, pressure_difference, integral); auto: "
     "adjoint where that is done and more parameters are asked for than the diagnostic has columns"},
    {"debug", RHX_BOOL, 0, offsetof(RhxGeneralOptions, debug), "false", RHX_ANY, 0, 0, NULL, "",
     "errors with the stack of calls"},
};
#define TABLE(topic, prefix, rows)                                  \
  {                                                                 \
    topic, prefix, (PetscInt)(sizeof(rows) / sizeof(rows[0])), rows \
  }
static const RhxOptionTable case_table = TABLE("case", "case_", case_rows);
static const RhxOptionTable restart_table = TABLE("restart", "restart_", restart_rows);
static const RhxOptionTable stop_table = TABLE("stop", "stop_", stop_rows);
static const RhxOptionTable diagnostic_table = TABLE("diagnostic", "diagnostic_", diagnostic_rows);
static const RhxOptionTable general_table = TABLE("general", "", general_rows);

PetscErrorCode RhxCaseRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&general_table));
  PetscCall(RhxOptionTableRegister(&case_table));
  PetscCall(RhxOptionTableRegister(&restart_table));
  PetscCall(RhxOptionTableRegister(&stop_table));
  PetscCall(RhxOptionTableRegister(&diagnostic_table));
  PetscCall(RhxDiagnosticsRegisterOptions());
  PetscCall(RhxOptionTableRegister(&RhxControlTable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCreate(MPI_Comm comm, RhxCase *rc)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(rc));
  PetscCall(PetscCommDuplicate(comm, &(*rc)->comm, NULL));
  PetscCallMPI(MPI_Comm_rank(comm, &(*rc)->rank));
  (*rc)->field_step = (*rc)->checkpoint_step = -1;
  (*rc)->step.begins = PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No control character, which no XML file can hold; bytes of UTF-8 are printable. */
static PetscBool is_printable(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode RhxCaseReadOptions_Private(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(rc->comm, &general_table, general_table.prefix, &rc->general));
  PetscCall(RhxOptionTableRead(rc->comm, &case_table, case_table.prefix, &rc->option));
  PetscCall(RhxOptionTableRead(rc->comm, &restart_table, restart_table.prefix, &rc->restart));
  PetscCall(RhxOptionTableRead(rc->comm, &stop_table, stop_table.prefix, &rc->stop));
  PetscCall(RhxOptionTableRead(rc->comm, &diagnostic_table, diagnostic_table.prefix, &rc->diagnostic));
  PetscCall(RhxOptionTableRead(rc->comm, &RhxControlTable, NULL, &rc->control));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_options(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ts_max_time", &rc->max_time));
  PetscCall(RhxSchemeTranslateOptions(rc->comm));
  PetscCall(RhxCaseReadOptions_Private(rc));
  PetscCheck(rc->option.name[0] && rc->option.name[0] != '.' && !strchr(rc->option.name, '/') &&
                 is_printable(rc->option.name),
             rc->comm, PETSC_ERR_USER_INPUT,
             "-case_name: got '%s', expected a file name without '/' and control characters that does not begin with "
             "'.' (-output_folder sets the folder)",
             rc->option.name);
  PetscCheck(
      rc->option.restart[0] || !(rc->option.restart_fields || rc->option.restart_mesh || rc->restart.missing_fields),
      rc->comm, PETSC_ERR_USER_INPUT, "-%s: got it without a checkpoint to start from, expected -case_restart with it",
      rc->option.restart_mesh     ? "case_restart_mesh"
      : rc->option.restart_fields ? "case_restart_fields"
                                  : "restart_missing_fields");
  PetscCheck(strlen(rc->option.name) < RHX_CASE_LENGTH, rc->comm, PETSC_ERR_USER_INPUT,
             "-case_name: got '%s' of %zu characters, expected at most %d (names of files hold it)", rc->option.name,
             strlen(rc->option.name), RHX_CASE_LENGTH - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_diagnostics(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(RhxDiagnosticsCreate(rc->comm, &rc->diagnostics));
  PetscCall(RhxDiagnosticsAddShort(rc->diagnostics, "forces", rc->diagnostic.forces, rc->diagnostic.forces_every));
  PetscCall(RhxDiagnosticsAddShort(rc->diagnostics, "wall", rc->diagnostic.wall, 1));
  PetscCall(RhxDiagnosticsSetFromOptions(rc->diagnostics));
  PetscCall(RhxDiagnosticsSetSettled(rc->diagnostics, rc->stop.settled, rc->option.length / rc->option.velocity));
  PetscCall(RhxDiagnosticsSetPeriodic(rc->diagnostics, rc->stop.periodic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_diagnostics(RhxCase rc)
{
  const RhxDiagnosticsRun run = {rc->form, rc->bc, rc->ts, rc->x, rc->output, rc->option.velocity, rc->option.length};
  RhxGivenTime repeated;
  PetscBool steady;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetRepeated(rc->bc, &repeated));
  PetscCall(RhxDiagnosticsSetUp(rc->diagnostics, &run));
  PetscCall(RhxDiagnosticsWarnOfPeriods(rc->diagnostics, repeated.time, repeated.option));
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  if (!steady) PetscCall(RhxDiagnosticsWarnOfEnd(rc->diagnostics, rc->stop.time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run to a jump of what is given ends before it. */
PetscErrorCode RhxCaseSetEnd_Private(RhxCase rc)
{
  double end = rc->stop.time > 0 ? rc->stop.time : PETSC_MAX_REAL, last = end, next;
  PetscFunctionBegin;
  if (rc->breaks) RhxBreaksAround(rc->breaks, end, &last, &next);
  if (last >= (1.0 - 1e-12) * end) end = PetscMin(end, last);
  PetscCall(TSSetMaxTime(rc->ts, end));
  PetscCall(TSSetMaxSteps(rc->ts, rc->stop.steps > 0 ? rc->stop.steps : RHX_NO_STEPS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_scheme(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(TSCreate(rc->comm, &rc->ts));
  PetscCall(TSSetProblemType(rc->ts, TS_NONLINEAR));
  PetscCall(RhxSchemeSetType(rc->ts, rc->general.scheme));
  PetscCall(RhxCaseSetEnd_Private(rc));
  PetscCall(TSSetExactFinalTime(rc->ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(RhxSchemeSetLazy(rc->ts));
  PetscCall(RhxSchemeCheckOptions(rc->ts));
  PetscCall(TSSetFromOptions(rc->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a parameter of it given? */
static PetscErrorCode has_parameters(const RhxPlugin *plugin, PetscBool *has)
{
  char option[300];

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (int i = 0; i < plugin->nrows && !*has; i++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-physics_%s_%s", plugin->name, plugin->rows[i].name));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, has));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the mesh is asked for: a case begins with its laws, whose parameters do not name them. */
static PetscErrorCode expect_physics(RhxCase rc)
{
  char names[1024] = "", given[1024] = "", here[2304] = "", physics[RHX_STRING_LENGTH] = "";
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-physics", physics, sizeof(physics), NULL));
  if (physics[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *plugin;
    PetscBool has;

    PetscCall(RhxPluginGet(i, &plugin, NULL));
    if (plugin->kind == RHX_STABILISER) continue;
    PetscCall(PetscStrlcat(names, names[0] ? ", " : "", sizeof(names)));
    PetscCall(PetscStrlcat(names, plugin->name, sizeof(names)));
    PetscCall(has_parameters(plugin, &has));
    if (!has) continue;
    PetscCall(PetscStrlcat(given, given[0] ? "," : "", sizeof(given)));
    PetscCall(PetscStrlcat(given, plugin->name, sizeof(given)));
  }
  if (given[0])
    PetscCall(PetscSNPrintf(here, sizeof(here),
                            "; here `physics: %s`, names and no mapping, beside the parameters of each, `physics_%.*s: "
                            "{...}`",
                            given, (int)strcspn(given, ","), given));
  SETERRQ(
      rc->comm, PETSC_ERR_USER_INPUT,
      "no law is given%s%s: expected `physics: a,b` in the case (-physics a,b) of %s (`rheoplex list physics` tells "
      "what each is)%s",
      given[0] ? ", only parameters of " : "", given, names, here);
}

/* A part of the set-up: a stage of the log, which says what it is at where it takes long. */
static PetscErrorCode begin_part(RhxCase rc)
{
  PetscFunctionBegin;
  RhxDoingBegin("set-up", rc->rank == 0 ? rc->option.report_seconds : 0.0);
  PetscCall(RhxStageBegin_Private(RHX_STAGE_SETUP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_part(void)
{
  PetscFunctionBegin;
  RhxDoingEnd();
  PetscCall(RhxStageEnd_Private());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseMakeMesh_Private(RhxCase rc)
{
  PetscErrorCode code;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  if (rc->meshed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(begin_part(rc));
  code = RhxMeshSetUp(rc->mesh);
  PetscCall(end_part());
  PetscCall(code);
  PetscCall(PetscTime(&end));
  rc->setup_seconds += end - begin;
  rc->meshed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is looked at before its table is read. */
static PetscErrorCode check_early(RhxCase rc)
{
  static const RhxRow ts_rows[] = {
      {"max_time", RHX_REAL, 0, 0, NULL, RHX_GE, 0, 0, NULL, "s", "final time"},
      {"init_time", RHX_REAL, 0, 0, NULL, RHX_ANY, 0, 0, NULL, "s", "time of the initial state"}};

  PetscFunctionBegin;
  PetscCall(RhxRowsCheck(rc->comm, case_table.prefix, case_table.nrows, case_table.rows));
  PetscCall(RhxRowsCheck(rc->comm, stop_table.prefix, stop_table.nrows, stop_table.rows));
  PetscCall(RhxRowsCheck(rc->comm, "ts_", PETSC_STATIC_ARRAY_LENGTH(ts_rows), ts_rows));
  /* choosing a scheme may make the mesh, which may take long */
  PetscCall(RhxRowsRead(rc->comm, case_table.prefix, 1, &case_rows[REPORT_SECONDS], 1, 0, &rc->option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSetFromOptions(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(rc->comm));
  PetscCall(RhxOptionsCheckKnown(rc->comm));
  PetscCall(check_early(rc));
  PetscCall(expect_physics(rc));
  PetscCall(RhxFormCreate(rc->comm, &rc->form));
  PetscCall(RhxFormSetFromOptions(rc->form));
  PetscCall(RhxFormTakeStabilisers(rc->form, sizeof(rc->stabilisers), rc->stabilisers));
  PetscCall(RhxCaseChooseVariable_Private(rc));
  PetscCall(RhxCaseCheckUnknown_Private(rc));
  PetscCall(RhxMeshCreate(rc->comm, &rc->mesh));
  PetscCall(RhxMeshSetFromOptions(rc->mesh));
  PetscCall(RhxCaseChooseScheme_Private(rc));
  PetscCall(read_options(rc));
  PetscCall(RhxTrustMakeFolders(rc->comm));
  PetscCall(create_diagnostics(rc));
  PetscCall(create_scheme(rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Opens the device, or takes the CPU, and notes why; before the mesh, so that one that is missing is told at once. */
static PetscErrorCode choose_device(RhxCase rc)
{
  RhxDeviceState state;
  const RhxDeviceState *mine;
  const char *messages;
  PetscMPIInt size;
  char lacks[256] = "";
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(PetscStrncpy(rc->where, "this machine's CPU", sizeof(rc->where)));
  if (rc->general.device == RHX_ON_CPU) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFind(rc->comm, &state));
  if (rc->general.device == RHX_ON_AUTO && state.availability != RHX_DEVICE_READY) {
    if (state.availability != RHX_DEVICE_NO_DRIVER) /* a driver alone: perhaps a device that was to be used */
      PetscCall(PetscSNPrintf(rc->where, sizeof(rc->where), "this machine's CPU (%s)", state.sentence));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSchemeDeviceLacks(rc->ts, rc->form, sizeof(lacks), lacks));
  if (rc->general.device == RHX_ON_AUTO && lacks[0]) {
    PetscCall(PetscSNPrintf(rc->where, sizeof(rc->where), "this machine's CPU (-device auto: %s)", lacks));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxFormAsk(rc->form, RHX_ASK_DEVICE, "", ""));
  PetscCall(RhxDeviceOpen(rc->comm, &rc->device));
  PetscCall(RhxDeviceGetState(rc->device, &mine));
  PetscCallMPI(MPI_Comm_size(rc->comm, &size));
  PetscCall(RhxLinkGet(rc->device, rc->comm, &rc->link));
  PetscCall(RhxLinkDescribe(rc->link, &messages));
  PetscCall(PetscSNPrintf(rc->where, sizeof(rc->where), "%s%s%s", mine->sentence, size > 1 ? ", " : "", messages));
  PetscCall(RhxSchemeSetDevice(rc->ts, rc->device));
  PetscCall(PetscTime(&end));
  rc->device_seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode initial_state(RhxCase rc)
{
  PetscScalar *x;
  PetscReal t;
  PetscBool steady;
  DM dm;

  PetscFunctionBegin;
  PetscCall(TSGetDM(rc->ts, &dm));
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCall(DMCreateGlobalVector(dm, &rc->x));
  PetscCall(PetscObjectSetName((PetscObject)rc->x, "state"));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(VecGetArray(rc->x, &x));
  PetscCall(RhxBoundaryBeginMemory(rc->bc, t, PetscNot(steady)));
  PetscCall(RhxBoundaryInitialState(rc->bc, t, PETSC_TRUE, x));
  PetscCall(RhxBoundaryBeginFollowing(rc->bc, x));
  PetscCall(VecRestoreArray(rc->x, &x));
  PetscCall(TSSetSolution(rc->ts, rc->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that the case has for schemes which are not chosen are judged, told and left. */
static PetscErrorCode pass_over_schemes(RhxCase rc)
{
  const RhxOptionTable *table;
  char own[RHX_STRING_LENGTH + 16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(own, sizeof(own), "scheme_%s_", rc->general.scheme));
  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++) {
    if (strncmp(table->prefix, "scheme_", 7) || !strcmp(table->prefix, own) || !RhxOriginHas(table->prefix)) continue;
    PetscCall(RhxRowsCheck(rc->comm, table->prefix, table->nrows, table->rows));
    PetscCall(PetscPrintf(rc->comm, "the case's options %s... are not used: the scheme is %s (-scheme)\n",
                          table->prefix, rc->general.scheme));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option of time that is given, and on: of a steady state it says nothing, of a continuation, whose time is the parameter,
 * some do. */
static PetscBool is_idle(const char *name, const char *value, PetscBool continues)
{
  static const char *const of_time[] = {"stop_time", "stop_steady_tol", "stop_settled", "stop_periodic",
                                        "stop_min_time"};
  char *end;
  const double number = strtod(value, &end);

  if (!value[0] || (!*end && !(number != 0.0))) return PETSC_FALSE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of_time); i++)
    if (RhxOptionMatches(name, of_time[i])) return PETSC_TRUE;
  return (PetscBool)(!continues && RhxCaseIsInterval_Private(name));
}

/* With a steady state: those of the case are told and left, for another scheme may be asked for by the command line. */
static PetscErrorCode pass_over_time(RhxCase rc)
{
  char told[512] = "";
  PetscBool steady, continues;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  if (!steady) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-scheme_steady_continuation", &continues));
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    PetscBool set;

    PetscCall(RhxOptionsReadGet(i, &name, &value, &set));
    if (!set || !is_idle(name, value, continues)) continue;
    if (rc->max_time && !strcmp(name, "stop_time")) name = "ts_max_time";
    PetscCheck(RhxOriginHas(name), rc->comm, PETSC_ERR_USER_INPUT,
               "-%s: got %s with -scheme steady, which has no time: it does nothing there; expected it left out "
               "(-scheme_steady_time is the time of ramps and formulas)",
               name, value);
    PetscCall(PetscStrlcat(told, told[0] ? ", -" : "-", sizeof(told)));
    PetscCall(PetscStrlcat(told, name, sizeof(told)));
  }
  if (told[0])
    PetscCall(PetscPrintf(rc->comm, "the case's options %s are not used: a steady state has no time (-scheme steady)\n",
                          told));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(RhxCase rc)
{
  const double early = rc->setup_seconds; /* of a mesh that the choice of the scheme asked for */
  PetscInt dim;
  RhxFields fields;
  unsigned provides;
  PetscBool closed;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  RhxDoing("opening the device");
  PetscCall(choose_device(rc));
  PetscCall(RhxCaseMakeMesh_Private(rc));
  PetscCall(RhxMeshGetDimension(rc->mesh, &dim));
  PetscCall(RhxFormCreateFields(rc->form, dim, &fields));
  RhxDoing("numbering nodes and elements");
  PetscCall(RhxSpaceCreate(rc->mesh, &fields, &rc->space));
  PetscCall(RhxSchemeProvides(rc->ts, &provides));
  PetscCall(RhxFormLeavePressure(rc->form, provides, sizeof(rc->stabilisers), rc->stabilisers));
  RhxDoing("setting up laws and stabilisers");
  PetscCall(RhxFormSetUp(rc->form, rc->space));
  PetscCall(RhxBoundaryCreate(rc->form, &rc->bc));
  PetscCall(RhxBoundarySetFromOptions(rc->bc));
  PetscCall(RhxBoundarySetScheme(rc->bc, provides));
  RhxDoing("setting up the conditions");
  PetscCall(RhxBoundarySetUp(rc->bc));
  RhxDoing("looking at what is given in time");
  PetscCall(RhxCaseBoundStep_Private(rc));
  PetscCall(RhxCaseSetEnd_Private(rc));
  PetscCall(RhxBoundaryIsClosed(rc->bc, &closed));
  PetscCall(RhxFormSetClosed(rc->form, closed));
  PetscCall(RhxBoundarySetLevels(rc->bc));
  PetscCall(RhxCaseCheckComponents_Private(rc));
  PetscCall(RhxOutputCreate(rc->form, rc->option.name, &rc->output));
  PetscCall(RhxOutputSetFromOptions(rc->output));
  PetscCall(RhxInsituCreate(rc->form, rc->output, &rc->insitu));
  PetscCall(RhxSchemeSetProblem(rc->ts, rc->form, rc->bc));
  PetscCall(RhxFormCheckPressure(rc->form, provides));
  PetscCheck(
      !(provides & rc->form->provides & RHX_PROVIDES_PRESSURE), rc->comm, PETSC_ERR_ARG_INCOMP,
      "Scheme '%s' and a stabiliser both provide pressure stability: got two, expected one (-stabiliser_<name>_parts "
      "without pressure, or another pressure of the scheme)",
      rc->general.scheme);
  RhxDoing("finding the state that the run begins with");
  PetscCall(initial_state(rc));
  RhxDoing("setting up the diagnostics");
  PetscCall(set_up_diagnostics(rc));
  PetscCall(RhxCaseChooseSolver_Private(rc));
  RhxDoing("setting up the scheme and its solvers");
  PetscCall(TSSetUp(rc->ts));
  PetscCall(RhxCaseCollectNumbers_Private(rc));
  PetscCall(pass_over_schemes(rc));
  PetscCall(pass_over_time(rc));
  PetscCall(RhxCaseCheckSensitivities_Private(rc));
  PetscCall(RhxOptionsCheckUsed(rc->comm));
  PetscCall(PetscTime(&end));
  rc->setup_seconds = early + end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSetUp(RhxCase rc)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(begin_part(rc));
  code = set_up(rc);
  PetscCall(end_part());
  PetscFunctionReturn(code);
}

PetscErrorCode RhxCasePath_Private(RhxCase rc, const char *suffix, size_t size, char *path)
{
  const char *folder;

  PetscFunctionBegin;
  PetscCall(RhxOutputGetFolder(rc->output, &folder));
  PetscCall(PetscSNPrintf(path, size, "%s/%s%s", folder, rc->option.name, suffix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseRate_Private(RhxCase rc, Vec *rate)
{
  PetscFunctionBegin;
  *rate = NULL;
  PetscCall(RhxSchemeGetRate(rc->ts, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDestroy(RhxCase *rc)
{
  RhxCase c = *rc;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxReportDestroy(&c->report));
  PetscCall(RhxDiagnosticsDestroy(&c->diagnostics));
  PetscCall(RhxCaseDestroyNumbers_Private(c));
  PetscCall(TSDestroy(&c->ts));
  PetscCall(VecDestroy(&c->x));
  PetscCall(RhxLinkRestore(&c->link));
  PetscCall(RhxDeviceClose(&c->device));
  PetscCall(RhxInsituDestroy(&c->insitu));
  PetscCall(RhxOutputDestroy(&c->output));
  PetscCall(RhxBreaksDestroy(&c->breaks));
  PetscCall(RhxBoundaryDestroy(&c->bc));
  PetscCall(RhxFormDestroy(&c->form));
  PetscCall(RhxSpaceDestroy(&c->space));
  PetscCall(RhxMeshDestroy(&c->mesh));
  PetscCall(PetscCommDestroy(&c->comm));
  PetscCall(PetscFree(*rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetForm(RhxCase rc, RhxForm *form)
{
  PetscFunctionBegin;
  *form = rc->form;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetBoundary(RhxCase rc, RhxBoundary *bc)
{
  PetscFunctionBegin;
  *bc = rc->bc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetTS(RhxCase rc, TS *ts)
{
  PetscFunctionBegin;
  *ts = rc->ts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetState(RhxCase rc, Vec *x)
{
  PetscFunctionBegin;
  *x = rc->x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetDevice(RhxCase rc, RhxDevice *device)
{
  PetscFunctionBegin;
  *device = rc->device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetExitCode(RhxCase rc, int *code)
{
  PetscFunctionBegin;
  *code = (rc->signal == SIGINT || rc->signal == SIGTERM) && !rc->stop.signal_ok ? 128 + rc->signal : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetFolder(RhxCase rc, const char **folder)
{
  PetscFunctionBegin;
  PetscCall(RhxOutputGetFolder(rc->output, folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetPath(RhxCase rc, const char *suffix, size_t size, char *path)
{
  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, suffix, size, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGetName(RhxCase rc, const char **name)
{
  PetscFunctionBegin;
  *name = rc->option.name;
  PetscFunctionReturn(PETSC_SUCCESS);
}
