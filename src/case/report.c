/* What a run says: the table on the screen, the CSV files of the history, the forces and the walls, the summary. */
#define _POSIX_C_SOURCE 200809L
#include "case/columns.h"
#include "case/continuation_impl.h"
#include "case/impl.h"
#include "case/times_impl.h"
#include "form/relaxation.h"
#include <stdarg.h>
#include <unistd.h>

#define HEADER_EVERY 50 /* table lines between two headers */
#define BAR_SECONDS 0.25
#define LOSS 0.01   /* of the inflow that does not flow out: a warning */
#define LATELY 10.0 /* D/U in which a flow was as fast as that which a loss is held against */
#define WORSE 3.0   /* times what was told: again */
#define OFTEN 0.1   /* of D/U, from one look to the next: what follows a flow */
#define LOOK 100    /* steps between two looks for it, whatever is reported */

double RhxReportVelocityRate(RhxCase rc, const RhxStepInfo *info)
{
  return info->du_dt * rc->option.length / (rc->option.velocity * rc->option.velocity);
}

double RhxReportStressRate(RhxCase rc, const RhxStepInfo *info)
{
  return info->ds_dt * rc->option.length / rc->option.velocity;
}

static double wall_clock(void)
{
  PetscLogDouble now;

  if (PetscTime(&now)) return 0.0;
  return now;
}

