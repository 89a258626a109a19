#include "step/pressure.h"
#include "petsc_compat.h"
#include "plugin/event.h"
#include "solver/defaults.h"
#include "solver/solver.h"
#include "space/dm.h"
#include "step/tolerances.h"
#if defined(PETSC_HAVE_CUDA)
#include <petscdevice.h>
#endif

/* Nodes up to which a direct factor is the default: a solve beats multigrid and costs no iterations. */
#define DIRECT(dim) ((dim) == 2 ? 60000 : 8000)
static RhxEvent event = RHX_EVENT("RhxPressure");

#define LONG_CELL 3.7 /* sides of a cell that is stretched */
/* Nodes up to which icc is the default on such cells: its iterations grow with the cells a side. */
#define ICC(dim) ((dim) == 2 ? 100000 : 50000)
#define SPREAD 0.5 /* of the logarithms of lengths of long cells: graded along both axes */
#define PAST "6"   /* earlier solutions that a guess is made of */

struct _p_RhxPressure {
  RhxForm form;     /* borrowed */
  double open_part; /* of RhxPressureCreate */
  Mat K, Kfull;     /* fixed rows and columns eliminated; before that, made when a fixed value is not zero */
  KSP ksp;
  Vec b, phi, lifted;
  PetscInt nfixed;
  const PetscInt *fixed;    /* borrowed from boundary */
  PetscBool free;           /* constants are the null space */
  RhxDevice device;         /* borrowed, or NULL */
  PetscBool graph;          /* the solver is one of graphs on the device */
  PetscBool petsc_cuda;     /* it is one of PETSc's own, on device vectors */
  RhxPressureLift lift;     /* one rank */
  RhxDeviceProduct lifting; /* several: free rows, fixed columns */
  char choice[256];         /* of the default solver, why, where it is for the cells' shape */
};

