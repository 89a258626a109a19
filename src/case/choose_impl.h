/* What the case chooses where nothing is said, and what it warns of before and during a run (choose.c). */
#ifndef RHX_CASE_CHOOSE_IMPL_H
#define RHX_CASE_CHOOSE_IMPL_H
#include "boundary/timescale.h"
#include "case/case.h"
#include "scheme/scheme.h"

#define RHX_UNENDING 1000.0 /* D/U that are looked at where no -stop_time ends the run */
#define RHX_SETTLING \
  400 /* to rest, in rho D^2/eta: the pressure of longer steps settles in more of them, time-step.md */
#define RHX_LEAST_TO_REST 10 /* steps in D/U of a run to rest */
#define RHX_FOLLOWING 40     /* in rho D^2/eta: of longer steps the pressure of bdf2 is behind the flow, time-step.md */

/* The time step of a case that names none. */
typedef struct {
  PetscBool asked;    /* -scheme auto */
  const char *target; /* of the limits; NULL: a time step is given */
  char option[300];   /* of the longest step */
  double longest;     /* s */
  PetscBool settles;  /* bdf2 brings a flow without polymer to rest */
  PetscBool follows;  /* bdf2 follows a flow in time */
  double
      begins; /* s; from then on Newton's method follows a polymer: the first steps are as behind a jump; infinite: it does not */
  char why[400];         /* that long */
  RhxGivenTime shortest; /* of what is given; of every case in time */
} RhxChosenStep;

PetscErrorCode RhxCaseChooseVariable_Private(RhxCase rc); /* -polymer_variable auto; before fields are made */
PetscErrorCode RhxCaseCheckUnknown_Private(RhxCase rc);   /* formulas of an unknown that auto chose */
PetscErrorCode RhxCaseChooseScheme_Private(RhxCase rc);   /* of the form, before the scheme's options are read */
/* dt: the length of the steps by Newton's method, s, 0: not of this flow; flow: why (slow.c). May make the mesh. Collective. */
PetscErrorCode RhxCaseSlowStep_Private(RhxCase rc, PetscBool to_rest, double *dt, size_t size, char *flow);
PetscErrorCode RhxCaseLongestStep_Private(PetscBool to_rest, double *dt, size_t size, char *why);
PetscErrorCode RhxCaseTimesOfUnits_Private(RhxForm form, double *viscous,
                                           double *passing); /* rho D^2/eta, eta at the shear rate U/D, and D/U, s */
double RhxCaseRoundDown_Private(double dt), RhxCaseStepOfPeriod_Private(double time); /* s */
/* The conditions are set up: the chosen step resolves what they give; completes what is said of the choice. Collective. */
PetscErrorCode RhxCaseBoundStep_Private(RhxCase rc);
/* Of what a label gives from t on. Collective. */
PetscErrorCode RhxCaseShortestTimeOf_Private(RhxCase rc, const char *label, double t, RhxGivenTime *shortest);
PetscErrorCode RhxCaseFindLaterBreaks_Private(RhxCase rc); /* where a run without an end has come near theirs */
PetscErrorCode RhxCaseFindBreaks_Private(RhxCase rc);      /* rc->breaks, up to the run's end as it is now */
/* The times at which what is given jumps or has a kink, or "". */
void RhxCaseDescribeBreaks_Private(RhxCase rc, size_t size, char *text);
/* Before the first step; once, after a step: a time step outgrown, anti-diffusion in a run not to rest. */
PetscErrorCode RhxCaseWarnOfGiven_Private(RhxCase rc), RhxCaseWarnOfScheme_Private(RhxCase rc, const RhxStepInfo *info);
PetscErrorCode RhxCaseDescribeUnits_Private(RhxCase rc, size_t size,
                                            char *text); /* with their Re, Wi and Pe (units.c) */
/* Where the mesh, or what is given up to `end`, is far from the units of the case. Collective. */
PetscErrorCode RhxCaseWarnOfUnits_Private(RhxCase rc, double t, double end);
/* given.c: no outlet, and conditions whose outflow is not their inflow: error, (out - in)/in of the flow at t; of what they give at t,
 * before the first step, `now` being the time of the state. Collective. */
