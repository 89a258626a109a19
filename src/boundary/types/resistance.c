/* Outlet whose pressure is a formula of its flux, such as that of a vessel behind it, p = p_0 + R q. */
#include "boundary/types/outlet.h"
#include <math.h>
#include <stddef.h>

typedef struct {
  char text[RHX_STRING_LENGTH];
  RhxFormula formula;
} Options;

#define SPAN 1e-4 /* of the flux, between which its slope is taken */

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
  PetscCall(RhxFormulaOfFluxCreate(c->bc->comm, option, o->text, &o->formula));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxCondition *c)
{
  const Options *o = RhxConditionGetOptions(c);
  const double none = 0;
  char got[32];

  PetscFunctionBegin;
  PetscCall(RhxFormulaEvaluate(o->formula, 0, 1, 1, &none, &c->state[RHX_FOLLOW_PRESSURE]));
  snprintf(got, sizeof(got), "%g", c->state[RHX_FOLLOW_PRESSURE]);
  PetscCheck(!PetscIsInfOrNanReal(c->state[RHX_FOLLOW_PRESSURE]), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_pressure_by_flux: formula \"%s\" gives %s at q = 0, t = 0; expected a finite number", c->label,
             o->text, got);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode follow(RhxCondition *c, double t, double dt, double flux, double *pressure, double *slope)
{
  const Options *o = RhxConditionGetOptions(c);
  const double span = SPAN * (fabs(flux) + fabs(c->state[RHX_FOLLOW_FLUX])) + PETSC_SQRT_MACHINE_EPSILON;
  const double q[3] = {flux - span, flux, flux + span};
  double p[3];

  PetscFunctionBegin;
  PetscCall(RhxFormulaEvaluate(o->formula, t + dt, 3, 1, q, p));
  *pressure = p[1];
  *slope = (p[2] - p[0]) / (2 * span);
  PetscFunctionReturn(PETSC_SUCCESS);
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
    .priority = 4,
    .flags = RHX_TYPE_PRESSURE | RHX_TYPE_OPEN | RHX_TYPE_TRACTION,
    .shared = RHX_FOLLOWER_SHARED,
    .polymer = " open developed zero ",
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .nstate = RHX_FOLLOW_OWN,
    .check = check,
    .setup = setup,
    .gives = RhxOutletGives,
    .changes = RhxConditionChanges,
    .pressure = RhxFollowerPressure,
    .traction = RhxOutletTraction,
    .follow = follow,
    .view = view,
    .destroy = destroy};
