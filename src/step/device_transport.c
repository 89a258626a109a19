#include "device/kernels.h"
#include "form/cuda/momentum.h"
#include "kernels/implicit.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "step/device_impl.h"
#include "step/device_transport_impl.h"
#include "step/tolerances.h"

#define FIRST_BATCH 4 /* iterations before the host looks, at first; later as many as the last solve took, then */
#define NEXT_BATCH 2  /* so many at a time */

_Static_assert((int)KSP_CONVERGED_RTOL == RHX_BY_RTOL && (int)KSP_CONVERGED_ATOL == RHX_BY_ATOL &&
                   (int)KSP_DIVERGED_ITS == RHX_BY_ITERATIONS && (int)KSP_DIVERGED_DTOL == RHX_BY_DTOL &&
                   (int)KSP_DIVERGED_BREAKDOWN == RHX_BY_BREAKDOWN && (int)KSP_DIVERGED_NANORINF == RHX_BY_NAN,
               "reasons of PETSc");

typedef enum {
  FREE,
  FILL,
  DIAGONAL,
  INVERT,
  START,
  DIRECTION,
  PRODUCT,
  HALF,
  WHOLE,
  DOTS,
  NUMBERS,
  RATE,
  MODE_RHS,
  INFLOW,
  MODE_END,
  NKERNELS
} Kernel;
static const char *const kernel_name[] = {"free",           "fill",         "diagonal",  "invert",      "stab_start",
                                          "stab_direction", "stab_product", "stab_half", "stab_whole",  "stab_dots",
                                          "stab_numbers",   "mode_rate",    "mode_rhs",  "mode_inflow", "mode_end"};

/* Pointers are to device memory unless said otherwise. */
struct _p_RhxStepTransport {
  RhxFieldGroup group;
  int first;               /* component that what is solved for begins with, in the node block */
  PetscInt width, mode;    /* components; which mode it is at present */
  PetscInt nsolves, which; /* solves in a step, two a mode; the present one */
  RhxFormMomentum elements;
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS];
  RhxMassRows A;                                   /* graph of the mass, borrowed; values owned */
  void *hoop;                                      /* [nlocal] this rank's part of H (form/host/momentum.h), or NULL */
  void *place, *inverse;                           /* [nlocal] of the diagonal in A; its inverse in owned nodes */
  void *b, *r, *shadow, *p, *v, *s, *t, *solution; /* [nlocal][width] */
  void *rate;                                      /* [nlocal][width] of a mode, or NULL */
  void *part, *ticket, *state;                     /* of kernels/implicit.cuh */
  RhxLink link;
  PetscMPIInt rank, size, *count, *begin; /* host: of the sums */
  void *sums;                             /* [size][RHX_DOTS] */
  RhxStabGoals goals;
  RhxStabState *told;      /* host memory, [nsolves]: the ends of the last solves */
  unsigned long long loop; /* of the graph being recorded, or 0 */
};

