/* Fields for ParaView: a .vtu a time and the .pvd that lists them. */
#include "output/vtu.h"
#include "form/eigenvalue.h"
#include "output/file.h"
#include "output/impl.h"
#include "output/text.h"
#include "output/xml.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a field of the .vtu is made from. */
typedef enum { FROM_STATE, TOTAL_STRESS, STRESS_TRACE, MODE_STRESS, MODE_C, MODE_TRACE, MODE_MIN, RANK } Source;

typedef struct {
  RhxOutput output;
  RhxForm form;
  RhxVtu *vtu;
  PetscInt nfields;
  RhxVtuField *field;
  Source *source;             /* [nfields] */
  PetscInt *index;            /* [nfields] field of the space, or mode */
  PetscInt nseries, capacity; /* rank 0: entries of the .pvd */
  PetscInt *series_step;
  double *series_t;
} Fields;

static const char *const tensor_components[] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};

/* What the fields of one output are filled from, at local nodes. */
typedef struct {
  Fields *fields;
  PetscScalar *x;       /* [nlocal][bs] */
  PetscScalar *c, *tau; /* [nmodes][nlocal][ntens] */
} Data;

/* mode < 0: the name stands alone, else it ends in the number of the mode (unless there is but one). */
static PetscErrorCode add_field(Fields *o, Source source, PetscInt index, const char *name, PetscInt mode,
                                PetscInt components)
{
  RhxVtuField *f = o->field + o->nfields;

  PetscFunctionBegin;
  if (mode < 0 || o->form->nmodes == 1)
    PetscCall(PetscStrncpy(f->name, name, sizeof f->name));
  else
    PetscCall(PetscSNPrintf(f->name, sizeof f->name, "%s_%" PetscInt_FMT, name, mode));
  f->components = components;
  f->component = components == 6 ? tensor_components : NULL;
  f->cell = source == RANK ? PETSC_TRUE : PETSC_FALSE;
  o->source[o->nfields] = source;
  o->index[o->nfields++] = index;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_fields(Fields *o)
{
  RhxSpace space = o->form->space;
  PetscInt nmodes = o->form->nmodes, most = space->nfields + 4 * nmodes + 3;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(most, &o->field, most, &o->source, most, &o->index));
  for (PetscInt f = 0; f < space->nfields; f++)
    if (space->field[f].output[0])
      PetscCall(add_field(o, FROM_STATE, f, space->field[f].output, -1, space->field[f].kind == RHX_VECTOR ? 3 : 1));
  if (nmodes) {
    PetscCall(add_field(o, TOTAL_STRESS, 0, "stress", -1, 6));
    PetscCall(add_field(o, STRESS_TRACE, 0, "stress_trace", -1, 1));
  }
  for (PetscInt k = 0; k < nmodes; k++) {
    if (nmodes > 1) PetscCall(add_field(o, MODE_STRESS, k, "stress", k, 6));
    PetscCall(add_field(o, MODE_C, k, "conformation", k, 6));
    PetscCall(add_field(o, MODE_TRACE, k, "conformation_trace", k, 1));
    PetscCall(add_field(o, MODE_MIN, k, "conformation_min_eigenvalue", k, 1));
  }
  PetscCall(add_field(o, RANK, 0, "rank", -1, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/* Written beside and renamed, so that the file is whole at every moment. */
static PetscErrorCode write_series(Fields *o, char problem[RHX_MESSAGE])
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  RhxText text = {0};
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->output->comm, &rank));
  PetscCall(RhxOutputGetPath(o->output, ".pvd", sizeof file, file));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  if (!rank) PetscCall(series_text(o, &text));
  PetscCall(RhxFileWriteText(o->output->comm, temporary, text.s, text.n, &err));
  PetscCall(PetscFree(text.s));
  RhxOutputDescribe("list of fields", file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o->output, temporary, file, problem));
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

/* Our components to ParaView's XX YY ZZ XY YZ XZ; zz: what a tensor without out-of-plane component has there. */
static void to_paraview(PetscInt ntens, double zz, const PetscScalar *a, double out[6])
{
  out[0] = a[0];
  out[1] = a[1];
  out[2] = ntens == 3 ? zz : a[2];
  out[3] = a[ntens - 1];
  out[4] = ntens == 6 ? a[3] : 0;
  out[5] = ntens == 6 ? a[4] : 0;
}

