/* The formats of -output_formats: descriptors known by name, and those of a run. */
#include "output/impl.h"
#include "petsc_compat.h"
#include "plugin/catalogue.h"
#include "plugin/word.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FORMAT(name) extern const RhxOutputType RhxOutputType_##name;
#include "output/types/list.h"
#undef FORMAT
#define FORMAT(name) &RhxOutputType_##name,
static const RhxOutputType *const own_formats[] = {
#include "output/types/list.h"
};
#undef FORMAT

static RhxCatalogue formats = {.what = "format of output", .size = sizeof(RhxOutputType)};

PetscErrorCode RhxOutputRegister(const RhxOutputType *type)
{
  PetscFunctionBegin;
  PetscCall(RhxCatalogueAdd(&formats, type));
  PetscCheck(type->write, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Format of output '%s' has no function write",
             type->entry.name);
  PetscCall(
      RhxCatalogueAddRows(&formats, type->entry.name, "output", "output_*_", type->nrows, type->rows, type->size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputRegisterFormats(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own_formats); i++) PetscCall(RhxOutputRegister(own_formats[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxEntry *RhxOutputFormatEntry(PetscInt i) { return RhxCatalogueEntry(&formats, i); }

PetscBool RhxOutputHasFormat(const char *name) { return RhxCatalogueHas(&formats, name); }

PetscErrorCode RhxOutputFormatsView(const char *name, PetscViewer viewer)
{
  const void *one = NULL;
  char prefix[128];

  PetscFunctionBegin;
  if (name) PetscCall(RhxCatalogueFind(PetscObjectComm((PetscObject)viewer), &formats, "list output", name, "", &one));
  for (PetscInt i = 0; i < formats.n; i++) {
    const RhxOutputType *type = (const RhxOutputType *)formats.entry[i];
    if (one && one != type) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s\n", type->entry.name, type->entry.help));
    PetscCall(PetscSNPrintf(prefix, sizeof prefix, "output_%s_", type->entry.name));
    PetscCall(RhxRowsView(prefix, type->nrows, type->rows, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_writer(RhxOutput o, const char *name, RhxWriter *w)
{
  const void *type;
  char prefix[128];

  PetscFunctionBegin;
  PetscCall(RhxCatalogueFind(o->comm, &formats, "output_formats", name, "", &type));
  for (PetscInt i = 0; i < o->nwriters; i++)
    PetscCheck(o->writer[i].type != type, o->comm, PETSC_ERR_USER_INPUT,
               "-output_formats: got '%s' twice, expected each format once", name);
  w->output = o;
  w->type = type;
  PetscCall(PetscCalloc1(w->type->size, (char **)&w->own));
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "output_%s_", name));
  PetscCall(RhxRowsRead(o->comm, prefix, w->type->nrows, w->type->rows, 1, w->type->size, w->own));
  o->nwriters++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputCreateWriters(RhxOutput o)
{
  char **word;
  int n;

  PetscFunctionBegin;
  PetscCall(PetscStrToArray(o->set.formats, ',', &n, &word));
  PetscCall(PetscCalloc1(n, &o->writer));
  for (int i = 0; i < n; i++) PetscCall(create_writer(o, RhxWord(word[i]), &o->writer[o->nwriters]));
  PetscCall(PetscStrToArrayDestroy(n, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_writer(RhxWriter *w)
{
  PetscFunctionBegin;
  if (w->type->destroy) PetscCall(w->type->destroy(w));
  PetscCall(PetscFree(w->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputKeepDerivatives(RhxOutput o)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < o->nwriters; i++) {
    RhxWriter *w = &o->writer[i];

    if (w->type == &RhxOutputType_vtu) {
      o->writer[kept++] = *w;
      continue;
    }
    PetscCall(PetscPrintf(o->comm,
                          "%s: not written in the format '%s' of -output_formats: got derivatives of fields, which vtu "
                          "alone writes\n",
                          o->name, w->type->entry.name));
    PetscCall(destroy_writer(w));
  }
  o->nwriters = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputSay(RhxOutput o)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; o->fields && i < o->nwriters; i++)
    if (o->writer[i].type->list)
      PetscCall(
          PetscPrintf(o->comm, "  fields: %s/%s%s (opens in ParaView)\n", o->folder, o->name, o->writer[i].type->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDestroyWriters(RhxOutput o)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < o->nwriters; i++) PetscCall(destroy_writer(&o->writer[i]));
  PetscCall(PetscFree(o->writer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxOutputDescribe(const char *what, const char *file, int err, char problem[RHX_MESSAGE])
{
  problem[0] = '\0';
  if (err)
    snprintf(problem, RHX_MESSAGE,
             "%s %.400s cannot be written: got \"%s\", expected space and permission in the folder of option "
             "-output_folder",
             what, file, strerror(err));
}

/* ---- What a format may ask ---- */

MPI_Comm RhxWriterGetComm(const RhxWriter *w) { return w->output->comm; }
PetscInt RhxWriterGetDimension(const RhxWriter *w) { return w->output->form->space->dim; }
void *RhxWriterGetOptions(RhxWriter *w) { return w->own; }

PetscErrorCode RhxWriterGetPath(RhxWriter *w, const char *suffix, size_t size, char *path)
{
  PetscFunctionBegin;
  PetscCall(RhxOutputGetPath(w->output, suffix, size, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputWriteText(RhxOutput o, const char *what, const char *suffix, const char *text, size_t n,
                                  char problem[RHX_MESSAGE])
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  int err;

  PetscFunctionBegin;
  PetscCall(RhxOutputGetPath(o, suffix, sizeof file, file));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  PetscCall(RhxFileWriteText(o->comm, temporary, text, n, &err));
  RhxOutputDescribe(what, file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o, temporary, file, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWriterWriteText(RhxWriter *w, const char *suffix, const char *text, char problem[RHX_OUTPUT_MESSAGE])
{
  PetscFunctionBegin;
  PetscCall(RhxOutputWriteText(w->output, w->type->entry.name, suffix, text, text ? strlen(text) : 0, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}
