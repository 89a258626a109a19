/* Files of walls in space. */
#ifndef RHX_WALL_SURFACE_H
#define RHX_WALL_SURFACE_H
#include "diagnostics/diagnostics.h"
#include "output/output.h"

/* values[n of the wall][stride], of which components from the one numbered first on are written; rank 0's are read. */
typedef struct {
  const char *name;
  PetscInt components, first, stride;
  const double *values;
} RhxWallField;

/* The surface with these fields as one .vtu, by RhxOutputPlace. Collective. */
PetscErrorCode RhxWallWriteSurface(const RhxWall *wall, RhxOutput output, const char *file, double t, PetscInt nfields,
                                   const RhxWallField *field, char problem[RHX_MESSAGE]);
#endif
