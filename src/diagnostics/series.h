/* Rows of a table over time, for what is said of them: a frequency, whether they have settled. */
#ifndef RHX_SERIES_H
#define RHX_SERIES_H
#include <petscsys.h>
#include <rheoplex/diagnostic.h>

typedef struct {
  PetscInt n, size, width;
  double *row; /* [n][1 + width] time, values; owned */
} RhxSeries;

PetscErrorCode RhxSeriesAdd(RhxSeries *series, PetscInt width, double t, const double *values);
PetscErrorCode RhxSeriesDestroy(RhxSeries *series);
/* Of `width` values a row, to or from a checkpoint. Collective. */
PetscErrorCode RhxSeriesStore(RhxSeries *series, PetscInt width, RhxStore *store, const char *what);
/* Forgets what is older than the last row before t. */
void RhxSeriesDrop(RhxSeries *series, double t);
/* Over the last `window` of time no column changed by more than tol times the largest value of the columns of its unit.
 * False before the series is that long. */
PetscBool RhxSeriesSettled(const RhxSeries *series, const char *const *unit, double tol, double window);
/* By the upward crossings of the mean over the last whole periods. */
typedef struct {
  PetscInt n;                        /* periods, 0: there is none */
  double frequency, mean, amplitude; /* half the distance of the extremes */
  double change;                     /* of the amplitude in the last two periods, of the larger one; 0: of one alone */
  PetscBool left;                    /* earlier ones are a transient's, with another amplitude */
} RhxOscillation;
/* Of the last `most` periods those whose amplitude is like that of the ones behind them. */
void RhxSeriesFrequency(const RhxSeries *series, PetscInt column, PetscInt most, RhxOscillation *o);
void RhxOscillationDescribe(const RhxOscillation *o, size_t size, char *text); /* what is to be known of it, or "" */
#endif
