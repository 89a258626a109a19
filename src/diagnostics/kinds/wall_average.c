/* Time-averaged wall shear stress, oscillatory shear index and relative residence time. */
#include "diagnostics/mean.h"
#include "diagnostics/named.h"
#include "output/text.h"
#include <math.h>
#include <stddef.h>

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  double start, period;
  RhxTimeMean *mean; /* [nlabels] of rank 0: [nodes][4] the vector and its magnitude; owned */
} Options;

static const RhxRow rows[] = {RHX_LABEL_ROW(Options, labels.label), RHX_MEAN_ROWS(Options, start, period)};

static PetscErrorCode label_suffix(const RhxDiagnostic *d, const char *label, size_t size, char *suffix)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, size, "_%s_%s.csv", d->name, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  char suffix[512];

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, ""));
  PetscCall(PetscCalloc1(d->nlabels, &o->mean));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(label_suffix(d, d->label[i], sizeof(suffix), suffix));
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

/* OSI = (1 - |mean of the vector| / mean of its magnitude) / 2, RRT = 1 / ((1 - 2 OSI) mean of the magnitude). */
static PetscErrorCode write_wall(PetscInt dim, const RhxWall *wall, const RhxTimeMean *mean, RhxText *text)
{
  double *m, length;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mean->n, &m));
  RhxTimeMeanGet(mean, &length, m);
  PetscCall(RhxTextAppend(text, dim == 2 ? "x,y,mean_x,mean_y" : "x,y,z,mean_x,mean_y,mean_z"));
  PetscCall(RhxTextAppend(text, ",magnitude,osi,rrt\n"));
  for (PetscInt i = 0; i < wall->n; i++) {
    const double *v = m + 4 * i, size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (PetscInt k = 0; k < dim; k++) PetscCall(RhxTextAppend(text, "%.12g,", wall->x[i * dim + k]));
    for (PetscInt k = 0; k < dim; k++) PetscCall(RhxTextAppend(text, "%.12g,", v[k]));
    PetscCall(RhxTextAppend(text, "%.12g,%.12g,%.12g\n", v[3], v[3] > 0 ? 0.5 * (1 - size / v[3]) : 0, 1 / size));
  }
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *unused)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  Options *o = d->own;
  RhxText text;
  RhxWall *wall;
  char suffix[512];
  PetscMPIInt rank;
  Vec x;

  PetscFunctionBegin;
  (void)unused;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  PetscCall(RhxDiagnosticGetState(d, &x));
  PetscCall(RhxSchemeFindReactions(run->ts));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    text = (RhxText){0};
    PetscCall(RhxWallCreate(run->ts, run->form, d->label[i], x, &wall));
    if (!rank) PetscCall(add_wall(o, dim, wall, step->t, &o->mean[i]));
    if (!rank && step->last) PetscCall(write_wall(dim, wall, &o->mean[i], &text));
    PetscCall(RhxWallDestroy(&wall));
    PetscCall(label_suffix(d, d->label[i], sizeof(suffix), suffix));
    if (step->last) PetscCall(RhxDiagnosticWriteText(d, suffix, text.s, text.n));
    PetscCall(PetscFree(text.s));
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
              "<case>_<name>_<label>.csv at the end"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
