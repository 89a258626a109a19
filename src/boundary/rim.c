/* Walls without slip give the velocity along the flow of their nodes, a node of several that of the one that holds it in the flow too; an
 * edge of a wall with slip has its friction. */
#include "boundary/motion_impl.h"
#include "boundary/rim_impl.h"
#include "boundary/sliding_impl.h"

typedef struct { /* of a wall that may move */
  RhxMotion motion;
  PetscInt *node; /* of the section */
  PetscReal *x, *u;
} Side;

struct _p_RhxRim {
  RhxCondition *c; /* borrowed, as is */
  RhxSection s;
  PetscReal flow[3];
  PetscInt nsides;
  Side *side;
  RhxSliding *sliding; /* [ncond] wall NULL: no edge has its friction */
  PetscReal *w;        /* [nnodes] */
};

static PetscErrorCode create_side(RhxRim r, PetscInt number)
{
  const RhxSection s = r->s;
  RhxCondition *wall = &r->c->bc->cond[number];
  Side *side = &r->side[r->nsides];
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->nnodes; i++) n += s->wall[i] == number;
  if (!n || !RhxMotionMay(wall)) PetscFunctionReturn(PETSC_SUCCESS);
  r->nsides++;
  PetscCall(PetscMalloc3(n, &side->node, 3 * n, &side->x, 3 * n, &side->u));
  side->motion = (RhxMotion){.wall = wall, .n = n, .x = side->x, .flow = r->flow};
  n = 0;
  for (PetscInt i = 0; i < s->nnodes; i++) {
    if (s->wall[i] != number) continue;
    for (PetscInt d = 0; d < 3; d++)
      side->x[3 * n + d] = s->origin[d] + s->x[2 * i] * s->axis[0][d] + s->x[2 * i + 1] * s->axis[1][d];
    side->node[n++] = i;
  }
  PetscCall(RhxMotionLook(&side->motion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRimCreate(RhxCondition *c, RhxSection s, RhxRim *rim)
{
  const PetscInt ncond = c->bc->ncond;
  RhxRim r;

  PetscFunctionBegin;
  PetscCall(PetscNew(rim));
  r = *rim;
  r->c = c;
  r->s = s;
  for (PetscInt d = 0; d < 3; d++) r->flow[d] = (c->type->flags & RHX_TYPE_INWARD ? -1 : 1) * c->geo.normal[d];
  PetscCall(PetscCalloc1(ncond, &r->side));
  PetscCall(PetscCalloc1(ncond, &r->sliding));
  PetscCall(PetscCalloc1(s->nnodes, &r->w));
  for (PetscInt k = 0; k < ncond; k++) PetscCall(create_side(r, k));
  for (PetscInt i = 0; i < s->nrim; i++)
    if (s->slip[i] >= 0) r->sliding[s->slip[i]] = (RhxSliding){.wall = &c->bc->cond[s->slip[i]], .a = 1};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRimTell(RhxRim r)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->nsides; k++) PetscCall(RhxMotionTell(r->c, &r->side[k].motion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxRimMoves(RhxRim r)
{
  for (PetscInt k = 0; k < r->nsides; k++)
    if (r->side[k].motion.along) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RhxRimRubs(RhxRim r, PetscBool *rubs)
{
  PetscFunctionBegin;
  *rubs = PETSC_FALSE;
  for (PetscInt k = 0; k < r->c->bc->ncond && !*rubs; k++)
    if (r->sliding[k].wall) PetscCall(RhxSlidingHasFriction(r->sliding[k].wall, rubs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRimMove(RhxRim r, double t, double a, PetscBool *changed)
{
  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  for (PetscInt k = 0; k < r->c->bc->ncond; k++)
    if (r->sliding[k].wall && RhxSlidingMove(&r->sliding[k], t, a)) *changed = PETSC_TRUE;
  for (Side *side = r->side; side < r->side + r->nsides; side++) {
    if (!side->motion.along) continue;
    PetscCall(side->motion.wall->type->velocity(side->motion.wall, t, side->motion.n, side->x, side->u));
    for (PetscInt i = 0; i < side->motion.n; i++) {
      PetscReal w = 0;
      for (PetscInt d = 0; d < 3; d++) w += a * side->u[3 * i + d] * r->flow[d];
      if (PetscIsInfOrNanReal(w)) w = 0; /* noted */
      if (w != r->w[side->node[i]]) *changed = PETSC_TRUE;
      r->w[side->node[i]] = w;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PetscReal *RhxRimVelocity(RhxRim r) { return r->w; }

PetscErrorCode RhxRimFriction(RhxRim r, PetscInt i, double w, double *tau, double *slope)
{
  const double speed = PetscAbsReal(w);

  PetscFunctionBegin;
  PetscCall(RhxSlidingStress(&r->sliding[r->s->slip[i]], 1, &speed, tau, slope));
  if (w < 0) *tau = -*tau;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxRimHas(RhxRim r, const RhxCondition *wall)
{
  for (PetscInt k = 0; k < r->nsides; k++)
    if (r->side[k].motion.wall == wall) return PETSC_TRUE;
  for (PetscInt k = 0; k < r->c->bc->ncond; k++)
    if (r->sliding[k].wall == wall) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscBool RhxRimChanges(RhxRim r, double t0, double t1)
{
  for (PetscInt k = 0; k < r->nsides; k++) {
    RhxCondition *wall = r->side[k].motion.wall;
    if (r->side[k].motion.along && wall->type->changes && wall->type->changes(wall, t0, t1)) return PETSC_TRUE;
  }
  for (PetscInt k = 0; k < r->c->bc->ncond; k++) {
    RhxCondition *wall = r->sliding[k].wall;
    if (wall && wall->type->changes && wall->type->changes(wall, t0, t1)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode RhxRimDestroy(RhxRim *rim)
{
  RhxRim r = *rim;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < r->nsides; k++) PetscCall(PetscFree3(r->side[k].node, r->side[k].x, r->side[k].u));
  PetscCall(PetscFree(r->side));
  PetscCall(PetscFree(r->sliding));
  PetscCall(PetscFree(r->w));
  PetscCall(PetscFree(*rim));
  PetscFunctionReturn(PETSC_SUCCESS);
}
