/* Fields for ParaView: a .vtu a time and the .pvd that lists them. */
#include "output/field_files_impl.h"
#include "output/xml_impl.h"
#include "petsc_compat.h"

#define STEP 1e-5 /* of differences, of the largest value of the state */

/* Fields of two states, 2 h times a vector apart. */
typedef struct {
  RhxPointFields pair[2];
  double h;
} Difference;

static PetscErrorCode fill_difference(void *ctx, PetscInt field, double *values)
{
  const Difference *d = ctx;
  const RhxPointFields f = d->pair[0];
  const size_t n = (size_t)(f->field[field].cell ? f->vtu->ncells : f->vtu->npoints) * f->field[field].components;
  double *other;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &other));
  PetscCall(RhxPointFieldsFill(d->pair[0], field, values));
  PetscCall(RhxPointFieldsFill(d->pair[1], field, other));
  for (size_t i = 0; i < n; i++) values[i] = (values[i] - other[i]) / (2 * d->h);
  PetscCall(PetscFree(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivatives of the fields at the output's base along v. */
static PetscErrorCode write_derivative(const RhxFieldFiles *o, const char *file, double t, Vec v, int *err)
{
  const Vec base = o->output->base;
  Difference d = {{o->fields}, 0};
  PetscReal state, along;
  Vec x;

  PetscFunctionBegin;
  PetscCall(VecNorm(base, NORM_INFINITY, &state));
  PetscCall(VecNorm(v, NORM_INFINITY, &along));
  d.h = STEP * (state > 0 ? state : 1.0) / (along > 0 ? along : 1.0);
  PetscCall(RhxPointFieldsCreate(o->output->form, o->vtu, &d.pair[1]));
  PetscCall(RhxPointFieldsSelect(d.pair[1], "-output_fields", o->output->list));
  PetscCall(VecDuplicate(base, &x));
  for (int k = 0; k < 2; k++) {
    d.pair[k]->dt = 0;
    PetscCall(VecWAXPY(x, k ? -d.h : d.h, v, base));
    PetscCall(RhxPointFieldsGather(d.pair[k], NULL, x));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(RhxVtuWrite(o->vtu, file, t, o->fields->n, o->fields->field, fill_difference, &d, err));
  for (int k = 0; k < 2; k++) PetscCall(RhxPointFieldsRelease(d.pair[k]));
  PetscCall(RhxPointFieldsDestroy(&d.pair[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(RhxWriter *w, const RhxOutputStep *now, char problem[RHX_OUTPUT_MESSAGE])
{
  const RhxFieldFiles *o = w->data;
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  int err;

  PetscFunctionBegin;
  PetscCall(RhxFieldFilesName(o, now->step, sizeof file, file, temporary));
  if (o->output->base)
    PetscCall(write_derivative(o, temporary, now->t, now->x, &err));
  else
    PetscCall(RhxFieldFilesWriteState(o, RhxVtuWrite, temporary, now, &err));
  PetscCall(RhxFieldFilesPlace(o, now, temporary, file, err, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

extern const RhxFieldFormat RhxFieldFormat_vtu;
static PetscErrorCode setup(RhxWriter *w)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldFilesCreate(w, &RhxFieldFormat_vtu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode entry(RhxText *text, const char *name, int step, double t)
{
  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s_%06d.vtu\"/>\n", t, name, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RhxFileListFormat names = {
    .file = ".vtu",
    .head = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
    .between = "",
    .tail = "</Collection>\n</VTKFile>\n",
    .time = "timestep=\"",
    .escape = RhxXmlEscape,
    .entry = entry};

const RhxOutputType RhxOutputType_vtu = {
    .entry = {sizeof(RhxOutputType), "vtu", "<case>_<step>.vtu and the .pvd that lists them, for ParaView"},
    RHX_FIELD_FILE_OPTIONS,
    .setup = setup,
    .restart = RhxFieldFilesRestart,
    .write = write_fields,
    .destroy = RhxFieldFilesDestroy,
    .list = ".pvd"};
const RhxFieldFormat RhxFieldFormat_vtu = {&RhxOutputType_vtu, &names, RhxVtuWrite};
