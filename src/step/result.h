/* What a step found. */
#ifndef RHX_STEP_RESULT_H
#define RHX_STEP_RESULT_H
#include "step/transport.h"

/* Measures of the new state that a device takes in passing (all ranks agree). */
typedef struct {
  PetscBool there;             /* false: the state is on the host, measure it there */
  double min_eigenvalue, x[3]; /* smallest of the conformations, and where */
  PetscInt mode, nbad;         /* its mode; nodes and modes that are not positive definite */
  double flux[3];              /* outward, inward, scale of rounding: integrals over the boundary */
} RhxStepMeasures;

/* What the operations of a step found; after `finish` all ranks agree. */
typedef struct {
  RhxFormStats stats;  /* of the residual that asked for them */
  double du_dt, ds_dt; /* largest nodal |du/dt|; largest |ds/dt| of s scaled by its modulus (conformation units), and of
                           scalars by their scale, 1/s */
  PetscInt iterations; /* of the last pressure solve */
  double pressure_seconds; /* wall time of the pressure solves; 0 where the step is one graph */
  double
      continuity;   /* largest |continuity residual| / node mass over free rows, of the update that asked for it, 1/s */
  PetscBool finite; /* every value of the new state is */
  RhxTransportResult momentum, polymer; /* of the implicit solves, of modes the worst; converged where there is none */
  RhxStepMeasures measures;
} RhxStepResult;
#endif
