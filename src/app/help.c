/* --help: topics, verbs, keys of a case, options and plugins by name. */
#include "app/app.h"
#include "boundary/types.h"
#include "case/columns.h"
#include "case/keys.h"
#include "case/trust.h"
#include "diagnostics/named.h"
#include "form/ask.h"
#include "output/output.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <ctype.h>
#include <strings.h>

#define NAME 256
#define LEAST_WORD 3  /* letters that are looked for in texts */
#define MOST_TEXTS 12 /* options that are shown with them */

static const char yaml_help[] =
    "A case is a YAML file; the options of the command line replace those of the file.\n"
    "  Nested keys are joined by '_':   bc: {wall: {type: wall}}   is   -bc_wall_type wall\n"
    "  Lists are joined by ',':         diagnostic: {wall: [bottom, top]}   is   -diagnostic_wall bottom,top\n"
    "  diagnostics: is the same key as diagnostic:\n"
    "  Formulas are text, quoted:       bc_inlet_velocity: \"2*(1-4*y^2), 0\"\n"
    "  Truth:                           true, false, yes, no, 1, 0\n"
    "  A key without a value is an option of PETSc that is set without one (ts_monitor:). A key may stand only once.\n"
    "  One key cannot be a value and a group: physics: a,b   and   physics_b: {modes: 4}\n"
    "  Keys that begin with $$ hold anchors; `<<: *anchor` merges them.\n"
    "  On the command line a value must not begin with '-' and a letter: write -bc_lid_velocity \"0-y,0\" or \" "
    "-y,0\".\n"
    "  Files named in a case are looked for in the current folder, then beside the case (beside what a link leads "
    "to).\n"
    "PETSc's own options (-log_view, -ts_monitor, ..., a solver's under its prefix) work as usual; which of them a "
    "case may\n"
    "set, what it may load and where it may write: share/doc/trust.md.\n";

static const char run_help[] =
    "A run ends at -stop_time, after -stop_steps, at rest (-stop_steady_tol), settled (-stop_settled) or periodic "
    "(-stop_periodic);\n"
    "then fields, the state for a restart and every table are written. The results lie in -output_folder (out/<case "
    "name> unless given).\n"
    "Signals: SIGINT (Ctrl-C), SIGTERM and SIGUSR1 let the step in hand end, save fields and state, and end the run "
    "with\n"
    "exit code 130, 143 and 0 (-stop_signal_ok: 0 for all); the same signal a second time ends it at once. A step of "
    "Newton's\n"
    "method that has not ended -stop_patience seconds after it is given up: an error, the state before it is saved.\n"
    "  kill -USR1 <process>                      one rank that gets it is enough\n"
    "  kill -USR1 <process of mpiexec>           which hands it on; the same by  echo 'stop: now' > <output "
    "folder>/control.\n"
    "                                            Ctrl-C of a run by Open MPI's mpiexec leaves the ranks one second, in "
    "which\n"
    "                                            a step and its files are not finished: what is saved then is what\n"
    "                                            -output_checkpoint_wall_time (30 minutes) or -output_checkpoint_dt\n"
    "                                            left; mpiexec --mca odls_base_sigkill_timeout 60 gives it the time\n"
    "A batch system's limit: -stop_wall_time 85000 of 86400 s ends the run so by itself, with the step in hand; or let "
    "it send\n"
    "SIGUSR1 some minutes before (Slurm: #SBATCH --signal=USR1@300, which goes to what srun started).\n"
    "A run that is ended or saved so goes on with -case_restart <folder>/<name>_checkpoint.h5.\n"
    "Control: once in -control_every steps a run looks for the file <output folder>/control and does what it says, "
    "then\n"
    "renames it to control.done. It is YAML, keys as in a case, of options that may change in a run:\n"
    "  dt: 0.001, cfl: 0.5                       the scheme's time step and CFL target\n"
    "  output_dt, output_every, output_checkpoint_dt, output_checkpoint_every, output_checkpoint_wall_time,\n"
    "  case_report_every, case_report_seconds, diagnostic_history_every, diagnostic_forces_every, control_every,\n"
    "  stop_time, stop_steps, stop_steady_tol, stop_min_time, stop_wall_time\n"
    "  diagnostics: {drag: {every: 10, every_dt: 0.1}}     the tables that the case names\n"
    "  output: now, checkpoint: now, stop: now   fields, the state; the end of the run with both\n"
    "All of it is done, printed and written to <name>_effective.yaml; or, where something is wrong with it, nothing: "
    "one\n"
    "sentence tells why, the file becomes control.refused and the run goes on. Write it elsewhere and move it there.\n"
    "Exit code 1: an error, told in one sentence.\n"
    "The columns of the screen: rheoplex --help table. Options: rheoplex --help case, stop, output, diagnostic, ...\n";

/* A key as it may be written, to the option's name: "-a_b", "a: b", "a: {b: 1}", "a.b" are a_b. */
static void to_name(const char *word, char name[NAME])
{
  size_t n = 0;

  for (; *word && n < NAME - 1; word++)
    if (isalnum((unsigned char)*word))
      name[n++] = *word;
    else if (n && name[n - 1] != '_')
      name[n++] = '_';
  while (n && name[n - 1] == '_') n--;
  name[n] = '\0';
  RhxKeysCanonical(name);
}

