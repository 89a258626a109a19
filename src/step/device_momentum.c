#include "step/device_momentum.h"
#include "device/kernels.h"
#include "form/cuda/momentum.h"
#include "kernels/implicit.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "step/device_impl.h"
#include "step/tolerances.h"

#define FIRST_BATCH 4 /* iterations before the host looks, at first; later as many as the last solve took, then */
#define NEXT_BATCH 2  /* so many at a time */

_Static_assert((int)KSP_CONVERGED_RTOL == RHX_BY_RTOL && (int)KSP_CONVERGED_ATOL == RHX_BY_ATOL &&
                   (int)KSP_DIVERGED_ITS == RHX_BY_ITERATIONS && (int)KSP_DIVERGED_DTOL == RHX_BY_DTOL &&
                   (int)KSP_DIVERGED_BREAKDOWN == RHX_BY_BREAKDOWN && (int)KSP_DIVERGED_NANORINF == RHX_BY_NAN,
               "reasons of PETSc");

typedef enum {
  PREDICT,
  RHS,
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
  END,
  KEEP,
  LESS_GRADIENT,
  VELOCITY,
  SUBSCALES,
  LESS_KNOWN,
  ADD_KNOWN,
  NKERNELS
} Kernel;
static const char *const kernel_name[] = {
    "predict",        "momentum_rhs",  "free",      "fill",       "diagonal",   "invert",       "stab_start",
    "stab_direction", "stab_product",  "stab_half", "stab_whole", "stab_dots",  "stab_numbers", "momentum_end",
    "keep",           "less_gradient", "velocity",  "subscales",  "less_known", "add_known"};

/* Pointers are to device memory unless said otherwise. */
struct _p_RhxStepMomentum {
  RhxFormMomentum elements;
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS];
  RhxMassRows A;                                   /* graph of the mass, borrowed; values owned */
  void *hoop;                                      /* [nlocal] this rank's part of H (form/host/momentum.h), or NULL */
  void *place, *inverse;                           /* [nlocal] of the diagonal in A; its inverse in owned nodes */
  void *b, *r, *shadow, *p, *v, *s, *t, *solution; /* [nlocal][dim] */
  void *part, *ticket, *state;                     /* of kernels/implicit.cuh */
  RhxLink link;
  PetscMPIInt rank, size, *count, *first; /* host: of the sums */
  void *sums;                             /* [size][RHX_DOTS] */
  RhxStabGoals goals;
  RhxStabState *told;              /* host memory: the end of the last solve */
  unsigned long long loop;         /* of the graph being recorded, or 0 */
  PetscInt iterations;             /* of the last solve */
  void *slope, *kept, *balance[2]; /* of tracked subscales, as on the host; else NULL */
};

