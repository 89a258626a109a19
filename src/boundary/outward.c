/* What flows through the inlets: more out than in, by a velocity of the wrong sign, on the mean, and at the start. */
#include "boundary/backflow.h"
#include "boundary/impl.h"
#include "boundary/pierced.h"
#include "boundary/timescale.h"
#include <math.h>

#define TIMES 16      /* between the end of ramps and the end of what is looked at */
#define CLOSE 1e-6    /* of the flow that passes: no flow out of all inlets */
#define PARTS 128     /* of a period, or of the run, of which a mean is taken */
#define REVERSED 0.02 /* of the largest flow in: so much out is a reversal */
#define AWAY 0.5      /* of twice the variance: mean square of the change over a lag that is none of what repeats, */
#define BACK 0.05     /* and over a period */

/* Flow out of the domain through the label at t, as its given nodes have it, m^3/s (2D: m^2/s); NaN: it is not known. Collective. */
static PetscErrorCode find_rate(RhxCondition *c, double t, const PetscReal *normal, double *rate)
{
  const RhxBoundary bc = c->bc;
  const PetscInt dim = bc->space->dim;
  double sum = 0;
  PetscErrorCode code;
  PetscReal *u;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(c->v.n * dim + 1, &u));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = c->type->velocity(c, t, c->v.n, c->v.x, u);
  PetscCall(PetscPopErrorHandler());
  if (code || bc->failure[0]) sum = NAN;
  bc->failure[0] = '\0'; /* it is told when it is met */
  for (PetscInt k = 0; k < c->v.n; k++)
    for (PetscInt d = 0; d < dim; d++) sum += u[k * dim + d] * normal[c->v.node[k] * dim + d];
  PetscCall(PetscFree(u));
  PetscCallMPI(MPI_Allreduce(&sum, rate, 1, MPI_DOUBLE, MPI_SUM, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By what the condition gives at all nodes of its faces, those that another label has too: flow out, and integral of the speed. */
static PetscErrorCode integrate(RhxCondition *c, double t, double sum[2])
{
  const PetscInt dim = c->bc->space->dim, n = c->faces->nnodes;
  PetscReal *normal, *x, *u;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(RhxConditionFindNormals(c, &normal));
  PetscCall(PetscCalloc2(n * dim + 1, &x, n * dim + 1, &u));
  for (PetscInt k = 0; k < n; k++)
    PetscCall(PetscArraycpy(x + k * dim, c->bc->space->x + c->faces->node[k] * dim, dim));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = c->type->velocity(c, t, n, x, u);
  PetscCall(PetscPopErrorHandler());
  sum[0] = sum[1] = code || c->bc->failure[0] ? NAN : 0;
  c->bc->failure[0] = '\0'; /* it is told when it is met */
  for (PetscInt k = 0; k < n; k++) {
    const PetscReal *m = normal + c->faces->node[k] * dim;
    double speed = 0, area = 0;
    for (PetscInt d = 0; d < dim; d++) {
      sum[0] += u[k * dim + d] * m[d];
      speed += PetscSqr(u[k * dim + d]);
      area += PetscSqr(m[d]);
    }
    sum[1] += sqrt(speed * area);
  }
  PetscCall(PetscFree2(x, u));
  PetscCall(PetscFree(normal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, c->bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetThrough(RhxBoundary bc, double t, RhxThrough *most)
{
  PetscBool closed;

  PetscFunctionBegin;
  *most = (RhxThrough){.label = NULL};
  PetscCall(RhxBoundaryIsClosed(bc, &closed));
  if (bc->source->pressure[0]) closed = PETSC_FALSE;
  for (PetscInt i = 0; closed && i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    double sum[2];
    if (!(c->gives & RHX_TYPE_VELOCITY)) continue;
    PetscCall(integrate(c, t, sum));
    most->total += sum[0];
    most->size += PetscAbsReal(sum[0]);
    most->scale += sum[1];
    if (most->label && !(PetscAbsReal(sum[0]) > PetscAbsReal(most->rate))) continue;
    most->label = c->label;
    most->rate = sum[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flow out of all inlets at t; out, unless it is NULL: if that is more than 0, those through which it flows. */
static PetscErrorCode look(RhxBoundary bc, double t, PetscReal *const *normal, RhxTold *out, double *total)
{
  double size = 0, *rate;
  PetscBool leaves;

  PetscFunctionBegin;
  *total = 0;
  PetscCall(PetscCalloc1(bc->ncond + 1, &rate));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!normal[i]) continue;
    PetscCall(find_rate(&bc->cond[i], t, normal[i], &rate[i]));
    *total += rate[i];
    size += PetscAbsReal(rate[i]);
  }
  leaves = (PetscBool)(*total > CLOSE * size);
  for (PetscInt i = 0; leaves && out && i < bc->ncond; i++)
    if (rate[i] > CLOSE * size) PetscCall(RhxToldAdd(out, bc->cond[i].label, rate[i]));
  PetscCall(PetscFree(rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* normal[ncond], NULL where no inlet is; the end of their ramps; whether one changes after it. Collective. */
static PetscErrorCode find_inlets(RhxBoundary bc, PetscReal ***normal, double *full, PetscBool *changes)
{
  PetscFunctionBegin;
  *changes = PETSC_FALSE;
  PetscCall(PetscCalloc1(bc->ncond, normal));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!(c->gives & RHX_TYPE_INWARD) || !(c->gives & RHX_TYPE_VELOCITY)) continue;
    PetscCall(RhxConditionFindNormals(c, &(*normal)[i]));
    *full = PetscMax(*full, c->opt->ramp);
    *changes = (PetscBool)(*changes || c->velocity_time);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_inlets(RhxBoundary bc, PetscReal **normal)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(PetscFree(normal[i]));
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetOutward(RhxBoundary bc, double t, double end, RhxTold *outward)
{
  PetscReal **normal;
  RhxTold later = {0};
  double full = t, total;
  PetscBool changes, always = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(find_inlets(bc, &normal, &full, &changes));
  PetscCall(look(bc, full, normal, outward, &total));
  for (int k = 1; changes && always && outward->n && k <= TIMES; k++) {
    PetscCall(look(bc, full + (end - full) * k / (TIMES + PETSC_SQRT2), normal, &later, &total));
    always = (PetscBool)(later.n > 0);
    PetscCall(RhxToldDestroy(&later));
  }
  if (!always) PetscCall(RhxToldDestroy(outward));
  PetscCall(free_inlets(bc, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the inlet takes in at t, m^3/s (2D: m^2/s), NaN where that is not known. */
static PetscErrorCode find_one_inflow(RhxCondition *c, double t, const PetscReal *normal, double *in)
{
  PetscFunctionBegin;
  if (c->flow_rate) {
    PetscCall(RhxBoundaryEvaluateWaveform(c->bc, c->flow_rate, t, in));
    c->bc->failure[0] = '\0'; /* it is told when it is met */
  } else {
    PetscCall(find_rate(c, t, normal, in));
    *in = -*in;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of all of them; size: sum of the sizes of what they do. */
static PetscErrorCode find_inflow(RhxBoundary bc, double t, PetscReal *const *normal, double *in, double *size)
{
  PetscFunctionBegin;
  *in = *size = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    double one;
    if (!normal[i]) continue;
    PetscCall(find_one_inflow(&bc->cond[i], t, normal[i], &one));
    *in += one;
    *size += PetscAbsReal(one);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the inlet takes in at t over the largest between t and end, or in one period of its rows; 0 where it does not change, or is not known. */
static PetscErrorCode find_part(RhxCondition *c, double t, double end, const PetscReal *normal, double *part)
{
  double period = 0, first, in, most = 0, change = 0;

  PetscFunctionBegin;
  *part = 0;
  PetscCall(RhxWaveformGetPeriod(c->motion ? c->motion : c->flow_rate, &period));
  if (period > 0) end = PetscMin(end, t + period);
  PetscCall(find_one_inflow(c, t, normal, &first));
  for (int k = 0; k <= PARTS; k++) {
    PetscCall(find_one_inflow(c, t + (end - t) * k / PARTS, normal, &in));
    most = PetscMax(PetscAbsReal(in), most);
    change = PetscMax(PetscAbsReal(in - first), change);
  }
  if (change > RHX_AT_ONCE * most) *part = PetscAbsReal(first) / most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetJumps(RhxBoundary bc, double t, double end, RhxTold *jumps)
{
  PetscReal **normal;
  double full = t, part;
  PetscBool changes;

  PetscFunctionBegin;
  PetscCall(find_inlets(bc, &normal, &full, &changes));
  for (PetscInt i = 0; changes && end > t && i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!normal[i] || !c->velocity_time || c->opt->ramp > t) continue;
    PetscCall(find_part(c, t, end, normal[i], &part));
    if (part > RHX_AT_ONCE) PetscCall(RhxToldAdd(jumps, c->label, part));
  }
  PetscCall(free_inlets(bc, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetReversal(RhxBoundary bc, double t, double end, double range[2], RhxTold *open)
{
  PetscReal **normal;
  double full = t, in, size, most = 0;
  PetscBool changes;

  PetscFunctionBegin;
  range[0] = range[1] = 0;
  PetscCall(find_inlets(bc, &normal, &full, &changes));
  for (int k = 0; k <= PARTS; k++) {
    PetscCall(find_inflow(bc, full + (end > full ? (end - full) * k / PARTS : 0.0), normal, &in, &size));
    if (!(PetscAbsReal(in) <= PETSC_MAX_REAL)) continue;
    most = PetscMax(most, size);
    range[0] = PetscMin(range[0], in);
    range[1] = PetscMax(range[1], in);
  }
  for (PetscInt i = 0; i < bc->ncond && range[1] > CLOSE * most && range[0] < -REVERSED * range[1]; i++)
    if (RhxBoundaryIsUnguarded(bc, bc->cond[i].label)) PetscCall(RhxToldAdd(open, bc->cond[i].label, 0));
  PetscCall(free_inlets(bc, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFreeInlets(RhxBoundary bc, double t, double end, RhxTold *inlets)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; bc->form->nmodes && i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    const double full = PetscMax(t, c->opt->ramp);
    const int times = c->velocity_time && end > full ? TIMES : 0;
    PetscBool comes = PETSC_FALSE;
    if (!(c->gives & RHX_TYPE_INWARD) || (c->gives & RHX_TYPE_STRESS)) continue;
    for (int k = 0; k <= times && !comes; k++) {
      double sum[2];
      PetscCall(integrate(c, full + (end - full) * k / (TIMES + PETSC_SQRT2), sum));
      comes = (PetscBool)(-sum[0] > CLOSE * sum[1]);
      if (comes) PetscCall(RhxToldAdd(inlets, c->label, -sum[0]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetBalance(RhxBoundary bc, double t, const char **label, double *out, double *in)
{
  PetscReal **normal, rate;
  double full = t, total;
  PetscBool changes, all = PETSC_TRUE;

  PetscFunctionBegin;
  *label = NULL;
  *out = *in = 0;
  PetscCall(find_inlets(bc, &normal, &full, &changes));
  full = RhxBoundaryGetRampsEnd(bc, full);
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!(c->gives & RHX_TYPE_OPEN)) continue;
    if (!c->flow_rate || !bc->form->nmodes || c->opt->polymer != RHX_POLYMER_DEVELOPED) all = PETSC_FALSE;
    if (!all) break;
    PetscCall(RhxBoundaryEvaluateWaveform(bc, c->flow_rate, full, &rate));
    *out += rate;
    if (!*label) *label = c->label;
  }
  PetscCall(look(bc, full, normal, NULL, &total));
  *in = 0.0 - total;
  if (!all || changes) *label = NULL; /* rates may agree later */
  PetscCall(free_inlets(bc, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at equal times of whole periods from the first on; all of them where nothing repeats. */
static PetscInt count_whole(const double *q, PetscInt n)
{
  double mean = 0, variance = 0, last = 0;
  PetscBool away = PETSC_FALSE;

  for (PetscInt i = 0; i < n; i++) mean += q[i] / n;
  for (PetscInt i = 0; i < n; i++) variance += PetscSqr(q[i] - mean) / n;
  for (PetscInt lag = 1; 3 * lag <= 2 * n; lag++) {
    double change = 0;
    for (PetscInt i = 0; i + lag < n; i++) change += PetscSqr(q[i + lag] - q[i]) / (2 * (n - lag));
    if (away && last <= BACK * variance && change > last) return n / (lag - 1) * (lag - 1);
    if (change > AWAY * variance) away = PETSC_TRUE;
    last = change;
  }
  return n;
}

/* The longest period of rows of a flow rate, or of a velocity, at an inlet; 0: there is none. */
static PetscErrorCode longest_of_inlets(RhxBoundary bc, double *longest)
{
  PetscFunctionBegin;
  *longest = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    double period = 0;
    if (c->gives & RHX_TYPE_INWARD) PetscCall(RhxWaveformGetPeriod(c->motion ? c->motion : c->flow_rate, &period));
    *longest = PetscMax(*longest, period);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetMeanInflow(RhxBoundary bc, double t, double end, double *rate, double span[2])
{
  PetscReal **normal;
  double full = t, period = 0, total, q[PARTS];
  PetscBool changes;
  PetscInt n, whole;

  PetscFunctionBegin;
  *rate = 0;
  PetscCall(find_inlets(bc, &normal, &full, &changes));
  PetscCall(longest_of_inlets(bc, &period));
  if (period > 0) end = full + period;
  n = changes && end > full ? PARTS : 1;
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(look(bc, n > 1 ? full + (end - full) * (k + 0.5) / n : full, normal, NULL, &total));
    q[k] = -total;
  }
  whole = period > 0 ? n : count_whole(q, n);
  for (PetscInt k = 0; k < whole; k++) *rate += q[k] / whole;
  span[0] = full;
  span[1] = n > 1 ? full + (end - full) * whole / n : full;
  PetscCall(free_inlets(bc, normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
