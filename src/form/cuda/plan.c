#include "form/cuda/plan.h"
#include "form/cuda/source.h"
#include "petsc_compat.h"
#include <limits.h>
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

/* binary NULL: begins. */
static PetscErrorCode compile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate, PetscBool source,
                              const RhxElementPlan *plan, RhxDeviceBinary *binary)
{
  const PetscInt size = RhxElementUsualSize(form, cells, plan->passes, rate, source);
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxElementSource(form, cells, plan, size, rate, source, &text));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that each kernel of the plan spills, on any rank. */
static PetscErrorCode try(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate, PetscBool source,
                          RhxElementPlan *plan, int spilled[RHX_PLAN_KERNELS])
{
  RhxDeviceBinary binary;
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(spilled, RHX_PLAN_KERNELS));
  PetscCall(compile(form, cells, arch, rate, source, plan, &binary));
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

static PetscInt threads_of(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool rate, PetscBool source)
{
  const PetscInt each = cells->nn == 1 << form->space->dim ? cells->nn : 1; /* threads an element */
  return each * RhxElementUsualSize(form, cells, passes, rate, source);
}

/* What may follow a trial: both kernels for fewer blocks, or the one with limits alone. */
static PetscErrorCode begin_lower(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                  PetscBool source, const RhxElementPlan *tried)
{
  static const int spilled[][RHX_PLAN_KERNELS] = {{INT_MAX, INT_MAX}, {0, INT_MAX}};
  const PetscInt threads = threads_of(form, cells, tried->passes, rate, source);
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spilled); k++) {
    RhxElementPlan plan = *tried;
    if (lower(threads, spilled[k], &plan)) PetscCall(compile(form, cells, arch, rate, source, &plan, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the plane, of so many a kernel of all modes at once may spill more than MOST_AT_ONCE. */
#define MANY_MODES_QUAD 6
#define MANY_MODES_TRIANGLE 4

static PetscErrorCode begin_later(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                  PetscBool source)
{
  const PetscInt many = cells->nn == 1 << form->space->dim ? MANY_MODES_QUAD : MANY_MODES_TRIANGLE;
  RhxElementPlan plan = RhxElementFirstPlan(form, cells, source);
  PetscFunctionBegin;
  PetscCall(begin_lower(form, cells, arch, rate, source, &plan));
  if (plan.passes != RHX_PASSES_ONE || form->nmodes < many || !RhxElementMayTakeTurns(form))
    PetscFunctionReturn(PETSC_SUCCESS);
  RhxElementFirstBounds(form, cells, RHX_PASSES_TURNS, source, &plan);
  PetscCall(compile(form, cells, arch, rate, source, &plan, NULL));
  PetscCall(begin_lower(form, cells, arch, rate, source, &plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxElementPlansBegin(RhxForm form, const char *arch, PetscBool rate, PetscBool source)
{
  const RhxSpace sp = form->space;
  RhxDeviceBinaryCount before, after;
  int begun;
  PetscFunctionBegin;
  PetscCall(RhxDeviceBinariesMade(&before));
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    const RhxElementPlan first = RhxElementFirstPlan(form, &sp->cells[k], source);
    PetscCall(compile(form, &sp->cells[k], arch, rate, source, &first, NULL));
  }
  PetscCall(RhxDeviceBinariesMade(&after));
  begun = after.begun > before.begun; /* else the cache has them, or there is no core */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &begun, 1, MPI_INT, MPI_MAX, form->comm));
  for (PetscInt k = 0; begun && k < sp->ntypes; k++) PetscCall(begin_later(form, &sp->cells[k], arch, rate, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxElementPlanFind(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                  PetscBool source, RhxElementPlan *plan)
{
  int spilled[RHX_PLAN_KERNELS];
  PetscFunctionBegin;
  *plan = RhxElementFirstPlan(form, cells, source);
  for (;;) {
    PetscCall(try(form, cells, arch, rate, source, plan, spilled));
    if (plan->spilled <= MOST_SPILLED) break;
    if (lower(threads_of(form, cells, plan->passes, rate, source), spilled, plan)) continue;
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
