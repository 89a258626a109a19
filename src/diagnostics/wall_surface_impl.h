/* Files of walls in space. */
#ifndef RHX_WALL_SURFACE_IMPL_H
#define RHX_WALL_SURFACE_IMPL_H
#include "diagnostics/diagnostics.h"
#include "output/field_file.h"

/* values[n of the wall][stride], of which components from the one numbered first on are written; rank 0's are read. */
typedef struct {
  const char *name;
  PetscInt components, first, stride;
  const double *values;
} RhxWallField;

/* The surface with these fields in the files of a series, or as one <folder>/<case>_<name>.vtu or .hdf, as -output_formats asks.
 * Collective. */
PetscErrorCode RhxWallWriteSeries(const RhxWall *wall, RhxFieldSeries series, PetscInt step, double t, PetscInt nfields,
                                  const RhxWallField *field);
PetscErrorCode RhxWallWriteSurface(const RhxWall *wall, RhxOutput output, const char *name, double t, PetscInt nfields,
                                   const RhxWallField *field);
#endif
