/* Inside of the case room: the case's parts, what it reports and the last good state. */
#ifndef RHX_CASE_IMPL_H
#define RHX_CASE_IMPL_H
#include "case/case.h"
#include "case/choose_impl.h"
#include "case/health_impl.h"
#include "case/pace_impl.h"
#include "diagnostics/named.h"
#include "exchange/exchange.h"
#include "output/insitu.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"

#define RHX_NO_STEPS (PETSC_MAX_INT - 1) /* no last step; TSSolve refuses PETSC_MAX_INT without a final time */

typedef struct {
  char name[RHX_STRING_LENGTH];
  double velocity, length; /* U, D: units of reports */
  char restart[RHX_STRING_LENGTH];
  int restart_fields; /* RhxRestartFields */
  int restart_mesh;
  int report_every;      /* steps a line of the table on the screen */
  double report_seconds; /* wall time after which there is one besides; 0: none */
} RhxCaseOptions;

enum { RHX_ON_AUTO, RHX_ON_CPU, RHX_ON_CUDA };
enum { RHX_MISSING_ERROR, RHX_MISSING_INITIAL };
enum { RHX_RESTART_MESH_SAME, RHX_RESTART_MESH_MAP };

typedef struct {
  int missing_fields;
} RhxRestartOptions;

typedef struct {
  double steady_tol, min_time, time, lost, patience, wall_time;
  int steps, signal_ok;
  char settled[RHX_STRING_LENGTH], periodic[RHX_STRING_LENGTH];
} RhxStopOptions;

typedef struct {
  int history_every, forces_every;
  char forces[RHX_STRING_LENGTH], wall[RHX_STRING_LENGTH];
} RhxDiagnosticOptions;

typedef struct {
  char scheme[RHX_STRING_LENGTH], sensitivity[RHX_STRING_LENGTH];
  int device, solver, solver_nodes, sensitivity_method, debug;
} RhxGeneralOptions;

typedef struct {
  int every; /* steps between two looks for the control file */
} RhxControlOptions;

/* What the reports need between steps; times are wall clock, s. */
typedef struct {
  RhxTable history, continuation; /* NULL: the scheme has no parameter that steps change */
  PetscBool terminal, advised, looked,
      inflow; /* standard output of rank 0 is one; of scalar fields; at flow that is lost; at scalars that come in */
  double setups, solves, start, last_line, last_bar, output_seconds; /* setups, solves: of implicit steps */
  double losing_from, indefinite_from, looks_from, last_look, lost, through, most; /* t; volumes of the last D/U */
  double fastest, told;       /* largest flow through; loss that was told last */
  PetscInt nlines, last_step; /* lines so far; of the last one */
  RhxPace pace;
  PetscBool bar, indefinite, told_indefinite, losing, overdue, told_cost; /* a bar stands; of lost flow; by the clock */
  /* of scalar fields: largest, least and greatest at the start; told */
  double began[RHX_MAX_SCALARS], least[RHX_MAX_SCALARS], greatest[RHX_MAX_SCALARS], beyond[RHX_MAX_SCALARS];
} RhxReport;

