/* Fields for ParaView: a .vtu a time and the .pvd that lists them. */
#include "output/fields.h"
#include "output/impl.h"
#include "output/pvd.h"
#include "petsc_compat.h"
#include <stddef.h>

typedef struct {
  int precision; /* of the fields: 0 double, 1 single */
} Options;

static const RhxRow rows[] = {
    {"precision", RHX_CHOICE, 0, offsetof(Options, precision), "double", RHX_ANY, 0, 0, "double|single", "",
     "of the values in .vtu files (single: half their size; positions are double)"},
};

typedef struct {
  RhxOutput output;
  RhxVtu *vtu;
  RhxPointFields fields;
  RhxPvd series;
} Fields;

static PetscErrorCode restart(RhxWriter *w, PetscInt step, PetscInt *last)
{
  PetscFunctionBegin;
  PetscCall(RhxPvdRestart(((Fields *)w->data)->series, step, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define STEP 1e-5 /* of differences, of the largest value of the state */

/* Fields of two states, 2 h times a vector apart. */
typedef struct {
  RhxPointFields side[2];
  double h;
} Difference;

static PetscErrorCode fill_difference(void *ctx, PetscInt field, double *values)
{
  const Difference *d = ctx;
  const RhxPointFields f = d->side[0];
  const size_t n = (size_t)(f->field[field].cell ? f->vtu->ncells : f->vtu->npoints) * f->field[field].components;
  double *other;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &other));
  PetscCall(RhxPointFieldsFill(d->side[0], field, values));
  PetscCall(RhxPointFieldsFill(d->side[1], field, other));
  for (size_t i = 0; i < n; i++) values[i] = (values[i] - other[i]) / (2 * d->h);
  PetscCall(PetscFree(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivatives of the fields at the output's base along v. */
static PetscErrorCode write_derivative(Fields *o, const char *file, double t, Vec v, int *err)
{
  const Vec base = o->output->base;
  Difference d = {{o->fields}, 0};
  PetscReal state, along;
  Vec x;

  PetscFunctionBegin;
  PetscCall(VecNorm(base, NORM_INFINITY, &state));
  PetscCall(VecNorm(v, NORM_INFINITY, &along));
  d.h = STEP * (state > 0 ? state : 1.0) / (along > 0 ? along : 1.0);
  PetscCall(RhxPointFieldsCreate(o->output->form, o->vtu, &d.side[1]));
  PetscCall(RhxPointFieldsSelect(d.side[1], "-output_fields", o->output->list));
  PetscCall(VecDuplicate(base, &x));
  for (int k = 0; k < 2; k++) {
    d.side[k]->dt = 0;
    PetscCall(VecWAXPY(x, k ? -d.h : d.h, v, base));
    PetscCall(RhxPointFieldsGather(d.side[k], NULL, x));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(RhxVtuWrite(o->vtu, file, t, o->fields->n, o->fields->field, fill_difference, &d, err));
  for (int k = 0; k < 2; k++) PetscCall(RhxPointFieldsRelease(d.side[k]));
  PetscCall(RhxPointFieldsDestroy(&d.side[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_state(Fields *o, const char *file, const RhxOutputStep *now, int *err)
{
  PetscFunctionBegin;
  o->fields->dt = now->dt;
  PetscCall(RhxPointFieldsGather(o->fields, NULL, now->x));
  PetscCall(RhxVtuWrite(o->vtu, file, now->t, o->fields->n, o->fields->field, RhxPointFieldsFill, o->fields, err));
  PetscCall(RhxPointFieldsRelease(o->fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(RhxWriter *w, const RhxOutputStep *now, char problem[RHX_OUTPUT_MESSAGE])
{
  Fields *o = w->data;
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  int err;

  PetscFunctionBegin;
  PetscCall(RhxPvdGetFile(o->series, now->step, sizeof file, file));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  if (o->output->base)
    PetscCall(write_derivative(o, temporary, now->t, now->x, &err));
  else
    PetscCall(write_state(o, temporary, now, &err));
  RhxOutputDescribe("field output", file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o->output, temporary, file, problem));
  if (!problem[0]) PetscCall(RhxPvdAdd(o->series, now->step, now->t, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxWriter *w)
{
  Fields *o;

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  w->data = o;
  o->output = w->output;
  PetscCall(RhxPvdCreate(w->output, "", &o->series));
  PetscCall(RhxVtuCreate(w->output->form->space, &o->vtu));
  o->vtu->single = (PetscBool)(((const Options *)w->own)->precision == 1);
  PetscCall(RhxPointFieldsCreate(w->output->form, o->vtu, &o->fields));
  PetscCall(RhxPointFieldsSelect(o->fields, "-output_fields", w->output->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxWriter *w)
{
  Fields *o = w->data;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPointFieldsDestroy(&o->fields));
  PetscCall(RhxVtuDestroy(&o->vtu));
  PetscCall(RhxPvdDestroy(&o->series));
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxOutputType RhxOutputType_vtu = {
    .entry = {sizeof(RhxOutputType), "vtu", "<case>_<step>.vtu and the .pvd that lists them, for ParaView"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .restart = restart,
    .write = write_fields,
    .destroy = destroy};
