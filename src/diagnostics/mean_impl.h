/* Means of many values over time, by trapezia between samples. */
#ifndef RHX_MEAN_IMPL_H
#define RHX_MEAN_IMPL_H
#include <petscsys.h>
#include <rheoplex/diagnostic.h>

typedef struct {
  double start, period; /* s; period 0: one that does not end */
  PetscInt n;
  PetscBool begun;
  double from, last;            /* the period's first sample and the last one, s */
  double *before, *sum, *whole; /* [n] owned: values at `last`, their integral, means of the last whole period */
  double length;                /* of whole: 0: there is none yet */
} RhxTimeMean;

/* Error unless a period is a whole number of every_dt, where rows are by time alone; of the diagnostic, which keeps its period, or of what
 * the control file asks for. */
PetscErrorCode RhxTimeMeanCheck(RhxDiagnostic *d, double period);
PetscErrorCode RhxTimeMeanCheckEvery(const RhxDiagnostic *d, double every_dt, PetscBool by_steps);
PetscErrorCode RhxTimeMeanCreate(PetscInt n, double start, double period, RhxTimeMean *mean);
PetscErrorCode RhxTimeMeanDestroy(RhxTimeMean *mean);
/* values[n] at t; samples before start are left out, the first one after it begins the first period, which ends with the sample at
 * or after its end, where the next begins. */
PetscErrorCode RhxTimeMeanAdd(RhxTimeMean *mean, double t, const double *values);
PetscBool RhxTimeMeanIsBefore(double start, double t); /* samples of then are none of a mean's */
/* The same in parts. A sample at t: is it one of the mean's? weight: of the sum of the last values and these; length: of the period that
 * ends, 0: none does. */
PetscBool RhxTimeMeanStep(RhxTimeMean *mean, double t, double *weight, double *length);
void RhxTimeMeanSum(RhxTimeMean *mean, double weight, double length, PetscInt first, PetscInt n, const double *values);
/* Numbers besides the arrays, to or from a checkpoint; those of another start or period are lacking. Collective. */
PetscErrorCode RhxTimeMeanStore(RhxTimeMean *mean, RhxStore *store, const char *what);
PetscErrorCode RhxTimeMeanReset(RhxTimeMean *mean); /* as if no sample had come */
/* A copy of its own, and what it was copied from as it was then. */
PetscErrorCode RhxTimeMeanCopy(const RhxTimeMean *mean, RhxTimeMean *copy);
PetscErrorCode RhxTimeMeanReturn(RhxTimeMean *mean, RhxTimeMean *copy);
/* out[n]: of the last whole period, or of what there is where none has ended; length: its time, 0: nothing is known. */
void RhxTimeMeanGet(const RhxTimeMean *mean, double *length, double *out);

/* At the end of the run, at t: has anything been averaged (any)? Warns where not, and where no whole period has ended, for the
 * diagnostic of this name; the mean is read on rank 0 alone. */
PetscErrorCode RhxTimeMeanSay(MPI_Comm comm, const char *name, double start, const RhxTimeMean *mean, double t,
                              PetscBool *any);

#define RHX_MEAN_ROWS(options, start, period)                                                                         \
  {"start", RHX_REAL, 0, offsetof(options, start), "0", RHX_GE, 0, 0, NULL, "s", "time at which the averages begin"}, \
  {                                                                                                                   \
    "period", RHX_REAL, 0, offsetof(options, period), "0", RHX_GE, 0, 0, NULL, "s",                                   \
        "averages are of the last whole period of this length (0: of all since start), of which every_dt is a whole " \
        "part"                                                                                                        \
  }
#endif
