/* Fields for ParaView, state for restart, tables. */
#ifndef RHX_OUTPUT_H
#define RHX_OUTPUT_H
#include "boundary/boundary.h"
#include <rheoplex/extension.h>

/* What could not be written is told by a sentence, the same on every rank, "": all is well. The caller decides what follows:
 * see RhxOutputMind. */
#define RHX_MESSAGE 1024

typedef struct _p_RhxOutput *RhxOutput;

PetscErrorCode RhxOutputRegisterOptions(void); /* -output_... and the formats of the library */
PetscBool RhxOutputHasFormat(const char *name);
const RhxEntry *RhxOutputFormatEntry(PetscInt i);                          /* NULL: past the last */
PetscErrorCode RhxOutputFormatsView(const char *name, PetscViewer viewer); /* with their options; NULL: all */
PetscErrorCode RhxOutputCreate(RhxForm form, const char *name,
                               RhxOutput *output); /* name: of the case, for file names */
PetscErrorCode RhxOutputSetFromOptions(RhxOutput output);
/* Makes the folder and locks <folder>/<name>.lock until Destroy; a folder that cannot be written, or to which another run of
 * this name writes, is an error before the run. */
PetscErrorCode RhxOutputSetUp(RhxOutput output);
void RhxOutputReleaseLocks(void); /* at the end of a failed program; may be called by a handler of signals */
PetscErrorCode RhxOutputDestroy(RhxOutput *output);
PetscErrorCode RhxOutputGetFolder(RhxOutput output, const char **folder);
PetscErrorCode RhxOutputGetPath(RhxOutput output, const char *suffix, size_t size,
                                char *path); /* <folder>/<case><suffix> */
/* The run continues from this step and time: later entries of existing lists are dropped, earlier ones are kept.
 * Call after SetUp. */
PetscErrorCode RhxOutputSetRestart(RhxOutput output, PetscInt step, double t);
/* Reads its intervals again in a run, at time t: the next fields are due as if it had begun with them. */
PetscErrorCode RhxOutputChange(RhxOutput output, double t);
PetscErrorCode RhxOutputHasFields(RhxOutput output, PetscBool *has); /* -output_fields */
/* Steps are states of a continuation: every so many counts from the first one. text: which of them are kept. */
PetscErrorCode RhxOutputCountStates(RhxOutput output);
PetscErrorCode RhxOutputKeepsStates(RhxOutput output, PetscBool *keeps); /* checkpoints of more than the last one */
PetscErrorCode RhxOutputDescribeStates(RhxOutput output, size_t size, char *text);
/* Is a field output due at this step and time (-output_every, -output_dt)? False once the step is written. */
PetscErrorCode RhxOutputDue(RhxOutput output, PetscInt step, double t, PetscBool *due);
/* Number of the period of this length that holds t; a hair before its start counts as in it. */
PetscInt64 RhxOutputPeriod(double every, double t);
/* Does a period begin on the way from one time to another, or end where that is an earlier one (a continuation whose parameter falls)?
 * from RHX_NO_TIME: yes. */
PetscBool RhxOutputCrosses(double every, double from, double to);
#define RHX_NO_TIME PETSC_NINFINITY
/* The next time after t of -output_dt or -output_checkpoint_dt, at which a step has to end; PETSC_MAX_REAL: none. */
PetscErrorCode RhxOutputNextTime(RhxOutput output, double t, double *next);
/* Is a checkpoint due after this step, from `before` to t (-output_checkpoint_every, -output_checkpoint_dt)? */
PetscErrorCode RhxOutputCheckpointDue(RhxOutput output, PetscInt step, double before, double t, PetscBool *due);
/* And by the clock of this rank, seconds after the last one? */
PetscErrorCode RhxOutputClockDue(RhxOutput output, double seconds, PetscBool *due);
/* The fields of -output_fields (quantity.h) in its formats: files of a step and their list, rewritten atomically.
 * dt: of the step before. A step is written once; nothing is written with -output_fields off. Collective. */
