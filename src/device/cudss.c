#include "device/cudss.h"
#include "device/driver_impl.h"
#include "device/library.h"
#include "petsc_compat.h"
#include <dlfcn.h>
#include <stdio.h>

#define MAJOR 1 /* whose numbers and calls are those of cudss.h */
#define NAME "libcudss.so.1"

/* NULL, or the symbol that is missing. */
static const char *resolve(void *library, Cudss *cudss)
{
#define RHX_RESOLVE(member, symbol, parameters) \
  if (!(*(void **)&cudss->member = dlsym(library, symbol))) return symbol;
  RHX_CUDSS_FUNCTIONS(RHX_RESOLVE)
#undef RHX_RESOLVE
  return NULL;
}

static int has_version(const Cudss *cudss, int *major, int *minor)
{
  *major = *minor = 0;
  return !cudss->GetProperty(CUDSS_MAJOR, major) && !cudss->GetProperty(CUDSS_MINOR, minor) && *major == MAJOR;
}

static const Cudss *open_library(const char *path, char *reason, size_t length)
{
  static Cudss cudss;
  static char why[1024];
  static int state; /* 0: not tried */
  const char *missing;
  int major, minor;

  if (!state) {
    void *library = RhxDeviceOpenLibrary(path, NAME, "cu1[0-9]/lib");
    state = -1;
    if (!library && path[0])
      snprintf(why, sizeof(why), "%s (option -device_cudss)", dlerror());
    else if (!library)
      snprintf(why, sizeof(why),
               "no " NAME
               " in the loader's folders, CUDA_HOME or the packages of VIRTUAL_ENV (nvidia-cudss-cu13 of the "
               "Python package index has one; option -device_cudss names it)");
    else if ((missing = resolve(library, &cudss)))
      snprintf(why, sizeof(why), "libcudss is damaged or too old: it has no %s", missing);
    else if (!has_version(&cudss, &major, &minor))
      snprintf(why, sizeof(why), "libcudss does not fit: got version %d.%d, expected %d.0 to %d.x", major, minor, MAJOR,
               MAJOR);
    else
      state = 1;
  }
  if (state < 0) snprintf(reason, length, "%s", why);
  return state > 0 ? &cudss : NULL;
}

PetscErrorCode RhxCudssOpen(const Cudss **cudss, size_t size, char *why)
{
  RhxDeviceOptions options;
  PetscFunctionBegin;
  PetscCall(RhxDeviceReadOptions(PETSC_COMM_SELF, &options));
  *cudss = open_library(options.cudss, why, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}
