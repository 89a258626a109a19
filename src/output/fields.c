#include "output/fields_impl.h"
#include "petsc_compat.h"

static PetscErrorCode list_fields(RhxPointFields o)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(o->n, &o->field));
  for (PetscInt i = 0; i < o->n; i++) {
    const RhxQuantity *q = &o->all->item[o->which[i]];
    PetscCall(PetscStrncpy(o->field[i].name, q->name, sizeof o->field[i].name));
    o->field[i].components = q->components;
    o->field[i].component = q->components == 6 ? q->component : NULL;
    o->field[i].cell = q->cell;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsSelect(RhxPointFields o, const char *option, const char *names)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(o->field));
  PetscCall(PetscFree(o->which));
  PetscCall(RhxQuantitiesSelect(o->all, option, names, &o->n, &o->which));
  PetscCall(list_fields(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsCreate(RhxForm form, RhxVtu *vtu, RhxPointFields *fields)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(fields));
  (*fields)->form = form;
  (*fields)->vtu = vtu;
  PetscCall(RhxQuantitiesCreate(form, &(*fields)->all));
  PetscCall(RhxPointFieldsSelect(*fields, "-output_fields", "default"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsDestroy(RhxPointFields *fields)
{
  PetscFunctionBegin;
  if (!*fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxQuantitiesDestroy(&(*fields)->all));
  PetscCall(PetscFree((*fields)->which));
  PetscCall(PetscFree((*fields)->field));
  PetscCall(PetscFree(*fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxPointFieldsRange(RhxPointFields o, const PetscBool *wanted, PetscInt *first, PetscInt *end)
{
  *first = o->form->space->bs;
  *end = 0;
  for (PetscInt i = 0; i < o->n; i++)
    if (!wanted || wanted[i]) RhxQuantityExtend(o->all, o->which[i], first, end);
  *first = PetscMin(*first, *end);
}

PetscErrorCode RhxPointFieldsFill(void *ctx, PetscInt field, double *values)
{
  RhxPointFields o = ctx;
  const PetscInt k = o->which[field], n = o->field[field].components;

  PetscFunctionBegin;
  if (o->field[field].cell) {
    PetscCall(RhxQuantityEvaluateCells(o->all, k, o->x, o->dt, values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxQuantityEvaluate(o->all, k, o->form->space->nlocal, o->x, o->L, o->nodal));
  for (PetscInt i = 0; i < o->vtu->npoints; i++)
    PetscCall(PetscArraycpy(values + (size_t)i * n, o->nodal + (size_t)o->vtu->node[i] * n, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsGather(RhxPointFields o, const PetscBool *wanted, Vec x)
{
  RhxSpace space = o->form->space;
  const size_t n = space->nlocal;
  PetscBool slope = PETSC_FALSE;
  const PetscScalar *g;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < o->n; i++)
    if ((!wanted || wanted[i]) && o->all->item[o->which[i]].slope) slope = PETSC_TRUE;
  PetscCall(
      PetscMalloc3(n * space->bs, &o->x, slope ? n * PetscSqr(RhxGradientSize(space)) : 0, &o->L, n * 6, &o->nodal));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, o->x));
  PetscCall(VecRestoreArrayRead(x, &g));
  if (slope) PetscCall(RhxVelocityGradient(o->form, o->x, o->L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsRelease(RhxPointFields o)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(o->x, o->L, o->nodal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
