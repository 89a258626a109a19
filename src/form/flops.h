/* Floating-point operations of the passes: the element loops themselves run over one element with a number that counts
 * (rheoplex/count.h), so that every law and stabiliser is in it; times the elements of this rank. */
#ifndef RHX_FORM_FLOPS_H
#define RHX_FORM_FLOPS_H
#include "device/device.h"
#include "form/kernel.h"

typedef enum {
  RHX_PASS_RESIDUAL,
  RHX_PASS_PROJECT,
  RHX_PASS_FACES,
  RHX_PASS_DIVERGENCE,
  RHX_PASS_GRADIENT,
  RHX_PASS_MOMENTUM,
  RHX_NPASSES
} RhxPassKind;

/* Of one pass like this one, of which arrays count as there or not; counted once, then known. Not collective. */
PetscErrorCode RhxFormPassFlops(const RhxPass *pass, RhxPassKind kind, double *flops);
/* Logs them for a pass that the device does: the same number, though what is folded there is not computed. */
PetscErrorCode RhxFormDeviceLogPass(const RhxPass *pass, RhxPassKind kind, RhxDevice device);
#endif
