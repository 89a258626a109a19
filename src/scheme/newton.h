/* Newton's method for the steady residual of a form with its conditions. Private to scheme. */
#ifndef RHX_NEWTON_H
#define RHX_NEWTON_H
#include "form/tangent.h"
#include "scheme/type.h"
#include <petscsnes.h>

#define RHX_NEWTON_HISTORY 64

typedef struct _RhxNewton *RhxNewton;
struct _RhxNewton {
  RhxForm form; /* borrowed, as bc */
  RhxBoundary bc;
  SNES snes;
  Mat J, P;                                /* exact; at fixed projections, of which the factors precondition */
  Vec x, f, old;                           /* [global] state, residual, state before a pseudo time step */
  PetscBool *given;                        /* [nowned bs] rows of the identity */
  PetscInt ngiven, *row;                   /* their global numbers */
  PetscScalar *state, *along, *aux, *daux; /* [nlocal][bs], [nlocal][naux] */
  PetscScalar *res;                        /* [nlocal][bs] */
  double t, shift;                         /* s; 1/dt of a pseudo time step, 1/s */
  double scale;                            /* residual norm at rest with what is given: converged is relative to it */
  double *first;                           /* [nfields] largest residual over the lumped mass at the beginning */
  PetscReal history[RHX_NEWTON_HISTORY];   /* residual norms of the last solve */
  PetscInt iterations;                     /* of it */
};

PetscErrorCode RhxNewtonCreate(RhxForm form, RhxBoundary bc, RhxNewton *nt);
PetscErrorCode RhxNewtonDestroy(RhxNewton *nt);
/* nt->x holds a state with what is given at t. */
PetscErrorCode RhxNewtonBegin(RhxNewton nt, double t);
PetscErrorCode RhxNewtonResidual(RhxNewton nt, double *norm); /* of the steady equations at x */
/* From x to x; most: iterations, 0: those of the options. */
PetscErrorCode RhxNewtonSolve(RhxNewton nt, double shift, PetscInt most, PetscBool *solved);
/* where: of a continuation, or "". */
PetscErrorCode RhxNewtonFail(RhxNewton nt,
                             const char *where); /* the error: field and place of the largest residual, what to try */
PetscErrorCode RhxNewtonSay(RhxNewton nt, PetscInt steps);
#endif
