/* A branch of steady states by its arc length, through folds (Keller 1977).
 *
 *   F(x, q) = 0,  <t_x, x - x_0> + t_q (q - q_0) = ds,  q = p/|unit|,  t the unit tangent: J t_x = -F_q t_q
 *
 * <a, b> is the sum over velocity and modes of a.b over |x|^2 of the field at the first state, times what makes t_q^2 1/2 there. Each correction
 * solves with J twice. */
#ifndef RHX_ARCLENGTH_IMPL_H
#define RHX_ARCLENGTH_IMPL_H
#include "scheme/newton_impl.h"

typedef struct _RhxArc *RhxArc;

/* Along a parameter between low and high, which its differences do not leave; unit: of it, any sign. */
PetscErrorCode RhxArcCreate(RhxScheme sc, RhxNewton nt, const RhxParameter *how, double low, double high, double unit,
                            RhxArc *arc);
PetscErrorCode RhxArcDestroy(RhxArc *arc);
/* The first state, nt->x at p; the way goes towards the sign of `unit`. length: of a step that changes p by `unit` at first. */
PetscErrorCode RhxArcStart(RhxArc arc, double p, double *length);
/* In place of a start, at a state of a branch that is followed on: weight[nfields] and way of its RhxArcGet. */
PetscErrorCode RhxArcResume(RhxArc arc, double p, const double *weight, double way);
/* At the last state: weights of the fields in <a, b>, and dq/ds. */
void RhxArcGet(RhxArc arc, double *weight, double *way);
/* From the last state to the next, which nt->x then is; left: it would leave the
 * parameter's range, *p is its end and nt->x near to it. Neither: nt->f is the residual where it ended. */
PetscErrorCode RhxArcStep(RhxArc arc, double length, double *p, PetscBool *solved, PetscBool *left);
/* Takes nt->x at p as the last state; taken false: the branch bends too much for a step of this length. turned: the parameter turned since the one before, at about *fold. */
PetscErrorCode RhxArcAccept(RhxArc arc, double p, double length, PetscBool *taken, PetscBool *turned, double *fold);
/* After a state that was taken, the length of the next step: longer where the branch is straight, of a change of p by `unit` at most. */
double RhxArcNext(RhxArc arc, double length, PetscBool halved);
#endif
