/* Outlet behind which lies a three-element Windkessel: p = R_p Q + p_c, C dp_c/dt = Q - p_c/R_d, Q the flux through the label.
 * The pressure of a step is that of the state at its start; over a step Q is constant and the equation is solved exactly. */
#include <math.h>
#include <rheoplex/condition.h>
#include <stddef.h>

typedef struct {
  double proximal, distal, compliance;
} Options;

enum { COMPLIANCE, OUTLET, NSTATE }; /* p_c and p, Pa */

static const RhxRow rows[] = {
    {"proximal", RHX_REAL, 0, offsetof(Options, proximal), "0", RHX_GE, 0, 0, NULL, "Pa s/m^3", "resistance R_p"},
    {"distal", RHX_REAL, 0, offsetof(Options, distal), "1", RHX_GT, 0, 0, NULL, "Pa s/m^3", "resistance R_d"},
    {"compliance", RHX_REAL, 0, offsetof(Options, compliance), "1", RHX_GT, 0, 0, NULL, "m^3/Pa", "compliance C"},
};

static PetscErrorCode pressure(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p)
{
  PetscFunctionBegin;
  (void)t;
  (void)x;
  for (PetscInt i = 0; i < n; i++) p[i] = RhxConditionGetState(c)[OUTLET];
  PetscFunctionReturn(0);
}

static PetscErrorCode traction(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                               PetscReal *values)
{
  PetscInt dim = RhxConditionGetDimension(c);

  PetscFunctionBegin;
  (void)t;
  (void)x;
  for (PetscInt i = 0; i < n * dim; i++) values[i] = -RhxConditionGetState(c)[OUTLET] * normal[i];
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(RhxCondition *c, double t, double dt)
{
  const Options *o = RhxConditionGetOptions(c);
  double *state = RhxConditionGetState(c), flux, mean, decay = exp(-dt / (o->distal * o->compliance));

  PetscFunctionBegin;
  (void)t;
  PetscCall(RhxConditionMeasure(c, &flux, &mean));
  state[COMPLIANCE] = state[COMPLIANCE] * decay + o->distal * flux * (1 - decay);
  state[OUTLET] = o->proximal * flux + state[COMPLIANCE];
  PetscFunctionReturn(0);
}

static const RhxConditionType windkessel = {
    .entry = {sizeof(RhxConditionType), "outside_windkessel", "outlet behind which lies a three-element Windkessel"},
    .priority = 4,
    .flags = RHX_TYPE_PRESSURE | RHX_TYPE_OPEN | RHX_TYPE_TRACTION,
    .shared = " type form ",
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .nstate = NSTATE,
    .pressure = pressure,
    .traction = traction,
    .advance = advance};

static PetscErrorCode add(void)
{
  PetscFunctionBegin;
  PetscCall(RhxConditionRegister(&windkessel));
  PetscFunctionReturn(0);
}

RHX_EXTENSION(add);
