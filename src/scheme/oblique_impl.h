/* Nodes without flow across a plane that is oblique to the axes, n_k their normals, orthonormal, and, where it is one of symmetry, e_k the
 * shears n t + t n, orthonormal in a : b, that modes s have not. Unknowns stay Cartesian, rows turn:
 *
 *   F_u = (1 - sum n_k n_k) R_u + w_u sum n_k (n_k.u),   F_s = R_s - sum e_k (e_k : R_s) + w_s sum e_k (e_k : s)
 */
#ifndef RHX_OBLIQUE_IMPL_H
#define RHX_OBLIQUE_IMPL_H
#include "step/ops.h"

typedef struct _RhxOblique *RhxOblique;

/* mark[nowned][bs]: becomes 0 and 1 in rows of the velocity at planes normal to the axes, 1 where rows turn. *oblique NULL on every
 * rank: nowhere. Collective, as the rest. */
PetscErrorCode RhxObliqueCreate(RhxForm form, RhxBoundary bc, PetscScalar *mark, RhxOblique *oblique);
PetscErrorCode RhxObliqueDestroy(RhxOblique *oblique);
void RhxObliqueWeigh(RhxOblique oblique, const double *weight);  /* w [bs] by components, 1 before */
PetscErrorCode RhxObliqueTurn(RhxOblique oblique, Vec x, Vec f); /* f = F of f = R and x; x NULL: 0 */
PetscErrorCode RhxObliqueTurnRows(RhxOblique oblique, Mat A);    /* the same of dR/dx */
void RhxObliqueAddGiven(RhxOblique oblique, double given[3][3]); /* += sum n n^T of this rank */
#endif
