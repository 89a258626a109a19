/* Wall shear stress along labels: tables, in space a surface a time too. */
#include "diagnostics/near_impl.h"
#include "diagnostics/wall_surface_impl.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  RhxFieldSeries *series; /* [nlabels], NULL: in the plane; owned */
  RhxWallMesh **mesh;     /* [nlabels] owned */
} Options;

static const RhxRow rows[] = {RHX_LABEL_ROW(Options, labels.label)};

/* The list of the surfaces of each label, which goes on after a restart. */
static PetscErrorCode begin_series(RhxDiagnostic *d, Options *o)
{
  char name[512];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(d->nlabels, &o->series));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s_%s", d->name, d->label[i]));
    PetscCall(RhxFieldSeriesCreate(RhxDiagnosticGetRun(d)->output, name, d->goes_on, d->first_step, &o->series[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  char suffix[512];

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, ""));
  PetscCall(RhxDiagnosticSetNear(d, RHX_WALL_RINGS));
  PetscCall(PetscCalloc1(d->nlabels, &o->mesh));
  for (PetscInt i = 0; RhxDiagnosticGetDimension(d) == 3 && i < d->nlabels; i++) {
    PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "%s_%s", d->name, d->label[i]));
    PetscCall(RhxFieldSeriesAdd(RhxDiagnosticGetRun(d)->output, d->maker, suffix));
  }
  for (PetscInt i = 0; i < 2 * d->nlabels; i++) {
    PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s_%s%s.csv", d->name, d->label[i / 2], i % 2 ? "_points" : ""));
    PetscCall(RhxOutputAddResult(RhxDiagnosticGetRun(d)->output, d->maker, suffix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By x where it tells the place, else by arc length and the place itself. */
static void say_points(double D, const RhxWall *wall, const char *what, PetscInt n, const RhxWallPoint *at)
{
  if (n) printf(", %s at %s/D =", what, wall->over_x ? "x" : "s");
  for (PetscInt i = 0; i < n; i++)
    if (wall->over_x)
      printf(" %.4f", at[i].x[0] / D);
    else
      printf("%s %.4f (x/D, y/D = %.4f, %.4f)", i ? "," : "", at[i].s / D, at[i].x[0] / D, at[i].x[1] / D);
}

/* <folder>/<case>_<name>_<label><what>.csv */
static PetscErrorCode wall_path(const RhxDiagnostic *d, const char *label, const char *what,
                                char path[PETSC_MAX_PATH_LEN])
{
  char suffix[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s_%s%s.csv", d->name, label, what));
  PetscCall(RhxOutputGetPath(RhxDiagnosticGetRun(d)->output, suffix, PETSC_MAX_PATH_LEN, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tables of a wall under temporary names, then they take their places. */
static PetscErrorCode write_wall(const RhxDiagnostic *d, const char *label, const RhxWall *wall)
{
  static const char *const part[] = {"", "_points"};
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  char temporary[PETSC_MAX_PATH_LEN], from[PETSC_MAX_PATH_LEN], to[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE] = "";
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  PetscCall(wall_path(d, label, ".tmp", temporary));
  PetscCall(RhxWallWrite(wall, dim, temporary, run->velocity, run->length, &err));
  if (err)
    PetscCall(PetscSNPrintf(problem, sizeof(problem),
                            "wall table %s cannot be written: got \"%s\", expected a writable folder with space "
                            "(-output_folder)",
                            temporary, strerror(err)));
  for (int k = 0; k < (dim == 2 ? 2 : 1); k++) {
    char with[64];

    PetscCall(PetscSNPrintf(with, sizeof(with), ".tmp%s", part[k]));
    PetscCall(wall_path(d, label, with, from));
    PetscCall(wall_path(d, label, part[k], to));
    if (!problem[0])
      PetscCall(RhxOutputPlace(run->output, from, to, problem));
    else if (!rank)
      (void)unlink(from);
  }
  PetscCall(RhxOutputMind(run->output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_surface(RhxFieldSeries series, const RhxDiagnosticStep *step, const RhxWall *wall)
{
  const RhxWallField field[] = {{"wall_shear_stress", 3, 0, 3, wall->wss},
                                {"shear_rate", 1, 0, 1, wall->shear},
                                {"pressure", 1, 0, 1, wall->pressure}};

  PetscFunctionBegin;
  PetscCall(RhxWallWriteSeries(wall, series, step->step, step->t, 3, field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_wall(const RhxDiagnostic *d, const char *label, const RhxWall *wall)
{
  const double D = RhxDiagnosticGetRun(d)->length;
  char file[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  PetscCall(wall_path(d, label, "", file));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  printf("  %s %s: %s", d->name, label, file);
  say_points(D, wall, "separation", wall->nsep, wall->sep);
  say_points(D, wall, "reattachment", wall->nreat, wall->reat);
  printf("\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* step: at which they are written; NULL: they are told. */
static PetscErrorCode each_wall(RhxDiagnostic *d, const RhxDiagnosticStep *step)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  Options *o = d->own;
  PetscScalar *x;
  RhxWall *wall;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  PetscCall(RhxDiagnosticFindReactions(d));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    if (!o->mesh[i]) PetscCall(RhxWallMeshCreate(run->form, d->label[i], &o->mesh[i]));
    PetscCall(RhxWallCreate(run->ts, run->form, run->bc, o->mesh[i], x, PETSC_TRUE, &wall));
    PetscCall(step ? write_wall(d, d->label[i], wall) : say_wall(d, d->label[i], wall));
    if (step && o->series) PetscCall(write_surface(o->series[i], step, wall));
    PetscCall(RhxWallDestroy(&wall));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  Options *o = d->own;

  PetscFunctionBegin;
  (void)values;
  if (RhxDiagnosticGetDimension(d) == 3 && !o->series) PetscCall(begin_series(d, o));
  PetscCall(each_wall(d, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(each_wall(d, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->series && i < d->nlabels; i++) PetscCall(RhxFieldSeriesDestroy(&o->series[i]));
  for (PetscInt i = 0; o->mesh && i < d->nlabels; i++) PetscCall(RhxWallMeshDestroy(&o->mesh[i]));
  PetscCall(PetscFree(o->series));
  PetscCall(PetscFree(o->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_wall = {
    .entry = {sizeof(RhxDiagnosticType), "wall",
              "wall shear stress (WSS), shear rate and pressure along labels, with the fields: "
              "<case>_<name>_<label>.csv, in "
              "3D surfaces too: <case>_<name>_<label>.pvd or .hdf.series"},
    .flags = RHX_DIAGNOSTIC_WITH_FIELDS,
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy};
