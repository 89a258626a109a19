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

static PetscErrorCode write_fields(RhxWriter *w, const RhxOutputStep *now, char problem[RHX_OUTPUT_MESSAGE])
{
  Fields *o = w->data;
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  int err;

  PetscFunctionBegin;
  PetscCall(RhxPvdGetFile(o->series, now->step, sizeof file, file));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  o->fields->dt = now->dt;
  PetscCall(RhxPointFieldsGather(o->fields, NULL, now->x));
  PetscCall(
      RhxVtuWrite(o->vtu, temporary, now->t, o->fields->n, o->fields->field, RhxPointFieldsFill, o->fields, &err));
  PetscCall(RhxPointFieldsRelease(o->fields));
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
