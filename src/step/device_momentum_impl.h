/* Implicit momentum (device_transport_impl.h) and its tracked subscales on a device. */
#ifndef RHX_DEVICE_MOMENTUM_IMPL_IMPL_H
#define RHX_DEVICE_MOMENTUM_IMPL_IMPL_H
#include "step/device_transport_impl.h"

typedef struct _p_RhxStepMomentum *RhxStepMomentum;

/* After the rest of the device's side is set up; options: of the nodal programs. */
PetscErrorCode RhxStepMomentumCreate(RhxOps ops, const char *const *options, RhxStepMomentum *momentum);
PetscErrorCode RhxStepMomentumDestroy(RhxOps ops, RhxStepMomentum *momentum);

/* Entries of the table. */
PetscErrorCode RhxStepMomentumPredict(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray y, RhxArray v);
PetscErrorCode RhxStepMomentumHold(RhxOps ops, RhxArray xdot, RhxArray y, RhxArray z);
PetscErrorCode RhxStepMomentumBend(RhxOps ops, double weight, RhxArray xdot, RhxArray before, RhxArray y);
PetscErrorCode RhxStepMomentumSolve(RhxOps ops, RhxArray x, RhxArray start, RhxArray aux, RhxArray r, RhxArray v,
                                    RhxArray y);
PetscErrorCode RhxStepMomentumSubscales(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray r, RhxArray v, RhxArray b);
PetscErrorCode RhxStepMomentumHanded(RhxOps ops, int key, PetscBool give, PetscScalar *values);
/* result.momentum, after the step's work. */
PetscErrorCode RhxStepMomentumFinish(RhxOps ops);

/* What is known of the increment leaves the problem of the pressure, and joins its solution. */
PetscErrorCode RhxStepMomentumLessKnown(RhxOps ops, RhxArray b, RhxArray phi);
PetscErrorCode RhxStepMomentumAddKnown(RhxOps ops, RhxArray phi);
void *
RhxStepMomentumKnownRise(RhxOps ops); /* [open nodes] of what the pressure rises by behind them, or NULL: nothing */
#endif
