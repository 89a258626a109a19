/* Fields for ParaView: a .vtu a time and the .pvd that lists them. */
#include "output/fields.h"
#include "output/file.h"
#include "output/impl.h"
#include "output/text.h"
#include "output/xml.h"
#include "petsc_compat.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  PetscInt nseries, capacity; /* rank 0: entries of the .pvd */
  PetscInt *series_step;
  double *series_t;
} Fields;

/* ---- The series ---- */

/* Rank 0. */
static PetscErrorCode add_to_series(Fields *o, PetscInt step, double t)
{
  PetscFunctionBegin;
  if (o->nseries == o->capacity) {
    o->capacity = 2 * o->capacity + 16;
    PetscCall(PetscRealloc(o->capacity * sizeof *o->series_step, &o->series_step));
    PetscCall(PetscRealloc(o->capacity * sizeof *o->series_t, &o->series_t));
  }
  o->series_step[o->nseries] = step;
  o->series_t[o->nseries++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode series_text(Fields *o, RhxText *text)
{
  char name[RHX_XML_LENGTH * sizeof o->output->name];

  PetscFunctionBegin;
  RhxXmlEscape(o->output->name, sizeof name, name);
  PetscCall(
      RhxTextAppend(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"));
  for (PetscInt i = 0; i < o->nseries; i++)
    PetscCall(RhxTextAppend(text, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s_%06d.vtu\"/>\n", o->series_t[i],
                            name, (int)o->series_step[i]));
  PetscCall(RhxTextAppend(text, "</Collection>\n</VTKFile>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_series(Fields *o, char problem[RHX_MESSAGE])
{
  RhxText text = {0};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->output->comm, &rank));
  if (!rank) PetscCall(series_text(o, &text));
  PetscCall(RhxOutputWriteText(o->output, "list of fields", ".pvd", text.s, text.n, problem));
  PetscCall(PetscFree(text.s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restart(RhxWriter *w, PetscInt step, PetscInt *last)
{
  Fields *o = w->data;
  char file[PETSC_MAX_PATH_LEN], line[2 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  FILE *f;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->output->comm, &rank));
  PetscCall(RhxOutputGetPath(o->output, ".pvd", sizeof file, file));
  if (!rank && (f = fopen(file, "r"))) {
    o->nseries = 0;
    while (fgets(line, sizeof line, f)) {
      char *end = strstr(line, ".vtu\""), *at = end;
      double when;
      if (!end || sscanf(line, "<DataSet timestep=\"%lf\"", &when) != 1) continue;
      while (at > line && at[-1] != '_') at--;
      if (atol(at) <= step) PetscCall(add_to_series(o, (PetscInt)atol(at), when));
    }
    fclose(f);
  }
  if (!rank && o->nseries) *last = o->series_step[o->nseries - 1];
  PetscCallMPI(MPI_Bcast(last, 1, MPIU_INT, 0, o->output->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The fields ---- */

static PetscErrorCode write_fields(RhxWriter *w, const RhxOutputStep *now, char problem[RHX_OUTPUT_MESSAGE])
{
  Fields *o = w->data;
  char suffix[64], file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->output->comm, &rank));
  PetscCall(PetscSNPrintf(suffix, sizeof suffix, "_%06d.vtu", (int)now->step));
  PetscCall(RhxOutputGetPath(o->output, suffix, sizeof file, file));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  o->fields->dt = now->dt;
  PetscCall(RhxPointFieldsGather(o->fields, NULL, now->x));
  PetscCall(
      RhxVtuWrite(o->vtu, temporary, now->t, o->fields->n, o->fields->field, RhxPointFieldsFill, o->fields, &err));
  PetscCall(RhxPointFieldsRelease(o->fields));
  RhxOutputDescribe("field output", file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o->output, temporary, file, problem));
  if (problem[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank) PetscCall(add_to_series(o, now->step, now->t));
  PetscCall(write_series(o, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxWriter *w)
{
  Fields *o;

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  w->data = o;
  o->output = w->output;
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
  PetscCall(PetscFree(o->series_step));
  PetscCall(PetscFree(o->series_t));
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
