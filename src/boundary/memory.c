/* The history of the polymer that an inlet brings in, -bc_<label>_polymer_memory: which labels have one, where it begins, how it goes on by pieces
 * of time (collocation.c), and what checkpoints keep of it: the piece with the last accepted step's end. */
#include "boundary/memory.h"
#include "boundary/memory_impl.h"
#include "boundary/shift_impl.h"
#include "form/relaxation.h"
#include "form/transient.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200000   /* pieces on the way to a time: thousands of periods */
#define SETTLED 1e-10 /* of c, within the longest relaxation time */
#define FIRST 1e-2    /* of the longest relaxation time: the length that is tried first */

#define FORGOTTEN 25 /* of the longest relaxation time, over which a Womersley flow has gone on */

#define SLOW 1e-3     /* Wi of no thinning */
#define CONSTANT 1e-3 /* of a viscosity */

/* Where the last accepted step ends; where what was asked for last is, if not there. */
enum { NOW, AHEAD, SPARE, NPIECES };

struct RhxMemory {
  RhxPieceNodes nodes; /* those that are given, then those where the polymer flows in */
  RhxPiece piece[NPIECES];
  double t;          /* end of the last accepted step */
  PetscBool ahead;   /* piece AHEAD is there */
  PetscBool settled; /* nothing changes any more */
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

static void note_stop(RhxCondition *c, double t, double to)
{
  snprintf(
      c->bc->failure, sizeof(c->bc->failure),
      "-bc_%s_polymer_memory: the history of the polymer stopped at t = %g s before %g s: got a law that %d steps in "
      "time, or none, do not follow in the gradient of the given velocity; expected slower flow, a finite, positive "
      "conformation tensor, or off, the steady state of each moment",
      c->label, t, to, MOST);
}

static void swap(RhxPiece *a, RhxPiece *b)
{
  const RhxPiece kept = *a;
  *a = *b;
  *b = kept;
}

/* Piece AHEAD becomes the one with t, behind the end of NOW. */
static PetscErrorCode go_ahead(RhxCondition *c, double t)
{
  struct RhxMemory *m = c->memory;
  RhxPiece *piece = m->piece;
  PetscBool stopped = PETSC_FALSE;

  PetscFunctionBegin;
  if (m->ahead && !(t > piece[AHEAD].begin)) m->ahead = PETSC_FALSE;
  for (int steps = 0; !m->ahead || t > piece[AHEAD].end; steps++) {
    RhxPieceBehind(&m->nodes, &piece[m->ahead ? AHEAD : NOW], &piece[SPARE]);
    PetscCall(RhxPieceFind(c, &m->nodes, t, &piece[SPARE], &stopped));
    if (stopped || steps == MOST) {
      if (!c->bc->failure[0]) note_stop(c, piece[SPARE].begin, t);
      m->ahead = PETSC_FALSE;
      break;
    }
    swap(&piece[SPARE], &piece[AHEAD]);
    m->ahead = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMemoryGive(RhxCondition *c, double t, PetscScalar *s, PetscScalar *inflow, PetscBool *has)
{
  struct RhxMemory *m = c->memory;
  const RhxPiece *piece;

  PetscFunctionBegin;
  *has = (PetscBool)(m && !c->bc->momentary);
  if (!*has) PetscFunctionReturn(PETSC_SUCCESS);
  piece = &m->piece[NOW];
  if (t > piece->end && !m->settled) {
    PetscCall(go_ahead(c, t));
    if (!m->ahead) PetscFunctionReturn(PETSC_SUCCESS);
    piece = &m->piece[AHEAD];
  }
  RhxPieceGive(&m->nodes, piece, t, 0, c->s.n, s);
  RhxPieceGive(&m->nodes, piece, t, c->s.n, c->inflow.n, inflow);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In piece NOW, in the longest relaxation time, does nothing change but by rounding, nor later? */
static PetscErrorCode settle(RhxCondition *c)
{
  struct RhxMemory *m = c->memory;
  const RhxPiece *now = &m->piece[NOW];
  const double dt = now->length;
  double longest, most[2] = {0.0, 0.0}; /* change, size */

  PetscFunctionBegin;
  m->settled = PETSC_TRUE; /* what changes is the flow then */
  m->settled = PetscNot(flow_changes(c, now->begin));
  if (!m->settled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormRelaxationTime(c->bc->form, &longest));
  for (PetscInt k = 0; k < m->nodes.n * m->nodes.width; k++) {
    most[0] = PetscMax(most[0], PetscAbsReal(now->last[k] - now->c[k]));
    most[1] = PetscMax(most[1], PetscAbsReal(now->last[k]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  m->settled = (PetscBool)(most[0] * PetscMax(longest, dt) <= SETTLED * dt * most[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMemoryAdvance(RhxCondition *c, double t)
{
  struct RhxMemory *m = c->memory;

  PetscFunctionBegin;
  if (!m || !(t > m->t)) PetscFunctionReturn(PETSC_SUCCESS);
  m->t = t;
  if (m->settled || !(t > m->piece[NOW].end)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(go_ahead(c, t));
  if (!m->ahead) PetscFunctionReturn(PETSC_SUCCESS);
  swap(&m->piece[NOW], &m->piece[AHEAD]);
  m->ahead = PETSC_FALSE;
  PetscCall(settle(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Where it begins ---- */

static PetscErrorCode create(RhxCondition *c, struct RhxMemory **memory)
{
  const PetscInt dim = c->bc->space->dim, n = c->s.n + c->inflow.n;
  struct RhxMemory *m;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  m->nodes.n = n;
  m->nodes.width = (PetscInt)width_of(c);
  m->nodes.start = -PETSC_INFINITY;
  PetscCall(PetscMalloc1(n * dim + 1, &m->nodes.x));
  PetscCall(PetscArraycpy(m->nodes.x, c->s.x, c->s.n * dim));
  PetscCall(PetscArraycpy(m->nodes.x + c->s.n * dim, c->inflow.x, c->inflow.n * dim));
  for (int k = 0; k < NPIECES; k++) PetscCall(RhxPieceCreate(&m->nodes, &m->piece[k]));
  *memory = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMemoryDestroy(struct RhxMemory **m)
{
  PetscFunctionBegin;
  if (!*m) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < NPIECES; k++) PetscCall(RhxPieceDestroy(&(*m)->piece[k]));
  PetscCall(PetscFree((*m)->nodes.x));
  PetscCall(PetscFree(*m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Piece NOW becomes that of t, from its conformations at `begin` on, where the first piece has a length, or, 0, none. Errors of one rank are those of all. */
static PetscErrorCode begin_at(RhxCondition *c, double begin, double length, double t)
{
  struct RhxMemory *m = c->memory;
  RhxPiece *now = &m->piece[NOW];
  double longest;

  PetscFunctionBegin;
  PetscCall(RhxFormRelaxationTime(c->bc->form, &longest));
  m->t = t;
  m->ahead = m->settled = PETSC_FALSE;
  c->moved = PETSC_TRUE;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscCall(RhxPieceStill(c, &m->nodes, begin, FIRST * longest, now));
  if (t > begin || length > 0.0) {
    if (length > 0.0) now->next = length;
    PetscCall(go_ahead(c, t));
    if (m->ahead) swap(now, &m->piece[AHEAD]);
    m->ahead = PETSC_FALSE;
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(RhxBoundaryRaise(c->bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* state[n][nmodes][ntens] in steady flow at the gradient of t. */
static PetscErrorCode develop(RhxCondition *c, double t, double *state)
{
  const RhxPieceNodes *m = &c->memory->nodes;
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

/* The history up to t begins with steady flow at `from`. Errors of one rank are those of all. */
static PetscErrorCode develop_from(RhxCondition *c, double from, double t)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = develop(c, from, c->memory->piece[NOW].c);
  PetscCall(RhxConditionNote(c, "history of the polymer", code));
  PetscCall(PetscPopErrorHandler());
  PetscCall(RhxBoundaryRaise(c->bc));
  c->memory->nodes.start = t;
  PetscCall(begin_at(c, from, 0.0, t));
  c->memory->nodes.start = -PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For how long has the given flow gone on before the start? */
static PetscErrorCode gone_on(const RhxCondition *c, double *before)
{
  double longest;

  PetscFunctionBegin;
  PetscCall(RhxFormRelaxationTime(c->bc->form, &longest));
  *before = PetscMax(c->opt->polymer_memory_before, c->womersley ? FORGOTTEN * longest : 0.0);
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
    double before = 0.0;
    PetscBool has, rests;
    PetscCheck(
        in_time || c->opt->polymer_memory != RHX_MEMORY_ON, bc->comm, PETSC_ERR_ARG_INCOMP,
        "-bc_%s_polymer_memory: got on with -scheme steady, whose state has no history, expected auto or off, or "
        "another scheme",
        c->label);
    PetscCall(has_memory(c, t, &has));
    if (!has || !in_time) continue;
    PetscCall(create(c, &c->memory));
    PetscCall(gone_on(c, &before));
    rests = (PetscBool)(!bc->initial->stress[0] && !bc->initial->conformation[0] && !(before > 0.0));
    if (!rests) {
      PetscCall(develop_from(c, t - before, t));
      continue;
    }
    for (PetscInt k = 0; k < c->memory->nodes.n * c->memory->nodes.width; k++)
      c->memory->piece[NOW].c[k] = k % ntens < ndiag;
    PetscCall(begin_at(c, t, 0.0, t));
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

/* Of a row: natural number of a node; of the piece of time with the last accepted step's end the beginning and the length; conformations at its
 * beginning. */
enum { NODE, BEGIN, LENGTH, FIRST_OF_C };

PetscInt RhxBoundaryGetMemoryWidth(RhxBoundary bc) { return FIRST_OF_C + bc->form->nmodes * bc->space->ntens; }

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
  for (PetscInt i = 0; i < bc->ncond; i++) count += bc->cond[i].memory ? bc->cond[i].memory->nodes.n : 0;
  PetscCall(PetscMalloc1(count * columns + 1, &mine));
  row = mine;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    for (PetscInt k = 0; c->memory && k < c->memory->nodes.n; k++, row += columns) {
      const RhxPiece *now = &c->memory->piece[NOW];
      row[NODE] = (double)bc->space->natural[node_of(c, k)];
      row[BEGIN] = now->begin;
      row[LENGTH] = now->length;
      PetscCall(PetscArraycpy(row + FIRST_OF_C, now->c + k * (columns - FIRST_OF_C), columns - FIRST_OF_C));
    }
  }
  PetscCall(RhxGatherReals(bc->comm, count * columns, mine, &all, rows));
  PetscCall(PetscFree(mine));
  *n = all / columns;
  qsort(*rows, (size_t)*n, sizeof(**rows) * columns, by_node);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row of an owned node, or NULL. */
static const double *row_of(RhxBoundary bc, PetscInt node, PetscInt n, const double *rows)
{
  const double number = (double)bc->space->natural[node];
  return n ? bsearch(&number, rows, (size_t)n, sizeof(*rows) * RhxBoundaryGetMemoryWidth(bc), by_node) : NULL;
}

/* Beginning and length of the piece with t, which rows of all nodes of a label have; *whole: they have one. Collective. */
static PetscErrorCode find_piece(RhxCondition *c, double t, PetscInt n, const double *rows, double piece[2],
                                 PetscBool *whole)
{
  double most[4] = {-PETSC_INFINITY, -PETSC_INFINITY, -PETSC_INFINITY, -PETSC_INFINITY}; /* of -1 times them too */
  PetscBool some, same;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->memory->nodes.n; k++) {
    const double *row = row_of(c->bc, node_of(c, k), n, rows);
    for (int i = 0; i < 2; i++) {
      const double at = row ? row[BEGIN + i] : PETSC_INFINITY;
      most[i] = PetscMax(most[i], at);
      most[2 + i] = PetscMax(most[2 + i], -at);
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  some = (PetscBool)(most[0] > -PETSC_INFINITY); /* a label may have no nodes */
  same = (PetscBool)(most[0] == -most[2] && most[1] == -most[3]);
  piece[0] = some ? most[0] : t;
  piece[1] = some ? most[1] : 0.0;
  *whole = (PetscBool)(!some || (same && piece[0] <= t && t <= piece[0] + piece[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conformations at t by the state there; of a node where it is not positive they stay. */
static PetscErrorCode take_state(RhxCondition *c, const PetscScalar *x)
{
  const RhxSpace space = c->bc->space;
  const RhxForm form = c->bc->form;
  double least;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->memory->nodes.n * form->nmodes; i++) {
    const PetscInt mode = i % form->nmodes;
    const PetscScalar *at = x + (size_t)node_of(c, i / form->nmodes) * space->bs;
    PetscCall(
        RhxFormSmallestEigenvalue(form, mode, at + RhxFieldsGet(space->fields, RHX_GROUP_MODES, mode)->offset, &least));
    if (least > 0.0) PetscCall(RhxFormConformation(form, mode, 1, at, c->memory->piece[NOW].c + i * space->ntens));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRestartMemory(RhxBoundary bc, double t, const PetscScalar *x, PetscInt n, const double *rows,
                                        PetscBool *whole)
{
  *whole = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    const PetscInt width = c->memory ? c->memory->nodes.width : 0;
    double piece[2];
    PetscBool has;
    if (!c->memory) continue;
    PetscCall(find_piece(c, t, n, rows, piece, &has));
    if (has) {
      for (PetscInt k = 0; k < c->memory->nodes.n; k++)
        PetscCall(
            PetscArraycpy(c->memory->piece[NOW].c + k * width, row_of(bc, node_of(c, k), n, rows) + FIRST_OF_C, width));
      PetscCall(begin_at(c, piece[0], piece[1], t));
    } else {
      *whole = PETSC_FALSE;
      PetscCall(develop_from(c, t, t));
      PetscCall(take_state(c, x));
      PetscCall(begin_at(c, t, 0.0, t));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
