/* Time schemes, each a registered TS type. A scheme owns no physics. */
#ifndef RHX_SCHEME_H
#define RHX_SCHEME_H
#include "boundary/boundary.h"
#include "device/device.h"
#include "step/ops.h"
#include <petscts.h>

#define RHXTSLUMPED "lumped"

/* What bounds a time step. */
typedef enum {
  RHX_LIMIT_CONVECTIVE,
  RHX_LIMIT_VISCOUS,
  RHX_LIMIT_ELASTIC,
  RHX_LIMIT_RELAXATION,
  RHX_LIMIT_GROWTH, /* of waves that the stepper amplifies more than the flow damps them */
  RHX_NLIMITS
} RhxLimit;

/* Of an implicit step, zeros of another one: what its Newton's method took. Seconds: wall time of rank 0. */
typedef struct {
  PetscInt newton, solves, iterations; /* iterations of Newton's method, linear solves, their iterations, */
  PetscInt setups, redone;             /* set-ups of the preconditioner, those after a solve that failed */
  double setup_seconds, solve_seconds; /* of set-ups, matrices included; of linear solves */
} RhxImplicitWork;

/* What a scheme tells of its last step (all ranks agree). Rates are in SI; reports scale them. */
typedef struct {
  PetscInt step;
  double t, dt;            /* at the end of the step */
  RhxFormStats stats;      /* of the state at the start of the step */
  double cfl[RHX_NLIMITS]; /* dt over the limits of the state at the start of the step, */
  double bound;            /* and over what they allow together */
  double du_dt, ds_dt;     /* largest nodal |du/dt|; largest |ds/dt|, scaled as RhxStepResult says, 1/s */
  PetscInt iterations;     /* of the pressure solve; 0: there is none */
  RhxImplicitWork work;
  double pressure_seconds; /* wall time of the pressure solves; 0 where the step is one graph */
  double continuity; /* largest |continuity residual| / node mass over free rows, state at the start of the step, 1/s */
  PetscBool finite;  /* every value of the new state is */
  PetscBool steady;  /* it is a steady state that was solved for, */
  PetscBool done;    /* and the last that was looked for */
  double seconds;    /* wall time of the step */
  RhxStepMeasures measures;
} RhxStepInfo;

PetscErrorCode RhxSchemeRegisterAll(void);                /* TSRegister and option tables */
PetscErrorCode RhxSchemeNames(size_t size, char *names);  /* "lumped, ..." */
PetscErrorCode RhxSchemeSetType(TS ts, const char *name); /* TSSetType; an error lists the schemes */
/* The objects that a scheme advances; borrowed. The TS gets the space's DM. Call before TSSetUp. */
PetscErrorCode RhxSchemeSetProblem(TS ts, RhxForm form, RhxBoundary bc);
/* The device to advance on, borrowed; NULL: the host. Before TSSetUp. */
PetscErrorCode RhxSchemeSetDevice(TS ts, RhxDevice device);
/* Leaves the TS's solution Vec old between steps on a device, unless the TS has monitors: for a caller that asks for the state
 * by RhxSchemeStoreState. Else it is up to date after every step. */
PetscErrorCode RhxSchemeSetLazy(TS ts);
PetscErrorCode RhxSchemeStoreState(TS ts);
/* x[n][bs] of listed local nodes, ghosts too, of what the TS's solution is; a device sends these alone. The list does not change
 * and is kept by the caller as long as the TS is set up. Collective. */
PetscErrorCode RhxSchemeFetchState(TS ts, IS nodes, PetscScalar *x);
/* The state, of which components [first, end) of each node block are up to date: from a device these alone. Borrowed. */
PetscErrorCode RhxSchemeGetPart(TS ts, PetscInt first, PetscInt end, Vec *x);
/* m[c->n] of components of the same state over this rank's nodes, reduced where it is. */
PetscErrorCode RhxSchemeMeasureNodes(TS ts, const RhxNodalComponents *c, RhxNodalMeasure *m);
/* u.rho M u_t of this rank's nodes, W (2D: W/m), with the rate and the mass of the last step's balance; no reactions are left. */
PetscErrorCode RhxSchemeKineticRate(TS ts, double *rate);
/* total[RHX_NTOTALS] of all ranks (kernels/totals.h) of the same state with the sources of its time, summed where it is. */
PetscErrorCode RhxSchemeGetTotals(TS ts, double *total);
/* Means over time of n components, kept where the state is, with zeros; memory goes with the TS's set-up. */
PetscErrorCode RhxSchemeCreateMean(TS ts, PetscInt n, RhxNodalMean *mean);
PetscErrorCode RhxSchemeAccumulate(TS ts, const RhxNodalComponents *c, const RhxNodalSample *w,
                                   const RhxNodalMean *mean);
