/* Where the first state of `steady` leads nowhere: a parameter of the case grows to its value within the step. */
#include "petsc_compat.h"
#include "scheme/steady_impl.h"

#define MOST_TENTHS 3 /* of the value, where a climb may begin */

/* The last state of a parameter that did not come to its value; x NULL: none has reached one. */
typedef struct {
  RhxRange range;
  double value;
  Vec x; /* [global] */
} Reached;

/* The first state: of `from`, or of a tenth of that where the parameter grows. */
static PetscErrorCode begin(RhxScheme sc, RhxSteady *st, PetscBool *solved)
{
  const int most = st->range.by > 0.0 ? MOST_TENTHS : 1;

  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  for (int k = 0; k < most && !*solved; k++) {
    st->value = k ? 0.1 * st->value : st->range.from;
    PetscCall(RhxSteadySet(sc, &st->range.how, st->value));
    PetscCall(RhxSteadySolve(sc, st, solved));
  }
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSteadyRemember(st, st->value));
  PetscCall(PetscPrintf(sc->form->comm, "continuation: %s = %.8g\n", st->range.how.option, st->value));
  st->begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode follow_to_the_end(RhxScheme sc, RhxSteady *st, size_t size, char *failed)
{
  PetscFunctionBegin;
  do {
    PetscCall(RhxEquationsLoad(st->nt->eq, sc->x, st->nt->x));
    PetscCall(RhxDrivenKeep(st->nt->eq->driven));
    PetscCall(RhxSteadyFollow(sc, st, size, failed));
  } while (!sc->done && !failed[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a parameter reached that did not come to its value: sc->x. */
static PetscErrorCode keep(RhxScheme sc, const RhxSteady *st, Reached *reached)
{
  PetscFunctionBegin;
  if (!reached->x) PetscCall(VecDuplicate(st->nt->x, &reached->x));
  PetscCall(RhxEquationsStore(st->nt->eq, sc->x, reached->x));
  reached->range = st->range;
  reached->value = st->value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a parameter that reached nothing, which has its value of the case again. */
static PetscErrorCode recall(RhxScheme sc, RhxSteady *st, const Reached *reached)
{
  PetscFunctionBegin;
  if (st->climbs || !reached->x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSteadySet(sc, &st->range.how, st->range.to));
  PetscCall(RhxEquationsLoad(st->nt->eq, sc->x, reached->x));
  st->range = reached->range;
  st->value = reached->value;
  st->climbs = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One parameter; failed: "", or how far it came. */
static PetscErrorCode climb(RhxScheme sc, RhxSteady *st, const char *range, size_t size, char *failed)
{
  PetscBool begun;

  PetscFunctionBegin;
  st->begun = st->climbs = PETSC_FALSE;
  st->nstates = st->halvings = 0;
  st->range = (RhxRange){.row = NULL};
  PetscCall(RhxRangeRead(sc, range, &st->range));
  PetscCall(PetscPrintf(sc->form->comm,
                        "Newton: not from the first state; continuation in %s from %.3g "
                        "(-scheme_steady_climb false: none)\n",
                        st->range.how.option, st->range.from));
  st->way = st->range.by;
  sc->done = PETSC_FALSE;
  PetscCall(begin(sc, st, &begun));
  st->climbs = begun;
  if (begun)
    PetscCall(follow_to_the_end(sc, st, size, failed));
  else
    snprintf(failed, size, ", with %s = %.3g too", st->range.how.option, st->value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSteadyGetClimbed(RhxScheme sc, const char **option, double *value)
{
  const RhxSteady *st = (const RhxSteady *)sc->data;

  PetscFunctionBegin;
  *option = NULL;
  if (!sc->type->newton || !st->climbs) PetscFunctionReturn(PETSC_SUCCESS);
  *option = st->range.how.option;
  *value = st->value;
  PetscCall(RhxSteadySet(sc, &st->range.how, st->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSteadyClimb(RhxScheme sc, RhxSteady *st, PetscBool *solved)
{
  char range[RHX_MOST_CLIMBS][RHX_CLIMB_TEXT], failed[512] = "", advice[RHX_ADVICE];
  Reached reached = {.x = NULL};
  PetscInt n;
  double norm;
  Vec start;

  PetscFunctionBegin;
  PetscCall(RhxRangeFindClimbs(sc->form, &n, range));
  PetscCall(RhxRangeAdvise(sc->form, RHX_STEADY_HINT, sizeof(advice), advice));
  PetscCall(RhxNewtonResidual(st->nt, &norm));
  if (!n || !(norm > RHX_AT_ROUNDING * st->nt->scale)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(st->nt->x, &start));
  PetscCall(RhxEquationsStore(st->nt->eq, sc->x, start));
  for (PetscInt k = 0; k < n && (!k || failed[0]); k++) {
    if (k) PetscCall(RhxSteadySet(sc, &st->range.how, st->range.to));
    if (k) PetscCall(RhxEquationsLoad(st->nt->eq, sc->x, start));
    PetscCall(climb(sc, st, range[k], sizeof(failed), failed));
    if (failed[0] && st->climbs) PetscCall(keep(sc, st, &reached));
  }
  if (failed[0]) PetscCall(recall(sc, st, &reached));
  PetscCall(VecDestroy(&start));
  PetscCall(VecDestroy(&reached.x));
  if (failed[0]) PetscCall(RhxNewtonFail(st->nt, failed, advice));
  st->range = (RhxRange){.row = NULL};
  st->begun = st->climbs = PETSC_FALSE;
  st->nstates = st->halvings = 0;
  sc->end = st->time;
  *solved = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
