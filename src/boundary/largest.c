/* The largest of what conditions give: scales of the flow that is to come. */
#include "boundary/drive_impl.h"
#include "boundary/timescale.h"
#include <math.h>

#define EQUAL \
  8 /* times between the end of ramps and the end of the run, where something changes then, in equal parts, */
#define TIMES 24 /* and others that are in step with no period of what is given */

/* Number k of them, from 1 on. */
static double time_of(int k, double from, double end)
{
  const double golden = k * 0.6180339887498949;

  return from + (end - from) * (k <= EQUAL ? (double)k / EQUAL : golden - floor(golden));
}

static void offer(const PetscReal *v, PetscInt n, PetscReal *most, PetscReal *kept)
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size += PetscSqr(v[i]);
  if (!(size > *most)) return;
  *most = size;
  for (PetscInt i = 0; i < n; i++) kept[i] = v[i];
}

/* kept[n] of the rank that has the largest becomes that of all. */
static PetscErrorCode agree(RhxBoundary bc, PetscInt n, PetscReal *most, PetscReal *kept)
{
  struct {
    double value;
    int rank;
  } mine = {*most, 0}, all;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(bc->comm, &rank));
  mine.rank = rank;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, bc->comm));
  PetscCallMPI(MPI_Bcast(kept, (PetscMPIInt)n, MPIU_REAL, all.rank, bc->comm));
  *most = all.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At t, of this rank. */
static PetscErrorCode look(RhxBoundary bc, double t, RhxLargestGiven *most)
{
  const PetscInt dim = bc->space->dim, width = bc->form->nmodes * bc->space->ntens;
  PetscReal v[3];
  PetscBool driven;
  double aim;

  PetscFunctionBegin;
  bc->momentary = PETSC_TRUE;
  PetscCall(RhxBoundarySetTime(bc, t));
  bc->momentary = PETSC_FALSE;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    for (PetscInt k = 0; (c->gives & RHX_TYPE_VELOCITY) && k < c->v.n; k++)
      offer(bc->fixed[RHX_GROUP_VELOCITY].val + c->v.start + k * dim, dim, &most->speed, most->velocity);
    for (PetscInt k = 0; width && (c->gives & RHX_TYPE_STRESS) && k < c->s.n; k++)
      offer(bc->fixed[RHX_GROUP_MODES].val + c->s.start + k * width, width, &most->size, most->modes);
    for (PetscInt k = 0; (c->gives & RHX_TYPE_STRESS) && k < c->inflow.n; k++)
      offer(bc->inflow.val + (c->inflow.start + k) * width, width, &most->size, most->modes);
  }
  PetscCall(RhxBoundaryGetDrive(bc, &driven, NULL, NULL));
  if (!driven) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetAim(bc, t, &aim));
  for (PetscInt d = 0; d < dim; d++) v[d] = aim * RhxDriveDirection(bc)[d];
  offer(v, dim, &most->speed, most->velocity);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time of the largest of rows that are taken once, of those between `from` and `end` (all behind `from` where that is not later); -infinity:
 * there is none. */
static PetscErrorCode largest_row(RhxWaveform w, double from, double end, double *at)
{
  const double *time;
  const PetscInt n = RhxWaveformIsOnce(w) ? RhxWaveformGetTimes(w, &time) : 0;
  PetscReal v[3], size, most = -1.0;

  PetscFunctionBegin;
  *at = PETSC_NINFINITY;
  for (PetscInt i = 0; i < n; i++) {
    if (time[i] < from || (end > from && time[i] > end)) continue;
    PetscCall(RhxWaveformEvaluate(w, time[i], v));
    size = 0.0;
    for (PetscInt k = 0; k < RhxWaveformWidth(w); k++) size += PetscSqr(v[k]);
    if (size > most) most = size, *at = time[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many of one period from `from` on, before the run's end where it is known, of each condition that repeats rows; and the largest of rows that
 * are taken once. */
static PetscErrorCode look_at_periods(RhxBoundary bc, double from, double end, RhxLargestGiven *most)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < RHX_NWAVEFORMS(bc); i++) {
    const RhxWaveform waveform = RhxBoundaryWaveform(bc, i);
    double period = 0.0, at;
    PetscCall(largest_row(waveform, from, end, &at));
    if (at >= from) PetscCall(look(bc, at, most));
    if (waveform) PetscCall(RhxWaveformGetPeriod(waveform, &period));
    if (end > from) period = PetscMin(period, end - from);
    for (int k = 0; period > 0.0 && k < TIMES; k++) PetscCall(look(bc, from + k * period / TIMES, most));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What they give is evaluated anew. */
static void renew_memories(RhxBoundary bc)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].memory) bc->cond[i].moved = PETSC_TRUE;
}