/* One of its arrays from or to values[nowned][2 n]. */
PetscErrorCode RhxSchemeLoadMean(TS ts, RhxArray a, const PetscScalar *values);
PetscErrorCode RhxSchemeStoreMean(TS ts, RhxArray a, PetscScalar *values);
/* Consistent nodal reactions of the last step's momentum balance at its end: the raw residual of the flow rows plus rho mass rate,
 * which at a node of the boundary is the integral of N (sigma n), n out of the fluid. Found where the state is, for
 * RhxSchemeFetchReactions until the next step: r[n][bs] of listed local nodes, in the velocity's rows, that of u_theta among them.
 * nodes: local ones that are then fetched, of each rank its own, by passes over the elements about them; a list that does not change, such
 * as RhxFaces.nodes, for which the elements are found once; NULL: of all nodes. Collective. */
PetscErrorCode RhxSchemeFindReactions(TS ts, IS nodes);
PetscErrorCode RhxSchemeFetchReactions(TS ts, IS nodes, PetscScalar *r);
/* What the faces of conditions put into these rows then, load[n][bs]: tractions, N; it ends what FindReactions found. none: a list without
 * nodes that is kept as long. Collective. */
PetscErrorCode RhxSchemeFetchFaceLoads(TS ts, IS nodes, IS none, PetscScalar *load);
/* The state as a checkpoint has it, borrowed until the next step. The TS's Vec may differ from it: it has the pressure of its
 * time where the scheme's own is of the middle of the last step. */
PetscErrorCode RhxSchemeGetState(TS ts, Vec *x);
/* check(ctx), collective, is asked before each iteration of Newton's method and of its linear solves: an error of it ends the step there. */
/* Before TSSetUp, of a scheme with Newton's method: linear solves by this solver, which was chosen and not asked for, are done by factors
 * once one does not converge (rescue_impl.h). */
PetscErrorCode RhxSchemeSetRescue(TS ts, const char *solver);
/* Newton's method tells how far it is after so many seconds, s, of wall time without a word; 0, as it begins: it does not. */
PetscErrorCode RhxSchemeSetSilence(TS ts, double seconds);
PetscErrorCode RhxSchemeSetInterrupt(TS ts, PetscErrorCode (*check)(void *ctx), void *ctx);
/* At the end of a run, what a scheme has to say. */
PetscErrorCode RhxSchemeSummary(TS ts);
/* A checkpoint of the present state is written: the scheme forgets what that has not, such as earlier pressures that solves begin
 * at, so that the run goes on as one that starts from it does. */
PetscErrorCode RhxSchemeSaved(TS ts);
/* PETSc's options of a TS, before any is read: -ts_dt and the like become options of ours (before they are read); what would
 * do nothing is refused. */
PetscErrorCode RhxSchemeTranslateOptions(MPI_Comm comm);
PetscErrorCode RhxSchemeCheckOptions(TS ts);
/* Time step and CFL target (0: none) of the steps to come, as the scheme's options have them. */
PetscErrorCode RhxSchemeSetTimeStep(TS ts, PetscReal dt, PetscReal cfl);
/* Of a run that has begun: an error where no step could follow with them. */
PetscErrorCode RhxSchemeCheckTimeStep(TS ts, PetscReal dt, PetscReal cfl);
/* Of the state before the first step: the time step that each limit of an explicit scheme alone allows (0: any), the first step
 * and the CFL target that it is chosen by (0: none). dt 0: the scheme has no such limits. After TSSetUp; collective. */
PetscErrorCode RhxSchemeFindStep(TS ts, double limit[RHX_NLIMITS], double *dt, double *cfl);
/* Behind it, of the same state: the longest step by elastic waves of bdf2 with implicit transport of modes, s; infinite: nothing bounds it. */
PetscErrorCode RhxSchemeGetTransportStep(TS ts, double *dt);
/* That of RhxBoundaryGetSlipStep; label NULL too for a scheme that the friction of walls does not bound. */
PetscErrorCode RhxSchemeGetSlipStep(TS ts, double speed, double *dt, const char **label);
/* After a step: once, what is to be said of a constant time step that the flow has outgrown; "": nothing. */
PetscErrorCode RhxSchemeLookLater(TS ts, size_t size, char *text);
/* After a step: what is to be said of its implicit solve that failed, so that it is half as long as it was to be; of the first, tenth,
 * hundredth, ... of a run; "": nothing. All ranks agree. */
PetscErrorCode RhxSchemeTellHalved(TS ts, size_t size, char *text);
/* A time at which a step has to end, such as that of the next output; PETSC_MAX_REAL: none. It counts as met within RHX_NEAR of a step. */
#define RHX_NEAR 1e-6
PetscErrorCode RhxSchemeSetMark(TS ts, PetscReal mark);
/* The last time, not later than that of the TS, at which something given jumps or has a kink, or -infinity, and how long it goes on from there:
 * implicit steps are short behind it and many meanwhile. */
