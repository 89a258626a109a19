/* What a time scheme is made of: a row of RhxSchemeType, known to the program by RhxSchemeRegister. The TS type of its name, the
 * option table, the choice of the time step, the state that stays on a device, copies of it, restart and reports are common. */
#ifndef RHX_SCHEME_TYPE_IMPL_H
#define RHX_SCHEME_TYPE_IMPL_H
#include "plugin/option.h"
#include "scheme/scheme.h"
#include <stddef.h>

typedef struct _p_RhxScheme *RhxScheme;

/* The options of every scheme: the first member of its struct of options and, by RHX_SCHEME_ROWS, the first rows of its table. */
typedef struct {
  double dt, cfl, dt_min;
} RhxSchemeOptions;
/* A row of schemes whose stages are a step long; its slot is the scheme's, and 1 more than the number: 0 is auto. */
#define RHX_SCHEME_MASS_ROW(slot, automatic)                                                                         \
  {                                                                                                                  \
    "mass_corrections", RHX_CHOICE, 0, slot, "auto", RHX_ANY, 0, 0, "auto|0|1|2|3|4", "",                            \
        "corrections of the rates by the consistent mass, k + M^-1 (R - M_c k): lumping slows waves, one "           \
        "correction takes most of that away and shortens the stable time step to 0.5 to 0.6 of it; auto: " automatic \
  }
#define RHX_SCHEME_ROWS                                                                                                \
  {"dt",                                                                                                               \
   RHX_REAL,                                                                                                           \
   0,                                                                                                                  \
   offsetof(RhxSchemeOptions, dt),                                                                                     \
   "0.01",                                                                                                             \
   RHX_GT,                                                                                                             \
   0,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   "s",                                                                                                                \
   "time step; with a CFL target the largest one"},                                                                    \
      {"cfl",                                                                                                          \
       RHX_REAL,                                                                                                       \
       0,                                                                                                              \
       offsetof(RhxSchemeOptions, cfl),                                                                                \
       "0",                                                                                                            \
       RHX_GE,                                                                                                         \
       0,                                                                                                              \
       0,                                                                                                              \
       NULL,                                                                                                           \
       "1",                                                                                                            \
       "target of dt over the limits of convection, viscosity, elastic waves, relaxation and the stepper's growth of " \
       "waves (share/doc/time-step.md): 0.9 runs, and is taken by explicit schemes with neither it nor dt given; 0: "  \
       "constant time step"},                                                                                          \
  {                                                                                                                    \
    "dt_min", RHX_REAL, 0, offsetof(RhxSchemeOptions, dt_min), "0", RHX_GE, 0, 0, NULL, "s",                           \
        "time step below which a CFL target ends the run; 0: a millionth of dt"                                        \
  }

typedef struct _p_RhxSchemeType RhxSchemeType;
struct _p_RhxSchemeType {
  const char *name;              /* of -scheme and of the TS type */
  const RhxOptionTable *options; /* prefix scheme_<name>_ */
  size_t size;                   /* of the struct of options */
  RhxOpsSettings settings;       /* unless `configure` sets others */
  PetscBool newton;              /* a step is a steady state: dt is 0, its time does not move, the run ends with it */
  PetscBool integrator;          /* a step is that of an integrator of PETSc, whose options it takes */
  unsigned provides;             /* capabilities, unless `configure` sets others */
  PetscErrorCode (*configure)(RhxScheme sc); /* once options are read; NULL: nothing */
  PetscErrorCode (*choose)(RhxScheme sc);    /* settings by the form, before there are operations, or NULL */
  PetscErrorCode (*arrays)(RhxScheme sc);    /* asks for arrays of its own, or NULL */
  PetscErrorCode (*prepare)(RhxScheme sc);   /* once the operations are set up, or NULL */
  PetscErrorCode (*destroy)(RhxScheme sc);   /* what it keeps in sc->data, or NULL */
  /* From x and xdot to y and rate, by the operations of sc->ops and nothing else: it may be recorded. */
  PetscErrorCode (*step)(RhxScheme sc);
  /* Rates whose product with dt is 1 at the limits, in the order of RhxLimit, of sc->ops->result.stats, and the largest of
   * those that combine; NULL: those of forward Euler. */
  double (*limits)(RhxScheme sc, double rate[RHX_NLIMITS]);
  PetscErrorCode (*numbers)(RhxScheme sc, char name[256], PetscInt *n,
                            double **values); /* RhxSchemeGetNumbers, or NULL */
  PetscErrorCode (*get_history)(RhxScheme sc, PetscInt *n, const double **t,
                                const Vec **x); /* RhxSchemeGetHistory, or NULL, and */
  PetscErrorCode (*set_history)(RhxScheme sc, PetscInt n, const double *t, const Vec *x);
  PetscInt (*handed_width)(
      RhxScheme sc); /* RhxSchemeGetHandedWidth, or NULL: 0; else two numbers and nodes, given or taken: */
  PetscErrorCode (*hand)(RhxScheme sc, PetscBool give, double number[2], PetscScalar *nodes);
  PetscErrorCode (*saved)(RhxScheme sc);   /* a checkpoint is written: forgets what it has not, or NULL */
  PetscErrorCode (*given)(RhxScheme sc);   /* refuses what conditions give, once they have begun, or NULL */
  PetscErrorCode (*summary)(RhxScheme sc); /* prints a line at the end of a run, or NULL */
  PetscErrorCode (*view)(RhxScheme sc, PetscViewer viewer); /* one line, or NULL */
  RhxSchemeType *next;                                      /* of the registry */
};