/* How a key may name an option: in full, by a group that holds it, by the end of its name. */
typedef enum { IN_FULL, BY_GROUP, BY_END, NWAYS } Way;

static PetscBool is_named(const char *name, const char *pattern, Way way)
{
  const size_t n = strlen(name), m = strlen(pattern);
  const char *star = strchr(pattern, '*');
  const size_t head = star ? (size_t)(star - pattern) : 0;

  if (way == IN_FULL) return RhxOptionMatches(name, pattern);
  if (way == BY_END) return (PetscBool)(m > n && pattern[m - n - 1] == '_' && !strcasecmp(pattern + m - n, name));
  if (star && n > head && !strncasecmp(name, pattern, head)) return PETSC_TRUE; /* the name goes on with a label */
  return (PetscBool)(m > n && pattern[n] == '_' && !strncasecmp(pattern, name, n));
}

/* Options that the key names in the first way that finds some. */
static PetscErrorCode view_key(const char *name, PetscBool *found, PetscViewer viewer)
{
  const RhxOptionTable *table;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (int way = IN_FULL; way < NWAYS && !*found; way++)
    for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++)
      for (PetscInt r = 0; r < table->nrows; r++) {
        char pattern[NAME];

        PetscCall(PetscSNPrintf(pattern, sizeof(pattern), "%s%s", table->prefix, table->rows[r].name));
        if (!is_named(name, pattern, (Way)way)) continue;
        if (!*found || way != IN_FULL) PetscCall(RhxOptionRowView(table, &table->rows[r], viewer));
        *found = PETSC_TRUE;
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the text hold the word from the beginning of one of its own on? '_' stands for a blank or a hyphen, too. */
static PetscBool holds_word(const char *text, const char *word)
{
  const size_t n = strlen(word);

  for (const char *at = text; at && *at; at++) {
    size_t i = 0;

    if (at > text && isalnum((unsigned char)at[-1])) continue;
    while (i < n && (tolower((unsigned char)at[i]) == tolower((unsigned char)word[i]) ||
                     (word[i] == '_' && (at[i] == ' ' || at[i] == '-'))))
      i++;
    if (i == n) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Laws, stabilisers and scalar fields whose description or source holds the word. */
static PetscErrorCode view_described(const char *word, PetscBool *found, PetscViewer viewer)
{
  PetscInt n;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (strlen(word) < LEAST_WORD) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *plugin;

    PetscCall(RhxPluginGet(i, &plugin, NULL));
    if (!holds_word(plugin->help, word) && !holds_word(plugin->source, word)) continue;
    if (!*found)
      PetscCall(
          PetscViewerASCIIPrintf(viewer, "Plugins whose description has '%s'; more: rheoplex --help <name>\n", word));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %-16s %s\n",
                                     plugin->kind == RHX_STABILISER ? "-stabiliser" : "-physics   ", plugin->name,
                                     plugin->help));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conditions, diagnostics and formats whose description holds the word. */
static PetscErrorCode view_entries(const char *word, PetscBool *found, PetscViewer viewer)
{
  static const struct {
    const char *option;
    const RhxEntry *(*get)(PetscInt i);
  } of[] = {{"-bc_<label>_type", RhxBoundaryTypeEntry},
            {"-diagnostic_<name>_kind", RhxDiagnosticsKindEntry},
            {"-output_formats", RhxOutputFormatEntry}};
  const RhxEntry *entry;
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(of) && strlen(word) >= LEAST_WORD; k++)
    for (PetscInt i = 0; (entry = of[k].get(i)); i++) {
      if (!holds_word(entry->help, word)) continue;
      if (!any)
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "Conditions, diagnostics and formats whose description has '%s'; more: rheoplex --help <name>\n",
            word));
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %s %s: %s\n", of[k].option, entry->name, entry->help));
      any = PETSC_TRUE;
    }
  if (any) *found = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options whose name, help or unit holds the word, when there are many their names alone. */
