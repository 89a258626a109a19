/* Options of scalar fields: -bc_<label>_<name>, -initial_<name>, -form_source_<name>, -field_<name>_bounds and _scale. */
#ifndef RHX_SCALARS_H
#define RHX_SCALARS_H
#include "plugin/option.h"

typedef enum { RHX_BOUNDS_REPORT, RHX_BOUNDS_STOP } RhxBoundsAction;

typedef struct {
  int bounds;   /* RhxBoundsAction */
  double scale; /* a usual value, in norms and rates beside those of the flow */
} RhxScalarSettings;

typedef struct {
  PetscInt n;
  RhxOptionTable *table; /* owned, as their prefixes and rows */
} RhxScalarTables;

/* Makes the options of a plugin's fields known; those of a field that another plugin has too are known once. */
PetscErrorCode RhxScalarTablesRegister(const RhxPlugin *plugin, RhxScalarTables *tables);
PetscErrorCode RhxScalarTablesUnregister(RhxScalarTables *tables);
/* "": not given. prefix: "bc_<label>_", "initial_", "form_source_". Collective. */
PetscErrorCode RhxScalarTextRead(MPI_Comm comm, const char *prefix, const RhxScalarRow *row,
                                 char text[RHX_STRING_LENGTH]);
PetscErrorCode RhxScalarSettingsRead(MPI_Comm comm, const RhxScalarRow *row, RhxScalarSettings *settings);
/* "" or what is wrong with the plugin's rows of fields. */
void RhxScalarRowsCheck(const char *file, const RhxPlugin *plugin, size_t size, char *message);
#endif
