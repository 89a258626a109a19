/* Time-averaged wall shear stress, its gradient along the wall, oscillatory shear index and relative residence time. */
#include "diagnostics/mean_impl.h"
#include "diagnostics/near_impl.h"
#include "diagnostics/store.h"
#include "diagnostics/wall_impl.h"
#include "diagnostics/wall_surface_impl.h"
#include "output/text.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  RhxLabelOptions labels;               /* first: RhxDiagnosticSetLabels reads it */
  double start, period, offered, begun; /* begun: the run, s */
  double sampled;                       /* time of the last sample, s; RHX_NO_ROW: there is none */
  RhxTimeMean
      *mean;     /* [nlabels] of rank 0: [nodes][4] the vector and its magnitude; owned, as the arrays that follow */
  PetscBool any; /* they are written */
  RhxWallMesh **mesh;  /* [nlabels] owned */
  double (**place)[3]; /* [nlabels][nodes] of rank 0 */
  PetscInt *nfound;    /* [nlabels] rows from a checkpoint that wait for the wall, */
  double **found;      /* [nlabels][nfound][ROW] */
} Options;

/* Unless every or every_dt says: samples of a period, whose tenth harmonic errs by 1e-3 then, or of a mean that does not end, in the time from its
 * beginning on. */
#define SAMPLES 500
#define SAMPLES_WITHOUT_END 2000

enum { GRADIENT = 6, NVALUES }; /* of a node: mean vector and magnitude, OSI, RRT, WSSG */
enum { PLACE, BEFORE = 3, SUM = 7, WHOLE = 11, ROW = 15 };

static const RhxRow rows[] = {RHX_LABEL_ROW(Options, labels.label), RHX_MEAN_ROWS(Options, start, period)};

static PetscErrorCode label_suffix(const RhxDiagnostic *d, const char *label, size_t size, char *suffix)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, size, "_%s_%s.csv", d->name, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No wall is where the fluid leaves, whose traction is given, nor where nothing acts along the label. An inlet may be one through which fluid
 * passes. */