static PetscErrorCode view_texts(const char *word, PetscBool *found, PetscViewer viewer)
{
  const RhxOptionTable *table;
  PetscInt n = 0;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (strlen(word) < LEAST_WORD) PetscFunctionReturn(PETSC_SUCCESS);
  for (int pass = 0; pass < 2; pass++) {
    if (pass && n)
      PetscCall(PetscViewerASCIIPrintf(viewer, "Options whose name or help has '%s'%s\n", word,
                                       n > MOST_TEXTS ? "; what they are: rheoplex --help <option>" : ""));
    for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++)
      for (PetscInt r = 0; r < table->nrows; r++) {
        const RhxRow *row = &table->rows[r];

        if (!holds_word(row->help, word) && !holds_word(row->unit, word) && !holds_word(row->name, word)) continue;
        if (!pass)
          n++;
        else if (n > MOST_TEXTS)
          PetscCall(PetscViewerASCIIPrintf(viewer, "  -%s%s\n", table->prefix, row->name));
        else
          PetscCall(RhxOptionRowView(table, row, viewer));
      }
  }
  *found = (PetscBool)(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bc_<label>: what its conditions take. */
static PetscErrorCode view_label(const char *name, PetscBool *found, PetscViewer viewer)
{
  PetscFunctionBegin;
  *found = (PetscBool)(!strncmp(name, "bc_", 3) && name[3] && !RhxOptionIsKnown(name));
  if (*found) PetscCall(RhxBoundaryLabelView(name + 3, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A law or a stabiliser of that name. */
static PetscErrorCode view_plugin(const char *name, PetscBool *found, PetscViewer viewer)
{
  PetscInt n;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *plugin;

    PetscCall(RhxPluginGet(i, &plugin, NULL));
    if (strcasecmp(plugin->name, name)) continue;
    PetscCall(RhxAppViewPlugin(viewer, plugin));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nearest of the topics, verbs and plugins; "": none. */
static PetscErrorCode nearest_topic(const char *name, const char *topics, char near[NAME])
{
  char *copy, *rest;
  const char *names[512], *best;
  PetscInt n = 0, nplugins;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(topics, &copy));
  for (char *topic = strtok_r(copy, ", ", &rest); topic && n < 256; topic = strtok_r(NULL, ", ", &rest))
    names[n++] = topic;
  for (int i = 0; RhxAppVerbName(i) && n < 256; i++) names[n++] = RhxAppVerbName(i);
  PetscCall(RhxPluginCount(&nplugins));
  for (PetscInt i = 0; i < nplugins && n < 512; i++) {
    const RhxPlugin *plugin;

    PetscCall(RhxPluginGet(i, &plugin, NULL));
    names[n++] = plugin->name;
  }
  best = RhxNearest(name, n, names);
  PetscCall(PetscStrncpy(near, best ? best : "", NAME));
  if (!best) RhxOptionsNearest(name, near);
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode topic_list(size_t size, char *topics)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTopics(topics, size));
  PetscCall(PetscStrlcat(topics, ", yaml, table, combinations, all", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that a case may set, such as dm_refine or pressure_ksp_type. */
static PetscErrorCode view_petscs(const char *name, PetscBool *found, PetscViewer viewer)
{
  const char *family;

  PetscFunctionBegin;
  for (PetscInt i = 0; (family = RhxTrustFamily(i)) && !*found; i++)
    *found = (PetscBool)!strncmp(name, family, strlen(family));
  if (*found)
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "  -%s\n      of PETSc: share/doc/petsc-options.md says what it does here\n", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode help_on(const char *word, PetscViewer viewer)
{
  char name[NAME], near[NAME], topics[2048];
  const char *verb = RhxAppVerbUsage(word);
  PetscBool found = PETSC_FALSE, named = PETSC_FALSE, described = PETSC_FALSE;

  PetscFunctionBegin;
  to_name(word, name);
  if (verb) PetscCall(PetscViewerASCIIPrintf(viewer, "rheoplex %s\n", verb));
  if (verb && !strcmp(word, "run")) PetscCall(PetscViewerASCIIPrintf(viewer, "%s", run_help));
  if (verb && !RhxOptionIsTopic(name)) PetscFunctionReturn(PETSC_SUCCESS);
  if (RhxOptionIsTopic(name)) {
    PetscCall(RhxOptionTablesView(name, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(view_plugin(name, &found, viewer));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxAppViewNamed(name, &named, viewer));
  PetscCall(view_label(name, &found, viewer));
  if (!found) PetscCall(view_key(name, &found, viewer));
  if (!named && !found) PetscCall(view_petscs(name, &found, viewer));
  if (!named && !found) PetscCall(view_described(name, &described, viewer));
  if (!named && !found) PetscCall(view_entries(name, &described, viewer));
  if (!named && !found) PetscCall(view_texts(name, &found, viewer));
  if (named || found || described) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(topic_list(sizeof(topics), topics));
  PetscCall(nearest_topic(name, topics, near));
  SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
          "No help on '%.100s'%s%s%s: expected a verb, a law, a stabiliser, a condition, a diagnostic, a scheme, a key "
          "or an option such as scheme_lumped_dt, a word of their help, or a topic: %s",
          word, near[0] ? ", did you mean " : "", near, near[0] ? "?" : "", topics);
}

PetscErrorCode RhxAppHelp(const char *word)
{
  PetscViewer viewer = PETSC_VIEWER_STDOUT_WORLD;
  char topics[2048];

  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  if (word && !strcmp(word, "table")) {
    PetscCall(RhxColumnsView(viewer));
  } else if (word && !strcmp(word, "combinations")) {
    PetscCall(RhxAsksView(viewer));
  } else if (word && !strcmp(word, "all")) {
    PetscCall(RhxOptionTablesView(NULL, viewer));
  } else if (word && strcmp(word, "yaml")) {
    PetscCall(help_on(word, viewer));
  } else {
    PetscCall(topic_list(sizeof(topics), topics));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%sTopics: %s\n", yaml_help, topics));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