static PetscErrorCode create_history(RhxCase rc)
{
  const char *columns[RHX_NHISTORY];
  char file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, "_history.csv", sizeof(file), file));
  RhxHistoryNames(columns);
  PetscCall(RhxTableCreate(rc->comm, file, rc->append, RHX_NHISTORY, columns, &rc->report.history));
  if (rc->append)
    PetscCall(RhxTableRewind(rc->report.history,
                             (double)rc->first_step - (rc->first_step % rc->diagnostic.history_every ? 0.5 : 0.0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a person look at standard output? A launcher such as mpirun gives its processes terminals of its own: then what
 * counts is where the launcher writes. */
static PetscBool on_terminal(void)
{
  const char *const launched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  char link[64], target[64];
  ssize_t n;

  if (!isatty(STDOUT_FILENO)) return PETSC_FALSE;
  for (int i = 0; i < 4; i++) {
    if (!getenv(launched[i])) continue;
    snprintf(link, sizeof(link), "/proc/%ld/fd/1", (long)getppid());
    n = readlink(link, target, sizeof(target) - 1);
    target[n > 0 ? n : 0] = '\0';
    return (PetscBool)(!strncmp(target, "/dev/pts/", 9) || !strncmp(target, "/dev/tty", 8));
  }
  return PETSC_TRUE;
}

static PetscErrorCode tell_quadrature(RhxCase rc)
{
  char given[16] = "auto";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-form_quadrature", given, sizeof(given), NULL));
  if (rc->form->centroid && !strcmp(given, "auto"))
    PetscCall(PetscPrintf(rc->comm, "quadrature centroid: one point a triangle, for bdf2 without polymer "
                                    "(-form_quadrature auto)\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportBegin(RhxCase rc)
{
  const char *pressure;
  char launches[320], breaks[512], units[512];
  PetscReal t;

  PetscFunctionBegin;
  PetscCall(create_history(rc));
  PetscCall(RhxContinuationBegin(rc));
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(RhxDiagnosticsBegin(rc->diagnostics, rc->append, rc->first_step, t));
  rc->report.terminal = (PetscBool)(rc->rank == 0 && on_terminal());
  rc->report.start = rc->report.last_line = rc->report.last_bar = wall_clock();
  rc->report.last_step = rc->first_step;
  RhxPaceBegin(&rc->report.pace, rc->report.start, (double)rc->first_step);
  PetscCall(RhxReportScalars(rc, NULL, PETSC_FALSE));
  PetscCall(RhxCaseDescribeUnits_Private(rc, sizeof(units), units));
  PetscCall(PetscPrintf(rc->comm, "%s: %" PetscInt_FMT " nodes, %" PetscInt_FMT " unknowns, %s on %s, %s\n",
                        rc->option.name, rc->space->nglobal, rc->space->nglobal * rc->space->bs, rc->general.scheme,
                        rc->where, units));
  if (rc->choice[0]) PetscCall(PetscPrintf(rc->comm, "scheme %s\n", rc->choice));
  RhxCaseDescribeBreaks_Private(rc, sizeof(breaks), breaks);
  if (breaks[0]) PetscCall(PetscPrintf(rc->comm, "%s\n", breaks));
  PetscCall(tell_quadrature(rc));
  if (rc->stabilisers[0]) PetscCall(PetscPrintf(rc->comm, "stabiliser %s\n", rc->stabilisers));
  if (rc->variable[0]) PetscCall(PetscPrintf(rc->comm, "polymer variable %s\n", rc->variable));
  if (rc->solver[0]) PetscCall(PetscPrintf(rc->comm, "solver %s\n", rc->solver));
  PetscCall(RhxSchemeGetPressureChoice(rc->ts, &pressure));
  if (pressure[0]) PetscCall(PetscPrintf(rc->comm, "pressure %s\n", pressure));
  PetscCall(RhxSchemeGetLaunches(rc->ts, sizeof(launches), launches));
  if (launches[0]) PetscCall(PetscPrintf(rc->comm, "steps %s\n", launches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start_table(RhxCase rc, RhxTable table)
{
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  if (!table) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxTableStart(table, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportPublish(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCall(start_table(rc, rc->report.history));
  PetscCall(start_table(rc, rc->report.continuation));
  PetscCall(RhxDiagnosticsPublish(rc->diagnostics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_bar(RhxReport *report)
{
  PetscFunctionBegin;
  if (report->bar) {
    printf("\r%79s\r", "");
    fflush(stdout);
    report->bar = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportSay(RhxCase rc, const char *format, ...)
{
  va_list arguments;

  PetscFunctionBegin;
  if (rc->rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(clear_bar(&rc->report));
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int RhxReportLineIsDue(RhxCase rc)
{
  const double seconds = rc->option.report_seconds;

  return rc->rank == 0 && seconds > 0 && wall_clock() - rc->report.last_line >= seconds;
}

static double wall_time(RhxCase rc) { return wall_clock() - rc->report.start + rc->setup_seconds; }

int RhxReportTimeIsOver(RhxCase rc)
{
  return rc->rank == 0 && rc->stop.wall_time > 0 && wall_time(rc) >= rc->stop.wall_time;
}

/* Share of the run that is done and seconds left, by whichever criterion ends it first; negative: unknown. */
static void progress(RhxCase rc, const RhxStepInfo *info, double *share, double *left)
{
  const RhxPace *pace = &rc->report.pace;
  double steps_left = PETSC_MAX_REAL, decay = RhxPaceOfDecay(pace, rc->stop.steady_tol);
  PetscReal end;
  PetscInt steps;

  *share = *left = -1.0;
  if (TSGetMaxTime(rc->ts, &end) || TSGetMaxSteps(rc->ts, &steps)) return;
  if (end < PETSC_MAX_REAL) *share = info->t / end;
  if (steps < RHX_NO_STEPS) *share = PetscMax(*share, (double)info->step / steps);
  if (end < PETSC_MAX_REAL && info->dt > 0) steps_left = (end - info->t) / info->dt;
  if (steps < RHX_NO_STEPS) steps_left = PetscMin(steps_left, (double)(steps - info->step));
  if (steps_left < PETSC_MAX_REAL) *left = RhxPaceOfSteps(pace, steps_left);
  if (decay >= 0 && (*left < 0 || decay < *left)) *left = decay;
  if (rc->stop.wall_time > 0 && (*left < 0 || rc->stop.wall_time - wall_time(rc) < *left))
    *left = PetscMax(rc->stop.wall_time - wall_time(rc), 0.0);
}

static void format_seconds(double seconds, size_t size, char *text)
{
  if (!(seconds >= 0 && seconds < 1e8))
    snprintf(text, size, "-");
  else if (seconds < 100)
    snprintf(text, size, "%.0fs", seconds);
  else if (seconds < 6000)
    snprintf(text, size, "%.0fmin", seconds / 60);
  else
    snprintf(text, size, "%.1fh", seconds / 3600);
}

static PetscErrorCode show_bar(RhxCase rc, const RhxStepInfo *info)
{
  RhxReport *report = &rc->report;
  char bar[41], eta[32];
  double share, left;

  PetscFunctionBegin;
  if (!report->terminal || wall_clock() - report->last_bar < BAR_SECONDS) PetscFunctionReturn(PETSC_SUCCESS);
  progress(rc, info, &share, &left);
  format_seconds(left, sizeof(eta), eta);
  for (int i = 0; i < 40; i++) bar[i] = i < 40 * share ? '#' : '.';
  bar[40] = '\0';
  printf("\r[%s] step %" PetscInt_FMT "  t %.4g  left %-6s", bar, info->step, info->t, eta);
  fflush(stdout);
  report->bar = PETSC_TRUE;
  report->last_bar = wall_clock();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the diagnostics add to a step's information. */
typedef struct {
  double mass_error, out, in;
  RhxConformationHealth c;
} RhxMeasures;

static const char *const limit_name[RHX_NLIMITS] = {"convective", "viscous", "elastic", "relaxation", "growth"};

/* The largest ratio of dt to a limit; NaN counts. */
static RhxLimit largest_limit(const RhxStepInfo *info)
{
  RhxLimit most = RHX_LIMIT_CONVECTIVE;

  for (RhxLimit k = RHX_LIMIT_VISCOUS; k < RHX_NLIMITS; k++)
    if (!(info->cfl[k] <= info->cfl[most])) most = k;
  return most;
}

void RhxReportLimits(const double limit[RHX_NLIMITS], size_t size, char *text)
{
  size_t n = 0;

  text[0] = 0;
  for (int i = 0; i < RHX_NLIMITS && n < size; i++)
    if (limit[i] > 0) n += (size_t)snprintf(text + n, size - n, "%s%s %.3g s", n ? ", " : "", limit_name[i], limit[i]);
}

/* Time steps at which each CFL number is 1, at the present state. */
static PetscErrorCode say_limits(RhxCase rc, const RhxStepInfo *info)
{
  double limit[RHX_NLIMITS];
  char text[256];

  PetscFunctionBegin;
  for (int i = 0; i < RHX_NLIMITS; i++) limit[i] = info->cfl[i] > 0 ? info->dt / info->cfl[i] : 0;
  RhxReportLimits(limit, sizeof(text), text);
  if (text[0]) PetscCall(PetscPrintf(rc->comm, "time step limits (CFL 1): %s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What only a polymer has. */
static void fill_polymer(RhxCase rc, const RhxMeasures *m, char (*cell)[RHX_CELL])
{
  const double *at = m->c.x;

  snprintf(cell[RHX_SCREEN_MIN], RHX_CELL, "%.4g", m->c.min_eigenvalue);
  if (rc->space->dim == 2)
    snprintf(cell[RHX_SCREEN_AT], RHX_CELL, "(%.3g, %.3g)", at[0], at[1]);
  else
    snprintf(cell[RHX_SCREEN_AT], RHX_CELL, "(%.3g, %.3g, %.3g)", at[0], at[1], at[2]);
}

static void fill_line(RhxCase rc, const RhxStepInfo *info, const RhxMeasures *m, char (*cell)[RHX_CELL])
{
  RhxReport *report = &rc->report;
  const RhxLimit most = largest_limit(info);
  double now = wall_clock(), share, left;

  for (int i = 0; i < RHX_NSCREEN; i++) snprintf(cell[i], RHX_CELL, "-");
  snprintf(cell[RHX_SCREEN_STEP], RHX_CELL, "%" PetscInt_FMT, info->step);
  snprintf(cell[RHX_SCREEN_TIME], RHX_CELL, "%.5g", info->t);
  snprintf(cell[RHX_SCREEN_DT], RHX_CELL, "%.3g", info->dt);
  snprintf(cell[RHX_SCREEN_CFL], RHX_CELL, "%.3g %c", info->cfl[most], limit_name[most][0]);
  snprintf(cell[RHX_SCREEN_WI], RHX_CELL, "%.3g", info->stats.wi);
  snprintf(cell[RHX_SCREEN_DU], RHX_CELL, "%.2e", RhxReportVelocityRate(rc, info));
  snprintf(cell[RHX_SCREEN_ITERATIONS], RHX_CELL, "%" PetscInt_FMT, info->iterations + info->work.newton);
  snprintf(cell[RHX_SCREEN_LINEAR], RHX_CELL, "%" PetscInt_FMT, info->work.iterations);
  snprintf(cell[RHX_SCREEN_SETUPS], RHX_CELL, "%" PetscInt_FMT, info->work.setups);
  snprintf(cell[RHX_SCREEN_MASS], RHX_CELL, "%.1e", m->mass_error);
  snprintf(cell[RHX_SCREEN_SECONDS], RHX_CELL, "%.2e",
           (now - report->last_line) / PetscMax(1, info->step - report->last_step));
  progress(rc, info, &share, &left);
  format_seconds(left, RHX_CELL, cell[RHX_SCREEN_LEFT]);
  if (rc->space->nmodes || rc->form->nscalars)
    snprintf(cell[RHX_SCREEN_DC], RHX_CELL, "%.2e", RhxReportStressRate(rc, info));
  if (rc->space->nmodes) fill_polymer(rc, m, cell);
  report->last_line = now;
  report->last_step = info->step;
}

static PetscErrorCode show_line(RhxCase rc, const RhxStepInfo *info, const RhxMeasures *m)
{
  char cell[RHX_NSCREEN][RHX_CELL], line[RHX_NSCREEN * RHX_CELL];
  PetscBool implicit;

  PetscFunctionBegin;
  PetscCall(RhxSchemeHasNewton(rc->ts, &implicit));
  if (rc->rank == 0) PetscCall(clear_bar(&rc->report));
  if (rc->report.nlines++ % HEADER_EVERY == 0) {
    PetscCall(say_limits(rc, info));
    RhxScreenLine(NULL, implicit, sizeof(line), line);
    PetscCall(PetscPrintf(rc->comm, "%s", line));
  }
  fill_line(rc, info, m, cell);
  RhxScreenLine(cell, implicit, sizeof(line), line);
  PetscCall(PetscPrintf(rc->comm, "%s", line));
  if (rc->rank == 0) fflush(stdout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_history(RhxCase rc, const RhxStepInfo *info, const RhxMeasures *m)
{
  const double value[RHX_NHISTORY] = {(double)info->step,
                                      info->t,
                                      info->dt,
                                      info->cfl[0],
                                      info->cfl[1],
                                      info->cfl[2],
                                      info->cfl[3],
                                      info->cfl[4],
                                      info->stats.wi,
                                      RhxReportVelocityRate(rc, info),
                                      RhxReportStressRate(rc, info),
                                      (double)info->iterations,
                                      info->continuity * rc->option.length / rc->option.velocity,
                                      m->c.min_eigenvalue,
                                      m->c.x[0],
                                      m->c.x[1],
                                      m->c.x[2],
                                      (double)m->c.nbad,
                                      m->mass_error,
                                      info->seconds,
                                      (double)info->work.newton,
                                      (double)info->work.solves,
                                      (double)info->work.iterations,
                                      (double)info->work.setups,
                                      (double)info->work.redone,
                                      info->work.setup_seconds,
                                      info->work.solve_seconds};
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RhxTableWrite(rc->report.history, value, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The scheme's own where the state is on a device. */
static PetscErrorCode take_measures(RhxCase rc, const RhxStepInfo *info, RhxMeasures *m)
{
  const RhxStepMeasures *there = &info->measures;
  double flux[3] = {there->flux[0], there->flux[1], there->flux[2]};

  PetscFunctionBegin;
  if (!there->there) PetscCall(RhxFluxes(rc->form, rc->x, &flux[0], &flux[1], &flux[2]));
  m->mass_error = RhxMassErrorOfFluxes(flux[0], flux[1], flux[2]);
  m->out = flux[0];
  m->in = flux[1];
  if (!there->there) {
    PetscCall(RhxConformationCheck(rc->form, rc->x, &m->c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  m->c = (RhxConformationHealth){.min_eigenvalue = there->min_eigenvalue, .mode = there->mode, .nbad = there->nbad};
  for (int d = 0; d < 3; d++) m->c.x[d] = there->x[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void note_loss(RhxCase rc, double t, PetscBool steady, const RhxMeasures *m)
{
  RhxReport *report = &rc->report;
  const double span = t - report->last_look, time = span * rc->option.velocity / rc->option.length;
  const double kept = exp(-time), now = PetscMax(m->out, m->in), away = PetscAbsReal(m->out - m->in);
  PetscBool lost = (PetscBool) !(PetscAbsReal(m->mass_error) <= LOSS);

  report->fastest = PetscMax(now, report->fastest * (time >= 0.0 ? exp(-time / LATELY) : 1.0));
  if (!steady && away <= LOSS * report->fastest) lost = PETSC_FALSE; /* of a flow that all but stands little is much */
  if (lost && !report->losing) report->losing_from = t;
  report->losing = lost;
  report->last_look = t;
  if (!report->looked || !(time >= 0.0 && time <= OFTEN)) { /* the first, or too seldom to follow a flow */
    report->looks_from = t;
    report->lost = report->through = 0.0;
  } else {
    report->lost = kept * report->lost + (m->mass_error != 0.0 ? span * PetscAbsReal(m->out - m->in) : 0.0);
    report->through = kept * report->through + span * PetscMax(m->out, m->in);
    report->most = PetscMax(report->most, report->through);
  }
  report->looked = PETSC_TRUE;
}

/* A flow that swings loses now what flows in, now what flows out: of about the last D/U, that part of the volume. Not of a flow that has
 * all but ended. */
static double swinging_loss(const RhxReport *report)
{
  return report->through > LOSS * report->most ? report->lost / report->through : 0.0;
}

/* Once, and again where it is WORSE times what was told: what flows in does not flow out, where a start cannot be why: at rest; it has lasted for D/U, or for a fifth of it where the
 * flow hardly changes or the run ends; or it is 1 % of what has flown through in the last D/U, after five of them that were looked at
 * often. */
static PetscErrorCode warn_of_loss(RhxCase rc, const RhxStepInfo *info, double error, PetscBool last)
{
  RhxReport *report = &rc->report;
  const double lasted = (info->t - report->losing_from) * rc->option.velocity / rc->option.length;
  const PetscBool calm = (PetscBool)(last || RhxReportVelocityRate(rc, info) < 1);
  const double looked = (info->t - report->looks_from) * rc->option.velocity / rc->option.length;
  const PetscBool swings = (PetscBool)(!info->steady && looked > 5.0 && !(swinging_loss(report) <= LOSS));
  const char *label, *given, *const when = swings ? "over about D/U before" : "at";
  PetscBool closed;

  PetscFunctionBegin;
  if (!(swings || (report->losing && (info->steady || rc->at_rest || lasted > (calm ? 0.2 : 1.0)))))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (swings) error = swinging_loss(report);
  if (report->told > 0.0 && !(PetscAbsReal(error) > WORSE * report->told)) PetscFunctionReturn(PETSC_SUCCESS);
  report->told = PetscAbsReal(error);
  PetscCall(RhxBoundaryGetLossy(rc->bc, &label));
  PetscCall(RhxBoundaryGetOnlyGiven(rc->bc, &given));
  PetscCall(RhxBoundaryIsClosed(rc->bc, &closed));
  if (rc->rank == 0) PetscCall(clear_bar(&rc->report));
  if (rc->rank == 0 && label)
    fprintf(
        stderr,
        "rheoplex: warning: got an outflow that differs from the inflow by %.3g %% %s t = %g, expected less than 1 %%: "
        "continuity does not hold where the label '%s' gives the pressure at nodes; -bc_%s_pressure_at traction, with "
        "a polymer -bc_%s_polymer open\n",
        100 * error, when, info->t, label, label, label);
  else if (rc->rank == 0 && given)
    fprintf(
        stderr,
        "rheoplex: warning: got an outflow that differs from the inflow by %.3g %% %s t = %g, expected less than 1 %%: "
        "there is no outlet, conditions give both; -bc_<label>_flow_rate, an outlet or a finer mesh\n",
        100 * error, when, info->t);
  else if (rc->rank == 0 && closed)
    fprintf(
        stderr,
        "rheoplex: warning: got an outflow that differs from the inflow by %.3g %% %s t = %g, expected less than 1 %%: "
        "there is no outlet, and walls have a velocity through them; one along them, or an outlet\n",
        100 * error, when, info->t);
  else if (rc->rank == 0)
    fprintf(
        stderr,
        "rheoplex: warning: got an outflow that differs from the inflow by %.3g %% %s t = %g, expected less than 1 %%: "
        "a shorter time step (-scheme_%s_cfl, -scheme_%s_dt), a longer ramp (-bc_<label>_ramp) or a finer mesh%s\n",
        100 * error, when, info->t, rc->general.scheme, rc->general.scheme,
        strcmp(rc->general.scheme, "fractional_step") ? "" : "; where they do not help, -scheme monolithic");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_indefinite(const RhxConformationHealth *c) { return (PetscBool)(c->mode >= 0 && c->nbad); }

static void note_indefinite(RhxReport *report, double t, const RhxConformationHealth *c)
{
  if (is_indefinite(c) && !report->indefinite) report->indefinite_from = t;
  report->indefinite = is_indefinite(c);
}

/* The logarithm is positive definite but for its rounding, if it is not taken already and the law has one; then steps in time help. */
static PetscErrorCode advise_definite(RhxCase rc, PetscBool steady, size_t size, char *text)
{
  const char *const scheme = rc->general.scheme, *law;
  char coupling[256];

  PetscFunctionBegin;
  PetscCall(RhxFormFindUncommuting(rc->form, &law));
  text[0] = '\0';
  if (!law && rc->form->representation != RHX_LOGCONF)
    PetscCall(PetscStrncpy(text, "-polymer_variable logconf", size));
  else if (!steady)
    PetscCall(PetscSNPrintf(text, size, "a shorter time step (-scheme_%s_cfl, -scheme_%s_dt)", scheme, scheme));
  PetscCall(RhxFormAdviseCoupling(rc->form, sizeof(coupling), coupling));
  if (coupling[0] && !rc->form->viscous) {
    PetscCall(PetscStrlcat(text, text[0] ? " and, without a solvent, " : "without a solvent ", size));
    PetscCall(PetscStrlcat(text, coupling, size));
  }
  PetscCall(PetscStrlcat(text, text[0] ? ", or a finer mesh" : "a finer mesh", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the state that a run ends with; before, once, of one that has been so for D/U. */
static PetscErrorCode warn_of_indefinite(RhxCase rc, const RhxStepInfo *info, const RhxConformationHealth *c,
                                         PetscBool last)
{
  RhxReport *report = &rc->report;
  const double lasted = (info->t - report->indefinite_from) * rc->option.velocity / rc->option.length;
  const PetscBool early = (PetscBool)(!info->steady && !report->told_indefinite && lasted > 1.0);
  char at[96], when[96] = "is not positive definite at the end", advice[512], text[1024];

  PetscFunctionBegin;
  if (!is_indefinite(c) || !(last || early)) PetscFunctionReturn(PETSC_SUCCESS);
  report->told_indefinite = PETSC_TRUE;
  PetscCall(advise_definite(rc, info->steady, sizeof(advice), advice));
  if (!last) snprintf(when, sizeof(when), "has not been positive definite since t = %.4g s", report->indefinite_from);
  snprintf(at, sizeof(at), rc->space->dim == 3 ? "%.4g, %.4g, %.4g" : "%.4g, %.4g", c->x[0], c->x[1], c->x[2]);
  snprintf(text, sizeof(text),
           "rheoplex: warning: the conformation %s: got %d of %d (nodes and modes), least "
           "eigenvalue %.3g at (%s) m, expected none, for no law means anything there: %s\n",
           when, (int)c->nbad, (int)(rc->space->nglobal * rc->space->nmodes), c->min_eigenvalue, at, advice);
  if (!last) PetscCall(RhxReportSay(rc, "%s", text));
  if (last && rc->rank == 0) {
    PetscCall(clear_bar(report));
    fputs(text, stderr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportStep(RhxCase rc, const RhxStepInfo *info, PetscBool fields, PetscBool last)
{
  PetscBool line = (PetscBool)(last || rc->report.overdue || info->step % rc->option.report_every == 0);
  PetscBool history = (PetscBool)(last || info->step % rc->diagnostic.history_every == 0);
  PetscBool look = (PetscBool)(line || fields || info->step % LOOK == 0);
  const RhxDiagnosticStep step = {info->step, info->t, info->dt, last, rc->at_rest, PETSC_FALSE};
  RhxMeasures m;

  PetscFunctionBegin;
  RhxPaceStep(&rc->report.pace, wall_clock(), (double)info->step,
              PetscMax(RhxReportVelocityRate(rc, info), RhxReportStressRate(rc, info)));
  rc->report.setups += info->work.setup_seconds;
  rc->report.solves += info->work.solve_seconds;
  if (look || history) {
    PetscCall(take_measures(rc, info, &m));
    PetscCall(RhxCaseCheckGivenFlow_Private(rc, info->t, m.mass_error));
    note_loss(rc, info->t, info->steady, &m);
    note_indefinite(&rc->report, info->t, &m.c);
    PetscCall(warn_of_indefinite(rc, info, &m.c, last));
  }
  if (look) PetscCall(warn_of_loss(rc, info, m.mass_error, last));
  if (history) PetscCall(write_history(rc, info, &m));
  PetscCall(RhxStageBegin_Private(RHX_STAGE_DIAGNOSTICS));
  PetscCall(RhxDiagnosticsStep(rc->diagnostics, &step));
  PetscCall(RhxStageEnd_Private());
  if (line) PetscCall(RhxReportCost(rc, wall_clock() - rc->report.start));
  if (line)
    PetscCall(show_line(rc, info, &m));
  else
    PetscCall(show_bar(rc, info));
  if (line) PetscCall(RhxReportScalars(rc, info, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportEnd(RhxCase rc)
{
  PetscFunctionBegin;
  if (rc->rank == 0) PetscCall(clear_bar(&rc->report));
  PetscCall(RhxTableClose(&rc->report.history));
  PetscCall(RhxDiagnosticsEnd(rc->diagnostics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_insitu(RhxCase rc)
{
  double seconds[3];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxInsituGetCost(rc->insitu, &n, seconds));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(
      rc->comm, "  in situ: begun in %.2f s, first step shown in %.2f s, %" PetscInt_FMT " further in %.3g s each\n",
      seconds[0], seconds[1], n - 1, (seconds[2] - seconds[1]) / PetscMax(1, n - 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_drive(RhxCase rc)
{
  double force, mean;
  PetscBool driven;
  char text[128];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetDrive(rc->bc, &driven, &force, &mean));
  if (!driven) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, sizeof(text), "%.6g N/m^3 in the last step, mean velocity %.6g m/s", force, mean);
  PetscCall(PetscPrintf(rc->comm, "  force of -form_mean_velocity: %s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportSummary(RhxCase rc)
{
  char path[PETSC_MAX_PATH_LEN], time[32]; /* without the point that PETSc's %g puts behind a whole number */
  const char *folder;
  PetscReal t;
  PetscInt step, nproblems;

  PetscFunctionBegin;
  PetscCall(TSGetTime(rc->ts, &t));
  PetscCall(TSGetStepNumber(rc->ts, &step));
  PetscCall(RhxOutputGetProblemCount(rc->output, &nproblems));
  PetscCall(RhxOutputGetFolder(rc->output, &folder));
  PetscCall(RhxCasePath_Private(rc, "", sizeof(path), path));
  snprintf(time, sizeof(time), "%g", (double)t);
  PetscCall(PetscPrintf(rc->comm, "\nEnd at step %" PetscInt_FMT ", t = %s: %s.\n", step, time, rc->why));
  PetscCall(RhxReportTimes(rc, step - rc->first_step, wall_clock() - rc->report.start));
  PetscCall(say_insitu(rc));
  if (nproblems)
    PetscCall(PetscPrintf(rc->comm, "  not written, see the warnings: %" PetscInt_FMT " outputs\n", nproblems));
  PetscCall(RhxOutputSay(rc->output));
  if (!rc->unsaved[0])
    PetscCall(PetscPrintf(rc->comm, "  state for restart: %s_checkpoint.h5 (-case_restart)\n", path));
  PetscCall(PetscPrintf(rc->comm, "  history: %s_history.csv\n", path));
  if (rc->report.continuation) PetscCall(PetscPrintf(rc->comm, "  parameter: %s_continuation.csv\n", path));
  PetscCall(say_drive(rc));
  PetscCall(RhxDiagnosticsSay(rc->diagnostics));
  PetscCall(PetscPrintf(rc->comm, "  options of this run: %s_effective.yaml\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportDestroy(RhxReport *report)
{
  PetscFunctionBegin;
  PetscCall(RhxTableClose(&report->history));
  PetscCall(RhxTableClose(&report->continuation));
  PetscFunctionReturn(PETSC_SUCCESS);
}