PetscErrorCode RhxCaseCheckGivenFlow_Private(RhxCase rc, double t, double error);
PetscErrorCode RhxCaseCheckGiven_Private(RhxCase rc, double now, double t);
double RhxCaseLookUntil_Private(RhxCase rc, double t); /* the end of the run, or some D/U that are looked at */
/* Outlet's pressure over its section, from t on (doubts_across.c). Collective. */
PetscErrorCode RhxCaseDoubtAcross_Private(RhxCase rc, const char *label, double t, PetscBool steady);
PetscErrorCode RhxCaseTypeOf_Private(const char *label, size_t size, char *type); /* -bc_<label>_type, "" (doubts.c) */
PetscErrorCode RhxCaseOfLabel_Private(const char *label, const char *name,
                                      PetscReal *v);                                /* -bc_<label>_<name>, if given */
PetscErrorCode RhxCaseDoubtOutlets_Private(RhxCase rc, double t, PetscBool steady); /* behind.c */
PetscErrorCode RhxCaseDoubtSlip_Private(RhxCase rc, double t);                      /* slipping.c, of walls with slip */
PetscErrorCode RhxCaseViewSlip_Private(RhxCase rc, double t, PetscViewer viewer);
PetscErrorCode RhxCaseDoubtScalarLevels_Private(RhxCase rc); /* of steady scalar fields (scalar_levels.c) */
PetscErrorCode RhxCaseDoubtFluxes_Private(RhxCase rc);       /* fluxes.c, of what labels give of a temperature */
PetscBool RhxCaseIsKelvin_Private(RhxForm form, PetscInt k,
                                  double *reference); /* shifted.c, of what field k begins with by default */
/* intervals.c, of times that steps are shortened to meet: is an option one; the shortest that shortens steps of dt, 0: none; steps over
 * a span by steps of dt that meet it; before the first step, of those that are very short. */
PetscBool RhxCaseIsInterval_Private(const char *option);
PetscErrorCode RhxCaseShortestInterval_Private(RhxCase rc, double dt, RhxGivenTime *shortest);
double RhxCaseCountMet_Private(const RhxGivenTime *interval, double span, double dt);
PetscErrorCode RhxCaseWarnOfIntervals_Private(RhxCase rc);
/* Parameters that look like a slip, t: of a formula (doubts.c). */
PetscErrorCode RhxCaseWarnOfDoubts_Private(RhxCase rc, double t, PetscBool steady);
/* unheld.c, of a body force along an outlet, own: rho U^2 or eta U/D, Pa. Collective. */
PetscErrorCode RhxCaseDoubtForce_Private(RhxCase rc, double t, double own);
PetscErrorCode RhxCaseDoubtInflow_Private(RhxCase rc, double t,
                                          PetscBool steady);                 /* brought.c, of fluid that comes in */
PetscErrorCode RhxCaseWarnOfAbrupt_Private(RhxCase rc, double t, double dt); /* abrupt.c, of a start from rest */
PetscErrorCode RhxCaseViewBehind_Private(RhxCase rc, double t, PetscBool steady,
                                         PetscViewer viewer); /* of outlets whose pressure follows their flux */
PetscErrorCode RhxCaseWarnOfOutlets_Private(RhxCase rc);      /* of the last state, which is in rc->x */
PetscErrorCode RhxCaseWarnOfUnstable_Private(RhxCase rc);     /* of the same, where it is steady */
PetscErrorCode RhxCaseWarnOfMesh_Private(RhxCase rc, const RhxStepInfo *info); /* of the same: coarse.c */
/* extremes.c: of scalar fields of the last state, which a steady scheme solved for; from the least to the greatest that was given of field k. */
PetscErrorCode RhxCaseWarnOfExtremes_Private(RhxCase rc, PetscBool steady);
PetscErrorCode RhxCaseScalarRange_Private(RhxCase rc, PetscInt k, double *range);
PetscErrorCode RhxCaseWarnOfWaves_Private(RhxCase rc, const RhxStepInfo *info); /* after the first step */
PetscErrorCode RhxCaseWarnOfThin_Private(RhxCase rc,
                                         double t); /* thin.c, of few elements that shorten explicit steps */
/* No Courant number and no error chooses steps. */
PetscErrorCode RhxCaseStepIsConstant_Private(RhxCase rc, PetscBool *constant);
#endif
