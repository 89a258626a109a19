/* Option tables: each room declares its options as rows; reading, checks, help, the reference and "did you mean" use them. */
#ifndef RHX_OPTION_H
#define RHX_OPTION_H
#include <petscsys.h>
#include <rheoplex/plugin.h>

/* A table of options that share a prefix, such as "mesh_" or "scheme_lumped_". A prefix may hold one '*' ("bc_*_") that
 * stands for a label or name. Tables are static and registered once, before options are read. */
typedef struct {
  const char *topic;  /* for --help <topic> and the reference */
  const char *prefix; /* without the leading '-' */
  PetscInt nrows;
  const RhxRow *rows;
} RhxOptionTable;

/* Adds a table to the known ones; a second table of the same prefix and a row of the same name is an error. */
PetscErrorCode RhxOptionTableRegister(const RhxOptionTable *table);
/* Takes a table out again (one that is not static); unknown tables are no error. */
PetscErrorCode RhxOptionTableUnregister(const RhxOptionTable *table);
/* Reads every row of the table from the PETSc options database into `slots` (a struct; row offsets), checks bounds and
 * choices; an error says option, got, expected, unit. `prefix` replaces the table's when it holds a '*'. Collective. */
PetscErrorCode RhxOptionTableRead(MPI_Comm comm, const RhxOptionTable *table, const char *prefix, void *slots);
/* The same for a plugin's rows: `slots` is nmodes parameter structs of `size` bytes each. A row with per_mode reads 1 or
 * nmodes comma-separated values. */
PetscErrorCode RhxRowsRead(MPI_Comm comm, const char *prefix, PetscInt nrows, const RhxRow *rows, PetscInt nmodes,
                           size_t size, void *slots);
/* Checks those values of the rows that are set, which another library reads: nothing is kept of them. Collective. */
PetscErrorCode RhxRowsCheck(MPI_Comm comm, const char *prefix, PetscInt nrows, const RhxRow *rows);
/* Error if the database holds an option with a Rheoplex prefix that no table knows: names it and the nearest known. */
PetscErrorCode RhxOptionsCheckKnown(MPI_Comm comm);
/* Error where an option of text has no value among the words of a command line, such as before a formula that begins with '-'. */
PetscErrorCode RhxOptionsCheckWords(MPI_Comm comm, int n, char *const *word);
/* Does the name begin a table, rheometer and bench included? PETSc's own names do not. */
PetscBool RhxOptionsHavePrefix(const char *name);
PetscBool RhxOptionIsKnown(const char *name);             /* does a table have it? */
const RhxRow *RhxOptionRow(const char *name);             /* that of a table, borrowed; NULL: none has it */
void RhxOptionsNearest(const char *name, char best[256]); /* nearest known name, "": none */
/* Error if an option (not of the few that PETSc reads later) was set and never read. */
PetscErrorCode RhxOptionsCheckUsed(MPI_Comm comm);
/* From now on CheckUsed passes over names with one of these beginnings (the list ends with NULL), which are read later; NULL: over
 * none. */
void RhxOptionsDefer(const char *const *beginnings);
/* Options read so far through the tables, each once, in the order of reading: full name without '-', value as text (as the
 * user wrote it, or the default). Borrowed strings. For the effective options file. */
PetscErrorCode RhxOptionsReadCount(PetscInt *n);
PetscErrorCode RhxOptionsReadGet(PetscInt i, const char **name, const char **value, PetscBool *set);
/* The nearest of n names to `name` by edit distance, NULL if none is near. */
const char *RhxNearest(const char *name, PetscInt n, const char *const *names);
/* What a row takes, for messages and lists: "a number > 0 (Pa s)", "a, b or c". */
void RhxRowDescribe(const RhxRow *row, char *out, size_t size);
/* A line for each: -<prefix><row>: what it takes, its default, its help. */
PetscErrorCode RhxRowsView(const char *prefix, PetscInt nrows, const RhxRow *rows, PetscViewer viewer);
PetscBool RhxRowHolds(const RhxRow *row, double x);      /* is a number within its bounds? */
PetscErrorCode RhxOptionTopics(char *list, size_t size); /* "case, mesh, ..." */
PetscBool RhxOptionIsTopic(const char *name);
PetscErrorCode RhxOptionTablesView(const char *topic, PetscViewer viewer); /* NULL: every topic */
/* The known tables in the order of their registration; NULL past the end. Borrowed. */
const RhxOptionTable *RhxOptionTableGet(PetscInt i);
PetscErrorCode RhxOptionRowView(const RhxOptionTable *table, const RhxRow *row, PetscViewer viewer);
/* Is `name` that of the option prefix + row, whose '*' stands for any text? */
PetscBool RhxOptionMatches(const char *name, const char *pattern);
#endif
