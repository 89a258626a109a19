#include "output/field_file.h"
#include "output/field_files_impl.h"
#include "output/vtkhdf_impl.h"
#include "petsc_compat.h"

#define FORMAT(name) extern const RhxFieldFormat RhxFieldFormat_##name;
#include "output/types/list.h"
#undef FORMAT
#define FORMAT(name) &RhxFieldFormat_##name,
static const RhxFieldFormat *const formats[] = {
#include "output/types/list.h"
};
#undef FORMAT
#define NFORMATS ((int)PETSC_STATIC_ARRAY_LENGTH(formats))

static PetscBool is_asked(RhxOutput o, const RhxOutputType *type)
{
  for (PetscInt i = 0; i < o->nwriters; i++)
    if (o->writer[i].type == type) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscBool RhxFieldFormatAsked(RhxOutput o, int k, const RhxFieldFormat **format)
{
  if (k == NFORMATS) return PETSC_FALSE;
  *format = o->fields && is_asked(o, formats[k]->type) ? formats[k] : NULL;
  return PETSC_TRUE;
}

/* The k-th format and its file's ending behind the case, or NULL. */
static PetscErrorCode get_format(RhxOutput o, int k, const char *name, size_t size, char *suffix,
                                 const RhxFieldFormat **format)
{
  PetscBool wanted = is_asked(o, formats[k]->type);

  PetscFunctionBegin;
  if (k == 0 && !wanted) {
    wanted = PETSC_TRUE;
    for (int i = 1; i < NFORMATS; i++)
      if (is_asked(o, formats[i]->type)) wanted = PETSC_FALSE;
  }
  *format = wanted ? formats[k] : NULL;
  PetscCall(PetscSNPrintf(suffix, size, "_%s%s", name, formats[k]->names->file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFileAdd(RhxOutput o, const char *owner, const char *name)
{
  const RhxFieldFormat *format;
  char suffix[256];

  PetscFunctionBegin;
  for (int k = 0; k < NFORMATS; k++) {
    PetscCall(get_format(o, k, name, sizeof(suffix), suffix, &format));
    PetscCall(RhxOutputAddResult(o, owner, suffix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFileWrite(RhxOutput o, const char *name, RhxVtu *vtu, double t, PetscInt nfields,
                                 const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx)
{
  const RhxFieldFormat *format;
  char suffix[256], file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];
  int err;

  PetscFunctionBegin;
  for (int k = 0; k < NFORMATS; k++) {
    PetscCall(get_format(o, k, name, sizeof(suffix), suffix, &format));
    if (!format) continue;
    PetscCall(RhxOutputGetPath(o, suffix, sizeof(file), file));
    PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s.tmp", file));
    PetscCall(format->write(vtu, temporary, t, nfields, fields, fill, ctx, &err));
    RhxOutputDescribe("averages", file, err, problem);
    if (!err) PetscCall(RhxOutputPlace(o, temporary, file, problem));
    PetscCall(RhxOutputMind(o, problem));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFileSay(RhxOutput o, const char *name)
{
  const RhxFieldFormat *format;
  char suffix[256], file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (int k = 0; k < NFORMATS; k++) {
    PetscCall(get_format(o, k, name, sizeof(suffix), suffix, &format));
    PetscCall(RhxOutputGetPath(o, suffix, sizeof(file), file));
    if (format) PetscCall(PetscPrintf(o->comm, "  %s: %s\n", name, file));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct _p_RhxFieldSeries {
  RhxOutput output;
  RhxFileList list[PETSC_STATIC_ARRAY_LENGTH(formats)]; /* NULL: not asked for */
};

PetscErrorCode RhxFieldSeriesAdd(RhxOutput o, const char *owner, const char *name)
{
  char suffix[256];

  PetscFunctionBegin;
  for (int k = 0; k < 2 * NFORMATS; k++) {
    const RhxFieldFormat *format = formats[k / 2];
    if (k % 2)
      PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s_*%s", name, format->names->file));
    else
      PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s%s", name, format->type->list));
    PetscCall(RhxOutputAddResult(o, owner, suffix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSeriesCreate(RhxOutput o, const char *name, PetscBool goes_on, PetscInt step,
                                    RhxFieldSeries *series)
{
  const RhxFieldFormat *format;
  char suffix[256], stem[256];
  PetscInt last;

  PetscFunctionBegin;
  PetscCall(PetscNew(series));
  (*series)->output = o;
  PetscCall(PetscSNPrintf(stem, sizeof(stem), "_%s", name));
  for (int k = 0; k < NFORMATS; k++) {
    PetscCall(get_format(o, k, name, sizeof(suffix), suffix, &format));
    if (!format) continue;
    PetscCall(RhxFileListCreate(o, stem, format->type->list, format->names, &(*series)->list[k]));
    if (goes_on) PetscCall(RhxFileListRestart((*series)->list[k], step, &last));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSeriesDestroy(RhxFieldSeries *series)
{
  PetscFunctionBegin;
  if (!*series) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < NFORMATS; k++)
    if ((*series)->list[k]) PetscCall(RhxFileListDestroy(&(*series)->list[k]));
  PetscCall(PetscFree(*series));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSeriesWrite(RhxFieldSeries series, RhxVtu *vtu, PetscInt step, double t, PetscInt nfields,
                                   const RhxVtuField *fields, RhxVtuFillFn fill, void *ctx)
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];
  int err;

  PetscFunctionBegin;
  for (int k = 0; k < NFORMATS; k++) {
    if (!series->list[k]) continue;
    PetscCall(RhxFileListGetFile(series->list[k], step, sizeof(file), file));
    PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s.tmp", file));
    PetscCall(formats[k]->write(vtu, temporary, t, nfields, fields, fill, ctx, &err));
    RhxOutputDescribe("surface", file, err, problem);
    if (!err) PetscCall(RhxOutputPlace(series->output, temporary, file, problem));
    if (!problem[0]) PetscCall(RhxFileListAdd(series->list[k], step, t, problem));
    PetscCall(RhxOutputMind(series->output, problem));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
