/* The history of the polymer that an inlet brings in, -bc_<label>_polymer_memory. Behind an inlet the flow is developed, u.grad c = 0, so
 * that at each node the law's own equation is left, dc/dt = (L c + c L^T - rate(c))/a with L(t) of the given velocity, a-fold of a shift a. It is
 * integrated from the state at the end of the last accepted step to whatever time is asked for, with one step length for all nodes, modes and ranks,
 * by the largest of their errors: so it depends on times alone, not on what else was asked nor on the number of ranks. */
#include "boundary/memory.h"
#include "boundary/memory_impl.h"
#include "boundary/shift_impl.h"
#include "form/relaxation.h"
#include "form/transient.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-5 /* of RhxFormTransient: c itself is within some 1e-9 */
#define SHORTEST 1e-7  /* of the way: a step so short ends at a jump of what is given, and is taken */
#define MOST 20000     /* steps of the way: hundreds of periods */
#define SETTLED 1e-10  /* of c, within the longest relaxation time */

#define SLOW 1e-3     /* Wi of no thinning */
#define CONSTANT 1e-3 /* of a viscosity */

enum { NOW, ASKED, NSTATES }; /* the end of the last accepted step; what was asked for last */

struct RhxMemory {
  PetscInt n;                     /* owned nodes: those that are given, then those where the polymer flows in */
  PetscReal *x;                   /* [n][dim] */
  double t[NSTATES], *c[NSTATES]; /* conformations [n][nmodes][ntens] at t */
  PetscBool settled;              /* nothing changes any more */
};

static size_t width_of(const RhxCondition *c) { return (size_t)c->bc->form->nmodes * c->bc->space->ntens; }

/* Does the flow that a label gives change after t? */
static PetscBool flow_changes(RhxCondition *c, double t)
{
  const unsigned what = c->type->changes ? c->type->changes(c, t, PETSC_INFINITY) : 0u;
  return (PetscBool)((what & (RHX_CHANGES_VELOCITY | RHX_CHANGES_STRESS)) != 0);
}

PetscBool RhxMemoryMoves(const RhxCondition *c) { return (PetscBool)(c->memory && !c->memory->settled); }

/* ---- In time ---- */

