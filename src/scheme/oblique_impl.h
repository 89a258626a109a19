/* Nodes without flow across a plane that is oblique to the axes, n_k their normals, orthonormal, and, where it is one of symmetry, e_k the
 * shears n t + t n, orthonormal in a : b, that modes s have not. Unknowns stay Cartesian, rows turn:
 *
 *   F_u = (1 - sum n_k n_k) R_u + sum n_k (n_k.u),   F_s = R_s - sum e_k (e_k : R_s) + sum e_k (e_k : s)
 *
 * Q in F = Q R + (1 - Q) x is a projection, in components of tensors an oblique one.
 */
#ifndef RHX_OBLIQUE_IMPL_H
#define RHX_OBLIQUE_IMPL_H
#include "step/ops.h"

typedef struct _RhxOblique *RhxOblique;

/* mark[nowned][bs]: becomes 0 and 1 in rows of the velocity at planes normal to the axes, 1 where rows turn. *oblique NULL on every
 * rank: nowhere. Collective, as the rest. */
PetscErrorCode RhxObliqueCreate(RhxForm form, RhxBoundary bc, PetscScalar *mark, RhxOblique *oblique);
PetscErrorCode RhxObliqueDestroy(RhxOblique *oblique);
PetscErrorCode RhxObliqueTurn(RhxOblique oblique, Vec x, Vec f);               /* f = F of f = R and x; x NULL: 0 */
PetscErrorCode RhxObliqueTurnTransposed(RhxOblique oblique, Vec v);            /* v = Q^T v */
PetscErrorCode RhxObliqueTurnRows(RhxOblique oblique, PetscReal given, Mat A); /* A = Q A + given (1 - Q) */
void RhxObliqueAddGiven(RhxOblique oblique, double given[3][3]);               /* += sum n n^T of this rank */
#endif
