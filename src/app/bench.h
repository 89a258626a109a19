/* The verb bench: times named kernels on a case's mesh, on the host and on the device. */
#ifndef RHX_APP_BENCH_H
#define RHX_APP_BENCH_H
#include <petscsys.h>

PetscErrorCode RhxAppBenchRegisterOptions(void);
PetscErrorCode RhxAppBench(const char *word);
#endif
