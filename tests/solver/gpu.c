/* The solver on a device against PETSc's own. Skipped without a device. RHX_EMULATED: on smaller grids. */
#include "../device/common.h"
#include "grid.h"
#include "solver/solver.h"

static RhxDevice device;

#define NGRIDS 7
static const Grid on_device[NGRIDS] = {{QUAD, {45, 44, 1}, 1, PETSC_TRUE},    {QUAD, {127, 128, 1}, 1, PETSC_TRUE},
                                       {QUAD, {120, 121, 1}, 1, PETSC_FALSE}, {HEX, {25, 24, 26}, 1, PETSC_TRUE},
                                       {HEX, {23, 24, 25}, 1, PETSC_FALSE},   {TET, {24, 25, 26}, 1, PETSC_TRUE},
                                       {TET, {25, 23, 24}, 1, PETSC_FALSE}};
static const Grid emulated[NGRIDS] = {{QUAD, {45, 44, 1}, 1, PETSC_TRUE},  {QUAD, {63, 64, 1}, 1, PETSC_TRUE},
                                      {QUAD, {60, 61, 1}, 1, PETSC_FALSE}, {HEX, {13, 12, 14}, 1, PETSC_TRUE},
                                      {HEX, {12, 13, 11}, 1, PETSC_FALSE}, {TET, {12, 13, 14}, 1, PETSC_TRUE},
                                      {TET, {13, 11, 12}, 1, PETSC_FALSE}};

typedef struct {
  const Grid *grid;
  Mat A;
  Vec b, x, exact;
  KSP ksp;
  void *db, *dx; /* on the device */
  PetscInt n;
} Problem;

