/* How far a flow that is driven periodically is from periodic: every_dt is the period, and each row compares the state with that of the
 * row before. */
#include "diagnostics/named.h"
#include "diagnostics/store.h"
#include "petsc_compat.h"
#include <math.h>

#define MOST 1e3 /* times a change that is left of it at most: rounding is followed by rounding */

enum { VELOCITY, PRESSURE, POLYMER, SCALARS, NPARTS };
#define NKEPT (2 + NPARTS)
static const char *const names[] = {"velocity", "pressure", "polymer", "scalars"};

typedef struct {
  PetscInt width; /* of a node block */
  double *before; /* [nlocal][width] state of the row before; owned */
  double *rows;   /* [NKEPT] their number so far, every_dt, changes of the last one; owned */
} Options;

static int part_of(const RhxField *field)
{
  return field->group == RHX_GROUP_VELOCITY   ? VELOCITY
         : field->group == RHX_GROUP_PRESSURE ? PRESSURE
         : field->group == RHX_GROUP_MODES    ? POLYMER
                                              : SCALARS;
}

static void find_parts(const RhxSpace space, PetscBool has[NPARTS])
{
  for (int k = 0; k < NPARTS; k++) has[k] = PETSC_FALSE;
  for (PetscInt k = 0; k < space->nfields; k++) has[part_of(&space->field[k])] = PETSC_TRUE;
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  Options *o = d->own;
  PetscBool has[NPARTS];

  PetscFunctionBegin;
  PetscCheck(d->every_dt > 0.0 && !d->by_steps, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind periodicity: got %s, expected -diagnostic_%s_every_dt alone, the period of the flow",
             d->name, d->every_dt > 0.0 ? "rows by steps too" : "no period", d->name);
  find_parts(space, has);
  PetscCall(RhxDiagnosticAddColumnUnit(d, "period", "1"));
  for (int k = 0; k < NPARTS; k++)
    if (has[k]) PetscCall(RhxDiagnosticAddColumnUnit(d, names[k], "1"));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "left", "1"));
  o->width = space->bs;
  PetscCall(PetscCalloc1((size_t)space->nlocal * o->width, &o->before));
  PetscCall(PetscCalloc1(NKEPT, &o->rows));
  o->rows[1] = d->every_dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |change| and |value| now or before of each field, of vectors and tensors by their components' squares. */
static void compare(const RhxSpace space, const PetscScalar *x, const double *before, double *change, double *size)
{
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt f = 0; f < space->nfields; f++) {
      const RhxField *field = &space->field[f];
      double differs = 0.0, now = 0.0, then = 0.0;
      for (PetscInt c = 0; c < field->components; c++) {
        const size_t at = (size_t)i * space->bs + field->offset + c;
        differs += PetscSqr(x[at] - before[at]);
        now += PetscSqr(x[at]);
        then += PetscSqr(before[at]);
      }
      change[f] = PetscMax(change[f], sqrt(differs));
      size[f] = PetscMax(size[f], sqrt(PetscMax(now, then)));
    }
}

/* u_theta is of the velocity's size, not of its part. */
static PetscBool is_speed(const RhxForm form, const RhxField *field)
{
  return (PetscBool)(field->group == RHX_GROUP_VELOCITY ||
                     (form->swirl >= 0 && field->offset == form->first_scalar + form->swirl));
}

/* Of each part the largest of its fields' changes over their sizes, over all ranks. Beside u_theta u_z and u_r are next to nothing, and
 * without pressure the pressure is rounding, whose size is with that of rho u^2. */
static PetscErrorCode find_changes(RhxDiagnostic *d, const PetscScalar *x, double changes[NPARTS])
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  const RhxSpace space = form->space;
  const PetscInt n = space->nfields;
  double *change, *size, speed = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * n, &change));
  size = change + n;
  compare(space, x, ((Options *)d->own)->before, change, size);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, change, (PetscMPIInt)(2 * n), MPI_DOUBLE, MPI_MAX, RhxDiagnosticGetComm(d)));
  for (PetscInt f = 0; f < n; f++)
    if (is_speed(form, &space->field[f])) speed = PetscMax(speed, size[f]);
  for (int k = 0; k < NPARTS; k++) changes[k] = 0.0;
  for (PetscInt f = 0; f < n; f++) {
    const int part = part_of(&space->field[f]);
    if (part == VELOCITY) size[f] = speed;
    if (part == PRESSURE) size[f] += RhxDiagnosticGetDensity(d) * PetscSqr(speed);
    if (size[f] > 0.0) changes[part] = PetscMax(changes[part], change[f] / size[f]);
  }
  PetscCall(PetscFree(change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it the end of a period? The control file of a run may ask for rows by steps too, or for another period, which begins anew. */
static PetscBool ends_period(const RhxDiagnostic *d, const RhxDiagnosticStep *step)
{
  Options *o = d->own;
  const double n = step->t / d->every_dt;
  if (o->rows[1] != d->every_dt) o->rows[0] = 0.0;
  o->rows[1] = d->every_dt;
  return (PetscBool)(!step->extra && fabs(n - round(n)) < 1e-6);
}

/* By which a change is followed where the next ones fall as it fell from the one before: (q + q^2 + ...) times it. */
static double what_is_left(double change, double before)
{
  const double q = before > 0.0 ? change / before : 0.0;
  return change * (q < 1.0 ? PetscMin(q / (1.0 - q), MOST) : MOST);
}

/* values[periods, changes of the parts that there are, what is left]; nan where there is nothing to compare with. */
static void fill_row(const PetscBool has[NPARTS], const double change[NPARTS], PetscBool whole, Options *o,
                     double *values)
{
  double left = 0.0;
  PetscInt n = 0;
  values[n++] = whole ? o->rows[0] + 1.0 : NAN;
  for (int k = 0; k < NPARTS; k++) {
    if (has[k]) values[n++] = whole && o->rows[0] > 0.0 ? change[k] : NAN;
    left = PetscMax(left, what_is_left(change[k], o->rows[2 + k]));
  }
  values[n] = whole && o->rows[0] > 1.0 ? left : NAN;
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  Options *o = d->own;
  const PetscBool whole = ends_period(d, step);
  double change[NPARTS];
  const PetscScalar *x;
  PetscBool has[NPARTS];
  Vec state;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetState(d, &state));
  PetscCall(VecGetArrayRead(state, &x));
  PetscCall(find_changes(d, x, change));
  find_parts(space, has);
  fill_row(has, change, whole, o, values);
  if (whole) {
    for (size_t i = 0; i < (size_t)space->nowned * o->width; i++) o->before[i] = x[i];
    for (int k = 0; k < NPARTS; k++) o->rows[2 + k] = change[k];
    o->rows[0] += 1.0;
  }
  PetscCall(VecRestoreArrayRead(state, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode state(RhxDiagnostic *d, RhxStore *store)
{
  Options *o = d->own;
  PetscInt n = 1;

  PetscFunctionBegin;
  PetscCall(RhxStoreRows(store, "rows", NKEPT, &n, &o->rows));
  PetscCall(RhxStoreNodes(store, "before", o->width, o->before));
  if (o->rows[1] != d->every_dt) RhxStoreRefuse(store);
  if (RhxStoreLacks(store)) o->rows[0] = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(PetscFree(o->before));
  PetscCall(PetscFree(o->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_periodicity = {
    .entry =
        {sizeof(RhxDiagnosticType), "periodicity",
         "how far a flow is from periodic: what changed since a period (every_dt) ago, over the largest value, and by "
         "what that is followed; -stop_periodic ends a run by it"},
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy,
    .state = state};
