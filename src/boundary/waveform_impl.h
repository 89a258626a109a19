/* A flow rate, a pressure, a velocity or its components in time: a formula in t, or the rows of a CSV file, repeated with their period or taken once. */
#ifndef RHX_WAVEFORM_IMPL_H
#define RHX_WAVEFORM_IMPL_H
#include "boundary/boundary.h"
#include "boundary/options_impl.h"

typedef struct _p_RhxWaveform *RhxWaveform;
/* text: a formula in t, or the path of a file whose name ends in .csv: rows "time,value" (s; a header and lines that begin with #
 * are left out), times ascending, the last row one period after the first and of the same value; between them a periodic cubic
 * spline, or what -<option>_interpolation and _rows say (join_impl.h). given: of rows alone, by the options of RHX_WAVEFORM_ROWS. No text: NULL. Errors name the option and the line. Collective. */
PetscErrorCode RhxWaveformCreate(MPI_Comm comm, const char *option, const char *text, const RhxWaveformRows *given,
                                 RhxWaveform *waveform);
/* The same of rows alone, names: "time,u,v", "time,u,v,w" or "time,u,v[,w]", the values of a time. */
PetscErrorCode RhxWaveformCreateRows(MPI_Comm comm, const char *option, const char *path, const char *names,
                                     const RhxWaveformRows *given, RhxWaveform *waveform);
PetscInt RhxWaveformWidth(RhxWaveform waveform); /* values of a time */
PetscBool RhxWaveformIsFile(const char *text);
/* Error of their options without rows, or of a scale of 0. Collective. */
PetscErrorCode RhxWaveformCheckRows(MPI_Comm comm, const char *option, const char *text, const RhxWaveformRows *given);
PetscErrorCode RhxWaveformEvaluate(RhxWaveform waveform, double t, PetscReal *value); /* [width] */
/* What is wrong with a value at t that is not finite, in one sentence. */
PetscErrorCode RhxWaveformExplain(RhxWaveform waveform, double t, PetscReal value, char *text, size_t size);
/* Values that are not finite are noted as this rank's failure. */
PetscErrorCode RhxBoundaryEvaluateWaveform(RhxBoundary bc, RhxWaveform waveform, double t, PetscReal *value);
/* On the screen where few rows beside a fast change swing the spline, and the mean, to what nobody measured. Collective. */
PetscErrorCode RhxWaveformWarn(MPI_Comm comm, RhxWaveform waveform);
PetscErrorCode RhxWaveformDependsOnTime(RhxWaveform waveform, PetscBool *depends);
/* Of rows: " (period ..., mean ..., from ... to ... m^3/s)", or " (once from ... to ... s, then ..., ...)"; of a formula, or none, "". */
PetscErrorCode RhxWaveformDescribe(RhxWaveform w, const char *unit, size_t size, char *text);
PetscErrorCode RhxWaveformGetPeriod(RhxWaveform w,
                                    double *period); /* s; 0: of a formula, not known; of rows once, none */
PetscInt RhxWaveformGetTimes(RhxWaveform w, const double **time);        /* of rows, s, borrowed; 0: there are none */
PetscBool RhxWaveformIsOnce(RhxWaveform w);                              /* its rows are not repeated */
PetscBool RhxWaveformIsLinear(RhxWaveform w);                            /* between rows, where it has kinks */
PetscErrorCode RhxWaveformGetOption(RhxWaveform w, const char **option); /* without '-'; borrowed */
const char *RhxWaveformText(RhxWaveform w);                              /* as it was given; borrowed */
PetscErrorCode RhxWaveformDestroy(RhxWaveform *waveform);
#endif
