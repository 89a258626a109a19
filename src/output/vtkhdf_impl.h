/* One VTKHDF 1.0 file, static, for all ranks; each rank with cells is a partition. */
#ifndef RHX_OUTPUT_VTKHDF_IMPL_H
#define RHX_OUTPUT_VTKHDF_IMPL_H
#include "output/vtu.h"

/* As RhxVtuWrite. */
PetscErrorCode RhxVtkhdfWrite(RhxVtu *vtu, const char *file, double t, PetscInt nfields, const RhxVtuField *fields,
                              RhxVtuFillFn fill, void *ctx, int *err);
#endif
