/* Element loops of one dimension and tensor size; kernel.c is compiled once for each. Host, local arrays, one rank. */
#ifndef RHX_KERNEL_H
#define RHX_KERNEL_H
#include "form/form.h"

/* What a pass over elements or faces works on. Arrays are local: [nlocal][...]; NULL where a pass has no use for them. */
typedef struct {
  RhxForm form;
  unsigned rows;
  double t, dt;
  const PetscScalar *x, *xdot, *aux;
  PetscScalar *out;
  RhxFormStats *stats;
} RhxPass;

typedef struct _RhxKernel {
  size_t (*work)(RhxForm form);                                           /* bytes of workspace for a form */
  PetscErrorCode (*residual)(const RhxPass *pass, const RhxCells *cells); /* out[nlocal][bs] += */
  PetscErrorCode (*project)(const RhxPass *pass, const RhxCells *cells);  /* out[nlocal][naux] += */
  PetscErrorCode (*faces)(const RhxPass *pass, const RhxFaceGroup *faces, const RhxFaceTerm *term, PetscInt group);
  PetscErrorCode (*divergence)(const RhxPass *pass, const RhxCells *cells); /* x[nlocal][dim] -> out[nlocal] += */
  PetscErrorCode (*gradient)(const RhxPass *pass, const RhxCells *cells);   /* x[nlocal] -> out[nlocal][dim] += */
} RhxKernel;

extern const RhxKernel rhx_kernel_d2t3, rhx_kernel_d2t4, rhx_kernel_d3t6;
/* The same loops with the number that counts its operations, for tables of one element: flops.c. */
extern const RhxKernel rhx_count_d2t3, rhx_count_d2t4, rhx_count_d3t6;
#endif
