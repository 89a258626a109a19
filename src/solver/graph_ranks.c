/* Conjugate gradients on several ranks, which meet in the preconditioner, for the ghosts of z and for the sums. Where the
 * messages join the stream the host records an iteration, launches as many as the last solve took, and looks; else it drives
 * every iteration. Iterations after the end do nothing. */
#include "solver/graph_cg_impl.h"

static PetscErrorCode rows(RhxGraphCG *g, RhxDeviceFunction function, RhxCGSolve *c)
{
  PetscFunctionBegin;
  PetscCall(RhxGraphCGLaunch(g, function, 32.0 * g->A.nslices, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode entries(RhxGraphCG *g, RhxDeviceFunction function, RhxCGSolve *c)
{
  PetscFunctionBegin;
  PetscCall(RhxGraphCGLaunch(g, function, c->n, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Decides from the sums of all ranks. */
static PetscErrorCode judge(RhxGraphCG *g, RhxCGSolve *c, int stage)
{
  const RhxLaunch shape = {{1}, {RHX_WARP}, 0};
  PetscFunctionBegin;
  PetscCall(RhxLinkGather(g->link, RHX_EXCHANGE_DOUBLE, g->count, g->first, (void *)c->shared));
  PetscCall(RhxDeviceLaunch(g->device, g->judge, shape, RHX_ARGUMENTS(c, &stage)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = B r */
static PetscErrorCode precondition(KSP ksp)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  PetscCall(RhxGraphPCEnqueue(ksp->pc));
  PetscCall(RhxDeviceCopy(g->device, g->z, g->smoothed, g->work.n * sizeof(float), RHX_COPY_ON_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode iterate(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  PetscCall(precondition(ksp));
  PetscCall(RhxExchangeGhosts(g->ghosts.exchange, RHX_EXCHANGE_FLOAT, 1, g->z));
  PetscCall(rows(g, g->product, c));
  PetscCall(judge(g, c, RHX_AT_PRODUCT));
  PetscCall(entries(g, g->update, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphRanksRecord(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscBool on;
  PetscFunctionBegin;
  PetscCall(RhxLinkIsOnStream(g->link, &on));
  if (!on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceGraphBegin(g->device));
  PetscCall(iterate(ksp, c));
  PetscCall(RhxDeviceGraphEnd(g->device, &g->graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of the guess; p has room for the guess's ghosts. */
static PetscErrorCode first_residual(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  RhxCGSolve guess = *c;
  PetscFunctionBegin;
  if (c->constants) {
    PetscCall(entries(g, g->mean, c));
    PetscCall(judge(g, c, RHX_AT_MEAN));
  }
  if (c->past) {
    PetscCall(entries(g, g->recall, c));
    PetscCall(judge(g, c, RHX_AT_RECALL));
    PetscCall(entries(g, g->guess, c));
  }
  guess.x = c->p;
  PetscCall(RhxDeviceCopy(g->device, c->p, c->x, c->n * sizeof(double), RHX_COPY_ON_DEVICE));
  PetscCall(RhxExchangeGhosts(g->ghosts.exchange, RHX_EXCHANGE_DOUBLE, 1, c->p));
  PetscCall(rows(g, g->residual, &guess));
  PetscCall(judge(g, c, RHX_AT_RESIDUAL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  PetscCall(first_residual(ksp, c));
  if (c->guess && (c->norm == KSP_NORM_PRECONDITIONED || c->norm == KSP_NORM_NATURAL)) {
    PetscCall(entries(g, g->load, c));
    PetscCall(precondition(ksp));
    PetscCall(entries(g, g->norm, c));
    PetscCall(judge(g, c, RHX_AT_NORM));
  }
  PetscCall(entries(g, g->start, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphRanksRun(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  volatile RhxCGResult *result = c->result;
  PetscInt ahead = g->graph ? PetscMax(g->taken, 1) : 1;
  PetscFunctionBegin;
  result->last.reason = 0;
  PetscCall(begin(ksp, c));
  if (!g->graph) PetscCall(RhxDeviceSynchronize(g->device));
  while (!result->last.reason) {
    for (PetscInt k = 0; k < ahead; k++)
      if (g->graph)
        PetscCall(RhxDeviceGraphLaunch(g->device, g->graph));
      else
        PetscCall(iterate(ksp, c));
    PetscCall(RhxDeviceSynchronize(g->device));
    ahead = 1;
  }
  if (c->past) {
    PetscCall(entries(g, g->remember, c));
    PetscCall(judge(g, c, RHX_AT_REMEMBER));
  }
  g->taken = result->last.iteration;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set-up ---- */

PetscErrorCode RhxGraphRanksDescribe(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  g->smoothed = c->out;
  c->out = g->z;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_sums(RhxGraphCG *g, PetscMPIInt rank)
{
  const size_t bytes = (size_t)g->size * RHX_SUMS * sizeof(double);
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(g->size, &g->count, g->size, &g->first));
  for (PetscMPIInt r = 0; r < g->size; r++) {
    g->count[r] = RHX_SUMS;
    g->first[r] = r * RHX_SUMS;
  }
  PetscCall(RhxLinkMalloc(g->link, bytes, "the pressure solver", (void **)&g->work.shared));
  PetscCall(RhxDeviceZero(g->device, (void *)g->work.shared, bytes));
  g->work.ranks = g->size;
  g->work.mine = (double *)g->work.shared + (size_t)rank * RHX_SUMS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphRanksSetUp(KSP ksp, Mat A)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)ksp), &rank));
  PetscCall(RhxLinkGet(g->device, PetscObjectComm((PetscObject)ksp), &g->link));
  PetscCall(RhxSolverFunction(&g->program, "rhx_judge", 0, &g->judge));
  PetscCall(RhxGhostsCreate(A, &g->ghosts));
  PetscCall(RhxGhostsSetUp(&g->ghosts, g->device));
  PetscCall(RhxDeviceMalloc(g->device, (g->ghosts.place + g->ghosts.n) * sizeof(float), "the pressure solver", &g->z));
  PetscCall(make_sums(g, rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphRanksFree(RhxGraphCG *g)
{
  PetscFunctionBegin;
  PetscCall(RhxGhostsFree(&g->ghosts));
  PetscCall(RhxDeviceFree(g->device, g->z));
  if (g->work.shared) PetscCall(RhxLinkFree(g->link, (void *)g->work.shared));
  PetscCall(RhxLinkRestore(&g->link));
  PetscCall(PetscFree2(g->count, g->first));
  PetscFunctionReturn(PETSC_SUCCESS);
}
