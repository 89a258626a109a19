/* How the passes over a form's elements are compiled: what the compiler says of registers decides. */
#ifndef RHX_DEVICE_PLAN_H
#define RHX_DEVICE_PLAN_H
#include "form/cuda/size.h"

/* By trial for an architecture such as "sm_90": where a kernel spills much, registers for fewer blocks, then passes of the modes. Every trial
 * stays in the cache of programs, so that a start that finds them there compiles nothing. Collective; the same on all ranks. */
PetscErrorCode RhxElementPlanFind(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                  PetscBool source, RhxElementPlan *plan);
/* Begins to compile, as RhxDeviceCompile does, the first trials of all cell types, then what they may lead to, of which some is not asked
 * for. Collective. */
PetscErrorCode RhxElementPlansBegin(RhxForm form, const char *arch, PetscBool rate, PetscBool source);
/* The program of a plan for tiles of so many elements. */
PetscErrorCode RhxElementSource(RhxForm form, const RhxCells *cells, const RhxElementPlan *plan, PetscInt size,
                                PetscBool rate, PetscBool source, RhxDeviceSource *text);
/* The line of a plan. */
PetscErrorCode RhxElementPlanView(RhxForm form, const RhxCells *cells, const RhxElementPlan *plan, PetscViewer viewer);
#endif