/* From the rows of fixed nodes, the matrix being symmetric. One rank. */
static PetscErrorCode make_lift(RhxPressure pr)
{
  const RhxSpace sp = pr->form->space;
  RhxPressureLift *lift = &pr->lift;
  PetscInt *count, total = 0;
  PetscBool *fixed;
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(sp->nlocal + 1, &count, sp->nlocal, &fixed));
  for (PetscInt i = 0; i < pr->nfixed; i++) fixed[pr->fixed[i]] = PETSC_TRUE;
  for (int pass = 0; pass < 2; pass++) {
    for (PetscInt i = 0; i < pr->nfixed; i++) {
      PetscInt n;
      const PetscInt *col;
      const PetscScalar *val;
      PetscCall(MatGetRow(pr->K, pr->fixed[i], &n, &col, &val));
      for (PetscInt k = 0; k < n; k++) {
        if (fixed[col[k]]) continue;
        if (pass) {
          const PetscInt at = count[col[k]]++;
          lift->col[at] = pr->fixed[i];
          lift->val[at] = val[k];
        } else {
          count[col[k]]++;
          total++;
        }
      }
      PetscCall(MatRestoreRow(pr->K, pr->fixed[i], &n, &col, &val));
    }
    if (pass) break;
    PetscCall(PetscMalloc4(sp->nlocal, &lift->row, sp->nlocal + 1, &lift->start, total, &lift->col, total, &lift->val));
    lift->start[0] = 0;
    for (PetscInt i = 0; i < sp->nlocal; i++) {
      if (!count[i]) continue;
      lift->row[lift->n] = i;
      lift->start[lift->n + 1] = lift->start[lift->n] + count[i];
      count[i] = lift->start[lift->n++]; /* from here on: where the row's next entry goes */
    }
  }
  PetscCall(PetscFree2(count, fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of A what is not zero in the rows of this rank that are free. */
static PetscErrorCode copy_free_rows(RhxPressure pr, Mat A, Mat L)
{
  const RhxSpace sp = pr->form->space;
  PetscBool *fixed;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sp->nowned, &fixed));
  for (PetscInt i = 0; i < pr->nfixed; i++) fixed[pr->fixed[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const PetscInt row = sp->rstart + i;
    const PetscInt *col;
    const PetscScalar *val;
    PetscInt n;
    PetscCall(MatGetRow(A, row, &n, &col, &val));
    for (PetscInt k = 0; !fixed[i] && k < n; k++)
      if (val[k] != 0.0) PetscCall(MatSetValues(L, 1, &row, 1, &col[k], &val[k], INSERT_VALUES));
    PetscCall(MatRestoreRow(A, row, &n, &col, &val));
  }
  PetscCall(MatAssemblyBegin(L, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(L, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What elimination took from the free rows. whole: K before it; becomes work. */
static PetscErrorCode make_lifting(RhxPressure pr, Mat whole)
{
  Mat count, L;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(MatAXPY(whole, -1.0, pr->K, SAME_NONZERO_PATTERN));
  PetscCall(MatGetLocalSize(whole, &n, NULL));
  PetscCall(MatCreate(pr->form->comm, &count));
  PetscCall(MatSetSizes(count, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(count, MATPREALLOCATOR));
  PetscCall(MatSetUp(count));
  PetscCall(copy_free_rows(pr, whole, count));
  PetscCall(MatCreate(pr->form->comm, &L));
  PetscCall(MatSetSizes(L, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(L, MATAIJ));
  PetscCall(MatPreallocatorPreallocate(count, PETSC_FALSE, L));
  PetscCall(copy_free_rows(pr, whole, L));
  PetscCall(RhxDeviceProductCreate(L, pr->device, &pr->lifting));
  PetscCall(MatDestroy(&count));
  PetscCall(MatDestroy(&L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode eliminate(RhxPressure pr)
{
  PetscInt *rows;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(pr->nfixed, &rows));
  for (PetscInt i = 0; i < pr->nfixed; i++) rows[i] = pr->form->space->rstart + pr->fixed[i];
  PetscCall(MatZeroRowsColumns(pr->K, pr->nfixed, rows, 1.0, NULL, NULL));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factorisation on one rank, or on every rank of the gathered matrix: a small solve costs less than its messages. */
static PetscErrorCode direct_solver(RhxPressure pr, PC pc, PetscMPIInt size)
{
  PetscFunctionBegin;
  PetscCall(KSPSetType(pr->ksp, KSPPREONLY));
  if (size > 1) {
    KSP inner;
    PetscCall(PCSetType(pc, PCREDUNDANT));
    PetscCall(PCRedundantSetNumber(pc, size));
    PetscCall(PCRedundantGetKSP(pc, &inner));
    PetscCall(KSPSetType(inner, KSPPREONLY));
    PetscCall(KSPGetPC(inner, &pc));
  }
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conjugate gradients and preconditioner on the device. */
static PetscErrorCode graph_solver(RhxPressure pr, PC pc)
{
  PetscFunctionBegin;
  PetscCall(KSPSetType(pr->ksp, RHX_KSP_GRAPH_CG));
  PetscCall(KSPSetNormType(pr->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetInitialGuessNonzero(pr->ksp, PETSC_TRUE));
  PetscCall(PCSetType(pc, pr->form->space->nglobal <= RHX_GRAPH_INVERSE_ROWS ? RHX_PC_GRAPH_INVERSE : RHX_PC_GRAPH_MG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Square of the largest distance of its nodes, and whether it is a long cell. */
static PetscBool long_cell(const RhxCells *cells, PetscInt dim, PetscInt e, PetscReal *length)
{
  const PetscReal *x = cells->x + (size_t)(e / RHX_LANES) * cells->nn * dim * RHX_LANES + e % RHX_LANES;
  PetscReal most = 0, least = PETSC_MAX_REAL;
  for (PetscInt a = 0; a < cells->nn; a++)
    for (PetscInt b = 0; b < a; b++) {
      PetscReal square = 0;
      for (PetscInt d = 0; d < dim; d++) {
        const PetscReal side = x[(a * dim + d) * RHX_LANES] - x[(b * dim + d) * RHX_LANES];
        square += side * side;
      }
      most = PetscMax(most, square);
      least = PetscMin(least, square);
    }
  *length = most;
  return (PetscBool)(most > LONG_CELL * LONG_CELL * least);
}

/* Part of the cells whose nodes are up to LONG_CELL times as far apart as the nearest two of them, and standard deviation of the logarithm of
 * their lengths; triangles, on which multigrid does well, are not. */
static PetscErrorCode measure_long_cells(RhxSpace sp, PetscReal *part, PetscReal *spread)
{
  PetscReal sum[4] = {0.0, 0.0, 0.0, 0.0}; /* long cells, their logarithms, squares of these; cells */
  PetscFunctionBegin;
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    const RhxCells *cells = &sp->cells[k];
    for (PetscInt e = 0; cells->type != DM_POLYTOPE_TRIANGLE && e < cells->n; e++) {
      PetscReal length;
      if (!long_cell(cells, sp->dim, e, &length)) continue;
      length = 0.5 * PetscLogReal(length);
      sum[0] += 1.0;
      sum[1] += length;
      sum[2] += length * length;
    }
    sum[3] += (PetscReal)cells->n;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPIU_REAL, MPI_SUM, sp->comm));
  *part = sum[0] / PetscMax(sum[3], 1.0);
  sum[0] = PetscMax(sum[0], 1.0);
  *spread = PetscSqrtReal(PetscMax(sum[2] / sum[0] - sum[1] / sum[0] * (sum[1] / sum[0]), 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On long cells multigrid takes many iterations, GAMG the most; incomplete Cholesky up to six times as many, each far
 * cheaper; in the plane, where lengths of long cells differ much, as on meshes that are graded along both axes, the multigrid of
 * graphs takes few (theory.md, Pressure). */
static PetscErrorCode choose_for_long_cells(RhxPressure pr, PC pc, PetscMPIInt size, PetscBool *chosen)
{
  const RhxSpace sp = pr->form->space;
  PetscReal part = 0, spread = 0;
  PCType type = NULL;
  PetscFunctionBegin;
  PetscCall(measure_long_cells(sp, &part, &spread));
  if (size == 1 && sp->nglobal <= ICC(sp->dim)) type = PCICC;
  if (size == 1 && sp->dim == 2 && spread > SPREAD) type = RHX_PC_GRAPH_MG;
#if defined(PETSC_HAVE_HYPRE)
  if (!type) type = PCHYPRE;
#endif
  *chosen = (PetscBool)(type && part > (size == 1 ? 1.0 / 3.0 : 0.5));
  if (!*chosen) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, type));
#if defined(PETSC_HAVE_HYPRE)
  if (type[0] == 'h') PetscCall(PCHYPRESetType(pc, "boomeramg"));
#endif
  PetscCall(PetscSNPrintf(pr->choice, sizeof(pr->choice),
                          "%s: %.3g %% of the cells are longer than %g times their shortest side, %" PetscInt_FMT
                          " nodes on %d rank%s (icc: on one rank, up to %d)%s",
                          type, (double)(100 * part), (double)LONG_CELL, sp->nglobal, size, size > 1 ? "s" : "",
                          ICC(sp->dim), type[0] == 'g' ? ", and their lengths differ" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RhxPressureGetChoice(RhxPressure pressure) { return pressure->choice; }

/* A direct factor for small meshes with fixed pressure somewhere, else CG with incomplete Cholesky or algebraic multigrid;
 * options override. */
static PetscErrorCode default_solver(RhxPressure pr)
{
  const RhxSpace sp = pr->form->space;
  PetscMPIInt size;
  PetscBool chosen, long_cells = PETSC_FALSE;
  PC pc;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sp->comm, &size));
  PetscCall(KSPGetPC(pr->ksp, &pc));
  PetscCall(PetscOptionsHasName(NULL, "pressure_", "-ksp_type", &chosen));
  if (pr->device && !chosen) {
    PetscCall(PetscOptionsHasName(NULL, "pressure_", "-pc_type", &chosen));
    if (!chosen) {
      PetscCall(graph_solver(pr, pc));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(PetscOptionsHasName(NULL, "pressure_", "-pc_type", &chosen));
  if (!pr->free && !chosen && sp->nglobal <= DIRECT(sp->dim)) {
    PetscCall(direct_solver(pr, pc, size));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPSetType(pr->ksp, KSPCG));
  PetscCall(KSPSetNormType(pr->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetInitialGuessNonzero(pr->ksp, PETSC_TRUE));
  if (!chosen && !pr->device) PetscCall(choose_for_long_cells(pr, pc, size, &long_cells));
  if (long_cells) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, PCGAMG)); /* 3D, 126k nodes: 9 iterations, a step in 0.9 of the time of the best hypre */
#if defined(PETSC_HAVE_HYPRE)
  if (sp->dim == 2) {
    PetscCall(PCSetType(pc, PCHYPRE));
    PetscCall(PCHYPRESetType(pc, "boomeramg"));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of boomeramg. Few entries a row: 2D, 99k nodes, quads and triangles: 7 and 6 iterations, a step in 0.8 of the time of its
 * own defaults and of GAMG. In 3D, aggressive too: hexes and tets, 126k nodes: a step in 0.35 to 0.8 of its own defaults'.
 * Its direct solve of the coarsest level, which is singular where the pressure is free, may return any multiple of the null
 * vector: on several ranks tight solves stopped now and then with an indefinite preconditioner. */
static PetscErrorCode set_from_options(RhxPressure pr)
{
  static const RhxDefault past = {"-ksp_graph_cg_past", PAST};
  static const RhxDefault few[] = {{"-pc_hypre_boomeramg_coarsen_type", "HMIS"},
                                   {"-pc_hypre_boomeramg_interp_type", "ext+i"},
                                   {"-pc_hypre_boomeramg_P_max", "4"}},
                          aggressive = {"-pc_hypre_boomeramg_agg_nl", "1"},
                          coarse = {"-pc_hypre_boomeramg_relax_type_coarse", "symmetric-SOR/Jacobi"};
  RhxDefault all[RHX_DEFAULTS_MOST];
  RhxDefaults defaults;
  int n = 0;
  PetscFunctionBegin;
  for (; n < (int)PETSC_STATIC_ARRAY_LENGTH(few); n++) all[n] = few[n];
  if (pr->form->space->dim == 3) all[n++] = aggressive;
  if (pr->free) all[n++] = coarse;
  all[n++] = past;
  PetscCall(RhxDefaultsSet("pressure_", all, n, &defaults));
  PetscCall(KSPSetFromOptions(pr->ksp));
  PetscCall(RhxDefaultsClear(&defaults));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's solvers that iterate begin at the best combination of earlier solutions, as graph_cg does by itself: where the user asks
 * for it, and where a solve costs more than a factorisation would. Anew: at the guess that they are given. */
static PetscErrorCode begin_guesses(RhxPressure pr)
{
  static const RhxDefault all[] = {{"-ksp_guess_pod_size", PAST}};
  const RhxSpace sp = pr->form->space;
  char type[64] = KSPGUESSPOD;
  RhxDefaults defaults;
  PetscBool none, asked;
  KSPGuess guess;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pr->ksp, &none, KSPPREONLY, KSPNONE, RHX_KSP_GRAPH_CG, ""));
  PetscCall(PetscOptionsGetString(NULL, "pressure_", "-ksp_guess_type", type, sizeof(type), &asked));
  if (none || (!asked && (pr->petsc_cuda || sp->nglobal <= DIRECT(sp->dim)))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGuessCreate(pr->form->comm, &guess));
  PetscCall(KSPSetGuess(pr->ksp, guess));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)guess, "pressure_"));
  PetscCall(RhxDefaultsSet("pressure_", all, PETSC_STATIC_ARRAY_LENGTH(all), &defaults));
  PetscCall(KSPGuessSetType(guess, type));
  PetscCall(KSPGuessSetFromOptions(guess));
  PetscCall(RhxDefaultsClear(&defaults));
  PetscCall(KSPGuessSetUp(guess));
  PetscCall(KSPGuessDestroy(&guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the options made of the solver: a graph of ours, PETSc's own on device vectors, or the host. */
static PetscErrorCode find_place(RhxPressure pr)
{
  PetscMPIInt size;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(pr->form->comm, &size));
  PetscCall(PetscObjectTypeCompare((PetscObject)pr->ksp, RHX_KSP_GRAPH_CG, &pr->graph));
  PetscCheck(!pr->graph || pr->device, pr->form->comm, PETSC_ERR_USER_INPUT,
             "-pressure_ksp_type: got %s, which needs a device: expected -device cuda or another type",
             RHX_KSP_GRAPH_CG);
  if (pr->device) PetscCall(RhxSolverSetDevice(pr->ksp, pr->device));
#if defined(PETSC_HAVE_CUDA)
  if (pr->device && !pr->graph && size == 1) {
    pr->petsc_cuda = PETSC_TRUE;
    PetscCall(MatConvert(pr->K, MATAIJCUSPARSE, MAT_INPLACE_MATRIX, &pr->K));
    PetscCall(KSPSetOperators(pr->ksp, pr->K, pr->K));
    PetscCall(VecDestroy(&pr->b));
    PetscCall(VecDestroy(&pr->phi));
    PetscCall(MatCreateVecs(pr->K, &pr->phi, &pr->b));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What KSPSolve does around a solve, which a graph is not. */
static PetscErrorCode check_views(RhxPressure pr)
{
  static const char *const names[] = {"-ksp_view_pre",           "-ksp_view_mat",         "-ksp_view_pmat",
                                      "-ksp_view_rhs",           "-ksp_view_solution",    "-ksp_view_final_residual",
                                      "-ksp_converged_rate",     "-ksp_view_eigenvalues", "-ksp_view_singularvalues",
                                      "-ksp_view_diagonal_scale"};
  PetscBool set;
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names) && pr->graph; k++) {
    PetscCall(PetscOptionsHasName(NULL, "pressure_", names[k], &set));
    PetscCheck(!set, pr->form->comm, PETSC_ERR_USER_INPUT,
               "-pressure_%s: got it for the solver graph_cg, whose solves are part of a graph on the device; expected "
               "a solver of PETSc's, such as -pressure_ksp_type cg",
               names[k] + 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the matrix has more where the pressure is given by the traction alone. */
static PetscErrorCode add_open(RhxPressure pr, Mat K)
{
  const RhxForm form = pr->form;
  const RhxOpenNodes *open = &form->open;
  PetscFunctionBegin;
  if (!open->nall) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < open->n; i++)
    PetscCall(MatSetValue(K, form->space->rstart + open->node[i], form->space->rstart + open->node[i],
                          pr->open_part * open->diagonal[i], ADD_VALUES));
  PetscCall(MatAssemblyBegin(K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(K, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureCreate(RhxForm form, RhxBoundary bc, RhxDevice device, double open_part,
                                 RhxPressure *pressure)
{
  RhxPressure pr;
  PetscMPIInt size;
  Mat whole = NULL;
  DM dm;
  PetscFunctionBegin;
  PetscCall(RhxTolerancesCheck(form->comm, "pressure_"));
  PetscCallMPI(MPI_Comm_size(form->comm, &size));
  PetscCall(PetscNew(pressure));
  pr = *pressure;
  pr->form = form;
  pr->open_part = open_part;
  pr->device = device;
  PetscCall(RhxSolverRegister());
  PetscCall(RhxBoundaryGetPressureNodes(bc, &pr->nfixed, &pr->fixed, &pr->free));
  PetscCall(RhxFormCreateLaplacian(form, &pr->K));
  PetscCall(add_open(pr, pr->K));
  PetscCall(MatCreateVecs(pr->K, &pr->phi, &pr->b));
  if (pr->free) {
    MatNullSpace constants;
    PetscCall(MatNullSpaceCreate(form->comm, PETSC_TRUE, 0, NULL, &constants));
    PetscCall(MatSetNullSpace(pr->K, constants));
    PetscCall(MatSetTransposeNullSpace(pr->K, constants));
    PetscCall(MatNullSpaceDestroy(&constants));
  } else {
    if (device && size == 1) PetscCall(make_lift(pr));
    if (device && size > 1) PetscCall(MatDuplicate(pr->K, MAT_COPY_VALUES, &whole));
    PetscCall(eliminate(pr));
  }
  PetscCall(MatSetOption(pr->K, MAT_SPD, (PetscBool)!pr->free));
  PetscCall(KSPCreate(form->comm, &pr->ksp));
  PetscCall(KSPSetOptionsPrefix(pr->ksp, "pressure_"));
  PetscCall(RhxSpaceCreateScalarDM(form->space, "pressure", &dm));
  PetscCall(KSPSetDM(pr->ksp, dm));
  PetscCall(RhxKSPSetDMPassive(pr->ksp));
  PetscCall(DMDestroy(&dm));
  PetscCall(KSPSetOperators(pr->ksp, pr->K, pr->K));
  PetscCall(KSPSetTolerances(pr->ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  PetscCall(default_solver(pr));
  PetscCall(set_from_options(pr));
  PetscCall(find_place(pr));
  PetscCall(check_views(pr));
  if (whole && pr->graph) PetscCall(make_lifting(pr, whole));
  PetscCall(MatDestroy(&whole));
  PetscCall(KSPSetUp(pr->ksp));
  PetscCall(begin_guesses(pr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureForget(RhxPressure pr)
{
  PetscFunctionBegin;
  if (pr->graph)
    PetscCall(RhxGraphCGForget(pr->ksp));
  else
    PetscCall(begin_guesses(pr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureDestroy(RhxPressure *pressure)
{
  PetscFunctionBegin;
  if (!*pressure) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&(*pressure)->K));
  PetscCall(MatDestroy(&(*pressure)->Kfull));
  PetscCall(KSPDestroy(&(*pressure)->ksp));
  PetscCall(RhxDeviceProductDestroy(&(*pressure)->lifting));
  PetscCall(VecDestroy(&(*pressure)->b));
  PetscCall(VecDestroy(&(*pressure)->phi));
  PetscCall(VecDestroy(&(*pressure)->lifted));
  PetscCall(PetscFree4((*pressure)->lift.row, (*pressure)->lift.start, (*pressure)->lift.col, (*pressure)->lift.val));
  PetscCall(PetscFree(*pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureView(RhxPressure pressure, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(KSPView(pressure->ksp, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b -= K lift for values that are not zero, then b = value at the fixed nodes. */
static PetscErrorCode fix_values(RhxPressure pr, const PetscScalar *value)
{
  PetscScalar *b;
  int any = 0;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pr->nfixed; i++) any |= value[pr->fixed[i]] != 0.0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, pr->form->comm));
  if (any) {
    PetscScalar *l;
    if (!pr->Kfull) {
      PetscCall(RhxFormCreateLaplacian(pr->form, &pr->Kfull));
      PetscCall(add_open(pr, pr->Kfull));
      PetscCall(VecDuplicate(pr->b, &pr->lifted));
    }
    PetscCall(VecZeroEntries(pr->lifted));
    PetscCall(VecGetArray(pr->lifted, &l));
    for (PetscInt i = 0; i < pr->nfixed; i++) l[pr->fixed[i]] = -value[pr->fixed[i]];
    PetscCall(VecRestoreArray(pr->lifted, &l));
    PetscCall(MatMultAdd(pr->Kfull, pr->lifted, pr->b, pr->b));
  }
  PetscCall(VecGetArray(pr->b, &b));
  for (PetscInt i = 0; i < pr->nfixed; i++) b[pr->fixed[i]] = value[pr->fixed[i]];
  PetscCall(VecRestoreArray(pr->b, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_converged(RhxPressure pr)
{
  KSPConvergedReason reason;
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(pr->ksp, &reason));
  PetscCall(KSPGetResidualNorm(pr->ksp, &norm));
  PetscCheck(reason > 0, pr->form->comm, PETSC_ERR_NOT_CONVERGED,
             "The pressure solve did not converge: got %s at residual norm %g, expected convergence (options "
             "-pressure_ksp_rtol, -pressure_ksp_max_it, -pressure_pc_type)",
             KSPConvergedReasons[reason], (double)norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureSolve(RhxPressure pr, const PetscScalar *b, const PetscScalar *value, PetscScalar *phi,
                                PetscInt *iterations, PetscBool *solved)
{
  const RhxSpace sp = pr->form->space;
  PetscScalar *a;
  PetscReal norm;
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&event));
  PetscCall(VecGetArrayWrite(pr->b, &a));
  PetscCall(PetscArraycpy(a, b, sp->nowned));
  PetscCall(VecRestoreArrayWrite(pr->b, &a));
  if (!pr->free) PetscCall(fix_values(pr, value));
  PetscCall(VecNorm(pr->b, NORM_2, &norm));
  *iterations = 0;
  *solved = (PetscBool)!PetscIsInfOrNanReal(norm);
  if (*solved) {
    PetscCall(VecGetArrayWrite(pr->phi, &a));
    PetscCall(PetscArraycpy(a, phi, sp->nowned));
    PetscCall(VecRestoreArrayWrite(pr->phi, &a));
    if (pr->free) {
      MatNullSpace constants;
      PetscCall(MatGetNullSpace(pr->K, &constants));
      PetscCall(MatNullSpaceRemove(constants, pr->b));
      PetscCall(MatNullSpaceRemove(constants, pr->phi)); /* a guess that sums increments would double its constant */
    }
    PetscCall(KSPSolve(pr->ksp, pr->b, pr->phi));
    PetscCall(check_converged(pr));
    PetscCall(KSPGetIterationNumber(pr->ksp, iterations));
    PetscCall(VecGetArray(pr->phi, &a));
    for (PetscInt i = 0; i < pr->nfixed; i++) a[pr->fixed[i]] = value[pr->fixed[i]]; /* exactly */
    PetscCall(RhxSpaceGlobalToLocal(sp, 1, a, phi));
    PetscCall(VecRestoreArray(pr->phi, &a));
  }
  PetscCall(RhxEventEnd(&event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureOnDevice(RhxPressure pr, PetscBool *on_device, PetscBool *recordable)
{
  PetscFunctionBegin;
  *on_device = (PetscBool)(pr->graph || pr->petsc_cuda);
  *recordable = PETSC_FALSE;
  if (pr->graph) PetscCall(RhxGraphCGCanRecord(pr->ksp, recordable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureGetLift(RhxPressure pr, const RhxPressureLift **lift)
{
  PetscFunctionBegin;
  *lift = &pr->lift;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_CUDA)
/* PETSc's solver on our arrays; its stream is not ours. */
static PetscErrorCode petsc_solve(RhxPressure pr, const void *b, void *phi)
{
  PetscDeviceContext context;
  PetscFunctionBegin;
  PetscCall(RhxDeviceSynchronize(pr->device));
  PetscCall(VecCUDAPlaceArray(pr->b, (PetscScalar *)b));
  PetscCall(VecCUDAPlaceArray(pr->phi, (PetscScalar *)phi));
  PetscCall(KSPSolve(pr->ksp, pr->b, pr->phi));
  PetscCall(VecCUDAResetArray(pr->phi));
  PetscCall(VecCUDAResetArray(pr->b));
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode RhxPressureEnqueue(RhxPressure pr, void *b, void *phi)
{
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&event));
  if (pr->lifting) PetscCall(RhxDeviceProductSubtract(pr->lifting, phi, b));
  if (pr->graph) PetscCall(RhxGraphCGEnqueue(pr->ksp, b, phi));
#if defined(PETSC_HAVE_CUDA)
  if (pr->petsc_cuda) PetscCall(petsc_solve(pr, b, phi));
#endif
  PetscCall(RhxEventEnd(&event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPressureFinish(RhxPressure pr, PetscBool finite, PetscInt *iterations)
{
  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&event));
  if (pr->graph) {
    PetscCall(RhxGraphCGFinish(pr->ksp));
    PetscCall(KSPConvergedReasonViewFromOptions(pr->ksp)); /* as KSPSolve does */
    PetscCall(KSPViewFromOptions(pr->ksp, NULL, "-ksp_view"));
  }
  PetscCall(RhxEventEnd(&event));
  if (finite) PetscCall(check_converged(pr));
  PetscCall(KSPGetIterationNumber(pr->ksp, iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}
