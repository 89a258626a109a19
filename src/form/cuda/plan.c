#include "form/cuda/plan.h"
#include "form/cuda/source.h"
#include "petsc_compat.h"
#include <string.h>

#define ELEMENT "kernels/element.cuh"
#define NUMBER "kernels/real.cuh"
/* Bytes of a kernel. H100, 1M nodes, four modes, a step: quads for two blocks instead of four .55 to .93 of the time, though some still
 * spill up to 336; triangles by turns .78 of a launch a mode, which took .73 of one kernel that spills 1268, and 1.4 to 1.5 where that spills up to
 * 632. */
#define MOST_SPILLED 64    /* for the sake of more resident blocks */
#define MOST_AT_ONCE 800   /* of all modes at once */
#define REGISTERS 65536    /* of a multiprocessor */
#define MOST_REGISTERS 256 /* of a thread, rounded up */

static const char *const kernel_name[RHX_PLAN_KERNELS] = {"rhx_residual", "rhx_residual_stats"};

PetscErrorCode RhxElementSource(RhxForm form, const RhxCells *cells, const RhxElementPlan *plan, PetscInt size,
                                PetscBool rate, PetscBool source, RhxDeviceSource *text)
{
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(form, cells, rate, source, NUMBER, ELEMENT, text));
  PetscCall(RhxElementOptions(plan, size, *text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that each kernel of the plan spills, on any rank. */
static PetscErrorCode try(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate, PetscBool source,
                          RhxElementPlan *plan, int spilled[RHX_PLAN_KERNELS])
{
  RhxDeviceBinary binary;
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(spilled, RHX_PLAN_KERNELS));
  PetscCall(RhxElementSource(form, cells, plan, RhxElementUsualSize(form, cells, plan->passes, rate, source), rate,
                             source, &text));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, &binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  for (PetscInt i = 0; i < binary.nkernels; i++)
    for (int k = 0; k < RHX_PLAN_KERNELS; k++)
      if (!strcmp(binary.kernel[i].name, kernel_name[k])) spilled[k] = binary.kernel[i].spill_stores;
  PetscCall(RhxDeviceBinaryFree(&binary));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, spilled, RHX_PLAN_KERNELS, MPI_INT, MPI_MAX, form->comm));
  plan->spilled = 0;
  for (int k = 0; k < RHX_PLAN_KERNELS; k++) plan->spilled = PetscMax(plan->spilled, spilled[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many blocks as leave a thread all registers that it can have, for kernels that spill much; whether any was for more. */
static PetscBool lower(PetscInt threads, const int spilled[RHX_PLAN_KERNELS], RhxElementPlan *plan)
{
  const int least = (int)(REGISTERS / (MOST_REGISTERS * threads));
  PetscBool lowered = PETSC_FALSE;
  for (int k = 0; k < RHX_PLAN_KERNELS; k++) {
    if (spilled[k] <= MOST_SPILLED || plan->blocks[k] <= least) continue;
    plan->blocks[k] = least;
    lowered = PETSC_TRUE;
  }
  return lowered;
}

PetscErrorCode RhxElementPlanFind(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                  PetscBool source, RhxElementPlan *plan)
{
  const PetscInt each = cells->nn == 1 << form->space->dim ? cells->nn : 1; /* threads an element */
  int spilled[RHX_PLAN_KERNELS];
  PetscFunctionBegin;
  *plan = RhxElementFirstPlan(form, cells, source);
  for (;;) {
    PetscCall(try(form, cells, arch, rate, source, plan, spilled));
    if (plan->spilled <= MOST_SPILLED) break;
    if (lower(each * RhxElementUsualSize(form, cells, plan->passes, rate, source), spilled, plan)) continue;
    if (plan->passes != RHX_PASSES_ONE || plan->spilled <= MOST_AT_ONCE || !RhxElementMayTakeTurns(form)) break;
    RhxElementFirstBounds(form, cells, RHX_PASSES_TURNS, source, plan);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxElementPlanView(RhxForm form, const RhxCells *cells, const RhxElementPlan *plan, PetscViewer viewer)
{
  const char *const modes = !form->nmodes                      ? ""
                            : plan->passes == RHX_PASSES_TURNS ? "modes by turns, "
                                                               : "modes all at once, ";
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "device, %s: %sfor %d resident blocks (%d with limits), at most %d bytes spilled\n",
                                   DMPolytopeTypes[cells->type], modes, plan->blocks[RHX_PLAN_RESIDUAL],
                                   plan->blocks[RHX_PLAN_STATS], plan->spilled));
  PetscFunctionReturn(PETSC_SUCCESS);
}