/* L[n][stages][dim][dim] and a[n][stages] of a step dt from t. */
static PetscErrorCode find_stages(RhxCondition *c, double t, double dt, PetscReal *L, PetscReal *a)
{
  const struct RhxMemory *m = c->memory;
  const PetscInt size = c->bc->space->dim * c->bc->space->dim;
  double stage[RHX_FORM_STAGES];
  PetscReal *one, *factor;

  PetscFunctionBegin;
  RhxFormGetStages(stage);
  PetscCall(PetscMalloc2(m->n * size, &one, m->n, &factor));
  for (PetscInt k = 0; k < RHX_FORM_STAGES; k++) {
    const double then = t + stage[k] * dt;
    PetscCall(RhxConditionProfile(c->bc, c, then, m->n, m->x, NULL, one));
    PetscCall(RhxConditionReduce(c, then, m->n, m->x, one, factor));
    for (PetscInt i = 0; i < m->n; i++) {
      PetscCall(PetscArraycpy(L + (i * RHX_FORM_STAGES + k) * size, one + i * size, size));
      a[i * RHX_FORM_STAGES + k] = factor[i];
    }
  }
  PetscCall(PetscFree2(one, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves state[n][nmodes][ntens] from t by dt; *error: the largest of this rank. */
static PetscErrorCode step(RhxCondition *c, double t, double dt, double *state, double *error)
{
  const struct RhxMemory *m = c->memory;
  const PetscInt dim = c->bc->space->dim, ntens = c->bc->space->ntens, nmodes = c->bc->form->nmodes;
  PetscReal *L, *a;
  double one;

  PetscFunctionBegin;
  *error = 0.0;
  PetscCall(PetscMalloc2(m->n * RHX_FORM_STAGES * dim * dim, &L, m->n * RHX_FORM_STAGES, &a));
  PetscCall(find_stages(c, t, dt, L, a));
  for (PetscInt i = 0; i < m->n * nmodes && !c->bc->failure[0]; i++) {
    const PetscInt node = i / nmodes;
    RhxFormTransient(c->bc->form, i % nmodes, L + node * RHX_FORM_STAGES * dim * dim, a + node * RHX_FORM_STAGES, dt,
                     state + i * ntens, &one);
    *error = PetscMax(*error, one);
  }
  PetscCall(PetscFree2(L, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error of all ranks; *failed: one of them could not find it, and has noted why. */
static PetscErrorCode agree(RhxCondition *c, PetscErrorCode code, double *error, PetscBool *failed)
{
  double most[2];

  PetscFunctionBegin;
  PetscCall(RhxConditionNote(c, "history of the polymer", code));
  most[0] = *error;
  most[1] = code || c->bc->failure[0] ? 1.0 : 0.0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  *error = most[0];
  *failed = (PetscBool)(most[1] > 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void note_stop(RhxCondition *c, double t, double to)
{
  snprintf(
      c->bc->failure, sizeof(c->bc->failure),
      "-bc_%s_polymer_memory: the history of the polymer stopped at t = %g s before %g s: got a law that %d steps in "
      "time, or none, do not follow in the gradient of the given velocity; expected slower flow, a finite, positive "
      "conformation tensor, or off, the steady state of each moment",
      c->label, t, to, MOST);
}

/* Moves state from the time `from` to `to`, as far as nothing fails. */
static PetscErrorCode follow(RhxCondition *c, double from, double to, double *state)
{
  const size_t size = c->memory->n * width_of(c);
  double t = from, dt = to - from, error, *trial;
  PetscBool failed = PETSC_FALSE;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size + 1, &trial));
  for (int steps = 0; t < to && !failed; steps++) {
    const PetscBool last = (PetscBool)(!(t + dt < to)), shortest = (PetscBool)(!(dt > SHORTEST * (to - from)));
    if (last) dt = to - t;
    PetscCall(PetscArraycpy(trial, state, size));
    code = step(c, t, dt, trial, &error);
    PetscCall(agree(c, code, &error, &failed));
    if (!failed && (steps == MOST || (shortest && PetscIsInfReal(error)))) {
      note_stop(c, t, to);
      failed = PETSC_TRUE;
    } else if (!failed && (error <= TOLERANCE || shortest)) {
      PetscCall(PetscArraycpy(state, trial, size));
      t = last ? to : t + dt;
    }
    dt *= PetscMin(5.0, PetscMax(0.2, 0.9 * cbrt(TOLERANCE / PetscMax(error, 1e-3 * TOLERANCE))));
    dt = PetscMax(dt, 0.5 * SHORTEST * (to - from));
  }
  PetscCall(PetscFree(trial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state ASKED becomes that of t. Before the last step's end it is the one there: an integrator that goes through states it has, without a solve,
 * asks so alone. */
static PetscErrorCode ask(RhxCondition *c, double t)
{
  struct RhxMemory *m = c->memory;

  PetscFunctionBegin;
  if (t == m->t[ASKED]) PetscFunctionReturn(PETSC_SUCCESS);
  m->t[ASKED] = NAN; /* until it is there */
  PetscCall(PetscArraycpy(m->c[ASKED], m->c[NOW], m->n * width_of(c)));
  PetscCall(follow(c, m->t[NOW], t, m->c[ASKED]));
  if (!c->bc->failure[0]) m->t[ASKED] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* unknown[n][nmodes][ntens] of conformations. */
static PetscErrorCode give(const RhxCondition *c, PetscInt n, const double *conformation, PetscScalar *unknown)
{
  const PetscInt nmodes = c->bc->form->nmodes, ntens = c->bc->space->ntens;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * nmodes; i++)
    PetscCall(RhxFormUnknown(c->bc->form, i % nmodes, conformation + i * ntens, unknown + i * ntens));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMemoryGive(RhxCondition *c, double t, PetscScalar *s, PetscScalar *inflow, PetscBool *has)
{
  const struct RhxMemory *m = c->memory;

  PetscFunctionBegin;
  *has = (PetscBool)(m && !c->bc->momentary);
  if (!*has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ask(c, t));
  if (c->bc->failure[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(give(c, c->s.n, m->c[ASKED], s));
  PetscCall(give(c, c->inflow.n, m->c[ASKED] + c->s.n * width_of(c), inflow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From NOW to ASKED, in the longest relaxation time, does nothing change but by rounding, nor later? */
static PetscErrorCode settle(RhxCondition *c)
{
  struct RhxMemory *m = c->memory;
  const double dt = m->t[ASKED] - m->t[NOW];
  double longest, most[2] = {0.0, 0.0}; /* change, size */

  PetscFunctionBegin;
  m->settled = PETSC_TRUE; /* what changes is the flow then */
  m->settled = PetscNot(flow_changes(c, m->t[ASKED]));
  if (!m->settled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormRelaxationTime(c->bc->form, &longest));
  for (size_t k = 0; k < m->n * width_of(c); k++) {
    most[0] = PetscMax(most[0], PetscAbsReal(m->c[ASKED][k] - m->c[NOW][k]));
    most[1] = PetscMax(most[1], PetscAbsReal(m->c[ASKED][k]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  m->settled = (PetscBool)(most[0] * PetscMax(longest, dt) <= SETTLED * dt * most[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMemoryAdvance(RhxCondition *c, double t)
{
  struct RhxMemory *m = c->memory;

  PetscFunctionBegin;
  if (!m || !(t > m->t[NOW])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ask(c, t));
  if (c->bc->failure[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(settle(c));
  m->t[NOW] = t;
  PetscCall(PetscArraycpy(m->c[NOW], m->c[ASKED], m->n * width_of(c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Where it begins ---- */

static PetscErrorCode create(RhxCondition *c, struct RhxMemory **memory)
{
  const PetscInt dim = c->bc->space->dim, n = c->s.n + c->inflow.n;
  struct RhxMemory *m;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  m->n = n;
  PetscCall(PetscMalloc1(n * dim + 1, &m->x));
  PetscCall(PetscArraycpy(m->x, c->s.x, c->s.n * dim));
  PetscCall(PetscArraycpy(m->x + c->s.n * dim, c->inflow.x, c->inflow.n * dim));
  for (int k = 0; k < NSTATES; k++) PetscCall(PetscMalloc1(n * width_of(c) + 1, &m->c[k]));
  *memory = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMemoryDestroy(struct RhxMemory **m)
{
  PetscFunctionBegin;
  if (!*m) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < NSTATES; k++) PetscCall(PetscFree((*m)->c[k]));
  PetscCall(PetscFree((*m)->x));
  PetscCall(PetscFree(*m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state NOW is that of t. */
static void begin_at(RhxCondition *c, double t)
{
  struct RhxMemory *m = c->memory;

  m->t[NOW] = t;
  m->t[ASKED] = NAN;
  m->settled = PETSC_FALSE;
  c->moved = PETSC_TRUE;
}

/* state[n][nmodes][ntens] in steady flow at the gradient of t. */
static PetscErrorCode develop(RhxCondition *c, double t, double *state)
{
  const struct RhxMemory *m = c->memory;
  const RhxForm form = c->bc->form;
  const PetscInt size = c->bc->space->dim * c->bc->space->dim, ntens = c->bc->space->ntens;
  PetscReal *L;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n * size + 1, &L));
  PetscCall(RhxConditionProfile(c->bc, c, t, m->n, m->x, NULL, L));
  PetscCall(RhxConditionReduce(c, t, m->n, m->x, L, NULL));
  for (PetscInt i = 0; i < m->n * form->nmodes && !c->bc->failure[0]; i++)
    PetscCall(RhxFormSteady(form, i % form->nmodes, L + i / form->nmodes * size, state + i * ntens));
  PetscCall(PetscFree(L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state NOW of t: that of steady flow at `from`, followed from there on. Errors of one rank are those of all. */
static PetscErrorCode develop_from(RhxCondition *c, double from, double t)
{
  double *state = c->memory->c[NOW];
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = develop(c, from, state);
  PetscCall(RhxConditionNote(c, "history of the polymer", code));
  PetscCall(RhxBoundaryRaise(c->bc));
  PetscCall(follow(c, from, t, state));
  PetscCall(PetscPopErrorHandler());
  PetscCall(RhxBoundaryRaise(c->bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode has_memory(RhxCondition *c, double t, PetscBool *has)
{
  const int asked = c->opt->polymer_memory;
  double longest;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  if (!c->bc->form->nmodes || !c->type->shared || !strstr(c->type->shared, " polymer_memory ") ||
      !(c->gives & RHX_TYPE_STRESS) || c->opt->polymer != RHX_POLYMER_DEVELOPED)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormRelaxationTime(c->bc->form, &longest));
  *has = (PetscBool)(asked == RHX_MEMORY_ON || (asked == RHX_MEMORY_AUTO && longest > 0.0 && flow_changes(c, t)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryBeginMemory(RhxBoundary bc, double t, PetscBool in_time)
{
  const PetscInt ntens = bc->space->ntens, ndiag = ntens == 3 ? 2 : 3;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    const double before = c->opt->polymer_memory_before;
    const PetscBool rests = (PetscBool)(!bc->initial->stress[0] && !bc->initial->conformation[0] && !(before > 0.0));
    PetscBool has;
    PetscCheck(
        in_time || c->opt->polymer_memory != RHX_MEMORY_ON, bc->comm, PETSC_ERR_ARG_INCOMP,
        "-bc_%s_polymer_memory: got on with -scheme steady, whose state has no history, expected auto or off, or "
        "another scheme",
        c->label);
    PetscCall(has_memory(c, t, &has));
    if (!has || !in_time) continue;
    PetscCall(create(c, &c->memory));
    if (!rests) PetscCall(develop_from(c, t - before, t));
    for (size_t k = 0; rests && k < c->memory->n * width_of(c); k++)
      c->memory->c[NOW][k] = (PetscInt)(k % ntens) < ndiag;
    begin_at(c, t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxBoundaryHasMemory(RhxBoundary bc, const char *label)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label)) return (PetscBool)(bc->cond[i].memory != NULL);
  return PETSC_FALSE;
}

/* Does the shear viscosity of all laws change between rest and Wi 1? */
static PetscErrorCode thins(RhxForm form, PetscBool *thins)
{
  double c[RHX_MAX_MODES][6], longest, slow, fast;

  PetscFunctionBegin;
  *thins = PETSC_FALSE;
  PetscCall(RhxFormRelaxationTime(form, &longest));
  if (!(longest > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormShearStress(form, 0.0, SLOW / longest, c, &slow));
  PetscCall(RhxFormShearStress(form, SLOW / longest, 1.0 / longest, c, &fast));
  *thins = (PetscBool) !(PetscAbsReal(SLOW * fast - slow) <= CONSTANT * slow);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryHasMomentaryProfile(RhxBoundary bc, const char *label, PetscBool *has)
{
  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label) && bc->cond[i].opt->profile == RHX_PROFILE_DEVELOPED)
      PetscCall(thins(bc->form, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxBoundaryHasMemories(RhxBoundary bc)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].memory) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* ---- In checkpoints ---- */

PetscInt RhxBoundaryGetMemoryWidth(RhxBoundary bc) { return 1 + bc->form->nmodes * bc->space->ntens; }

static PetscInt node_of(const RhxCondition *c, PetscInt i)
{
  return i < c->s.n ? c->s.node[i] : c->inflow.node[i - c->s.n];
}

static int by_node(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

PetscErrorCode RhxBoundaryCollectMemory(RhxBoundary bc, PetscInt *n, double **rows)
{
  const PetscInt columns = RhxBoundaryGetMemoryWidth(bc);
  PetscInt count = 0, all;
  double *mine, *row;

  PetscFunctionBegin;
  *n = 0;
  *rows = NULL;
  if (!RhxBoundaryHasMemories(bc)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < bc->ncond; i++) count += bc->cond[i].memory ? bc->cond[i].memory->n : 0;
  PetscCall(PetscMalloc1(count * columns + 1, &mine));
  row = mine;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    for (PetscInt k = 0; c->memory && k < c->memory->n; k++, row += columns) {
      row[0] = (double)bc->space->natural[node_of(c, k)];
      PetscCall(PetscArraycpy(row + 1, c->memory->c[NOW] + k * (columns - 1), columns - 1));
    }
  }
  PetscCall(RhxGatherReals(bc->comm, count * columns, mine, &all, rows));
  PetscCall(PetscFree(mine));
  *n = all / columns;
  qsort(*rows, (size_t)*n, sizeof(**rows) * columns, by_node);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c[nmodes][ntens] of an owned node, by rows or by its state; what neither has stays. *whole: by rows. */
static PetscErrorCode take(RhxBoundary bc, PetscInt node, const PetscScalar *x, PetscInt n, const double *rows,
                           double *c, PetscBool *whole)
{
  const RhxSpace space = bc->space;
  const PetscInt columns = RhxBoundaryGetMemoryWidth(bc), ntens = space->ntens;
  const double number = (double)space->natural[node],
               *row = n ? bsearch(&number, rows, (size_t)n, sizeof(*rows) * columns, by_node) : NULL;

  PetscFunctionBegin;
  *whole = (PetscBool)(row != NULL);
  if (row) PetscCall(PetscArraycpy(c, row + 1, columns - 1));
  for (PetscInt k = 0; !row && k < bc->form->nmodes; k++) {
    const PetscScalar *at = x + (size_t)node * space->bs;
    double least;
    PetscCall(
        RhxFormSmallestEigenvalue(bc->form, k, at + RhxFieldsGet(space->fields, RHX_GROUP_MODES, k)->offset, &least));
    if (least > 0.0) PetscCall(RhxFormConformation(bc->form, k, 1, at, c + k * ntens));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRestartMemory(RhxBoundary bc, double t, const PetscScalar *x, PetscInt n, const double *rows,
                                        PetscBool *whole)
{
  int lacks = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (!c->memory) continue;
    PetscCall(develop_from(c, t, t));
    for (PetscInt k = 0; k < c->memory->n; k++) {
      PetscBool by_row;
      PetscCall(take(bc, node_of(c, k), x, n, rows, c->memory->c[NOW] + k * width_of(c), &by_row));
      if (!by_row) lacks = 1;
    }
    begin_at(c, t);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_MAX, bc->comm));
  *whole = lacks ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
