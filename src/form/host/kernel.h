/* Element loops of one dimension and tensor size; kernel.c is compiled once for each, a4: axisymmetric. Host, local arrays, one
 * rank. */
#ifndef RHX_KERNEL_H
#define RHX_KERNEL_H
#include "form/pass_impl.h"

typedef struct _RhxKernel {
  size_t (*work)(RhxForm form);                           /* bytes of workspace for a form */
  void (*affine)(const RhxCells *cells, PetscReal *kept); /* RhxCells.affine of simplices; of lanes alone */
  PetscErrorCode (*residual)(const RhxPass *pass, const RhxCells *cells); /* out[nlocal][bs] += */
  PetscErrorCode (*project)(const RhxPass *pass, const RhxCells *cells);  /* out[nlocal][naux] += */
  PetscErrorCode (*faces)(const RhxPass *pass, const RhxFaceGroup *faces, const RhxFaceTerm *term, PetscInt group);
  PetscErrorCode (*divergence)(const RhxPass *pass, const RhxCells *cells); /* x[nlocal][dim] -> out[nlocal] += */
  PetscErrorCode (*gradient)(const RhxPass *pass, const RhxCells *cells);   /* x[nlocal] -> out[nlocal][dim] += */
  /* Of tangents alone: d (residual of all rows) / dx, auxiliary fields held. */
  PetscErrorCode (*cell_matrices)(const RhxPass *pass, const RhxCells *cells);
  PetscErrorCode (*face_matrices)(const RhxPass *pass, const RhxFaceGroup *faces, const RhxFaceTerm *term);
  PetscErrorCode (*auxiliary_matrices)(const RhxPass *pass,
                                       const RhxCells *cells); /* d residual / d auxiliary fields */
  PetscErrorCode (*face_auxiliary_matrices)(const RhxPass *pass, const RhxFaceGroup *faces, const RhxFaceTerm *term);
  PetscErrorCode (*projection_matrices)(const RhxPass *pass, const RhxCells *cells); /* d their integrals / dx */
  /* Of real numbers alone: x[nlocal][bs] -> out[at[...]] += N_a rho u.grad N_b + eta_s grad N_a.grad N_b + s u.grad N_a u.grad N_b */
  PetscErrorCode (*momentum)(const RhxPass *pass, const RhxCells *cells);
  /* The same of a mode: N_a u.grad N_b + s u.grad N_a u.grad N_b + N_a N_b times its rate of relaxation. */
  PetscErrorCode (*transport)(const RhxPass *pass, const RhxCells *cells);
  PetscErrorCode (*totals)(const RhxPass *pass, const RhxCells *cells); /* out[RHX_NTOTALS] += */
} RhxKernel;

/* Before a pass: keeps geometry of simplices, once, if it takes no more than -form_geometry_memory. Collective. */
PetscErrorCode RhxFormKeepGeometry(RhxForm form);

/* Those of products with derivatives and of their matrices: of lanes where all plugins of the form have them, else of complex
 * numbers. */
const RhxKernel *RhxFormProductLoops(RhxForm form);

extern const RhxKernel rhx_kernel_d2t3, rhx_kernel_d2t4, rhx_kernel_d2a4, rhx_kernel_d2a6, rhx_kernel_d3t6;
/* The same loops in complex numbers, whose imaginary parts are derivatives, without those of pressure: tangent.c. */
extern const RhxKernel rhx_tangent_d2t3, rhx_tangent_d2t4, rhx_tangent_d2a4, rhx_tangent_d2a6, rhx_tangent_d3t6;
/* The same in lanes with a derivative, by plugins that were built with a C++ compiler. */
extern const RhxKernel rhx_product_d2t3, rhx_product_d2t4, rhx_product_d2a4, rhx_product_d2a6, rhx_product_d3t6;
/* The same loops with the number that counts its operations, for tables of one element: flops.c. */
extern const RhxKernel rhx_count_d2t3, rhx_count_d2t4, rhx_count_d2a4, rhx_count_d2a6, rhx_count_d3t6;
#endif
