#include "solver/ghosts.h"

/* ---- A matrix on several ranks ---- */

PetscErrorCode RhxMatrixGetParts(Mat A, RhxMatrixParts *p)
{
  PetscMPIInt size;
  PetscBool known;
  MatType type;
  PetscFunctionBegin;
  *p = (RhxMatrixParts){.own = A};
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &known));
  PetscCheck(known, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A matrix of the pressure solver is not stored by rows: got type %s, expected mpiaij", type);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &p->own, &p->other, &p->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixPartsToSell(const RhxMatrixParts *p, RhxSell *sell)
{
  RhxRows own, other;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(p->own, &own));
  if (p->other) PetscCall(RhxRowsGet(p->other, &other));
  PetscCall(RhxSellCreate(&own, p->other ? &other : NULL, 0, PETSC_FALSE, sell));
  if (p->other) PetscCall(RhxRowsRestore(p->other, &other));
  PetscCall(RhxRowsRestore(p->own, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixCreateSF(Mat A, PetscSF *sf)
{
  RhxMatrixParts parts;
  PetscLayout columns;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxMatrixGetParts(A, &parts));
  PetscCall(MatGetLayouts(A, NULL, &columns));
  PetscCall(MatGetSize(parts.other, NULL, &n));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), sf));
  PetscCall(PetscSFSetGraphLayout(*sf, columns, n, NULL, PETSC_COPY_VALUES, parts.column));
  PetscCall(PetscSFSetUp(*sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- On the device ---- */

/* The rows that others need, and `all`'s graph between numbers in that list and ghosts. */
static PetscErrorCode make_sf(RhxGhosts *g, PetscSF all)
{
  const PetscSFNode *remote;
  const PetscInt *degree;
  PetscInt *number, *list, *there;
  PetscSFNode *compact;
  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(all, &g->nown, &g->nghosts, NULL, &remote));
  PetscCall(PetscSFComputeDegreeBegin(all, &degree));
  PetscCall(PetscSFComputeDegreeEnd(all, &degree));
  PetscCall(PetscMalloc4(g->nown, &number, g->nown, &list, g->nghosts, &there, g->nghosts, &compact));
  for (PetscInt i = 0; i < g->nown; i++) {
    number[i] = g->nshared;
    if (degree[i]) list[g->nshared++] = i;
  }
  PetscCall(PetscSFBcastBegin(all, MPIU_INT, number, there, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(all, MPIU_INT, number, there, MPI_REPLACE));
  for (PetscInt i = 0; i < g->nghosts; i++) compact[i] = (PetscSFNode){remote[i].rank, there[i]};
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)all), &g->sf));
  PetscCall(PetscSFSetGraph(g->sf, g->nshared, g->nghosts, NULL, PETSC_COPY_VALUES, compact, PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(g->sf));
  PetscCall(RhxDeviceMalloc(g->device, g->nshared * sizeof(PetscInt), "the pressure solver", &g->shared));
  PetscCall(RhxDeviceCopy(g->device, g->shared, list, g->nshared * sizeof(PetscInt), RHX_COPY_TO_DEVICE));
  PetscCall(PetscFree4(number, list, there, compact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsCreate(Mat A, RhxSolverProgram *program, RhxGhosts *g)
{
  PetscSF all;
  PetscFunctionBegin;
  PetscCall(PetscMemzero(g, sizeof(*g)));
  g->device = program->device;
  PetscCall(RhxMatrixCreateSF(A, &all));
  PetscCall(make_sf(g, all));
  g->place = g->nown;
  PetscCall(PetscSFDestroy(&all));
  PetscCall(RhxDeviceMallocHost(g->device, PetscMax(1, g->nshared) * sizeof(double), &g->roots));
  PetscCall(RhxDeviceMallocHost(g->device, PetscMax(1, g->nghosts) * sizeof(double), &g->leaves));
  PetscCall(RhxSolverFunction(program, "rhx_pack", 4, &g->pack[RHX_GHOSTS_FLOAT]));
  PetscCall(RhxSolverFunction(program, "rhx_pack", 8, &g->pack[RHX_GHOSTS_DOUBLE]));
  PetscCall(RhxSolverFunction(program, "rhx_unpack", 4, &g->unpack[RHX_GHOSTS_FLOAT]));
  PetscCall(RhxSolverFunction(program, "rhx_unpack", 8, &g->unpack[RHX_GHOSTS_DOUBLE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsFree(RhxGhosts *g)
{
  PetscFunctionBegin;
  if (!g->device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFree(g->device, g->shared));
  PetscCall(RhxDeviceFreeHost(g->device, g->roots));
  PetscCall(RhxDeviceFreeHost(g->device, g->leaves));
  PetscCall(PetscSFDestroy(&g->sf));
  PetscCall(PetscMemzero(g, sizeof(*g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxLaunch shape_of(PetscInt n)
{
  return (RhxLaunch){{(unsigned)((n + RHX_THREADS - 1) / RHX_THREADS)}, {RHX_THREADS}, 0};
}

PetscErrorCode RhxGhostsPack(RhxGhosts *g, RhxGhostsKind kind, void *x)
{
  int n = (int)g->nshared;
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunch(g->device, g->pack[kind], shape_of(n), RHX_ARGUMENTS(&n, &g->shared, &x, &g->roots)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsExchange(RhxGhosts *g, RhxGhostsKind kind)
{
  const MPI_Datatype type = kind == RHX_GHOSTS_FLOAT ? MPI_FLOAT : MPI_DOUBLE;
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(g->sf, type, g->roots, g->leaves, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(g->sf, type, g->roots, g->leaves, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsUnpack(RhxGhosts *g, RhxGhostsKind kind, void *x)
{
  int n = (int)g->nghosts;
  void *to = (char *)x + (kind == RHX_GHOSTS_FLOAT ? sizeof(float) : sizeof(double)) * g->place;
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunch(g->device, g->unpack[kind], shape_of(n), RHX_ARGUMENTS(&n, &g->leaves, &to)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsUpdate(RhxGhosts *g, RhxGhostsKind kind, void *x)
{
  PetscFunctionBegin;
  PetscCall(RhxGhostsPack(g, kind, x));
  PetscCall(RhxDeviceSynchronize(g->device));
  PetscCall(RhxGhostsExchange(g, kind));
  PetscCall(RhxGhostsUnpack(g, kind, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
