#include "app/bench.h"
#include "app/bench_copy.h"
#include "app/bench_step.h"
#include "case/case.h"
#include "device/kernels.h"
#include "form/cuda/faces.h"
#include "form/cuda/momentum.h"
#include "form/cuda/passes.h"
#include "form/cuda/plan.h"
#include "form/cuda/totals.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <petsctime.h>
#include <string.h>

typedef struct {
  int what, first, last, repeat, device;
  char arch[RHX_STRING_LENGTH];
} BenchOptions;

static const RhxRow bench_rows[] = {
    {"what", RHX_CHOICE, 0, offsetof(BenchOptions, what), "kernels", RHX_ANY, 0, 0, "kernels|steps", "",
     "the kernels one by one, of a state that is made up, or whole steps on the -device from the initial state or that "
     "of "
     "-case_restart"},
    {"first", RHX_INT, 0, offsetof(BenchOptions, first), "50", RHX_GE, 1, 0, NULL, "1", "steps before the timed ones"},
    {"last", RHX_INT, 0, offsetof(BenchOptions, last), "150", RHX_GE, 2, 0, NULL, "1", "last of the timed steps"},
    {"repeat", RHX_INT, 0, offsetof(BenchOptions, repeat), "20", RHX_GE, 3, 0, NULL, "1",
     "timed repetitions of a kernel, after two that are not"},
    {"device", RHX_CHOICE, 0, offsetof(BenchOptions, device), "cpu", RHX_ANY, 0, 0, "cpu|cuda|compile", "",
     "cpu; cuda: the device too, compared with the host; compile: the device's kernels are compiled only and their "
     "registers shown"},
    {"arch", RHX_STRING, 0, offsetof(BenchOptions, arch), "sm_90", RHX_ANY, 0, 0, NULL, "",
     "architecture that is compiled for"},
};
static const RhxOptionTable bench_table = {"bench", "bench_", PETSC_STATIC_ARRAY_LENGTH(bench_rows), bench_rows};

PetscErrorCode RhxAppBenchRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&bench_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { BENCH_RESIDUAL, BENCH_PROJECT, BENCH_DIVERGENCE, BENCH_GRADIENT, NBENCH } Kernel;
static const char *const kernel_names[] = {"residual", "project", "divergence", "gradient"};

/* Inputs and results of the kernels on both sides; host arrays are local, device arrays their copies. */
typedef struct {
  RhxForm form;
  RhxBoundary bc;
  BenchOptions opt;
  double dt;
  PetscScalar *x, *aux, *u, *phi, *out[NBENCH];
  size_t size[NBENCH];
  RhxDevice device;
  RhxFormDevice fd;
  void *dx, *daux, *du, *dphi, *dout[NBENCH], *dsource, *dclock, *dstats;
} Bench;

