/* The text of a device program: source, headers by name, options of the compiler. */
#define _POSIX_C_SOURCE 200809L
#include "device/source_impl.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PetscErrorCode list_add(RhxTextList *list, const char *text)
{
  PetscFunctionBegin;
  if (list->n == list->size) {
    char **grown;
    list->size = 2 * list->size + 16;
    PetscCall(PetscMalloc1(list->size, &grown));
    PetscCall(PetscArraycpy(grown, list->text, list->n));
    PetscCall(PetscFree(list->text));
    list->text = grown;
  }
  PetscCall(PetscStrallocpy(text, &list->text[list->n]));
  list->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_free(RhxTextList *list)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < list->n; i++) PetscCall(PetscFree(list->text[i]));
  PetscCall(PetscFree(list->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceCreate(const char *name, const char *text, RhxDeviceSource *source)
{
  static const char *const always[] = {"--std=c++17", "-default-device",
                                       "--ptxas-options=-v"}; /* v: registers, spills */

  PetscFunctionBegin;
  PetscCall(PetscNew(source));
  (*source)->references = 1;
  PetscCall(PetscStrallocpy(name, &(*source)->name));
  PetscCall(PetscStrallocpy(text, &(*source)->text));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(always); i++) PetscCall(list_add(&(*source)->option, always[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceGetName(RhxDeviceSource source, const char **name)
{
  PetscFunctionBegin;
  *name = source->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceReference(RhxDeviceSource source)
{
  PetscFunctionBegin;
  source->references++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceDestroy(RhxDeviceSource *source)
{
  RhxDeviceSource s = *source;

  PetscFunctionBegin;
  *source = NULL;
  if (!s || --s->references) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(s->name));
  PetscCall(PetscFree(s->text));
  PetscCall(list_free(&s->header_name));
  PetscCall(list_free(&s->header));
  PetscCall(list_free(&s->option));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceAddHeader(RhxDeviceSource source, const char *include_name, const char *text)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < source->header_name.n; i++)
    PetscCheck(strcmp(source->header_name.text[i], include_name) != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The device program '%s' got two headers of the name '%s', expected one", source->name, include_name);
  PetscCall(list_add(&source->header_name, include_name));
  PetscCall(list_add(&source->header, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceAddFile(RhxDeviceSource source, const char *include_name, const char *path)
{
  FILE *file;
  PetscErrorCode code;
  long length = -1;
  size_t got = 0;
  char *text = NULL;

  PetscFunctionBegin;
  file = fopen(path, "rb");
  if (file && fseek(file, 0, SEEK_END) == 0) length = ftell(file);
  if (length >= 0) {
    rewind(file);
    PetscCall(PetscMalloc1(length + 1, &text));
    got = fread(text, 1, (size_t)length, file);
    text[got] = '\0';
  }
  if (file) fclose(file);
  PetscCheck(length >= 0 && got == (size_t)length, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "The device program '%s' needs the file '%s', which cannot be read", source->name, path);
  code = RhxDeviceSourceAddHeader(source, include_name, text);
  PetscCall(PetscFree(text));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int is_header(const struct dirent *entry)
{
  const char *dot = strrchr(entry->d_name, '.');
  return dot && (strcmp(dot, ".h") == 0 || strcmp(dot, ".cuh") == 0 || strcmp(dot, ".inc") == 0);
}

PetscErrorCode RhxDeviceSourceAddFolder(RhxDeviceSource source, const char *prefix, const char *path)
{
  struct dirent **entry = NULL;
  char name[PETSC_MAX_PATH_LEN], full[PETSC_MAX_PATH_LEN];
  int n = scandir(path, &entry, is_header, alphasort);

  PetscFunctionBegin;
  PetscCheck(n >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "The device program '%s' needs the folder '%s', which cannot be read", source->name, path);
  for (int i = 0; i < n; i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s", prefix, entry[i]->d_name));
    PetscCall(PetscSNPrintf(full, sizeof(full), "%s/%s", path, entry[i]->d_name));
    PetscCall(RhxDeviceSourceAddFile(source, name, full));
    free(entry[i]);
  }
  free(entry);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSourceAddOption(RhxDeviceSource source, const char *option)
{
  PetscFunctionBegin;
  PetscCall(list_add(&source->option, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}