struct _p_RhxCase {
  MPI_Comm comm;
  PetscMPIInt rank;
  RhxGeneralOptions general;
  RhxCaseOptions option;
  RhxRestartOptions restart;
  RhxStopOptions stop;
  RhxDiagnosticOptions diagnostic;
  RhxControlOptions control;
  RhxDiagnostics diagnostics; /* owned */
  RhxMesh mesh;               /* this and what follows: owned */
  RhxForm form;
  RhxSpace space;
  RhxBoundary bc;
  RhxBreaks breaks;   /* of what it gives */
  double breaks_part; /* of a run without an end that was looked at */
  RhxDevice device;   /* NULL: the host */
  RhxLink link;       /* of the devices of all ranks: there as long as the case */
  char where[2048];   /* the run is done on ... */
  RhxOutput output;
  RhxInsitu insitu;
  TS ts;
  Vec x;
  RhxReport report;
  RhxGoodState good;
  PetscInt first_step;                         /* 0, or the step of the checkpoint */
  PetscInt field_step;                         /* step of the last field output, -1: none */
  PetscInt checkpoint_step;                    /* likewise */
  double before;                               /* t of the step before */
  double saved;                                /* clock at the last checkpoint, or the beginning, s */
  PetscBool save;                              /* a checkpoint is due by it */
  PetscBool another_time;                      /* than that of the checkpoint of the restart, which is a parameter */
  PetscBool append;                            /* tables and series of an earlier run go on */
  PetscInt nnumbers;                           /* what checkpoints keep besides the fields: states of conditions */
  RhxNumbers *numbers, *kept[RHX_KEPT_STATES]; /* [nnumbers] the present ones; copies, owned, NULL: none */
  char unsaved[RHX_MESSAGE];                   /* why the last state is not saved, "": it is */
  double setup_seconds, device_seconds;        /* in all; of it to open the device */
  PetscBool control_off;                       /* the control file could not be moved: it is looked for no more */
  int signal;                                  /* that ended the run, on all ranks; 0: none */
  PetscBool cut;                               /* it is ended from outside: a signal, the control file, the wall time */
  PetscBool at_rest;                           /* it ended because -stop_steady_tol is met */
  char why[256];                               /* the run ended because ... */
  RhxChosenStep step;                          /* the step that is chosen, and what it is judged by */
  PetscBool meshed;                            /* the mesh is set up */
  PetscBool max_time;                          /* the end is given as -ts_max_time, which becomes -stop_time */
  char choice[1024], variable[256],
      stabilisers[512];       /* what -scheme, -polymer_variable and -stabiliser auto chose and why, "": not asked */
  PetscBool follows_variable; /* of the checkpoint of the restart */
  char solver[1536];          /* what -solver chose and why, "": the scheme has no such solver */
  PetscBool warned, coarse;   /* of what the scheme is not made for; of a time step too long for what is given */
};

/* <folder>/<name><suffix> */
PetscErrorCode RhxCasePath_Private(RhxCase rc, const char *suffix, size_t size, char *path);
PetscErrorCode RhxCaseRate_Private(RhxCase rc, Vec *rate);
PetscErrorCode RhxCaseCheckStop_Private(RhxCase rc);       /* something stops the run, and not at once */
PetscErrorCode RhxCaseReadOptions_Private(RhxCase rc);     /* the tables of the case, from the database */
PetscErrorCode RhxCaseSetEnd_Private(RhxCase rc);          /* -stop_time and -stop_steps to the TS */
PetscErrorCode RhxCaseMakeMesh_Private(RhxCase rc);        /* unless it is made; collective */
PetscErrorCode RhxCaseChooseSolver_Private(RhxCase rc);    /* solver.c: before the scheme's solver reads its options */
PetscErrorCode RhxCaseRestart_Private(RhxCase rc);         /* of -case_restart: state, rate, numbers, time */
PetscErrorCode RhxCaseBeginConditions_Private(RhxCase rc); /* they are told the state */
/* restart_mesh.c: the mesh of the checkpoint, NULL: that of the case; owned. */
PetscErrorCode RhxCaseRestartMesh_Private(RhxCase rc, RhxMesh *mesh);

/* components.c: of parameters along axes; after the mesh. */
PetscErrorCode RhxCaseCheckComponents_Private(RhxCase rc);

/* numbers.c */
PetscErrorCode RhxCaseCollectNumbers_Private(RhxCase rc); /* after TSSetUp */
PetscErrorCode RhxCaseKeepNumbers_Private(RhxCase rc, int slot);
/* Time of the conditions of a state that the run tells at t, s: t but of a steady scheme, whose t may be a parameter. */
PetscErrorCode RhxCaseGivenTime_Private(RhxCase rc, double t, double *given);
/* Which of them a checkpoint did not have, and which fields; those of "option=value;..." that the case has otherwise (cuts the text). */
PetscErrorCode RhxCaseSayNew_Private(RhxCase rc, const char *lacking, char *parameters);
PetscErrorCode RhxCaseDestroyNumbers_Private(RhxCase rc);

