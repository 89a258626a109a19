/* The ceiling of the verb bench: a copy in device memory. */
#ifndef RHX_APP_BENCH_COPY_H
#define RHX_APP_BENCH_COPY_H
#include "device/device.h"

/* Times copies of 1 GiB made of the `bytes` at `pattern`, which is device memory, and prints a line of the kernel "copy";
 * GB/s count what is read and what is written. Collective on comm; a rank of its own each. */
PetscErrorCode RhxAppBenchCopy(MPI_Comm comm, RhxDevice device, const char *name, const void *pattern, size_t bytes,
                               PetscInt repeat);
#endif