static PetscErrorCode host_kernel(Bench *b, Kernel k)
{
  PetscFunctionBegin;
  switch (k) {
  case BENCH_RESIDUAL:
    PetscCall(RhxFormResidual(b->form, RHX_ROWS_ALL, 0.0, b->dt, b->x, b->x, b->aux, b->out[k], NULL));
    break;
  case BENCH_PROJECT:
    PetscCall(RhxFormProject(b->form, 0.0, b->dt, b->x, b->out[k]));
    break;
  case BENCH_DIVERGENCE:
    PetscCall(RhxFormDivergence(b->form, b->u, b->out[k]));
    break;
  default:
    PetscCall(RhxFormGradient(b->form, b->phi, b->out[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode device_kernel(Bench *b, Kernel k)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceZero(b->device, b->dout[k], sizeof(PetscScalar) * b->size[k]));
  switch (k) {
  case BENCH_RESIDUAL:
    PetscCall(RhxFormDeviceResidual(b->fd, RHX_ROWS_ALL, b->dclock, b->dx, b->dx, b->daux, b->dsource, b->dout[k], NULL,
                                    RHX_NO_ZERO));
    break;
  case BENCH_PROJECT:
    PetscCall(RhxFormDeviceProject(b->fd, b->dclock, b->dx, b->dsource, b->dout[k], RHX_NO_ZERO));
    break;
  case BENCH_DIVERGENCE:
    PetscCall(RhxFormDeviceDivergence(b->fd, b->du, b->dout[k]));
    break;
  default:
    PetscCall(RhxFormDeviceGradient(b->fd, b->dphi, b->dout[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A smooth state that is neither zero nor at rest: about 1 everywhere, waves of a few elements to the whole domain. */
static PetscErrorCode make_inputs(Bench *b)
{
  const RhxSpace sp = b->form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  const size_t n = (size_t)sp->nlocal;
  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n * sp->bs, &b->x, n * PetscMax(1, b->form->naux), &b->aux, n * sp->dim, &b->u, n, &b->phi));
  PetscCall(RhxBoundaryInitialState(b->bc, 0.0, PETSC_TRUE, b->x));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, b->x, b->x));
  for (size_t i = 0; i < n; i++) {
    double phase = 0.3;
    for (PetscInt d = 0; d < sp->dim; d++) phase += (2.0 + d) * sp->x[i * sp->dim + d];
    for (PetscInt c = 0; c < sp->bs; c++) b->x[i * sp->bs + c] += 0.2 * PetscSinReal(phase * (1.0 + 0.3 * c) + c);
    for (PetscInt d = 0; d < sp->dim; d++) b->u[i * sp->dim + d] = b->x[i * sp->bs + u + d];
    b->phi[i] = b->x[i * sp->bs + p];
  }
  b->size[BENCH_RESIDUAL] = n * sp->bs;
  b->size[BENCH_PROJECT] = n * b->form->naux;
  b->size[BENCH_DIVERGENCE] = n;
  b->size[BENCH_GRADIENT] = n * sp->dim;
  for (int k = 0; k < NBENCH; k++) PetscCall(PetscCalloc1(PetscMax(1, b->size[k]), &b->out[k]));
  PetscCall(RhxFormProject(b->form, 0.0, b->dt, b->x, b->aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode open_device(Bench *b)
{
  const RhxSpace sp = b->form->space;
  const size_t n = (size_t)sp->nlocal;
  const double clock[2] = {0.0, b->dt};
  PetscLogDouble t0, t1;
  PetscFunctionBegin;
  PetscCall(RhxDeviceOpen(b->form->comm, &b->device));
  PetscCall(PetscTime(&t0));
  PetscCall(RhxFormDeviceCreate(b->form, b->device, b->form->needs_rate, (PetscBool)(b->form->source != NULL), &b->fd));
  PetscCall(PetscTime(&t1));
  PetscCall(PetscPrintf(b->form->comm, "device program ready in %.3f s\n", t1 - t0));
  PetscCall(RhxFormDeviceView(b->fd, PETSC_VIEWER_STDOUT_(b->form->comm)));
  PetscCall(RhxDeviceUpload(b->device, b->x, sizeof(double) * n * sp->bs, "the state", &b->dx));
  PetscCall(RhxDeviceUpload(b->device, b->aux, sizeof(double) * n * b->form->naux, "the auxiliary fields", &b->daux));
  PetscCall(RhxDeviceUpload(b->device, b->u, sizeof(double) * n * sp->dim, "the velocity", &b->du));
  PetscCall(RhxDeviceUpload(b->device, b->phi, sizeof(double) * n, "the potential", &b->dphi));
  PetscCall(RhxDeviceUpload(b->device, clock, sizeof(double) * 2, "the clock", &b->dclock));
  PetscCall(RhxDeviceMalloc(b->device, sizeof(RhxFormStats), "the rates", &b->dstats));
  if (b->form->source)
    PetscCall(RhxDeviceUpload(b->device, b->form->source, sizeof(double) * n * sp->bs, "the sources", &b->dsource));
  for (int k = 0; k < NBENCH; k++)
    PetscCall(RhxDeviceMalloc(b->device, sizeof(PetscScalar) * b->size[k], "a result", &b->dout[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Assembly by owner gives the same bits again. */
static PetscErrorCode check_repeats(Bench *b, Kernel k, const PetscScalar *first)
{
  PetscScalar *again;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->size[k], &again));
  PetscCall(device_kernel(b, k));
  PetscCall(RhxDeviceCopy(b->device, again, b->dout[k], sizeof(*again) * b->size[k], RHX_COPY_TO_HOST));
  PetscCheck(!memcmp(first, again, sizeof(*again) * b->size[k]), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Assembly by owner is not deterministic: got two results of %s that differ, expected the same bits",
             kernel_names[k]);
  PetscCall(PetscFree(again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference between host and device over the largest host value, this rank. */
static PetscErrorCode compare(Bench *b, Kernel k, double *difference)
{
  PetscScalar *got;
  double scale = 0.0;
  PetscFunctionBegin;
  *difference = 0.0;
  PetscCall(PetscMalloc1(b->size[k], &got));
  PetscCall(device_kernel(b, k));
  PetscCall(RhxDeviceCopy(b->device, got, b->dout[k], sizeof(*got) * b->size[k], RHX_COPY_TO_HOST));
  if (b->form->assembly == RHX_ASSEMBLY_OWNER) PetscCall(check_repeats(b, k, got));
  PetscCall(host_kernel(b, k));
  for (size_t i = 0; i < b->size[k]; i++) {
    const double d = PetscAbsScalar(got[i] - b->out[k][i]);
    if (!(d <= *difference)) *difference = d;
    scale = PetscMax(scale, PetscAbsScalar(b->out[k][i]));
  }
  *difference /= scale;
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest relative difference between the rates and times of host and device, this rank. */
static PetscErrorCode compare_stats(Bench *b, double *difference)
{
  RhxFormStats host, device;
  const double *h = (const double *)&host, *d = (const double *)&device;
  PetscFunctionBegin;
  PetscCall(RhxDeviceZero(b->device, b->dstats, sizeof(device)));
  PetscCall(RhxFormDeviceResidual(b->fd, RHX_ROWS_ALL, b->dclock, b->dx, b->dx, b->daux, b->dsource,
                                  b->dout[BENCH_RESIDUAL], b->dstats, RHX_NO_ZERO));
  PetscCall(RhxDeviceCopy(b->device, &device, b->dstats, sizeof(device), RHX_COPY_TO_HOST));
  PetscCall(RhxFormResidual(b->form, RHX_ROWS_ALL, 0.0, b->dt, b->x, b->x, b->aux, b->out[BENCH_RESIDUAL], &host));
  *difference = 0.0;
  for (size_t i = 0; i < sizeof(host) / sizeof(double); i++) {
    const double e = h[i] == d[i] ? 0.0 : PetscAbsReal(h[i] - d[i]) / PetscAbsReal(h[i]);
    if (!(e <= *difference)) *difference = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode time_kernel(Bench *b, Kernel k, PetscBool on_device, double *seconds)
{
  PetscFunctionBegin;
  for (int i = -2; i < b->opt.repeat; i++) {
    PetscLogDouble t0, t1;
    double ms;
    if (on_device) {
      PetscCall(RhxDeviceTimerBegin(b->device));
      PetscCall(device_kernel(b, k));
      PetscCall(RhxDeviceTimerEnd(b->device, &ms));
      if (i >= 0) seconds[i] = 1e-3 * ms;
    } else {
      PetscCallMPI(MPI_Barrier(b->form->comm));
      PetscCall(PetscTime(&t0));
      PetscCall(host_kernel(b, k));
      PetscCallMPI(MPI_Barrier(b->form->comm));
      PetscCall(PetscTime(&t1));
      if (i >= 0) seconds[i] = t1 - t0;
    }
  }
  PetscCall(PetscSortReal(b->opt.repeat, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that a kernel must move at least: state, result, connectivity and positions, each once. */
static double model_bytes(const Bench *b, Kernel k)
{
  const RhxSpace sp = b->form->space;
  const double node = sizeof(PetscScalar) * (double)sp->nlocal;
  double bytes = node * (double)b->size[k] / (double)sp->nlocal;
  for (PetscInt t = 0; t < sp->ntypes; t++)
    bytes += (double)sp->cells[t].n * sp->cells[t].nn * (sizeof(PetscInt) + sizeof(PetscReal) * sp->dim);
  bytes += node * (k == BENCH_DIVERGENCE ? sp->dim : k == BENCH_GRADIENT ? 1 : sp->bs);
  if (k == BENCH_RESIDUAL) bytes += node * b->form->naux + (b->form->needs_rate ? node * sp->bs : 0.0);
  return bytes;
}

static PetscErrorCode report(Bench *b, const char *name, Kernel k, const char *device, const double *seconds,
                             double difference)
{
  const RhxSpace sp = b->form->space;
  const double median = seconds[b->opt.repeat / 2];
  char extra[64] = "";
  PetscMPIInt size;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sp->comm, &size));
  if (difference >= 0.0) PetscCall(PetscSNPrintf(extra, sizeof(extra), ", \"difference\": %.2e", difference));
  PetscCall(PetscPrintf(
      sp->comm,
      "{\"case\": \"%s\", \"kernel\": \"%s\", \"nodes\": %" PetscInt_FMT ", \"unknowns\": %" PetscInt_FMT
      ", \"ranks\": %d, \"device\": \"%s\", \"median_us\": %.3f, \"min_us\": %.3f, \"max_us\": %.3f, \"us_per_node\": "
      "%.5f, \"model_GB_per_s\": %.1f%s}\n",
      name, kernel_names[k], sp->nglobal, sp->nglobal * sp->bs, size, device, 1e6 * median, 1e6 * seconds[0],
      1e6 * seconds[b->opt.repeat - 1], 1e6 * median / sp->nglobal, 1e-9 * model_bytes(b, k) / median, extra));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode time_all(Bench *b, const char *name)
{
  double *seconds, difference;
  const RhxDeviceState *state = NULL;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->opt.repeat, &seconds));
  if (b->device) PetscCall(RhxDeviceGetState(b->device, &state));
  for (int k = 0; k < NBENCH; k++) {
    if (!b->size[k]) continue;
    PetscCall(time_kernel(b, (Kernel)k, PETSC_FALSE, seconds));
    PetscCall(report(b, name, (Kernel)k, "cpu", seconds, -1.0));
    if (!b->device) continue;
    PetscCall(compare(b, (Kernel)k, &difference));
    PetscCall(time_kernel(b, (Kernel)k, PETSC_TRUE, seconds));
    PetscCall(report(b, name, (Kernel)k, state->name, seconds, difference));
    PetscCheck(difference <= 1e-10, b->form->comm, PETSC_ERR_PLIB,
               "Host and device differ in %s: got %g relative, expected at most 1e-10", kernel_names[k], difference);
  }
  PetscCall(PetscFree(seconds));
  if (b->device) {
    PetscCall(
        RhxAppBenchCopy(b->form->comm, b->device, name, b->dx, sizeof(*b->x) * b->size[BENCH_RESIDUAL], b->opt.repeat));
    PetscCall(compare_stats(b, &difference));
    PetscCheck(difference <= 1e-10, b->form->comm, PETSC_ERR_PLIB,
               "Host and device differ in the largest rates: got %g relative, expected at most 1e-10", difference);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A program of a run; shown, or only begun. */
static PetscErrorCode show(Bench *b, RhxDeviceBinary *binary)
{
  PetscFunctionBegin;
  if (!binary) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceBinaryView(binary, PETSC_VIEWER_STDOUT_(b->form->comm)));
  PetscCall(RhxDeviceBinaryFree(binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The programs of a run on the device; NULL: only begun. */
static PetscErrorCode compile_all(Bench *b, RhxDeviceBinary *binary)
{
  const char *const arch = b->opt.arch;
  const PetscBool rate = b->form->needs_rate, source = (PetscBool)(b->form->source != NULL);
  const char *const solver[] = {"-DRHX_WHILE=1", "-DRHX_RANKS=0", "-split-compile=8", NULL};
  RhxElementPlan plan;
  PetscFunctionBegin;
  for (PetscInt t = 0; t < b->form->space->ntypes; t++) {
    const RhxCells *cells = &b->form->space->cells[t];
    if (binary) {
      PetscCall(RhxFormDeviceCompile(b->form, cells, arch, rate, source, &plan, binary));
      PetscCall(RhxElementPlanView(b->form, cells, &plan, PETSC_VIEWER_STDOUT_(b->form->comm)));
      PetscCall(show(b, binary));
    }
    PetscCall(RhxFacesDeviceCompile(b->form, cells, arch, rate, source, binary));
    PetscCall(show(b, binary));
    PetscCall(RhxFormMomentumCompile(b->form, RHX_GROUP_VELOCITY, cells, arch, binary));
    PetscCall(show(b, binary));
    if (b->form->nmodes) PetscCall(RhxFormMomentumCompile(b->form, RHX_GROUP_MODES, cells, arch, binary));
    if (b->form->nmodes) PetscCall(show(b, binary));
    PetscCall(RhxFormTotalsCompile(b->form, cells, arch, binary));
    PetscCall(show(b, binary));
  }
  for (int k = 0; k < (b->form->nmodes ? 3 : 2); k++) {
    PetscCall(RhxOpsCompile(b->form, (RhxNodalProgram)k, PETSC_FALSE, arch, binary));
    PetscCall(show(b, binary));
  }
  PetscCall(RhxDeviceKernelsCompile(b->form->comm, arch, "kernels/exchange.cuh", NULL, binary));
  PetscCall(show(b, binary));
  PetscCall(RhxDeviceKernelsCompile(b->form->comm, arch, "kernels/solver.cuh", solver, binary));
  PetscCall(show(b, binary));
  if (!binary) PetscCall(RhxElementPlansBegin(b->form, arch, rate, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compile_only(Bench *b)
{
  RhxDeviceBinaryCount made;
  RhxDeviceBinary binary;
  PetscFunctionBegin;
  PetscCall(compile_all(b, NULL));
  PetscCall(compile_all(b, &binary));
  PetscCall(RhxDeviceBinariesMade(&made));
  PetscCall(PetscPrintf(b->form->comm, "%" PetscInt_FMT " programs compiled, %" PetscInt_FMT " from the cache\n",
                        made.compiled, made.cached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Bench *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(b->x, b->aux, b->u, b->phi));
  for (int k = 0; k < NBENCH; k++) PetscCall(PetscFree(b->out[k]));
  if (b->device) {
    void *const all[] = {b->dx, b->daux, b->du, b->dphi, b->dsource, b->dclock, b->dstats};
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(RhxDeviceFree(b->device, all[i]));
    for (int k = 0; k < NBENCH; k++) PetscCall(RhxDeviceFree(b->device, b->dout[k]));
    PetscCall(RhxFormDeviceDestroy(&b->fd));
    PetscCall(RhxDeviceClose(&b->device));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppBench(const char *word)
{
  Bench b = {0};
  RhxDeviceState state;
  RhxCase rc;
  const char *name;
  PetscLogDouble t0, t1;
  PetscBool restart;
  PetscFunctionBegin;
  (void)word;
  PetscCall(PetscTime(&t0));
  PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &bench_table, NULL, &b.opt));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-case_restart", &restart));
  PetscCheck(b.opt.what || !restart, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-case_restart: got it with -bench_what kernels, whose state is made up, expected -bench_what steps");
  if (!b.opt.what) PetscCall(PetscOptionsSetValue(NULL, "-device", "cpu")); /* kernels run outside of the scheme */
  if (b.opt.device) PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));     /* reads the options of the device */
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(PetscTime(&t1));
  if (b.opt.what) {
    PetscCall(RhxAppBenchSteps(rc, b.opt.first, b.opt.last, t1 - t0));
    PetscCall(RhxCaseDestroy(&rc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxCaseGetForm(rc, &b.form));
  PetscCall(RhxCaseGetBoundary(rc, &b.bc));
  PetscCall(RhxCaseGetName(rc, &name));
  b.dt = 1e-3;
  PetscCall(RhxFormDropFaceTerms(b.form));
  PetscCall(make_inputs(&b));
  if (b.opt.device == 2)
    PetscCall(compile_only(&b));
  else {
    if (b.opt.device == 1) PetscCall(open_device(&b));
    PetscCall(time_all(&b, name));
  }
  PetscCall(destroy(&b));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
