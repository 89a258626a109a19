/* Navier slip: no flow through the wall, and a shear stress tau against the velocity u_t along it, tau = b |u_t|, or |u_t| = f(tau).
 * In explicit schemes the stress of a step is that of the velocity at its start, which bounds dt: RhxBoundaryGetSlipStep. */
#include "boundary/slip.h"
#include "boundary/types/shared.h"
#include "space/face.h"
#include <math.h>
#include <stddef.h>

#define LIMIT 1.0      /* of dt b A/(rho M) of a node: stable below 2 less what viscosity takes */
#define HALVINGS 60    /* of the bracket of a shear stress */
#define DOUBLINGS 1000 /* of its upper end */
#define SPAN 1e-6      /* of the stress, over which the slope of f is taken */

typedef struct {
  double friction;
  char by_stress[RHX_STRING_LENGTH];
  RhxFormula formula;
  PetscReal **u;         /* per face group, at its points: velocity of the last step's end, m/s */
  double density, reach; /* kg/m^3; largest integral of N over the faces by the node's mass, 1/m */
} Options;

static const RhxRow rows[] = {
    {"friction", RHX_REAL, 0, offsetof(Options, friction), "none", RHX_GE, 0, 0, "none", "Pa s/m",
     "shear stress over the velocity along the wall: viscosity over slip length"},
    {"slip_by_stress", RHX_STRING, 0, offsetof(Options, by_stress), "", RHX_ANY, 0, 0, NULL, "m/s",
     "formula in tau and t of the velocity along the wall, tau its shear stress, Pa: 0 at 0, rising, and with a slope "
     "at "
     "0: \"2e-3*tau*(1+tau^2)\""},
};

