/* States at h/4, h/2 and h, each by one step from the start. With x(s) = a + b s + theta c s^2, theta c s^2 the step's own, they give c without a: of a start
 * whose state does not meet what is given, a is not that state. The error is taken for that of a step of first order, c h^2/2, as PETSc does later. */
#include "petsc_compat.h"
#include "scheme/firststep_impl.h"
#include <math.h>
#include <petsc/private/tsimpl.h>

/* Shorter steps: one over what goes with a root of the time, a layer that begins, is taken as it is then. */
#define MOST 8
#define SAME 1e-6 /* of a step that was taken as it was asked for, over it */

typedef struct {
  TS ts;
  Vec start, quarter, half, by;
  double t, theta;
} First;

/* *dt becomes what Newton's method left of it; the state is ts->vec_sol, copied to x where that is not NULL. */
static PetscErrorCode try_step(First *f, double part, double *dt, Vec x)
{
  const double asked = part * *dt;
  double took;
  PetscFunctionBegin;
  PetscCall(VecCopy(f->start, f->ts->vec_sol));
  PetscCall(TSRestartStep(f->ts));
  PetscCall(TSSetTime(f->ts, f->t));
  PetscCall(TSSetTimeStep(f->ts, asked));
  PetscCall(TSStep(f->ts));
  took = f->ts->ptime - f->t;
  if (took < (1.0 - SAME) * asked) *dt = took;
  if (x) PetscCall(VecCopy(f->ts->vec_sol, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* by = x + the error */
static PetscErrorCode find_error(First *f, double scale, PetscInt n, const Vec *tolerance, const double *part,
                                 double *error)
{
  const NormType type = f->ts->adapt->wnormtype;
  const Vec x = f->ts->vec_sol;
  PetscFunctionBegin;
  /* h times the difference of two slopes: (x - half)/(h/2) - (half - quarter)/(h/4) */
  PetscCall(VecCopy(x, f->by));
  PetscCall(VecAXPBYPCZ(f->by, -6.0 * scale, 4.0 * scale, 1.0 + 2.0 * scale, f->half, f->quarter));
  *error = 0.0;
  for (PetscInt k = 0; k < n; k++) {
    PetscReal one, absolute, relative;
    f->ts->vatol = tolerance[k];
    PetscCall(TSErrorWeightedNorm(f->ts, x, f->by, type, &one, &absolute, &relative));
    if (type == NORM_2) one *= part[k];
    if (!(one <= *error)) *error = one;
  }
  f->ts->vatol = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dt: of the first attempt. What a TS does not complete it tells by its reason. */
static PetscErrorCode choose(First *f, PetscInt n, const Vec *tolerance, const double *part, double dt)
{
  const TS ts = f->ts;
  const TSAdapt adapt = ts->adapt;
  PetscFunctionBegin;
  for (PetscInt k = 0;; k++) {
    const double asked = dt;
    double error = 0.0, factor;
    PetscCall(try_step(f, 0.25, &dt, f->quarter));
    if (ts->reason >= 0 && dt == asked) PetscCall(try_step(f, 0.5, &dt, f->half));
    if (ts->reason >= 0 && dt == asked) PetscCall(try_step(f, 1.0, &dt, NULL));
    if (ts->reason < 0) PetscFunctionReturn(PETSC_SUCCESS);
    if (dt < asked) continue;
    PetscCall(find_error(f, 2.0 / (3.0 * f->theta), n, tolerance, part, &error));
    factor = adapt->safety / sqrt(PetscMax(error, PETSC_SQRT_MACHINE_EPSILON));
    if (!(factor >= adapt->clip[0])) factor = adapt->clip[0];
    factor = PetscMin(factor, adapt->clip[1]);
    PetscCall(TSSetTimeStep(ts, PetscMin(adapt->dt_max, PetscMax(adapt->dt_min, dt * factor))));
    if (error <= 1.0 || adapt->always_accept || k >= MOST || dt <= (1.0 + SAME) * adapt->dt_min) break;
    ts->reject++;
    dt = ts->time_step;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFirstStep(TS ts, PetscInt n, const Vec *tolerance, const double *part)
{
  First f = {.ts = ts, .t = ts->ptime};
  PetscBool theta, basic;
  PetscReal share;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ts, &theta, TSTHETA, TSCN, TSBEULER, ""));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ts->adapt, &basic, TSADAPTBASIC, TSADAPTDSP, ""));
  if (!theta || !basic || !ts->steprestart) {
    PetscCall(TSStep(ts));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TSThetaGetTheta(ts, &share));
  f.theta = share;
  Vec *const own[] = {&f.start, &f.quarter, &f.half, &f.by};
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); i++) PetscCall(VecDuplicate(ts->vec_sol, own[i]));
  PetscCall(VecCopy(ts->vec_sol, f.start));
  PetscCall(choose(&f, n, tolerance, part, ts->time_step));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); i++) PetscCall(VecDestroy(own[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
