#include "petsc_compat.h"
#include "scheme/factors_impl.h"
#include <petscksp.h>

#define MORE_ROOM 50        /* per cent, for the factors of matrices of saddle points */
#define LIMIT_TOO_SMALL -19 /* INFOG(1) of MUMPS */

#if defined(PETSC_HAVE_MUMPS)
static PetscErrorCode set_room(PC pc)
{
  Mat factors;
  PetscFunctionBegin;
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCFactorGetMatrix(pc, &factors));
  PetscCall(MatMumpsSetIcntl(factors, 14, MORE_ROOM));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode RhxFactorsUse(MPI_Comm comm, PC pc)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_MUMPS)
  (void)comm;
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(set_room(pc));
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

PetscErrorCode RhxFactorsCheck(MPI_Comm comm, PC pc)
{
  MatSolverType type;
  PetscMPIInt size;
  PetscBool lu, own;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  PetscCall(PCFactorGetMatSolverType(pc, &type));
  PetscCall(PetscStrcmp(type ? type : MATSOLVERPETSC, MATSOLVERPETSC, &own));
  PetscCheck(size == 1 || !lu || !own, comm, PETSC_ERR_SUP,
             "Newton's method: got %d ranks and factors by this PETSc itself, expected one rank, or a PETSc with MUMPS "
             "or SuperLU_DIST (-pc_factor_mat_solver_type)",
             size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

PetscErrorCode RhxFactorsMend(PC pc)
{
  PCFailedReason reason;
  PetscBool mumps, redundant;
  Mat A, P;
  PetscFunctionBegin;
  PetscCall(is_mumps(pc, &mumps));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCREDUNDANT, &redundant));
  PetscCall(PCGetFailedReason(pc, &reason)); /* the same on every rank */
  if (!(mumps || redundant) || reason == PC_NOERROR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(pc, &A, &P));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(PetscObjectReference((PetscObject)P));
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, P));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
#if defined(PETSC_HAVE_MUMPS)
  if (mumps) PetscCall(set_room(pc));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Did they not fit into the memory? megabytes: that MUMPS estimates for its factors, over all ranks; 0: not known. PETSc calls a limit
 * that is set (-mat_mumps_icntl_23) another failure. */
static PetscErrorCode look(PC pc, PetscBool *memory, PetscInt *megabytes)
{
  PCFailedReason reason;
  PetscFunctionBegin;
  PetscCall(PCGetFailedReason(pc, &reason));
  *memory = (PetscBool)(reason == PC_FACTOR_OUTMEMORY);
  *megabytes = 0;
#if defined(PETSC_HAVE_MUMPS)
  PetscInt status;
  PetscBool mumps;
  Mat factors;
  PetscCall(is_mumps(pc, &mumps));
  if (mumps && reason != PC_NOERROR) {
    PetscCall(PCFactorGetMatrix(pc, &factors));
    PetscCall(MatMumpsGetInfog(factors, 1, &status));
    PetscCall(MatMumpsGetInfog(factors, 17, megabytes));
    *memory = (PetscBool)(*memory || status == LIMIT_TOO_SMALL);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFactorsExplain(PC pc, const char *instead, size_t size, char *text)
{
  PCFailedReason reason;
  PetscInt megabytes;
  PetscBool memory = PETSC_FALSE;
  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(look(pc, &memory, &megabytes));
  if (memory)
    snprintf(text, size,
             "the factors of the matrix do not fit into the memory (about %" PetscInt_FMT
             " MB over all ranks): %s needs less; ",
             megabytes, instead);
  else if (reason == PC_FACTOR_STRUCT_ZEROPIVOT || reason == PC_FACTOR_NUMERIC_ZEROPIVOT)
    snprintf(text, size,
             "the matrix is singular: a condition is missing (an outlet or a node where the pressure is given, the "
             "polymer at an "
             "inlet), or the branch of states turns here (-scheme_steady_continuation_type arclength); ");
  PetscFunctionReturn(PETSC_SUCCESS);
}
