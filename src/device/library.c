#define _GNU_SOURCE
#include "device/library.h"
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

static void *open_file(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

static void *open_pattern(const char *folder, const char *below, const char *name)
{
  char text[4096];
  void *library = NULL;
  glob_t found;

  if (!folder || !folder[0]) return NULL;
  snprintf(text, sizeof(text), "%s/%s/%s", folder, below, name);
  if (glob(text, 0, NULL, &found) == 0)
    for (size_t i = found.gl_pathc; i > 0 && !library; i--) library = open_file(found.gl_pathv[i - 1]);
  globfree(&found);
  return library;
}

void *RhxDeviceOpenLibrary(const char *path, const char *name, const char *folder)
{
  char packages[256];
  void *library;

  if (path[0]) return open_file(path);
  snprintf(packages, sizeof(packages), "lib/python3*/site-packages/nvidia/%s", folder);
  if (!(library = open_file(name)) && !(library = open_pattern(getenv("CUDA_HOME"), "lib64", name)))
    library = open_pattern(getenv("VIRTUAL_ENV"), packages, name);
  return library;
}