PetscErrorCode RhxOutputFields(RhxOutput output, PetscInt step, double t, double dt, Vec x, char problem[RHX_MESSAGE]);
/* Before SetUp: format vtu writes derivatives, of its fields at the state `base`, borrowed, along the vectors that are written.
 * Other formats, which take vectors for states, are left out with a sentence. Collective. */
PetscErrorCode RhxOutputSetBase(RhxOutput output, Vec base);
/* A problem is an error, or with -output_on_error continue a warning, of one kind the 1st, 10th, 100th time; counted. Collective. */
PetscErrorCode RhxOutputMind(RhxOutput output, const char *problem);
PetscErrorCode RhxOutputSay(RhxOutput output); /* a line for each list of fields */
PetscErrorCode RhxOutputGetProblemCount(RhxOutput output, PetscInt *n);
/* A file that is whole takes its name; between Hold and Publish it keeps the temporary one, so that a run that is refused
 * before its first step leaves what an earlier one wrote. Publish removes what the run's outputs (AddResult, fields) wrote in an
 * earlier one, of a restart behind its step. Discard removes what waits. Collective. */
PetscErrorCode RhxOutputPlace(RhxOutput output, const char *temporary, const char *file, char problem[RHX_MESSAGE]);
PetscErrorCode RhxOutputHold(RhxOutput output);
PetscErrorCode RhxOutputPublish(RhxOutput output, char problem[RHX_MESSAGE]);
PetscErrorCode RhxOutputDiscard(RhxOutput output);
/* A file <folder>/<case><suffix> is of this run too, by `owner`, an option or a few words: it is set aside with the others; '*' stands for
 * the digits of a step. One that something else writes is an error that names both. Before HasResults. */
PetscErrorCode RhxOutputAddResult(RhxOutput output, const char *owner, const char *suffix);
/* What an earlier run left under these names of the owner goes, and is told: this run has ended without them. Collective. */
PetscErrorCode RhxOutputDropResults(RhxOutput output, const char *owner);
/* Are there results of a case of this name in the folder? SetAside: Publish moves them to <folder>/<name>.1 (or .2, ...). */
PetscErrorCode RhxOutputHasResults(RhxOutput output, PetscBool *there);
PetscErrorCode RhxOutputSetAside(RhxOutput output);
/* Files <folder>/<name><pattern>, '*' for the digits of a number, of which own[pattern][number] are of this run: */
typedef struct {
  const char *folder, *name, *what; /* they are, if earlier */
  const char *stays;                /* a file that does, whatever it is, or "" */
  PetscInt n, most;                 /* patterns; numbers */
  const char *const *pattern;       /* [n] */
  PetscBool *const *own;            /* [n][most] */
} RhxNumberedFiles;
/* the others are those of an earlier one, and move to <folder>/<name>.1 (or .2, ...), told. Collective. */
PetscErrorCode RhxOutputKeepNumbered(MPI_Comm comm, const RhxNumberedFiles *files);
PetscErrorCode RhxOutputGetCheckpointFile(RhxOutput output, const char **file); /* <folder>/<name>_checkpoint.h5 */
/* A few numbers besides the fields, the same on every rank; borrowed. */
typedef struct {
  char name[256];
  PetscInt n;
  double *values;
  PetscBool found; /* by RhxCheckpointRead; else the values are as they were, */
  PetscBool tacit; /* nothing is said where a file has not got them: whoever gave them does */
} RhxNumbers;
/* More of them, in a dataset of rows. */
typedef struct {
  char name[256];         /* with '/' in it, of groups */
  PetscInt columns, rows; /* rows: of values */
  double *values;         /* [rows][columns] of rank 0, or */
  Vec nodes;              /* blocks of owned nodes */
} RhxKept;
/* What a checkpoint keeps besides the state; borrowed, the same on every rank but for values. */
typedef struct {
  PetscInt nnumbers;
  const RhxNumbers *numbers;
  PetscInt nkept;
  const RhxKept *kept;
  const double
      *given_t; /* time of the conditions of the state where t is none but a continuation's parameter, s; NULL: t */
} RhxBeside;
/* State for restart in HDF5, written beside, checked and renamed: x, rate, t, dt, step, what the form is, by natural node
 * number. The file that was there stays whole until then. */
