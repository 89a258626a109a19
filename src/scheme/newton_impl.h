/* Newton's method for the equations of a steady state or of an implicit step. */
#ifndef RHX_NEWTON_IMPL_H
#define RHX_NEWTON_IMPL_H
#include "scheme/equations_impl.h"
#include "scheme/parameter.h"
#include "scheme/projected_impl.h"
#include "scheme/renew_impl.h"
#include "scheme/scaling_impl.h"
#include "scheme/type_impl.h"
#include <petscts.h>

#define RHX_NEWTON_HISTORY 64

#define RHX_CREEPING 8        /* iterations that do not halve a residual, of a step that may be tried again: it is */
#define RHX_AT_ROUNDING 1e-13 /* of a residual over its scale */

typedef struct _RhxNewton *RhxNewton;
struct _RhxNewton {
  RhxScheme sc; /* borrowed */
  RhxEquations eq;
  RhxScaling
      scaling; /* of unknowns and rows of SNES and KSP: what is called x here is the state, z what they have of it */
  Mat J;       /* of z */
  Mat A;       /* borrowed: what preconditions, of z after RhxNewtonPrecondition; eq->P or that of `projected` */
  RhxProjected projected; /* NULL: A is eq->P */
  SNES snes;
  RhxRenew renew;            /* of its preconditioner */
  RhxImplicitWork told;      /* up to the last step */
  Vec x, f, old, rate;       /* [global] state, residual, state before a pseudo time step, its rate */
  Vec z, now;                /* what SNES solves for; state where it asks, lost by any call */
  double shift;              /* 1/dt of a pseudo time step, 1/s */
  double scale;              /* residual norm at rest with what is given: converged is relative to it */
  double weight;             /* that of a body force that no pressure balances; 0: there is none */
  double rest;               /* the same as RhxNewtonBegin found it, without that of the state */
  double begun, last;        /* residuals of a solve: the first; of the iteration before; */
  double past[RHX_CREEPING]; /* and of those before it, iteration k at k % RHX_CREEPING */
  double rounding;           /* of a steady residual, by the values that it began with: below it is solved */
  double bound;              /* a larger one of SNES is not converged; 0: any may be */
  double *first, *most;      /* [nfields] largest residual over the lumped mass at the beginning; and of all solves' */
  double wi;                 /* largest lambda |D|, for errors: of the last good state; 0: not known */
  PetscReal history[RHX_NEWTON_HISTORY]; /* residual norms of the last solve */
  PetscInt iterations;                   /* of it */
  PetscReal linear;                      /* tolerance of single linear solves */
  TS ts;                                 /* whose steps are solved, borrowed; NULL: the steady state */
  PetscLogDouble started, spoke;         /* a step began; something was said of it: wall time, s */
  PetscBool near;                        /* RhxNewtonForce */
  PetscBool told_failures;               /* RhxNewtonTellFailures */
  PetscBool checked;                     /* options that preconditioners read when they are set up */
  PetscBool rescuing;                    /* a linear solve is done again (rescue_impl.h) */
  PetscBool eliminates;                  /* columns of what is given, in solves of SNES, which begin with it */
};

/* Of -scheme_<name>_dirichlet, in a struct of options. */
enum { RHX_GIVEN_ROWS, RHX_GIVEN_SYMMETRIC };
#define RHX_GIVEN_ROW(type, at)                                                                                       \
  {                                                                                                                   \
    "dirichlet", RHX_CHOICE, 0, offsetof(type, at), "rows", RHX_ANY, 0, 0, "rows|symmetric", "",                      \
        "values that conditions give, in the Jacobian and its matrix: rows of the identity, or their columns "        \
        "eliminated too, so that a symmetric part stays symmetric (where no side is oblique to the axes on a device " \
        "too; solves of Newton's method alone, which "                                                                \
        "begin "                                                                                                      \
        "with these values)"                                                                                          \
  }

/* ts NULL: a SNES of its own for the steady state, ready to solve; else that of the integrator, for RhxNewtonSetUpSolver. J is a
 * matrix of its own unless each is set up. Error of labels that the scheme cannot follow. */
PetscErrorCode RhxNewtonCreate(RhxScheme sc, const RhxRenewOptions *renew, TS ts, RhxNewton *nt);
PetscErrorCode RhxNewtonAskGiven(RhxScheme sc, int given); /* RHX_GIVEN_... of the options; before anything is set up */
PetscErrorCode RhxNewtonEliminate(RhxNewton nt, int given); /* after RhxNewtonCreate */
/* GMRES with J, factors of P, line search; then PETSc's options. Tolerances of the residual: Newton's and the linear one. */
PetscErrorCode RhxNewtonSetUpSolver(RhxNewton nt, double tolerance, double linear);
/* The linear part of it, with the DM, before options: right-preconditioned GMRES with J, of P its factors or, where options ask for them, splits. */
PetscErrorCode RhxNewtonSetUpLinear(RhxEquations eq, Mat J, Mat P, double tolerance, KSP ksp);
PetscErrorCode RhxNewtonDestroy(RhxNewton *nt);
/* nt->x holds a state with what is given at t. */
PetscErrorCode RhxNewtonBegin(RhxNewton nt, double t);
PetscErrorCode RhxNewtonScale(RhxNewton nt,
                              double t); /* nt->scale anew, of other parameters; nt->old and nt->f are lost */
