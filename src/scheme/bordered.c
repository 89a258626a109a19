#include "petsc_compat.h"
#include "scheme/bordered_impl.h"
#include "scheme/factors_impl.h"

#define MOST_ITERATIONS 200
#define REFINED 1e-13 /* residual of a transposed solve over its right-hand side, */
#define MOST_REFINEMENTS 5

struct _RhxBordered {
  RhxEquations eq;
  Mat M, B, C; /* B, C: NULL without projections */
  double s, w; /* 1/s */
  const char *instead;
  PetscInt parts;     /* 2 with w not 0 */
  PetscInt width;     /* numbers of a node, of one part */
  PetscScalar *mask;  /* [nlocal][naux] 0 where a projection vanishes, else 1 */
  PetscInt *col;      /* [room] of a row, */
  PetscScalar *entry; /* and its entries */
  Mat S;
  KSP ksp;
  Vec rhs, solution, correction;
};

/* Where the first part of number c of global node g is. */
static PetscInt place(const RhxBordered b, PetscInt g, PetscInt c) { return b->parts * (g * b->width + c); }

/* Adds a matrix of blocks bs x cbs to S from number `row` and `column` of a node's block on; crossed: by i w. */
typedef struct {
  PetscInt bs, row, cbs, column;
  double factor;
  PetscBool crossed;
} Block;