/* Sum of the modes' stresses at a local node, ParaView's order. */
static void total_stress(const Data *data, PetscInt node, double out[6])
{
  RhxSpace space = data->fields->form->space;
  double one[6];

  for (int k = 0; k < 6; k++) out[k] = 0;
  for (PetscInt m = 0; m < data->fields->form->nmodes; m++) {
    to_paraview(space->ntens, 0, data->tau + ((size_t)m * space->nlocal + node) * space->ntens, one);
    for (int k = 0; k < 6; k++) out[k] += one[k];
  }
}

static void point_value(const Data *data, PetscInt field, PetscInt node, double *out)
{
  Fields *o = data->fields;
  RhxSpace space = o->form->space;
  PetscInt ntens = space->ntens, index = o->index[field];
  size_t at = ((size_t)index * space->nlocal + node) * ntens;
  double a[6];

  switch (o->source[field]) {
  case FROM_STATE:
    for (PetscInt d = 0; d < o->field[field].components; d++)
      out[d] =
          d < space->field[index].components ? data->x[(size_t)node * space->bs + space->field[index].offset + d] : 0;
    break;
  case TOTAL_STRESS:
    total_stress(data, node, out);
    break;
  case STRESS_TRACE:
    total_stress(data, node, a);
    *out = a[0] + a[1] + a[2];
    break;
  case MODE_STRESS:
    to_paraview(ntens, 0, data->tau + at, out);
    break;
  case MODE_C:
    to_paraview(ntens, 1, data->c + at, out);
    break;
  case MODE_TRACE:
    to_paraview(ntens, 1, data->c + at, a);
    *out = a[0] + a[1] + a[2];
    break;
  case MODE_MIN:
    *out = RhxMinEigenvalue(ntens, data->c + at);
    break;
  case RANK:
    break;
  }
}

static PetscErrorCode fill(void *ctx, PetscInt field, double *values)
{
  Data *data = ctx;
  Fields *o = data->fields;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->output->comm, &rank));
  if (o->source[field] == RANK)
    for (PetscInt e = 0; e < o->vtu->ncells; e++) values[e] = rank;
  else
    for (PetscInt i = 0; i < o->vtu->npoints; i++)
      point_value(data, field, o->vtu->node[i], values + (size_t)i * o->field[field].components);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather(Fields *o, Vec x, Data *data)
{
  RhxSpace space = o->form->space;
  size_t n = (size_t)space->nlocal * space->ntens;
  const PetscScalar *g;

  PetscFunctionBegin;
  data->fields = o;
  PetscCall(PetscMalloc3((size_t)space->nlocal * space->bs, &data->x, n * o->form->nmodes, &data->c,
                         n * o->form->nmodes, &data->tau));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, data->x));
  PetscCall(VecRestoreArrayRead(x, &g));
  for (PetscInt m = 0; m < o->form->nmodes; m++) {
    PetscCall(RhxFormConformation(o->form, m, space->nlocal, data->x, data->c + m * n));
    PetscCall(RhxFormPolymerStress(o->form, m, space->nlocal, data->x, data->tau + m * n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(RhxWriter *w, const RhxOutputStep *now, char problem[RHX_OUTPUT_MESSAGE])
{
  Fields *o = w->data;
  char suffix[64], file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  Data data;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->output->comm, &rank));
  PetscCall(PetscSNPrintf(suffix, sizeof suffix, "_%06d.vtu", (int)now->step));
  PetscCall(RhxOutputGetPath(o->output, suffix, sizeof file, file));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  PetscCall(gather(o, now->x, &data));
  PetscCall(RhxVtuWrite(o->vtu, temporary, now->t, o->nfields, o->field, fill, &data, &err));
  PetscCall(PetscFree3(data.x, data.c, data.tau));
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
  o->form = w->output->form;
  PetscCall(RhxVtuCreate(o->form->space, &o->vtu));
  PetscCall(list_fields(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxWriter *w)
{
  Fields *o = w->data;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxVtuDestroy(&o->vtu));
  PetscCall(PetscFree3(o->field, o->source, o->index));
  PetscCall(PetscFree(o->series_step));
  PetscCall(PetscFree(o->series_t));
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxOutputType RhxOutputType_vtu = {
    .entry = {sizeof(RhxOutputType), "vtu", "<case>_<step>.vtu and the .pvd that lists them, for ParaView"},
    .setup = setup,
    .restart = restart,
    .write = write_fields,
    .destroy = destroy};
