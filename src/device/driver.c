/* The driver and NVRTC: where they are looked for, and how they are opened. */
#define _GNU_SOURCE /* dladdr */
#include "device/driver_impl.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *symbol;
  size_t offset; /* of the function pointer */
} Symbol;

/* 0, or -1 with the symbol that is missing. */
static int resolve(void *library, size_t n, const Symbol *symbol, void *table, const char **missing)
{
  for (size_t i = 0; i < n; i++) {
    void *function = dlsym(library, symbol[i].symbol);
    if (!function) {
      *missing = symbol[i].symbol;
      return -1;
    }
    memcpy((char *)table + symbol[i].offset, &function, sizeof(function));
  }
  return 0;
}

#define RHX_SYMBOL(name, symbol, arguments) {symbol, offsetof(CudaDriver, name)},
static const Symbol driver_symbols[] = {RHX_DRIVER_FUNCTIONS(RHX_SYMBOL)};
static const Symbol loop_symbols[] = {RHX_DRIVER_LOOP_FUNCTIONS(RHX_SYMBOL)};
#undef RHX_SYMBOL
#define RHX_SYMBOL(name, symbol, arguments) {symbol, offsetof(CudaCompiler, name)},
static const Symbol nvrtc_symbols[] = {
    RHX_NVRTC_FUNCTIONS(RHX_SYMBOL){"nvrtcGetErrorString", offsetof(CudaCompiler, GetErrorString)}};
#undef RHX_SYMBOL

const CudaDriver *RhxCudaDriver(char *reason, size_t length)
{
  static CudaDriver driver;
  static int state; /* 0: not tried, 1: open, -1: not there */
  static char why[512];
  const char *missing = NULL;

  if (state == 0) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      snprintf(why, sizeof(why), "%s", dlerror());
    else if (resolve(library, PETSC_STATIC_ARRAY_LENGTH(driver_symbols), driver_symbols, &driver, &missing))
      snprintf(why, sizeof(why), "libcuda.so.1 is too old: it has no %s", missing);
    else
      state = 1;
    if (!state) state = -1;
    if (state > 0 && resolve(library, PETSC_STATIC_ARRAY_LENGTH(loop_symbols), loop_symbols, &driver, &missing))
      driver.GraphConditionalHandleCreate = NULL, driver.LaunchKernelEx = NULL; /* says that they are missing */
  }
  if (state < 0 && reason) snprintf(reason, length, "%s", why);
  return state > 0 ? &driver : NULL;
}

/* ---- NVRTC ---- */

static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

