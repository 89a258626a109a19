#include "device/cudss.h"
#include "device/device.h"
#include "petsc_compat.h"
#include "scheme/device_factors_impl.h"
#include <petsc/private/matimpl.h>

#define MENDABLE 0.1 /* relative residual of a solve, from which a Krylov method comes to an end */

typedef struct {
  const Cudss *cu;
  void *handle, *config, *data;
  void *A, *x, *b;              /* what cuDSS calls matrices; their arrays are those of the call */
  PetscBool factored, has_room; /* room: the memory of factors was taken, of good ones or not */
  int64_t needed;               /* bytes of the device at most, of the analysis */
} Factors;

/* What must not fail. */
static PetscErrorCode must(int status, const char *doing)
{
  static const char *const names[] = {"success",       "not initialised",  "no memory",      "bad value",
                                      "not supported", "execution failed", "internal error", "refinement failed"};
  PetscFunctionBegin;
  PetscCheck(!status, PETSC_COMM_SELF, PETSC_ERR_LIB, "cuDSS failed at %s: status %d, %s", doing, status,
             status > 0 && status < (int)PETSC_STATIC_ARRAY_LENGTH(names) ? names[status] : "unknown");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(Factors *f)
{
  void **matrix[] = {&f->A, &f->x, &f->b};
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(matrix); k++) {
    if (*matrix[k]) PetscCall(must(f->cu->MatrixDestroy(*matrix[k]), "freeing a matrix"));
    *matrix[k] = NULL;
  }
  if (f->data) PetscCall(must(f->cu->DataDestroy(f->handle, f->data), "freeing factors"));
  f->data = NULL;
  f->factored = f->has_room = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the values that the factors are of, without waiting. */
static PetscErrorCode execute(Factors *f, int phase, int *status)
{
  PetscFunctionBegin;
  *status = f->cu->Execute(f->handle, phase, f->config, f->data, f->A, f->x, f->b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode on_device(PetscMemType where, const char *what)
{
  PetscFunctionBegin;
  PetscCheck(PetscMemTypeDevice(where), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-pc_factor_mat_solver_type " RHX_SOLVER_CUDSS ": got %s on the host, expected it on the device", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays of vectors of the matrix, which cuDSS asks for early. */
static PetscErrorCode describe_vectors(Factors *f, Mat A)
{
  const PetscInt n = A->rmap->n;
  PetscScalar *x;
  PetscMemType where;
  Vec v;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &v, NULL));
  PetscCall(VecGetArrayWriteAndMemType(v, &x, &where));
  PetscCall(on_device(where, "a vector"));
  PetscCall(must(f->cu->MatrixCreateDn(&f->x, n, 1, n, x, CUDSS_DOUBLE, CUDSS_BY_COLUMNS), "describing a vector"));
  PetscCall(must(f->cu->MatrixCreateDn(&f->b, n, 1, n, x, CUDSS_DOUBLE, CUDSS_BY_COLUMNS), "describing a vector"));
  PetscCall(VecRestoreArrayWriteAndMemType(v, &x));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode factor_symbolic(Mat F, Mat A, IS row, IS column, const MatFactorInfo *info)
{
  Factors *f = (Factors *)F->data;
  const PetscInt *i, *j, n = A->rmap->n;
  int64_t memory[16] = {0};
  PetscScalar *a;
  PetscMemType where;
  MatInfo size;
  size_t written;
  int status;
  PetscFunctionBegin;
  (void)row, (void)column, (void)info;
  PetscCall(forget(f));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &size));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, &where));
  PetscCall(on_device(where, "a matrix"));
  PetscCall(must(f->cu->MatrixCreateCsr(&f->A, n, n, (int64_t)size.nz_used, i, NULL, j, a, CUDSS_INT, CUDSS_INT,
                                        CUDSS_DOUBLE, CUDSS_GENERAL, CUDSS_FULL, CUDSS_BASE_ZERO),
                 "describing the matrix"));
  PetscCall(describe_vectors(f, A));
  PetscCall(must(f->cu->DataCreate(f->handle, &f->data), "making room for factors"));
  PetscCall(execute(f, CUDSS_ANALYSIS, &status));
  f->needed = 0;
  F->factorerrortype = status == CUDSS_ALLOC_FAILED ? MAT_FACTOR_OUTMEMORY : MAT_FACTOR_NOERROR;
  if (F->factorerrortype) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(must(status, "the analysis"));
  PetscCall(must(f->cu->DataGet(f->handle, f->data, CUDSS_MEMORY, memory, sizeof(memory), &written), "memory"));
  f->needed = memory[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Beyond what the device has cuDSS would fail too, later and for less of a reason. */
static PetscErrorCode fits(const Factors *f, PetscBool *is)
{
  size_t unused;
  PetscFunctionBegin;
  PetscCall(RhxDeviceUnused(&unused));
  *is = (PetscBool)(f->has_room || f->needed <= (int64_t)unused);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 0 where there are none */
static PetscErrorCode count(Factors *f, int what, double *n)
{
  int64_t value = 0;
  size_t written;
  PetscFunctionBegin;
  *n = 0;
  if (!f->factored) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(must(
      f->cu->DataGet(f->handle, f->data, what, &value, what == CUDSS_PIVOTS ? sizeof(int) : sizeof(value), &written),
      "a count"));
  *n = (double)value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_with(Mat F, Vec b, Vec x, int transposed)
{
  Factors *f = (Factors *)F->data;
  const PetscScalar *from;
  PetscScalar *to;
  PetscMemType where;
  int status;
  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(b, &from, &where));
  PetscCall(on_device(where, "a right-hand side"));
  PetscCall(VecGetArrayWriteAndMemType(x, &to, &where));
  PetscCall(on_device(where, "a solution"));
  PetscCall(must(f->cu->MatrixSetValues(f->b, from), "taking a right-hand side"));
  PetscCall(must(f->cu->MatrixSetValues(f->x, to), "taking a solution"));
  PetscCall(must(f->cu->ConfigSet(f->config, CUDSS_SOLVE_MODE, &transposed, sizeof(transposed)),
                 transposed ? "transposed solves, which this version lacks" : "solves"));
  PetscCall(execute(f, CUDSS_SOLVE, &status));
  PetscCall(must(status, "a solve"));
  PetscCall(VecRestoreArrayReadAndMemType(b, &from));
  PetscCall(VecRestoreArrayWriteAndMemType(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cuDSS replaces a pivot that is none by a small one and goes on: factors that do not solve at all are those of a singular matrix. */
static PetscErrorCode look_at_pivots(Mat F, Mat A)
{
  double pivots;
  PetscReal size, error;
  Vec x, b;
  PetscFunctionBegin;
  PetscCall(count((Factors *)F->data, CUDSS_PIVOTS, &pivots));
  if (!(pivots > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(solve_with(F, b, x, 0));
  PetscCall(VecScale(b, -1.0));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &error));
  if (!(error <= MENDABLE * size)) F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode factor_numeric(Mat F, Mat A, const MatFactorInfo *options)
{
  Factors *f = (Factors *)F->data;
  const PetscInt *i, *j;
  PetscScalar *a;
  PetscMemType where;
  PetscBool fit = PETSC_FALSE;
  size_t written;
  int status, info = 0;
  PetscFunctionBegin;
  (void)options;
  PetscCall(fits(f, &fit));
  F->factorerrortype = fit ? MAT_FACTOR_NOERROR : MAT_FACTOR_OUTMEMORY;
  if (!fit) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, &where));
  PetscCall(must(f->cu->MatrixSetCsrPointers(f->A, i, NULL, j, a), "taking the matrix"));
  PetscCall(execute(f, f->factored ? CUDSS_REFACTORISATION : CUDSS_FACTORISATION, &status));
  if (status == CUDSS_ALLOC_FAILED) F->factorerrortype = MAT_FACTOR_OUTMEMORY;
  if (F->factorerrortype) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(must(status, "the factorisation"));
  f->has_room = PETSC_TRUE;
  PetscCall(must(f->cu->DataGet(f->handle, f->data, CUDSS_INFO, &info, sizeof(info), &written), "the factorisation"));
  if (info) F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  f->factored = (PetscBool)!info;
  if (f->factored) PetscCall(look_at_pivots(F, A));
  if (F->factorerrortype) f->factored = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(solve_with(F, b, x, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_transposed(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(solve_with(F, b, x, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_info(Mat F, MatInfoType type, MatInfo *info)
{
  PetscFunctionBegin;
  (void)F, (void)type;
  PetscCall(PetscMemzero(info, sizeof(*info)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(Mat F, PetscViewer viewer)
{
  Factors *f = (Factors *)F->data;
  double nonzeros, pivots;
  PetscFunctionBegin;
  PetscCall(count(f, CUDSS_LU_NONZEROS, &nonzeros));
  PetscCall(count(f, CUDSS_PIVOTS, &pivots));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "cuDSS: %.0f nonzeros, %.0f MB of the device at most, %.0f pivots replaced\n",
                                   nonzeros, (double)f->needed / 1e6, pivots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Mat F)
{
  Factors *f = (Factors *)F->data;
  PetscFunctionBegin;
  PetscCall(forget(f));
  if (f->config) PetscCall(must(f->cu->ConfigDestroy(f->config), "its end"));
  if (f->handle) PetscCall(must(f->cu->Destroy(f->handle), "its end"));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", NULL));
  PetscCall(PetscFree(F->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_type(Mat F, MatSolverType *type)
{
  PetscFunctionBegin;
  (void)F;
  *type = RHX_SOLVER_CUDSS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Else what cuDSS compiles, some seconds for each kind of matrix, is lost at the end of the program. */
static PetscErrorCode keep_programs(const Factors *f)
{
  char folder[PETSC_MAX_PATH_LEN];
  PetscBool own;
  PetscFunctionBegin;
  PetscCall(RhxDeviceCacheFolder("cudss", sizeof(folder), folder, &own));
  PetscCall(must(f->cu->SetJitCacheDir(f->handle, own ? folder : ""), "taking a folder for its programs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(Mat A, MatFactorType kind, Mat *F)
{
  const Cudss *cu;
  char why[1024] = "";
  Factors *f;
  PetscFunctionBegin;
  PetscCall(RhxCudssOpen(&cu, sizeof(why), why));
  PetscCheck(cu, PETSC_COMM_SELF, PETSC_ERR_LIB, "-pc_factor_mat_solver_type " RHX_SOLVER_CUDSS ": got %s", why);
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), F));
  PetscCall(MatSetSizes(*F, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(PetscStrallocpy(RHX_SOLVER_CUDSS, &((PetscObject)*F)->type_name));
  PetscCall(PetscNew(&f));
  f->cu = cu;
  (*F)->data = f;
  (*F)->factortype = kind;
  (*F)->assembled = PETSC_TRUE;
  (*F)->ops->getinfo = get_info;
  (*F)->ops->view = view;
  (*F)->ops->destroy = destroy;
  (*F)->ops->lufactorsymbolic = factor_symbolic;
  (*F)->ops->lufactornumeric = factor_numeric;
  (*F)->ops->solve = solve;
  (*F)->ops->solvetranspose = solve_transposed;
  PetscCall(MatSetUp(*F));
  PetscCall(PetscFree((*F)->solvertype));
  PetscCall(PetscStrallocpy(RHX_SOLVER_CUDSS, &(*F)->solvertype));
  PetscCall(PetscObjectComposeFunction((PetscObject)*F, "MatFactorGetSolverType_C", get_type));
  PetscCall(must(cu->Create(&f->handle), "its start"));
  PetscCall(must(cu->ConfigCreate(&f->config), "its start"));
  PetscCall(keep_programs(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCudssRegister(void)
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage()); /* which MatSolverTypeRegister does too late: it would lose all other packages */
  PetscCall(MatSolverTypeRegister(RHX_SOLVER_CUDSS, MATSEQAIJCUSPARSE, MAT_FACTOR_LU, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCudssGetNeeded(Mat F, double *bytes)
{
  PetscFunctionBegin;
  *bytes = (double)((Factors *)F->data)->needed;
  PetscFunctionReturn(PETSC_SUCCESS);
}
