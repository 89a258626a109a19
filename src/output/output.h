/* Fields for ParaView, state for restart, tables. */
#ifndef RHX_OUTPUT_H
#define RHX_OUTPUT_H
#include "boundary/boundary.h"

typedef struct _p_RhxOutput *RhxOutput;

PetscErrorCode RhxOutputRegisterOptions(void); /* -output_... */
PetscErrorCode RhxOutputCreate(RhxForm form, const char *name,
                               RhxOutput *output); /* name: of the case, for file names */
PetscErrorCode RhxOutputSetFromOptions(RhxOutput output);
PetscErrorCode RhxOutputSetUp(RhxOutput output); /* makes the folder; an unwritable one is an error before the run */
PetscErrorCode RhxOutputDestroy(RhxOutput *output);
PetscErrorCode RhxOutputGetFolder(RhxOutput output, const char **folder);
/* The run continues from this step and time: later entries of an existing .pvd are dropped, earlier ones are kept.
 * Call after SetUp. */
PetscErrorCode RhxOutputSetRestart(RhxOutput output, PetscInt step, double t);
/* Is a field output due at this step and time (-output_every, -output_dt)? False once the step is written. */
PetscErrorCode RhxOutputDue(RhxOutput output, PetscInt step, double t, PetscBool *due);
/* The next time after t of -output_dt, at which a step has to end; PETSC_MAX_REAL: none. */
PetscErrorCode RhxOutputNextTime(RhxOutput output, double t, double *next);
/* Is a checkpoint due at this step (-output_checkpoint_every)? */
PetscErrorCode RhxOutputCheckpointDue(RhxOutput output, PetscInt step, PetscBool *due);
/* <folder>/<name>_<step>.vtu by MPI-IO and the .pvd rewritten atomically: velocity (3 components), pressure, total polymer
 * stress (XX YY ZZ XY YZ XZ) and its trace, per mode stress, conformation, its trace and least eigenvalue; cell data rank.
 * A step is written once; nothing is written with -output_fields off. Collective. */
PetscErrorCode RhxOutputFields(RhxOutput output, PetscInt step, double t, Vec x);
/* -output_checkpoint_every; and <folder>/<name>_checkpoint.h5. */
PetscErrorCode RhxOutputCheckpointDue(RhxOutput output, PetscInt step, PetscBool *due);
PetscErrorCode RhxOutputGetCheckpointFile(RhxOutput output, const char **file);
/* State for restart in HDF5, written beside and renamed: x, rate, t, dt, step, what the form is, by natural node number. */
PetscErrorCode RhxCheckpointWrite(RhxForm form, const char *file, PetscInt step, double t, double dt, Vec x, Vec rate);
/* Fills x and rate; a truncated or foreign file is an error that says got and expected. */
PetscErrorCode RhxCheckpointRead(RhxForm form, const char *file, PetscInt *step, double *t, double *dt, Vec x,
                                 Vec rate);
/* A CSV that is flushed a line at a time by rank 0 (values of other ranks are not read). All calls are collective. With
 * append an existing file must have the same columns; a line cut short by a crash is dropped. */
typedef struct _p_RhxTable *RhxTable;
PetscErrorCode RhxTableOpen(MPI_Comm comm, const char *file, PetscBool append, PetscInt ncolumns,
                            const char *const *columns, RhxTable *table);
/* Drops the lines whose first column is greater than value (a restart from that step or time). */
PetscErrorCode RhxTableRewind(RhxTable table, double value);
PetscErrorCode RhxTableWrite(RhxTable table, const double *values);
PetscErrorCode RhxTableClose(RhxTable *table);
#endif
