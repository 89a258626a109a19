/* The walls between which a developed profile stands in the plane. */
#include "boundary/gap_impl.h"
#include "boundary/motion_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/times_impl.h"
#include "boundary/types/shared.h"

#define NEAR 1e-6 /* of the label's extent: nodes at its end; off the axis */

/* Which conditions [ncond] have the label's node at each end; between: the first with one elsewhere, or -1. Collective. */
static PetscErrorCode look_around(const RhxCondition *c, const RhxGapEnd end[2], PetscInt *at[2], PetscInt *between)
{
  const RhxBoundary bc = c->bc;
  const unsigned walls = RHX_TYPE_NO_SLIP | RHX_TYPE_NORMAL | RHX_TYPE_SYMMETRY;
  PetscInt *flag;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * bc->ncond, &flag));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscInt node = c->faces->node[i];
    const PetscReal *x = bc->space->x + 2 * node;
    PetscInt place = 2;
    if (!(bc->role[node] & walls)) continue;
    for (PetscInt e = 0; e < 2; e++)
      if (PetscMax(PetscAbsReal(x[0] - end[e].x[0]), PetscAbsReal(x[1] - end[e].x[1])) < NEAR * c->geo.extent)
        place = e;
    for (PetscInt k = 0; k < bc->ncond; k++)
      for (PetscInt j = 0; j < bc->cond[k].faces->nnodes && &bc->cond[k] != c && (bc->cond[k].type->flags & walls); j++)
        if (bc->cond[k].faces->node[j] == node) flag[place * bc->ncond + k] = 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flag, (PetscMPIInt)(3 * bc->ncond), MPIU_INT, MPI_MAX, bc->comm));
  *between = -1;
  for (PetscInt k = 0; k < bc->ncond; k++) {
    for (PetscInt e = 0; e < 2; e++) at[e][k] = flag[e * bc->ncond + k];
    if (flag[2 * bc->ncond + k] && *between < 0) *between = k;
  }
  PetscCall(PetscFree(flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the label ends on there: of several walls the one that gives the velocity, else the first that slips. */
static PetscErrorCode judge_end(RhxCondition *c, const PetscInt *at, RhxGapEnd *end)
{
  const RhxBoundary bc = c->bc;
  PetscBool rubs = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < bc->ncond && !end->free; k++) {
    RhxCondition *other = &bc->cond[k];
    const PetscBool holds = (PetscBool)((other->type->flags & RHX_TYPE_NO_SLIP) != 0);
    if (!at[k] || (!holds && !RhxConditionSlips(other))) continue;
    if (!end->wall || (holds && ((end->wall->type->flags & RHX_TYPE_NO_SLIP) == 0 ||
                                 other->type->priority < end->wall->type->priority)))
      end->wall = other;
  }
  if (!end->wall) PetscFunctionReturn(PETSC_SUCCESS);
  if (end->wall->type->flags & RHX_TYPE_NO_SLIP) {
    end->moves = RhxMotionMay(end->wall);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!end->wall->type->friction) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSlidingHasFriction(end->wall, &rubs));
  end->free = (PetscBool)!rubs;
  end->slips = rubs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What of a wall's motion the profile has not. */
static PetscErrorCode warn_of_motion(RhxCondition *c, const RhxGapShape *shape, const RhxGapEnd *end)
{
  RhxMotion motion = {.wall = end->wall, .n = 1, .x = end->x, .flow = shape->flow};

  PetscFunctionBegin;
  if (!end->moves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxMotionLook(&motion));
  PetscCall(RhxMotionTell(c, &motion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the conditions at an end: which holds the azimuthal velocity, as in the flow, and which prescribes its flux? */
static void find_turner(const RhxCondition *c, const PetscInt *at, RhxGapEnd *end)
{
  const RhxBoundary bc = c->bc;

  for (PetscInt k = 0; k < bc->ncond && bc->form->swirl >= 0; k++) {
    RhxCondition *other = &bc->cond[k];
    const RhxScalarKind kind = other->scalar[bc->form->swirl].kind;
    if (!at[k]) continue;
    if (kind == RHX_SCALAR_VALUE && (!end->turner || other->type->priority < end->turner->type->priority))
      end->turner = other;
    if (kind == RHX_SCALAR_FLUX && !end->dragger) end->dragger = other;
  }
}

/* Of a flux that is not 0 at all times, the shear along theta is none of the profile's. */
static PetscErrorCode tell_of_flux(const RhxCondition *c, const RhxGapEnd *end)
{
  PetscReal flux = 0;

  PetscFunctionBegin;
  for (int i = 0; i < RHX_LOOKS && end->dragger && flux == 0; i++)
    PetscCall(
        RhxFormulaEvaluate(end->dragger->scalar[c->bc->form->swirl].formula, RhxLookTime(i), 1, 2, end->x, &flux));
  if (!(flux == 0))
    PetscCall(PetscFPrintf(c->bc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_profile developed: got a label that ends on '%s', which "
                           "prescribes a flux of the azimuthal velocity: the profile is that without the shear "
                           "along theta; expected -bc_%s_velocity by formula or -bc_%s_profile file\n",
                           c->label, end->dragger->label, c->label, c->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* End 0 is the inner one of an annulus. */
static void place_ends(const RhxCondition *c, PetscReal x[2][2], const PetscBool on[2], RhxGapShape *shape)
{
  const int turned = c->bc->space->axisymmetric && x[0][1] > x[1][1];
  PetscReal length = 0;

  *shape = (RhxGapShape){.label = c->label, .ring = c->bc->space->axisymmetric};
  for (int e = 0; e < 2; e++) {
    const int from = turned ? 1 - e : e;
    shape->end[e].free = on[from];
    for (int d = 0; d < 2; d++) shape->end[e].x[d] = x[from][d];
  }
  for (int d = 0; d < 2; d++) length += PetscSqr(x[1][d] - x[0][d]);
  for (int d = 0; d < 2; d++) {
    shape->across[d] = (shape->end[1].x[d] - shape->end[0].x[d]) / PetscSqrtReal(length);
    shape->flow[d] = (c->type->flags & RHX_TYPE_INWARD ? -1 : 1) * c->geo.normal[d];
  }
}

static PetscErrorCode check_between(const RhxCondition *c, PetscInt between)
{
  const RhxBoundary bc = c->bc;
  const RhxCondition *wall = &bc->cond[PetscMax(between, 0)];

  PetscFunctionBegin;
  PetscCheck(
      between < 0, bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_profile developed: got a label with nodes of '%s', type %s, between its ends, expected walls at its "
      "ends alone: a label for each passage",
      c->label, wall->label, wall->type->entry.name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_ends(const RhxCondition *c, const RhxGapShape *shape)
{
  const RhxBoundary bc = c->bc;

  PetscFunctionBegin;
  PetscCheck(!shape->end[0].free || !shape->end[1].free, bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_profile developed: got a label with both ends on planes of symmetry, free slip or walls without "
             "friction, expected a wall with friction at one end",
             c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_turning(const RhxCondition *c, const RhxGapShape *shape)
{
  PetscFunctionBegin;
  PetscCheck(
      !RhxConditionDevelopsSwirl(c) || shape->end[0].turner || shape->end[1].turner, c->bc->comm, PETSC_ERR_ARG_WRONG,
      "-bc_%s_profile developed: got a label with no wall at its ends that holds the azimuthal velocity, expected "
      "one, or that of the label by -bc_%s_%s \"value <formula>\"",
      c->label, c->label, c->bc->form->scalar[c->bc->form->swirl].row->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGapFind(RhxCondition *c, const RhxCondition *alike, PetscReal x[2][2], const PetscBool on[2],
                          RhxGap *gap)
{
  const RhxBoundary bc = c->bc;
  PetscBool wanted = RhxConditionDevelopsSwirl(c), off;
  PetscInt *at[2], between;
  RhxGapShape shape;

  PetscFunctionBegin;
  *gap = NULL;
  place_ends(c, x, on, &shape);
  PetscCall(PetscCalloc2(bc->ncond, &at[0], bc->ncond, &at[1]));
  PetscCall(look_around(c, shape.end, at, &between));
  PetscCall(check_between(c, between));
  for (int e = 0; e < 2; e++) {
    const PetscBool plane = shape.end[e].free;
    PetscCall(judge_end(c, at[e], &shape.end[e]));
    if (shape.ring) find_turner(c, at[e], &shape.end[e]);
    if (shape.end[e].moves || (!alike && (shape.end[e].slips || (shape.end[e].free && !plane)))) wanted = PETSC_TRUE;
  }
  PetscCall(PetscFree2(at[0], at[1]));
  off = (PetscBool)(shape.ring && shape.end[0].x[1] > NEAR * c->geo.extent);
  if (shape.ring && (!(PetscAbsReal(c->geo.normal[1]) <= NEAR) || (!off && !on[0] && !on[1])))
    PetscFunctionReturn(PETSC_SUCCESS); /* no tube and no annulus */
  if (!wanted && !off) PetscFunctionReturn(PETSC_SUCCESS);
  if (shape.ring && !off) {
    shape.end[0].x[1] = 0;
    shape.end[0].turner = NULL; /* nothing turns about a point */
  }
  PetscCall(check_turning(c, &shape));
  PetscCall(check_ends(c, &shape));
  for (int e = 0; e < 2; e++) {
    PetscCall(warn_of_motion(c, &shape, &shape.end[e]));
    PetscCall(tell_of_flux(c, &shape.end[e]));
  }
  PetscCall(RhxGapCreate(bc->form, &shape, gap));
  PetscFunctionReturn(PETSC_SUCCESS);
}
