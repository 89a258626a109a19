#include "device/cudss.h"
#include "petsc_compat.h"
#include "scheme/device_factors_impl.h"
#include "scheme/factors_impl.h"
#include <petscksp.h>
#include <stdio.h>
#include <string.h>

#define MORE_ROOM 50   /* per cent over MUMPS's estimate, for the factors of matrices of saddle points */
#define ENLARGE 4      /* times, where that does not suffice, */
#define ENLARGEMENTS 3 /* as often at most */
/* INFOG(1) of MUMPS: memory was not had, or a limit (-mat_mumps_icntl_23) is too small; integers, reals or buffers of the work space
 * whose size it estimates were too few. PETSc calls both memory. */
#define NO_MEMORY -13
#define LIMIT_TOO_SMALL -19
#define FEW_INTEGERS -8
#define FEW_REALS -9
#define SMALL_SEND -17
#define SMALL_RECEIVE -20
#define SPARE 0.8      /* of the memory that is left: factors may have so much */
#define DETERMINANT 33 /* ICNTL: the determinant with the factors, in RINFOG(12) times 2^INFOG(34) */

#if defined(PETSC_HAVE_MUMPS)
static PetscErrorCode set_room(PC pc, PetscInt percent)
{
  Mat factors;
  PetscFunctionBegin;
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCFactorGetMatrix(pc, &factors));
  PetscCall(MatMumpsSetIcntl(factors, 14, percent));
  PetscCall(MatMumpsSetIcntl(factors, DETERMINANT, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* Of a matrix on the device, where options leave the factors to us. */
static PetscErrorCode use_device(Mat P, PC pc, PetscBool *taken)
{
  const char *prefix;
  char type[64] = PCLU, why[1024];
  const Cudss *cudss;
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)P, MATSEQAIJCUSPARSE, taken));
  if (!*taken) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_factor_mat_solver_type", &given));
  *taken = PETSC_FALSE;
  if (given || strcmp(type, PCLU)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCudssOpen(&cudss, sizeof(why), why));
  if (!cudss) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, RHX_SOLVER_CUDSS));
  *taken = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsUse(MPI_Comm comm, Mat P, PC pc)
{
  PetscBool device;
  PetscFunctionBegin;
  PetscCall(use_device(P, pc, &device));
  if (device) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(PETSC_HAVE_MUMPS)
  (void)comm;
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(set_room(pc, MORE_ROOM));
#elif defined(PETSC_HAVE_SUPERLU_DIST)
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PCSetType(pc, PCLU));
  if (size > 1) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSUPERLU_DIST));
#else
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PCSetType(pc, size > 1 ? PCREDUNDANT : PCLU));
  if (size > 1) {
    KSP inner;
    PetscCall(PCRedundantSetNumber(pc, size));
    PetscCall(PCRedundantGetKSP(pc, &inner));
    PetscCall(KSPSetType(inner, KSPPREONLY));
    PetscCall(KSPGetPC(inner, &pc));
    PetscCall(PCSetType(pc, PCLU));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_SUPERLU_DIST)
/* As it destroys factors of SuperLU_DIST PETSc (3.18) expects what the first factorisation leaves on the communicator, which else is an error
 * of MPI: of a run that needs no factors, or begins them anew before they are there. That of a row a rank leaves it. */
static PetscErrorCode make_key(MPI_Comm comm)
{
  MatFactorInfo info;
  PetscInt row;
  Mat A, factors;
  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(comm, 1, 1, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &row, NULL));
  PetscCall(MatSetValue(A, row, row, 1.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetFactor(A, MATSOLVERSUPERLU_DIST, MAT_FACTOR_LU, &factors));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatLUFactorSymbolic(factors, A, NULL, NULL, &info));
  PetscCall(MatLUFactorNumeric(factors, A, &info));
  PetscCall(MatDestroy(&factors));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode RhxFactorsCheck(MPI_Comm comm, Mat P, PC pc)
{
  MatSolverType type;
  PetscMPIInt size;
  const Cudss *library;
  PetscBool lu, own, device, cudss;
  char why[1024] = "";
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  PetscCall(PCFactorGetMatSolverType(pc, &type));
  PetscCall(PetscStrcmp(type ? type : MATSOLVERPETSC, MATSOLVERPETSC, &own));
  PetscCheck(size == 1 || !lu || !own, comm, PETSC_ERR_SUP,
             "Newton's method: got %d ranks and factors by this PETSc itself, expected one rank, or a PETSc with MUMPS "
             "or SuperLU_DIST (-pc_factor_mat_solver_type)",
             size);
#if defined(PETSC_HAVE_SUPERLU_DIST)
  PetscBool superlu;
  PetscCall(PetscStrcmp(type ? type : "", MATSOLVERSUPERLU_DIST, &superlu));
  if (lu && superlu) PetscCall(make_key(comm));
#endif
  PetscCall(PetscObjectTypeCompare((PetscObject)P, MATSEQAIJCUSPARSE, &device));
  PetscCall(PetscStrcmp(type ? type : "", RHX_SOLVER_CUDSS, &cudss));
  if (!lu || !cudss) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCudssOpen(&library, sizeof(why), why));
  PetscCheck(library, comm, PETSC_ERR_LIB, "-pc_factor_mat_solver_type " RHX_SOLVER_CUDSS ": got %s", why);
  PetscCheck(device, comm, PETSC_ERR_SUP,
             "-pc_factor_mat_solver_type " RHX_SOLVER_CUDSS
             ": got a matrix on the host or of %d ranks, expected -device cuda, a PETSc with CUDA and one rank",
             size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_MUMPS)
