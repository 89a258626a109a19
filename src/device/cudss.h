/* The part of cuDSS 1 that is used, declared here so that it is not needed to build; do not include NVIDIA's header beside it. */
#ifndef RHX_DEVICE_CUDSS_H
#define RHX_DEVICE_CUDSS_H
#include <petscsys.h>
#include <stdint.h>

#define RHX_CUDSS_FUNCTIONS(X)                                                                                      \
  X(GetProperty, "cudssGetProperty", (int type, int *value))                                                        \
  X(Create, "cudssCreate", (void **handle))                                                                         \
  X(Destroy, "cudssDestroy", (void *handle))                                                                        \
  X(SetJitCacheDir, "cudssSetJitCacheDir", (void *handle, const char *folder))                                      \
  X(ConfigCreate, "cudssConfigCreate", (void **config))                                                             \
  X(ConfigDestroy, "cudssConfigDestroy", (void *config))                                                            \
  X(ConfigSet, "cudssConfigSet", (void *config, int parameter, const void *value, size_t bytes))                    \
  X(DataCreate, "cudssDataCreate", (void *handle, void **data))                                                     \
  X(DataDestroy, "cudssDataDestroy", (void *handle, void *data))                                                    \
  X(DataGet, "cudssDataGet", (void *handle, void *data, int parameter, void *value, size_t bytes, size_t *written)) \
  X(Execute, "cudssExecute", (void *handle, int phase, void *config, void *data, void *A, void *x, void *b))        \
  X(MatrixCreateCsr, "cudssMatrixCreateCsr",                                                                        \
    (void **matrix, int64_t rows, int64_t columns, int64_t n, const void *row, const void *row_end,                 \
     const void *column, const void *values, int offset_type, int index_type, int value_type, int kind, int view,   \
     int base))                                                                                                     \
  X(MatrixCreateDn, "cudssMatrixCreateDn",                                                                          \
    (void **matrix, int64_t rows, int64_t columns, int64_t ld, const void *values, int value_type, int layout))     \
  X(MatrixSetValues, "cudssMatrixSetValues", (void *matrix, const void *values))                                    \
  X(MatrixSetCsrPointers, "cudssMatrixSetCsrPointers",                                                              \
    (void *matrix, const void *row, const void *row_end, const void *column, const void *values))                   \
  X(MatrixDestroy, "cudssMatrixDestroy", (void *matrix))

typedef struct {
#define RHX_MEMBER(member, symbol, parameters) int(*member) parameters;
  RHX_CUDSS_FUNCTIONS(RHX_MEMBER)
#undef RHX_MEMBER
} Cudss;

enum { /* their numbers are part of NVIDIA's binary interface */
       CUDSS_MAJOR = 0,
       CUDSS_MINOR = 1, /* of libraryPropertyType */
       CUDSS_DOUBLE = 1,
       CUDSS_INT = 10, /* of cudaDataType */
       CUDSS_GENERAL = 0,
       CUDSS_FULL = 0,
       CUDSS_BASE_ZERO = 0,
       CUDSS_BY_COLUMNS = 0,
       CUDSS_ANALYSIS = 3,
       CUDSS_FACTORISATION = 4,
       CUDSS_REFACTORISATION = 8,
       CUDSS_SOLVE = 1008,
       CUDSS_SOLVE_MODE = 4, /* a parameter; 1: transposed */
       CUDSS_INFO = 0,
       CUDSS_LU_NONZEROS = 1,
       CUDSS_PIVOTS = 2,
       CUDSS_MEMORY = 13, /* int64_t[16]: [1] the most of the device, bytes */
       CUDSS_ALLOC_FAILED = 2
};

/* By -device_cudss, or where it is searched for; NULL: why there is none. Opened once a process. */
PetscErrorCode RhxCudssOpen(const Cudss **cudss, size_t size, char *why);
#endif
