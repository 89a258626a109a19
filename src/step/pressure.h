/* The scalar Poisson problem of the explicit schemes: constant matrix, set up once, solver by -pressure_ksp_..., -pressure_pc_... */
#ifndef RHX_STEP_PRESSURE_H
#define RHX_STEP_PRESSURE_H
#include "boundary/boundary.h"
#include "device/device.h"
#include <petscksp.h>

typedef struct _p_RhxPressure *RhxPressure;

/* device: NULL, or where the right-hand sides are: the default solver is then one that runs there. open_part: times the diagonal of
 * open nodes. */
PetscErrorCode RhxPressureCreate(RhxForm form, RhxBoundary bc, RhxDevice device, double open_part,
                                 RhxPressure *pressure);
PetscErrorCode RhxPressureDestroy(RhxPressure *pressure);
PetscErrorCode RhxPressureView(RhxPressure pressure, PetscViewer viewer);
/* The default solver and why, where it is for the shape of the cells; else "". */
const char *RhxPressureGetChoice(RhxPressure pressure);
/* Solves K phi = b, K the Laplacian (grad, grad), phi = value at the nodes of fixed pressure. b[nowned] is read; value[nowned]
 * is read at fixed nodes only; phi[nlocal] holds the initial guess in its owned part and gets the solution with ghosts.
 * solved: false if b is not finite (phi is then left). Not converging is an error that says the residual. Collective. */
PetscErrorCode RhxPressureSolve(RhxPressure pressure, const PetscScalar *b, const PetscScalar *value, PetscScalar *phi,
                                PetscInt *iterations, PetscBool *solved);

/* Forgets the earlier solutions that guesses are made of: the next solve begins at its guess alone. */
PetscErrorCode RhxPressureForget(RhxPressure pressure);

/* ---- On a device ---- */

/* Entries of the Laplacian in free rows and fixed columns, by rows (one rank). */
typedef struct {
  PetscInt n, *row, *start, *col;
  PetscScalar *val;
} RhxPressureLift;

/* on_device: the solver works there, by the calls below; recordable: in a graph too. Else RhxPressureSolve is what there is. */
PetscErrorCode RhxPressureOnDevice(RhxPressure pressure, PetscBool *on_device, PetscBool *recordable);
PetscErrorCode RhxPressureGetLift(RhxPressure pressure, const RhxPressureLift **lift); /* borrowed */
/* Enqueues the solve of K phi = b; b and the guess phi are device memory, with fixed values in place and on one rank lifted.
 * On several ranks it lifts them itself, in b, and waits. Collective. */
PetscErrorCode RhxPressureEnqueue(RhxPressure pressure, void *b, void *phi);
/* After the device is synchronised. finite: whether the step's state is; a solve that did not converge is an error then. */
PetscErrorCode RhxPressureFinish(RhxPressure pressure, PetscBool finite, PetscInt *iterations);
#endif