static PetscErrorCode run(RhxOps ops, RhxStepTransport tr, Kernel kernel, PetscInt threads, void **arguments)
{
  const unsigned blocks = (unsigned)((threads + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(ops->device, tr->kernel[kernel], (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                      arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportGetProgram(RhxStepTransport tr, RhxDeviceProgram *program)
{
  PetscFunctionBegin;
  *program = tr->program;
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxTransportVectors RhxStepTransportGetVectors(RhxStepTransport tr)
{
  return (RhxTransportVectors){.b = tr->b, .solution = tr->solution, .state = tr->state};
}

/* ---- Options ---- */

/* What PETSc's solvers on the host have and this one has not. */
static PetscErrorCode refuse_others(RhxForm form, RhxFieldGroup group)
{
  static const char *const given[] = {"-ksp_type", "-pc_type"}; /* what there is: read, and so not left */
  char lacks[512], value[64];
  PetscFunctionBegin;
  PetscCall(RhxTransportDeviceLacks(group, sizeof(lacks), lacks));
  if (lacks[0]) PetscCall(RhxFormAsk(form, RHX_ASK_MOMENTUM_SOLVER, lacks, ""));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(given); k++)
    PetscCall(PetscOptionsGetString(NULL, RhxTransportPrefix(group), given[k], value, sizeof(value), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_goals(RhxForm form, RhxFieldGroup group, RhxStabGoals *goal)
{
  const char *prefix = RhxTransportPrefix(group);
  PetscReal relative = 1e-4, absolute = 1e-50, divergence = 1e4;
  PetscInt most = RHX_TRANSPORT_ITERATIONS;
  PetscFunctionBegin;
  PetscCall(RhxTolerancesCheck(form->comm, prefix));
  PetscCall(PetscOptionsGetReal(NULL, prefix, "-ksp_rtol", &relative, NULL));
  PetscCall(PetscOptionsGetReal(NULL, prefix, "-ksp_atol", &absolute, NULL));
  PetscCall(PetscOptionsGetReal(NULL, prefix, "-ksp_divtol", &divergence, NULL));
  PetscCall(PetscOptionsGetInt(NULL, prefix, "-ksp_max_it", &most, NULL));
  *goal = (RhxStabGoals){.relative = relative, .absolute = absolute, .divergence = divergence, .most = (int)most};
  PetscCall(refuse_others(form, group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportCheckOptions(RhxForm form, RhxFieldGroup group)
{
  RhxStabGoals goals;
  PetscFunctionBegin;
  PetscCall(read_goals(form, group, &goals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode make_program(RhxOps ops, const char *const *options, RhxStepTransport tr)
{
  const int n = tr->group == RHX_GROUP_MODES ? NKERNELS : RATE;
  char name[64];
  PetscFunctionBegin;
  PetscCall(RhxDeviceKernelsCreate(ops->device, RHX_STEP_IMPLICIT, options, &tr->program));
  for (int k = 0; k < n; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_%s", kernel_name[k]));
    PetscCall(RhxDeviceProgramGetFunction(tr->program, name, &tr->kernel[k]));
    PetscCall(RhxDeviceFunctionPreferShared(tr->kernel[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_matrix(RhxOps ops, RhxStepTransport tr)
{
  const RhxNodeGraph *graph = &ops->form->consistent.graph;
  PetscInt *place;
  PetscFunctionBegin;
  PetscCall(RhxFormMomentumCreate(ops->form, ops->device, tr->group, &tr->elements));
  tr->A = ((RhxStepDevice)ops->data)->mass;
  tr->A.value = NULL;
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(double) * graph->start[graph->n], "the matrix of momentum",
                            (void **)&tr->A.value));
  if (ops->form->axisymmetric && tr->group == RHX_GROUP_VELOCITY)
    PetscCall(RhxDeviceMalloc(ops->device, sizeof(double) * graph->n, "the hoop of momentum", &tr->hoop));
  PetscCall(PetscMalloc1(graph->n, &place));
  for (PetscInt i = 0; i < graph->n; i++) place[i] = RhxNodeGraphFind(graph, i, i);
  PetscCall(RhxDeviceUpload(ops->device, place, sizeof(*place) * graph->n, "the matrix of momentum", &tr->place));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_vectors(RhxOps ops, RhxStepTransport tr)
{
  const size_t n = sizeof(double) * (size_t)ops->form->space->nlocal, wide = n * tr->width;
  const PetscBool modes = (PetscBool)(tr->group == RHX_GROUP_MODES);
  void **const vector[] = {&tr->b, &tr->r, &tr->shadow, &tr->p, &tr->v, &tr->s, &tr->t, &tr->solution};
  PetscFunctionBegin;
  PetscCall(RhxDeviceRequire(ops->device, (modes ? 9 : 8) * wide + n,
                             modes ? "the vectors of implicit transport" : "the vectors of implicit momentum"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(vector); k++)
    PetscCall(RhxDeviceMalloc(ops->device, wide, "the vectors of momentum", vector[k]));
  if (modes) PetscCall(RhxDeviceMalloc(ops->device, wide, "the rate of a mode", &tr->rate));
  PetscCall(RhxDeviceMalloc(ops->device, n, "the diagonal of momentum", &tr->inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank has RHX_DOTS sums. */
static PetscErrorCode make_sums(RhxOps ops, RhxStepTransport tr)
{
  const size_t part = sizeof(double) * RHX_DOTS * RHX_STEP_MAX_BLOCKS;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(ops->form->comm, &tr->rank));
  PetscCallMPI(MPI_Comm_size(ops->form->comm, &tr->size));
  PetscCall(RhxLinkGet(ops->device, ops->form->comm, &tr->link));
  PetscCall(RhxLinkMalloc(tr->link, sizeof(double) * RHX_DOTS * tr->size, "sums of momentum", &tr->sums));
  PetscCall(PetscMalloc2(tr->size, &tr->count, tr->size, &tr->begin));
  for (PetscMPIInt k = 0; k < tr->size; k++) {
    tr->count[k] = RHX_DOTS;
    tr->begin[k] = RHX_DOTS * k;
  }
  PetscCall(RhxDeviceMalloc(ops->device, part, "partial results", &tr->part));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(unsigned), "partial results", &tr->ticket));
  PetscCall(RhxDeviceZero(ops->device, tr->ticket, sizeof(unsigned)));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(RhxStabState), "scalars of momentum", &tr->state));
  PetscCall(RhxDeviceMallocHost(ops->device, sizeof(RhxStabState) * tr->nsolves, (void **)&tr->told));
  for (PetscInt k = 0; k < tr->nsolves; k++) tr->told[k].iterations = FIRST_BATCH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportCreate(RhxOps ops, RhxFieldGroup group, const char *const *options,
                                      RhxStepTransport *transport)
{
  const RhxSpace sp = ops->form->space;
  const PetscBool modes = (PetscBool)(group == RHX_GROUP_MODES);
  RhxStepTransport tr;
  PetscFunctionBegin;
  PetscCall(PetscNew(transport));
  tr = *transport;
  tr->group = group;
  tr->first = (int)RhxFieldsStart(sp->fields, group);
  tr->width = modes ? sp->ntens : sp->dim;
  tr->nsolves = modes ? 2 * sp->nmodes : 1;
  PetscCall(read_goals(ops->form, group, &tr->goals));
  PetscCall(make_program(ops, options, tr));
  PetscCall(make_matrix(ops, tr));
  PetscCall(make_vectors(ops, tr));
  PetscCall(make_sums(ops, tr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportDestroy(RhxOps ops, RhxStepTransport *transport)
{
  RhxStepTransport tr = *transport;
  PetscFunctionBegin;
  if (!tr) PetscFunctionReturn(PETSC_SUCCESS);
  void *const owned[] = {
      (void *)tr->A.value, tr->hoop, tr->place, tr->inverse, tr->b,    tr->r, tr->shadow, tr->p, tr->v, tr->s, tr->t,
      tr->solution,        tr->rate, tr->part,  tr->ticket,  tr->state};
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree(ops->device, owned[i]));
  PetscCall(RhxDeviceFreeHost(ops->device, tr->told));
  if (tr->link) PetscCall(RhxLinkFree(tr->link, tr->sums));
  if (tr->link) PetscCall(RhxLinkRestore(&tr->link));
  PetscCall(PetscFree2(tr->count, tr->begin));
  PetscCall(RhxFormMomentumDestroy(&tr->elements));
  PetscCall(RhxDeviceProgramDestroy(&tr->program));
  PetscCall(PetscFree(*transport));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Vectors ---- */

static PetscErrorCode remove_normal(RhxOps ops, RhxStepTransport tr, void *v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  PetscFunctionBegin;
  if (d->planes && tr->group == RHX_GROUP_VELOCITY) PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, tr->width, v));
  if (d->planes && tr->group == RHX_GROUP_MODES) PetscCall(RhxBoundaryDeviceRemoveShear(d->bc, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportKeepFree(RhxOps ops, RhxStepTransport tr, void *scale, void *v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(run(ops, tr, FREE, n * tr->width, RHX_ARGUMENTS(&n, &tr->first, &d->given, &scale, &v)));
  PetscCall(remove_normal(ops, tr, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The solver ---- */

/* Sums of (a, b), (a, a), (b, b) of all ranks, and the numbers that follow. */
static PetscErrorCode sum(RhxOps ops, RhxStepTransport tr, int at, void *a, void *b)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned, ranks = tr->size;
  void *mine = (double *)tr->sums + tr->begin[tr->rank];
  RhxStabState *told = tr->told + tr->which;
  PetscFunctionBegin;
  PetscCall(run(ops, tr, DOTS, (PetscInt)d->nblocks * RHX_STEP_THREADS,
                RHX_ARGUMENTS(&n, &a, &b, &tr->part, &tr->ticket, &mine)));
  if (tr->size > 1) PetscCall(RhxLinkGather(tr->link, RHX_EXCHANGE_DOUBLE, tr->count, tr->begin, tr->sums));
  PetscCall(RhxDeviceLaunchOverlapped(ops->device, tr->kernel[NUMBERS], (RhxLaunch){{1}, {1}, 0},
                                      RHX_ARGUMENTS(&at, &ranks, &tr->goals, &tr->loop, &tr->sums, &tr->state, &told)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = D^-1 P A x, P as in transport.c */
static PetscErrorCode multiply(RhxOps ops, RhxStepTransport tr, void *x, void *y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  void *scale = d->serial ? tr->inverse : NULL;
  PetscFunctionBegin;
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, tr->width, x));
  PetscCall(run(ops, tr, PRODUCT, (PetscInt)tr->A.n * tr->width,
                RHX_ARGUMENTS(&tr->A, &tr->hoop, &tr->first, &tr->state, &d->given, &scale, &x, &y)));
  PetscCall(RhxExchangeAdd(d->halo, tr->width, y));
  if (!d->serial)
    PetscCall(RhxStepTransportKeepFree(ops, tr, tr->inverse, y));
  else
    PetscCall(remove_normal(ops, tr, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode iterate(RhxOps ops, RhxStepTransport tr)
{
  int n = (int)ops->form->space->nowned;
  const PetscInt threads = n * tr->width;
  PetscFunctionBegin;
  PetscCall(run(ops, tr, DIRECTION, threads, RHX_ARGUMENTS(&n, &tr->state, &tr->r, &tr->v, &tr->p)));
  PetscCall(multiply(ops, tr, tr->p, tr->v));
  PetscCall(sum(ops, tr, RHX_AT_PRODUCT_P, tr->v, tr->shadow));
  PetscCall(run(ops, tr, HALF, threads, RHX_ARGUMENTS(&n, &tr->state, &tr->r, &tr->v, &tr->s)));
  PetscCall(multiply(ops, tr, tr->s, tr->t));
  PetscCall(sum(ops, tr, RHX_AT_PRODUCT_S, tr->s, tr->t));
  PetscCall(run(ops, tr, WHOLE, threads, RHX_ARGUMENTS(&n, &tr->state, &tr->p, &tr->s, &tr->t, &tr->solution, &tr->r)));
  PetscCall(sum(ops, tr, RHX_AT_END, tr->r, tr->shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the host looks whether the solver has stopped: iterations after that leave everything as it is. */
static PetscErrorCode repeat(RhxOps ops, RhxStepTransport tr)
{
  RhxStabState state;
  PetscInt batch = PetscMax(1, tr->told[tr->which].iterations);
  PetscFunctionBegin;
  do {
    for (PetscInt k = 0; k < batch; k++) PetscCall(iterate(ops, tr));
    PetscCall(RhxDeviceCopy(ops->device, &state, tr->state, sizeof(state), RHX_COPY_TO_HOST));
    batch = NEXT_BATCH;
  } while (state.live);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportRun(RhxOps ops, RhxStepTransport tr)
{
  int n = (int)ops->form->space->nowned;
  PetscBool recording;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGraphRecording(ops->device, &recording));
  tr->loop = 0;
  if (recording) PetscCall(RhxDeviceLoopCreate(ops->device, &tr->loop));
  PetscCall(RhxDeviceCopy(ops->device, tr->r, tr->b, sizeof(double) * n * tr->width, RHX_COPY_ON_DEVICE));
  PetscCall(RhxStepTransportKeepFree(ops, tr, tr->inverse, tr->r));
  PetscCall(run(ops, tr, START, n * tr->width, RHX_ARGUMENTS(&n, &tr->r, &tr->shadow, &tr->p, &tr->v, &tr->solution)));
  PetscCall(sum(ops, tr, RHX_AT_START, tr->r, tr->shadow));
  if (!recording) {
    PetscCall(repeat(ops, tr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxDeviceLoopBegin(ops->device, tr->loop));
  PetscCall(iterate(ops, tr));
  PetscCall(RhxDeviceLoopEnd(ops->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxTransportResult result_of(const RhxStabState *state)
{
  return (RhxTransportResult){.iterations = state->iterations,
                              .finite = (PetscBool)state->finite,
                              .converged = (PetscBool)(state->reason > 0),
                              .norm = state->norm,
                              .reason = KSPConvergedReasons[state->reason]};
}

RhxTransportResult RhxStepTransportResult(RhxStepTransport tr)
{
  RhxTransportResult worst = result_of(tr->told);
  for (PetscInt k = 1; k < tr->nsolves; k++) worst = RhxTransportWorse(worst, result_of(tr->told + k));
  return worst;
}

PetscErrorCode RhxStepTransportAssemble(RhxOps ops, RhxStepTransport tr, RhxArray x, RhxArray aux)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  const RhxNodeGraph *graph = &ops->form->consistent.graph;
  const PetscBool modes = (PetscBool)(tr->group == RHX_GROUP_MODES);
  int entries = (int)graph->start[graph->n], nlocal = (int)graph->n, n = (int)ops->form->space->nowned;
  double density = modes ? 1.0 : ops->form->rho;
  PetscFunctionBegin;
  PetscCall(run(ops, tr, FILL, entries, RHX_ARGUMENTS(&entries, &density, &d->clock, &d->mass.value, &tr->A.value)));
  if (tr->hoop) PetscCall(RhxDeviceZero(ops->device, tr->hoop, sizeof(double) * (size_t)nlocal));
  PetscCall(RhxFormMomentumAdd(tr->elements, tr->mode, d->clock, x->at, aux->at, (void *)tr->A.value, tr->hoop));
  if (modes && d->inflow.n)
    PetscCall(run(ops, tr, INFLOW, d->inflow.n, RHX_ARGUMENTS(&d->inflow, &tr->place, &x->at, &tr->A.value)));
  PetscCall(run(ops, tr, DIAGONAL, nlocal, RHX_ARGUMENTS(&nlocal, &tr->place, &tr->A.value, &tr->inverse)));
  PetscCall(RhxExchangeAdd(d->halo, 1, tr->inverse));
  PetscCall(run(ops, tr, INVERT, n, RHX_ARGUMENTS(&n, &tr->inverse)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Modes ---- */

static PetscErrorCode solve_mode(RhxOps ops, RhxStepTransport tr, PetscBool kept, RhxArray x, RhxArray xdot,
                                 RhxArray aux, RhxArray r, RhxArray y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  PetscCall(run(ops, tr, RATE, n * tr->width,
                RHX_ARGUMENTS(&n, &tr->first, &d->clock, &x->at, &xdot->at, &y->at, &tr->rate)));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, tr->width, tr->rate));
  PetscCall(run(ops, tr, MODE_RHS, (PetscInt)d->mass.n * tr->width,
                RHX_ARGUMENTS(&d->mass, &tr->first, &r->at, &tr->rate, &tr->b)));
  PetscCall(RhxExchangeAdd(d->halo, tr->width, tr->b));
  PetscCall(RhxStepTransportKeepFree(ops, tr, NULL, tr->b));
  if (!kept) PetscCall(RhxStepTransportAssemble(ops, tr, y, aux));
  PetscCall(RhxStepTransportRun(ops, tr));
  PetscCall(
      run(ops, tr, MODE_END, n * tr->width, RHX_ARGUMENTS(&n, &tr->first, &tr->state, &tr->solution, &tr->b, &y->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepTransportSolve(RhxOps ops, PetscBool again, RhxArray x, RhxArray xdot, RhxArray aux, RhxArray r,
                                     RhxArray y)
{
  RhxStepTransport tr = ((RhxStepDevice)ops->data)->polymer;
  const RhxSpace sp = ops->form->space;
  PetscFunctionBegin;
  for (PetscInt m = 0; m < sp->nmodes; m++) {
    tr->which = again ? sp->nmodes + m : m;
    tr->mode = m;
    tr->first = (int)(RhxFieldsStart(sp->fields, RHX_GROUP_MODES) + m * tr->width);
    PetscCall(solve_mode(ops, tr, (PetscBool)(again && sp->nmodes == 1), x, xdot, aux, r, y));
  }
  PetscCall(ops->table->ghosts(ops, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
