/* Where the files lie that come with the program: documents, scripts, cases, meshes. */
#define _GNU_SOURCE /* dladdr */
#include "plugin/data.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the library's folder: as installed or built, and in a bundle. */
static const char *const places[] = {RHX_DATA_PATH, "../share/rheoplex"};

PetscBool RhxDataFile(const char *name, size_t size, char *path)
{
  Dl_info info;
  const char *slash;

  if (!dladdr((void *)&places, &info) || !info.dli_fname) return PETSC_FALSE;
  slash = strrchr(info.dli_fname, '/');
  for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
    char whole[PATH_MAX], real[PATH_MAX];

    snprintf(whole, sizeof(whole), "%.*s/%s/%s", slash ? (int)(slash - info.dli_fname) : 1,
             slash ? info.dli_fname : ".", places[i], name);
    if (!realpath(whole, real) || strlen(real) >= size) continue;
    snprintf(path, size, "%s", real);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
