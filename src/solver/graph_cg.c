/* Conjugate gradients whose loop runs on the device; with an inverse, which leaves nothing to conjugate, its refinement. */
#include "solver/graph_cg_impl.h"

#define HOST_BLOCK 8 /* iterations between two looks at the result, where the device cannot loop by itself */
#define RESIDENT 8   /* most blocks a multiprocessor in kernels that end with a sum */

/* ---- Recording a solve ---- */

PetscErrorCode RhxGraphCGLaunch(RhxGraphCG *g, RhxDeviceFunction function, double threads, RhxCGSolve *c)
{
  RhxLaunch shape = {{0}, {RHX_THREADS}, 0};
  int resident = 1;
  PetscFunctionBegin;
  PetscCall(RhxDeviceFunctionGetResident(function, RHX_THREADS, 0, &resident));
  shape.grid[0] = RhxSolverBlocks(&g->program, threads, PetscMin(resident, RESIDENT));
  PetscCall(RhxDeviceLaunchOverlapped(g->device, function, shape, RHX_ARGUMENTS(c, &g->A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode launch_rows(RhxGraphCG *g, RhxDeviceFunction function, RhxCGSolve *c)
{
  PetscFunctionBegin;
  PetscCall(RhxGraphCGLaunch(g, function, 32.0 * g->A.nslices, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode launch_entries(RhxGraphCG *g, RhxDeviceFunction function, RhxCGSolve *c)
{
  PetscFunctionBegin;
  PetscCall(RhxGraphCGLaunch(g, function, c->n, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual, norm of the right-hand side that PETSc compares with, and the first test. */
static PetscErrorCode enqueue_start(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  if (c->constants) PetscCall(launch_entries(g, g->mean, c));
  if (c->past) {
    PetscCall(launch_entries(g, g->recall, c));
    PetscCall(launch_entries(g, g->guess, c));
  }
  PetscCall(launch_rows(g, g->residual, c));
  if (c->direct) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->guess && (c->norm == KSP_NORM_PRECONDITIONED || c->norm == KSP_NORM_NATURAL)) {
    PetscCall(launch_entries(g, g->load, c));
    PetscCall(RhxGraphPCEnqueue(ksp->pc));
    PetscCall(launch_entries(g, g->norm, c));
  }
  PetscCall(launch_entries(g, g->start, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enqueue_iteration(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  if (c->direct) {
    PetscCall(RhxGraphPCCorrect(ksp->pc, c->r, c->state, c->p));
    PetscCall(launch_rows(g, g->refine, c));
  } else {
    PetscCall(RhxGraphPCEnqueue(ksp->pc));
    PetscCall(launch_rows(g, g->product, c));
    PetscCall(launch_entries(g, g->update, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode record(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  PetscCall(RhxDeviceLoopCreate(g->device, &c->loop));
  PetscCall(enqueue_start(ksp, c));
  if (c->direct) PetscCall(enqueue_iteration(ksp, c)); /* mostly the only one */
  PetscCall(RhxDeviceLoopBegin(g->device, c->loop));
  PetscCall(enqueue_iteration(ksp, c));
  PetscCall(RhxDeviceLoopEnd(g->device));
  if (c->past) PetscCall(launch_entries(g, g->remember, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Running it ---- */

static PetscErrorCode have_history(KSP ksp, PetscInt *wanted)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  *wanted = ksp->numbermonitors || ksp->res_hist ? ksp->max_it + 1 : 0;
  if (*wanted > g->history) {
    PetscCall(RhxDeviceFree(g->device, g->work.history));
    PetscCall(RhxDeviceMalloc(g->device, *wanted * sizeof(double), "the residual norms", (void **)&g->work.history));
    g->history = *wanted;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(KSP ksp, const void *b, void *x, PetscBool guess, RhxCGSolve *c, PetscInt *setup)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  void *in, *out;
  PetscInt history;
  PetscBool inverse;
  PetscFunctionBegin;
  PetscCall(RhxGraphPCGetVectors(ksp->pc, &in, &out, setup));
  PetscCheck(
      in, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
      "The solver graph_cg needs a preconditioner on its device: got %s, expected graph_mg or graph_inverse (option "
      "-%spc_type)",
      ((PetscObject)ksp->pc)->type_name, ((PetscObject)ksp)->prefix ? ((PetscObject)ksp)->prefix : "");
  PetscCall(have_history(ksp, &history));
  *c = g->work;
  if (!history) c->history = NULL;
  PetscCall(RhxGraphPCIsInverse(ksp->pc, &inverse));
  c->norm = (int)ksp->normtype;
  c->direct = inverse && (c->norm == KSP_NORM_UNPRECONDITIONED || c->norm == KSP_NORM_NONE);
  c->most = (int)ksp->max_it;
  c->guess = guess;
  if (c->direct || !guess) c->past = NULL;
  c->relative = ksp->rtol;
  c->absolute = ksp->abstol;
  c->divergence = ksp->divtol;
  c->b = b;
  c->x = x;
  c->in = in;
  c->out = out;
  if (g->size > 1) PetscCall(RhxGraphRanksDescribe(ksp, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_graph(KSP ksp, const RhxCGSolve *c, PetscInt setup)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  RhxCGSolve solve = *c;
  PetscBool same;
  PetscFunctionBegin;
  PetscCall(PetscMemcmp(&g->recorded, c, sizeof(*c), &same));
  if (same && g->setup == setup) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceGraphDestroy(&g->graph));
  if (g->size > 1)
    PetscCall(RhxGraphRanksRecord(ksp, &solve));
  else {
    PetscCall(RhxDeviceGraphBegin(g->device));
    if (g->program.loops)
      PetscCall(record(ksp, &solve));
    else
      for (int k = 0; k < HOST_BLOCK; k++) PetscCall(enqueue_iteration(ksp, &solve));
    PetscCall(RhxDeviceGraphEnd(g->device, &g->graph));
  }
  g->recorded = *c;
  g->setup = setup;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without loops on the device: the host looks at the result after every block of iterations. */
static PetscErrorCode repeat(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  volatile RhxCGResult *result = c->result;
  PetscFunctionBegin;
  result->last.reason = 0;
  PetscCall(enqueue_start(ksp, c));
  PetscCall(RhxDeviceSynchronize(g->device));
  while (!result->last.reason) {
    PetscCall(RhxDeviceGraphLaunch(g->device, g->graph));
    PetscCall(RhxDeviceSynchronize(g->device));
  }
  if (c->past) PetscCall(launch_entries(g, g->remember, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enqueue(KSP ksp, const void *b, void *x, PetscBool guess)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscBool recording;
  PetscInt setup = 0;
  RhxCGSolve c;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGraphRecording(g->device, &recording));
  PetscCall(describe(ksp, b, x, guess, &c, &setup));
  PetscCheck(
      !recording || g->program.loops, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "The solver graph_cg cannot be part of a graph: got %d ranks, expected one, and a driver and NVRTC of 12.4 or "
      "later",
      g->size);
  if (recording) {
    PetscCall(record(ksp, &c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(make_graph(ksp, &c, setup));
  if (g->size > 1)
    PetscCall(RhxGraphRanksRun(ksp, &c));
  else if (g->program.loops)
    PetscCall(RhxDeviceGraphLaunch(g->device, g->graph));
  else
    PetscCall(repeat(ksp, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_type(KSP ksp)
{
  PetscBool ours;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, RHX_KSP_GRAPH_CG, &ours));
  PetscCheck(ours, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_WRONG,
             "A solve on the device needs another solver: got %s, expected graph_cg (option -%sksp_type)",
             ((PetscObject)ksp)->type_name ? ((PetscObject)ksp)->type_name : "none",
             ((PetscObject)ksp)->prefix ? ((PetscObject)ksp)->prefix : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphCGEnqueue(KSP ksp, const void *b, void *x)
{
  PetscFunctionBegin;
  PetscCall(check_type(ksp));
  if (!ksp->setupstage) PetscCall(KSPSetUp(ksp));
  PetscCall(enqueue(ksp, b, x, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphCGCanRecord(KSP ksp, PetscBool *can)
{
  PetscFunctionBegin;
  PetscCall(check_type(ksp));
  PetscCall(KSPSetUp(ksp));
  *can = ((RhxGraphCG *)ksp->data)->program.loops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the last solve: a residual and, each iteration, product, preconditioner, eight sums and four updates of vectors; or
 * inverse, residual, update and norm. */
static PetscErrorCode log_flops(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  const double n = g->work.n, product = 2.0 * g->nonzeros, refined = 4.0 * n, updated = 23.0 * n;
  PetscBool inverse;
  double pc;
  PetscFunctionBegin;
  PetscCall(RhxGraphPCIsInverse(ksp->pc, &inverse));
  inverse = inverse && (ksp->normtype == KSP_NORM_UNPRECONDITIONED || ksp->normtype == KSP_NORM_NONE);
  if (g->places && !inverse)
    PetscCall(RhxLogGpuFlops((6.0 * (double)g->places + 2.0) * n)); /* two products and a combination */
  PetscCall(RhxGraphPCGetFlops(ksp->pc, &pc));
  PetscCall(RhxLogGpuFlops(product + ksp->its * (product + pc + (inverse ? refined : updated))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  RhxCGResult *result = g->work.result;
  const RhxCGEnd *end = result->failed.reason ? &result->failed : &result->last;
  PetscReal *norm;
  PetscInt wanted;
  PetscFunctionBegin;
  ksp->its = end->iteration;
  ksp->reason = (KSPConvergedReason)end->reason;
  ksp->rnorm = end->norm;
  ksp->rnorm0 = end->start;
  result->failed.reason = 0;
  PetscCall(log_flops(ksp));
  PetscCall(have_history(ksp, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(ksp->its + 1, &norm));
  PetscCall(RhxDeviceCopy(g->device, norm, g->work.history, (ksp->its + 1) * sizeof(*norm), RHX_COPY_TO_HOST));
  for (PetscInt k = 0; k <= ksp->its; k++) {
    PetscCall(KSPLogResidualHistory(ksp, norm[k]));
    PetscCall(KSPMonitor(ksp, k, norm[k]));
  }
  PetscCall(PetscFree(norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphCGFinish(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(check_type(ksp));
  PetscCall(finish(ksp));
  ksp->totalits += ksp->its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  const size_t bytes = g->work.n * sizeof(double);
  PetscFunctionBegin;
  if (!g->b) {
    PetscCall(RhxDeviceMalloc(g->device, PetscMax(bytes, 1), "the pressure solver", &g->b));
    PetscCall(RhxDeviceMalloc(g->device, PetscMax(bytes, 1), "the pressure solver", &g->x));
  }
  PetscCall(RhxVectorToDevice(g->device, ksp->vec_rhs, g->b));
  if (ksp->guess_zero)
    PetscCall(RhxDeviceZero(g->device, g->x, bytes));
  else
    PetscCall(RhxVectorToDevice(g->device, ksp->vec_sol, g->x));
  PetscCall(enqueue(ksp, g->b, g->x, (PetscBool)!ksp->guess_zero));
  PetscCall(RhxDeviceSynchronize(g->device));
  PetscCall(finish(ksp));
  PetscCall(RhxVectorFromDevice(g->device, g->x, ksp->vec_sol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

static PetscErrorCode free_device(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  const PetscBool host_loop = g->host_loop;
  const PetscInt places = g->places;
  void *const memory[] = {g->work.r,       g->work.w, g->work.p, g->work.s,    g->work.sums,
                          g->work.history, g->b,      g->x,      g->work.state};
  PetscFunctionBegin;
  if (!g->device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceGraphDestroy(&g->graph));
  PetscCall(RhxGraphRanksFree(g));
  PetscCall(RhxGraphGuessFree(g));
  PetscCall(RhxDeviceMatrixFree(g->device, &g->A));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(memory); i++) PetscCall(RhxDeviceFree(g->device, memory[i]));
  if (g->work.result) PetscCall(RhxDeviceFreeHost(g->device, g->work.result));
  PetscCall(RhxSolverProgramDestroy(&g->program));
  PetscCall(PetscMemzero(g, sizeof(*g)));
  g->host_loop = host_loop;
  g->places = places;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_functions(RhxGraphCG *g)
{
  PetscFunctionBegin;
  PetscCall(RhxSolverProgramCreate(g->device, (PetscBool)!g->host_loop, g->size, &g->program));
  PetscCall(RhxSolverFunction(&g->program, "rhx_mean", 0, &g->mean));
  PetscCall(RhxSolverFunction(&g->program, "rhx_residual", g->lanes, &g->residual));
  PetscCall(RhxSolverFunction(&g->program, "rhx_load", 0, &g->load));
  PetscCall(RhxSolverFunction(&g->program, "rhx_norm", 0, &g->norm));
  PetscCall(RhxSolverFunction(&g->program, "rhx_start", 0, &g->start));
  PetscCall(RhxSolverFunction(&g->program, "rhx_product", g->lanes, &g->product));
  PetscCall(RhxSolverFunction(&g->program, "rhx_update", 0, &g->update));
  PetscCall(RhxSolverFunction(&g->program, "rhx_refine", g->lanes, &g->refine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_matrix(RhxGraphCG *g, Mat A)
{
  RhxMatrixParts parts;
  RhxSell sell;
  PetscInt total;
  PetscFunctionBegin;
  PetscCall(RhxMatrixGetParts(A, &parts));
  PetscCall(RhxMatrixPartsToSell(&parts, &sell));
  PetscCall(MatGetSize(A, &total, NULL));
  g->lanes = sell.lanes;
  g->bytes = RhxSellBytes(&sell);
  g->nonzeros = sell.nonzeros;
  g->work.n = (int)sell.n;
  g->work.total = (int)total;
  PetscCall(RhxDeviceRequire(g->device, (size_t)(g->bytes + 64.0 * sell.m), "the pressure solver"));
  PetscCall(RhxDeviceMatrixCreate(g->device, &sell, &g->A));
  PetscCall(RhxSellFree(&sell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_vectors(RhxGraphCG *g)
{
  void **const vectors[] = {(void **)&g->work.r, (void **)&g->work.w, (void **)&g->work.p, (void **)&g->work.s};
  const size_t bytes = (g->work.n + g->ghosts.n + 3) / 4 * 4 *
                       sizeof(double); /* rounded up and zero there: the inverse takes four values at a time */
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(vectors); i++) {
    PetscCall(RhxDeviceMalloc(g->device, bytes, "the pressure solver", vectors[i]));
    PetscCall(RhxDeviceZero(g->device, *vectors[i], bytes));
  }
  PetscCall(RhxDeviceMalloc(g->device, (size_t)RHX_SUMS * RESIDENT * g->program.multiprocessors * sizeof(double),
                            "the pressure solver", (void **)&g->work.sums));
  PetscCall(RhxDeviceMalloc(g->device, sizeof(RhxCGState), "the pressure solver", (void **)&g->work.state));
  PetscCall(RhxDeviceZero(g->device, g->work.state, sizeof(RhxCGState)));
  PetscCall(RhxDeviceMallocHost(g->device, sizeof(RhxCGResult), (void **)&g->work.result));
  PetscCall(PetscMemzero(g->work.result, sizeof(RhxCGResult)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscBool constants = PETSC_FALSE;
  Mat A;
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(RhxSolverSetUpEvent, ksp, 0, 0, 0));
  PetscCall(free_device(ksp));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &g->size));
  PetscCall(RhxSolverGetDevice((PetscObject)ksp, &g->device));
  PetscCheck(g->device, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
             "The solver graph_cg has no device: got none, expected one (options -device, -%sksp_type)",
             ((PetscObject)ksp)->prefix ? ((PetscObject)ksp)->prefix : "");
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(RhxConstantsAreNull(A, &constants));
  PetscCall(copy_matrix(g, A));
  PetscCall(get_functions(g));
  g->work.constants = constants;
  if (g->size > 1) PetscCall(RhxGraphRanksSetUp(ksp, A));
  PetscCall(make_vectors(g));
  PetscCall(RhxGraphGuessSetUp(g, A));
  PetscCall(PetscLogEventEnd(RhxSolverSetUpEvent, ksp, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Life ---- */

static PetscErrorCode view(KSP ksp, PetscViewer viewer)
{
  const RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscBool ascii;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii || !g->device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      PetscViewerASCIIPrintf(viewer,
                             "  matrix on the device: %d rows, %.1f entries a row, %d lanes a row, %.1f MB in double "
                             "precision; the loop runs on the %s; guesses from %d earlier solutions\n",
                             g->work.n, g->nonzeros / g->work.n, (int)g->lanes, 1e-6 * g->bytes,
                             g->program.loops ? "device" : "host", (int)g->places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_from_options(KSP ksp, RhxOptionItems PetscOptionsObject)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "graph_cg");
  PetscCall(PetscOptionsBool("-ksp_graph_cg_host_loop", "the host repeats blocks of iterations, not the device", NULL,
                             g->host_loop, &g->host_loop, NULL));
  PetscCall(PetscOptionsRangeInt("-ksp_graph_cg_past", "earlier solutions of which a guess is made", NULL, g->places,
                                 &g->places, NULL, 0, RHX_PAST));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(free_device(ksp));
  PetscCall(PetscFree(ksp->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_INTERN PetscErrorCode KSPCreate_GraphCG(KSP ksp)
{
  RhxGraphCG *g;
  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  ksp->data = g;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->setupnewmatrix = PETSC_TRUE;
  ksp->ops->setup = set_up;
  ksp->ops->solve = solve;
  ksp->ops->reset = free_device;
  ksp->ops->destroy = destroy;
  ksp->ops->view = view;
  ksp->ops->setfromoptions = set_from_options;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscFunctionReturn(PETSC_SUCCESS);
}
