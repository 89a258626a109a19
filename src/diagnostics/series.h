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
/* Frequency of a column by its upward crossings of its mean over the last `most` whole periods, with that mean and half the
 * distance of the extremes there; returns the number of periods, 0: there is none. */
PetscInt RhxSeriesFrequency(const RhxSeries *series, PetscInt column, PetscInt most, double *frequency, double *mean,
                            double *amplitude);
#endif
