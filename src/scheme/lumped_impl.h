/* Inside of scheme `lumped`: its data and the two sides, host and device, that can do a step. */
#ifndef RHX_LUMPED_IMPL_H
#define RHX_LUMPED_IMPL_H
#include "device/device.h"
#include "scheme/pressure.h"
#include "scheme/scheme.h"

enum { RHX_STEPPER_EULER, RHX_STEPPER_HEUN };
enum { RHX_PRESSURE_AUTO, RHX_PRESSURE_PROJECTION, RHX_PRESSURE_DISSIPATION };
enum { RHX_MASS_AUTO, RHX_MASS_ROW_SUM, RHX_MASS_DIAGONAL };

typedef struct {
  double dt, cfl, dt_min, eps;
  int variant, stepper, pressure, mass, rate, graph;
} RhxLumpedOptions;

typedef struct RhxLumped_s *RhxLumped;

/* Where the state lives and a step is done. Host arrays are of the owned nodes, [nowned][bs]. All collective. */
typedef struct {
  PetscErrorCode (*setup)(RhxLumped lu);
  PetscErrorCode (*destroy)(RhxLumped lu);
  PetscErrorCode (*load)(RhxLumped lu, const PetscScalar *x);     /* state from the host */
  PetscErrorCode (*store)(RhxLumped lu, PetscScalar *x);          /* state of the last step, good or not */
  PetscErrorCode (*norms)(RhxLumped lu, double norm[RHX_NNORMS]); /* of the state, this rank */
  /* Copies of the state that stay with the side; NULL, or not `kept`: for want of memory it goes to the host. */
  PetscErrorCode (*keep)(RhxLumped lu, int slot, PetscBool *kept);
  PetscErrorCode (*store_kept)(RhxLumped lu, int slot, PetscScalar *x);
  PetscErrorCode (*load_rate)(RhxLumped lu, const PetscScalar *rate);
  PetscErrorCode (*store_rate)(RhxLumped lu, PetscScalar *rate);
  PetscErrorCode (*rates)(RhxLumped lu, double t);           /* info.stats of the state */
  PetscErrorCode (*step)(RhxLumped lu, double t, double dt); /* info but for times and CFL numbers */
} RhxLumpedSide;

struct RhxLumped_s {
  RhxForm form; /* borrowed, as bc and device */
  RhxBoundary bc;
  RhxDevice device; /* NULL: on the host */
  RhxLumpedOptions opt;
  RhxPressure pressure;
  PetscReal *mass; /* [nlocal] */
  PetscBool mass_owned;
  const RhxLumpedSide *side;
  void *data; /* of the side */
  RhxStepInfo info;
  double mark;                        /* a time that no step passes */
  PetscBool have_rates;               /* info.stats are of the last state */
  Vec rate;                           /* [global] copy of the rate for checkpoints */
  PetscBool resident;                 /* the state stays with the side between steps */
  PetscBool lazy;                     /* with the side the state stays there until it is asked for */
  PetscBool stale;                    /* the TS's Vec is older than the side's state */
  PetscObjectState known;             /* of the TS's Vec when it was the side's state */
  PetscScalar *kept[RHX_KEPT_STATES]; /* [nowned][bs] owned; NULL: with the side, or empty */
  PetscBool kept_far;                 /* a copy crosses to the host */
};

extern const RhxLumpedSide RhxLumpedHost, RhxLumpedDevice;

/* lumped.c: the side gets the TS's Vec, if somebody has written to it. */
PetscErrorCode RhxLumpedLoadState(TS ts);
/* lumped_kept.c */
extern const char *const RhxLumpedLimitName[]; /* of RhxStepInfo.cfl */
PetscErrorCode RhxLumpedKeepSetUp(TS ts);
PetscErrorCode RhxLumpedKeepReset(RhxLumped lu);
#endif