PetscErrorCode RhxNewtonRounding(RhxNewton nt,
                                 double *norm); /* below which no residual of modes falls; nt->f is lost */
PetscErrorCode RhxNewtonResidual(RhxNewton nt, double *norm); /* of the steady equations at x */
/* From x to x; most: iterations, 0: those of the options. */
PetscErrorCode RhxNewtonSolve(RhxNewton nt, double shift, PetscInt most, PetscBool *solved);
/* Whether the next solves begin near to where they end: the first linear solve is worth more then. Unless options say how exact it is. */
PetscErrorCode RhxNewtonForce(RhxNewton nt, PetscBool near);
/* J x = b with the preconditioner as it is; to the tolerance of single solves, which SNES changes in its own. */
PetscErrorCode RhxNewtonSolveLinear(RhxNewton nt, Vec b, Vec x, PetscBool *solved);
/* The same from x, to `forcing` of b where that is looser and options do not say how exact linear solves are. */
PetscErrorCode RhxNewtonSolveNear(RhxNewton nt, double forcing, Vec b, Vec x, PetscBool *solved);
/* The velocity of x becomes that of what is given, by the equations linearised at x, where it need not be given yet. */
PetscErrorCode RhxNewtonStream(RhxNewton nt, PetscBool *solved);
/* Where the equations are linearised: the preconditioner is set up, */
PetscErrorCode RhxNewtonPrecondition(RhxNewton nt);
/* or, before SNES solves with J, is where it is due. place: of the solve in its step (renew_impl.h); cfl: of the step. */
PetscErrorCode RhxNewtonPrepare(RhxNewton nt, PetscInt place, double cfl);
/* f = R F(x, xdot), of SNES; J becomes the derivative there. */
PetscErrorCode RhxNewtonEvaluate(RhxNewton nt, Vec x, Vec xdot, Vec f);
PetscErrorCode RhxNewtonLinearise(RhxNewton nt, Vec x, Vec xdot, double shift);
PetscErrorCode RhxNewtonSolved(RhxNewton nt); /* it has: J is exact to rounding again */
/* What was done since the last call; newton: of the step. */
PetscErrorCode RhxNewtonTakeWork(RhxNewton nt, PetscInt newton, RhxImplicitWork *work);
PetscErrorCode RhxNewtonSayWork(RhxNewton nt, const char *steps); /* of the run, a line */
/* Once, after a set-up: error of an option that nothing has read. */
PetscErrorCode RhxNewtonCheckOptions(RhxNewton nt);
/* The error: field and place of the largest residual. where: of a continuation or a step, or ""; hint: what to try. */
PetscErrorCode RhxNewtonFail(RhxNewton nt, const char *where, const char *hint);
/* The same of nt->f, nt->iterations and a reason. */
PetscErrorCode RhxNewtonFailAt(RhxNewton nt, const char *why, const char *where, const char *hint);
PetscErrorCode RhxNewtonSay(RhxNewton nt, PetscInt steps);
PetscErrorCode RhxNewtonStepBegins(RhxNewton nt); /* from here on time is counted and, after -case_report_seconds, */
PetscErrorCode RhxNewtonTell(RhxNewton nt, PetscInt iteration, double f); /* is told where it is, with this residual */
PetscErrorCode RhxNewtonTellFailures(RhxNewton nt); /* once, after a second linear solve that failed */
PetscErrorCode RhxSteadyCheck(RhxScheme sc);        /* error of any other scheme */
/* The parameter, and all that follows from it; RhxParameterSet: of one that is an option. */
PetscErrorCode RhxSteadySet(RhxScheme sc, const RhxParameter *parameter, double value);
/* The same for a state that is to be kept: of a continuation of this parameter its value, and by value its time, become this one. */
PetscErrorCode RhxSteadyMove(TS ts, RhxScheme sc, const RhxParameter *parameter, double value);
PetscErrorCode RhxParameterSet(RhxScheme sc, const RhxParameter *parameter, double value);
double RhxSteadyGetTime(RhxScheme sc);                                                /* of what is given, s */
PetscErrorCode RhxSteadyGetClimbed(RhxScheme sc, const char **option, double *value); /* RhxSchemeGetClimbed */
/* That of scheme `steady`, borrowed, and the time at which its conditions are taken, s, and now are; error where they change later. */
PetscErrorCode RhxSteadyGetNewton(RhxScheme sc, RhxNewton *nt, double *t);
/* worst.c. Largest residuals of nt->f by fields, at the beginning of a solve; and the field whose residual has fallen the least of the largest
 * it had, where, and text: those of all fields, now and at the beginning. Collective. */
typedef struct {
  double value; /* largest |residual| over the lumped mass of its node */
  double x[3];
} RhxNewtonWorst;
/* loose.c; at x, or at rest with its fields; NULL: there is none. J is elsewhere then. */
PetscErrorCode RhxNewtonFindLoose(RhxNewton nt, PetscBool rest, const RhxField **field);
PetscErrorCode RhxNewtonNoteFirst(RhxNewton nt);
double RhxNewtonGetFirstRate(RhxNewton nt); /* of the velocity by what was noted, 1/s */
PetscErrorCode RhxNewtonFindWorst(RhxNewton nt, const RhxField **field, RhxNewtonWorst *worst, size_t size, char *text);
#endif
