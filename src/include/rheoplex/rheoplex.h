/* Rheoplex from a program of one's own: the verbs of the command line as calls. PETSc must not be started before. */
#ifndef RHEOPLEX_H
#define RHEOPLEX_H
#include <petscts.h>
#include <rheoplex/plugin.h>

typedef struct _p_RhxCase *RhxCase;

/* Starts MPI and PETSc, registers schemes and option tables. args as of main; the case is `yaml` or, if that is NULL, the
 * first word that is no option and no option's value. Its options are those that the command line does not set. */
PetscErrorCode RhxInitialize(int *argc, char ***args, const char *yaml);
PetscErrorCode RhxFinalize(void);

PetscErrorCode RhxCaseCreate(MPI_Comm comm, RhxCase *rc);
PetscErrorCode RhxCaseSetFromOptions(RhxCase rc);
PetscErrorCode RhxCaseSetUp(RhxCase rc);
PetscErrorCode RhxCaseCheck(RhxCase rc, PetscViewer viewer);
PetscErrorCode RhxCaseRun(RhxCase rc);
PetscErrorCode RhxCaseGetTS(RhxCase rc, TS *ts);
PetscErrorCode RhxCaseGetState(RhxCase rc, Vec *x); /* borrowed; node blocks: velocity, pressure, one tensor a mode */
/* 130 or 143 where SIGINT or SIGTERM ended the run (unless -stop_signal_ok), else 0. */
PetscErrorCode RhxCaseGetExitCode(RhxCase rc, int *code);
PetscErrorCode RhxCaseDestroy(RhxCase *rc);
#endif
