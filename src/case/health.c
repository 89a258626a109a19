/* The last good state: what a run that loses finiteness, or fails in a step, saves.
 *
 * States are copied now and then, at most RHX_KEPT_STATES of them, the older the farther apart; what the run began with stays.
 * A state is worth a copy while nothing tells of growth without bound:
 *   its sizes (largest |u|, |p|, 1 + |s|, number of indefinite conformations) are at most GROWN times the largest ones of
 *   the first half of the run up to it: so is a start from rest that grows with t, but no exponential growth;
 *   its last step, unless it was solved for, changed no field by more than CHANGED of its size: beyond the stability limit errors
 *   change sign.
 * Of the copies the newest is saved that has grown by at most SLOWLY since the one before it. A steady state that was solved for is
 * always worth it. */
#include "boundary/backflow.h"
#include "case/impl.h"
#include "form/relaxation.h"

#define GROWN 2.0
#define FAR 10.0 /* grown so much, CFL numbers are no more those of the flow, */
#define LOST 1e3 /* nor is a state worth saving where a step fails for another reason */
#define CHANGED 0.1
#define SLOWLY 1.5
#define INWARD 0.01 /* of what leaves through a label: less of it comes in for no reason to tell */

static PetscBool within(const double *size, double factor, const double *bound)
{
  for (int i = 0; i < RHX_NSIZES; i++)
    if (!(size[i] <= factor * bound[i])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* From a full list that one goes which leaves the smallest gap for its age; the beginning and what comes next stay. */
static void drop_largest(RhxGoodState *good, PetscInt step)
{
  int worst = 2;
  double least = PETSC_MAX_REAL;

  for (int i = 2; i + 1 < good->nlargest; i++) {
    const RhxLargestSizes *at = &good->largest[i];
    const double ratio = (double)(at[1].step - at[-1].step) / (double)(step - at->step);
    if (ratio < least) {
      least = ratio;
      worst = i;
    }
  }
  good->nlargest--;
  for (int i = worst; i < good->nlargest; i++) good->largest[i] = good->largest[i + 1];
}

/* The largest sizes so far join a list. */
static void note_largest(RhxGoodState *good, PetscInt step, const double *size)
{
  RhxLargestSizes *now;

  if (good->nlargest == RHX_MAX_LARGEST) drop_largest(good, step);
  now = &good->largest[good->nlargest++];
  *now = (RhxLargestSizes){.step = step};
  for (int i = 0; i < RHX_NSIZES; i++) now->size[i] = good->nlargest > 1 ? PetscMax(now[-1].size[i], size[i]) : size[i];
}

static const double *largest_until(const RhxGoodState *good, PetscInt step)
{
  int i = good->nlargest - 1;

  while (i > 0 && good->largest[i].step > step) i--;
  return good->largest[i].size;
}

/* By how much of its size the last step changed a field. */
static double relative_change(const RhxStepInfo *info, const double *size)
{
  const double u = info->dt * info->du_dt, s = info->dt * info->ds_dt;

  return PetscMax(u > 0.0 ? u / size[RHX_SIZE_VELOCITY] : 0.0, s / size[RHX_SIZE_MODES]);
}

static PetscErrorCode count_indefinite(RhxCase rc, const RhxStepInfo *info, PetscInt *n)
{
  RhxConformationHealth health;

  PetscFunctionBegin;
  if (info && info->measures.there)
    *n = info->measures.nbad;
  else {
    PetscCall(RhxConformationCheck(rc->form, rc->x, &health));
    *n = health.nbad;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A slot for one more: of a full list the copy goes that leaves the smallest gap for its age. */
static int free_slot(RhxGoodState *good, PetscInt step)
{
  int worst = 1, slot;
  double least = PETSC_MAX_REAL;

  if (good->n < RHX_KEPT_STATES) return good->n;
  for (int i = 1; i + 1 < good->n; i++) {
    const double gap = good->state[i + 1].step - good->state[i - 1].step;
    const double ratio = gap / (double)(step - good->state[i].step);
    if (ratio < least) {
      least = ratio;
      worst = i;
    }
  }
  slot = good->state[worst].slot;
  good->n--;
  for (int i = worst; i < good->n; i++) good->state[i] = good->state[i + 1];
  return slot;
}

/* What a size may be some times of. The pressure that the flow needs is there after the first step. */
static PetscErrorCode find_scale(RhxCase rc, double t, double scale[RHX_NSIZES])
{
  const RhxGoodState *good = &rc->good;
  const double U = rc->option.velocity, rate = U / rc->option.length;
  double eta_s, eta_p, lambda, given;

  PetscFunctionBegin;
  PetscCall(RhxFormViscosity(rc->form, &eta_s, &eta_p));
  PetscCall(RhxFormRelaxationTime(rc->form, &lambda));
  PetscCall(RhxBoundaryGetGivenPressure(rc->bc, t, &given));
  scale[RHX_SIZE_VELOCITY] = U;
  scale[RHX_SIZE_PRESSURE] = PetscMax(given, PetscMax(rc->form->rho * U * U, (eta_s + eta_p) * rate));
  scale[RHX_SIZE_MODES] = 1.0 + PetscSqr(lambda * rate);
  for (int i = 0; good->nlargest && i < RHX_SIZE_INDEFINITE; i++) {
    const RhxLargestSizes *began = &good->largest[i == RHX_SIZE_PRESSURE && good->nlargest > 1 ? 1 : 0];
    scale[i] = PetscMax(scale[i], began->size[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of a state that is clearly lost; "": it is not. */
static PetscErrorCode describe_runaway(RhxCase rc, double t, const double size[RHX_NSIZES], size_t n, char *text)
{
  static const char *const what[] = {"velocity", "pressure", "size of a mode"}, *const unit[] = {" m/s", " Pa", ""},
                           *const of[] = {"-case_velocity U", "rho U^2, eta U/D, the given pressure",
                                          "1 + (lambda U/D)^2"};
  static const RhxFieldGroup group[] = {RHX_GROUP_VELOCITY, RHX_GROUP_PRESSURE, RHX_GROUP_MODES};
  double scale[RHX_NSIZES], x[3];
  char at[64];

  PetscFunctionBegin;
  text[0] = '\0';
  if (!(rc->stop.lost > 0.0) || !rc->good.nlargest) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_scale(rc, t, scale));
  if (rc->good.nlargest == 1) scale[RHX_SIZE_PRESSURE] = PetscMax(scale[RHX_SIZE_PRESSURE], size[RHX_SIZE_PRESSURE]);
  for (int i = 0; !text[0] && i < RHX_SIZE_INDEFINITE; i++) {
    if (i == RHX_SIZE_MODES && rc->form->nscalars) continue; /* of scalars too, which RhxReportScalars judges */
    if (size[i] <= rc->stop.lost * scale[i]) continue;
    PetscCall(RhxSchemeStoreState(rc->ts));
    PetscCall(RhxFindLargest(rc->form, group[i], rc->x, x));
    snprintf(at, sizeof(at), rc->space->dim > 2 ? "(%g, %g, %g)" : "(%g, %g)", x[0], x[1], x[2]);
    snprintf(text, n, /* PETSc writes 1 as "1." */
             "the run is clearly lost: got a %s of %g%s at %s m, t = %g s, expected at most %g%s, %g times "
             "(-stop_lost) the largest of %s and what the run began with; are the units of the conditions those of the "
             "case?",
             what[i], size[i], unit[i], at, t, rc->stop.lost * scale[i], unit[i], rc->stop.lost, of[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_sizes(RhxCase rc, double t, double size[RHX_NSIZES], size_t n, char *runaway)
{
  double norm[RHX_NNORMS];

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetNorms(rc->ts, norm));
  size[RHX_SIZE_VELOCITY] = norm[RHX_NORM_VELOCITY];
  size[RHX_SIZE_PRESSURE] = norm[RHX_NORM_PRESSURE];
  size[RHX_SIZE_MODES] = 1.0 + norm[RHX_NORM_MODES];
  PetscCall(describe_runaway(rc, t, size, n, runaway));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_runaway(RhxCase rc, double t, double size[RHX_NSIZES])
{
  char text[512];

  PetscFunctionBegin;
  PetscCall(find_sizes(rc, t, size, sizeof(text), text));
  PetscCheck(!text[0], rc->comm, PETSC_ERR_FP, "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy of the present state, unless it has grown by more than `grown`. info: NULL where no step led to it. */
static PetscErrorCode keep(RhxCase rc, double grown, PetscInt step, double t, double dt, const RhxStepInfo *info)
{
  RhxGoodState *good = &rc->good;
  RhxKeptState state = {.step = step, .t = t, .dt = dt};
  PetscInt nbad = 0;
  PetscBool steady = PETSC_TRUE, keeps = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(refuse_runaway(rc, t, state.size));
  PetscCall(count_indefinite(rc, info, &nbad));
  state.size[RHX_SIZE_INDEFINITE] = (double)nbad;
  if (info && !info->steady) {
    const double *before = largest_until(good, rc->first_step + (step - rc->first_step) / 2);
    steady = (PetscBool)(info->work.newton > 0 || relative_change(info, state.size) <= CHANGED);
    keeps = (PetscBool)(steady && within(state.size, grown, before));
    steady = (PetscBool)(steady && within(state.size, FAR, before));
  }
  if (steady) good->calm = step;
  note_largest(good, step, state.size);
  if (!keeps) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseGivenTime_Private(rc, t, &state.given_t));
  state.slot = free_slot(good, step);
  PetscCall(RhxSchemeKeepState(rc->ts, state.slot));
  PetscCall(RhxBoundaryNoteLevels(rc->bc, state.given_t));
  PetscCall(RhxCaseKeepNumbers_Private(rc, state.slot));
  good->state[good->n++] = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGoodStateBegin(RhxCase rc, PetscInt step, double t, double dt)
{
  PetscFunctionBegin;
  PetscCall(keep(rc, GROWN, step, t, dt, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGoodStateStep(RhxCase rc, const RhxStepInfo *info)
{
  const PetscInt done = info->step - rc->first_step;
  double size[RHX_NSIZES];
  PetscInt interval;

  PetscFunctionBegin;
  if (rc->good.calm == info->step - 1) rc->good.at = *info;
  PetscCall(RhxSchemeGetKeepInterval(rc->ts, &interval));
  if (!info->finite) PetscFunctionReturn(PETSC_SUCCESS);
  if (done % interval && (done > interval || (done & (done - 1)))) {
    if (info->work.newton) PetscCall(refuse_runaway(rc, info->t, size)); /* long and dear, these steps */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(keep(rc, GROWN, info->step, info->t, info->dt, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newest copy that is not of the growth's beginning; 0 is what the run began with. */
static int choose(const RhxGoodState *good)
{
  int k = good->n - 1;

  while (k > 0 && !within(good->state[k].size, SLOWLY, good->state[k - 1].size)) k--;
  return k;
}

PetscErrorCode RhxCaseGetFluxes_Private(RhxCase rc, Vec x, double *out, double *in)
{
  const RhxSpace space = rc->space;
  const PetscScalar *global;
  PetscScalar *local;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, &local));
  PetscCall(VecGetArrayRead(x, &global));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, global, local));
  PetscCall(VecRestoreArrayRead(x, &global));
  for (PetscInt k = 0; k < space->nlabels; k++)
    PetscCall(RhxFluxParts(rc->form, space->faces[k].label, local, &out[k], &in[k]));
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The open labels through which fluid flows in, without anything that keeps that stable, and what would. */
static PetscErrorCode describe_inflowing(RhxCase rc, Vec x, size_t size, char *text)
{
  const RhxSpace space = rc->space;
  char names[256], advice[2048] = "", one[700];
  RhxTold labels = {0};
  double *out, *in, most = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(space->nlabels, &out, space->nlabels, &in));
  PetscCall(RhxCaseGetFluxes_Private(rc, x, out, in));
  for (PetscInt k = 0; k < space->nlabels; k++) most = PetscMax(most, in[k]);
  for (PetscInt k = 0; k < space->nlabels; k++) {
    const char *label = space->faces[k].label;
    const size_t used = strlen(advice);
    if (!RhxBoundaryIsUnguarded(rc->bc, label) || !(in[k] > INWARD * PetscMax(most, out[k]))) continue;
    RhxBoundaryAdviseInflow(rc->bc, label, sizeof(one), one);
    snprintf(advice + used, sizeof(advice) - used, "%s%s", used ? "; " : "", one);
    PetscCall(RhxToldAdd(&labels, label, in[k]));
  }
  RhxToldName(&labels, "'", "'", sizeof(names), names);
  if (labels.n)
    snprintf(text, size, "; flow comes in through %s there, which %s open: stable with %s", names,
             labels.n > 1 ? "are" : "is", advice);
  PetscCall(RhxToldDestroy(&labels));
  PetscCall(PetscFree2(out, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of the state x and its time step. file: NULL where it could not be written, for the problem. */
static PetscErrorCode describe(RhxCase rc, const RhxKeptState *state, Vec x, PetscBool blown, PetscBool advise,
                               const char *file, const char *problem, size_t size, char *where)
{
  char advice[512] = "", fields[PETSC_MAX_PATH_LEN + 32] = "", stable[2400] = "";
  const char *folder;
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(RhxOutputGetFolder(rc->output, &folder));
  PetscCall(RhxOutputHasFields(rc->output, &has));
  if (has && rc->field_step == state->step)
    PetscCall(PetscSNPrintf(fields, sizeof(fields), "%s the fields of %s", file ? " and in" : "; it is in", folder));
  if (advise && blown && rc->good.at.step) PetscCall(RhxSchemeAdvise(rc->ts, &rc->good.at, sizeof(advice), advice));
  if (advise && blown) PetscCall(describe_inflowing(rc, x, sizeof(stable), stable));
  snprintf(where, size, "the last good state (step %" PetscInt_FMT ", t = %g%s) is %s%s%s%s%s%s%s%s", state->step,
           state->t,
           !blown                    ? ""
           : state == rc->good.state ? ", what the run began with"
                                     : ", before the growth",
           file ? "in " : "not saved: ", file ? file : problem, fields, file && problem[0] ? "; " : "",
           file ? problem : "", stable, advice[0] ? "; " : "", advice);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* problem: "", or why it could not be written. */
static PetscErrorCode write_checkpoint(RhxCase rc, const RhxKeptState *state, const RhxNumbers *numbers, Vec x,
                                       char file[PETSC_MAX_PATH_LEN], char problem[RHX_MESSAGE])
{
  const RhxBeside beside = {.nnumbers = rc->nnumbers, .numbers = numbers, .given_t = &state->given_t};

  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, "_last_good.h5", PETSC_MAX_PATH_LEN, file));
  PetscCall(RhxCheckpointWrite(rc->form, file, state->step, state->t, state->dt, x, NULL, &beside, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a steady state whose parameter did not come to its value. */
static PetscErrorCode save_climbed(RhxCase rc, size_t size, char *where)
{
  const char *option;
  char file[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE], number[32];
  RhxKeptState state = {.step = 0};
  double value = 0.0;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetClimbed(rc->ts, &option, &value));
  if (!option) {
    PetscCall(PetscSNPrintf(where, size, "no step was finished, so there is no state to save"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  snprintf(number, sizeof(number), "%.6g", value);
  PetscCall(TSGetTime(rc->ts, &state.t));
  PetscCall(RhxCaseGivenTime_Private(rc, state.t, &state.given_t));
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(RhxSchemeGetLastState(rc->ts, x));
  PetscCall(write_checkpoint(rc, &state, rc->numbers, x, file, problem));
  PetscCall(PetscSNPrintf(where, size, "the state of %s = %s is %s%s", option, number,
                          problem[0] ? "not saved: " : "in ", problem[0] ? problem : file));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGoodStateSave(RhxCase rc, PetscBool blown, PetscBool advise, size_t size, char *where)
{
  RhxGoodState *good = &rc->good;
  RhxKeptState *state;
  const RhxStepInfo *info;
  PetscInt step;
  PetscBool saved;
  double lost[RHX_NSIZES];
  Vec x;
  char file[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetInfo(rc->ts, &info));
  if (info->step - (info->finite ? 0 : 1) <= rc->first_step) {
    PetscCall(save_climbed(rc, size, where));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  step = good->state[good->n - 1].step;
  if (!blown) { /* a step that fails in a state that is lost has failed for that */
    PetscCall(find_sizes(rc, info->t, lost, sizeof(problem), problem));
    blown = (PetscBool)(problem[0] != 0);
  }
  if (!blown && step != info->step) PetscCall(keep(rc, LOST, info->step, info->t, info->dt, info));
  state = &good->state[!blown && good->state[good->n - 1].step == info->step ? good->n - 1 : choose(good)];
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(RhxSchemeGetKeptState(rc->ts, state->slot, x));
  PetscCall(write_checkpoint(rc, state, rc->kept[state->slot], x, file, problem));
  saved = (PetscBool)!problem[0];
  if (saved && rc->field_step < state->step) {
    PetscCall(RhxOutputFields(rc->output, state->step, state->t, state->dt, x, problem));
    if (!problem[0]) rc->field_step = state->step;
  }
  PetscCall(describe(rc, state, x, blown, advise, saved ? file : NULL, problem, size, where));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
