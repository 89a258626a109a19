/* The mean over the domain of the velocity along e, U, is kept at its aim U* by a force F e per volume, by the scheme's own rate of U:
 *   F+ = D + rho (l (U*(t + dt) - U)/dt - k (U - U_before)/dt_before),     D = F - rho dU/dt of the step before,
 * l 1 and k 0 of one step, of two (RhxStepBegin) in dU/dt too; D is what friction and the pressure take. With D at rest the aim is met in
 * one step; a fluid without friction feels r = 1 - integral |grad phi|^2/V of F, phi the potential of e's normal flow through the
 * walls, and errors go as z^2 - 2 (1 - r) z + (1 - r) = 0, of two steps z^3 - (1 - r) (7 z^2 - 5 z + 1)/3 = 0: within 1 for 0 < r <= 1.
 * Of U*(t) - U a step that is shorter than the one before takes the part dt/dt_before, for all of it would be a force 1/dt as large.
 *
 * A scheme that solves for F together with the flow (RhxBoundarySolveDrive) sets it instead. */
#include "boundary/coupling_impl.h"
#include "boundary/drive_impl.h"
#include "boundary/timescale.h"
#include <math.h>
#include <petscksp.h>

#define MET 0.01         /* of the mean velocity: less beside it may be at rest */
#define LEAST_SHARE 1e-6 /* a closed domain has none */
#define PARTS 128        /* of a period, or of the run, whose largest mean velocity is taken */

enum { FORCE, APPLIED, MEAN, BEGUN, NSTATE };

struct RhxDrive {
  RhxWaveform aim; /* m/s */
  double direction[3], volume;
  double state[NSTATE]; /* force of this step and of the last one, N/m^3; mean velocity, m/s; was there a step */
  IS nodes;             /* owned */
  PetscScalar *rest;    /* [nlocal][dim] the other sources of momentum */
  PetscInt kept;        /* how often they were */
  double lead, late;    /* l and k of the step that is made */
  double drag;          /* D, N/m^3; NaN: not known */
  PetscBool solved;     /* for by the scheme */
};

static PetscErrorCode read_direction(RhxBoundary bc, double e[3])
{
  const PetscInt dim = bc->space->dim;
  double length = 0;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryNumbers(bc->comm, "form_mean_direction", bc->source->mean_direction, (int)dim, e));
  for (PetscInt d = 0; d < dim; d++) length += e[d] * e[d];
  PetscCheck(length > 0, bc->comm, PETSC_ERR_ARG_WRONG,
             "-form_mean_direction: got %s, expected numbers that are not all zero", bc->source->mean_direction);
  for (PetscInt d = 0; d < dim; d++) e[d] /= PetscSqrtReal(length);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b_a = integral grad N_a.e = the flow of e through the walls by node. */