struct _p_RhxScheme {
  const RhxSchemeType *type;
  RhxForm form; /* borrowed, as bc and device */
  RhxBoundary bc;
  RhxDevice device;
  RhxOpsSettings settings;
  unsigned provides;
  PetscBool amplifies;           /* every undamped wave, as forward Euler does: by `configure` */
  PetscBool looked;              /* at the first time step, */
  double told;                   /* by which the time step was beyond its limits; 0: not said */
  PetscInt nhalved, next_halved; /* steps whose implicit solve failed and that were halved; the number told of next */
  char halved[512];              /* what is to be said of it, or "" */
  void *opt;                     /* of the type's size */
  RhxOps ops;
  RhxArray x, y;              /* [bs] state, its ghosts valid; the new one */
  RhxArray xdot, rate;        /* [bs] of the last step, of this one */
  RhxArray aux, r, v, b, phi; /* work: [naux], [bs], [dim], [1], [1] */
  RhxArray w, first; /* [bs] rates that are corrected; the residual before, where that is done more than once */
  RhxArray
      spare; /* [bs] copy of the rate before the last, of a type whose steps read it before they write it in `rate`, or NULL */
  RhxArray own[8];       /* of the type */
  void *data;            /* likewise */
  PetscBool done;        /* the step found what the run is for */
  double end;            /* time at its end, of a type that makes steady states */
  const char *parameter; /* that steps change, without '-', or NULL; */
  double value;          /* its own at the end of the step, */
  int sign, passed;      /* that of det J there, 0: not known; what was passed before it (watch_impl.h) */
  double mass_factor;    /* by which corrections raise the rates of a step's limits */
  RhxImplicitWork work;  /* of the step, of a type that has a Newton's method */
  RhxStepInfo info;
  double mark;             /* a time that no step passes */
  double jump, lasts;      /* the last at which what is given broke off, infinite: none; for how long it goes on */
  PetscBool have_stats;    /* of the present state */
  PetscBool good;          /* x is the state; else y, which is not finite */
  PetscBool lazy, stale;   /* the TS's Vec may be, is older than the state */
  PetscObjectState known;  /* of the TS's Vec when it was the state, */
  PetscObjectId known_id;  /* and which Vec that was */
  PetscBool pressure_lags; /* the pressure is of the middle of the step; its slope tells that of the end */
  PetscBool adapts;        /* steps are chosen by their error: */
  double next, took;       /* that of the next one, 0: as the last; what this one took, 0: as asked, s */
  RhxArray slope;          /* [bs] rate at the end of the step, of a balance with the consistent mass; or NULL */
  double growth;           /* of dt from one step to the next at most; 0: any */
  int turn;                /* which of two memories x is */
  Vec rate_vec, state_vec; /* [global] copies of rate and state for checkpoints */
  Vec part_vec;            /* [global] a part of the state, for who asks for no more */
  double before, lag;      /* dt of the last step, 0: none; the pressure is told lag times its rate later, s */
  double lead,
      late; /* of the last implicit step: its rate of velocity is lead times xdot less late times that before */
  RhxArray kept[RHX_KEPT_STATES];    /* copies of the state where it is, */
  PetscScalar *far[RHX_KEPT_STATES]; /* or [nowned][bs] on the host for want of room */
  PetscBool asked, room;
  struct RhxReactionPatch *patches;       /* list, owned */
  PetscErrorCode (*interrupt)(void *ctx); /* RhxSchemeSetInterrupt, or NULL */
  void *interrupt_ctx;
  double silence;  /* RhxSchemeSetSilence */
  char rescue[64]; /* RhxSchemeSetRescue, or "" */
};

