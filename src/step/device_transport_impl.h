/* Implicit transport of the velocity or of modes (transport.h) on a device: the matrix in rows of this rank's elements, whose products are
 * summed over ranks; BiCGStab with the diagonal, in which only the scalars of kernels/implicit.h come to the host. */
#ifndef RHX_DEVICE_TRANSPORT_IMPL_IMPL_H
#define RHX_DEVICE_TRANSPORT_IMPL_IMPL_H
#include "step/ops.h"

typedef struct _p_RhxStepTransport *RhxStepTransport;

/* An error for options with the solver's prefix that do not act there. */
PetscErrorCode RhxStepTransportCheckOptions(RhxForm form, RhxFieldGroup group);
/* After the rest of the device's side is set up; options: of the nodal programs. */
PetscErrorCode RhxStepTransportCreate(RhxOps ops, RhxFieldGroup group, const char *const *options,
                                      RhxStepTransport *transport);
PetscErrorCode RhxStepTransportDestroy(RhxOps ops, RhxStepTransport *transport);
/* Its nodal program (kernels/implicit.cuh), borrowed. */
PetscErrorCode RhxStepTransportGetProgram(RhxStepTransport transport, RhxDeviceProgram *program);

/* Memory of the device, borrowed: right-hand side and solution, [nlocal][width]; RhxStabState. */
typedef struct {
  void *b, *solution, *state;
} RhxTransportVectors;
RhxTransportVectors RhxStepTransportGetVectors(RhxStepTransport transport);
/* v of owned nodes, zero where it is given and without the normal part on planes; times the scale of nodes, or NULL. */
PetscErrorCode RhxStepTransportKeepFree(RhxOps ops, RhxStepTransport transport, void *scale, void *v);
/* The matrix at the state x; then A solution = b. */
PetscErrorCode RhxStepTransportAssemble(RhxOps ops, RhxStepTransport transport, RhxArray x, RhxArray aux);
PetscErrorCode RhxStepTransportRun(RhxOps ops, RhxStepTransport transport);
/* After the step's work: of its solves the one to tell of. */
RhxTransportResult RhxStepTransportResult(RhxStepTransport transport);

/* Entry of the table. */
PetscErrorCode RhxStepTransportSolve(RhxOps ops, PetscBool again, RhxArray x, RhxArray xdot, RhxArray aux, RhxArray r,
                                     RhxArray y);
#endif