/* A number of a file of a line or of lines "name: number"; -1: there is none. */
static double read_number(const char *path, const char *name)
{
  FILE *f = fopen(path, "r");
  char line[256];
  double value = -1.0;
  if (!f) return value;
  while (value < 0.0 && fgets(line, sizeof(line), f))
    if (!strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), " %lf", &value) != 1) value = -1.0;
  fclose(f);
  return value;
}

/* Of this host, bytes: what Linux says, or what is left of a container's limit, where that is less. */
static double get_available(void)
{
  const double kilobytes = read_number("/proc/meminfo", "MemAvailable:");
  const double limit = read_number("/sys/fs/cgroup/memory.max", "");
  const double used = read_number("/sys/fs/cgroup/memory.current", "");
  const double host = kilobytes < 0.0 ? PETSC_MAX_REAL : 1024.0 * kilobytes;
  return limit < 0.0 || used < 0.0 ? host : PetscMin(host, PetscMax(limit - used, 0.0));
}

/* By the analysis: bytes of this rank. */
static PetscErrorCode estimate(Mat A, double *bytes)
{
  MatFactorInfo info;
  PetscInt megabytes;
  Mat factors;
  PetscFunctionBegin;
  PetscCall(MatGetFactor(A, MATSOLVERMUMPS, MAT_FACTOR_LU, &factors));
  PetscCall(MatMumpsSetIcntl(factors, 14, MORE_ROOM));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatLUFactorSymbolic(factors, A, NULL, NULL, &info));
  PetscCall(MatMumpsGetInfo(factors, 15, &megabytes));
  PetscCall(MatDestroy(&factors));
  *bytes = 1e6 * megabytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsFit(Mat A, PetscBool *fit, double *needed, double *available)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  struct {
    double left;
    int rank;
  } host, worst;
  double of[2];
  PetscMPIInt rank;
  MPI_Comm shared;
  PetscFunctionBegin;
  PetscCall(estimate(A, &of[0]));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, of, 1, MPI_DOUBLE, MPI_SUM, shared));
  PetscCallMPI(MPI_Comm_free(&shared));
  of[1] = get_available();
  host.left = of[1] - of[0];
  host.rank = rank;
  PetscCallMPI(MPI_Allreduce(&host, &worst, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  PetscCallMPI(MPI_Bcast(of, 2, MPI_DOUBLE, worst.rank, comm));
  *needed = of[0];
  *available = of[1];
  *fit = (PetscBool)(of[0] <= SPARE * of[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode RhxFactorsFit(Mat A, PetscBool *fit, double *needed, double *available)
{
  PetscFunctionBegin;
  (void)A;
  *fit = PETSC_FALSE;
  *needed = *available = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

static PetscErrorCode is_mumps(PC pc, PetscBool *mumps)
{
  MatSolverType type = NULL;
  PetscBool lu;
  PetscFunctionBegin;
  *mumps = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  if (lu) PetscCall(PCFactorGetMatSolverType(pc, &type));
  if (type) PetscCall(PetscStrcmp(type, MATSOLVERMUMPS, mumps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsHaveSign(PC pc, PetscBool *have)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_MUMPS)
  PetscCall(is_mumps(pc, have));
#else
  (void)pc;
  *have = PETSC_FALSE;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsGetSign(PC pc, int *sign)
{
  PetscFunctionBegin;
  *sign = 0;
#if defined(PETSC_HAVE_MUMPS)
  PCFailedReason reason;
  PetscReal mantissa;
  PetscInt on;
  Mat factors;
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(PCFactorGetMatrix(pc, &factors));
  PetscCall(MatMumpsGetIcntl(factors, DETERMINANT, &on));
  if (reason != PC_NOERROR || !on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMumpsGetRinfog(factors, 12, &mantissa));
  *sign = (mantissa > 0.0) - (mantissa < 0.0);
#else
  (void)pc;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As before its first set-up, but for what RhxFactorsUse did. */
static PetscErrorCode begin_anew(PC pc)
{
  Mat A, P;
  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, &A, &P));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(PetscObjectReference((PetscObject)P));
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, P));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsRestart(PC pc)
{
  PetscFunctionBegin;
  PetscCall(begin_anew(pc));
#if defined(PETSC_HAVE_MUMPS)
  PetscBool mumps;
  PetscCall(is_mumps(pc, &mumps));
  if (mumps) PetscCall(set_room(pc, MORE_ROOM));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsMend(PC pc)
{
  PCFailedReason reason;
  PetscBool mumps, redundant;
  PetscFunctionBegin;
  PetscCall(is_mumps(pc, &mumps));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCREDUNDANT, &redundant));
  PetscCall(PCGetFailedReason(pc, &reason)); /* the same on every rank */
  if ((mumps || redundant) && reason != PC_NOERROR) PetscCall(RhxFactorsRestart(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What MUMPS, or cuDSS, says of factors that failed. */
typedef struct {
  PetscBool memory, room;
  PetscBool device;
  PetscInt megabytes, percent, delayed; /* its estimate over all ranks, 0: not known; what room it had; pivots */
} Failure;

static PetscInt more(const Failure *f) { return PetscMax(ENLARGE * f->percent, 2 * MORE_ROOM); }

static PetscErrorCode look_at_device(PC pc, Failure *f)
{
  MatSolverType type = NULL;
  PetscBool lu;
  double bytes;
  Mat factors;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  if (lu) PetscCall(PCFactorGetMatSolverType(pc, &type));
  if (type) PetscCall(PetscStrcmp(type, RHX_SOLVER_CUDSS, &f->device));
  if (!f->device || !f->memory) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatrix(pc, &factors));
  PetscCall(RhxCudssGetNeeded(factors, &bytes));
  f->megabytes = (PetscInt)(bytes / 1e6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look(PC pc, Failure *f)
{
  PCFailedReason reason;
  PetscFunctionBegin;
  PetscCall(PCGetFailedReason(pc, &reason));
  *f = (Failure){.memory = (PetscBool)(reason == PC_FACTOR_OUTMEMORY)};
  PetscCall(look_at_device(pc, f));
#if defined(PETSC_HAVE_MUMPS)
  PetscInt status;
  PetscBool mumps;
  Mat factors;
  PetscCall(is_mumps(pc, &mumps));
  if (!mumps || reason == PC_NOERROR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatrix(pc, &factors));
  PetscCall(MatMumpsGetInfog(factors, 1, &status));
  PetscCall(MatMumpsGetInfog(factors, 13, &f->delayed));
  PetscCall(MatMumpsGetInfog(factors, 17, &f->megabytes));
  PetscCall(MatMumpsGetIcntl(factors, 14, &f->percent));
  f->room =
      (PetscBool)(status == FEW_INTEGERS || status == FEW_REALS || status == SMALL_SEND || status == SMALL_RECEIVE);
  f->memory = (PetscBool)(!f->room && (f->memory || status == NO_MEMORY || status == LIMIT_TOO_SMALL));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_MUMPS)
/* MUMPS cannot go on from a failure; its analysis reads the option, where it is given, again. */
static PetscErrorCode set_up_with(PC pc, PetscInt percent)
{
  const char *prefix;
  char option[256], given[64], value[64];
  PetscBool is;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-mat_mumps_icntl_14", given, sizeof(given), &is));
  snprintf(option, sizeof(option), "-%smat_mumps_icntl_14", prefix ? prefix : "");
  snprintf(value, sizeof(value), "%" PetscInt_FMT, percent);
  if (is) PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(begin_anew(pc));
  PetscCall(set_room(pc, percent));
  PetscCall(PCSetUp(pc));
  if (is) PetscCall(PetscOptionsSetValue(NULL, option, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode RhxFactorsEnlarge(PC pc)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_MUMPS)
  for (int k = 0; k < ENLARGEMENTS; k++) {
    Failure f = {0};
    PetscCall(look(pc, &f));
    if (!f.room) break;
    PetscCall(set_up_with(pc, more(&f)));
  }
#else
  (void)pc;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsExplain(PC pc, const char *instead, size_t size, char *text)
{
  PCFailedReason reason;
  Failure f = {0};
  char where[96] = "";
  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(look(pc, &f));
  if (f.megabytes > 0)
    snprintf(where, sizeof(where), "%s (about %" PetscInt_FMT " MB%s)", f.device ? " of the device" : "", f.megabytes,
             f.device ? "" : " over all ranks");
  if (f.room)
    snprintf(text, size,
             "the work space of MUMPS was too small, with %" PetscInt_FMT
             " %% more than it estimates and %" PetscInt_FMT
             " delayed pivots, though there is memory: more (-mat_mumps_icntl_14 %" PetscInt_FMT "), or %s; ",
             f.percent, f.delayed, more(&f), instead);
  else if (f.memory)
    snprintf(text, size, "the factors of the matrix do not fit into the memory%s: %s needs less; ", where,
             f.device ? "-solver points" : instead);
  else if (reason == PC_FACTOR_STRUCT_ZEROPIVOT || reason == PC_FACTOR_NUMERIC_ZEROPIVOT)
    snprintf(text, size,
             "the matrix is singular: a condition is missing (an outlet or a node where the pressure is given, the "
             "polymer at an "
             "inlet), or the branch of states turns here (-scheme_steady_continuation_type arclength); ");
  PetscFunctionReturn(PETSC_SUCCESS);
}
