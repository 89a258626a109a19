/* Conjugate gradients on several ranks: the host drives the iterations, which meet the other ranks in the preconditioner, for
 * the ghosts of z and for the sums. */
#include "solver/graph_cg.h"

enum { AT_MEAN, AT_RESIDUAL, AT_NORM, AT_PRODUCT }; /* of kernels/solver.cuh */

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

/* The sums of every rank are on every rank. */
static PetscErrorCode share(KSP ksp, const RhxCGSolve *c)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceSynchronize(((RhxGraphCG *)ksp->data)->device));
  PetscCallMPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c->shared, RHX_CG_SUMS, MPI_DOUBLE,
                             PetscObjectComm((PetscObject)ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode judge(RhxGraphCG *g, RhxCGSolve *c, int stage)
{
  const RhxLaunch shape = {{1}, {RHX_WARP}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(g->device, g->judge, shape, RHX_ARGUMENTS(c, &stage)));
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

PetscErrorCode RhxGraphRanksRecord(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGraphDestroy(&g->product_graph));
  PetscCall(RhxDeviceGraphBegin(g->device));
  PetscCall(RhxGhostsUnpack(&g->ghosts, RHX_GHOSTS_FLOAT, g->z));
  PetscCall(rows(g, g->product, c));
  PetscCall(RhxDeviceGraphEnd(g->device, &g->product_graph));
  PetscCall(RhxDeviceGraphBegin(g->device));
  PetscCall(judge(g, c, AT_PRODUCT));
  PetscCall(entries(g, g->update, c));
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
    PetscCall(share(ksp, c));
    PetscCall(judge(g, c, AT_MEAN));
  }
  guess.x = c->p;
  PetscCall(RhxDeviceCopy(g->device, c->p, c->x, c->n * sizeof(double), RHX_COPY_ON_DEVICE));
  PetscCall(RhxGhostsUpdate(&g->ghosts, RHX_GHOSTS_DOUBLE, c->p));
  PetscCall(rows(g, g->residual, &guess));
  PetscCall(share(ksp, c));
  PetscCall(judge(g, c, AT_RESIDUAL));
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
    PetscCall(share(ksp, c));
    PetscCall(judge(g, c, AT_NORM));
  }
  PetscCall(entries(g, g->start, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphRanksRun(KSP ksp, RhxCGSolve *c)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  volatile RhxCGResult *result = c->result;
  PetscFunctionBegin;
  result->last.reason = 0;
  PetscCall(begin(ksp, c));
  PetscCall(RhxDeviceSynchronize(g->device));
  while (!result->last.reason) {
    PetscCall(precondition(ksp));
    PetscCall(RhxGhostsPack(&g->ghosts, RHX_GHOSTS_FLOAT, g->z));
    PetscCall(RhxDeviceSynchronize(g->device));
    PetscCall(RhxGhostsExchange(&g->ghosts, RHX_GHOSTS_FLOAT));
    PetscCall(RhxDeviceGraphLaunch(g->device, g->product_graph));
    PetscCall(share(ksp, c));
    PetscCall(RhxDeviceGraphLaunch(g->device, g->graph));
    PetscCall(RhxDeviceSynchronize(g->device));
  }
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

PetscErrorCode RhxGraphRanksSetUp(KSP ksp, Mat A)
{
  RhxGraphCG *g = (RhxGraphCG *)ksp->data;
  const size_t shared = (size_t)g->size * RHX_CG_SUMS * sizeof(double);
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)ksp), &rank));
  PetscCall(RhxSolverFunction(&g->program, "rhx_judge", 0, &g->judge));
  PetscCall(RhxGhostsCreate(A, &g->program, &g->ghosts));
  PetscCall(
      RhxDeviceMalloc(g->device, (g->ghosts.nown + g->ghosts.nghosts) * sizeof(float), "the pressure solver", &g->z));
  PetscCall(RhxDeviceMallocHost(g->device, shared, (void **)&g->work.shared));
  PetscCall(PetscMemzero(g->work.shared, shared));
  g->work.ranks = g->size;
  g->work.mine = g->work.shared + (size_t)rank * RHX_CG_SUMS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGraphRanksFree(RhxGraphCG *g)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceGraphDestroy(&g->product_graph));
  PetscCall(RhxGhostsFree(&g->ghosts));
  PetscCall(RhxDeviceFree(g->device, g->z));
  PetscCall(RhxDeviceFreeHost(g->device, g->work.shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}