static void *open_in_folder(const char *folder)
{
  char path[4096];
  void *library = NULL;
  for (size_t i = 0; !library && i < PETSC_STATIC_ARRAY_LENGTH(nvrtc_names); i++) {
    snprintf(path, sizeof(path), "%s%s%s", folder, folder[0] ? "/" : "", nvrtc_names[i]);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

/* A toolkit the user names goes first, then the loader's own folders, then the usual place. */
static void *search_nvrtc(void)
{
  static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
  static const char *const subfolders[] = {"lib64", "lib"};
  char folder[4000];
  void *library = NULL;

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(variables); i++) {
    const char *home = getenv(variables[i]);
    for (size_t k = 0; !library && home && home[0] && k < PETSC_STATIC_ARRAY_LENGTH(subfolders); k++) {
      snprintf(folder, sizeof(folder), "%s/%s", home, subfolders[k]);
      library = open_in_folder(folder);
    }
  }
  if (!library) library = open_in_folder("");
  if (!library) library = open_in_folder("/usr/local/cuda/lib64");
  return library;
}

/* NVRTC asks the loader for its builtins by name, which finds them beside it only if they are loaded already. */
static void load_builtins(const CudaCompiler *nvrtc)
{
  char path[4096];
  const char *slash;
  Dl_info info;

  if (!dladdr(*(void *const *)&nvrtc->Version, &info) || !info.dli_fname) return;
  slash = strrchr(info.dli_fname, '/');
  if (!slash) return;
  snprintf(path, sizeof(path), "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - info.dli_fname), info.dli_fname,
           nvrtc->version / 1000, nvrtc->version % 1000 / 10);
  (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* NULL, or why this NVRTC cannot be taken. */
static const char *check_version(CudaCompiler *nvrtc)
{
  int major = 0, minor = 0;
  if (nvrtc->Version(&major, &minor)) return "libnvrtc does not say its version";
  nvrtc->version = 1000 * major + 10 * minor;
  load_builtins(nvrtc);
  return major < 12 ? "libnvrtc is too old: got a version before 12, expected 12.2 to 13" : NULL;
}

const CudaCompiler *RhxCudaCompiler(const char *path, char *reason, size_t length)
{
  static CudaCompiler nvrtc;
  static char opened[RHX_STRING_LENGTH]; /* the path that `state` is about */
  static int state;
  static char why[1024];
  const char *missing = NULL, *bad;

  if (state && strcmp(opened, path) != 0) state = 0;
  if (state == 0) {
    void *library = path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : search_nvrtc();
    state = -1;
    snprintf(opened, sizeof(opened), "%s", path);
    if (!library && path[0])
      snprintf(why, sizeof(why), "%s (option -device_nvrtc)", dlerror());
    else if (!library)
      snprintf(why, sizeof(why),
               "no libnvrtc.so.13, .12 or libnvrtc.so in CUDA_HOME, CUDA_PATH, the loader's folders or "
               "/usr/local/cuda/lib64 (option -device_nvrtc names it)");
    else if (resolve(library, PETSC_STATIC_ARRAY_LENGTH(nvrtc_symbols), nvrtc_symbols, &nvrtc, &missing))
      snprintf(why, sizeof(why), "libnvrtc is damaged or too old: it has no %s", missing);
    else if ((bad = check_version(&nvrtc)))
      snprintf(why, sizeof(why), "%s", bad);
    else
      state = 1;
  }
  if (state < 0 && reason) snprintf(reason, length, "%s", why);
  return state > 0 ? &nvrtc : NULL;
}

/* ---- Errors ---- */

void RhxCudaDescribe(const CudaDriver *cu, int code, const char *doing, const char *object, char *message)
{
  const char *name = NULL, *text = NULL;

  (void)cu->GetErrorName(code, &name);
  (void)cu->GetErrorString(code, &text);
  snprintf(message, RHX_DEVICE_MESSAGE, "The device failed at %s%s%s: %s (%s)", doing, object[0] ? " " : "", object,
           name ? name : "unknown code", text ? text : "no text");
}

PetscErrorCode RhxCudaFail(const CudaDriver *cu, int code, const char *doing, const char *object)
{
  char message[RHX_DEVICE_MESSAGE];

  PetscFunctionBegin;
  RhxCudaDescribe(cu, code, doing, object, message);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", message);
}

/* ---- Options ---- */

static const RhxRow rows[] = {
    {"cache", RHX_STRING, 0, offsetof(RhxDeviceOptions, cache), "", RHX_ANY, 0, 0, NULL, "",
     "folder of the compiled device programs; empty: $XDG_CACHE_HOME/rheoplex or ~/.cache/rheoplex"},
    {"nvrtc", RHX_STRING, 0, offsetof(RhxDeviceOptions, nvrtc), "", RHX_ANY, 0, 0, NULL, "",
     "path of libnvrtc.so; empty: searched in CUDA_HOME, CUDA_PATH, the loader's folders, /usr/local/cuda"},
    {"cudss", RHX_STRING, 0, offsetof(RhxDeviceOptions, cudss), "", RHX_ANY, 0, 0, NULL, "",
     "path of libcudss.so.1, for -solver direct; empty: searched in the loader's folders, CUDA_HOME, packages of "
     "VIRTUAL_ENV"},
    {"memory", RHX_REAL, 0, offsetof(RhxDeviceOptions, memory), "0", RHX_GE, 0, 0, NULL, "GiB",
     "memory of a device that may be in use, that of other programs included; 0: all that it has"},
};
static const RhxOptionTable table = {"device", "device_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

PetscErrorCode RhxDeviceRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceReadOptions(MPI_Comm comm, RhxDeviceOptions *options)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(options, sizeof(*options)));
  PetscCall(RhxOptionTableRead(comm, &table, NULL, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}
