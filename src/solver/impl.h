/* What the KSP and the PCs of this room share. */
#ifndef RHX_SOLVER_IMPL_H
#define RHX_SOLVER_IMPL_H
#include "kernels/solver.h"
#include "solver/hierarchy_impl.h"
#include "solver/solver.h"
#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

typedef struct {
  RhxDevice device; /* borrowed */
  RhxDeviceProgram program;
  PetscBool loops;
  int multiprocessors;
} RhxSolverProgram;

/* loops: the device repeats the iterations, if it can and has all rows. size: ranks that share them. */
PetscErrorCode RhxSolverProgramCreate(RhxDevice device, PetscBool loops, PetscMPIInt size, RhxSolverProgram *program);
PetscErrorCode RhxSolverProgramDestroy(RhxSolverProgram *program);
/* "rhx_multiply" and 4 give the kernel rhx_multiply_4; lanes 0: the name itself. */
PetscErrorCode RhxSolverFunction(RhxSolverProgram *program, const char *name, PetscInt lanes,
                                 RhxDeviceFunction *function);
/* Blocks of RHX_THREADS for so many threads; most > 0: at most so many a multiprocessor. */
unsigned RhxSolverBlocks(const RhxSolverProgram *program, double threads, int most);
PetscErrorCode RhxDeviceMatrixCreate(RhxDevice device, const RhxSell *sell, RhxDeviceMatrix *matrix);
PetscErrorCode RhxDeviceMatrixFree(RhxDevice device, RhxDeviceMatrix *matrix);

/* Whether constants are the null space attached to A; an error if there is more. */
PetscErrorCode RhxConstantsAreNull(Mat A, PetscBool *constants);

/* The device that RhxSolverSetDevice gave, or NULL. */
PetscErrorCode RhxSolverGetDevice(PetscObject object, RhxDevice *device);
/* The PC's input and output on the device, in single precision; in is NULL where it is none of ours or has no device. setup:
 * which set-up of the process made them. */
PetscErrorCode RhxGraphPCGetVectors(PC pc, void **in, void **out, PetscInt *setup);
PetscErrorCode RhxGraphPCGetFlops(PC pc, double *flops); /* of one application, this rank */
PetscErrorCode RhxGraphPCEnqueue(PC pc);                 /* out = B in; on several ranks it waits, collective */
/* Whether B is an inverse alone, and then d = B r in double precision; state: RhxCGState, of an iteration
 * that may have ended. */
PetscErrorCode RhxGraphPCIsInverse(PC pc, PetscBool *is);
PetscErrorCode RhxGraphPCCorrect(PC pc, const void *r, const void *state, void *d);

extern PetscLogEvent RhxSolverSetUpEvent;
PETSC_INTERN PetscErrorCode PCCreate_GraphMG(PC pc);
PETSC_INTERN PetscErrorCode PCCreate_GraphInverse(PC pc);
PETSC_INTERN PetscErrorCode KSPCreate_GraphCG(KSP ksp);
#endif
