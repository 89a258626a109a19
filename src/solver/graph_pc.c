/* The preconditioners graph_mg and graph_inverse: the second is the first without levels. */
#include "solver/defaults.h"
#include "solver/ranks_impl.h"

typedef enum { SOURCE_AUTO, SOURCE_GAMG, SOURCE_HYPRE } Source;
static const char *const source_names[] = {"auto", "gamg", "hypre", "Source", "SOURCE_", NULL};

typedef struct {
  PetscBool inverse; /* the type */
  Source source;
  PetscReal threshold; /* of strong neighbours, for GAMG's aggregates; negative: chosen */
  RhxHierarchyOptions options;
  RhxHierarchy hierarchy;
  RhxDevice device; /* borrowed; NULL: on the host */
  RhxSolverProgram program;
  RhxDeviceMatrix *down, *up; /* a level */
  RhxDeviceFunction *go_down, *go_up, multiply, correct, narrow, widen;
  void **right;     /* [n + nc] of a level: b, then x of the next */
  void *coarse;     /* [stride] the coarsest b, padded with zeros */
  void *inverse_at; /* [ncoarse][stride] */
  void *exact_at;   /* in double precision, where it solves by itself */
  void *out, *wide; /* [n] float, double */
  float *host_in, *host_out;
  PetscInt setup;
  PetscMPIInt size;
  RhxRankSpace ranks;             /* on several, and the rest of this: */
  PC rest;                        /* the cycle from the gathered level on */
  RhxDeviceFunction gather, take; /* the gathered b into `rest`, this rank's part of its x */
  PetscBool part, singular;       /* part: such a `rest`, singular if the whole is */
} GraphPC;

static PetscErrorCode apply(PC pc, Vec b, Vec x);

/* ---- Work ---- */