static PetscErrorCode wall_flow(RhxBoundary bc, const double *e, PetscScalar *b)
{
  RhxSpace space = bc->space;
  const PetscInt dim = space->dim;
  PetscReal *sum;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal * dim, &sum));
  for (PetscInt i = 0; i < bc->ncond; i++) RhxConditionAddNormals(bc->cond[i].faces, dim, sum);
  PetscCall(RhxSpaceReduce(space, dim, sum));
  for (PetscInt i = 0; i < space->nowned; i++) {
    b[i] = 0;
    for (PetscInt d = 0; d < dim; d++) b[i] += e[d] * sum[i * dim + d];
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is anything left of the force? */
static PetscErrorCode check_share(RhxBoundary bc, const struct RhxDrive *drive)
{
  RhxLaplace laplace;
  MatNullSpace constant;
  PetscScalar *a, taken;
  double share;
  char got[64];

  PetscFunctionBegin;
  PetscCall(RhxLaplaceCreate(bc, &laplace));
  PetscCall(MatNullSpaceCreate(bc->comm, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(MatSetNullSpace(laplace.A, constant));
  PetscCall(VecGetArray(laplace.b, &a));
  PetscCall(wall_flow(bc, drive->direction, a));
  PetscCall(VecRestoreArray(laplace.b, &a));
  PetscCall(MatNullSpaceRemove(constant, laplace.b));
  PetscCall(KSPSolve(laplace.ksp, laplace.b, laplace.phi));
  PetscCall(VecDot(laplace.b, laplace.phi, &taken));
  share = 1 - PetscRealPart(taken) / drive->volume;
  snprintf(got, sizeof(got), "%.3g", share);
  PetscCheck(share > LEAST_SHARE, bc->comm, PETSC_ERR_ARG_WRONG,
             "-form_mean_velocity: got a domain in which a force along -form_mean_direction %s is balanced by the "
             "pressure (what is left of it: %s), expected one that is periodic in that direction (-mesh_periodic, "
             "-mesh_box_periodic)",
             bc->source->mean_direction, got);
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(RhxLaplaceDestroy(&laplace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDriveSetUp(RhxBoundary bc)
{
  struct RhxDrive *drive;
  RhxWaveform none = NULL;
  PetscBool unset;

  PetscFunctionBegin;
  if (!bc->source->mean_velocity[0]) {
    PetscCall(RhxWaveformCreate(bc->comm, "form_mean_velocity", "", &bc->source->mean_velocity_rows, &none));
    PetscCall(PetscStrcmp(bc->source->mean_direction, RHX_MEAN_DIRECTION, &unset));
    PetscCheck(unset, bc->comm, PETSC_ERR_ARG_WRONG,
               "-form_mean_direction: got %s without -form_mean_velocity, expected both or neither",
               bc->source->mean_direction);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < bc->ncond; i++)
    PetscCheck(!(bc->cond[i].gives & (RHX_TYPE_PRESSURE | RHX_TYPE_OPEN)), bc->comm, PETSC_ERR_ARG_WRONG,
               "-form_mean_velocity: got \"%s\" beside -bc_%s_type %s, an open boundary or a given pressure, which "
               "drives the flow too; expected walls and periodic sides alone",
               bc->source->mean_velocity, bc->cond[i].label, bc->cond[i].type->entry.name);
  PetscCall(PetscNew(&bc->drive_force));
  drive = bc->drive_force;
  drive->lead = 1;
  drive->drag = NAN;
  PetscCall(RhxWaveformCreate(bc->comm, "form_mean_velocity", bc->source->mean_velocity,
                              &bc->source->mean_velocity_rows, &drive->aim));
  PetscCall(RhxWaveformWarn(bc->comm, drive->aim));
  PetscCall(read_direction(bc, drive->direction));
  for (PetscInt i = 0; i < bc->space->nowned; i++) drive->volume += bc->space->mass[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &drive->volume, 1, MPI_DOUBLE, MPI_SUM, bc->comm));
  PetscCall(check_share(bc, drive));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, bc->space->nowned, 0, 1, &drive->nodes));
  PetscCall(PetscCalloc1(bc->space->nlocal * bc->space->dim, &drive->rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxDriveKeepRest(RhxBoundary bc, const PetscScalar *source)
{
  const PetscInt dim = bc->space->dim, bs = bc->space->bs, u = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);

  for (PetscInt i = 0; i < bc->space->nlocal; i++)
    for (PetscInt d = 0; d < dim; d++) bc->drive_force->rest[i * dim + d] = source[i * bs + u + d];
  bc->drive_force->kept++;
}

void RhxDriveGetRest(RhxBoundary bc, const PetscScalar **rest, PetscInt *kept, double force[3])
{
  const struct RhxDrive *drive = bc->drive_force;

  *rest = drive->rest;
  *kept = drive->kept;
  for (PetscInt d = 0; d < 3; d++) force[d] = drive->state[FORCE] * drive->direction[d];
}

void RhxDriveAdd(RhxBoundary bc, PetscScalar *source)
{
  const PetscInt dim = bc->space->dim, bs = bc->space->bs, u = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *rest;
  double force[3];
  PetscInt kept;

  RhxDriveGetRest(bc, &rest, &kept, force);
  for (PetscInt i = 0; i < bc->space->nlocal; i++)
    for (PetscInt d = 0; d < dim; d++) source[i * bs + u + d] = rest[i * dim + d] + force[d];
}

PetscErrorCode RhxBoundaryGetMeanWeights(RhxBoundary bc, PetscScalar *weight)
{
  const RhxSpace space = bc->space;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const struct RhxDrive *drive = bc->drive_force;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(weight, (size_t)space->nowned * space->bs));
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt d = 0; d < space->dim; d++)
      weight[(size_t)i * space->bs + u + d] = space->mass[i] * drive->direction[d] / drive->volume;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of x[nowned][bs]. */
static PetscErrorCode mean_of(RhxBoundary bc, const PetscScalar *x, double *mean)
{
  const RhxSpace space = bc->space;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const struct RhxDrive *drive = bc->drive_force;

  PetscFunctionBegin;
  *mean = 0;
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt d = 0; d < space->dim; d++)
      *mean += space->mass[i] * drive->direction[d] * PetscRealPart(x[(size_t)i * space->bs + u + d]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, 1, MPI_DOUBLE, MPI_SUM, bc->comm));
  *mean /= drive->volume;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDriveBegin(RhxBoundary bc, const PetscScalar *x)
{
  double *state;

  PetscFunctionBegin;
  if (!bc->drive_force) PetscFunctionReturn(PETSC_SUCCESS);
  state = bc->drive_force->state;
  if (PetscIsInfOrNanReal(bc->drive_force->drag)) bc->drive_force->drag = state[FORCE]; /* as if at rest */
  PetscCall(mean_of(bc, x, &state[MEAN])); /* of a mapped state another one than was kept */
  state[BEGUN] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mean_velocity(RhxBoundary bc, RhxFetchFn fetch, void *ctx, double *mean)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)bc->space->nowned * bc->space->bs + 1, &x));
  PetscCall(fetch(ctx, bc->drive_force->nodes, x));
  PetscCall(mean_of(bc, x, mean));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean's rate in the last step, m/s^2. */
static double last_slope(RhxBoundary bc)
{
  const double dt = bc->past[RHX_PAST_STEP];
  return dt > 0 ? (bc->drive_force->state[MEAN] - bc->past[RHX_PAST_MEAN]) / dt : 0;
}

PetscErrorCode RhxDriveAdvance(RhxBoundary bc, double dt, RhxFetchFn fetch, void *ctx)
{
  struct RhxDrive *drive = bc->drive_force;
  double mean, rate, *state;

  PetscFunctionBegin;
  if (!drive) PetscFunctionReturn(PETSC_SUCCESS);
  state = drive->state;
  PetscCall(mean_velocity(bc, fetch, ctx, &mean));
  rate = dt > 0 ? drive->lead * (mean - state[MEAN]) / dt - drive->late * last_slope(bc) : 0;
  drive->drag = state[FORCE] - bc->form->rho * rate;
  bc->past[RHX_PAST_MEAN] = state[MEAN];
  state[APPLIED] = state[FORCE];
  state[MEAN] = mean;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDriveForesee(RhxBoundary bc, double t, double dt, double before)
{
  const double w = before > 0 ? dt / before : 0, last = bc->past[RHX_PAST_STEP];
  struct RhxDrive *drive = bc->drive_force;
  double aim, now, change;

  PetscFunctionBegin;
  if (!drive || drive->solved) PetscFunctionReturn(PETSC_SUCCESS);
  drive->lead = (1 + 2 * w) / (1 + w);
  drive->late = w / (1 + w);
  PetscCall(RhxBoundaryGetAim(bc, t + dt, &aim));
  change = aim - drive->state[MEAN];
  if (dt < last) {
    PetscCall(RhxBoundaryGetAim(bc, t, &now));
    change = aim - now + dt / last * (now - drive->state[MEAN]);
  }
  drive->state[FORCE] = drive->drag + bc->form->rho * (drive->lead * change / dt - drive->late * last_slope(bc));
  bc->sources_moved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetDrive(RhxBoundary bc, PetscBool *driven, double *force, double *mean)
{
  PetscFunctionBegin;
  *driven = (PetscBool)(bc->drive_force != NULL);
  if (force) *force = *driven ? bc->drive_force->state[APPLIED] : 0;
  if (mean) *mean = *driven ? bc->drive_force->state[MEAN] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySolveDrive(RhxBoundary bc, double *volume, const double **direction)
{
  PetscFunctionBegin;
  bc->drive_force->solved = PETSC_TRUE;
  *volume = bc->drive_force->volume;
  *direction = bc->drive_force->direction;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetForce(RhxBoundary bc, double *force)
{
  PetscFunctionBegin;
  *force = bc->drive_force->state[FORCE];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetForce(RhxBoundary bc, double force)
{
  PetscFunctionBegin;
  if (force != bc->drive_force->state[FORCE]) bc->sources_moved = PETSC_TRUE;
  bc->drive_force->state[FORCE] = force;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetAim(RhxBoundary bc, double t, double *aim)
{
  char what[512];
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(RhxWaveformEvaluate(bc->drive_force->aim, t, &value));
  if (PetscIsInfOrNanReal(value)) {
    PetscCall(RhxWaveformExplain(bc->drive_force->aim, t, value, what, sizeof(what)));
    SETERRQ(bc->comm, PETSC_ERR_USER_INPUT, "%s", what);
  }
  *aim = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetMeanJump(RhxBoundary bc, double t, double end, double *part)
{
  double period = 0, most = 0, change = 0;
  PetscReal first, aim;
  PetscBool depends = PETSC_FALSE;

  PetscFunctionBegin;
  *part = 0;
  if (bc->drive_force) PetscCall(RhxWaveformDependsOnTime(bc->drive_force->aim, &depends));
  if (!depends || !(end > t)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformGetPeriod(bc->drive_force->aim, &period));
  if (period > 0) end = PetscMin(end, t + period);
  PetscCall(RhxWaveformEvaluate(bc->drive_force->aim, t, &first));
  for (int k = 0; k <= PARTS; k++) { /* what is no number is told when it is met */
    PetscCall(RhxWaveformEvaluate(bc->drive_force->aim, t + (end - t) * k / PARTS, &aim));
    most = PetscMax(PetscAbsReal(aim), most);
    change = PetscMax(PetscAbsReal(aim - first), change);
  }
  if (change > RHX_AT_ONCE * most && PetscAbsReal(first) > RHX_AT_ONCE * most) *part = PetscAbsReal(first) / most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryMeetsAim(RhxBoundary bc, double t, PetscBool *meets)
{
  double aim;

  PetscFunctionBegin;
  *meets = PETSC_TRUE;
  if (!bc->drive_force) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetAim(bc, t, &aim));
  *meets = (PetscBool)(PetscAbsReal(bc->drive_force->state[MEAN] - aim) <= MET * PetscAbsReal(aim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDriveIsSteady(RhxBoundary bc, PetscBool met, PetscBool *steady)
{
  PetscBool depends = PETSC_FALSE;

  PetscFunctionBegin;
  if (bc->drive_force) PetscCall(RhxWaveformDependsOnTime(bc->drive_force->aim, &depends));
  *steady = (PetscBool)(!bc->drive_force || (met && !depends));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const double *RhxDriveDirection(RhxBoundary bc) { return bc->drive_force->direction; }

RhxWaveform RhxDriveGetAim(RhxBoundary bc) { return bc->drive_force ? bc->drive_force->aim : NULL; }

RhxWaveform RhxBoundaryWaveform(RhxBoundary bc, PetscInt i)
{
  const RhxCondition *c = &bc->cond[i / 4];

  if (i == 4 * bc->ncond) return RhxDriveGetAim(bc);
  return (const RhxWaveform[]){c->flow_rate, c->turning, c->pressure_rows, c->motion}[i % 4];
}

void RhxDriveGetState(RhxBoundary bc, PetscInt *n, double **values)
{
  *n = NSTATE;
  *values = bc->drive_force->state;
}

double *RhxDriveGetDrag(RhxBoundary bc) { return &bc->drive_force->drag; }

PetscErrorCode RhxDriveDestroy(RhxBoundary bc)
{
  PetscFunctionBegin;
  if (!bc->drive_force) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformDestroy(&bc->drive_force->aim));
  PetscCall(ISDestroy(&bc->drive_force->nodes));
  PetscCall(PetscFree(bc->drive_force->rest));
  PetscCall(PetscFree(bc->drive_force));
  PetscFunctionReturn(PETSC_SUCCESS);
}