static PetscErrorCode make(const Grid *grid, const char *pc_type, KSPNormType norm, double rtol, Problem *p)
{
  KSP other;
  PC pc;
  PetscFunctionBegin;
  p->grid = grid;
  PetscCall(grid_laplacian(grid, &p->A));
  PetscCall(MatCreateVecs(p->A, &p->x, &p->b));
  PetscCall(VecDuplicate(p->x, &p->exact));
  PetscCall(VecGetSize(p->b, &p->n));
  PetscCall(grid_right(grid, 3, p->b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &other));
  PetscCall(KSPSetOperators(other, p->A, p->A));
  PetscCall(KSPSetType(other, KSPCG));
  PetscCall(KSPGetPC(other, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetTolerances(other, 1e-13, PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(KSPSolve(other, p->b, p->exact));
  PetscCall(KSPDestroy(&other));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &p->ksp));
  PetscCall(KSPSetOperators(p->ksp, p->A, p->A));
  PetscCall(KSPSetType(p->ksp, RHX_KSP_GRAPH_CG));
  PetscCall(KSPSetNormType(p->ksp, norm));
  PetscCall(KSPGetPC(p->ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(RhxSolverSetDevice(p->ksp, device));
  PetscCall(KSPSetTolerances(p->ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, 100));
  PetscCall(KSPSetFromOptions(p->ksp));
  PetscCall(RhxDeviceMalloc(device, p->n * sizeof(double), "b", &p->db));
  PetscCall(RhxDeviceMalloc(device, p->n * sizeof(double), "x", &p->dx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode unmake(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&p->ksp));
  PetscCall(RhxDeviceFree(device, p->db));
  PetscCall(RhxDeviceFree(device, p->dx));
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(VecDestroy(&p->exact));
  PetscCall(MatDestroy(&p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `values` to the device, NULL: zeros. */
static PetscErrorCode put(Problem *p, Vec values, void *there)
{
  const PetscScalar *a;
  PetscFunctionBegin;
  if (!values) {
    PetscCall(RhxDeviceZero(device, there, p->n * sizeof(double)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(values, &a));
  PetscCall(RhxDeviceCopy(device, there, a, p->n * sizeof(double), RHX_COPY_TO_DEVICE));
  PetscCall(VecRestoreArrayRead(values, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The device's solution against the exact one, without their means where constants are the null space. */
static PetscErrorCode compare(Problem *p, const char *what, double tolerance)
{
  PetscReal error, size;
  PetscScalar *a, mean;
  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(p->x, &a));
  PetscCall(RhxDeviceCopy(device, a, p->dx, p->n * sizeof(double), RHX_COPY_TO_HOST));
  PetscCall(VecRestoreArrayWrite(p->x, &a));
  PetscCall(VecAXPY(p->x, -1, p->exact));
  PetscCall(VecMean(p->x, &mean));
  if (!p->grid->fixed) PetscCall(VecShift(p->x, -mean));
  PetscCall(VecNorm(p->exact, NORM_2, &size));
  PetscCall(VecNorm(p->x, NORM_2, &error));
  expect(error <= tolerance * size, "%s, %s, %d nodes: off by %g", what, cell_name[p->grid->cell], (int)p->n,
         error / size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expect_end(Problem *p, const char *what, int good, PetscInt least, PetscInt most)
{
  KSPConvergedReason reason;
  PetscInt its;
  PetscFunctionBegin;
  PetscCall(RhxDeviceSynchronize(device));
  PetscCall(RhxGraphCGFinish(p->ksp));
  PetscCall(KSPGetConvergedReason(p->ksp, &reason));
  PetscCall(KSPGetIterationNumber(p->ksp, &its));
  expect(good ? reason > 0 : reason < 0, "%s, %s: reason %d", what, cell_name[p->grid->cell], (int)reason);
  expect(its >= least && its <= most, "%s, %s: %d iterations, expected %d to %d", what, cell_name[p->grid->cell],
         (int)its, (int)least, (int)most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's CG with the same preconditioner takes as many iterations, give or take one. */
static PetscErrorCode iterations_of_petsc(Problem *p, PetscInt *its)
{
  KSPNormType norm;
  PetscReal rtol;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPGetNormType(p->ksp, &norm));
  PetscCall(KSPGetTolerances(p->ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPGetPC(p->ksp, &pc));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, p->A, p->A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, norm));
  PetscCall(KSPSetPC(ksp, pc));
  PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(VecCopy(p->b, p->x));
  PetscCall(KSPSolve(ksp, p->b, p->x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_norm(const Grid *grid, const char *type, KSPNormType norm)
{
  char what[64];
  Problem p;
  PetscInt petsc;
  PetscFunctionBegin;
  snprintf(what, sizeof(what), "%s, norm %s", type, KSPNormTypes[norm]);
  PetscCall(make(grid, type, norm, 1e-13, &p));
  PetscCall(put(&p, p.b, p.db));
  PetscCall(put(&p, p.b, p.dx)); /* a guess that is not zero */
  PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
  PetscCall(RhxDeviceSynchronize(device));
  if (strcmp(type, RHX_PC_GRAPH_INVERSE) == 0 && norm == KSP_NORM_UNPRECONDITIONED) /* in double precision */
    PetscCall(expect_end(&p, what, 1, 1, 2));
  else {
    PetscCall(iterations_of_petsc(&p, &petsc));
    PetscCall(expect_end(&p, what, 1, petsc - 1 - petsc / 10, petsc + 1 + petsc / 10));
  }
  PetscCall(compare(&p, what, 1e-10));
  PetscCall(unmake(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Through KSPSolve with host vectors, from zero and again from the solution. */
static PetscErrorCode check_petsc(const Grid *grid)
{
  Problem p;
  KSPConvergedReason reason;
  PetscReal history[101];
  PetscInt its, n;
  PetscFunctionBegin;
  PetscCall(make(grid, RHX_PC_GRAPH_MG, KSP_NORM_PRECONDITIONED, 1e-13, &p));
  PetscCall(KSPSetResidualHistory(p.ksp, history, 101, PETSC_TRUE));
  PetscCall(KSPSolve(p.ksp, p.b, p.x));
  PetscCall(KSPGetConvergedReason(p.ksp, &reason));
  PetscCall(KSPGetIterationNumber(p.ksp, &its));
  PetscCall(KSPGetResidualHistory(p.ksp, NULL, &n));
  expect(reason > 0 && its > 1, "KSPSolve: reason %d after %d iterations", (int)reason, (int)its);
  expect(n == its + 1 && history[its] <= 1e-13 * history[0], "KSPSolve: %d norms, last %g of %g", (int)n, history[its],
         history[0]);
  PetscCall(put(&p, p.x, p.dx));
  PetscCall(compare(&p, "KSPSolve", 1e-10));
  PetscCall(KSPSetInitialGuessNonzero(p.ksp, PETSC_TRUE));
  PetscCall(VecCopy(p.exact, p.x));
  PetscCall(KSPSetTolerances(p.ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSolve(p.ksp, p.b, p.x));
  PetscCall(KSPGetIterationNumber(p.ksp, &its));
  expect(its == 0, "KSPSolve from the solution: %d iterations", (int)its);
  PetscCall(unmake(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solve between other work inside one graph, launched three times; each begins with the guess of the last. */
static PetscErrorCode check_graph(const Grid *grid)
{
  Problem p;
  RhxDeviceGraph graph;
  PetscBool can;
  void *from;
  PetscFunctionBegin;
  PetscCall(make(grid, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, 1e-13, &p));
  PetscCall(RhxGraphCGCanRecord(p.ksp, &can));
  if (!can) printf("graph: this driver knows no loops\n");
  PetscCall(RhxDeviceMalloc(device, p.n * sizeof(double), "from", &from));
  PetscCall(put(&p, p.b, from));
  PetscCall(put(&p, NULL, p.dx));
  if (can) {
    PetscCall(RhxDeviceGraphBegin(device));
    PetscCall(RhxDeviceCopy(device, p.db, from, p.n * sizeof(double), RHX_COPY_ON_DEVICE));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(RhxDeviceCopy(device, from, p.db, p.n * sizeof(double), RHX_COPY_ON_DEVICE));
    PetscCall(RhxDeviceGraphEnd(device, &graph));
    for (int k = 0; k < 3; k++) {
      PetscCall(RhxDeviceGraphLaunch(device, graph));
      PetscCall(expect_end(&p, "graph", 1, k ? 0 : 5, k ? 5 : 100));
      PetscCall(compare(&p, "graph", 1e-10));
    }
    PetscCall(RhxDeviceGraphDestroy(&graph));
  }
  PetscCall(RhxDeviceFree(device, from));
  PetscCall(unmake(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two solves give the same bits. */
static PetscErrorCode check_again(const Grid *grid)
{
  Problem p;
  double *first, *second;
  PetscBool same;
  PetscFunctionBegin;
  PetscCall(make(grid, RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED, 1e-8, &p));
  PetscCall(PetscMalloc2(p.n, &first, p.n, &second));
  PetscCall(put(&p, p.b, p.db));
  for (int k = 0; k < 2; k++) {
    PetscCall(put(&p, NULL, p.dx));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(RhxDeviceCopy(device, k ? second : first, p.dx, p.n * sizeof(double), RHX_COPY_TO_HOST));
  }
  PetscCall(PetscMemcmp(first, second, p.n * sizeof(double), &same));
  expect(same, "two solves differ");
  PetscCall(PetscFree2(first, second));
  PetscCall(unmake(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_failures(const Grid *grid)
{
  Problem p;
  KSPConvergedReason reason;
  PetscFunctionBegin;
  for (int norm = KSP_NORM_PRECONDITIONED; norm <= KSP_NORM_NATURAL; norm++) {
    PetscCall(make(grid, RHX_PC_GRAPH_MG, (KSPNormType)norm, 1e-13, &p));
    PetscCall(KSPSetTolerances(p.ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 3));
    PetscCall(put(&p, p.b, p.db));
    PetscCall(put(&p, NULL, p.dx));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(expect_end(&p, "too few iterations", 0, 3, 3));
    PetscCall(KSPGetConvergedReason(p.ksp, &reason));
    expect(reason == KSP_DIVERGED_ITS, "too few iterations: reason %d", (int)reason);
    PetscCall(VecSetValue(p.b, p.n / 2, NAN, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(p.b));
    PetscCall(VecAssemblyEnd(p.b));
    PetscCall(put(&p, p.b, p.db));
    PetscCall(put(&p, NULL, p.dx));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(expect_end(&p, "NaN", 0, 0, 1));
    PetscCall(KSPGetConvergedReason(p.ksp, &reason));
    expect(reason == KSP_DIVERGED_NANORINF, "NaN: reason %d", (int)reason);
    PetscCall(put(&p, NULL, p.dx));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(put(&p, NULL, p.db));
    PetscCall(put(&p, NULL, p.dx));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(expect_end(&p, "NaN, then zero", 0, 0, 1));
    PetscCall(KSPGetConvergedReason(p.ksp, &reason));
    expect(reason == KSP_DIVERGED_NANORINF, "NaN, then zero: reason %d", (int)reason);
    PetscCall(put(&p, NULL, p.db));
    PetscCall(put(&p, NULL, p.dx));
    PetscCall(RhxGraphCGEnqueue(p.ksp, p.db, p.dx));
    PetscCall(expect_end(&p, "zero", 1, 0, 1));
    PetscCall(unmake(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Grid *grids = getenv("RHX_EMULATED") ? emulated : on_device;
  RhxDeviceState state;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxSolverRegister());
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability != RHX_DEVICE_READY) {
    printf("skipped: %s\n", state.sentence);
    PetscCall(PetscFinalize());
    return SKIP;
  }
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &device));
  for (size_t k = 0; k < NGRIDS; k++) {
    for (int norm = KSP_NORM_PRECONDITIONED; norm <= KSP_NORM_NATURAL; norm++)
      PetscCall(check_norm(&grids[k], RHX_PC_GRAPH_MG, (KSPNormType)norm));
    PetscCall(check_petsc(&grids[k]));
    PetscCall(check_graph(&grids[k]));
  }
  PetscCall(check_norm(&grids[0], RHX_PC_GRAPH_INVERSE, KSP_NORM_UNPRECONDITIONED));
  PetscCall(check_norm(&(Grid){QUAD, {45, 44, 1}, 1, PETSC_FALSE}, RHX_PC_GRAPH_INVERSE, KSP_NORM_PRECONDITIONED));
  PetscCall(check_again(&grids[1]));
  PetscCall(PetscOptionsInsertString(NULL, "-pc_graph_mg_hierarchy gamg"));
  for (size_t k = 0; k < NGRIDS; k++) PetscCall(check_norm(&grids[k], RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_graph_mg_hierarchy"));
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_graph_cg_host_loop"));
  PetscCall(check_norm(&grids[1], RHX_PC_GRAPH_MG, KSP_NORM_UNPRECONDITIONED));
  PetscCall(check_norm(&grids[2], RHX_PC_GRAPH_MG, KSP_NORM_PRECONDITIONED));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_graph_cg_host_loop"));
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_graph_cg_past 6"));
  for (size_t k = 0; k < 3; k++) PetscCall(check_graph(&grids[k]));
  PetscCall(check_failures(&grids[1]));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_graph_cg_past"));
  PetscCall(check_failures(&grids[1]));
  PetscCall(RhxDeviceClose(&device));
  PetscCall(PetscFinalize());
  if (!failures) printf("the solver agrees\n");
  return failures ? 1 : 0;
}
