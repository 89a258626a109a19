/* Scalar fields beyond what was given at the start and by conditions, where a maximum principle holds them there: no source, nor any flux through
 * labels, takes a field below the least of it, or lifts it above the greatest. theory.md, 10. */
#include "boundary/scalar.h"
#include "case/impl.h"
#include "diagnostics/diagnostics.h"
#include "form/taken.h"
#include <math.h>

#define BEYOND 0.02   /* of the range */
#define LITTLE 1e-6   /* of the range in D/U: no source; where fluid stays for ten thousand D/U it makes 1 % */
#define ROUNDING 1e-9 /* of a value: no range */

/* Of field k: between what it has to lie, infinite where nothing says so. */
typedef struct {
  PetscInt k;
  double given[2], bound[2], range;
  RhxScalarHealth is;
} Extremes;

/* The steady state knows no start if a condition says a level. */
static PetscErrorCode find_given(RhxCase rc, PetscBool steady, Extremes *e, RhxScalarGiven *given)
{
  PetscBool holds;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryHoldsScalar(rc->bc, e->k, &holds));
  holds = (PetscBool)(holds && steady);
  PetscCall(RhxBoundaryGetScalarGiven(rc->bc, e->k, holds, given));
  e->given[0] = holds ? given->value[0] : fmin(given->value[0], rc->report.least[e->k]);
  e->given[1] = holds ? given->value[1] : fmax(given->value[1], rc->report.greatest[e->k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does no source take the field from `from` on further down (side 0) or up (side 1), as far as it has come? */
static PetscErrorCode is_held(RhxCase rc, const Extremes *e, int side, const double formula[2], double from,
                              PetscBool *held)
{
  const double most = LITTLE * e->range * rc->option.velocity / rc->option.length;
  const double value[2] = {from, side ? e->is.greatest : e->is.least};

  PetscFunctionBegin;
  *held = PETSC_TRUE;
  for (int i = 0; i < 2 && *held; i++) {
    double source[2];
    PetscCall(RhxSourceRange(rc->form, e->k, rc->x, value[i], source));
    *held = (PetscBool)(side ? source[1] + formula[1] <= most : source[0] + formula[0] >= -most);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What only consumes a field takes it to 0 and no further. */
static PetscErrorCode find_bound(RhxCase rc, const RhxScalarGiven *given, int side, Extremes *e)
{
  const double from = e->given[side], others[2] = {fmin(from, 0.0), fmax(from, 0.0)};
  PetscBool held = PETSC_FALSE;

  PetscFunctionBegin;
  if (!(side ? given->flux[1] <= 0.0 : given->flux[0] >= 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_held(rc, e, side, given->source, from, &held));
  if (held) e->bound[side] = from;
  if (held || others[side] == from) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_held(rc, e, side, given->source, others[side], &held));
  if (held) e->bound[side] = others[side];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advise(RhxCase rc, size_t size, char *text)
{
  char names[400];

  PetscFunctionBegin;
  PetscCall(RhxFormAdviseCapturing(rc->form, sizeof(names), names));
  text[0] = '\0';
  if (names[0])
    PetscCall(PetscSNPrintf(text, size, ", or -stabiliser %s, which widens layers that are carried", names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell(RhxCase rc, const Extremes *e, int side)
{
  const double value = side ? e->is.greatest : e->is.least, *x = side ? e->is.greatest_at : e->is.least_at;
  const RhxScalarRow *row = rc->form->scalar[e->k].row;
  char at[96], advice[512], unit[32] = "";

  PetscFunctionBegin;
  snprintf(at, sizeof(at), rc->space->dim == 3 ? "%.4g, %.4g, %.4g" : "%.4g, %.4g", x[0], x[1], x[2]);
  if (strcmp(row->unit, "1")) PetscCall(PetscSNPrintf(unit, sizeof(unit), " %s", row->unit));
  PetscCall(advise(rc, sizeof(advice), advice));
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: '%s' is where no source or condition takes it: got %.4g%s at (%s) m, "
                   "expected at %s %.4g%s: %.0f %% of its range beyond it, an error of the mesh; expected smaller "
                   "cells there or where layers are thinner than two of them%s\n",
                   row->name, value, unit, at, side ? "most" : "least", e->bound[side], unit,
                   100.0 * fabs(value - e->bound[side]) / e->range, advice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at(RhxCase rc, PetscInt k, PetscBool steady)
{
  Extremes e = {.k = k, .bound = {PETSC_NINFINITY, PETSC_INFINITY}};
  RhxScalarGiven given;

  PetscFunctionBegin;
  PetscCall(RhxScalarCheck(rc->form, k, rc->x, &e.is));
  PetscCall(find_given(rc, steady, &e, &given));
  if (!(e.given[0] <= e.given[1])) PetscFunctionReturn(PETSC_SUCCESS);
  e.range = e.given[1] - e.given[0];
  if (e.is.least >= e.given[0] - BEYOND * e.range && e.is.greatest <= e.given[1] + BEYOND * e.range)
    PetscFunctionReturn(PETSC_SUCCESS);
  e.range = fmax(e.range, e.is.greatest - e.is.least);
  for (int side = 0; side < 2; side++) PetscCall(find_bound(rc, &given, side, &e));
  e.range = (e.bound[1] < PETSC_INFINITY ? e.bound[1] : fmax(e.given[1], e.is.greatest)) -
            (e.bound[0] > PETSC_NINFINITY ? e.bound[0] : fmin(e.given[0], e.is.least));
  if (!(e.range > ROUNDING * fmax(fabs(e.given[0]), fabs(e.given[1])))) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(e.bound[0] - e.is.least <= BEYOND * e.range)) PetscCall(tell(rc, &e, 0));
  if (!(e.is.greatest - e.bound[1] <= BEYOND * e.range)) PetscCall(tell(rc, &e, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseScalarRange_Private(RhxCase rc, PetscInt k, double *range)
{
  RhxScalarGiven given;
  Extremes e = {.k = k};

  PetscFunctionBegin;
  PetscCall(find_given(rc, PETSC_FALSE, &e, &given));
  *range = e.given[1] - e.given[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfExtremes_Private(RhxCase rc, PetscBool steady)
{
  PetscFunctionBegin;
  if (steady && rc->report.inflow) PetscFunctionReturn(PETSC_SUCCESS); /* which may bring any value, as is told */
  for (PetscInt k = 0; k < rc->form->nscalars; k++)
    if (k != rc->form->swirl) PetscCall(look_at(rc, k, steady));
  PetscFunctionReturn(PETSC_SUCCESS);
}
