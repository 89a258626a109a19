/* What a device program is compiled from, and the file it is cached in. Private to device. */
#ifndef RHX_DEVICE_SOURCE_H
#define RHX_DEVICE_SOURCE_H
#include "device/device.h"
#include "petsc_compat.h"
#include <stdint.h>

typedef struct {
  PetscInt n, size;
  char **text; /* owned, each */
} RhxTextList;

struct RhxDeviceSource_s {
  char *name, *text; /* owned */
  RhxTextList header_name, header, option;
};

/* FNV-1a of 128 bits in two halves, and how many bytes went in. */
typedef struct {
  uint64_t high, low, length;
} RhxHash;

void RhxHashBegin(RhxHash *hash);
void RhxHashAdd(RhxHash *hash, const void *data, size_t bytes);

/* Everything that decides about the cubin. */
void RhxDeviceSourceHash(RhxDeviceSource source, const char *arch, int nvrtc, RhxHash *key);

/* Not collective; none is an error: a file that is missing or damaged is not found, one that cannot be written is not. */
/* `option`: the user's folder or "". Makes the path of the key's file. */
PetscErrorCode RhxDeviceCachePath(const char *option, const char *arch, const RhxHash *key, char *path, size_t length);
PetscErrorCode RhxDeviceCacheRead(const char *path, const RhxHash *key, RhxDeviceBinary *binary, PetscBool *found);
PetscErrorCode RhxDeviceCacheWrite(const char *path, const RhxHash *key, const RhxDeviceBinary *binary,
                                   PetscBool *written, char *reason, size_t length);
#endif
