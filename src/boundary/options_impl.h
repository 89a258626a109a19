/* What a label is given: the values of -bc_<label>_... that several types share; initial values and sources. */
#ifndef RHX_BOUNDARY_OPTIONS_IMPL_H
#define RHX_BOUNDARY_OPTIONS_IMPL_H
#include "plugin/option.h"
#include <stddef.h>

enum { RHX_PROFILE_FORMULA, RHX_PROFILE_PARABOLIC, RHX_PROFILE_DEVELOPED, RHX_PROFILE_WOMERSLEY, RHX_PROFILE_FILE };
/* Of polymer, up to FREE of polymer_inflow too. */
enum {
  RHX_POLYMER_AUTO, /* until RhxConditionCheck */
  RHX_POLYMER_DEVELOPED,
  RHX_POLYMER_FORMULA,
  RHX_POLYMER_REST,
  RHX_POLYMER_FREE,
  RHX_POLYMER_ZERO,
  RHX_POLYMER_OPEN
};
enum { RHX_POLYMER_AT_AUTO, RHX_POLYMER_AT_NODES, RHX_POLYMER_AT_FLUX };
enum { RHX_MEMORY_AUTO, RHX_MEMORY_ON, RHX_MEMORY_OFF };
enum { RHX_PRESSURE_AUTO, RHX_PRESSURE_NODES, RHX_PRESSURE_TRACTION };
enum { RHX_MEANS_AUTO, RHX_MEANS_MEAN, RHX_MEANS_LOCAL };

/* What is said of the rows of a .csv file: what values and times are multiplied by, how they are joined (join_impl.h), and whether they are
 * repeated; and the rows of it for the option `name`. */
enum { RHX_ROWS_PERIODIC, RHX_ROWS_ONCE };
typedef struct {
  double value, time;
  int interpolation, rows;
} RhxWaveformRows;
#define RHX_WAVEFORM_ROWS(name, at, unit, example)                                                                    \
  {name "_scale",                                                                                                     \
   RHX_REAL,                                                                                                          \
   0,                                                                                                                 \
   (at) + offsetof(RhxWaveformRows, value),                                                                           \
   "1",                                                                                                               \
   RHX_ANY,                                                                                                           \
   0,                                                                                                                 \
   0,                                                                                                                 \
   NULL,                                                                                                              \
   unit,                                                                                                              \
   "per unit of the values of a waveform's .csv file, which are multiplied by it: " example},                         \
      {name "_time_scale",                                                                                            \
       RHX_REAL,                                                                                                      \
       0,                                                                                                             \
       (at) + offsetof(RhxWaveformRows, time),                                                                        \
       "1",                                                                                                           \
       RHX_GT,                                                                                                        \
       0,                                                                                                             \
       0,                                                                                                             \
       NULL,                                                                                                          \
       "s",                                                                                                           \
       "per unit of the times of a waveform's .csv file, which are multiplied by it: 0.001 for ms"},                  \
      {name "_interpolation",                                                                                         \
       RHX_CHOICE,                                                                                                    \
       0,                                                                                                             \
       (at) + offsetof(RhxWaveformRows, interpolation),                                                               \
       "cubic",                                                                                                       \
       RHX_ANY,                                                                                                       \
       0,                                                                                                             \
       0,                                                                                                             \
       "cubic|monotone|linear",                                                                                       \
       "1",                                                                                                           \
       "between rows of a waveform: a cubic spline; monotone, cubics that do not leave the range of their two rows, " \
       "as start-up and cessation want; or straight lines, at whose kinks steps end"},                                \
  {                                                                                                                   \
    name "_rows", RHX_CHOICE, 0, (at) + offsetof(RhxWaveformRows, rows), "periodic", RHX_ANY, 0, 0, "periodic|once",  \
        "1",                                                                                                          \
        "rows of a waveform are one period, or taken once: before them the first one's value, behind them the last "  \
        "one's"                                                                                                       \
  }

typedef struct {
  char type[RHX_STRING_LENGTH], velocity[RHX_STRING_LENGTH], stress[RHX_STRING_LENGTH], pressure[RHX_STRING_LENGTH],
      traction[RHX_STRING_LENGTH], flow_rate[RHX_STRING_LENGTH], profile_file[RHX_STRING_LENGTH];
  int profile, polymer, polymer_at, polymer_memory, polymer_inflow, pressure_at, pressure_means, form, tangential;
  double mean_velocity, maximum_velocity; /* -1: not given */
  double ramp, backflow, period, polymer_memory_before;
  RhxWaveformRows velocity_rows, flow_rate_rows, pressure_rows;
} RhxConditionOptions;

typedef struct {
  char velocity[RHX_STRING_LENGTH], pressure[RHX_STRING_LENGTH], stress[RHX_STRING_LENGTH],
      conformation[RHX_STRING_LENGTH];
  double perturbation;
} RhxInitialOptions;

#define RHX_MEAN_DIRECTION "1" /* the default of -form_mean_direction, which a written case repeats */

typedef struct {
  char body_force[RHX_STRING_LENGTH], mean_velocity[RHX_STRING_LENGTH], mean_direction[RHX_STRING_LENGTH],
      velocity[RHX_STRING_LENGTH], pressure[RHX_STRING_LENGTH], stress[RHX_STRING_LENGTH];
  RhxWaveformRows mean_velocity_rows;
} RhxSourceOptions;

/* Up to max numbers "a,b,..." of an option into values; the rest stay. */
PetscErrorCode RhxBoundaryNumbers(MPI_Comm comm, const char *option, const char *text, int max, double *values);

#endif
