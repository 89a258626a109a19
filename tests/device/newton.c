/* device_newton -options: of each step of a scheme by Newton's method its iterations, linear ones and set-ups, and what crossed between host and device
 * in it, to the device and to the host: arrays, scalars, bytes. */
#include "case/case.h"
#include "device/device.h"
#include "petsc_compat.h"
#include <rheoplex/rheoplex.h>

typedef struct {
  RhxCopyCount to_device, to_host;
} Counts;

static PetscErrorCode after_step(TS ts, PetscInt step, PetscReal t, Vec x, void *ctx)
{
  Counts *before = (Counts *)ctx, now;
  const RhxStepInfo *info;
  PetscFunctionBegin;
  (void)t;
  (void)x;
  PetscCall(RhxDeviceCopyCount(&now.to_device, &now.to_host));
  PetscCall(RhxSchemeGetInfo(ts, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "step %d: %d %d %d", (int)step, (int)info->work.newton,
                        (int)info->work.iterations, (int)info->work.setups));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %d %d %.0f", (int)(now.to_device.arrays - before->to_device.arrays),
                        (int)(now.to_device.scalars - before->to_device.scalars),
                        now.to_device.bytes - before->to_device.bytes));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %d %d %.0f\n", (int)(now.to_host.arrays - before->to_host.arrays),
                        (int)(now.to_host.scalars - before->to_host.scalars),
                        now.to_host.bytes - before->to_host.bytes));
  *before = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
  Counts counts = {{0, 0, 0.0}, {0, 0, 0.0}};
  RhxCase rc;
  TS ts;
  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(TSMonitorSet(ts, after_step, &counts, NULL));
  PetscCall(RhxCaseRun(rc));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(run());
  PetscCall(RhxFinalize());
  return 0;
}
