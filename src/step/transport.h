/* Implicit transport of the velocity, or of polymeric modes one after the other: one scalar matrix (form/host/momentum.h) for all
 * components, which are solved for together, by -momentum_ksp_..., -transport_ksp_...; the preconditioner, -momentum_pc_..., -transport_pc_..., is
 * one of the scalar matrix and is applied to each component. */
#ifndef RHX_STEP_TRANSPORT_H
#define RHX_STEP_TRANSPORT_H
#include "boundary/boundary.h"
#include <petscksp.h>

#define RHX_TRANSPORT_ITERATIONS 500 /* at most, unless options say otherwise */

typedef struct _p_RhxTransport *RhxTransport;

typedef struct {
  PetscInt iterations;
  PetscBool finite;    /* false: the right-hand side is not; nothing was solved */
  PetscBool converged; /* what was found is the solution */
  double norm;         /* of the last residual, as -momentum_ksp_norm_type says */
  const char *reason;  /* why it stopped */
} RhxTransportResult;

/* Of velocity: "momentum_", of modes: "transport_". */
const char *RhxTransportPrefix(RhxFieldGroup group);
/* An option of such a solver, or of its preconditioner, that nothing has asked for yet, without its dash; "": none. */
PetscErrorCode RhxTransportOptionLeft(RhxFieldGroup group, size_t size, char *name);
/* Such an option that the solver on a device does not have, with its value; "": none. */
PetscErrorCode RhxTransportDeviceLacks(RhxFieldGroup group, size_t size, char *option);
/* Of the solves of two modes, the one to tell of. */
RhxTransportResult RhxTransportWorse(RhxTransportResult a, RhxTransportResult b);

/* group: of velocity, or of modes. */
PetscErrorCode RhxTransportCreate(RhxForm form, RhxBoundary bc, RhxFieldGroup group, RhxTransport *transport);
PetscErrorCode RhxTransportDestroy(RhxTransport *transport);
PetscErrorCode RhxTransportView(RhxTransport transport, PetscViewer viewer);
/* Solves (mass M + ...) d = -(r + c M v) in what is free of the velocity, c = rho, or of a mode, c = 1, the matrix that of the state
 * x[nlocal][bs], or kept as it is. mass: coefficient of M. r[nowned][bs]: its own components are read. v[nlocal][width]: rate at x with ghosts; becomes
 * d in its owned part. mode: of a velocity 0. Collective. */
PetscErrorCode RhxTransportSolve(RhxTransport transport, PetscInt mode, PetscBool kept, double t, double dt,
                                 double mass, const PetscScalar *x, const PetscScalar *aux, const PetscScalar *r,
                                 PetscScalar *v, RhxTransportResult *result);
#endif