PetscErrorCode RhxCheckpointWrite(RhxForm form, const char *file, PetscInt step, double t, double dt, Vec x, Vec rate,
                                  const RhxBeside *beside, char problem[RHX_MESSAGE]);
/* Rows of such a dataset, on every rank, to be freed; n -1: a checkpoint that could be read has none of so many columns, or a
 * damaged one. gaps: of a row the first value alone has to be finite. */
PetscErrorCode RhxCheckpointReadRows(MPI_Comm comm, const char *file, const char *name, PetscInt columns,
                                     PetscBool gaps, PetscInt *n, double **values);
/* x of block `columns`; not found: likewise. */
PetscErrorCode RhxCheckpointReadNodes(RhxForm form, const char *file, const char *name, PetscInt columns, Vec x,
                                      PetscBool *found);
/* Which fields a restart takes: those of the same laws; velocity, pressure and modes by their conformation, whatever the laws; velocity
 * and pressure alone. */
typedef enum { RHX_RESTART_SAME, RHX_RESTART_CONFORMATION, RHX_RESTART_FLOW } RhxRestartFields;
typedef struct {
  PetscBool may_lack; /* given: fields that the file has not keep what x has, with rate 0; else that is an error */
  RhxMesh mesh;       /* given: that of the file, NULL: the form's; borrowed */
  PetscInt step;      /* this and what follows: found */
  PetscInt nodes, noutside; /* of that mesh; of the form's nodes outside it */
  double rounded;           /* how far nodes of one mesh are elsewhere in the file, m, if it is told */
  double t, dt;
  double given_t;        /* time of the conditions of the state, s; t but of a continuation */
  PetscBool has_rate;    /* of velocity, pressure and, of the same laws, what is not lacking */
  PetscInt nconverted;   /* modes that were taken by their conformation */
  RhxRestartFields take; /* given */
  char lacking[4096];    /* names of those fields, comma-separated, "": none */
  char parameters[4096]; /* "option=value;..." of laws and the density that made the state; "": not known */
} RhxRestart;
/* Of its modes: stress, conformation or logconf; "": it has none, or cannot be read, which RhxCheckpointRead tells. Collective. */
PetscErrorCode RhxCheckpointGetVariable(MPI_Comm comm, const char *file, char variable[64]);
/* Fills x, rate and the numbers that are there; a truncated or foreign file is an error that says got and expected. */
PetscErrorCode RhxCheckpointRead(RhxForm form, const char *file, RhxRestart *at, Vec x, Vec rate, PetscInt nseries,
                                 RhxNumbers *series);
/* A text of rank 0 as a whole file <folder>/<case><suffix>; what: it is, for the problem. Collective. */
PetscErrorCode RhxOutputWriteText(RhxOutput output, const char *what, const char *suffix, const char *text, size_t n,
                                  char problem[RHX_MESSAGE]);
/* A text of rank 0 as a whole file; err: an errno, 0: all is well. */
PetscErrorCode RhxFileWriteText(MPI_Comm comm, const char *file, const char *text, size_t n, int *err);
/* A CSV that is written a line at a time by rank 0 (values of other ranks are not read): a line is whole or not there. All
 * calls are collective. With append an existing file must have the same columns; a line cut short by a crash is dropped. */
typedef struct _p_RhxTable *RhxTable;
PetscErrorCode RhxTableCreate(MPI_Comm comm, const char *file, PetscBool append, PetscInt ncolumns,
                              const char *const *columns, RhxTable *table); /* touches no file */
void RhxTableSetOption(RhxTable table, const char *option); /* static; named in messages, for -output_folder */
/* Start will drop the lines whose first column is greater than value (a restart from that step or time). */
PetscErrorCode RhxTableRewind(RhxTable table, double value);
PetscErrorCode RhxTableStart(RhxTable table, char problem[RHX_MESSAGE]); /* replaces the file, or goes on with it */
PetscErrorCode RhxTableWrite(RhxTable table, const double *values, char problem[RHX_MESSAGE]); /* starts if need be */
PetscErrorCode RhxTableClose(RhxTable *table);
#endif