/* Adds a scheme; after PETSc's initialisation, before options are read. type: static. */
PetscErrorCode RhxSchemeRegister(RhxSchemeType *type);
PetscErrorCode RhxSchemeGet(TS ts, RhxScheme *scheme);
/* Of forward Euler: convection shares a step with viscosity, relaxation or elastic waves, for its stabilisation acts on the same
 * waves; growth alone. most: of rates that were changed after RhxEulerLimits. */
double RhxEulerLimits(RhxScheme sc, double rate[RHX_NLIMITS]);
/* Heun amplifies elastic waves from dt = (4 p/w^4)^(1/3) on where forward Euler does from p/w^2 on (p their damping), and
 * convected ones not at all. */
double RhxHeunGrowth(RhxScheme sc);
double RhxMostOfLimits(const double rate[RHX_NLIMITS]);
/* The name of what makes `most`, which the type's limits() returned: a limit, or "convective + viscous" where either has a tenth
 * of the sum; "dissipation" where it is the scheme's own. */
void RhxNameMostOfLimits(const double rate[RHX_NLIMITS], double most, size_t size, char *name);

/* ---- Parts of explicit steps (stage.c); formulas at the head of lumped.c ---- */

#define RHX_FIRST 1u /* the first stage of a step: takes the rates that bound dt, and the continuity residual */
#define RHX_LAST 2u  /* its end is the step's: y gets its rate and measures */
/* A stage of the present times with a pressure by projection: y = base - stage M^-1 R(x), then the increment over the pressure of
 * x. base: of x's time or earlier. */
PetscErrorCode RhxStageProjection(RhxScheme sc, RhxArray base, RhxArray x, RhxArray y, unsigned which);
/* `hand` of explicit steps that hand on e: nodes[nowned], that of the last step, whose key is not that of the next. */
PetscErrorCode RhxStageHand(RhxScheme sc, PetscBool give, PetscScalar *nodes);
/* The same with a pressure by dissipation: div y = eps/rho lap p. */
PetscErrorCode RhxStageDissipation(RhxScheme sc, double eps, RhxArray base, RhxArray x, RhxArray y, unsigned which);
/* The residual r of a stage a whole step long becomes that of rates corrected by the consistent mass, as often as the settings
 * say. */
PetscErrorCode RhxStageCorrect(RhxScheme sc, RhxArray r);
/* Before the first step of a run: the velocity it begins with gets the divergence that the subscales of its pressure ask for, which
 * tracked ones would follow with their own time. */
PetscErrorCode RhxStageSettle(RhxScheme sc, double t, double dt);
/* The array that a stage first adds to: `clear` of the operation before it. */
RhxArray RhxStageFirst(RhxScheme sc);

/* Has stabiliser k of the form -stabiliser_<name>_tau transient? option: that one. */
PetscErrorCode RhxSchemeHasTransientTau(RhxForm form, PetscInt k, char option[128], PetscBool *transient);

/* A scheme of this name whose steps are those of integrators of PETSc, or steady states? */
PetscErrorCode RhxSchemeHasIntegrators(const char *name, PetscBool *has, PetscBool *newton);

/* state.c, for scheme.c */
PetscErrorCode RhxSchemeLoad(TS ts, RhxScheme sc);
PetscErrorCode RhxSchemeStore(TS ts, RhxScheme sc);
PetscErrorCode RhxSchemeForget(RhxScheme sc);
PetscErrorCode RhxSchemeFreePatches(RhxScheme sc); /* of fetch.c */
/* What the TS's solution is: the state, or one whose pressure is told at the step's end; ghosts of x alone are valid. */
PetscErrorCode RhxSchemeTell(RhxScheme sc, RhxArray *told);
#endif