static PetscErrorCode run(RhxOps ops, Kernel kernel, PetscInt threads, void **arguments)
{
  const RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  const unsigned blocks = (unsigned)((threads + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(ops->device, mo->kernel[kernel], (RhxLaunch){{blocks}, {RHX_STEP_THREADS}, 0},
                                      arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options ---- */

/* What PETSc's solvers on the host have and this one has not. */
static PetscErrorCode refuse_others(RhxForm form)
{
  static const char *const given[] = {"-ksp_type", "-pc_type"}; /* what there is: read, and so not left */
  char lacks[512], value[64];
  PetscFunctionBegin;
  PetscCall(RhxMomentumDeviceLacks(lacks, sizeof(lacks)));
  if (lacks[0]) PetscCall(RhxFormAsk(form, RHX_ASK_MOMENTUM_SOLVER, lacks, ""));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(given); k++)
    PetscCall(PetscOptionsGetString(NULL, "momentum_", given[k], value, sizeof(value), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_goals(RhxForm form, RhxStabGoals *goal)
{
  PetscReal relative = 1e-4, absolute = 1e-50, divergence = 1e4;
  PetscInt most = RHX_MOMENTUM_ITERATIONS;
  PetscFunctionBegin;
  PetscCall(RhxTolerancesCheck(form->comm, "momentum_"));
  PetscCall(PetscOptionsGetReal(NULL, "momentum_", "-ksp_rtol", &relative, NULL));
  PetscCall(PetscOptionsGetReal(NULL, "momentum_", "-ksp_atol", &absolute, NULL));
  PetscCall(PetscOptionsGetReal(NULL, "momentum_", "-ksp_divtol", &divergence, NULL));
  PetscCall(PetscOptionsGetInt(NULL, "momentum_", "-ksp_max_it", &most, NULL));
  *goal = (RhxStabGoals){.relative = relative, .absolute = absolute, .divergence = divergence, .most = (int)most};
  PetscCall(refuse_others(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumCheckOptions(RhxForm form)
{
  RhxStabGoals goals;
  PetscFunctionBegin;
  PetscCall(read_goals(form, &goals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode make_program(RhxOps ops, const char *const *options, RhxStepMomentum mo)
{
  char name[64];
  PetscFunctionBegin;
  PetscCall(RhxDeviceKernelsCreate(ops->device, RHX_STEP_IMPLICIT, options, &mo->program));
  for (int k = 0; k < NKERNELS; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_%s", kernel_name[k]));
    PetscCall(RhxDeviceProgramGetFunction(mo->program, name, &mo->kernel[k]));
    PetscCall(RhxDeviceFunctionPreferShared(mo->kernel[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_matrix(RhxOps ops, RhxStepMomentum mo)
{
  const RhxNodeGraph *graph = &ops->form->consistent.graph;
  PetscInt *place;
  PetscFunctionBegin;
  PetscCall(RhxFormMomentumCreate(ops->form, ops->device, &mo->elements));
  mo->A = ((RhxStepDevice)ops->data)->mass;
  mo->A.value = NULL;
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(double) * graph->start[graph->n], "the matrix of momentum",
                            (void **)&mo->A.value));
  if (ops->form->axisymmetric)
    PetscCall(RhxDeviceMalloc(ops->device, sizeof(double) * graph->n, "the hoop of momentum", &mo->hoop));
  PetscCall(PetscMalloc1(graph->n, &place));
  for (PetscInt i = 0; i < graph->n; i++) place[i] = RhxNodeGraphFind(graph, i, i);
  PetscCall(RhxDeviceUpload(ops->device, place, sizeof(*place) * graph->n, "the matrix of momentum", &mo->place));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_vectors(RhxOps ops, RhxStepMomentum mo)
{
  const size_t n = sizeof(double) * (size_t)ops->form->space->nlocal, wide = n * ops->form->space->dim;
  void **const vector[] = {&mo->b, &mo->r, &mo->shadow, &mo->p, &mo->v, &mo->s, &mo->t, &mo->solution};
  void **const scalar[] = {&mo->kept, &mo->balance[0], &mo->balance[1]};
  PetscFunctionBegin;
  PetscCall(RhxDeviceRequire(ops->device, 8 * wide + n + (ops->settings.tracked ? wide + 3 * n : 0),
                             "the vectors of implicit momentum"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(vector); k++)
    PetscCall(RhxDeviceMalloc(ops->device, wide, "the vectors of momentum", vector[k]));
  PetscCall(RhxDeviceMalloc(ops->device, n, "the diagonal of momentum", &mo->inverse));
  if (!ops->settings.tracked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceMalloc(ops->device, wide, "the subscales", &mo->slope));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(scalar); k++) {
    PetscCall(RhxDeviceMalloc(ops->device, n, "the subscales", scalar[k]));
    PetscCall(RhxDeviceZero(ops->device, *scalar[k], n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank has RHX_DOTS sums. */
static PetscErrorCode make_sums(RhxOps ops, RhxStepMomentum mo)
{
  const size_t part = sizeof(double) * RHX_DOTS * RHX_STEP_MAX_BLOCKS;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(ops->form->comm, &mo->rank));
  PetscCallMPI(MPI_Comm_size(ops->form->comm, &mo->size));
  PetscCall(RhxLinkGet(ops->device, ops->form->comm, &mo->link));
  PetscCall(RhxLinkMalloc(mo->link, sizeof(double) * RHX_DOTS * mo->size, "sums of momentum", &mo->sums));
  PetscCall(PetscMalloc2(mo->size, &mo->count, mo->size, &mo->first));
  for (PetscMPIInt k = 0; k < mo->size; k++) {
    mo->count[k] = RHX_DOTS;
    mo->first[k] = RHX_DOTS * k;
  }
  PetscCall(RhxDeviceMalloc(ops->device, part, "partial results", &mo->part));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(unsigned), "partial results", &mo->ticket));
  PetscCall(RhxDeviceZero(ops->device, mo->ticket, sizeof(unsigned)));
  PetscCall(RhxDeviceMalloc(ops->device, sizeof(RhxStabState), "scalars of momentum", &mo->state));
  PetscCall(RhxDeviceMallocHost(ops->device, sizeof(RhxStabState), (void **)&mo->told));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumCreate(RhxOps ops, const char *const *options, RhxStepMomentum *momentum)
{
  RhxStepMomentum mo;
  PetscFunctionBegin;
  PetscCall(PetscNew(momentum));
  mo = *momentum;
  PetscCall(read_goals(ops->form, &mo->goals));
  mo->iterations = FIRST_BATCH;
  PetscCall(make_program(ops, options, mo));
  PetscCall(make_matrix(ops, mo));
  PetscCall(make_vectors(ops, mo));
  PetscCall(make_sums(ops, mo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumDestroy(RhxOps ops, RhxStepMomentum *momentum)
{
  RhxStepMomentum mo = *momentum;
  PetscFunctionBegin;
  if (!mo) PetscFunctionReturn(PETSC_SUCCESS);
  void *const owned[] = {(void *)mo->A.value,
                         mo->hoop,
                         mo->place,
                         mo->inverse,
                         mo->b,
                         mo->r,
                         mo->shadow,
                         mo->p,
                         mo->v,
                         mo->s,
                         mo->t,
                         mo->solution,
                         mo->part,
                         mo->ticket,
                         mo->state,
                         mo->slope,
                         mo->kept,
                         mo->balance[0],
                         mo->balance[1]};
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); i++) PetscCall(RhxDeviceFree(ops->device, owned[i]));
  PetscCall(RhxDeviceFreeHost(ops->device, mo->told));
  if (mo->link) PetscCall(RhxLinkFree(mo->link, mo->sums));
  if (mo->link) PetscCall(RhxLinkRestore(&mo->link));
  PetscCall(PetscFree2(mo->count, mo->first));
  PetscCall(RhxFormMomentumDestroy(&mo->elements));
  PetscCall(RhxDeviceProgramDestroy(&mo->program));
  PetscCall(PetscFree(*momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Vectors ---- */

/* v of owned nodes, zero where the velocity is given and without the normal part on planes; times the scale of nodes, or NULL. */
static PetscErrorCode keep_free(RhxOps ops, void *scale, void *v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  const PetscInt dim = ops->form->space->dim;
  PetscFunctionBegin;
  PetscCall(run(ops, FREE, n * dim, RHX_ARGUMENTS(&n, &d->given, &scale, &v)));
  if (d->planes) PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, dim, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumPredict(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray y, RhxArray v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  y->zero = v->zero = PETSC_FALSE;
  PetscCall(run(ops, PREDICT, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &d->clock, &d->given, &x->at, &xdot->at, &y->at, &v->at)));
  if (d->planes) {
    PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, y->width, y->at));
    PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, v->width, v->at));
  }
  PetscCall(ops->table->ghosts(ops, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The solver ---- */

/* Sums of (a, b), (a, a), (b, b) of all ranks, and the numbers that follow. */
static PetscErrorCode sum(RhxOps ops, int at, void *a, void *b)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  int n = (int)ops->form->space->nowned, ranks = mo->size;
  void *mine = (double *)mo->sums + mo->first[mo->rank];
  PetscFunctionBegin;
  PetscCall(run(ops, DOTS, (PetscInt)d->nblocks * RHX_STEP_THREADS,
                RHX_ARGUMENTS(&n, &a, &b, &mo->part, &mo->ticket, &mine)));
  if (mo->size > 1) PetscCall(RhxLinkGather(mo->link, RHX_EXCHANGE_DOUBLE, mo->count, mo->first, mo->sums));
  PetscCall(
      RhxDeviceLaunchOverlapped(ops->device, mo->kernel[NUMBERS], (RhxLaunch){{1}, {1}, 0},
                                RHX_ARGUMENTS(&at, &ranks, &mo->goals, &mo->loop, &mo->sums, &mo->state, &mo->told)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = D^-1 P A x, P as in momentum.c */
static PetscErrorCode multiply(RhxOps ops, void *x, void *y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  const PetscInt dim = ops->form->space->dim;
  void *scale = d->serial ? mo->inverse : NULL;
  PetscFunctionBegin;
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, dim, x));
  PetscCall(run(ops, PRODUCT, (PetscInt)mo->A.n * dim,
                RHX_ARGUMENTS(&mo->A, &mo->hoop, &mo->state, &d->given, &scale, &x, &y)));
  PetscCall(RhxExchangeAdd(d->halo, dim, y));
  if (!d->serial)
    PetscCall(keep_free(ops, mo->inverse, y));
  else if (d->planes)
    PetscCall(RhxBoundaryDeviceRemoveNormal(d->bc, dim, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode iterate(RhxOps ops)
{
  RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  int n = (int)ops->form->space->nowned;
  const PetscInt threads = n * ops->form->space->dim;
  PetscFunctionBegin;
  PetscCall(run(ops, DIRECTION, threads, RHX_ARGUMENTS(&n, &mo->state, &mo->r, &mo->v, &mo->p)));
  PetscCall(multiply(ops, mo->p, mo->v));
  PetscCall(sum(ops, RHX_AT_PRODUCT_P, mo->v, mo->shadow));
  PetscCall(run(ops, HALF, threads, RHX_ARGUMENTS(&n, &mo->state, &mo->r, &mo->v, &mo->s)));
  PetscCall(multiply(ops, mo->s, mo->t));
  PetscCall(sum(ops, RHX_AT_PRODUCT_S, mo->s, mo->t));
  PetscCall(run(ops, WHOLE, threads, RHX_ARGUMENTS(&n, &mo->state, &mo->p, &mo->s, &mo->t, &mo->solution, &mo->r)));
  PetscCall(sum(ops, RHX_AT_END, mo->r, mo->shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the host looks whether the solver has stopped: iterations after that leave everything as it is. */
static PetscErrorCode repeat(RhxOps ops)
{
  RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  RhxStabState state;
  PetscInt batch = PetscMax(1, mo->iterations);
  PetscFunctionBegin;
  do {
    for (PetscInt k = 0; k < batch; k++) PetscCall(iterate(ops));
    PetscCall(RhxDeviceCopy(ops->device, &state, mo->state, sizeof(state), RHX_COPY_TO_HOST));
    batch = NEXT_BATCH;
  } while (state.live);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RhxOps ops)
{
  RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  int n = (int)ops->form->space->nowned;
  PetscBool recording;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGraphRecording(ops->device, &recording));
  mo->loop = 0;
  if (recording) PetscCall(RhxDeviceLoopCreate(ops->device, &mo->loop));
  PetscCall(RhxDeviceCopy(ops->device, mo->r, mo->b, sizeof(double) * n * ops->form->space->dim, RHX_COPY_ON_DEVICE));
  PetscCall(keep_free(ops, mo->inverse, mo->r));
  PetscCall(run(ops, START, n * ops->form->space->dim,
                RHX_ARGUMENTS(&n, &mo->r, &mo->shadow, &mo->p, &mo->v, &mo->solution)));
  PetscCall(sum(ops, RHX_AT_START, mo->r, mo->shadow));
  if (!recording) {
    PetscCall(repeat(ops));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxDeviceLoopBegin(ops->device, mo->loop));
  PetscCall(iterate(ops));
  PetscCall(RhxDeviceLoopEnd(ops->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumFinish(RhxOps ops)
{
  RhxStepMomentum mo = ((RhxStepDevice)ops->data)->momentum;
  const RhxStabState *state = mo->told;
  PetscFunctionBegin;
  mo->iterations = state->iterations;
  ops->result.momentum = (RhxMomentumResult){.iterations = state->iterations,
                                             .finite = (PetscBool)state->finite,
                                             .converged = (PetscBool)(state->reason > 0),
                                             .norm = state->norm,
                                             .reason = KSPConvergedReasons[state->reason]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(RhxOps ops, RhxArray x, RhxArray aux)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  const RhxNodeGraph *graph = &ops->form->consistent.graph;
  int entries = (int)graph->start[graph->n], nlocal = (int)graph->n, n = (int)ops->form->space->nowned;
  double rho = ops->form->rho;
  PetscFunctionBegin;
  PetscCall(run(ops, FILL, entries, RHX_ARGUMENTS(&entries, &rho, &d->clock, &d->mass.value, &mo->A.value)));
  if (mo->hoop) PetscCall(RhxDeviceZero(ops->device, mo->hoop, sizeof(double) * (size_t)nlocal));
  PetscCall(RhxFormMomentumAdd(mo->elements, d->clock, x->at, aux->at, (void *)mo->A.value, mo->hoop));
  PetscCall(run(ops, DIAGONAL, nlocal, RHX_ARGUMENTS(&nlocal, &mo->place, &mo->A.value, &mo->inverse)));
  PetscCall(RhxExchangeAdd(d->halo, 1, mo->inverse));
  PetscCall(run(ops, INVERT, n, RHX_ARGUMENTS(&n, &mo->inverse)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumSolve(RhxOps ops, RhxArray x, RhxArray start, RhxArray aux, RhxArray r, RhxArray v,
                                    RhxArray y)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  int n = (int)ops->form->space->nowned, tracked = ops->settings.tracked;
  const PetscInt dim = ops->form->space->dim;
  double rho = ops->form->rho;
  PetscFunctionBegin;
  PetscCall(ops->table->ghosts(ops, v));
  PetscCall(run(ops, RHS, (PetscInt)d->mass.n * dim,
                RHX_ARGUMENTS(&d->mass, &rho, &d->given, &d->ivolume, &r->at, &v->at, &mo->b, &d->s)));
  PetscCall(RhxExchangeAdd(d->halo, dim, mo->b));
  PetscCall(keep_free(ops, NULL, mo->b));
  PetscCall(assemble(ops, x, aux));
  PetscCall(solve(ops));
  y->zero = v->zero = PETSC_FALSE;
  PetscCall(run(ops, END, (PetscInt)n * y->width,
                RHX_ARGUMENTS(&n, &tracked, &d->clock, &d->irho, &d->s, &mo->state, &mo->solution, &mo->b, &x->at,
                              &start->at, &y->at, &v->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tracked subscales ---- */

/* As keep_increment on the host. */
static PetscErrorCode keep_increment(RhxOps ops, RhxArray xdot, RhxArray v)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  const RhxOpenNodes *open = &ops->form->open;
  const PetscInt dim = ops->form->space->dim;
  int n = (int)ops->form->space->nowned, nopen = (int)open->n;
  void *none = NULL;
  const RhxLaunch over_open = {{(unsigned)((nopen + RHX_STEP_THREADS - 1) / RHX_STEP_THREADS)}, {RHX_STEP_THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(run(ops, KEEP, n, RHX_ARGUMENTS(&n, &d->clock, &d->irho, &d->s, &xdot->at, &mo->kept)));
  PetscCall(RhxExchangeGhosts(d->halo, RHX_EXCHANGE_DOUBLE, 1, mo->kept));
  PetscCall(RhxDeviceZero(ops->device, mo->slope, sizeof(double) * (size_t)ops->form->space->nlocal * dim));
  PetscCall(RhxFormDeviceGradient(d->form, mo->kept, mo->slope));
  PetscCall(RhxExchangeAdd(d->halo, dim, mo->slope));
  if (nopen)
    PetscCall(
        RhxDeviceLaunchOverlapped(ops->device, d->kernel[RHX_STEP_OPEN], over_open,
                                  RHX_ARGUMENTS(&nopen, &d->open_node, &d->open_normal, &none, &mo->kept, &mo->slope)));
  PetscCall(keep_free(ops, NULL, mo->slope));
  PetscCall(run(ops, LESS_GRADIENT, n * dim, RHX_ARGUMENTS(&n, &d->clock, &d->irho, &d->imass, &mo->slope, &v->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D u of the state */
static PetscErrorCode take_divergence(RhxOps ops, RhxArray x)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  int n = (int)ops->form->space->nlocal;
  PetscFunctionBegin;
  PetscCall(run(ops, VELOCITY, n * ops->form->space->dim, RHX_ARGUMENTS(&n, &x->at, &mo->slope)));
  PetscCall(RhxDeviceZero(ops->device, mo->balance[ops->key], sizeof(double) * n));
  PetscCall(RhxFormDeviceDivergence(d->form, mo->slope, mo->balance[ops->key]));
  PetscCall(RhxExchangeAdd(d->halo, 1, mo->balance[ops->key]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumSubscales(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray r, RhxArray v, RhxArray b)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  RhxStepMomentum mo = d->momentum;
  int n = (int)ops->form->space->nowned;
  void *now = mo->balance[ops->key], *last = mo->balance[1 - ops->key];
  PetscFunctionBegin;
  if (ops->settings.tracked) PetscCall(keep_increment(ops, xdot, v));
  PetscCall(ops->table->divergence(ops, v, b));
  if (!ops->settings.tracked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(take_divergence(ops, x));
  PetscCall(run(ops, SUBSCALES, n, RHX_ARGUMENTS(&n, &d->clock, &d->irho, &d->s, &r->at, &last, &now, &b->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumLessKnown(RhxOps ops, RhxArray b, RhxArray phi)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nowned;
  PetscFunctionBegin;
  if (!d->momentum || !d->momentum->kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(ops, LESS_KNOWN, n, RHX_ARGUMENTS(&n, &d->given, &d->lift, &d->momentum->kept, &b->at, &phi->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxStepMomentumAddKnown(RhxOps ops, RhxArray phi)
{
  RhxStepDevice d = (RhxStepDevice)ops->data;
  int n = (int)ops->form->space->nlocal;
  PetscFunctionBegin;
  if (!d->momentum || !d->momentum->kept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(ops, ADD_KNOWN, n, RHX_ARGUMENTS(&n, &d->momentum->kept, &phi->at)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
