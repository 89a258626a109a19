/* One run: reads options and YAML, checks them, builds everything below, owns it. */
#ifndef RHX_CASE_H
#define RHX_CASE_H
#include "diagnostics/diagnostics.h"
#include "output/output.h"
#include "scheme/parameter.h"
#include "scheme/scheme.h"

typedef struct _p_RhxCase *RhxCase;

PetscErrorCode RhxCaseRegisterOptions(void); /* -case_..., -stop_..., -diagnostic_... */
PetscErrorCode RhxCaseCreate(MPI_Comm comm, RhxCase *rc);
/* Loads plugins, reads every option, refuses unknown ones before the mesh is read. */
PetscErrorCode RhxCaseSetFromOptions(RhxCase rc);
PetscErrorCode RhxCaseSetUp(RhxCase rc);
PetscErrorCode RhxCaseCheck(RhxCase rc, PetscViewer viewer); /* report of rheoplex check */
PetscErrorCode RhxCaseRun(RhxCase rc);
/* After each step, for who calls TSSolve without RhxCaseRun: conditions with a state go on to its end. Collective. */
PetscErrorCode RhxCaseAccept(RhxCase rc, const RhxStepInfo *info);
/* Instead of a run: the checkpoint of -case_restart and, for steps, what conditions begin with, or the folder. */
PetscErrorCode RhxCaseBegin(RhxCase rc);
PetscErrorCode RhxCaseLoad(RhxCase rc);
PetscErrorCode RhxCaseDestroy(RhxCase *rc);
/* Borrowed parts, for tests and embedding programs. */
PetscErrorCode RhxCaseGetForm(RhxCase rc, RhxForm *form);
PetscErrorCode RhxCaseGetBoundary(RhxCase rc, RhxBoundary *bc);
PetscErrorCode RhxCaseGetTS(RhxCase rc, TS *ts);
PetscErrorCode RhxCaseGetState(RhxCase rc, Vec *x);
PetscErrorCode RhxCaseGetDevice(RhxCase rc, RhxDevice *device); /* NULL: on the host */
/* A checkpoint <folder>/<name><suffix> with x in place of the state, from which runs begin; an error where it cannot be written. */
PetscErrorCode RhxCaseWriteStart(RhxCase rc, const char *suffix, Vec x);
/* What a program that ran the case ends with: 128 + signal where SIGINT or SIGTERM ended the run, unless
 * -stop_signal_ok; else 0. */
PetscErrorCode RhxCaseGetExitCode(RhxCase rc, int *code);
PetscErrorCode RhxCaseGetFolder(RhxCase rc, const char **folder);
PetscErrorCode RhxCaseGetPath(RhxCase rc, const char *suffix, size_t size, char *path); /* <folder>/<name><suffix> */
/* A number that a law or a stabiliser of the case has, the density, or the time of a continuation in t; else an error of the option `asking`, which names it (option:
 * without '-'). mode: where the case gives several values, of this one; RHX_LARGEST_MODE: of the largest, to which the others keep their ratios.
 * After SetUp. */
typedef struct {
  const RhxRow *row; /* borrowed */
  double value;
  char name[256 + 8]; /* the option, with _<mode> where modes have values of their own */
  RhxParameter how;
} RhxCaseParameter;
PetscErrorCode RhxCaseGetParameter(RhxCase rc, const char *asking, const char *option, PetscInt mode,
                                   RhxCaseParameter *parameter);
PetscErrorCode RhxCaseGetName(RhxCase rc, const char **name); /* of the case, as files are named */
#endif
