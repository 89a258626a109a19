/* What a device program is compiled from, and the file it is cached in. */
#ifndef RHX_DEVICE_SOURCE_IMPL_H
#define RHX_DEVICE_SOURCE_IMPL_H
#include "device/device.h"
#include "petsc_compat.h"
#include <stdint.h>

typedef struct {
  PetscInt n, size;
  char **text; /* owned, each */
} RhxTextList;

struct RhxDeviceSource_s {
  int references;
  char *name, *text; /* owned */
  RhxTextList header_name, header, option;
};

PetscErrorCode RhxDeviceSourceReference(RhxDeviceSource source);

/* Everything that decides about the cubin: versions, sources, options. */
typedef struct {
  char *text; /* owned */
  size_t length;
} RhxCacheKey;

PetscErrorCode RhxCacheKeyCreate(RhxDeviceSource source, const char *arch, int nvrtc, RhxCacheKey *key);
PetscErrorCode RhxCacheKeyDestroy(RhxCacheKey *key);

#define RHX_CACHE_NAME 128
#define RHX_CACHE_REASON 256
typedef struct {
  char folder[PETSC_MAX_PATH_LEN], name[RHX_CACHE_NAME];
} RhxCachePath;

/* Not collective; none is an error: a file that is missing, damaged or not the user's own is not found, one that cannot be
 * written is not. `reason`: why a file that is there was not taken, or was not written; else empty. */
/* `option`: the user's folder or "". */
PetscErrorCode RhxDeviceCachePath(const char *option, const char *arch, const RhxCacheKey *key, RhxCachePath *path);
PetscErrorCode RhxDeviceCacheRead(const RhxCachePath *path, const RhxCacheKey *key, RhxDeviceBinary *binary,
                                  PetscBool *found, char reason[RHX_CACHE_REASON]);
PetscErrorCode RhxDeviceCacheWrite(const RhxCachePath *path, const RhxCacheKey *key, const RhxDeviceBinary *binary,
                                   PetscBool *written, char reason[RHX_CACHE_REASON]);
#endif
