/* Given values at a time, and their imposition. */
#include "boundary/across_impl.h"
#include "boundary/coupling_impl.h"
#include "boundary/drive_impl.h"
#include "boundary/duct_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/memory_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/scalar_impl.h"
#include "boundary/types/outlet.h"

#define MOST_PARTS 16 /* of what a condition gives, with the tractions of its groups of faces */
#define SOON 1.3e-3   /* s behind the start, */
#define LATER 17.0    /* then so many times later, */
#define LATE 1e3      /* at which values are looked at of types that say they do not change */

/* What of a condition is not yet that of t. */
static unsigned changes(RhxBoundary bc, RhxCondition *c, double t)
{
  if (!bc->evaluated || (c->moved && (c->type->follow || RhxConditionIsSolved(c) || RhxOutletRises(c) ||
                                      !c->type->nstate || RhxConditionIsLater(c, t))))
    return RHX_CHANGES_ALL;
  if (t == bc->t || !c->type->changes) return 0u;
  return c->type->changes(c, bc->t, t);
}

static PetscBool sources_change(RhxBoundary bc, double t)
{
  return (PetscBool)(!bc->evaluated || bc->sources_moved || (t != bc->t && bc->source_time));
}

static PetscBool scalars_change(RhxBoundary bc, double t)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if ((bc->cond[i].warmth || bc->cond[i].coming) && changes(bc, &bc->cond[i], t)) return PETSC_TRUE;
  return (PetscBool)(!bc->evaluated || (t != bc->t && bc->scalar_time));
}

