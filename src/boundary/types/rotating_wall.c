/* Wall that rotates: u = w a x (x - c), a the unit vector of its axis, c a point of it; with swirl u_theta = w r. */
#include "boundary/types/rotating_wall.h"
#include "boundary/types/shared.h"
#include <stddef.h>

typedef struct {
  char rate[RHX_STRING_LENGTH], axis[RHX_STRING_LENGTH], point[RHX_STRING_LENGTH];
  RhxWaveformRows given;
  RhxWaveform angular_velocity;
  PetscBool time;
  double a[3], c[3];
} Options;

static const RhxRow rows[] = {
    {"angular_velocity", RHX_STRING, 0, offsetof(Options, rate), "", RHX_ANY, 0, 0, NULL, "rad/s",
     "of a rotating wall, counterclockwise about its axis: a formula in t, or a waveform, the path of a .csv file with "
     "rows "
     "\"time,value\" of one period"},
    RHX_WAVEFORM_ROWS("angular_velocity", offsetof(Options, given), "rad/s", "0.10472 for turns a minute"),
    {"axis", RHX_STRING, 0, offsetof(Options, axis), "0,0,1", RHX_ANY, 0, 0, NULL, "1",
     "direction of the axis in 3D, \"ax,ay,az\"; in 2D it is z, in axisymmetric flow with swirl the line y = 0, where "
     "neither axis nor axis_point is given"},
    {"axis_point", RHX_STRING, 0, offsetof(Options, point), "0,0,0", RHX_ANY, 0, 0, NULL, "m",
     "a point of the axis, \"x,y[,z]\""},
};

static PetscErrorCode expect_no_axis(const RhxCondition *c)
{
  static const char *const names[] = {"axis", "axis_point"};
  char option[256];
  PetscBool set;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", c->label, names[i]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
    PetscCheck(!set, c->bc->comm, PETSC_ERR_ARG_WRONG,
               "%s: got it in axisymmetric flow, expected it left out: the wall rotates about the axis y = 0", option);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RhxCondition *c)
{
  Options *o = RhxConditionGetOptions(c);
  const PetscInt dim = c->bc->space->dim;
  char option[256];
  double length = 0;

  PetscFunctionBegin;
  PetscCall(RhxFormAsk(c->bc->form, RHX_ASK_ROTATING, c->label, ""));
  PetscCheck(o->rate[0], c->bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is a rotating wall without its rate; expected -bc_%s_angular_velocity", c->label, c->label);
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_angular_velocity", c->label));
  PetscCall(RhxWaveformCreate(c->bc->comm, option, o->rate, &o->given, &o->angular_velocity));
  PetscCall(RhxWaveformWarn(c->bc->comm, o->angular_velocity));
  PetscCall(RhxWaveformDependsOnTime(o->angular_velocity, &o->time));
  c->turning = o->angular_velocity;
  if (c->bc->space->axisymmetric) {
    PetscCall(expect_no_axis(c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_axis", c->label));
  PetscCall(RhxBoundaryNumbers(c->bc->comm, option, o->axis, 3, o->a));
  for (int d = 0; d < 3; d++) length += o->a[d] * o->a[d];
  PetscCheck(length > 0 && (dim == 3 || (o->a[0] == 0 && o->a[1] == 0)), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_axis: got %s, expected a direction%s", c->label, o->axis, dim == 2 ? " along z in 2D" : "");
  for (int d = 0; d < 3; d++) o->a[d] /= PetscSqrtReal(length);
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_axis_point", c->label));
  PetscCall(RhxBoundaryNumbers(c->bc->comm, option, o->point, 3, o->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned gives(const RhxCondition *c)
{
  return RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP | (c->bc->form->swirl >= 0 ? RHX_TYPE_SWIRL : 0u);
}

static unsigned changes(RhxCondition *c, double t0, double t1)
{
  return ((const Options *)RhxConditionGetOptions(c))->time && t0 != t1 ? RHX_CHANGES_VELOCITY : 0u;
}

void RhxRotatingWallTurn(const RhxCondition *c, double rate, PetscInt n, const PetscReal *x, PetscReal *u)
{
  const Options *o = c->own;
  const PetscInt dim = c->bc->space->dim;

  for (PetscInt i = 0; i < n; i++) {
    double r[3] = {0};
    for (PetscInt d = 0; d < dim; d++) r[d] = x[i * dim + d] - o->c[d];
    for (PetscInt d = 0; d < dim; d++)
      u[i * dim + d] = rate * (o->a[(d + 1) % 3] * r[(d + 2) % 3] - o->a[(d + 2) % 3] * r[(d + 1) % 3]);
  }
}

void RhxRotatingWallGetAxis(const RhxCondition *c, const char **axis, const char **point)
{
  const Options *o = c->own;

  *axis = o->axis;
  *point = o->point;
}

static PetscErrorCode velocity(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  const Options *o = RhxConditionGetOptions(c);
  const PetscInt dim = c->bc->space->dim;
  PetscReal rate;

  PetscFunctionBegin;
  if (c->bc->space->axisymmetric) {
    PetscCall(PetscArrayzero(u, n * dim));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxBoundaryEvaluateWaveform(c->bc, o->angular_velocity, t, &rate));
  RhxRotatingWallTurn(c, rate, n, x, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode swirl(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  const Options *o = RhxConditionGetOptions(c);
  PetscReal rate;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryEvaluateWaveform(c->bc, o->angular_velocity, t, &rate));
  for (PetscInt i = 0; i < n; i++) u[i] = rate * x[2 * i + 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RhxCondition *c, PetscViewer viewer)
{
  const Options *o = RhxConditionGetOptions(c);

  char rows[128];

  PetscFunctionBegin;
  PetscCall(RhxWaveformDescribe(o->angular_velocity, "rad/s", sizeof(rows), rows));
  PetscCall(PetscViewerASCIIPrintf(viewer, ", angular velocity \"%s\"%s", o->rate, rows));
  if (!c->bc->space->axisymmetric) PetscCall(PetscViewerASCIIPrintf(viewer, " about %s through %s", o->axis, o->point));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxCondition *c)
{
  PetscFunctionBegin;
  if (c->own) PetscCall(RhxWaveformDestroy(&((Options *)c->own)->angular_velocity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_rotating_wall = {
    RHX_CONDITION_ENTRY("rotating_wall", "wall that rotates about an axis"),
    .priority = 1,
    .flags = RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP,
    .shared = " type ",
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .check = check,
    .gives = gives,
    .changes = changes,
    .velocity = velocity,
    .view = view,
    .destroy = destroy,
    .swirl = swirl};
