/* Implicit momentum: one scalar matrix (form/host/momentum.h) for all components of the velocity, which are solved for together, by
 * -momentum_ksp_...; the preconditioner, -momentum_pc_..., is one of the scalar matrix and is applied to each component. */
#ifndef RHX_MOMENTUM_H
#define RHX_MOMENTUM_H
#include "boundary/boundary.h"
#include <petscksp.h>

#define RHX_MOMENTUM_ITERATIONS 500 /* at most, unless options say otherwise */

typedef struct _p_RhxMomentum *RhxMomentum;

typedef struct {
  PetscInt iterations;
  PetscBool finite;    /* false: the right-hand side is not; nothing was solved */
  PetscBool converged; /* what was found is the solution */
  double norm;         /* of the last residual, as -momentum_ksp_norm_type says */
  const char *reason;  /* why it stopped */
} RhxMomentumResult;

/* An option with the prefix momentum_ that nothing has asked for yet, without its dash; "": none. */
PetscErrorCode RhxMomentumOptionLeft(char *name, size_t size);
/* Such an option that momentum on a device does not have, with its value; "": none. */
PetscErrorCode RhxMomentumDeviceLacks(char *option, size_t size);

PetscErrorCode RhxMomentumCreate(RhxForm form, RhxBoundary bc, RhxMomentum *momentum);
PetscErrorCode RhxMomentumDestroy(RhxMomentum *momentum);
PetscErrorCode RhxMomentumView(RhxMomentum momentum, PetscViewer viewer);
/* Solves (mass M + C + K + S) d = -(r + rho M v) in the free part of the velocity, the matrix that of the flow x[nlocal][bs].
 * mass: kg/(m^3 s). r[nowned][bs]: its velocity is read. v[nlocal][dim]: rate at x with ghosts, m/s^2; becomes d in its owned
 * part. Collective. */
PetscErrorCode RhxMomentumSolve(RhxMomentum momentum, double t, double dt, double mass, const PetscScalar *x,
                                const PetscScalar *aux, const PetscScalar *r, PetscScalar *v,
                                RhxMomentumResult *result);
#endif
