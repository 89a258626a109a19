/* The tables of options that are known, and the checks of the database against them. */
#include "plugin/option.h"
#include "petsc_compat.h"
#include "plugin/word.h"
#include <petscviewer.h>
#include <string.h>
#include <strings.h>

#define NAME 256

static struct {
  PetscInt n, size;
  const RhxOptionTable **table; /* borrowed */
} known;

static PetscErrorCode forget_tables(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(known.table));
  known.n = known.size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prefix + row name, with at most one '*'. */
static void pattern_of(const RhxOptionTable *table, const RhxRow *row, char pattern[NAME])
{
  snprintf(pattern, NAME, "%s%s", table->prefix, row->name);
}

static PetscBool declares(const RhxOptionTable *table, const char *pattern)
{
  const size_t n = strlen(table->prefix);
  if (strncmp(pattern, table->prefix, n) != 0) return PETSC_FALSE;
  for (PetscInt r = 0; r < table->nrows; r++)
    if (strcmp(pattern + n, table->rows[r].name) == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode check_new(const RhxOptionTable *table)
{
  char pattern[NAME];
  PetscFunctionBegin;
  for (PetscInt r = 0; r < table->nrows; r++) {
    pattern_of(table, &table->rows[r], pattern);
    for (PetscInt t = 0; t < known.n; t++)
      PetscCheck(!declares(known.table[t], pattern), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "Option -%s is declared twice: in the tables of %s and %s, expected one", pattern,
                 known.table[t]->topic, table->topic);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionTableRegister(const RhxOptionTable *table)
{
  PetscFunctionBegin;
  PetscCall(check_new(table));
  if (known.n == known.size) {
    const RhxOptionTable **grown;
    if (!known.size) PetscCall(PetscRegisterFinalize(forget_tables));
    known.size = 2 * known.size + 32;
    PetscCall(PetscMalloc1(known.size, &grown));
    PetscCall(PetscArraycpy(grown, known.table, known.n));
    PetscCall(PetscFree(known.table));
    known.table = grown;
  }
  known.table[known.n++] = table;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionTableUnregister(const RhxOptionTable *table)
{
  PetscInt n = 0;
  PetscFunctionBegin;
  for (PetscInt t = 0; t < known.n; t++)
    if (known.table[t] != table) known.table[n++] = known.table[t];
  known.n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Names against patterns ---- */

PetscBool RhxOptionMatches(const char *name, const char *pattern)
{
  const char *star = strchr(pattern, '*');
  size_t head, tail, n = strlen(name);
  if (!star) return strcasecmp(name, pattern) == 0 ? PETSC_TRUE : PETSC_FALSE;
  head = (size_t)(star - pattern);
  tail = strlen(star + 1);
  return n > head + tail && strncasecmp(name, pattern, head) == 0 && strcasecmp(name + n - tail, star + 1) == 0
             ? PETSC_TRUE
             : PETSC_FALSE;
}

const RhxRow *RhxOptionRow(const char *name)
{
  char pattern[NAME];
  for (PetscInt t = 0; t < known.n; t++)
    for (PetscInt r = 0; r < known.table[t]->nrows; r++) {
      pattern_of(known.table[t], &known.table[t]->rows[r], pattern);
      if (RhxOptionMatches(name, pattern)) return &known.table[t]->rows[r];
    }
  return NULL;
}

PetscBool RhxOptionIsKnown(const char *name) { return (PetscBool)(RhxOptionRow(name) != NULL); }

/* Does the first word of the name begin a table? PETSc's own -device_enable and such are PETSc's. */
static PetscBool has_own_prefix(const char *name)
{
  static const char *const petsc[] = {"device_enable", "device_select", "device_view"};
  char pattern[NAME];
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(petsc); k++)
    if (strncasecmp(name, petsc[k], strlen(petsc[k])) == 0) return PETSC_FALSE;
  for (PetscInt t = 0; t < known.n; t++)
    for (PetscInt r = 0; r < known.table[t]->nrows; r++) {
      pattern_of(known.table[t], &known.table[t]->rows[r], pattern);
      size_t n = strcspn(pattern, "_*");
      if (strncasecmp(name, pattern, n) == 0 && (!name[n] || name[n] == '_')) return PETSC_TRUE;
    }
  return PETSC_FALSE;
}

/* Calls RhxNearest on the pattern; a '*' stands for each run of words of the name that may be the label, before one or more that
 * are near to those behind it. */
static PetscBool nearer(const char *name, const char *pattern, char best[NAME])
{
  const char *star = strchr(pattern, '*'), *tail = star ? star + 1 : NULL, *candidate[2];
  size_t head = star ? (size_t)(star - pattern) : 0;
  char filled[NAME];
  PetscBool found = PETSC_FALSE;
  candidate[0] = best;
  candidate[1] = filled;
  for (const char *end = name; end; end = *end ? end + 1 + strcspn(end + 1, "_") : NULL) {
    if (star && ((size_t)(end - name) <= head || strncmp(name, pattern, head) || !RhxNearest(end, 1, &tail))) continue;
    if (star)
      snprintf(filled, NAME, "%.*s%s", (int)(end - name), name, tail);
    else
      snprintf(filled, NAME, "%s", pattern);
    if (best[0] ? RhxNearest(name, 2, candidate) == filled : RhxNearest(name, 1, candidate + 1) == filled) {
      snprintf(best, NAME, "%s", filled);
      found = PETSC_TRUE;
    }
    if (!star) break;
  }
  return found;
}

/* Nearest known name, or "". */
static void nearest_known(const char *name, char best[NAME])
{
  char pattern[NAME];
  best[0] = 0;
  for (PetscInt t = 0; t < known.n; t++)
    for (PetscInt r = 0; r < known.table[t]->nrows; r++) {
      pattern_of(known.table[t], &known.table[t]->rows[r], pattern);
      nearer(name, pattern, best);
    }
}

PetscBool RhxOptionsHavePrefix(const char *name)
{
  static const char *const later[] = {"plugin", "physics_", "stabiliser_", "field_", "rheometer_", "bench_", "eigen_"};
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(later); k++)
    if (strncasecmp(name, later[k], strlen(later[k])) == 0) return PETSC_TRUE;
  return has_own_prefix(name);
}

/* Options that end like the name, "a" or "a or -b"; "": there is none, or more. */
static void ending(const char *name, size_t size, char *text)
{
  const size_t n = strlen(name);
  PetscInt found = 0;
  char pattern[NAME];
  text[0] = '\0';
  for (PetscInt t = 0; t < known.n; t++)
    for (PetscInt r = 0; r < known.table[t]->nrows; r++) {
      pattern_of(known.table[t], &known.table[t]->rows[r], pattern);
      const size_t m = strlen(pattern), at = strlen(text);
      if (m <= n || strcasecmp(pattern + m - n, name) || pattern[m - n - 1] != '_' || strchr(pattern, '*')) continue;
      snprintf(text + at, size - at, "%s%s", found++ ? " or -" : "", pattern);
    }
  if (found > 2) text[0] = '\0';
}

void RhxOptionsNearest(const char *name, char best[NAME]) { nearest_known(name, best); }

static PetscErrorCode refuse(MPI_Comm comm, const char *what, const char *name)
{
  const char *equals = strchr(name, '=');
  char near[4 * NAME];
  PetscFunctionBegin;
  PetscCheck(!equals, comm, PETSC_ERR_ARG_WRONG,
             "%s: got -%s, expected a blank in place of '=' between an option and its value, here '%s%s'", what, name,
             equals[1] == '-' ? " " : "", equals + 1);
  nearest_known(name, near);
  if (!near[0]) ending(name, sizeof(near), near);
  SETERRQ(comm, PETSC_ERR_ARG_WRONG, "%s: got -%s%s%s%s", what, name, near[0] ? ", did you mean -" : "", near,
          near[0] ? "?" : ", which neither Rheoplex nor a solver of this case reads");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionsCheckKnown(MPI_Comm comm)
{
  PetscInt n;
  char **names, **values, name[NAME] = "";
  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n && !name[0]; i++)
    if (has_own_prefix(names[i]) && !RhxOptionIsKnown(names[i])) PetscCall(PetscStrncpy(name, names[i], sizeof(name)));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  if (name[0]) PetscCall(refuse(comm, "Unknown option", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionsCheckWords(MPI_Comm comm, int n, char *const *word)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    const RhxRow *row;
    PetscBool option, next = PETSC_FALSE;
    PetscCall(PetscOptionsValidKey(word[i], &option));
    row = option ? RhxOptionRow(word[i] + 1) : NULL;
    if (!row || row->kind != RHX_STRING) continue;
    if (i + 1 < n) PetscCall(PetscOptionsValidKey(word[i + 1], &next));
    PetscCheck(i + 1 < n, comm, PETSC_ERR_ARG_WRONG, "%s: got no value, expected one behind it", word[i]);
    PetscCheck(!next || !RhxOptionIsKnown(word[i + 1] + 1), comm, PETSC_ERR_ARG_WRONG,
               "%s: got no value but the option %s, expected a value behind it", word[i], word[i + 1]);
    PetscCheck(!next, comm, PETSC_ERR_ARG_WRONG,
               "%s: got no value, for %s behind it is read as another option: on the command line one that begins with "
               "'-' needs a blank before it, expected %s ' %s'",
               word[i], word[i + 1], word[i], word[i + 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the word one of a list that ends with NULL? */
static PetscBool is_one_of(const char *word, const char *const *list)
{
  for (; *list; list++)
    if (!strcasecmp(word, *list)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Read by PETSc when a solve, the steps or the program end; any other name that is left by then does nothing. */
static PetscBool read_later(const char *name)
{
  static const char *const ends[] = {"options_left",
                                     "options_view",
                                     "objects_dump",
                                     "malloc",
                                     "malloc_debug",
                                     "malloc_dump",
                                     "malloc_view",
                                     "memory_view",
                                     "malloc_test",
                                     "log_view",
                                     "ts_view",
                                     "malloc_view_threshold",
                                     "log_view_memory",
                                     "log_view_gpu_time",
                                     "ts_view_solution",
                                     "on_error_abort",
                                     "on_error_attach_debugger",
                                     "on_error_emacs",
                                     "on_error_mpiabort",
                                     "display",
                                     "nox",
                                     "nox_warning",
                                     NULL};
  static const char *const solves[] = {"ksp_view",
                                       "ksp_view_pre",
                                       "ksp_view_mat",
                                       "ksp_view_pmat",
                                       "ksp_view_rhs",
                                       "ksp_view_solution",
                                       "ksp_view_eigenvalues",
                                       "ksp_view_singularvalues",
                                       "ksp_view_final_residual",
                                       "ksp_view_diagonal_scale",
                                       "ksp_view_eigenvalues_explicit",
                                       "ksp_view_preconditioned_operator_explicit",
                                       "ksp_converged_reason",
                                       "ksp_converged_rate",
                                       NULL};
  static const char *const newton[] = {"snes_view", "snes_view_solution", "snes_converged_reason", NULL};
  const char *ksp = strstr(name, "ksp_");
  const PetscBool own =
      (PetscBool)(!strncmp(name, "pressure_", 9) || !strncmp(name, "momentum_", 9) ||
                  !strncmp(name, "transport_", 10) || !strncmp(name, "rheometer_", 10) || !strncmp(name, "ksp_", 4));

  for (const char *next; ksp && (next = strstr(ksp + 1, "ksp_"));) ksp = next; /* of an inner solver: the last */
  return (PetscBool)(is_one_of(name, ends) || is_one_of(name, newton) || (own && ksp && is_one_of(ksp, solves)));
}

static const char *const *deferred;

void RhxOptionsDefer(const char *const *beginnings) { deferred = beginnings; }

static PetscBool is_deferred(const char *name)
{
  for (const char *const *b = deferred; b && *b; b++)
    if (!strncmp(name, *b, strlen(*b))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Is this one of the words of a list? */
static PetscErrorCode names(const char *list, const char *what, PetscBool *is)
{
  char **words;
  int n;
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  PetscCall(PetscStrToArray(list, ',', &n, &words));
  for (int i = 0; i < n; i++) *is = (PetscBool)(*is || !strcasecmp(RhxWord(words[i]), what));
  PetscCall(PetscStrToArrayDestroy(n, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an option of one law, stabiliser or scheme beside others that are named: which, and what to do. */
static PetscErrorCode refuse_other(MPI_Comm comm, const char *name)
{
  static const char *const groups[] = {"physics", "stabiliser", "scheme"};
  const char *prefix = "";
  char option[32], value[RHX_STRING_LENGTH], owner[NAME];
  PetscFunctionBegin;
  for (PetscInt t = 0; t < known.n; t++) {
    const char *own = known.table[t]->prefix;
    if (strlen(own) > strlen(prefix) && !strncasecmp(name, own, strlen(own))) prefix = own;
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(groups); k++) {
    const size_t n = strlen(groups[k]);
    PetscBool set, named;
    if (strncmp(prefix, groups[k], n) || prefix[n] != '_' || strlen(prefix) < n + 3) continue;
    snprintf(owner, sizeof(owner), "%.*s", (int)strlen(prefix) - 1, prefix);
    snprintf(option, sizeof(option), "-%s", groups[k]);
    PetscCall(PetscOptionsGetString(NULL, NULL, option, value, sizeof(value), &set));
    if (!set) continue;
    PetscCall(names(value, owner + n + 1, &named));
    PetscCheck(
        named, comm, PETSC_ERR_ARG_WRONG,
        "Option that nothing in this case reads: got -%s beside %s %s, expected '%s' among %s, or no options of it "
        "(a case file without its block %s)",
        name, option, value, owner + n + 1, option, owner);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionsCheckUsed(MPI_Comm comm)
{
  PetscInt n;
  char **names, **values, name[NAME] = "";
  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n && !name[0]; i++)
    if (!read_later(names[i]) && !is_deferred(names[i])) PetscCall(PetscStrncpy(name, names[i], sizeof(name)));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  if (!name[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (RhxOptionIsKnown(name)) PetscCall(refuse_other(comm, name));
  PetscCheck(!RhxOptionIsKnown(name), comm, PETSC_ERR_ARG_WRONG,
             "Option that nothing in this case reads: got -%s, expected the physics, stabiliser, scheme, condition or "
             "kind of diagnostic it is for",
             name);
  PetscCall(refuse(comm, "Unknown option", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Lists ---- */

const RhxOptionTable *RhxOptionTableGet(PetscInt i) { return i >= 0 && i < known.n ? known.table[i] : NULL; }

PetscErrorCode RhxOptionRowView(const RhxOptionTable *table, const RhxRow *row, PetscViewer viewer)
{
  char pattern[NAME], expected[512];
  PetscFunctionBegin;
  pattern_of(table, row, pattern);
  if (row->kind != RHX_STRING)
    RhxRowDescribe(row, expected, sizeof(expected));
  else if (row->unit && row->unit[0] && strcmp(row->unit, "1"))
    snprintf(expected, sizeof(expected), "text (%s)", row->unit);
  else
    snprintf(expected, sizeof(expected), "text");
  PetscCall(PetscViewerASCIIPrintf(viewer, "  -%s  (%s)\n      %s%s; %s\n", pattern,
                                   !row->value          ? "required"
                                   : row->value[0] == 0 ? "empty"
                                                        : row->value,
                                   expected, row->per_mode ? ", one a mode" : "", row->help));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRowsView(const char *prefix, PetscInt nrows, const RhxRow *rows, PetscViewer viewer)
{
  char takes[256];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < nrows; r++) {
    RhxRowDescribe(&rows[r], takes, sizeof(takes));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  -%s%s: %s; default %s; %s\n", prefix, rows[r].name,
                                     rows[r].kind == RHX_STRING ? "text" : takes,
                                     rows[r].value && rows[r].value[0] ? rows[r].value : "none", rows[r].help));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_table(const RhxOptionTable *table, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < table->nrows; r++) PetscCall(RhxOptionRowView(table, &table->rows[r], viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has an earlier table the topic of table t? */
static PetscBool is_repeated(PetscInt t)
{
  for (PetscInt s = 0; s < t; s++)
    if (strcmp(known.table[s]->topic, known.table[t]->topic) == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RhxOptionTopics(char *list, size_t size)
{
  PetscFunctionBegin;
  list[0] = 0;
  for (PetscInt t = 0; t < known.n; t++) {
    if (is_repeated(t)) continue;
    if (list[0]) PetscCall(PetscStrlcat(list, ", ", size));
    PetscCall(PetscStrlcat(list, known.table[t]->topic, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxOptionIsTopic(const char *name)
{
  for (PetscInt t = 0; t < known.n; t++)
    if (strcmp(known.table[t]->topic, name) == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RhxOptionTablesView(const char *topic, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < known.n; t++) {
    if (is_repeated(t) || (topic && strcmp(topic, known.table[t]->topic))) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", known.table[t]->topic));
    for (PetscInt s = t; s < known.n; s++)
      if (strcmp(known.table[s]->topic, known.table[t]->topic) == 0) PetscCall(view_table(known.table[s], viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
