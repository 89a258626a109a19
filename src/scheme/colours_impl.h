/* An order of rows for incomplete factors in which little is sequential. */
#ifndef RHX_COLOURS_IMPL_H
#define RHX_COLOURS_IMPL_H
#include <petscmat.h>

/* Nodes by colours: those of one are more than two edges of the matrix's graph apart, so that with ILU(1), whose fill joins nodes two edges
 * apart, none depends on another of its colour. Colours are given one node after the other, the first that is free; within a colour nodes
 * keep their order. A node is a block of rows, with what PETSc keeps together as an inode. Of a sequential aij matrix on the host or the
 * device whose pattern is symmetric; on several ranks within pc bjacobi or asm, of each rank's own part. */
#define RHX_ORDERING_COLOURS2 "colours2"

/* -pc_factor_mat_ordering_type colours2; again is no error. */
PetscErrorCode RhxColoursRegister(void);
#endif
