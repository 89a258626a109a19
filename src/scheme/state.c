/* The state of a scheme for others: the TS's Vec, the rate, copies of states, norms, reports, advice. */
#include "petsc_compat.h"
#include "scheme/newton_impl.h"
#include "scheme/type_impl.h"
#include "space/dm.h"
#include "step/launches.h"
#include <petsc/private/tsimpl.h>
#include <string.h>

#define NEAR 16   /* steps between copies that stay where the state is, */
#define CLOSE 0.7 /* of a limit: estimates are not sharper */
#define FAR 512   /* and between those that go to the host */

PetscErrorCode RhxSchemeLoad(TS ts, RhxScheme sc)
{
  PetscObjectState now;
  PetscObjectId id;
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &now));
  PetscCall(PetscObjectGetId((PetscObject)ts->vec_sol, &id));
  if (sc->known == now && sc->known_id == id) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOpsLoadVec(sc->ops, sc->x, ts->vec_sol));
  PetscCall(sc->ops->table->ghosts(sc->ops, sc->x));
  sc->known = now;
  sc->known_id = id;
  sc->stale = PETSC_FALSE;
  sc->good = PETSC_TRUE;
  sc->lag = 0.0; /* what the Vec has is the state */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Until the next step y is free. */
PetscErrorCode RhxSchemeTell(RhxScheme sc, RhxArray *told)
{
  PetscFunctionBegin;
  *told = sc->good && !(sc->lag > 0.0) ? sc->x : sc->y;
  if (sc->good && sc->lag > 0.0) PetscCall(sc->ops->table->tell(sc->ops, sc->lag, sc->x, sc->xdot, sc->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeStore(TS ts, RhxScheme sc)
{
  RhxArray told;
  PetscFunctionBegin;
  if (!sc->stale) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeTell(sc, &told));
  PetscCall(RhxOpsStoreVec(sc->ops, told, ts->vec_sol));
  PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &sc->known));
  PetscCall(PetscObjectGetId((PetscObject)ts->vec_sol, &sc->known_id));
  sc->stale = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeForget(RhxScheme sc)
{
  PetscFunctionBegin;
  for (int i = 0; i < RHX_KEPT_STATES; i++) {
    PetscCall(PetscFree(sc->far[i]));
    sc->kept[i] = NULL;
  }
  sc->known = 0;
  sc->asked = sc->have_stats = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeStoreState(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSchemeStore(ts, sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetRate(TS ts, Vec *rate)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxOpsStoreVec(sc->ops, sc->xdot, sc->rate_vec));
  *rate = sc->rate_vec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetState(TS ts, Vec *x)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (!sc->pressure_lags) { /* what the TS has is the scheme's own */
    PetscCall(RhxSchemeStoreState(ts));
    PetscCall(TSGetSolution(ts, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSchemeLoad(ts, sc));
  if (!sc->state_vec) PetscCall(VecDuplicate(sc->rate_vec, &sc->state_vec));
  PetscCall(RhxOpsStoreVec(sc->ops, sc->x, sc->state_vec));
  *x = sc->state_vec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSaved(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (sc->ops->pressure) PetscCall(RhxPressureForget(sc->ops->pressure));
  if (sc->type->saved) PetscCall(sc->type->saved(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetClimbed(TS ts, const char **option, double *value)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSteadyGetClimbed(sc, option, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeCheckGiven(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (sc->type->given) PetscCall(sc->type->given(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSummary(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (sc->type->summary) PetscCall(sc->type->summary(sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetRate(TS ts, double dt, PetscBool flow, PetscBool all)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxOpsLoadVec(sc->ops, sc->xdot, sc->rate_vec));
  if (sc->settings.transport ? all : flow)
    sc->before = dt;
  else
    sc->next = dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetNorms(TS ts, double norm[RHX_NNORMS])
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSchemeLoad(ts, sc));
  PetscCall(sc->ops->table->norms(sc->ops, sc->x, norm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, RHX_NNORMS, MPI_DOUBLE, MPI_MAX, sc->form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the state is, if there was room when the first copy was made. */
PetscErrorCode RhxSchemeKeepState(TS ts, int slot)
{
  RhxScheme sc;
  const RhxOpsTable *table;
  PetscInt bs;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  table = sc->ops->table;
  bs = sc->form->space->bs;
  PetscCall(RhxSchemeLoad(ts, sc));
  if (!sc->asked) PetscCall(table->has_room(sc->ops, RHX_KEPT_STATES, bs, &sc->room));
  sc->asked = PETSC_TRUE;
  if (sc->room) {
    if (!sc->kept[slot]) PetscCall(RhxOpsArray(sc->ops, bs, "a copy of the state", &sc->kept[slot]));
    PetscCall(table->copy(sc->ops, sc->x, sc->kept[slot]));
  } else {
    if (!sc->far[slot]) PetscCall(PetscMalloc1((size_t)sc->form->space->nowned * bs, &sc->far[slot]));
    PetscCall(table->store(sc->ops, sc->x, sc->far[slot]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetKeptState(TS ts, int slot, Vec x)
{
  RhxScheme sc;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (!sc->far[slot]) {
    PetscCall(RhxOpsStoreVec(sc->ops, sc->kept[slot], x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArray(x, &a));
  PetscCall(PetscArraycpy(a, sc->far[slot], (size_t)sc->form->space->nowned * sc->form->space->bs));
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetLastState(TS ts, Vec x)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxOpsStoreVec(sc->ops, sc->x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetKeepInterval(TS ts, PetscInt *steps)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *steps = sc->asked && !sc->room ? FAR : NEAR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dt over what the limits allow together, what they are, and what lowers it; where dt is not beyond, or the flow is strong,
 * log-conformation may. */
PetscErrorCode RhxSchemeAdvise(TS ts, const RhxStepInfo *info, size_t size, char *text)
{
  RhxScheme sc;
  const char *name;
  PetscBool beyond, logconf;
  double cfl;
  char remedy[256], bound[64];
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  name = sc->type->name;
  cfl = ((const RhxSchemeOptions *)sc->opt)->cfl;
  logconf = (PetscBool)(!sc->form->nmodes || sc->form->representation == RHX_LOGCONF);
  RhxNameMostOfLimits(info->cfl, info->bound, sizeof(bound), bound);
  beyond = (PetscBool)(info->bound > CLOSE && cfl == 0.0);
  if (cfl > 0.0)
    PetscCall(PetscSNPrintf(remedy, sizeof(remedy), "a -scheme_%s_cfl less than %g", name, cfl));
  else if (beyond)
    PetscCall(PetscSNPrintf(remedy, sizeof(remedy), "-scheme_%s_dt %.2g or -scheme_%s_cfl 0.5", name,
                            0.5 * info->dt / info->bound, name));
  else
    PetscCall(PetscSNPrintf(remedy, sizeof(remedy), "a smaller -scheme_%s_dt", name));
  snprintf(text, size, "at t = %g s its dt = %g s was %.3g times the %s limit, the tightest of the time step: try %s%s",
           info->t - info->dt, info->dt, info->bound, bound, remedy,
           logconf || (beyond && info->stats.wi <= 1.0) ? "" : ", or -polymer_variable logconf");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a scheme is told, and tells ---- */

PetscErrorCode RhxSchemeSetProblem(TS ts, RhxForm form, RhxBoundary bc)
{
  RhxScheme sc;
  DM dm;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->form = form;
  sc->bc = bc;
  PetscCall(RhxSpaceCreateDM(form->space, &dm));
  PetscCall(TSSetDM(ts, dm));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetDevice(TS ts, RhxDevice device)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->device = device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetRescue(TS ts, const char *solver)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(PetscStrncpy(sc->rescue, solver, sizeof(sc->rescue)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetSilence(TS ts, double seconds)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->silence = seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetInterrupt(TS ts, PetscErrorCode (*check)(void *ctx), void *ctx)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->interrupt = check;
  sc->interrupt_ctx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetLazy(TS ts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->lazy = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetTimeStep(TS ts, PetscReal dt, PetscReal cfl)
{
  RhxScheme sc;
  RhxSchemeOptions *o;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  o = sc->opt;
  o->cfl = cfl;
  o->dt = dt;
  PetscCall(TSSetTimeStep(ts, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetMark(TS ts, PetscReal mark)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->mark = mark;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetJump(TS ts, PetscReal jump, PetscReal lasts)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  sc->jump = jump;
  sc->lasts = lasts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeAntidiffusion(TS ts, const RhxStepInfo *info, double *part)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *part = sc->amplifies ? info->stats.antidiffusion * info->dt : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetInfo(TS ts, const RhxStepInfo **info)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *info = &sc->info;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeProvides(TS ts, unsigned *capabilities)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *capabilities = sc->provides | RHX_PROVIDES_INFLOW;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetNumbers(TS ts, char name[256], PetscInt *n, double **values)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *n = 0;
  if (sc->type->numbers) PetscCall(sc->type->numbers(sc, name, n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetHistory(TS ts, PetscInt *n, const double **t, const Vec **x)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *n = 0;
  if (sc->type->get_history) PetscCall(sc->type->get_history(sc, n, t, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetHistory(TS ts, PetscInt n, const double *t, const Vec *x)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  if (sc->type->set_history) PetscCall(sc->type->set_history(sc, n, t, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetHandedWidth(TS ts, PetscInt *width)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *width = sc->type->handed_width ? sc->type->handed_width(sc) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time step that a CFL target allows is that of the last step's start. */
PetscErrorCode RhxSchemeGetHanded(TS ts, double *number, Vec *nodes, PetscBool *any)
{
  RhxScheme sc;
  PetscInt width;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSchemeGetHandedWidth(ts, &width));
  *any = (PetscBool)(sc->ops->history && (width || sc->have_stats));
  if (!*any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(number, RHX_HANDED_NUMBERS));
  memcpy(number + 2, &sc->ops->result.stats, sizeof(RhxFormStats));
  if (!width) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceCreateVec(sc->form->space, width, nodes));
  PetscCall(VecSet(*nodes, 0.0));
  PetscCall(VecGetArray(*nodes, &to));
  PetscCall(sc->type->hand(sc, PETSC_TRUE, number, to));
  PetscCall(VecRestoreArray(*nodes, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeSetHanded(TS ts, const double *number, Vec nodes)
{
  double own[2] = {number[0], number[1]};
  RhxScheme sc;
  PetscScalar *from;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  memcpy(&sc->ops->result.stats, number + 2, sizeof(RhxFormStats));
  sc->have_stats = PETSC_TRUE;
  sc->ops->history = PETSC_TRUE;
  if (!nodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(nodes, &from));
  PetscCall(sc->type->hand(sc, PETSC_FALSE, own, from));
  PetscCall(VecRestoreArray(nodes, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetParameter(TS ts, const char **option, double *value)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *option = sc->parameter;
  *value = sc->value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetBranch(TS ts, int *sign, int *passed)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *sign = sc->sign;
  *passed = sc->passed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetPressureChoice(TS ts, const char **text)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *text = sc->ops->pressure ? RhxPressureGetChoice(sc->ops->pressure) : "";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetLaunches(TS ts, size_t size, char *text)
{
  RhxScheme sc;
  char why[256];
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  text[0] = '\0';
  if (!sc->device || sc->type->newton || sc->type->integrator) PetscFunctionReturn(PETSC_SUCCESS);
  if (sc->settings.recordable)
    PetscCall(RhxOpsWhyLaunches(sc->ops, ts->ptime, sizeof(why), why));
  else
    snprintf(why, sizeof(why), "-scheme_%s_graph false", sc->type->name);
  snprintf(text, size, why[0] ? "launch by launch: %s" : "as one graph%s", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeIsSteady(TS ts, PetscBool *steady)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *steady = sc->type->newton;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeGetGivenTime(TS ts, PetscReal *t)
{
  RhxScheme sc;
  PetscBool steady;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSchemeIsSteady(ts, &steady));
  PetscCall(TSGetTime(ts, t));
  if (steady) *t = RhxSteadyGetTime(sc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method too is left to the CPU by -device auto, for a device does it faster on large meshes alone. */
PetscErrorCode RhxSchemeDeviceLacks(TS ts, RhxForm form, size_t size, char *what)
{
  RhxScheme sc;
  PetscBool newton;
  const RhxRefusal *refusal;
  char option[256];
  PetscFunctionBegin;
  what[0] = '\0';
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxSchemeHasNewton(ts, &newton));
  PetscCall(RhxTransportDeviceLacks(RHX_GROUP_VELOCITY, sizeof(option), option));
  if (!option[0]) PetscCall(RhxTransportDeviceLacks(RHX_GROUP_MODES, sizeof(option), option));
  if (option[0]) PetscCall(RhxFormAsk(form, RHX_ASK_MOMENTUM_SOLVER, option, ""));
  refusal = RhxFormFindRefusal(form, RHX_ASK_DEVICE);
  if (newton)
    PetscCall(PetscSNPrintf(what, size, "-scheme %s; on a large mesh, with a PETSc built for CUDA, try -device cuda",
                            sc->type->name));
  else if (refusal)
    RhxFormSayRefusal(form, refusal->brief ? refusal->brief : refusal->sentence, size, what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeHasNewton(TS ts, PetscBool *has)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  *has = (PetscBool)(sc->type->newton || sc->type->integrator);
  PetscFunctionReturn(PETSC_SUCCESS);
}