/* sensitivity.c */
PetscErrorCode RhxCaseCheckSensitivities_Private(RhxCase rc);
PetscErrorCode RhxCaseSensitivities_Private(RhxCase rc); /* of the state that the run has found */

/* stages.c: of PETSc's log */
typedef enum { RHX_STAGE_SETUP, RHX_STAGE_STEPS, RHX_STAGE_DIAGNOSTICS, RHX_STAGE_OUTPUT, RHX_NSTAGES } RhxLogStage;
PetscErrorCode RhxStageBegin_Private(RhxLogStage stage);
PetscErrorCode RhxStageEnd_Private(void);
/* On this rank, in a stage and in PETSc's main stage, which holds all events of a nested log; RHX_NSTAGES: in all. */
PetscErrorCode RhxStageEventSeconds_Private(const char *event, RhxLogStage stage, double *seconds);

/* report.c */
PetscErrorCode RhxReportBegin(RhxCase rc);
PetscErrorCode RhxReportPublish(RhxCase rc); /* the tables replace those of an earlier run, or go on with them */
/* fields: some are written of this step */
PetscErrorCode RhxReportStep(RhxCase rc, const RhxStepInfo *info, PetscBool fields, PetscBool last);
int RhxReportLineIsDue(RhxCase rc);                               /* by the clock; rank 0 decides, on others 0 */
int RhxReportTimeIsOver(RhxCase rc);                              /* that of -stop_wall_time, likewise */
PetscErrorCode RhxReportSay(RhxCase rc, const char *format, ...); /* on the screen, the bar taken away */
PetscErrorCode RhxReportEnd(RhxCase rc);
PetscErrorCode RhxReportDestroy(RhxReport *report);
PetscErrorCode RhxReportSummary(RhxCase rc);
void RhxReportLimits(const double limit[RHX_NLIMITS], size_t size, char *text); /* those above 0, by name */
double RhxReportVelocityRate(RhxCase rc, const RhxStepInfo *info);              /* |du/dt| in U^2/D */
double RhxReportStressRate(RhxCase rc, const RhxStepInfo *info);                /* |dc/dt| in U/D */

/* health.c; flow out of and into each label by x, m^3/s (2D: m^2/s), [nlabels]; collective */
PetscErrorCode RhxCaseGetFluxes_Private(RhxCase rc, Vec x, double *out, double *in);

/* shifted.c; before the first step, of what is given up to end; collective */
PetscErrorCode RhxCaseWarnOfShift_Private(RhxCase rc, double t, double end);

/* shifted.c; of the state: what plugins make of its scalar fields; an error at the start, of a restart and at the end a warning; collective */
PetscErrorCode RhxCaseJudgeFields_Private(RhxCase rc, PetscBool start);

/* still.c; at the end, of the state; collective */
PetscErrorCode RhxCaseWarnOfStill_Private(RhxCase rc);

/* scalars.c; info NULL: at the start; collective */
PetscErrorCode RhxReportScalars(RhxCase rc, const RhxStepInfo *info, PetscBool last);

/* effective.c */
PetscErrorCode RhxCaseWriteEffective(RhxCase rc);
/* Results in the folder that neither are of these options nor of the checkpoint of the restart? Before RhxCaseWriteEffective. */
PetscErrorCode RhxCaseFindOther_Private(RhxCase rc, PetscBool *other);

/* signals.c */
void RhxSignalsInstall(void);
void RhxSignalsRestore(void);
double RhxSignalWaited(void); /* s since it came; negative: none has */
int RhxSignalReceived(void);  /* number of the signal, 0: none */
#endif
