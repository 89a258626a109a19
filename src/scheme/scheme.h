/* Time schemes, each a registered TS type. A scheme owns no physics. */
#ifndef RHX_SCHEME_H
#define RHX_SCHEME_H
#include "boundary/boundary.h"
#include <petscts.h>

#define RHXTSLUMPED "lumped"

/* What a scheme tells of its last step (all ranks agree). Rates are in SI; reports scale them. */
typedef struct {
  PetscInt step;
  double t, dt;        /* at the end of the step */
  RhxFormStats stats;  /* of the state at the start of the step */
  double cfl[3];       /* dt * convective, viscous, elastic limits' rates */
  double du_dt, ds_dt; /* largest nodal |du/dt|; largest |ds/dt| of s scaled by its modulus (conformation units), 1/s */
  PetscInt iterations; /* of the pressure solve */
  double continuity; /* largest |continuity residual| / node mass over free rows, state at the start of the step, 1/s */
  PetscBool finite;  /* every value of the new state is */
  double seconds;    /* wall time of the step */
} RhxStepInfo;

PetscErrorCode RhxSchemeRegisterAll(void); /* TSRegister and option tables */
/* The objects that a scheme advances; borrowed. Call before TSSetUp. */
PetscErrorCode RhxSchemeSetProblem(TS ts, RhxForm form, RhxBoundary bc);
PetscErrorCode RhxSchemeGetInfo(TS ts, const RhxStepInfo **info);
/* Last accepted rate of every row, a global Vec of the state's layout owned by the scheme, filled by this call (part of
 * checkpoints). To restore, fill it and call RhxSchemeSetRate. After TSSetUp. */
PetscErrorCode RhxSchemeGetRate(TS ts, Vec *rate);
PetscErrorCode RhxSchemeSetRate(TS ts);
PetscErrorCode RhxSchemeProvides(TS ts, unsigned *capabilities);
#endif
