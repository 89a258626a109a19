/* The equations of a form with its conditions as functions of global Vecs, for Newton's method: of a steady state, or of an
 * implicit step with the rate x_t.
 *
 *   F(x, x_t) = R(x, x_t) + M x_t (inertia.h) where x is free, x - g where it is given;  J = dF/dx + shift dF/dx_t, exact
 *
 * and rows of the velocity that turn at planes oblique to the axes (boundary/oblique.h), pressures and stresses that follow a flux (following_impl.h). */
#ifndef RHX_EQUATIONS_IMPL_H
#define RHX_EQUATIONS_IMPL_H
#include "boundary/oblique.h"
#include "scheme/driven_impl.h"
#include "scheme/following_impl.h"
#include "step/ops.h"

typedef struct _RhxEquations *RhxEquations;
typedef struct _RhxColumns *RhxColumns; /* columns_impl.h */
struct _RhxEquations {
  RhxOps ops; /* borrowed, as form and bc, which are its own; the arrays are its too */
  RhxForm form;
  RhxBoundary bc;
  DM dm;    /* of the unknowns, for what solvers ask it: operators are J and P */
  Mat J, P; /* exact, by products; at fixed projections, of which factors precondition */
  PetscBool meets,
      friction;          /* tractions follow the velocity; one does more than not at all, where they are linearised */
  PetscBool *given;      /* [nowned bs] rows of the identity */
  PetscInt ngiven, *row; /* their global numbers */
  Vec value;             /* g */
  Vec free, held, work;  /* 1 and 0 in rows that are free and given; 0 and 1 */
  Vec each, part; /* where the pressure's level is free: 1 in rows of continuity; a node's part of the volume there */
  RhxOblique oblique;     /* NULL: there is none */
  RhxDriven driven;       /* the force that keeps a mean velocity; NULL: none */
  RhxFollowing following; /* labels whose pressure or stress follows their flux; NULL: none */
  RhxColumns columns;     /* J has none of what is given: the state has to have it; NULL: J has them */
  RhxArray state, rate, along, res, aux, daux; /* of width bs, of naux: where J is; of products */
  PetscBool moving;                            /* there is a rate at all */
  double t, shift;                             /* s; of J, 1/s */
  PetscBool exact;                             /* all products are to rounding: some solve was misled by less */
  double
      cancels; /* how much larger a part of J v is than their sum, at most: as much more exact projections are; 0: 1 */
  KSP solving; /* borrowed: products with J are as exact as its solve needs; NULL: to rounding */
  PetscScalar mean; /* of the pressure of the state that was stored, with `each`, Pa */
};

/* products: J is a matrix of its own even where it is P. Collective, as all here. Before anything is
 * evaluated the operations are set up. */
PetscErrorCode RhxEquationsCreate(RhxOps ops, PetscBool products, RhxEquations *eq);
PetscErrorCode RhxEquationsDestroy(RhxEquations *eq);
/* From the next linearisation on: where `eliminate` columns_impl.h, on a device where no rows turn; else J has the columns of what is given, as at first. */
PetscErrorCode RhxEquationsEliminate(RhxEquations eq, PetscBool eliminate);
RhxOpsPoint RhxEquationsPoint(RhxEquations eq); /* where J is */
/* Unknowns of a state of the operations, and back: then what acts on it is that of x (driven_impl.h), whose pressure has the mean over
 * the domain of the state that was stored where its level is free, whatever node is held. */
PetscErrorCode RhxEquationsStore(RhxEquations eq, RhxArray state, Vec x);
PetscErrorCode RhxEquationsLoad(RhxEquations eq, RhxArray state, Vec x);
PetscErrorCode RhxEquationsLevel(RhxEquations eq, double mean, Vec x);
PetscErrorCode RhxEquationsLevelTransposed(RhxEquations eq, Vec y); /* of its derivative to x */
/* A step begins at t from x: of what follows the flow over it (following_impl.h). */
PetscErrorCode RhxEquationsBeginStep(RhxEquations eq, double t, Vec x);
/* What is given at t, g, with what the form has of conditions; a pressure that no label gives is held as it is in x. */
PetscErrorCode RhxEquationsSetTime(RhxEquations eq, double t);
PetscErrorCode RhxEquationsTell(RhxEquations eq, Vec x);   /* conditions that follow the flow are those of x */
PetscErrorCode RhxEquationsHold(RhxEquations eq, Vec x);   /* g = x, until the next time is set */
PetscErrorCode RhxEquationsImpose(RhxEquations eq, Vec x); /* x = g where it is given */
/* f = N f, what is left of rows where values are given: N = D Q, D 1 and 0 where rows are free and given, Q of boundary/oblique.h. */
PetscErrorCode RhxEquationsFree(RhxEquations eq, Vec f);
PetscErrorCode RhxEquationsFreeTransposed(RhxEquations eq, Vec v); /* v = N^T v */
PetscErrorCode RhxEquationsFreeRows(RhxEquations eq, Mat A);       /* A = N A */
/* f = F(x, xdot); xdot NULL: steady. */
PetscErrorCode RhxEquationsResidual(RhxEquations eq, Vec x, Vec xdot, Vec f);
PetscErrorCode RhxEquationsInertia(RhxEquations eq, Vec x, Vec f); /* f = M x where x is free, else 0 */
/* From now on J is the derivative there; eq->P that at fixed projections after RhxEquationsAssemble. follows: of what preconditions alone, where L that
 * stages make of projections changes as grad u does. */
PetscErrorCode RhxEquationsLinearise(RhxEquations eq, Vec x, Vec xdot, double shift);
PetscErrorCode RhxEquationsAssemble(RhxEquations eq, PetscBool follows);
PetscErrorCode RhxEquationsFollowTransposed(RhxEquations eq, Vec w,
                                            Vec x); /* x += (w^T dR/dP_k) dP_k/dx of R of all rows */
/* Where they are linearised: error where nothing gives a component of the velocity, at any node, nor holds it by friction or, at x, by backflow: a steady state is
 * then known up to that much. */
PetscErrorCode RhxEquationsCheckVelocity(RhxEquations eq, Vec x, const char *scheme);
#endif
