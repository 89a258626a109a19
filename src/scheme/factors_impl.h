/* Direct factors of the matrices of Newton's method. */
#ifndef RHX_FACTORS_IMPL_H
#define RHX_FACTORS_IMPL_H
#include <petscpc.h>

/* Of P, to be: on a device those of cuDSS where it is found; else MUMPS; without it PETSc's own on one rank, on several SuperLU_DIST, and
 * without that PETSc's own of the gathered matrix on every one. */
PetscErrorCode RhxFactorsUse(MPI_Comm comm, Mat P, PC pc);
/* Why a set-up failed and what to do, a clause that ends in "; "; else "". instead: what needs less memory. */
PetscErrorCode RhxFactorsExplain(PC pc, const char *instead, size_t size, char *text);
/* Do the factors of A by MUMPS fit into the memory that every host has left? needed, available: bytes, on the host that lacks the most. Without
 * MUMPS nothing is known of them: no. Analyses A. */
PetscErrorCode RhxFactorsFit(Mat A, PetscBool *fit, double *needed, double *available);
/* After a set-up: where MUMPS's work space was too small, again with more of it, some times. The matrix is as it was. */
PetscErrorCode RhxFactorsEnlarge(PC pc);
/* The next set-up begins anew, as of a matrix with another pattern, with what RhxFactorsUse set and options said. */
PetscErrorCode RhxFactorsRestart(PC pc);
/* After a set-up that failed, of which factors of MUMPS leave nothing to go on from, and those of every rank the failure: the next one
 * begins anew, with what RhxFactorsUse set. Else nothing, and nothing of other PCs. */
PetscErrorCode RhxFactorsMend(PC pc);
/* Do factors of this kind say the sign of the determinant? Of those that are set up: 1, -1, or 0 where they failed. */
PetscErrorCode RhxFactorsHaveSign(PC pc, PetscBool *have);
PetscErrorCode RhxFactorsGetSign(PC pc, int *sign);
/* Error where options ask for PETSc's own factors on several ranks, which do not exist, or for those of cuDSS where it is not, or P is not on
 * a device. */
PetscErrorCode RhxFactorsCheck(MPI_Comm comm, Mat P, PC pc);
#endif
