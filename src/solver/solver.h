/* Solvers whose iterations live on the device: a KSP type and two PC types of PETSc.
 *
 *   -ksp_type graph_cg       conjugate gradients as one CUDA graph with a loop inside; needs one of the two as its PC
 *   -pc_type graph_mg        multigrid: the hierarchy comes once from GAMG or hypre on the host
 *   -pc_type graph_inverse   the inverse itself, for some thousand rows
 *
 * The preconditioners work in single precision, conjugate gradients in double. Without RhxSolverSetDevice the two PC types
 * run on the host with the same numbers.
 *
 * On several ranks the host drives the iterations of graph_cg; vectors stay on the devices, ghosts and sums travel through host
 * memory that they reach. The preconditioners need a device then. */
#ifndef RHX_SOLVER_H
#define RHX_SOLVER_H
#include "device/device.h"
#include <petscksp.h>

#define RHX_KSP_GRAPH_CG "graph_cg"
#define RHX_PC_GRAPH_MG "graph_mg"
#define RHX_PC_GRAPH_INVERSE "graph_inverse"
#define RHX_GRAPH_INVERSE_ROWS 4096 /* up to about so many rows the inverse is the faster one */

/* Once, before types are set; again is no error. */
PetscErrorCode RhxSolverRegister(void);
/* The device of a KSP and its PC, or of a PC; before SetUp. Borrowed: it is closed after both are destroyed. The program of a graph_cg
 * begins to be compiled. Collective. */
PetscErrorCode RhxSolverSetDevice(KSP ksp, RhxDevice device);
PetscErrorCode RhxSolverSetDevicePC(PC pc, RhxDevice device);

/* Solves A x = b for device pointers on the device's stream without waiting for it (on several ranks it waits, collective);
 * x holds the guess. Between RhxDeviceGraphBegin and End it becomes part of that graph, if it can: the KSP must then be set
 * up, and its tolerances as well as b and x are those of this call for as long as the graph lives. */
PetscErrorCode RhxGraphCGEnqueue(KSP ksp, const void *b, void *x);
/* With -ksp_graph_cg_past n a solve that is enqueued begins at the best combination, in the energy norm, of the last n solutions
 * instead of at its guess. This forgets them: the next solve begins at its guess. Enqueued. */
PetscErrorCode RhxGraphCGForget(KSP ksp);
/* Whether Enqueue waits for nothing and can be recorded: the driver knows loops in graphs, and there is one rank. */
PetscErrorCode RhxGraphCGCanRecord(KSP ksp, PetscBool *can);
/* A matrix on the device on several ranks, whose ghosts travel as those of graph_cg; A is not needed later. Collective. */
typedef struct _p_RhxDeviceProduct *RhxDeviceProduct;
PetscErrorCode RhxDeviceProductCreate(Mat A, RhxDevice device, RhxDeviceProduct *product);
PetscErrorCode RhxDeviceProductDestroy(RhxDeviceProduct *product);
PetscErrorCode RhxDeviceProductSubtract(RhxDeviceProduct product, const void *x, void *y); /* y -= A x */

/* Entries of a host or device vector to and from device memory; done at return. */
PetscErrorCode RhxVectorToDevice(RhxDevice device, Vec x, void *there);
PetscErrorCode RhxVectorFromDevice(RhxDevice device, const void *there, Vec x);
/* One number of a vector that may be on the device, by its place on this rank; device may be NULL. */
PetscErrorCode RhxVectorTake(RhxDevice device, Vec x, PetscInt at, double *value);
PetscErrorCode RhxVectorPut(RhxDevice device, Vec x, PetscInt at, double value);

/* After the device's stream was synchronised: iterations, reason and residual norm become the KSP's: those of the first
 * solve since the last Finish that failed, or else of the last one. */
PetscErrorCode RhxGraphCGFinish(KSP ksp);
#endif
