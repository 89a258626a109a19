/* Fields of -output_fields, a file a time and the list of them: what formats for ParaView share. */
#ifndef RHX_OUTPUT_FIELD_FILES_IMPL_H
#define RHX_OUTPUT_FIELD_FILES_IMPL_H
#include "output/fields_impl.h"
#include "output/file_list_impl.h"
#include "output/impl.h"
#include <stddef.h>

typedef PetscErrorCode (*RhxFieldWriteFn)(RhxVtu *vtu, const char *file, double t, PetscInt nfields,
                                          const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx, int *err);

/* A format of files of fields, beside its RhxOutputType: also of files that other parts of the program write. */
typedef struct {
  const RhxOutputType *type;
  const RhxFileListFormat *names; /* of files and their list */
  RhxFieldWriteFn write;
} RhxFieldFormat;

typedef struct {
  RhxOutput output;
  RhxVtu *vtu;
  RhxPointFields fields;
  RhxFileList list;
} RhxFieldFiles;

typedef struct {
  int precision; /* of the fields: 0 double, 1 single */
} RhxFieldFileOptions;
#define RHX_FIELD_FILE_OPTIONS .nrows = 1, .rows = &RhxFieldFileRow, .size = sizeof(RhxFieldFileOptions)
extern const RhxRow RhxFieldFileRow;

/* The k-th format, NULL: the run's fields are not written in it; FALSE: there is no k-th. */
PetscBool RhxFieldFormatAsked(RhxOutput o, int k, const RhxFieldFormat **format);
/* Of the writer, whose options are RhxFieldFileOptions; w->data: the RhxFieldFiles, owned. */
PetscErrorCode RhxFieldFilesCreate(RhxWriter *w, const RhxFieldFormat *format);
PetscErrorCode RhxFieldFilesRestart(RhxWriter *w, PetscInt step, PetscInt *last);
PetscErrorCode RhxFieldFilesDestroy(RhxWriter *w);
/* The state of a step. */
PetscErrorCode RhxFieldFilesWriteState(const RhxFieldFiles *files, RhxFieldWriteFn write, const char *file,
                                       const RhxOutputStep *now, int *err);
/* A file of this step, written as *temporary with err, takes its name and is listed. */
PetscErrorCode RhxFieldFilesName(const RhxFieldFiles *files, PetscInt step, size_t size, char *file, char *temporary);
PetscErrorCode RhxFieldFilesPlace(const RhxFieldFiles *files, const RhxOutputStep *now, const char *temporary,
                                  const char *file, int err, char problem[RHX_OUTPUT_MESSAGE]);
#endif
