/* The scalar Poisson problem of the explicit schemes: constant matrix, set up once, solver by -pressure_ksp_..., -pressure_pc_... */
#ifndef RHX_PRESSURE_H
#define RHX_PRESSURE_H
#include "boundary/boundary.h"
#include <petscksp.h>

typedef struct _p_RhxPressure *RhxPressure;

PetscErrorCode RhxPressureCreate(RhxForm form, RhxBoundary bc, RhxPressure *pressure);
PetscErrorCode RhxPressureDestroy(RhxPressure *pressure);
PetscErrorCode RhxPressureView(RhxPressure pressure, PetscViewer viewer);
/* Solves K phi = b, K the Laplacian (grad, grad), phi = value at the nodes of fixed pressure. b[nowned] is read; value[nowned]
 * is read at fixed nodes only; phi[nlocal] holds the initial guess in its owned part and gets the solution with ghosts.
 * solved: false if b is not finite (phi is then left). Not converging is an error that says the residual. Collective. */
PetscErrorCode RhxPressureSolve(RhxPressure pressure, const PetscScalar *b, const PetscScalar *value, PetscScalar *phi,
                                PetscInt *iterations, PetscBool *solved);
#endif
