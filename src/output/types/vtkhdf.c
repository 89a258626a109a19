/* Fields for ParaView in HDF5: a file a time in the static format VTKHDF 1.0, which ParaView 5.11 reads, and the list of them. */
#include "output/field_files_impl.h"
#include "output/vtkhdf_impl.h"
#include "petsc_compat.h"

static PetscErrorCode write_fields(RhxWriter *w, const RhxOutputStep *now, char problem[RHX_OUTPUT_MESSAGE])
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  int err;

  PetscFunctionBegin;
  PetscCall(RhxFieldFilesName(w->data, now->step, sizeof file, file, temporary));
  PetscCall(RhxFieldFilesWriteState(w->data, RhxVtkhdfWrite, temporary, now, &err));
  PetscCall(RhxFieldFilesPlace(w->data, now, temporary, file, err, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

extern const RhxFieldFormat RhxFieldFormat_vtkhdf;
static PetscErrorCode setup(RhxWriter *w)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldFilesCreate(w, &RhxFieldFormat_vtkhdf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode entry(RhxText *text, const char *name, int step, double t)
{
  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, "    {\"name\": \"%s_%06d.hdf\", \"time\": %.17g}", name, step, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *escape_json(const char *text, size_t size, char *escaped)
{
  size_t n = 0;

  for (; *text && n + 2 < size; text++) {
    if (*text == '"' || *text == '\\') escaped[n++] = '\\';
    escaped[n++] = *text;
  }
  escaped[n] = '\0';
  return escaped;
}

static const RhxFileListFormat names = {.file = ".hdf",
                                        .head = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n",
                                        .between = ",\n",
                                        .tail = "\n  ]\n}\n",
                                        .time = "\"time\": ",
                                        .escape = escape_json,
                                        .entry = entry};

const RhxOutputType RhxOutputType_vtkhdf = {
    .entry = {sizeof(RhxOutputType), "vtkhdf",
              "<case>_<step>.hdf (VTKHDF 1.0) and the .hdf.series that lists them, for ParaView and readers of HDF5"},
    RHX_FIELD_FILE_OPTIONS,
    .setup = setup,
    .restart = RhxFieldFilesRestart,
    .write = write_fields,
    .destroy = RhxFieldFilesDestroy,
    .list = ".hdf.series"};
const RhxFieldFormat RhxFieldFormat_vtkhdf = {&RhxOutputType_vtkhdf, &names, RhxVtkhdfWrite};
