/* Means of many values over time, exact of what is linear between samples. */
#ifndef RHX_MEAN_IMPL_H
#define RHX_MEAN_IMPL_H
#include "kernels/nodal.h"
#include <petscsys.h>
#include <rheoplex/diagnostic.h>

typedef struct {
  double start, period; /* s; period 0: one that does not end */
  PetscInt n;
  PetscBool seen, begun;        /* from is known; a sample has come, */
  PetscBool guessed;            /* that of a run's start, which does not know the pressure */
  double from, last;            /* begin of the period and the last sample, s */
  double *before, *sum, *whole; /* [n] owned: values at `last`, their integral, means of the last whole period */
  double length;                /* of whole: 0: there is none yet */
} RhxTimeMean;

/* Error unless a period is a whole number of every_dt, where rows are by time alone; of the diagnostic, which keeps its period, or of what
 * the control file asks for. */
PetscErrorCode RhxTimeMeanCheck(RhxDiagnostic *d, double period);
PetscErrorCode RhxTimeMeanCheckEvery(const RhxDiagnostic *d, double every_dt, PetscBool by_steps);
PetscErrorCode RhxTimeMeanCreate(PetscInt n, double start, double period, RhxTimeMean *mean);
PetscErrorCode RhxTimeMeanDestroy(RhxTimeMean *mean);
/* The run begins at t: the first period there or at start. */
void RhxTimeMeanBegin(RhxTimeMean *mean, double t);
/* Is a row at t too early for a mean? Of those before start the last is needed. offered: the row before and then this one, s;
 * RHX_NO_ROW: there is none. */
#define RHX_NO_ROW PETSC_MIN_REAL
PetscBool RhxTimeMeanIsEarly(double start, double t, double *offered);
/* A sample at t: what is to be done with its values, which Sum does for n of them from `first` on. Before the first sample values are
 * as there. */
void RhxTimeMeanStep(RhxTimeMean *mean, double t, RhxNodalSample *w);
void RhxTimeMeanSum(RhxTimeMean *mean, const RhxNodalSample *w, PetscInt first, PetscInt n, const double *values);
/* The same for means whose second half is of variances, as RhxSchemeAccumulate has them: of the values, n of the first half. */
void RhxTimeMeanMoments(RhxTimeMean *mean, const RhxNodalSample *w, PetscInt first, PetscInt n, const double *values);
/* Numbers besides the arrays, to or from a checkpoint; those of another start or period are lacking. Collective. */
PetscErrorCode RhxTimeMeanStore(RhxTimeMean *mean, RhxStore *store, const char *what);
PetscErrorCode RhxTimeMeanReset(RhxTimeMean *mean); /* as if no sample had come */
/* A copy of its own, and what it was copied from as it was then. */
PetscErrorCode RhxTimeMeanCopy(const RhxTimeMean *mean, RhxTimeMean *copy);
PetscErrorCode RhxTimeMeanReturn(RhxTimeMean *mean, RhxTimeMean *copy);
/* out[n]: of the last whole period, or of what there is where none has ended; length: its time, 0: nothing is known. */
void RhxTimeMeanGet(const RhxTimeMean *mean, double *length, double *out);
void RhxTimeMeanGetMoments(const RhxTimeMean *mean, double *out); /* the same of means and variances */

/* At the end of the run, at t: has anything been averaged (any)? Warns where not, and where no whole period has ended, for the
 * diagnostic of this name; the mean is read on rank 0 alone. */
PetscErrorCode RhxTimeMeanSay(MPI_Comm comm, const char *name, double start, const RhxTimeMean *mean, double t,
                              PetscBool *any);

#define RHX_MEAN_ROWS(options, start, period)                                                                         \
  {"start", RHX_REAL, 0, offsetof(options, start), "0", RHX_GE, 0, 0, NULL, "s", "time at which the averages begin"}, \
  {                                                                                                                   \
    "period", RHX_REAL, 0, offsetof(options, period), "0", RHX_GE, 0, 0, NULL, "s",                                   \
        "averages are of the last whole period of this length from start on (0: of all since start), of which "       \
        "every_dt is a whole "                                                                                        \
        "part"                                                                                                        \
  }
#endif