static PetscErrorCode check(RhxCondition *c)
{
  Options *o = RhxConditionGetOptions(c);
  const double none = 0, little = SPAN;
  char option[256], got[32];
  double start, soon;

  PetscFunctionBegin;
  PetscCheck((o->friction >= 0) != (o->by_stress[0] != 0), c->bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is a slip wall with %s; expected one of -bc_%s_friction and -bc_%s_slip_by_stress", c->label,
             o->by_stress[0] ? "a friction and a formula" : "neither friction nor formula", c->label, c->label);
  if (!o->by_stress[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_slip_by_stress", c->label));
  PetscCall(RhxFormulaCreate(c->bc->comm, option, o->by_stress, RHX_FORMULA_OF_STRESS, &o->formula));
  PetscCall(RhxFormulaEvaluate(o->formula, 0, 1, 1, &none, &start));
  snprintf(got, sizeof(got), "%g", start);
  PetscCall(RhxFormulaEvaluate(o->formula, 0, 1, 1, &little, &soon));
  PetscCheck(start != 0 || soon > 0, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_slip_by_stress: formula \"%s\" gives %s at tau = 1e-6 Pa, expected a slope at 0, such as that of "
             "1e-10*tau beside it",
             c->label, o->by_stress, soon == 0 ? "0" : "less than 0 or no number");
  PetscCheck(start == 0, c->bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_slip_by_stress: formula \"%s\" gives %s at tau = 0, expected 0", c->label, o->by_stress, got);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The least mass a node of the wall has for its share of the wall. */
static PetscErrorCode setup(RhxCondition *c)
{
  Options *o = RhxConditionGetOptions(c);
  const RhxSpace space = c->bc->space;
  PetscReal *area;

  PetscFunctionBegin;
  o->density = c->bc->form->rho;
  PetscCall(PetscCalloc1(c->faces->ngroups + 1, &o->u));
  for (PetscInt g = 0; g < c->faces->ngroups; g++) PetscCall(PetscCalloc1(c->points[g].n * space->dim, &o->u[g]));
  PetscCall(PetscCalloc1(space->nlocal * space->dim, &area));
  RhxConditionAddNormals(c->faces, space->dim, area);
  PetscCall(RhxSpaceReduce(space, space->dim, area));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscInt node = c->faces->node[i];
    PetscReal square = 0;
    for (PetscInt d = 0; d < space->dim; d++) square += PetscSqr(area[node * space->dim + d]);
    o->reach = PetscMax(o->reach, PetscSqrtReal(square) / space->mass[node]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &o->reach, 1, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  PetscCall(PetscFree(area));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(RhxCondition *c)
{
  Options *o = RhxConditionGetOptions(c);
  const PetscInt dim = c->bc->space->dim, bs = c->bc->space->bs, *at = c->faces->at;
  const PetscInt first = RhxFieldsStart(c->bc->space->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->faces->ngroups; k++) {
    const RhxFaceGroup *g = &c->faces->group[k];
    for (PetscInt f = 0; f < g->n; f++, at += g->nfn)
      for (PetscInt q = 0; q < g->nfq; q++) {
        PetscReal *u = o->u[k] + (((f / RHX_LANES) * g->nfq + q) * RHX_LANES + f % RHX_LANES) * dim;
        for (PetscInt d = 0; d < dim; d++) {
          u[d] = 0;
          for (PetscInt a = 0; a < g->nfn; a++)
            u[d] += g->N[q * g->nn + g->fnode[a]] * PetscRealPart(c->flow[(size_t)at[a] * bs + first + d]);
        }
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tau[i] with f(tau[i]) = speed[i], by halving; errors of this rank alone. */
static PetscErrorCode stress_of(RhxCondition *c, double t, PetscInt n, const double *speed, double *tau)
{
  const Options *o = RhxConditionGetOptions(c);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    double low = 0, high = 1, value;
    int k = 0;
    tau[i] = 0;
    if (speed[i] == 0) continue;
    for (;; k++) {
      char got[96];
      PetscCall(RhxFormulaEvaluate(o->formula, t, 1, 1, &high, &value));
      snprintf(got, sizeof(got), "%g m/s at tau = %g Pa for a velocity of %g m/s", value, high, speed[i]);
      PetscCheck(
          value >= 0 && k < DOUBLINGS, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
          "-bc_%s_slip_by_stress: formula \"%s\" gives %s, expected a velocity that rises with tau without bound",
          c->label, o->by_stress, got);
      if (value >= speed[i]) break;
      low = high;
      high *= 2;
    }
    for (k = 0; k < HALVINGS || (low == 0 && k < DOUBLINGS); k++) {
      const double middle = low > 0 && high > 4 * low ? sqrt(low * high) : 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      PetscCall(RhxFormulaEvaluate(o->formula, t, 1, 1, &middle, &value));
      if (value < speed[i])
        low = middle;
      else
        high = middle;
    }
    tau[i] = 0.5 * (low + high);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d tau/d|u_t| at a stress, Pa. */
static PetscErrorCode slope_at(const Options *o, double t, double stress, double *slope)
{
  const double span = SPAN * (stress > 0 ? stress : 1), at[2] = {PetscMax(stress - span, 0), stress + span};
  double value[2];

  PetscFunctionBegin;
  *slope = o->friction;
  if (!o->formula) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormulaEvaluate(o->formula, t, 2, 1, at, value));
  *slope = (at[1] - at[0]) / (value[1] - value[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode friction(RhxCondition *c, double t, PetscInt n, const PetscReal *speed, PetscReal *tau,
                               PetscReal *slope)
{
  const Options *o = RhxConditionGetOptions(c);

  PetscFunctionBegin;
  if (o->formula) PetscCall(stress_of(c, t, n, speed, tau));
  for (PetscInt i = 0; i < n && !o->formula; i++) tau[i] = o->friction * speed[i];
  for (PetscInt i = 0; i < n && slope; i++) PetscCall(slope_at(o, t, tau[i], &slope[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt group_of(const RhxCondition *c, const PetscReal *x)
{
  PetscInt g = 0;
  while (c->points[g].x != x) g++;
  return g;
}

static PetscErrorCode traction(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                               PetscReal *values)
{
  const Options *o = RhxConditionGetOptions(c);
  const PetscInt dim = c->bc->space->dim;
  const PetscReal *u;
  double *speed, *tau;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  u = o->u[group_of(c, x)];
  PetscCall(PetscMalloc2(n, &speed, n, &tau));
  for (PetscInt i = 0; i < n; i++) {
    PetscReal un = 0, square = 0;
    for (PetscInt d = 0; d < dim; d++) un += u[i * dim + d] * normal[i * dim + d];
    for (PetscInt d = 0; d < dim; d++) {
      values[i * dim + d] = u[i * dim + d] - un * normal[i * dim + d];
      square += PetscSqr(values[i * dim + d]);
    }
    speed[i] = PetscSqrtReal(square);
  }
  PetscCall(friction(c, t, n, speed, tau, NULL));
  for (PetscInt i = 0; i < n * dim; i++) values[i] *= speed[i / dim] > 0 ? -tau[i / dim] / speed[i / dim] : 0;
  PetscCall(PetscFree2(speed, tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of t = -tau(s) e, s = |u_t|, e = u_t/s: -(tau/s (1 - n n - e e) + d tau/ds e e); at rest -d tau/ds (1 - n n). */
static PetscErrorCode tangent(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                              PetscReal *slope)
{
  const Options *o = RhxConditionGetOptions(c);
  const PetscInt dim = c->bc->space->dim;
  const PetscReal *all;
  PetscReal *stress;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  all = o->u[group_of(c, x)];
  PetscCall(PetscMalloc1(n * dim, &stress));
  PetscCall(traction(c, t, n, x, normal, stress));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *u = all + i * dim, *m = normal + i * dim;
    PetscReal un = 0, e[3] = {0, 0, 0}, s = 0, tau = 0, rise;
    for (PetscInt d = 0; d < dim; d++) un += u[d] * m[d];
    for (PetscInt d = 0; d < dim; d++) {
      e[d] = u[d] - un * m[d];
      s += e[d] * e[d];
      tau += PetscSqr(stress[i * dim + d]);
    }
    s = PetscSqrtReal(s);
    tau = PetscSqrtReal(tau);
    PetscCall(slope_at(o, t, tau, &rise));
    for (PetscInt j = 0; j < dim * dim; j++) {
      const PetscInt a = j / dim, b = j % dim;
      const PetscReal along = s > 0 ? e[a] * e[b] / (s * s) : 0, wall = (a == b) - m[a] * m[b];
      slope[i * dim * dim + j] = s > 0 ? -(tau / s * (wall - along) + rise * along) : -rise * wall;
    }
  }
  PetscCall(PetscFree(stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest d tau/d u of the points, and of one that slips as fast as `speed`. */
static PetscErrorCode steepest(RhxCondition *c, double t, double speed, double *slope)
{
  const Options *o = RhxConditionGetOptions(c);
  const PetscInt dim = c->bc->space->dim;
  double fastest = speed, tau;

  PetscFunctionBegin;
  *slope = o->friction;
  if (!o->formula) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < c->faces->ngroups; k++)
    for (PetscInt i = 0; i < c->points[k].n; i++) {
      double square = 0;
      for (PetscInt d = 0; d < dim; d++) square += PetscSqr(o->u[k][i * dim + d]);
      fastest = PetscMax(fastest, sqrt(square));
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  PetscCall(stress_of(c, t, 1, &fastest, &tau));
  *slope = 0;
  for (int k = 0; k < 2; k++) { /* at rest and where it slips most */
    double one;
    PetscCall(slope_at(o, t, k ? tau : 0, &one));
    *slope = PetscMax(*slope, one);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode advance(RhxCondition *c, double t, double dt)
{
  PetscFunctionBegin;
  (void)t;
  (void)dt;
  PetscCall(begin(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned changes(RhxCondition *c, double t0, double t1)
{
  PetscBool time = PETSC_FALSE;
  const Options *o = RhxConditionGetOptions(c);

  if (o->formula && t0 != t1 && RhxFormulaDependsOnTime(o->formula, &time)) return RHX_CHANGES_TRACTION;
  return time ? RHX_CHANGES_TRACTION : 0u;
}

static PetscErrorCode view(RhxCondition *c, PetscViewer viewer)
{
  const Options *o = RhxConditionGetOptions(c);
  char text[64];

  PetscFunctionBegin;
  snprintf(text, sizeof(text), ", friction %g Pa s/m", o->friction);
  if (o->formula)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", slip \"%s\" of the shear stress tau", o->by_stress));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxCondition *c)
{
  Options *o = RhxConditionGetOptions(c);

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormulaDestroy(&o->formula));
  for (PetscInt g = 0; o->u && g < c->faces->ngroups; g++) PetscCall(PetscFree(o->u[g]));
  PetscCall(PetscFree(o->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_slip = {
    RHX_CONDITION_ENTRY("slip",
                        "wall with slip: no flow through it, a shear stress that follows the velocity along it"),
    .priority = 3,
    .flags = RHX_TYPE_NORMAL | RHX_TYPE_TRACTION,
    .shared = " type ",
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .check = check,
    .setup = setup,
    .changes = changes,
    .tangent = tangent,
    .friction = friction,
    .traction = traction,
    .begin = begin,
    .advance = advance,
    .view = view,
    .destroy = destroy};

/* NULL: of another type. */
static const Options *options_of(RhxCondition *c)
{
  return c->type == &RhxConditionType_slip ? RhxConditionGetOptions(c) : NULL;
}

PetscErrorCode RhxBoundaryGetSlipLength(RhxBoundary bc, PetscInt k, double t, double eta, double rate,
                                        RhxSlipLength *slip)
{
  const double tau = eta * rate;

  PetscFunctionBegin;
  *slip = (RhxSlipLength){.label = NULL};
  for (PetscInt i = 0; i < bc->ncond && !slip->label; i++) {
    const Options *o = options_of(&bc->cond[i]);
    double speed;

    if (!o || k-- > 0) continue;
    slip->label = bc->cond[i].label;
    slip->by_stress = (PetscBool)(o->formula != NULL);
    speed = tau / o->friction;
    if (o->formula) PetscCall(RhxFormulaEvaluate(o->formula, t, 1, 1, &tau, &speed));
    slip->length = speed / rate;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetSlipStep(RhxBoundary bc, double t, double speed, double *dt, const char **label)
{
  PetscFunctionBegin;
  *dt = PETSC_INFINITY;
  *label = NULL;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    const Options *o = options_of(c);
    double slope;

    if (!o) continue;
    PetscCall(steepest(c, t, speed, &slope));
    if (!(LIMIT * o->density < *dt * slope * o->reach)) continue;
    *dt = LIMIT * o->density / (slope * o->reach);
    *label = c->label;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryCheckSlipStep(RhxBoundary bc, double t, double dt)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    const Options *o = options_of(c);
    char got[96], of[RHX_STRING_LENGTH + 64];
    double slope;

    if (!o) continue;
    PetscCall(steepest(c, t, 0, &slope));
    if (slope * o->reach * dt <= LIMIT * o->density) continue;
    snprintf(got, sizeof(got), "a time step of %.9g s, expected at most %.9g s at t = %.6g s", dt,
             LIMIT * o->density / (slope * o->reach), t);
    if (o->formula)
      snprintf(of, sizeof(of), "\"%s\" (-bc_%s_slip_by_stress)", o->by_stress, c->label);
    else
      snprintf(of, sizeof(of), "%g Pa s/m (-bc_%s_friction)", o->friction, c->label);
    SETERRQ(bc->comm, PETSC_ERR_ARG_OUTOFRANGE,
            "-bc_%s_type slip: got %s for its friction of %s: a smaller one, -scheme_<name>_cfl 0.9, which follows it, "
            "or type wall where it hardly slips",
            c->label, got, of);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
