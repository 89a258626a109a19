/* What the files of the host's side share. */
#ifndef RHX_STEP_HOST_IMPL_H
#define RHX_STEP_HOST_IMPL_H
#include "step/ops.h"

typedef struct {
  PetscScalar *value;   /* [nowned] pressure at fixed nodes */
  PetscScalar *block;   /* [bs] of one node */
  PetscScalar *product; /* [nlocal][bs] of the consistent mass, where rates take it */
  PetscScalar *mode;    /* [nlocal][ntens] rate of a mode that is solved for, then its change; or NULL */
  PetscBool solved;     /* the last pressure solve had a finite right-hand side */
  PetscScalar *slope;   /* [nlocal][dim] work of tracked subscales, or NULL; with it */
  PetscScalar *kept;    /* [nlocal] of the pressure's increment, what is known of it */
  PetscScalar *rise[2],
      *kept_rise;     /* [open nodes] of what it rises by behind them, by `key`; what is known of it, where it does */
  PetscScalar *ahead; /* [nlocal][dim] u* - u, less what `kept` does to the velocity */
  PetscScalar *balance[2];   /* [nlocal] S p of steps by their keys */
  PetscScalar *right[2];     /* [nlocal] -stage/rho K dp of steps, by their keys */
  PetscReal *inverse;        /* [nlocal] of RhxStepInverseDiameter */
  PetscReal *free_mass;      /* [nlocal] of RhxStepFreeMass */
  double part, known, share; /* of RhxStepHistory */
  double graded;             /* of RhxStepGraded */
} RhxStepHost;

/* The boundary's part of the gradient of p less `rise` (NULL: 0) at open nodes. */
void RhxStepHostAddOpen(const RhxOpenNodes *open, const PetscScalar *rise, PetscInt dim, const PetscScalar *p,
                        PetscScalar *slope);

/* Of tracked subscales of implicit momentum: their arrays, and the entry of the table. */
PetscErrorCode RhxStepHostSubscalesCreate(RhxOps ops);
PetscErrorCode RhxStepHostSubscalesDestroy(RhxOps ops);
PetscErrorCode RhxStepHostSubscales(RhxOps ops, RhxArray state, RhxArray xdot, RhxArray res, RhxArray change,
                                    RhxArray rhs);
PetscErrorCode RhxStepHostHanded(RhxOps ops, int key, PetscBool give, PetscScalar *values);
#endif
