/* A file of fields of its own beside those of the steps, <folder>/<case>_<name>.vtu or .hdf, as -output_formats asks; .vtu where it
 * names neither. */
#ifndef RHX_OUTPUT_FIELD_FILE_H
#define RHX_OUTPUT_FIELD_FILE_H
#include "output/output.h"
#include "output/vtu.h"

PetscErrorCode RhxFieldFileAdd(RhxOutput output, const char *owner, const char *name); /* as RhxOutputAddResult */
/* As RhxVtuWrite; what cannot be written is minded. Collective. */
PetscErrorCode RhxFieldFileWrite(RhxOutput output, const char *name, RhxVtu *vtu, double t, PetscInt nfields,
                                 const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx);
PetscErrorCode RhxFieldFileSay(RhxOutput output, const char *name); /* a line each */

/* Likewise a file a time, <folder>/<case>_<name>_<step>.vtu or .hdf, and the lists of them. Collective. */
typedef struct _p_RhxFieldSeries *RhxFieldSeries;
PetscErrorCode RhxFieldSeriesAdd(RhxOutput output, const char *owner, const char *name); /* as RhxFieldFileAdd */
/* goes_on: of an earlier run up to this step. */
PetscErrorCode RhxFieldSeriesCreate(RhxOutput output, const char *name, PetscBool goes_on, PetscInt step,
                                    RhxFieldSeries *series);
PetscErrorCode RhxFieldSeriesDestroy(RhxFieldSeries *series);
PetscErrorCode RhxFieldSeriesWrite(RhxFieldSeries series, RhxVtu *vtu, PetscInt step, double t, PetscInt nfields,
                                   const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx);
#endif
