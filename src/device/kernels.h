/* Programs of the embedded kernel files that know nothing of laws. */
#ifndef RHX_DEVICE_KERNELS_H
#define RHX_DEVICE_KERNELS_H
#include "device/device.h"

/* Sources that every program may include, embedded in the library: names as the programs include them. */
extern const char *const RhxEmbeddedNames[], *const RhxEmbeddedTexts[];
extern const int RhxEmbeddedCount;

/* Compiles and loads the embedded file `kernels`, such as "kernels/exchange.cuh", with options of NVRTC such as "-DN=3", NULL at
 * their end. Collective. */
PetscErrorCode RhxDeviceKernelsCreate(RhxDevice device, const char *kernels, const char *const *options,
                                      RhxDeviceProgram *program);
/* For an architecture such as "sm_90", without a device. Collective on comm. */
PetscErrorCode RhxDeviceKernelsCompile(MPI_Comm comm, const char *arch, const char *kernels, const char *const *options,
                                       RhxDeviceBinary *binary);
#endif
