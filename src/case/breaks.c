/* Jumps and kinks of what is given, where steps end. */
#include "case/impl.h"
#include "petsc_compat.h"
#include <math.h>

/* Of a run without an end half of what is looked at, s, of which t is in part *k. */
static double half_of(RhxCase rc, double t, double *k)
{
  const double half = 0.5 * RHX_UNENDING * rc->option.length / rc->option.velocity;
  *k = floor(PetscMax(t, 0.0) / half * (1.0 + 1e-12));
  return half;
}

/* From 0 on, so that a restart knows of the same; without an end from half a part before that of t to the end of the next. */
PetscErrorCode RhxCaseFindBreaks_Private(RhxCase rc)
{
  PetscBool steady;
  PetscReal t, begin;
  double k, half, end;

  PetscFunctionBegin;
  PetscCall(RhxBreaksDestroy(&rc->breaks));
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCall(TSGetTime(rc->ts, &t));
  half = half_of(rc, t, &k);
  begin = rc->stop.time > t ? PetscMin(t, 0.0) : PetscMin(t, PetscMax(k - 1.0, 0.0) * half);
  end = steady ? begin : rc->stop.time > t ? rc->stop.time : (k + 2.0) * half;
  PetscCall(RhxBoundaryFindBreaks(rc->bc, begin, end, &rc->breaks));
  rc->breaks_part = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseFindLaterBreaks_Private(RhxCase rc)
{
  PetscBool steady;
  PetscReal t;
  double k;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  PetscCall(TSGetTime(rc->ts, &t));
  (void)half_of(rc, t, &k);
  if (!steady && !(rc->stop.time > t) && k != rc->breaks_part) PetscCall(RhxCaseFindBreaks_Private(rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define TOLD 3 /* times of jumps */

void RhxCaseDescribeBreaks_Private(RhxCase rc, size_t size, char *text)
{
  const double *time;
  const char *option;
  PetscBool others;
  const PetscInt n = RhxBreaksGet(rc->breaks, &time, &option, &others);
  size_t at = 0;

  text[0] = '\0';
  if (RhxBreaksAreMany(rc->breaks))
    snprintf(text, size, "what is given jumps too often for steps to end there (-%s)", option);
  for (PetscInt i = 0; i < PetscMin(n, TOLD) && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%.6g",
                           i ? ", " : "steps end at jumps and kinks of what is given, t = ", time[i]);
  if (n && at < size)
    snprintf(text + at, size - at, " s%s (-%s%s)", n > TOLD ? " and later" : "", option, others ? " and others" : "");
}
