/* A file of fields of its own beside those of the steps, <folder>/<case>_<name>.vtu or .hdf, as -output_formats asks; .vtu where it
 * names neither. */
#ifndef RHX_OUTPUT_FIELD_FILE_H
#define RHX_OUTPUT_FIELD_FILE_H
#include "output/output.h"
#include "output/vtu.h"

PetscErrorCode RhxFieldFileAdd(RhxOutput output, const char *name); /* it is a result of this run; before HasResults */
/* As RhxVtuWrite; what cannot be written is minded. Collective. */
PetscErrorCode RhxFieldFileWrite(RhxOutput output, const char *name, RhxVtu *vtu, double t, PetscInt nfields,
                                 const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx);
PetscErrorCode RhxFieldFileSay(RhxOutput output, const char *name); /* a line each */
#endif
