#include "petsc_compat.h"
#include "scheme/bordered_impl.h"
#include "scheme/constraint_impl.h"
#include "scheme/factors_impl.h"

#define MOST_ITERATIONS 200
#define REFINED 1e-13 /* residual of a transposed solve over its right-hand side, */
#define MOST_REFINEMENTS 5

struct _RhxBordered {
  RhxEquations eq;
  Mat M, B, C; /* B, C: NULL without projections */
  double s, w; /* 1/s */
  const char *instead;
  PetscInt parts;                 /* 2 with w not 0 */
  PetscInt width;                 /* numbers of a node, of one part */
  PetscInt nfluxes;               /* of following, whose numbers the last rank has */
  PetscBool last;                 /* is this it? */
  RhxConstraint state, projected; /* of rows of the state of owned nodes, of projections of all here; NULL as B */
  PetscInt *col;                  /* [room] of a row, */
  PetscScalar *entry;             /* and its entries */
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

static PetscErrorCode add_row(RhxBordered b, const Block *k, PetscInt i, PetscScalar share, PetscInt n,
                              const PetscInt *at, const PetscScalar *value, Mat S)
{
  const PetscInt first = place(b, i / k->bs, k->row + i % k->bs);
  PetscFunctionBegin;
  for (PetscInt part = 0; part < b->parts; part++) {
    const PetscInt row = first + part;
    const PetscScalar factor = share * (k->crossed && !part ? -k->factor : k->factor);
    for (PetscInt j = 0; j < n; j++) {
      b->col[j] = place(b, at[j] / k->cbs, k->column + at[j] % k->cbs) + (k->crossed ? 1 - part : part);
      b->entry[j] = factor * value[j];
    }
    PetscCall(MatSetValues(S, 1, &row, n, b->col, b->entry, ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row c of local node i, global node g, to those that K takes it to. */
static PetscErrorCode spread_row(RhxBordered b, const Block *k, RhxConstraint of, PetscInt i, PetscInt g, PetscInt c,
                                 PetscInt n, const PetscInt *at, const PetscScalar *value, Mat S)
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < k->bs; r++) {
    const PetscScalar share = RhxConstraintShare(of, i, r, c);
    if (share != 0.0) PetscCall(add_row(b, k, g * k->bs + r, share, n, at, value, S));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* of: constraint of its rows; NULL: none. */
static PetscErrorCode add_matrix(RhxBordered b, const Block *k, Mat A, RhxConstraint of, Mat S)
{
  PetscInt first, end;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    const PetscScalar *value;
    const PetscInt *at;
    PetscInt n;
    PetscCall(MatGetRow(A, i, &n, &at, &value));
    if (of)
      PetscCall(spread_row(b, k, of, (i - first) / k->bs, i / k->bs, i % k->bs, n, at, value, S));
    else
      PetscCall(add_row(b, k, i, 1.0, n, at, value, S));
    PetscCall(MatRestoreRow(A, i, &n, &at, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of 1 - K of a node of this rank. */
static PetscErrorCode add_vanishing(RhxBordered b, const Block *k, PetscInt i, PetscInt g, Mat S)
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < k->bs; r++)
    for (PetscInt c = 0; c < k->bs; c++) {
      const PetscInt column = g * k->bs + c;
      const PetscScalar value = (r == c ? 1.0 : 0.0) - RhxConstraintShare(b->projected, i, r, c);
      if (value != 0.0) PetscCall(add_row(b, k, g * k->bs + r, 1.0, 1, &column, &value, S));
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
  const Block k = {naux, sp->bs, naux, sp->bs, 1.0, PETSC_FALSE};
  PetscInt *at;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal, &at));
  PetscCall(ISLocalToGlobalMappingGetIndices(sp->l2g, &node));
  for (PetscInt i = 0; i < (consistent ? sp->nlocal : sp->nowned); i++) {
    const PetscInt first = consistent ? graph->start[i] : 0, n = consistent ? graph->start[i + 1] - first : 1;
    const PetscScalar *value = consistent ? form->consistent.value + first : &sp->mass[i];
    for (PetscInt c = 0; c < naux; c++) {
      for (PetscInt j = 0; j < n; j++) at[j] = node[consistent ? graph->node[first + j] : i] * naux + c;
      PetscCall(spread_row(b, &k, b->projected, i, node[i], c, n, at, value, S));
    }
    if (i < sp->nowned) PetscCall(add_vanishing(b, &k, i, node[i], S));
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(sp->l2g, &node));
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the first part of the flux of number k is. */
static PetscInt flux_place(const RhxBordered b, PetscInt k)
{
  return b->parts * (b->eq->form->space->nglobal * b->width + k);
}

/* An entry a + i c between first parts. */
static PetscErrorCode add_entry(RhxBordered b, PetscInt row, PetscInt column, double a, double c, Mat S)
{
  const PetscScalar value[2][2] = {{a, -c}, {c, a}};
  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->parts; i++)
    for (PetscInt j = 0; j < b->parts; j++)
      if (i == j || c != 0.0) PetscCall(MatSetValue(S, row + i, column + j, value[i][j], ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column and row of a flux: this rank's part. */
static PetscErrorCode add_flux(RhxBordered b, PetscInt k, Mat S)
{
  const RhxFollowing fw = b->eq->following;
  const RhxSpace sp = b->eq->form->space;
  const PetscInt at = flux_place(b, k);
  const double z[2] = {b->s, b->w};
  const PetscScalar *column, *weight;
  double slope[2];
  PetscFunctionBegin;
  RhxFollowingRespond(fw, k, z, slope);
  PetscCall(VecGetArrayRead(fw->column[k], &column));
  PetscCall(VecGetArrayRead(fw->weight[k], &weight));
  for (PetscInt i = 0; i < sp->nowned * sp->bs; i++) {
    const PetscInt here = place(b, sp->rstart + i / sp->bs, i % sp->bs);
    if (column[i] != 0.0) PetscCall(add_entry(b, here, at, slope[0] * column[i], slope[1] * column[i], S));
    if (weight[i] != 0.0) PetscCall(add_entry(b, at, here, -weight[i], 0.0, S));
  }
  if (b->last) PetscCall(add_entry(b, at, at, 1.0, 0.0, S));
  PetscCall(VecRestoreArrayRead(fw->weight[k], &weight));
  PetscCall(VecRestoreArrayRead(fw->column[k], &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(RhxBordered b, Mat S)
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
    PetscCall(add_matrix(b, &by, b->B, b->state, S));
    PetscCall(add_matrix(b, &of, b->C, b->projected, S));
    PetscCall(add_mass(b, S));
  }
  for (PetscInt k = 0; k < b->nfluxes; k++) PetscCall(add_flux(b, k, S));
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
  const PetscInt fluxes = b->parts * b->nfluxes, own = b->parts * b->width * sp->nowned;
  const PetscInt n = own + (b->last ? fluxes : 0), N = b->parts * b->width * sp->nglobal + fluxes;
  Mat pattern;
  PetscFunctionBegin;
  PetscCall(MatCreate(sp->comm, &pattern));
  PetscCall(MatSetSizes(pattern, n, n, N, N));
  PetscCall(MatSetType(pattern, MATPREALLOCATOR));
  PetscCall(MatSetUp(pattern));
  PetscCall(fill(b, pattern));
  PetscCall(MatCreate(sp->comm, &b->S));
  PetscCall(MatSetSizes(b->S, n, n, N, N));
  PetscCall(MatSetType(b->S, MATAIJ));
  PetscCall(MatPreallocatorPreallocate(pattern, PETSC_FALSE, b->S));
  PetscCall(MatDestroy(&pattern));
  PetscCall(fill(b, b->S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What fill needs. */
static PetscErrorCode open_rows(RhxBordered b)
{
  PetscInt room;
  PetscFunctionBegin;
  PetscCall(find_room(b, &room));
  PetscCall(PetscMalloc2(room, &b->col, room, &b->entry));
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
  PetscCall(RhxFactorsUse(b->eq->form->comm, b->S, pc));
  PetscCall(KSPSetUp(b->ksp));
  PetscCall(RhxFactorsEnlarge(pc));
  PetscCall(MatCreateVecs(b->S, &b->solution, &b->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_state(void *ctx, PetscScalar *a)
{
  const RhxEquations eq = ((RhxBordered)ctx)->eq;
  Vec v;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(eq->value, &v));
  PetscCall(VecPlaceArray(v, a));
  PetscCall(RhxEquationsFree(eq, v));
  PetscCall(VecResetArray(v));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode constrain_projections(void *ctx, PetscScalar *a)
{
  const RhxEquations eq = ((RhxBordered)ctx)->eq;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryImposeAuxiliary(eq->bc, a));
  PetscCall(RhxSpaceGlobalToLocal(eq->form->space, eq->form->naux, a, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constraints, B and C. */
static PetscErrorCode differentiate(RhxBordered b)
{
  const RhxEquations eq = b->eq;
  const RhxForm form = eq->form;
  const RhxOpsPoint at = {.t = eq->t, .x = eq->state, .aux = eq->aux};
  PetscFunctionBegin;
  if (!form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxConstraintCreate(form->space->nowned, form->space->bs, free_state, b, &b->state));
  PetscCall(RhxConstraintCreate(form->space->nlocal, form->naux, constrain_projections, b, &b->projected));
  PetscCall(eq->ops->table->tangent->auxiliary(eq->ops, &at, NULL, &b->B, &b->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedCreate(RhxEquations eq, Mat M, const double shift[2], const char *instead, RhxBordered *out)
{
  RhxBordered b;
  PetscMPIInt rank, size;
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
  b->nfluxes = eq->following ? eq->following->n : 0;
  PetscCallMPI(MPI_Comm_rank(eq->form->comm, &rank));
  PetscCallMPI(MPI_Comm_size(eq->form->comm, &size));
  b->last = (PetscBool)(rank == size - 1);
  PetscCall(differentiate(b));
  PetscCall(open_rows(b));
  PetscCall(assemble(b));
  PetscCall(PetscFree2(b->col, b->entry));
  PetscCall(create_solver(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_parts(RhxBordered b)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&b->B));
  PetscCall(MatDestroy(&b->C));
  PetscCall(RhxConstraintDestroy(&b->state));
  PetscCall(RhxConstraintDestroy(&b->projected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedRenew(RhxBordered b)
{
  PC pc;
  PetscFunctionBegin;
  PetscCall(destroy_parts(b));
  PetscCall(differentiate(b));
  PetscCall(open_rows(b));
  PetscCall(MatZeroEntries(b->S));
  PetscCall(fill(b, b->S));
  PetscCall(PetscFree2(b->col, b->entry));
  PetscCall(KSPGetPC(b->ksp, &pc));
  PetscCall(RhxFactorsMend(pc));
  PetscCall(KSPSetOperators(b->ksp, b->S, b->S));
  PetscCall(KSPSetUp(b->ksp));
  PetscCall(RhxFactorsEnlarge(pc));
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

PetscErrorCode RhxBorderedGetSign(RhxBordered b, int *sign)
{
  PetscBool have;
  PC pc;
  PetscFunctionBegin;
  *sign = 0;
  PetscCall(KSPGetPC(b->ksp, &pc));
  PetscCall(RhxFactorsHaveSign(pc, &have));
  if (have) PetscCall(RhxFactorsGetSign(pc, sign));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBorderedDestroy(RhxBordered *out)
{
  RhxBordered b = *out;
  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPDestroy(&b->ksp));
  PetscCall(MatDestroy(&b->S));
  PetscCall(destroy_parts(b));
  PetscCall(VecDestroy(&b->rhs));
  PetscCall(VecDestroy(&b->solution));
  PetscCall(VecDestroy(&b->correction));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
