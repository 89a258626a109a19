#ifndef RHX_FORM_CUDA_LOG_H
#define RHX_FORM_CUDA_LOG_H
#include "device/device.h"
#include "form/pass_impl.h"

/* Logs the operations of a pass that the device does: the same number as on the host, though what is folded there is not computed. */
PetscErrorCode RhxFormDeviceLogPass(const RhxPass *pass, RhxPassKind kind, RhxDevice device);
#endif
