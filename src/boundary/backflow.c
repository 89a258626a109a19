#include "boundary/backflow.h"
#include "boundary/impl.h"

#define INWARD 1e-12 /* of |u| |n|: rounding of a flow along the label */

static PetscBool is_free(const RhxCondition *c)
{
  return (PetscBool)(c->bc->form->nmodes && (c->gives & RHX_TYPE_OPEN) && c->opt->polymer_inflow == RHX_POLYMER_FREE);
}

/* Of a polymer that comes in nothing is given: without a velocity along the label its stress grows there. */
static PetscBool brings_polymer(const RhxCondition *c) { return (PetscBool)(c->opt->tangential && is_free(c)); }

static PetscBool is_unguarded(const RhxCondition *c)
{
  const PetscBool guarded = (PetscBool)(c->opt->backflow > 0.0 || c->opt->tangential);
  return (PetscBool)((c->gives & RHX_TYPE_OPEN) && (!guarded || brings_polymer(c)));
}

PetscBool RhxBoundaryIsUnguarded(RhxBoundary bc, const char *label)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label)) return is_unguarded(&bc->cond[i]);
  return PETSC_FALSE;
}

PetscBool RhxBoundaryCrossesWithPolymer(RhxBoundary bc, const char *label)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label)) return brings_polymer(&bc->cond[i]);
  return PETSC_FALSE;
}

PetscBool RhxBoundaryBringsRest(RhxBoundary bc, const char *label)
{
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (!strcmp(bc->cond[i].label, label))
      return (PetscBool)(RhxConditionBringsStress(&bc->cond[i]) && bc->cond[i].opt->polymer_inflow == RHX_POLYMER_REST);
  return PETSC_FALSE;
}

void RhxBoundaryAdviseInflow(RhxBoundary bc, const char *label, size_t size, char *text)
{
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (strcmp(bc->cond[i].label, label)) continue;
    if (brings_polymer(&bc->cond[i]))
      snprintf(text, size,
               "-bc_%s_polymer_inflow developed where the channel goes on, or rest: nothing gives the stress of the "
               "polymer that comes in",
               label);
    else if (bc->form->nmodes && bc->cond[i].geo.plane_bend <= RHX_FLAT)
      snprintf(text, size,
               "-bc_%s_tangential zero, with -bc_%s_polymer_inflow developed where the channel goes on, or "
               "-bc_%s_backflow 0.5 where vortices pass",
               label, label, label);
    else if (bc->cond[i].geo.plane_bend <= RHX_FLAT)
      snprintf(text, size, "-bc_%s_tangential zero, or -bc_%s_backflow 0.5 where vortices pass", label, label);
    else
      snprintf(text, size, "-bc_%s_backflow 0.5", label);
  }
}

PetscErrorCode RhxBoundaryIsHeldByBackflow(RhxBoundary bc, const PetscScalar *x, const char **label, PetscBool *held)
{
  const RhxSpace space = bc->space;
  const PetscInt dim = space->dim, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  PetscReal *normal;
  int inward = 0;

  PetscFunctionBegin;
  *label = NULL;
  PetscCall(PetscCalloc1(space->nlocal * dim + 1, &normal));
  for (PetscInt i = 0; i < bc->ncond && bc->form->convection != 0; i++) {
    const RhxCondition *c = &bc->cond[i];
    if (!(c->gives & RHX_TYPE_OPEN) || !(c->opt->backflow > 0)) continue;
    *label = c->label;
    RhxConditionAddNormals(c->faces, dim, normal);
  }
  PetscCall(RhxSpaceReduce(space, dim, normal));
  for (PetscInt i = 0; i < space->nowned; i++) {
    PetscReal through = 0, speed = 0, area = 0;
    for (PetscInt d = 0; d < dim; d++) {
      through += x[i * space->bs + u + d] * normal[i * dim + d];
      speed += PetscSqr(x[i * space->bs + u + d]);
      area += PetscSqr(normal[i * dim + d]);
    }
    if (through < -INWARD * PetscSqrtReal(speed * area)) inward = 1;
  }
  PetscCall(PetscFree(normal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &inward, 1, MPI_INT, MPI_MAX, bc->comm));
  *held = (PetscBool)inward;
  PetscFunctionReturn(PETSC_SUCCESS);
}
