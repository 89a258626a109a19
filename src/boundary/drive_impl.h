/* A uniform force along a direction that keeps the mean velocity of a periodic domain. */
#ifndef RHX_DRIVE_IMPL_H
#define RHX_DRIVE_IMPL_H
#include "boundary/impl.h"

PetscErrorCode RhxDriveSetUp(RhxBoundary bc); /* collective; nothing without -form_mean_velocity */
/* A run begins at x[nowned][bs]. After a step of dt: its mean velocity and what took the force. Before one from t: its force; before: as RhxBoundaryForesee. Collective. */
PetscErrorCode RhxDriveBegin(RhxBoundary bc, const PetscScalar *x);
PetscErrorCode RhxDriveAdvance(RhxBoundary bc, double dt, RhxFetchFn fetch, void *ctx);
PetscErrorCode RhxDriveForesee(RhxBoundary bc, double t, double dt, double before);
void RhxDriveGetState(RhxBoundary bc, PetscInt *n, double **values); /* for checkpoints; it is there */
double *RhxDriveGetDrag(RhxBoundary bc);                             /* likewise, one number that older ones lack */
void RhxDriveKeepRest(RhxBoundary bc, const PetscScalar *source);    /* source[nlocal][bs], evaluated without it */
void RhxDriveAdd(RhxBoundary bc, PetscScalar *source);               /* source = that with the force */
/* What was kept, [nlocal][dim], how often that was, and the force, a vector; borrowed. */
void RhxDriveGetRest(RhxBoundary bc, const PetscScalar **rest, PetscInt *kept, double force[3]);
PetscErrorCode RhxDriveIsSteady(RhxBoundary bc, PetscBool met,
                                PetscBool *steady); /* as RhxBoundaryIsSteady; there may be none */
const double *RhxDriveDirection(RhxBoundary bc);    /* [dim] a unit vector; it is there */
RhxWaveform RhxDriveGetAim(RhxBoundary bc);         /* borrowed; NULL: there is none */
/* What changes in time: 4 of each condition, its flow rate, its turning and rows of its pressure and velocity, and the aim last, RHX_NWAVEFORMS
 * in all; borrowed, NULL: nothing. */
#define RHX_NWAVEFORMS(bc) (4 * (bc)->ncond + 1)
RhxWaveform RhxBoundaryWaveform(RhxBoundary bc, PetscInt i);
PetscErrorCode RhxDriveDestroy(RhxBoundary bc);
#endif