PetscErrorCode RhxConditionNote(RhxCondition *c, const char *what, PetscErrorCode ierr)
{
  char *why = NULL;

  PetscFunctionBegin;
  if (!ierr || c->bc->failure[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscErrorMessage(ierr, NULL, &why));
  snprintf(c->bc->failure, sizeof(c->bc->failure), "-bc_%s_type %s: its %s cannot be evaluated: %s", c->label,
           c->type->entry.name, what, why && why[0] ? why : "failed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of nodes with given modes, and of those where they flow in. */
static PetscErrorCode stress(RhxCondition *c, double t)
{
  const RhxBoundary bc = c->bc;
  const PetscInt width = bc->form->nmodes * bc->space->ntens;
  PetscScalar *s = bc->fixed[RHX_GROUP_MODES].val + c->s.start, *inflow = bc->inflow.val + c->inflow.start * width;
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(RhxMemoryGive(c, t, s, inflow, &has));
  if (has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c->type->stress(c, t, c->s.n, c->s.x, s));
  if (c->opt->polymer_at != RHX_POLYMER_AT_FLUX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c->type->stress(c, t, c->inflow.n, c->inflow.x, inflow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the fluid that comes in through an open label. */
static PetscErrorCode stress_inward(RhxCondition *c, double t)
{
  const RhxBoundary bc = c->bc;
  PetscScalar *val = bc->inflow.val + c->inflow.start * bc->form->nmodes * bc->space->ntens;

  PetscFunctionBegin;
  PetscCall(RhxConditionStress(c, c->opt->polymer_inflow, t, c->inflow.n, c->inflow.x, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At nodes. */
static PetscErrorCode pressure(RhxCondition *c, double t, PetscScalar *p)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(p, c->p.n));
  PetscCall(c->type->pressure(c, RhxOutletPressureTime(c, t), c->p.n, c->p.x, p));
  PetscCall(RhxConditionAddAcross(c, t, c->p.n, c->p.x, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxCondition *c, unsigned what, double t)
{
  const RhxConditionType *type = c->type;
  const RhxFixed *fixed = c->bc->fixed;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  c->state = c->kept + (RhxConditionIsLater(c, t) ? 0 : type->nstate);
  if ((what & RHX_CHANGES_VELOCITY) && (c->gives & RHX_TYPE_VELOCITY))
    PetscCall(RhxConditionNote(c, "velocity",
                               type->velocity(c, t, c->v.n, c->v.x, fixed[RHX_GROUP_VELOCITY].val + c->v.start)));
  if ((what & RHX_CHANGES_VELOCITY) && (c->gives & RHX_TYPE_VELOCITY) && (type->flags & RHX_TYPE_INWARD))
    RhxConditionKeepAlong(c, fixed[RHX_GROUP_VELOCITY].val);
  if ((what & RHX_CHANGES_VELOCITY) && (c->gives & RHX_TYPE_SWIRL)) {
    const RhxNodeSet *set = &c->scalar[c->bc->form->swirl].nodes;
    PetscCall(RhxConditionNote(c, "azimuthal velocity",
                               type->swirl(c, t, set->n, set->x, fixed[RHX_GROUP_SCALARS].val + set->start)));
  }
  if ((what & RHX_CHANGES_PRESSURE) && (c->gives & RHX_TYPE_PRESSURE))
    PetscCall(RhxConditionNote(c, "pressure", pressure(c, t, fixed[RHX_GROUP_PRESSURE].val + c->p.start)));
  if ((what & RHX_CHANGES_STRESS) && (c->gives & RHX_TYPE_STRESS) && c->bc->form->nmodes)
    PetscCall(RhxConditionNote(c, "stress", stress(c, t)));
  if ((what & RHX_CHANGES_STRESS) && RhxConditionBringsStress(c))
    PetscCall(RhxConditionNote(c, "stress of what comes in", stress_inward(c, t)));
  if (c->type->follow) c->state = c->kept + (c->risen ? 0 : type->nstate); /* it balances the pressure that is there */
  if (what & RHX_CHANGES_TRACTION) PetscCall(RhxConditionNote(c, "traction", RhxConditionTraction(c, t)));
  c->state = c->kept;
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool conditions_change(RhxBoundary bc, double t)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (changes(bc, &bc->cond[i], t)) return PETSC_TRUE;
  return scalars_change(bc, t);
}

/* Of what does not stay after t: one more. */
static void note(PetscBool moves, const char *before, const char *name, const char *after, size_t size, char *text)
{
  const size_t used = strlen(text);

  if (moves) snprintf(text + used, size - used, "%s%s%s%s", used ? ", " : "", before, name, after);
}

static PetscBool has_scalar_in_time(RhxBoundary bc, const RhxCondition *c)
{
  for (PetscInt k = 0; k < bc->form->nscalars; k++)
    if (c->scalar[k].time) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RhxBoundaryNameMoving(RhxBoundary bc, double t, PetscBool met, size_t size, char *text)
{
  PetscBool driven;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RhxDriveIsSteady(bc, met, &driven));
  note(PetscNot(driven), "-form_mean_velocity", "", "", size, text);
  note(bc->source_time, "sources", "", "", size, text);
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    const PetscBool solved =
        (PetscBool)(c->type->tangent || RhxConditionIsSolved(c) || !(c->type->advance || c->type->follow));
    const PetscBool moves = (PetscBool)((RhxConditionMoves(c) && !(met && solved)) || has_scalar_in_time(bc, c));
    note((PetscBool)(moves || (c->type->changes && c->type->changes(c, t, PETSC_INFINITY))), "label '", c->label, "'",
         size, text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryIsSteady(RhxBoundary bc, double t, PetscBool met, PetscBool *steady)
{
  char moving[256];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryNameMoving(bc, t, met, sizeof(moving), moving));
  *steady = (PetscBool)(!moving[0] && bc->evaluated && !bc->scalar_time);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDepends(RhxBoundary bc, double t, PetscBool *given, size_t size, char *why)
{
  PetscBool driven;

  PetscFunctionBegin;
  PetscCall(RhxDriveIsSteady(bc, PETSC_FALSE, &driven));
  driven = PetscNot(driven);
  why[0] = '\0';
  *given = bc->scalar_time;
  if (driven) snprintf(why, size, "the mean velocity is kept by a force (-form_mean_velocity)");
  if (bc->source_time) snprintf(why, size, "sources depend on time");
  if (bc->flux_time) snprintf(why, size, "fluxes or films of scalar fields depend on time");
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (RhxConditionMoves(c)) snprintf(why, size, "-bc_%s_type %s answers the flow", c->label, c->type->entry.name);
    if (RhxOutletRises(c))
      snprintf(why, size, "-bc_%s_%s depends on time", c->label, c->pressure_time ? "pressure" : "traction");
    if (c->type->changes && c->type->changes(c, t, PETSC_INFINITY)) *given = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetVersions(RhxBoundary bc, PetscInt *values, PetscInt *sources)
{
  PetscFunctionBegin;
  if (values) *values = bc->version;
  if (sources) *sources = bc->source_version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is raised by a ramp has to exist at full speed too: found out before the first step. */
static PetscErrorCode try_full_speed(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  bc->momentary = PETSC_TRUE;
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].opt->ramp > t) PetscCall(evaluate(&bc->cond[i], RHX_CHANGES_ALL, bc->cond[i].opt->ramp));
  bc->momentary = PETSC_FALSE;
  PetscCall(RhxBoundaryRaise(bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a condition gives, part by part. */
typedef struct {
  const char *name;
  const PetscScalar *values;
  PetscInt n;
} Part;

static PetscInt parts_of(const RhxCondition *c, Part *part)
{
  const RhxBoundary bc = c->bc;
  const RhxFixed *fixed = bc->fixed;
  const PetscInt dim = bc->space->dim, width = bc->form->nmodes * bc->space->ntens;
  PetscInt n = 0;

  if (c->gives & RHX_TYPE_VELOCITY)
    part[n++] = (Part){"velocity", fixed[RHX_GROUP_VELOCITY].val + c->v.start, c->v.n * dim};
  if (c->gives & RHX_TYPE_SWIRL) {
    const RhxNodeSet *set = &c->scalar[bc->form->swirl].nodes;
    part[n++] = (Part){"azimuthal velocity", fixed[RHX_GROUP_SCALARS].val + set->start, set->n};
  }
  if (c->gives & RHX_TYPE_PRESSURE) part[n++] = (Part){"pressure", fixed[RHX_GROUP_PRESSURE].val + c->p.start, c->p.n};
  if ((c->gives & RHX_TYPE_STRESS) && width)
    part[n++] = (Part){"stress", fixed[RHX_GROUP_MODES].val + c->s.start, c->s.n * width};
  for (PetscInt g = 0; c->points && g < c->faces->ngroups && n < MOST_PARTS; g++)
    part[n++] = (Part){"traction", c->traction[g], c->points[g].n * dim};
  return n;
}

static PetscBool differ(PetscInt n, const PetscScalar *a, const PetscScalar *b)
{
  for (PetscInt i = 0; i < n; i++)
    if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Of a type that says that nothing depends on time. */
static PetscErrorCode try_later(RhxCondition *c, double t, double later)
{
  Part part[MOST_PARTS];
  PetscScalar *before[MOST_PARTS];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(evaluate(c, RHX_CHANGES_ALL, t));
  n = parts_of(c, part);
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscMalloc1(part[k].n, &before[k]));
    PetscCall(PetscArraycpy(before[k], part[k].values, part[k].n));
  }
  PetscCall(evaluate(c, RHX_CHANGES_ALL, later));
  for (PetscInt k = 0; k < n; k++) {
    if (!c->bc->failure[0] && differ(part[k].n, before[k], part[k].values))
      snprintf(c->bc->failure, sizeof(c->bc->failure),
               "-bc_%s_type %s: got a %s that is another one at t = %g s than at %g s from a type without the function "
               "changes, which means that nothing depends on time; expected one that returns RHX_CHANGES_... "
               "(rheoplex/condition.h)",
               c->label, c->type->entry.name, part[k].name, later, t);
    PetscCall(PetscFree(before[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those without `changes` would stay as they are at the start, whatever they say later: found out before the first step. */
static PetscErrorCode check_still(RhxBoundary bc, double t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    RhxCondition *c = &bc->cond[i];
    if (c->type->changes || RhxConditionMoves(c)) continue;
    for (double ahead = SOON; ahead <= LATE; ahead *= LATER) PetscCall(try_later(c, t, t + ahead));
  }
  PetscCall(RhxBoundaryRaise(bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxEvent RhxGivenEvent = RHX_EVENT("RhxGiven");

PetscErrorCode RhxBoundarySetTime(RhxBoundary bc, double t)
{
  PetscBool conditions, sources, scalars;

  PetscFunctionBegin;
  PetscCheck(bc->setup, bc->comm, PETSC_ERR_ORDER, "RhxBoundarySetTime: got a boundary that is not set up");
  if (!bc->evaluated) PetscCall(try_full_speed(bc, t));
  if (!bc->evaluated) PetscCall(check_still(bc, t));
  conditions = conditions_change(bc, t); /* the same on every rank, as what follows */
  sources = sources_change(bc, t);
  scalars = scalars_change(bc, t);
  if (conditions || sources) PetscCall(RhxEventBegin(&RhxGivenEvent));
  if (conditions) {
    for (PetscInt i = 0; i < bc->ncond; i++) {
      PetscCall(evaluate(&bc->cond[i], changes(bc, &bc->cond[i], t), t));
      if (!bc->cond[i].type->nstate || RhxConditionIsLater(&bc->cond[i], t)) bc->cond[i].moved = PETSC_FALSE;
    }
    if (scalars) PetscCall(RhxBoundaryScalars(bc, t));
    bc->version++;
  }
  if (sources) {
    PetscCall(RhxBoundarySources(bc, t));
    bc->source_version++;
  }
  if (conditions || sources) {
    PetscCall(RhxBoundaryRaise(bc));
    PetscCall(RhxEventEnd(&RhxGivenEvent));
  }
  bc->t = t;
  bc->evaluated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryRenew(RhxBoundary bc)
{
  PetscFunctionBegin;
  bc->evaluated = PETSC_FALSE;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscCall(RhxDevelopedForget(bc->cond[i].developed));
    PetscCall(RhxDuctForget(bc->cond[i].duct));
    PetscCall(RhxGapForget(bc->cond[i].gap));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void remove_normal(RhxBoundary bc, PetscScalar *x)
{
  const RhxSpace sp = bc->space;
  for (PetscInt k = 0; k < sp->nfields; k++)
    if (sp->field[k].reflection == RHX_REFLECTS_NORMAL)
      RhxRemoveNormal(&bc->symmetry, sp->dim, sp->bs, sp->field[k].offset, x);
}

static void remove_shear(RhxBoundary bc, PetscScalar *x)
{
  const PetscInt first = RhxFieldsStart(bc->space->fields, RHX_GROUP_MODES);
  for (PetscInt m = 0; m < bc->form->nmodes; m++)
    RhxOddPartsRemove(&bc->turned.shear, bc->space->bs, first + m * bc->space->ntens, x);
}

PetscErrorCode RhxBoundaryImpose(RhxBoundary bc, unsigned what, PetscScalar *x)
{
  PetscFunctionBegin;
  for (PetscInt q = 0; q < RHX_NGROUPS; q++) {
    const RhxFixed *f = &bc->fixed[q];
    if (!(what & (1u << q))) continue;
    for (PetscInt i = 0; i < f->n; i++) x[f->idx[i]] = f->val[i];
  }
  if (what & RHX_BC_VELOCITY) remove_normal(bc, x);
  if (what & RHX_BC_MODES) remove_shear(bc, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryZero(RhxBoundary bc, unsigned what, PetscScalar *x)
{
  PetscFunctionBegin;
  for (PetscInt q = 0; q < RHX_NGROUPS; q++) {
    const RhxFixed *f = &bc->fixed[q];
    if (!(what & (1u << q))) continue;
    for (PetscInt i = 0; i < f->n; i++) x[f->idx[i]] = 0;
  }
  if (what & RHX_BC_VELOCITY) remove_normal(bc, x);
  if (what & RHX_BC_MODES) remove_shear(bc, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryFreeVelocity(RhxBoundary bc, PetscScalar *v)
{
  const RhxFixed *f = &bc->fixed[RHX_GROUP_VELOCITY];
  const PetscInt bs = bc->space->bs, dim = bc->space->dim,
                 first = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < f->n; i++) v[f->idx[i] / bs * dim + f->idx[i] % bs - first] = 0.0;
  RhxRemoveNormal(&bc->symmetry, dim, dim, 0, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryFreeMode(RhxBoundary bc, PetscInt mode, PetscScalar *v)
{
  const RhxFixed *f = &bc->fixed[RHX_GROUP_MODES];
  const PetscInt bs = bc->space->bs, width = bc->space->ntens,
                 first = RhxFieldsStart(bc->space->fields, RHX_GROUP_MODES) + mode * width;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < f->n; i++) {
    const PetscInt c = f->idx[i] % bs - first;
    if (c >= 0 && c < width) v[f->idx[i] / bs * width + c] = 0.0;
  }
  RhxOddPartsRemove(&bc->turned.shear, width, 0, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGivenVelocity(RhxBoundary bc, PetscInt *n, PetscInt **node)
{
  const RhxFixed *f = &bc->fixed[RHX_GROUP_VELOCITY];
  const PetscInt dim = bc->space->dim;
  PetscFunctionBegin;
  *n = f->n / dim;
  PetscCall(PetscMalloc1(*n, node));
  for (PetscInt i = 0; i < *n; i++) (*node)[i] = f->idx[i * dim] / bc->space->bs;
  PetscFunctionReturn(PETSC_SUCCESS);
}
