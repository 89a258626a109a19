/* Outlet whose pressure is a formula of its flux, such as that of a vessel behind it, p = p_0 + R q. */
#include "boundary/types/outlet.h"
#include "boundary/types/shared.h"
#include <float.h>
#include <math.h>
#include <stddef.h>

typedef struct {
  char text[RHX_STRING_LENGTH];
  RhxFormula formula;
} Options;

#define SPAN 1e-4      /* of the flux, over which the slope is taken */
#define ROUNDING 1e-12 /* of the pressure: a smaller rise over the span is not seen */

static const RhxRow rows[] = {
    {"pressure_by_flux", RHX_STRING, 0, offsetof(Options, text), "", RHX_ANY, 0, 0, NULL, "Pa",
     "formula in q and t of the outlet's mean pressure, q its flux out of the domain, m^3/s (2D: m^2/s), which it must "
     "not "
     "fall with: \"1e4 + 2e8*q\""},
};

static PetscErrorCode check(RhxCondition *c)
{
  Options *o = RhxConditionGetOptions(c);
  char option[256];

  PetscFunctionBegin;
  PetscCall(RhxFollowerCheck(c));
  PetscCheck(o->text[0], c->bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is a resistance without a formula; expected -bc_%s_pressure_by_flux, such as \"1e4 + 2e8*q\"",
             c->label, c->label);
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_pressure_by_flux", c->label));
  PetscCall(RhxFormulaCreate(c->bc->comm, option, o->text, RHX_FORMULA_OF_FLUX, &o->formula));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slope: of a difference over SPAN of the fluxes, or wider where rounding hides the rise. */
static PetscErrorCode follow(RhxCondition *c, double t, double dt, double flux, double *pressure, double *slope)
{
  const Options *o = RhxConditionGetOptions(c);
  const double both = fabs(flux) + fabs(c->state[RHX_FOLLOW_FLUX]), widest = PETSC_SQRT_MACHINE_EPSILON;
  const double end = isinf(dt) ? t : t + dt;
  double span = both > 0 ? fmax(SPAN * both, DBL_MIN) : widest, p[3];

  PetscFunctionBegin;
  for (PetscBool first = PETSC_TRUE;; first = PETSC_FALSE, span = fmin(100 * span, widest)) {
    const double q[3] = {flux - span, flux, flux + span};
    PetscCall(RhxFormulaEvaluate(o->formula, end, 3, 1, q, p));
    const double rise = p[2] - p[0];
    if (!first && PetscIsInfOrNanReal(rise)) break; /* beyond where the formula is a number */
    *slope = rise / (2 * span);
    if (span >= widest || rise > ROUNDING * fabs(p[1])) break;
  }
  *pressure = p[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxCondition *c)
{
  const Options *o = RhxConditionGetOptions(c);
  const double none = 0;
  double pressure, slope;
  char got[32];

  PetscFunctionBegin;
  PetscCall(RhxFormulaEvaluate(o->formula, 0, 1, 1, &none, &c->state[RHX_FOLLOW_PRESSURE]));
  snprintf(got, sizeof(got), "%g", c->state[RHX_FOLLOW_PRESSURE]);
  PetscCheck(!PetscIsInfOrNanReal(c->state[RHX_FOLLOW_PRESSURE]), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_pressure_by_flux: formula \"%s\" gives %s at q = 0, t = 0; expected a finite number", c->label,
             o->text, got);
  PetscCall(follow(c, 0, 0, none, &pressure, &slope));
  snprintf(got, sizeof(got), "%g", slope);
  PetscCheck(!(slope < 0), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_pressure_by_flux: formula \"%s\" has the slope %s at q = 0, t = 0; expected a pressure that rises "
             "with the flux out of the domain",
             c->label, o->text, got);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned changes(RhxCondition *c, double t0, double t1)
{
  PetscBool timed = PETSC_FALSE;

  (void)RhxFormulaDependsOnTime(((const Options *)c->own)->formula, &timed);
  return RhxConditionChanges(c, t0, t1) | (timed ? RHX_CHANGES_PRESSURE | RHX_CHANGES_TRACTION : 0u);
}

static PetscErrorCode view(RhxCondition *c, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, ", pressure \"%s\" of the flux q",
                                   ((const Options *)RhxConditionGetOptions(c))->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxCondition *c)
{
  PetscFunctionBegin;
  if (c->own) PetscCall(RhxFormulaDestroy(&((Options *)c->own)->formula));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_resistance = {
    RHX_CONDITION_ENTRY("resistance", "outlet whose pressure is a formula of its flux, solved for with the flow"),
    RHX_FOLLOWER_TYPE,
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .nstate = RHX_FOLLOW_OWN,
    .check = check,
    .setup = setup,
    .changes = changes,
    .follow = follow,
    .view = view,
    .destroy = destroy};
