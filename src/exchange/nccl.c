#include "device/library.h"
#include "exchange/nccl_impl.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define OLDEST 21100 /* sends and receives that can be recorded in a graph */

/* NULL, or the symbol that is missing. */
static const char *resolve(void *library, Nccl *nccl)
{
#define RHX_RESOLVE(member, symbol, parameters) \
  if (!(*(void **)&nccl->member = dlsym(library, symbol))) return symbol;
  RHX_NCCL_FUNCTIONS(RHX_RESOLVE)
#undef RHX_RESOLVE
  return (*(void **)&nccl->GetErrorString = dlsym(library, "ncclGetErrorString")) ? NULL : "ncclGetErrorString";
}

const Nccl *RhxNccl(const char *path, char *reason, size_t length)
{
  static Nccl nccl;
  static char why[1024];
  static int state; /* 0: not tried */
  const char *missing;

  if (!state) {
    void *library = RhxDeviceOpenLibrary(path, "libnccl.so.2", "nccl/lib");
    state = -1;
    if (!library && path[0])
      snprintf(why, sizeof(why), "%s (option -exchange_nccl)", dlerror());
    else if (!library)
      snprintf(
          why, sizeof(why),
          "no libnccl.so.2 in the loader's folders, CUDA_HOME or the packages of VIRTUAL_ENV (nvidia-nccl-cu13 of the "
          "Python package index has one; option -exchange_nccl names it)");
    else if ((missing = resolve(library, &nccl)))
      snprintf(why, sizeof(why), "libnccl is damaged or too old: it has no %s", missing);
    else if (nccl.GetVersion(&nccl.version) || nccl.version < OLDEST)
      snprintf(why, sizeof(why), "libnccl is too old: got version %d, expected %d or newer", nccl.version, OLDEST);
    else
      state = 1;
  }
  if (state < 0) snprintf(reason, length, "%s", why);
  return state > 0 ? &nccl : NULL;
}