PetscErrorCode RhxBoundaryGetLargest(RhxBoundary bc, double t, double end, RhxLargestGiven *most)
{
  const double full = RhxBoundaryGetRampsEnd(bc, t);
  PetscBool steady;

  PetscFunctionBegin;
  *most = (RhxLargestGiven){.speed = 0};
  PetscCall(PetscCalloc1(bc->form->nmodes * bc->space->ntens + 1, &most->modes));
  renew_memories(bc);
  PetscCall(look(bc, full, most));
  PetscCall(RhxBoundaryIsSteady(bc, full, PETSC_TRUE, &steady));
  for (int k = 1; !steady && end > full && k <= EQUAL + TIMES; k++) PetscCall(look(bc, time_of(k, full, end), most));
  if (!steady) PetscCall(look_at_periods(bc, full, end, most));
  renew_memories(bc);
  PetscCall(RhxBoundarySetTime(bc, t));
  PetscCall(agree(bc, 3, &most->speed, most->velocity));
  PetscCall(agree(bc, bc->form->nmodes * bc->space->ntens, &most->size, most->modes));
  most->speed = PetscSqrtReal(most->speed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* square[ncond]: raised to that of the fastest velocity of each condition at t, of this rank; conditions stay as they are. */
static PetscErrorCode find_fastest(RhxBoundary bc, double t, PetscReal *v, PetscReal *square)
{
  const PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!(c->gives & RHX_TYPE_VELOCITY) || !c->v.n) continue;
    PetscCall(c->type->velocity(c, t, c->v.n, c->v.x, v));
    for (PetscInt k = 0; k < c->v.n; k++) {
      PetscReal size = 0.0;
      for (PetscInt d = 0; d < dim; d++) size += PetscSqr(v[k * dim + d]);
      square[i] = PetscMax(square[i], size);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option that a condition has its velocity from, without '-'. */
static void name_option(const RhxCondition *c, size_t size, char *option)
{
  const RhxConditionOptions *o = c->opt;
  const char *which = "type";

  if (c->flow_rate)
    which = "flow_rate";
  else if (c->turning)
    which = "angular_velocity";
  else if (o->velocity[0])
    which = "velocity";
  else if (o->profile_file[0])
    which = "profile_file";
  else if (o->maximum_velocity >= 0)
    which = "maximum_velocity";
  else if (o->mean_velocity >= 0)
    which = "mean_velocity";
  snprintf(option, size, "bc_%s_%s", c->label, which);
}

/* square[ncond] of each condition, from the end of ramps to `end`, of all ranks; to be freed. */
static PetscErrorCode square_speeds(RhxBoundary bc, double full, double end, PetscReal **square)
{
  PetscInt most = 0;
  PetscReal *v;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) most = PetscMax(most, bc->cond[i].v.n);
  PetscCall(PetscMalloc1(most * bc->space->dim + 1, &v));
  PetscCall(PetscCalloc1(bc->ncond + 1, square));
  PetscCall(find_fastest(bc, full, v, *square));
  for (int k = 1; end > full && k <= TIMES; k++) PetscCall(find_fastest(bc, time_of(k, full, end), v, *square));
  for (PetscInt i = 0; end > full && i < RHX_NWAVEFORMS(bc); i++) {
    double at;
    PetscCall(largest_row(RhxBoundaryWaveform(bc, i), full, end, &at));
    if (at >= full) PetscCall(find_fastest(bc, at, v, *square));
  }
  PetscCall(PetscFree(v));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, *square, (PetscMPIInt)bc->ncond, MPIU_REAL, MPIU_MAX, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetSlowestRate(RhxBoundary bc, double t, double end, double *speed, char option[256])
{
  PetscInt slowest = -1;
  PetscReal *square;

  PetscFunctionBegin;
  PetscCall(square_speeds(bc, RhxBoundaryGetRampsEnd(bc, t), end, &square));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].flow_rate && square[i] > 0 && (slowest < 0 || square[i] < square[slowest])) slowest = i;
  *speed = slowest < 0 ? 0 : PetscSqrtReal(square[slowest]);
  if (slowest >= 0) name_option(&bc->cond[slowest], 256, option);
  PetscCall(PetscFree(square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetFastest(RhxBoundary bc, double t, double end, double *speed, char option[256])
{
  const double full = RhxBoundaryGetRampsEnd(bc, t);
  PetscInt first = 0;
  PetscReal *square;
  PetscBool driven;
  double aim = 0;

  PetscFunctionBegin;
  PetscCall(square_speeds(bc, full, end, &square));
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (square[i] > square[first]) first = i;
  *speed = PetscSqrtReal(square[first]);
  if (option) option[0] = '\0';
  if (option && *speed > 0) name_option(&bc->cond[first], 256, option);
  PetscCall(PetscFree(square));
  PetscCall(RhxBoundaryGetDrive(bc, &driven, NULL, NULL));
  if (driven) PetscCall(RhxBoundaryGetAim(bc, full, &aim));
  if (!(PetscAbsReal(aim) > *speed)) PetscFunctionReturn(PETSC_SUCCESS);
  *speed = PetscAbsReal(aim);
  if (option) PetscCall(PetscStrncpy(option, "form_mean_velocity", 256));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetGivenPressure(RhxBoundary bc, double t, double *largest)
{
  const PetscInt dim = bc->space->dim;

  PetscFunctionBegin;
  *largest = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    PetscReal p = 0;
    if (!c->type->pressure || !c->faces->nnodes) continue;
    PetscCall(c->type->pressure(c, t, 1, bc->space->x + (size_t)c->faces->node[0] * dim, &p));
    *largest = PetscMax(*largest, PetscAbsReal(p));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE, MPI_MAX, bc->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