PetscErrorCode RhxGraphPCGetVectors(PC pc, void **in, void **out, PetscInt *setup)
{
  const GraphPC *g = (GraphPC *)pc->data;
  PetscFunctionBegin;
  *in = *out = NULL;
  if (pc->ops->apply == apply && g->device) {
    *in = g->hierarchy.nlevels ? g->right[0] : g->size > 1 ? (void *)g->ranks.mine : g->coarse;
    *out = g->out;
    *setup = g->setup;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(GraphPC *g, RhxDeviceFunction function, RhxDeviceMatrix *m, void *x, void *y)
{
  const RhxLaunch shape = {{RhxSolverBlocks(&g->program, 32.0 * m->nslices, 0)}, {RHX_THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(g->device, function, shape, RHX_ARGUMENTS(m, &x, &y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static float *coarse_part(GraphPC *g, PetscInt l) { return (float *)g->right[l] + g->ranks.level[l].at; }

/* b of the next level, with the ghosts that both products of this one read. */
static PetscErrorCode rank_down(GraphPC *g, PetscInt l, void *below)
{
  RhxRankLevel *r = &g->ranks.level[l];
  const RhxExchange both[2] = {r->down.exchange, r->smoother.exchange};
  void *const b[2] = {g->right[l], g->right[l]};
  PetscFunctionBegin;
  PetscCall(RhxExchangeBegin(2, both, RHX_EXCHANGE_FLOAT, 1, b));
  PetscCall(RhxExchangeEnd(2, both, RHX_EXCHANGE_FLOAT, 1, b));
  PetscCall(multiply(g, g->go_down[l], &g->down[l], g->right[l], below));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From b of all ranks to x of this rank, with those of others that Q of the level above reads. */
static PetscErrorCode rest_of_cycle(GraphPC *g)
{
  const PetscInt nl = g->hierarchy.nlevels;
  int total = (int)g->ranks.total, n = (int)g->ranks.ntaken;
  const RhxLaunch all = {{RhxSolverBlocks(&g->program, total, 0)}, {RHX_THREADS}, 0};
  const RhxLaunch taken = {{RhxSolverBlocks(&g->program, n, 0)}, {RHX_THREADS}, 0};
  void *in, *out, *x = nl ? coarse_part(g, nl - 1) : g->out;
  PetscInt setup;
  PetscFunctionBegin;
  PetscCall(RhxGraphPCGetVectors(g->rest, &in, &out, &setup));
  PetscCall(RhxRankSpaceGather(&g->ranks));
  PetscCall(RhxDeviceLaunch(g->device, g->gather, all, RHX_ARGUMENTS(&total, &g->ranks.gathered, &in)));
  PetscCall(RhxGraphPCEnqueue(g->rest));
  PetscCall(RhxDeviceLaunchOverlapped(g->device, g->take, taken, RHX_ARGUMENTS(&n, &g->ranks.taken, &out, &x)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rank_cycle(GraphPC *g)
{
  const PetscInt nl = g->hierarchy.nlevels;
  PetscFunctionBegin;
  for (PetscInt l = 0; l < nl; l++) PetscCall(rank_down(g, l, l + 1 < nl ? g->right[l + 1] : g->ranks.mine));
  PetscCall(rest_of_cycle(g));
  for (PetscInt l = nl - 1; l >= 0; l--) {
    if (l < nl - 1)
      PetscCall(RhxExchangeGhosts(g->ranks.level[l].up.exchange, RHX_EXCHANGE_FLOAT, 1, coarse_part(g, l)));
    PetscCall(multiply(g, g->go_up[l], &g->up[l], g->right[l], l ? coarse_part(g, l - 1) : g->out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphPCEnqueue(PC pc)
{
  GraphPC *g = (GraphPC *)pc->data;
  const RhxHierarchy *h = &g->hierarchy;
  const PetscInt nl = h->nlevels;
  void *x = nl ? (float *)g->right[nl - 1] + h->level[nl - 1].n : g->out;
  int n = (int)h->ncoarse, stride = (int)h->stride;
  const RhxLaunch shape = {{RhxSolverBlocks(&g->program, 32.0 * n, 0)}, {RHX_THREADS}, 0};
  PetscFunctionBegin;
  if (g->size > 1) {
    PetscCall(rank_cycle(g));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt l = 0; l < nl; l++)
    PetscCall(multiply(g, g->go_down[l], &g->down[l], g->right[l], l + 1 < nl ? g->right[l + 1] : g->coarse));
  PetscCall(RhxDeviceLaunchOverlapped(g->device, g->multiply, shape,
                                      RHX_ARGUMENTS(&n, &stride, &g->inverse_at, &g->coarse, &x)));
  for (PetscInt l = nl - 1; l >= 0; l--) {
    x = l ? (float *)g->right[l - 1] + h->level[l - 1].n : g->out;
    PetscCall(multiply(g, g->go_up[l], &g->up[l], g->right[l], x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphPCGetFlops(PC pc, double *flops)
{
  const GraphPC *g = (const GraphPC *)pc->data;
  double rest = 0.0;
  PetscFunctionBegin;
  if (g->rest) PetscCall(RhxGraphPCGetFlops(g->rest, &rest));
  *flops = RhxHierarchyFlops(&g->hierarchy) + rest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphPCIsInverse(PC pc, PetscBool *is)
{
  const GraphPC *g = (GraphPC *)pc->data;
  PetscFunctionBegin;
  *is = (PetscBool)(g->exact_at != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphPCCorrect(PC pc, const void *r, const void *state, void *d)
{
  GraphPC *g = (GraphPC *)pc->data;
  int n = (int)g->hierarchy.n, stride = (int)g->hierarchy.stride;
  const RhxLaunch shape = {{RhxSolverBlocks(&g->program, 32.0 * n, 0)}, {RHX_THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(g->device, g->correct, shape,
                                      RHX_ARGUMENTS(&n, &stride, &g->exact_at, &r, &state, &d)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode convert(GraphPC *g, RhxDeviceFunction function, double scale, void *x, void *y)
{
  int n = (int)g->hierarchy.n;
  const RhxLaunch shape = {{RhxSolverBlocks(&g->program, n, 8)}, {RHX_THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunch(g->device, function, shape, RHX_ARGUMENTS(&n, &scale, &x, &y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_on_device(PC pc, PetscReal scale, Vec b, Vec x)
{
  GraphPC *g = (GraphPC *)pc->data;
  void *in, *out;
  PetscInt setup;
  PetscFunctionBegin;
  PetscCall(RhxGraphPCGetVectors(pc, &in, &out, &setup));
  PetscCall(RhxVectorToDevice(g->device, b, g->wide));
  PetscCall(convert(g, g->narrow, scale, g->wide, in));
  PetscCall(RhxGraphPCEnqueue(pc));
  PetscCall(convert(g, g->widen, 1 / scale, out, g->wide));
  PetscCall(RhxVectorFromDevice(g->device, g->wide, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_on_host(GraphPC *g, PetscReal scale, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  for (PetscInt i = 0; i < g->hierarchy.n; i++) g->host_in[i] = (float)(from[i] * scale);
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(RhxHierarchyApply(&g->hierarchy, g->host_in, g->host_out));
  PetscCall(VecGetArrayWrite(x, &to));
  for (PetscInt i = 0; i < g->hierarchy.n; i++) to[i] = g->host_out[i] / scale;
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vector is scaled to about 1, so that single precision holds it. */
static PetscErrorCode apply(PC pc, Vec b, Vec x)
{
  GraphPC *g = (GraphPC *)pc->data;
  PetscReal norm;
  double flops;
  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &norm));
  if (!(norm > 1e-300 && norm < 1e300)) norm = 1;
  PetscCall(RhxGraphPCGetFlops(pc, &flops));
  if (g->device) {
    PetscCall(apply_on_device(pc, 1 / norm, b, x));
    PetscCall(RhxLogGpuFlops(flops));
  } else {
    PetscCall(apply_on_host(g, 1 / norm, b, x));
    PetscCall(PetscLogFlops(flops));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode device_level(GraphPC *g, PetscInt l)
{
  const RhxLevel *v = &g->hierarchy.level[l];
  const PetscInt length =
      g->size > 1 ? PetscMax(1, g->ranks.level[l].length) : v->n + v->nc; /* the input exists always */
  PetscFunctionBegin;
  PetscCall(RhxDeviceMatrixCreate(g->device, &v->down, &g->down[l]));
  PetscCall(RhxDeviceMatrixCreate(g->device, &v->up, &g->up[l]));
  PetscCall(RhxSolverFunction(&g->program, "rhx_multiply", v->down.lanes, &g->go_down[l]));
  PetscCall(RhxSolverFunction(&g->program, "rhx_multiply", v->up.lanes, &g->go_up[l]));
  PetscCall(RhxDeviceMalloc(g->device, length * sizeof(float), "the multigrid hierarchy", &g->right[l]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_inverse(GraphPC *g)
{
  const RhxHierarchy *h = &g->hierarchy;
  const size_t square = (size_t)h->ncoarse * h->stride * sizeof(float);
  const size_t coarse = PetscMax(h->stride, 4) * sizeof(float); /* there even without rows */
  PetscFunctionBegin;
  PetscCall(RhxSolverFunction(&g->program, "rhx_inverse", 0, &g->multiply));
  PetscCall(RhxSolverFunction(&g->program, "rhx_correct", 0, &g->correct));
  PetscCall(RhxDeviceMalloc(g->device, coarse, "the multigrid hierarchy", &g->coarse));
  PetscCall(RhxDeviceZero(g->device, g->coarse, coarse));
  PetscCall(RhxDeviceUpload(g->device, h->inverse, square, "the inverse of the pressure solver", &g->inverse_at));
  if (h->exact)
    PetscCall(RhxDeviceUpload(g->device, h->exact, 2 * square, "the inverse of the pressure solver", &g->exact_at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_rest(GraphPC *g)
{
  PetscFunctionBegin;
  PetscCall(PCSetUp(g->rest));
  PetscCall(RhxSolverFunction(&g->program, "rhx_copy", 0, &g->gather));
  PetscCall(RhxSolverFunction(&g->program, "rhx_take", 0, &g->take));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_device(GraphPC *g)
{
  const RhxHierarchy *h = &g->hierarchy;
  PetscFunctionBegin;
  PetscCall(RhxDeviceRequire(g->device, (size_t)RhxHierarchyBytes(h), "the preconditioner of the pressure solver"));
  PetscCall(RhxSolverFunction(&g->program, "rhx_narrow", 0, &g->narrow));
  PetscCall(RhxSolverFunction(&g->program, "rhx_widen", 0, &g->widen));
  PetscCall(PetscCalloc5(h->nlevels, &g->down, h->nlevels, &g->up, h->nlevels, &g->go_down, h->nlevels, &g->go_up,
                         h->nlevels, &g->right));
  for (PetscInt l = 0; l < h->nlevels; l++) PetscCall(device_level(g, l));
  PetscCall(RhxDeviceMalloc(g->device, h->n * sizeof(float), "the multigrid hierarchy", &g->out));
  PetscCall(RhxDeviceMalloc(g->device, h->n * sizeof(double), "the multigrid hierarchy", &g->wide));
  PetscCall(g->size > 1 ? set_up_rest(g) : set_up_inverse(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_HYPRE)
/* Few entries a row on every level, in two and three dimensions. */
static const RhxDefault hypre_defaults[] = {{"-pc_hypre_boomeramg_coarsen_type", "PMIS"},
                                            {"-pc_hypre_boomeramg_interp_type", "ext+i"},
                                            {"-pc_hypre_boomeramg_P_max", "4"},
                                            {"-pc_hypre_boomeramg_strong_threshold", "0.5"}};

static PetscErrorCode set_hypre(PC source)
{
  RhxDefaults defaults;
  const char *prefix;
  PetscFunctionBegin;
  PetscCall(PCSetType(source, PCHYPRE));
  PetscCall(PCHYPRESetType(source, "boomeramg"));
  PetscCall(PCGetOptionsPrefix(source, &prefix));
  PetscCall(RhxDefaultsSet(prefix, hypre_defaults, PETSC_STATIC_ARRAY_LENGTH(hypre_defaults), &defaults));
  PetscCall(PCSetFromOptions(source));
  PetscCall(RhxDefaultsClear(&defaults));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
static PetscErrorCode set_hypre(PC source)
{
  const char *prefix;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(source, &prefix));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "The hierarchy cannot come from hypre: this PETSc was built without it, expected gamg (option "
          "-pc_graph_mg_hierarchy, before it the prefix of %s)",
          prefix);
}
#endif

/* What is automatic. With few entries a row, in two dimensions, hypre's levels take the fewest iterations; with many GAMG's
 * are the sparser ones. */
static PetscErrorCode choose(GraphPC *g, Mat A)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_HYPRE)
  MatInfo info;
  PetscInt n;
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetSize(A, &n, NULL));
  if (g->source == SOURCE_AUTO && info.nz_used <= 12.0 * n) g->source = SOURCE_HYPRE;
#endif
  if (g->source == SOURCE_AUTO) g->source = SOURCE_GAMG;
  if (g->source == SOURCE_GAMG && g->threshold < 0 && g->size == 1) PetscCall(RhxCoarseningThreshold(A, &g->threshold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows up to which a level is the last one that all ranks share. */
static PetscInt least_rows(const GraphPC *g)
{
  return g->size > 1 ? PetscMax(g->options.dense, g->options.gather) : g->options.dense;
}

static PetscErrorCode coarsen(PC pc, RhxCoarsening *c)
{
  GraphPC *g = (GraphPC *)pc->data;
  const char *own;
  char prefix[256];
  Mat A = pc->pmat;
  PC source;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &own));
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "%sgraph_mg_", own ? own : ""));
  PetscCall(choose(g, A));
  if (g->source == SOURCE_GAMG) {
    PetscCall(RhxCoarseningFromGAMG(A, prefix, g->threshold, least_rows(g), c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &source));
  PetscCall(PCSetOperators(source, A, A));
  PetscCall(PCSetOptionsPrefix(source, prefix));
  PetscCall(set_hypre(source));
  PetscCall(PCSetUp(source));
  PetscCall(RhxCoarseningFromPC(source, c));
  PetscCall(PCDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConstantsAreNull(Mat A, PetscBool *singular)
{
  MatNullSpace space;
  PetscBool constants = PETSC_FALSE;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(A, &space));
  if (space) PetscCall(MatNullSpaceGetVecs(space, &constants, &n, NULL));
  PetscCheck(
      !n, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "The null space of a matrix is more than the solver on the device knows: got %d vectors, expected constants "
      "(option -pc_type)",
      (int)n);
  *singular = constants;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reset(PC pc)
{
  GraphPC *g = (GraphPC *)pc->data;
  PetscFunctionBegin;
  if (g->device) {
    for (PetscInt l = 0; g->down && l < g->hierarchy.nlevels; l++) {
      PetscCall(RhxDeviceMatrixFree(g->device, &g->down[l]));
      PetscCall(RhxDeviceMatrixFree(g->device, &g->up[l]));
      PetscCall(RhxDeviceFree(g->device, g->right[l]));
    }
    PetscCall(PetscFree5(g->down, g->up, g->go_down, g->go_up, g->right));
    PetscCall(RhxDeviceFree(g->device, g->coarse));
    PetscCall(RhxDeviceFree(g->device, g->inverse_at));
    PetscCall(RhxDeviceFree(g->device, g->exact_at));
    PetscCall(RhxDeviceFree(g->device, g->out));
    PetscCall(RhxDeviceFree(g->device, g->wide));
    PetscCall(RhxRankSpaceFree(g->device, g->hierarchy.nlevels, &g->ranks));
    g->coarse = g->inverse_at = g->exact_at = g->out = g->wide = NULL;
    PetscCall(RhxSolverProgramDestroy(&g->program));
    g->device = NULL;
  }
  PetscCall(PCDestroy(&g->rest));
  PetscCall(RhxHierarchyFree(&g->hierarchy));
  PetscCall(PetscFree2(g->host_in, g->host_out));
  g->size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same preconditioner for a level that every rank has all of. */
static PetscErrorCode make_rest(PC pc, Mat A, PetscBool singular)
{
  GraphPC *g = (GraphPC *)pc->data, *rest;
  const char *prefix;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PCCreate(PETSC_COMM_SELF, &g->rest));
  PetscCall(PCSetOptionsPrefix(g->rest, prefix));
  PetscCall(PCSetType(g->rest, ((PetscObject)pc)->type_name));
  PetscCall(PCSetOperators(g->rest, A, A));
  PetscCall(RhxSolverSetDevicePC(g->rest, g->device));
  rest = (GraphPC *)g->rest->data;
  rest->source = g->source;
  rest->threshold = g->hierarchy.nlevels ? 0 : g->threshold; /* it is for the finest level */
  rest->options = g->options;
  rest->options.exact = PETSC_FALSE;
  rest->part = PETSC_TRUE;
  rest->singular = singular;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_hierarchy(PC pc)
{
  GraphPC *g = (GraphPC *)pc->data;
  RhxCoarsening coarsening = {0};
  PetscBool singular = g->singular;
  PetscInt n;
  Mat whole;
  PetscFunctionBegin;
  if (!g->part) PetscCall(RhxConstantsAreNull(pc->pmat, &singular));
  PetscCall(MatGetSize(pc->pmat, &n, NULL));
  PetscCheck(
      !g->inverse || n <= RHX_DENSE_MOST, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
      "The matrix of the pressure solver is too large to invert: got %d rows, expected at most %d (option -pc_type)",
      (int)n, RHX_DENSE_MOST);
  if (!g->inverse && n > least_rows(g)) PetscCall(coarsen(pc, &coarsening));
  if (g->size > 1) {
    PetscCall(RhxRankSpaceCreate(pc->pmat, &coarsening, least_rows(g), &g->options, &g->program, &g->hierarchy,
                                 &g->ranks, &whole));
    PetscCall(make_rest(pc, whole, singular));
    PetscCall(MatDestroy(&whole));
  } else
    PetscCall(RhxHierarchyCreate(pc->pmat, &coarsening, singular, &g->options, &g->hierarchy));
  PetscCall(RhxCoarseningFree(&coarsening));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(PC pc)
{
  static PetscInt setups;
  GraphPC *g = (GraphPC *)pc->data;
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(RhxSolverSetUpEvent, pc, 0, 0, 0));
  PetscCall(reset(pc));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &g->size));
  g->setup = ++setups;
  PetscCall(RhxSolverGetDevice((PetscObject)pc, &g->device));
  PetscCheck(
      g->device || g->size == 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
      "The preconditioner %s has no device: got %d ranks, expected a device (option -device) or one rank (option "
      "-pc_type)",
      ((PetscObject)pc)->type_name, g->size);
  if (g->device) PetscCall(RhxSolverProgramCreate(g->device, PETSC_TRUE, g->size, &g->program));
  PetscCall(make_hierarchy(pc));
  if (g->device) {
    PetscCall(set_up_device(g));
    PetscCall(RhxHierarchyDropHost(&g->hierarchy));
  } else
    PetscCall(PetscMalloc2(g->hierarchy.n, &g->host_in, g->hierarchy.n, &g->host_out));
  PetscCall(PetscLogEventEnd(RhxSolverSetUpEvent, pc, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Life ---- */

static PetscErrorCode set_from_options(PC pc, RhxOptionItems PetscOptionsObject)
{
  GraphPC *g = (GraphPC *)pc->data;
  PetscFunctionBegin;
  if (g->inverse) PetscFunctionReturn(PETSC_SUCCESS);
  PetscOptionsHeadBegin(PetscOptionsObject, "graph_mg");
  PetscCall(PetscOptionsEnum("-pc_graph_mg_hierarchy", "where the hierarchy comes from", NULL, source_names,
                             (PetscEnum)g->source, (PetscEnum *)&g->source, NULL));
  PetscCall(PetscOptionsReal("-pc_graph_mg_weight", "of Jacobi, over 1 / largest eigenvalue, between 0 and 2", NULL,
                             g->options.weight, &g->options.weight, NULL));
  PetscCall(PetscOptionsReal("-pc_graph_mg_threshold",
                             "part of a row's largest entry above which neighbours are strong, on one rank; negative: "
                             "chosen",
                             NULL, g->threshold, &g->threshold, NULL));
  PetscCall(PetscOptionsInt("-pc_graph_mg_dense", "rows up to which a level is inverted", NULL, g->options.dense,
                            &g->options.dense, NULL));
  PetscCall(PetscOptionsInt("-pc_graph_mg_gather",
                            "rows up to which, of several ranks, each has all of a level; at least -pc_graph_mg_dense",
                            NULL, g->options.gather, &g->options.gather, NULL));
  PetscOptionsHeadEnd();
  PetscCheck(g->options.weight > 0 && g->options.weight < 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The weight of Jacobi is out of range: got %g, expected more than 0 and less than 2 (option "
             "-pc_graph_mg_weight)",
             (double)g->options.weight);
  PetscCheck(g->options.dense > 0 && g->options.dense <= RHX_DENSE_MOST, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The rows of the inverse are out of range: got %d, expected 1 to %d (option -pc_graph_mg_dense)",
             (int)g->options.dense, RHX_DENSE_MOST);
  PetscCheck(g->options.gather >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The rows of a level that every rank has are out of range: got %d, expected 0 or more (option "
             "-pc_graph_mg_gather)",
             (int)g->options.gather);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(PC pc, PetscViewer viewer)
{
  GraphPC *g = (GraphPC *)pc->data;
  PetscBool ascii;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!g->inverse) {
    const GraphPC *coarsened = g->rest && !g->hierarchy.nlevels ? (GraphPC *)g->rest->data : g;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  hierarchy of %s, weight %g\n", source_names[coarsened->source],
                                     (double)g->options.weight));
  }
  if (!g->size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  on the %s%s\n", g->device ? "device" : "host",
                                   g->size > 1 ? "; of rank 0:" : ""));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(RhxHierarchyView(&g->hierarchy, viewer));
  if (g->rest) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%d rows on every rank:\n", (int)g->ranks.total));
    PetscCall(RhxHierarchyView(&((GraphPC *)g->rest->data)->hierarchy, viewer));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc)
{
  PetscFunctionBegin;
  PetscCall(reset(pc));
  PetscCall(PetscFree(pc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(PC pc, PetscBool inverse)
{
  GraphPC *g;
  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  pc->data = g;
  g->inverse = inverse;
  g->threshold = PETSC_DECIDE;
  g->options = (RhxHierarchyOptions){.weight = 1.4, .dense = 1500, .gather = 30000, .exact = PETSC_TRUE};
  pc->ops->setup = set_up;
  pc->ops->apply = apply;
  pc->ops->applytranspose = apply;
  pc->ops->reset = reset;
  pc->ops->destroy = destroy;
  pc->ops->setfromoptions = set_from_options;
  pc->ops->view = view;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_INTERN PetscErrorCode PCCreate_GraphMG(PC pc)
{
  PetscFunctionBegin;
  PetscCall(create(pc, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_INTERN PetscErrorCode PCCreate_GraphInverse(PC pc)
{
  PetscFunctionBegin;
  PetscCall(create(pc, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
