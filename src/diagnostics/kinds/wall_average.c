/* Time-averaged wall shear stress, oscillatory shear index and relative residence time. */
#include "diagnostics/mean.h"
#include "diagnostics/named.h"
#include "diagnostics/wall_surface.h"
#include "output/text.h"
#include <math.h>
#include <stddef.h>

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  double start, period;
  RhxTimeMean *mean; /* [nlabels] of rank 0: [nodes][4] the vector and its magnitude; owned */
} Options;

static const RhxRow rows[] = {RHX_LABEL_ROW(Options, labels.label), RHX_MEAN_ROWS(Options, start, period)};

static PetscErrorCode label_suffix(const RhxDiagnostic *d, const char *label, const char *ending, size_t size,
                                   char *suffix)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, size, "_%s_%s.%s", d->name, label, ending));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  char suffix[512];

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, ""));
  PetscCall(PetscCalloc1(d->nlabels, &o->mean));
  for (PetscInt i = 0; i < 2 * d->nlabels; i++) {
    PetscCall(label_suffix(d, d->label[i / 2], i % 2 ? "vtu" : "csv", sizeof(suffix), suffix));
    PetscCall(RhxOutputAddResult(RhxDiagnosticGetRun(d)->output, suffix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_wall(const Options *o, PetscInt dim, const RhxWall *wall, double t, RhxTimeMean *mean)
{
  double *v;

  PetscFunctionBegin;
  if (!mean->before) PetscCall(RhxTimeMeanCreate(4 * wall->n, o->start, o->period, mean));
  PetscCall(PetscCalloc1(4 * wall->n, &v));
  for (PetscInt i = 0; i < wall->n; i++) {
    for (PetscInt k = 0; k < dim; k++) v[4 * i + k] = wall->wss[i * dim + k];
    v[4 * i + 3] = sqrt(v[4 * i] * v[4 * i] + v[4 * i + 1] * v[4 * i + 1] + v[4 * i + 2] * v[4 * i + 2]);
  }
  PetscCall(RhxTimeMeanAdd(mean, t, v));
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v[4] of a node, the mean of the vector and of its magnitude, becomes v[6] with
 * OSI = (1 - |mean of the vector| / mean of its magnitude) / 2, RRT = 1 / ((1 - 2 OSI) mean of the magnitude). */
static void add_indices(const double v[4], double out[6])
{
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

  for (int k = 0; k < 4; k++) out[k] = v[k];
  out[4] = v[3] > 0 ? 0.5 * (1 - size / v[3]) : 0;
  out[5] = 1 / size;
}

/* values[nodes][6] of rank 0, to be freed. */
static PetscErrorCode get_means(const RhxTimeMean *mean, double **values)
{
  double *m, length;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mean->n, &m));
  PetscCall(PetscMalloc1(mean->n / 4 * 6, values));
  RhxTimeMeanGet(mean, &length, m);
  for (PetscInt i = 0; i < mean->n / 4; i++) add_indices(m + 4 * i, *values + 6 * i);
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_table(PetscInt dim, const RhxWall *wall, const double *values, RhxText *text)
{
  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, dim == 2 ? "x,y,mean_x,mean_y" : "x,y,z,mean_x,mean_y,mean_z"));
  PetscCall(RhxTextAppend(text, ",magnitude,osi,rrt\n"));
  for (PetscInt i = 0; i < wall->n; i++) {
    const double *v = values + 6 * i;
    for (PetscInt k = 0; k < dim; k++) PetscCall(RhxTextAppend(text, "%.12g,", wall->x[i * dim + k]));
    for (PetscInt k = 0; k < dim; k++) PetscCall(RhxTextAppend(text, "%.12g,", v[k]));
    PetscCall(RhxTextAppend(text, "%.12g,%.12g,%.12g\n", v[3], v[4], v[5]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_surface(const RhxDiagnostic *d, const char *label, const RhxWall *wall, double t,
                                    const double *values)
{
  const RhxWallField field[] = {
      {"mean", 3, 0, 6, values}, {"magnitude", 1, 3, 6, values}, {"osi", 1, 4, 6, values}, {"rrt", 1, 5, 6, values}};
  const RhxOutput output = RhxDiagnosticGetRun(d)->output;
  char suffix[512], file[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE];

  PetscFunctionBegin;
  PetscCall(label_suffix(d, label, "vtu", sizeof(suffix), suffix));
  PetscCall(RhxOutputGetPath(output, suffix, sizeof(file), file));
  PetscCall(RhxWallWriteSurface(wall, output, file, t, 4, field, problem));
  PetscCall(RhxOutputMind(output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At the end of the run. */
static PetscErrorCode write_wall(RhxDiagnostic *d, PetscInt i, const RhxWall *wall, double t)
{
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  const Options *o = d->own;
  RhxText text = {0};
  double *values = NULL;
  char suffix[512];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  if (!rank) PetscCall(get_means(&o->mean[i], &values));
  if (!rank) PetscCall(write_table(dim, wall, values, &text));
  PetscCall(label_suffix(d, d->label[i], "csv", sizeof(suffix), suffix));
  PetscCall(RhxDiagnosticWriteText(d, suffix, text.s, text.n));
  PetscCall(PetscFree(text.s));
  if (dim == 3) PetscCall(write_surface(d, d->label[i], wall, t, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *unused)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  Options *o = d->own;
  RhxWall *wall;
  PetscBool any = PETSC_FALSE;
  PetscMPIInt rank;
  Vec x;

  PetscFunctionBegin;
  (void)unused;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  PetscCall(RhxDiagnosticGetState(d, &x));
  PetscCall(RhxSchemeFindReactions(run->ts));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(RhxWallCreate(run->ts, run->form, d->label[i], x, &wall));
    if (!rank) PetscCall(add_wall(o, dim, wall, step->t, &o->mean[i]));
    if (step->last && !i)
      PetscCall(RhxTimeMeanSay(RhxDiagnosticGetComm(d), d->name, o->start, &o->mean[0], step->t, &any));
    if (any) PetscCall(write_wall(d, i, wall, step->t));
    PetscCall(RhxWallDestroy(&wall));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->mean && i < d->nlabels; i++) PetscCall(RhxTimeMeanDestroy(&o->mean[i]));
  PetscCall(PetscFree(o->mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_wall_average = {
    .entry = {sizeof(RhxDiagnosticType), "wall_average",
              "time-averaged wall shear stress, oscillatory shear index and relative residence time along labels: "
              "<case>_<name>_<label>.csv, in 3D .vtu too, at the end"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
