/* Outlet behind which lies a three-element Windkessel: p = R_p Q + p_c, C dp_c/dt = Q - (p_c - p_d)/R_d, Q the flux through the
 * label. Over a step Q is linear in time and the equation is solved exactly. */
#include "boundary/types/outlet.h"
#include "boundary/types/shared.h"
#include <math.h>
#include <stddef.h>

typedef struct {
  double proximal, distal, compliance, distal_pressure, initial_pressure;
} Options;

enum { STORED = RHX_FOLLOW_OWN, NSTATE }; /* p_c at the last step's end, Pa */

static const RhxRow rows[] = {
    {"proximal", RHX_REAL, 0, offsetof(Options, proximal), "0", RHX_GE, 0, 0, NULL, "Pa s/m^3",
     "resistance R_p of p = R_p Q + p_c, Q the label's flux, m^3/s (2D: m^2/s, the resistances Pa s/m^2)"},
    {"distal", RHX_REAL, 0, offsetof(Options, distal), "none", RHX_GT, 0, 0, "none", "Pa s/m^3",
     "resistance R_d of C dp_c/dt = Q - (p_c - p_d)/R_d"},
    {"compliance", RHX_REAL, 0, offsetof(Options, compliance), "none", RHX_GE, 0, 0, "none", "m^3/Pa",
     "compliance C (2D: m^2/Pa); 0: the two resistances alone"},
    {"distal_pressure", RHX_REAL, 0, offsetof(Options, distal_pressure), "0", RHX_ANY, 0, 0, NULL, "Pa",
     "pressure p_d behind the distal resistance"},
    {"initial_pressure", RHX_REAL, 0, offsetof(Options, initial_pressure), "0", RHX_ANY, 0, 0, NULL, "Pa",
     "pressure p_c over the compliance where the run begins"},
};

static PetscErrorCode check(RhxCondition *c)
{
  const Options *o = RhxConditionGetOptions(c);
  char got[32];

  PetscFunctionBegin;
  PetscCall(RhxFollowerCheck(c));
  PetscCheck(o->distal > 0 && o->compliance >= 0, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is a windkessel without its %s; expected -bc_%s_distal and -bc_%s_compliance", c->label,
             o->distal > 0 ? "compliance" : "distal resistance", c->label, c->label);
  snprintf(got, sizeof(got), "%g", o->initial_pressure);
  if (o->initial_pressure != 0 && !(o->compliance > 0))
    PetscCall(PetscFPrintf(c->bc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_initial_pressure: got %s Pa with -bc_%s_compliance 0, which "
                           "keeps no pressure, so that it does nothing from the first step on: expected a compliance "
                           "> 0 with it\n",
                           c->label, got, c->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxCondition *c)
{
  const Options *o = RhxConditionGetOptions(c);

  PetscFunctionBegin;
  c->state[STORED] = c->state[RHX_FOLLOW_PRESSURE] = o->initial_pressure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 - (1 - exp(-x))/x, x > 0, may be infinite. */
static double lag(double x)
{
  return x < 1e-3 ? x * (1.0 / 2 - x * (1.0 / 6 - x * (1.0 / 24 - x / 120))) : 1 + expm1(-x) / x;
}

/* p_c after dt in which the flux goes from q0 to q1 along a line; slope: its derivative in q1. */
static double stored(const Options *o, double p, double dt, double q0, double q1, double *slope)
{
  const double time = o->distal * o->compliance, x = time > 0 ? dt / time : HUGE_VAL;
  const double gone = -expm1(-x), late = o->distal * lag(x);

  *slope = late;
  return p - (p - o->distal_pressure) * gone + o->distal * gone * q0 + late * (q1 - q0);
}

static PetscErrorCode follow(RhxCondition *c, double t, double dt, double flux, double *pressure, double *slope)
{
  const Options *o = RhxConditionGetOptions(c);

  PetscFunctionBegin;
  (void)t;
  *pressure = o->proximal * flux + stored(o, c->state[STORED], dt, c->flux, flux, slope);
  *slope += o->proximal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(RhxCondition *c, double t, double dt)
{
  const double *state = c->state, before = state[RHX_FOLLOW_BEGUN] != 0 ? state[RHX_FOLLOW_FLUX] : c->flux;
  double slope;

  PetscFunctionBegin;
  (void)t;
  c->state[STORED] = stored(RhxConditionGetOptions(c), state[STORED], dt, before, c->flux, &slope);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lag_of(RhxCondition *c, double *gain, double *time)
{
  const Options *o = RhxConditionGetOptions(c);

  PetscFunctionBegin;
  *gain = o->distal;
  *time = o->distal * o->compliance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RhxCondition *c, PetscViewer viewer)
{
  const Options *o = RhxConditionGetOptions(c);
  char text[256];

  PetscFunctionBegin;
  snprintf(text, sizeof(text), ", R_p %g, C %g, R_d %g behind it, R_d C %g s, distal pressure %g Pa, from %g Pa on",
           o->proximal, o->compliance, o->distal, o->distal * o->compliance, o->distal_pressure, o->initial_pressure);
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_windkessel = {
    RHX_CONDITION_ENTRY("windkessel", "outlet behind which lies a three-element Windkessel, solved for with the flow"),
    RHX_FOLLOWER_TYPE,
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .nstate = NSTATE,
    .check = check,
    .setup = setup,
    .changes = RhxConditionChanges,
    .follow = follow,
    .advance = advance,
    .lag = lag_of,
    .view = view};