PetscErrorCode RhxSchemeSetJump(TS ts, PetscReal jump, PetscReal lasts);
/* ---- Copies of states inside the scheme, for a run that blows up ---- */
#define RHX_KEPT_STATES 6
/* Of the present state: largest nodal |u|, |p|, and |s| of the modes in conformation units; all ranks agree. */
PetscErrorCode RhxSchemeGetNorms(TS ts, double norm[RHX_NNORMS]);
PetscErrorCode RhxSchemeKeepState(TS ts, int slot); /* copies the present state; collective */
PetscErrorCode RhxSchemeGetKeptState(TS ts, int slot, Vec x);
PetscErrorCode RhxSchemeGetLastState(TS ts, Vec x); /* that of the last step whose state was finite, or the first */
/* Steps between two copies at which they cost less than a hundredth of the steps. */
PetscErrorCode RhxSchemeGetKeepInterval(TS ts, PetscInt *steps);
/* A sentence: how far the step was beyond its limits, and the option that would help a run that blew up after it. */
PetscErrorCode RhxSchemeAdvise(TS ts, const RhxStepInfo *info, size_t size, char *text);
/* Can the integrator bdf2 of fractional_step advance the form on the host? The form's options are read. */
PetscBool RhxSchemeImplicitAdvances(RhxForm form);
/* What the stepper takes away from the viscosity, u^2 dt/2 where that is most of it, over the viscosity; 0: nothing, or a polymer. */
PetscErrorCode RhxSchemeAntidiffusion(TS ts, const RhxStepInfo *info, double *part);
PetscErrorCode RhxSchemeGetInfo(TS ts, const RhxStepInfo **info);
/* Last accepted rate of every row, a global Vec of the state's layout owned by the scheme, filled by this call (part of
 * checkpoints). To restore, fill it and call RhxSchemeSetRate with the length of the last step, s: is the rate of the flow known, and that
 * of every field? A scheme that lacks what it needs begins as without a step before. After TSSetUp. */
PetscErrorCode RhxSchemeGetRate(TS ts, Vec *rate);
PetscErrorCode RhxSchemeSetRate(TS ts, double dt, PetscBool flow, PetscBool all);
/* Numbers that a checkpoint needs besides state and rate; borrowed, the same on every rank. n 0: none. values: filled by a restart
 * before the first step. After TSSetUp. */
PetscErrorCode RhxSchemeGetNumbers(TS ts, char name[256], PetscInt *n, double **values);
/* Earlier states that the next step of the present one needs, the last first: their times and global Vecs of the state's layout,
 * borrowed; n 0: none. To restore, before the first step. After TSSetUp. */
#define RHX_MOST_HISTORY 6
PetscErrorCode RhxSchemeGetHistory(TS ts, PetscInt *n, const double **t, const Vec **x);
PetscErrorCode RhxSchemeSetHistory(TS ts, PetscInt n, const double *t, const Vec *x);
/* What the next step takes over from the last one besides state and rate, if parameters stay: numbers, and `width` values of owned
 * nodes in a Vec of the caller; any false: nothing. To restore, after RhxSchemeSetRate; of another width nothing is to be set. */
#define RHX_HANDED_NUMBERS (2 + (int)(sizeof(RhxFormStats) / sizeof(double)))
PetscErrorCode RhxSchemeGetHandedWidth(TS ts, PetscInt *width);
PetscErrorCode RhxSchemeGetHanded(TS ts, double *number, Vec *nodes, PetscBool *any); /* number[RHX_HANDED_NUMBERS] */
PetscErrorCode RhxSchemeSetHanded(TS ts, const double *number, Vec nodes);            /* width 0: no Vec, NULL */
/* The option, without '-', whose value steps change, and that of the last step; NULL: none. After TSSetUp. */
PetscErrorCode RhxSchemeGetPressureChoice(TS ts, const char **text); /* RhxPressureGetChoice */
/* How steps are carried out on a device: "as one graph", or "launch by launch" with the reason; "": it is not said. After TSSetUp. */
PetscErrorCode RhxSchemeGetLaunches(TS ts, size_t size, char *text);
PetscErrorCode RhxSchemeGetParameter(TS ts, const char **option, double *value);
/* The sign of det J of that state, 0: not known; since the one before 1: a fold, 2: a branch point, 3: both, 0: neither. */
PetscErrorCode RhxSchemeGetBranch(TS ts, int *sign, int *passed);
PetscErrorCode RhxSchemeProvides(TS ts, unsigned *capabilities);
/* What of the scheme and form is for the CPU, such as "-momentum_pc_type sor"; "": nothing. Before the mesh. */
PetscErrorCode RhxSchemeDeviceLacks(TS ts, RhxForm form, size_t size, char *what);
PetscErrorCode RhxSchemeHasNewton(TS ts, PetscBool *has); /* a step is solved by Newton's method */
/* A climb of `steady` did not reach its value: RhxSchemeGetLastState is that of this value of the option, which the laws have again;
 * NULL: there was none. Collective. */
PetscErrorCode RhxSchemeGetClimbed(TS ts, const char **option, double *value);
PetscErrorCode RhxSchemeCheckGiven(TS ts); /* refuses what conditions that have begun give and the scheme cannot take */
PetscErrorCode RhxSchemeIsSteady(TS ts, PetscBool *steady); /* a step is a steady state, and the last */
/* Of the conditions of the state, s: that of the TS, or of a steady state the one at which its conditions are taken. After TSSetUp. */
PetscErrorCode RhxSchemeGetGivenTime(TS ts, PetscReal *t);
#endif