static PetscErrorCode check_wall(const RhxDiagnostic *d, const char *label)
{
  const RhxBoundary bc = RhxDiagnosticGetRun(d)->bc;
  PetscBool plane, open, shear, tight, wall;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryIsPlane(bc, label, &plane, &open));
  PetscCall(RhxBoundaryHasShear(bc, label, &shear));
  PetscCall(RhxBoundaryIsTight(bc, label, &tight, &wall));
  PetscCheck(!open && shear, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "%s: got '%s', %s, expected walls, whose shear stress is averaged", d->option, label,
             open    ? "where the fluid leaves"
             : plane ? "a plane of symmetry, without shear stress"
                     : "where there is no shear stress (free_slip)");
  if (!wall && !tight)
    PetscCall(
        PetscFPrintf(RhxDiagnosticGetComm(d), PETSC_STDERR,
                     "rheoplex: warning: %s: got '%s', which is no wall: the fluid's stress along it is averaged; "
                     "expected walls, or an inlet that stands for one through which fluid passes\n",
                     d->option, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  char suffix[512];

  PetscFunctionBegin;
  PetscCall(RhxTimeMeanCheck(d, o->period));
  o->offered = o->sampled = RHX_NO_ROW;
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, ""));
  for (PetscInt i = 0; i < d->nlabels; i++) PetscCall(check_wall(d, d->label[i]));
  PetscCall(PetscCalloc1(d->nlabels, &o->mesh));
  PetscCall(PetscCalloc4(d->nlabels, &o->mean, d->nlabels, &o->place, d->nlabels, &o->nfound, d->nlabels, &o->found));
  for (PetscInt i = 0; i < d->nlabels; i++) o->mean[i] = (RhxTimeMean){.start = o->start, .period = o->period};
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "%s_%s", d->name, d->label[i]));
    PetscCall(RhxFieldFileAdd(RhxDiagnosticGetRun(d)->output, d->maker, suffix));
    PetscCall(label_suffix(d, d->label[i], sizeof(suffix), suffix));
    PetscCall(RhxOutputAddResult(RhxDiagnosticGetRun(d)->output, d->maker, suffix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A node of a wall by its place; several at one place stay in their order along it. */
typedef struct {
  double x[3];
  PetscInt i;
} Place;

static int compare_places(const void *a, const void *b)
{
  const Place *p = a, *q = b;

  for (int k = 0; k < 3; k++)
    if (p->x[k] < q->x[k] || p->x[k] > q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
  return p->i < q->i ? -1 : p->i > q->i;
}

static PetscErrorCode sort_places(PetscInt n, size_t stride, const double *x, Place **sorted)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, sorted));
  for (PetscInt i = 0; i < n; i++) {
    (*sorted)[i].i = i;
    PetscCall(PetscArraycpy((*sorted)[i].x, x + i * stride, 3));
  }
  if (n) qsort(*sorted, (size_t)n, sizeof(**sorted), compare_places);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays of a mean from rows of a checkpoint, whose nodes may stand in another order; same: they are the wall's. */
static PetscErrorCode take_found(PetscInt n, const double (*place)[3], const double *found, RhxTimeMean *mean,
                                 PetscBool *same)
{
  Place *mine, *theirs;

  PetscFunctionBegin;
  *same = PETSC_TRUE;
  PetscCall(sort_places(n, 3, &place[0][0], &mine));
  PetscCall(sort_places(n, ROW, found, &theirs));
  for (PetscInt i = 0; i < n; i++) {
    const double *row = found + theirs[i].i * ROW;
    const PetscInt at = 4 * mine[i].i;
    for (int k = 0; k < 3; k++)
      if (mine[i].x[k] < theirs[i].x[k] || mine[i].x[k] > theirs[i].x[k]) *same = PETSC_FALSE;
    PetscCall(PetscArraycpy(mean->before + at, row + BEFORE, 4));
    PetscCall(PetscArraycpy(mean->sum + at, row + SUM, 4));
    PetscCall(PetscArraycpy(mean->whole + at, row + WHOLE, 4));
  }
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0, when the wall is seen for the first time. */
static PetscErrorCode begin_mean(const RhxDiagnostic *d, PetscInt i, const RhxWall *wall)
{
  const Options *o = d->own;
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  RhxTimeMean *mean = &o->mean[i];
  const RhxTimeMean found = *mean;
  PetscBool same = (PetscBool)(o->nfound[i] == wall->n);

  PetscFunctionBegin;
  PetscCall(RhxTimeMeanCreate(4 * wall->n, o->start, o->period, mean));
  PetscCall(PetscCalloc1(wall->n, &o->place[i]));
  for (PetscInt k = 0; k < wall->n; k++) PetscCall(PetscArraycpy(o->place[i][k], wall->x + k * dim, dim));
  mean->seen = found.seen;
  mean->from = found.from;
  if (!found.begun) PetscFunctionReturn(PETSC_SUCCESS);
  if (same) PetscCall(take_found(wall->n, (const double(*)[3])o->place[i], o->found[i], mean, &same));
  mean->begun = same;
  mean->last = found.last;
  mean->length = found.length;
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxTimeMeanReset(mean));
  RhxTimeMeanBegin(mean, o->begun);
  printf("%s: the averages of '%s' are of another wall: they begin anew\n", d->name, d->label[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_wall(PetscInt dim, const RhxWall *wall, double t, RhxTimeMean *mean)
{
  RhxNodalSample w;
  double *v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(4 * wall->n, &v));
  for (PetscInt i = 0; i < wall->n; i++) {
    for (PetscInt k = 0; k < dim; k++) v[4 * i + k] = wall->wss[i * dim + k];
    if (wall->wss_theta) v[4 * i + 2] = wall->wss_theta[i];
    v[4 * i + 3] = sqrt(v[4 * i] * v[4 * i] + v[4 * i + 1] * v[4 * i + 1] + v[4 * i + 2] * v[4 * i + 2]);
  }
  RhxTimeMeanStep(mean, t, &w);
  RhxTimeMeanSum(mean, &w, 0, mean->n, v);
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v[4] of a node, the mean of the vector and of its magnitude, becomes v[7], the last left, with
 * OSI = (1 - |mean of the vector| / mean of its magnitude) / 2, RRT = 1 / ((1 - 2 OSI) mean of the magnitude). */
static void add_indices(const double v[4], double out[NVALUES])
{
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

  for (int k = 0; k < 4; k++) out[k] = v[k];
  out[4] = v[3] > 0 ? fmax(0, 0.5 * (1 - size / v[3])) : 0; /* rounding */
  out[5] = 1 / size;
}

/* values[nodes][NVALUES] of rank 0, to be freed. */
static PetscErrorCode get_means(const RhxDiagnostic *d, PetscInt label, double **values)
{
  const Options *o = d->own;
  const RhxTimeMean *mean = &o->mean[label];
  const PetscBool axisymmetric = RhxDiagnosticGetRun(d)->form->space->axisymmetric;
  const PetscInt n = mean->n / 4;
  double *m, (*v)[3], *gradient, length;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(mean->n, &m, n, &v, n, &gradient));
  PetscCall(PetscMalloc1(n * NVALUES, values));
  RhxTimeMeanGet(mean, &length, m);
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscArraycpy(v[i], m + 4 * i, 3));
  PetscCall(RhxWallGradients(o->mesh[label], axisymmetric, (const double(*)[3])v, gradient));
  for (PetscInt i = 0; i < n; i++) {
    add_indices(m + 4 * i, *values + NVALUES * i);
    (*values)[NVALUES * i + GRADIENT] = gradient[i];
  }
  PetscCall(PetscFree3(m, v, gradient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_table(PetscInt dim, const RhxWall *wall, const double *values, RhxText *text)
{
  const PetscInt width = dim + (wall->wss_theta != NULL);

  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, dim == 2 ? "x,y,mean_x,mean_y" : "x,y,z,mean_x,mean_y,mean_z"));
  if (width > dim) PetscCall(RhxTextAppend(text, ",mean_theta"));
  PetscCall(RhxTextAppend(text, ",magnitude,osi,rrt,wssg\n"));
  for (PetscInt i = 0; i < wall->n; i++) {
    const double *v = values + NVALUES * i;
    for (PetscInt k = 0; k < dim; k++) PetscCall(RhxTextAppend(text, "%.12g,", wall->x[i * dim + k]));
    for (PetscInt k = 0; k < width; k++) PetscCall(RhxTextAppend(text, "%.12g,", v[k]));
    PetscCall(RhxTextAppend(text, "%.12g,%.12g,%.12g,%.12g\n", v[3], v[4], v[5], v[GRADIENT]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_surface(const RhxDiagnostic *d, const char *label, const RhxWall *wall, double t,
                                    const double *values)
{
  const RhxWallField field[] = {{"mean", 3, 0, NVALUES, values},
                                {"magnitude", 1, 3, NVALUES, values},
                                {"osi", 1, 4, NVALUES, values},
                                {"rrt", 1, 5, NVALUES, values},
                                {"wssg", 1, GRADIENT, NVALUES, values}};
  char name[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s_%s", d->name, label));
  PetscCall(RhxWallWriteSurface(wall, RhxDiagnosticGetRun(d)->output, name, t, 5, field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At the end of the run. */
static PetscErrorCode write_wall(RhxDiagnostic *d, PetscInt i, const RhxWall *wall, double t)
{
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  RhxText text = {0};
  double *values = NULL;
  char suffix[512];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  if (!rank) PetscCall(get_means(d, i, &values));
  if (!rank) PetscCall(write_table(dim, wall, values, &text));
  PetscCall(label_suffix(d, d->label[i], sizeof(suffix), suffix));
  PetscCall(RhxDiagnosticWriteText(d, suffix, text.s, text.n));
  PetscCall(PetscFree(text.s));
  if (dim == 3) PetscCall(write_surface(d, d->label[i], wall, t, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode each_wall(RhxDiagnostic *d, PetscInt i, const RhxDiagnosticStep *step, const RhxWall *wall)
{
  Options *o = d->own;
  RhxTimeMean kept;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  if (!rank) {
    if (!o->mean[i].before) PetscCall(begin_mean(d, i, wall));
    if (step->extra) PetscCall(RhxTimeMeanCopy(&o->mean[i], &kept));
    PetscCall(add_wall(RhxDiagnosticGetDimension(d), wall, step->t, &o->mean[i]));
  }
  if (step->last && !i)
    PetscCall(RhxTimeMeanSay(RhxDiagnosticGetComm(d), d->name, o->start, &o->mean[0], step->t, &o->any));
  if (step->last && o->any) PetscCall(write_wall(d, i, wall, step->t));
  if (!rank && step->extra) PetscCall(RhxTimeMeanReturn(&o->mean[i], &kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a sample due at t? */
static PetscErrorCode is_due(const RhxDiagnostic *d, double t, PetscBool *due)
{
  const Options *o = d->own;
  const double apart = o->period > 0 ? o->period / SAMPLES : (t - o->mean[0].from) / SAMPLES_WITHOUT_END;
  char option[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_every", d->name));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, due));
  if (!*due) *due = (PetscBool)(d->every_dt > 0 || !(t < o->sampled + apart * (1 - 1e-9)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *unused)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  Options *o = d->own;
  RhxWall *wall;
  PetscScalar *x;
  PetscBool due;
  RhxDiagnosticStep now = *step;

  PetscFunctionBegin;
  (void)unused;
  if (step->step == d->first_step) {
    o->begun = step->t;
    for (PetscInt i = 0; i < d->nlabels; i++) RhxTimeMeanBegin(&o->mean[i], step->t);
  }
  if (step->step == d->first_step) PetscFunctionReturn(PETSC_SUCCESS); /* there are no reactions yet */
  if (RhxTimeMeanIsEarly(o->start, step->t, &o->offered) && !step->last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_due(d, step->t, &due));
  if (!due && !step->last) PetscFunctionReturn(PETSC_SUCCESS);
  now.extra = (PetscBool)(step->extra || !due);
  if (!now.extra) o->sampled = step->t;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  PetscCall(RhxDiagnosticFindReactions(d));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    if (!o->mesh[i]) PetscCall(RhxWallMeshCreate(run->form, d->label[i], &o->mesh[i]));
    PetscCall(RhxWallCreate(run->ts, run->form, run->bc, o->mesh[i], x, PETSC_FALSE, &wall));
    PetscCall(each_wall(d, i, &now, wall));
    PetscCall(RhxWallDestroy(&wall));
  }
  if (step->last && !o->any) PetscCall(RhxOutputDropResults(run->output, d->maker));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: rows of what the mean of a label holds. */
static PetscErrorCode make_rows(const Options *o, PetscInt i, PetscInt n, double **rows)
{
  const RhxTimeMean *mean = &o->mean[i];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n * ROW, rows));
  for (PetscInt k = 0; k < n; k++) {
    double *row = *rows + k * ROW;
    PetscCall(PetscArraycpy(row + PLACE, o->place[i][k], 3));
    PetscCall(PetscArraycpy(row + BEFORE, mean->before + 4 * k, 4));
    PetscCall(PetscArraycpy(row + SUM, mean->sum + 4 * k, 4));
    PetscCall(PetscArraycpy(row + WHOLE, mean->whole + 4 * k, 4));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode state(RhxDiagnostic *d, RhxStore *store)
{
  Options *o = d->own;
  char what[64];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->nlabels; i++) {
    const PetscBool seen = (PetscBool)(o->mean[i].before != NULL);
    PetscInt n = seen ? o->mean[i].n / 4 : o->nfound[i];
    double *rows = seen ? NULL : o->found[i];
    RhxStoreBeginPart(store);
    PetscCall(PetscSNPrintf(what, sizeof(what), "wall_%d/mean", (int)i));
    PetscCall(RhxTimeMeanStore(&o->mean[i], store, what));
    if (!seen && o->mean[i].begun) o->sampled = o->mean[i].last; /* of a checkpoint */
    if (seen) PetscCall(make_rows(o, i, n, &rows));
    PetscCall(PetscSNPrintf(what, sizeof(what), "wall_%d/nodes", (int)i));
    PetscCall(RhxStoreRows(store, what, ROW, &n, &rows));
    PetscCall(PetscSNPrintf(what, sizeof(what), "the wall '%s'", d->label[i]));
    RhxStoreEndPart(store, what);
    if (seen) {
      PetscCall(PetscFree(rows));
      continue;
    }
    o->nfound[i] = n; /* of a checkpoint that was read, or as they were: the wall is not seen yet */
    o->found[i] = rows;
    if (RhxStoreLacks(store)) PetscCall(RhxTimeMeanReset(&o->mean[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  const Options *o = d->own;
  char suffix[512], file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (PetscInt i = 0; o->any && i < d->nlabels; i++) {
    PetscCall(label_suffix(d, d->label[i], sizeof(suffix), suffix));
    PetscCall(RhxOutputGetPath(RhxDiagnosticGetRun(d)->output, suffix, sizeof(file), file));
    PetscCall(PetscPrintf(RhxDiagnosticGetComm(d), "  %s %s: %s\n", d->name, d->label[i], file));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->mesh && i < d->nlabels; i++) PetscCall(RhxWallMeshDestroy(&o->mesh[i]));
  PetscCall(PetscFree(o->mesh));
  for (PetscInt i = 0; o->mean && i < d->nlabels; i++) {
    PetscCall(RhxTimeMeanDestroy(&o->mean[i]));
    PetscCall(PetscFree(o->place[i]));
    PetscCall(PetscFree(o->found[i]));
  }
  PetscCall(PetscFree4(o->mean, o->place, o->nfound, o->found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_wall_average = {
    .flags = RHX_DIAGNOSTIC_FROM_START,
    .entry =
        {sizeof(RhxDiagnosticType), "wall_average",
         "time-averaged wall shear stress (TAWSS), oscillatory shear index (OSI), relative residence time (RRT) and "
         "wall shear stress gradient (WSSG) along labels: "
         "<case>_<name>_<label>.csv, in 3D .vtu or .hdf too, at the end; by 500 samples of a period, or steps that are "
         "1/2000 of the time since start apart, unless every or every_dt is given"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy,
    .state = state};