static PetscErrorCode add_row(RhxBordered b, const Block *k, PetscInt i, PetscInt n, const PetscInt *at,
                              const PetscScalar *value, Mat S)
{
  const PetscInt first = place(b, i / k->bs, k->row + i % k->bs);
  PetscFunctionBegin;
  for (PetscInt part = 0; part < b->parts; part++) {
    const PetscInt row = first + part;
    const double factor = k->crossed && !part ? -k->factor : k->factor;
    for (PetscInt j = 0; j < n; j++) {
      b->col[j] = place(b, at[j] / k->cbs, k->column + at[j] % k->cbs) + (k->crossed ? 1 - part : part);
      b->entry[j] = factor * value[j];
    }
    PetscCall(MatSetValues(S, 1, &row, n, b->col, b->entry, ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* keep: of its rows on this rank, 0 where one is left out; NULL: all. */
static PetscErrorCode add_matrix(RhxBordered b, const Block *k, Mat A, const PetscScalar *keep, Mat S)
{
  PetscInt first, end;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    const PetscScalar *value;
    const PetscInt *at;
    PetscInt n;
    if (keep && keep[i - first] == 0.0) continue;
    PetscCall(MatGetRow(A, i, &n, &at, &value));
    PetscCall(add_row(b, k, i, n, at, value, S));
    PetscCall(MatRestoreRow(A, i, &n, &at, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's part of M_a, rows of its ghosts too. */
static PetscErrorCode add_mass(RhxBordered b, Mat S)
{
  const RhxForm form = b->eq->form;
  const RhxSpace sp = form->space;
  const RhxNodeGraph *graph = &form->consistent.graph;
  const PetscInt naux = form->naux, *node;
  const PetscBool consistent = RhxFormIsConsistent(form);
  PetscInt *at;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal, &at));
  PetscCall(ISLocalToGlobalMappingGetIndices(sp->l2g, &node));
  for (PetscInt i = 0; i < sp->nlocal; i++)
    for (PetscInt c = 0; c < naux; c++) {
      const PetscInt row = node[i] * naux + c, first = consistent ? graph->start[i] : 0;
      const PetscInt n = consistent ? graph->start[i + 1] - first : 1;
      const Block k = {naux, sp->bs, naux, sp->bs, 1.0, PETSC_FALSE};
      const PetscScalar one = 1.0;
      const PetscBool zero = (PetscBool)(b->mask[(size_t)i * naux + c] == 0.0);
      if (zero || !consistent) {
        if (i < sp->nowned) PetscCall(add_row(b, &k, row, 1, &row, zero ? &one : &sp->mass[i], S));
        continue;
      }
      for (PetscInt j = 0; j < n; j++) at[j] = node[graph->node[first + j]] * naux + c;
      PetscCall(add_row(b, &k, row, n, at, form->consistent.value + first, S));
    }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(sp->l2g, &node));
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RhxBordered b, const PetscScalar *free, Mat S)
{
  const PetscInt bs = b->eq->form->space->bs, naux = b->eq->form->naux;
  const Block state = {bs, 0, bs, 0, 1.0, PETSC_FALSE}, growing = {bs, 0, bs, 0, b->s, PETSC_FALSE},
              turning = {bs, 0, bs, 0, b->w, PETSC_TRUE}, by = {bs, 0, naux, bs, 1.0, PETSC_FALSE},
              of = {naux, bs, bs, 0, -1.0, PETSC_FALSE};
  PetscFunctionBegin;
  PetscCall(add_matrix(b, &state, b->eq->P, NULL, S));
  if (b->M) PetscCall(add_matrix(b, &growing, b->M, NULL, S));
  if (b->parts > 1) PetscCall(add_matrix(b, &turning, b->M, NULL, S));
  if (b->B) {
    PetscCall(add_matrix(b, &by, b->B, free, S));
    PetscCall(add_matrix(b, &of, b->C, b->mask, S));
    PetscCall(add_mass(b, S));
  }
  PetscCall(MatAssemblyBegin(S, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(S, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *most: of the entries of a row, at least those of A. */
static PetscErrorCode widen(Mat A, PetscInt *most)
{
  PetscInt first, end, n;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    PetscCall(MatGetRow(A, i, &n, NULL, NULL));
    *most = PetscMax(*most, n);
    PetscCall(MatRestoreRow(A, i, &n, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of the longest row that is added, those of a ghost's mass among them. */
static PetscErrorCode find_room(RhxBordered b, PetscInt *room)
{
  const RhxForm form = b->eq->form;
  const Mat part[] = {b->eq->P, b->M, b->B, b->C};
  PetscFunctionBegin;
  *room = 1;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(part); k++)
    if (part[k]) PetscCall(widen(part[k], room));
  for (PetscInt i = 0; b->B && RhxFormIsConsistent(form) && i < form->space->nlocal; i++)
    *room = PetscMax(*room, form->consistent.graph.start[i + 1] - form->consistent.graph.start[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its pattern is found by filling it once. */
static PetscErrorCode assemble(RhxBordered b)
{
  const RhxSpace sp = b->eq->form->space;
  const PetscInt n = b->parts * b->width * sp->nowned, N = b->parts * b->width * sp->nglobal;
  PetscScalar *free;
  Mat pattern;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nowned * sp->bs, &free));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) free[k] = b->eq->given[k] ? 0.0 : 1.0;
  PetscCall(MatCreate(sp->comm, &pattern));
  PetscCall(MatSetSizes(pattern, n, n, N, N));
  PetscCall(MatSetType(pattern, MATPREALLOCATOR));
  PetscCall(MatSetUp(pattern));
  PetscCall(fill(b, free, pattern));
  PetscCall(MatCreate(sp->comm, &b->S));
  PetscCall(MatSetSizes(b->S, n, n, N, N));
  PetscCall(MatSetType(b->S, MATAIJ));
  PetscCall(MatPreallocatorPreallocate(pattern, PETSC_FALSE, b->S));
  PetscCall(MatDestroy(&pattern));
  PetscCall(fill(b, free, b->S));
  PetscCall(PetscFree(free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_solver(RhxBordered b)
{
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPCreate(b->eq->form->comm, &b->ksp));
  PetscCall(KSPSetOperators(b->ksp, b->S, b->S));
  PetscCall(KSPSetType(b->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(b->ksp, &pc));
  PetscCall(RhxFactorsUse(b->eq->form->comm, pc));
  PetscCall(KSPSetUp(b->ksp));
  PetscCall(RhxFactorsEnlarge(pc));
  PetscCall(MatCreateVecs(b->S, &b->solution, &b->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mask of the projections, B and C. */
static PetscErrorCode differentiate(RhxBordered b)
{
  const RhxEquations eq = b->eq;
  const RhxForm form = eq->form;
  const size_t n = (size_t)form->space->nlocal * form->naux;
  const RhxOpsPoint at = {.t = eq->t, .x = eq->state, .aux = eq->aux};
  PetscFunctionBegin;
  if (!form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &b->mask));
  for (size_t i = 0; i < n; i++) b->mask[i] = 1.0;
  PetscCall(RhxBoundaryImposeAuxiliary(eq->bc, b->mask));
  PetscCall(RhxSpaceGlobalToLocal(form->space, form->naux, b->mask, b->mask));
  PetscCall(eq->ops->table->tangent->auxiliary(eq->ops, &at, &b->B, &b->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedCreate(RhxEquations eq, Mat M, const double shift[2], const char *instead, RhxBordered *out)
{
  RhxBordered b;
  PetscInt room;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  b = *out;
  b->eq = eq;
  b->M = M;
  b->s = shift[0];
  b->w = shift[1];
  b->instead = instead;
  b->parts = b->w != 0.0 ? 2 : 1;
  b->width = eq->form->space->bs + eq->form->naux;
  PetscCall(differentiate(b));
  PetscCall(find_room(b, &room));
  PetscCall(PetscMalloc2(room, &b->col, room, &b->entry));
  PetscCall(assemble(b));
  PetscCall(PetscFree2(b->col, b->entry));
  PetscCall(create_solver(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* wide: v, and zero for the projections. */
static PetscErrorCode extend(RhxBordered b, Vec v, Vec wide)
{
  const RhxSpace sp = b->eq->form->space;
  const PetscInt n = b->parts * sp->bs, width = b->parts * b->width;
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(wide));
  PetscCall(VecGetArrayRead(v, &from));
  PetscCall(VecGetArray(wide, &to));
  for (PetscInt i = 0; i < sp->nowned; i++) PetscCall(PetscArraycpy(to + (size_t)i * width, from + (size_t)i * n, n));
  PetscCall(VecRestoreArray(wide, &to));
  PetscCall(VecRestoreArrayRead(v, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restrict_to_state(RhxBordered b, Vec wide, Vec v)
{
  const RhxSpace sp = b->eq->form->space;
  const PetscInt n = b->parts * sp->bs, width = b->parts * b->width;
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(wide, &from));
  PetscCall(VecGetArray(v, &to));
  for (PetscInt i = 0; i < sp->nowned; i++) PetscCall(PetscArraycpy(to + (size_t)i * n, from + (size_t)i * width, n));
  PetscCall(VecRestoreArray(v, &to));
  PetscCall(VecRestoreArrayRead(wide, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_solved(RhxBordered b)
{
  KSPConvergedReason reason;
  char cause[512];
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(b->ksp, &reason));
  if (reason > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(b->ksp, &pc));
  PetscCall(RhxFactorsExplain(pc, b->instead, sizeof(cause), cause));
  if (strlen(cause) > 2) cause[strlen(cause) - 2] = '\0';
  SETERRQ(b->eq->form->comm, PETSC_ERR_NOT_CONVERGED,
          "the equations at the shift %g%+gi (1/s) cannot be solved (%s): %s", b->s, b->w, KSPConvergedReasons[reason],
          cause[0] ? cause : "is it an eigenvalue itself, or is a condition missing?");
}

/* y = (J + (s + i w) M)^-1 x up to rounding: vectors without a, parts side by side. */
static PetscErrorCode solve(RhxBordered b, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(extend(b, x, b->rhs));
  PetscCall(KSPSolve(b->ksp, b->rhs, b->solution));
  PetscCall(check_solved(b));
  PetscCall(restrict_to_state(b, b->solution, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds B^T w to the rows of the projections. */
static PetscErrorCode add_weights(RhxBordered b, Vec w, Vec wide)
{
  const RhxSpace sp = b->eq->form->space;
  const PetscInt naux = b->eq->form->naux;
  const PetscScalar *from;
  PetscScalar *to;
  Vec a;
  PetscFunctionBegin;
  if (!w || !b->B) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(b->B, &a, NULL));
  PetscCall(MatMultTranspose(b->B, w, a));
  PetscCall(VecGetArrayRead(a, &from));
  PetscCall(VecGetArray(wide, &to));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < naux; c++) to[(size_t)i * b->width + sp->bs + c] += from[(size_t)i * naux + c];
  PetscCall(VecRestoreArray(wide, &to));
  PetscCall(VecRestoreArrayRead(a, &from));
  PetscCall(VecDestroy(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One with the transposed factors; r is left. */
static PetscErrorCode correct_transposed(RhxBordered b, Vec r, Vec solution)
{
  PetscFunctionBegin;
  PetscCall(KSPSolveTranspose(b->ksp, r, b->correction));
  PetscCall(check_solved(b));
  PetscCall(VecAXPY(solution, 1.0, b->correction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedSolveTransposed(RhxBordered b, Vec x, Vec w, Vec y)
{
  const RhxForm form = b->eq->form;
  PetscReal norm, left;
  Vec r;
  PetscFunctionBegin;
  PetscCheck(!form->corrections, form->comm, PETSC_ERR_SUP,
             "adjoint solves: got projections by the lumped mass with %" PetscInt_FMT
             " corrections, expected the consistent mass (-scheme_steady_projection consistent) or none",
             form->corrections);
  if (!b->correction) PetscCall(VecDuplicate(b->rhs, &b->correction));
  PetscCall(VecDuplicate(b->rhs, &r));
  PetscCall(extend(b, x, b->rhs));
  PetscCall(add_weights(b, w, b->rhs));
  PetscCall(VecNorm(b->rhs, NORM_2, &norm));
  PetscCall(VecZeroEntries(b->solution));
  PetscCall(VecCopy(b->rhs, r));
  left = norm;
  for (int k = 0; k < MOST_REFINEMENTS && left > REFINED * norm; k++) {
    PetscCall(correct_transposed(b, r, b->solution));
    PetscCall(MatMultTranspose(b->S, b->solution, r));
    PetscCall(VecAYPX(r, -1.0, b->rhs));
    PetscCall(VecNorm(r, NORM_2, &left));
  }
  PetscCall(VecDestroy(&r));
  PetscCall(restrict_to_state(b, b->solution, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode precondition(PC pc, Vec x, Vec y)
{
  RhxBordered b;
  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &b));
  PetscCall(solve(b, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedCreateSolver(RhxBordered b, Mat A, double tolerance, KSP *ksp)
{
  PC pc;
  PetscFunctionBegin;
  PetscCall(KSPCreate(b->eq->form->comm, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPSetPCSide(*ksp, PC_RIGHT));
  PetscCall(KSPSetTolerances(*ksp, tolerance, PETSC_CURRENT, PETSC_CURRENT, MOST_ITERATIONS));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, b));
  PetscCall(PCShellSetApply(pc, precondition));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedDestroy(RhxBordered *out)
{
  RhxBordered b = *out;
  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPDestroy(&b->ksp));
  PetscCall(MatDestroy(&b->S));
  PetscCall(MatDestroy(&b->B));
  PetscCall(MatDestroy(&b->C));
  PetscCall(VecDestroy(&b->rhs));
  PetscCall(VecDestroy(&b->solution));
  PetscCall(VecDestroy(&b->correction));
  PetscCall(PetscFree(b->mask));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
