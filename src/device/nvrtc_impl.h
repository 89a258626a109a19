/* The compiler, here or on a thread beside. */
#ifndef RHX_DEVICE_NVRTC_IMPL_H
#define RHX_DEVICE_NVRTC_IMPL_H
#include "device/driver_impl.h"
#include "device/source_impl.h"

typedef struct {
  char *log, *cubin;  /* by malloc; NULL: none */
  size_t size;        /* of the cubin, bytes */
  const char *failed; /* what NVRTC calls its error; NULL: none */
} RhxNvrtcOutput;

void RhxNvrtcRun(const CudaCompiler *nvrtc, const char *arch, RhxDeviceSource source, RhxNvrtcOutput *out);
void RhxNvrtcFree(RhxNvrtcOutput *out);

/* Begins on a thread; nothing where this process has no core to spare or it was begun before. Takes the key. What nobody takes ends with
 * PETSc. */
PetscErrorCode RhxNvrtcBegin(const CudaCompiler *nvrtc, const char *arch, RhxDeviceSource source, RhxCacheKey *key,
                             PetscBool *begun);
/* What was begun under this key, when it is done. */
PetscErrorCode RhxNvrtcTake(const RhxCacheKey *key, RhxNvrtcOutput *out, PetscBool *taken);
#endif
