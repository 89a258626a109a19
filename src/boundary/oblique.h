/* Nodes without flow across a plane that is oblique to the axes, n_k their normals, orthonormal, and, where it is one of symmetry, e_k the
 * shears n t + t n, orthonormal in a : b, that modes s have not. Unknowns stay Cartesian, rows turn:
 *
 *   F_u = (1 - sum n_k n_k) R_u + w_u sum n_k (n_k.u),   F_s = R_s - sum e_k (e_k : R_s) + w_s sum e_k (e_k : s)
 *
 * Q in F = Q R + (1 - Q) x is a projection, in components of tensors an oblique one.
 */
#ifndef RHX_OBLIQUE_H
#define RHX_OBLIQUE_H
#include "boundary/boundary.h"
#include <petscmat.h>

typedef struct _p_RhxOblique *RhxOblique;

/* mark[nowned][bs]: becomes 0 and 1 in rows of the velocity at planes normal to the axes, 1 where rows turn. *oblique NULL on every
 * rank: nowhere. Collective, as the rest. */
PetscErrorCode RhxObliqueCreate(RhxForm form, RhxBoundary bc, PetscScalar *mark, RhxOblique *oblique);
PetscErrorCode RhxObliqueDestroy(RhxOblique *oblique);
void RhxObliqueWeigh(RhxOblique oblique, const double *weight); /* w [bs] by components, 1 before */
double RhxObliqueGetWeight(RhxOblique oblique, PetscInt component);
/* f[nowned][bs] = F of f = R and x; x NULL: 0. On a device: RhxBoundaryDeviceTurn. */
void RhxObliqueTurn(RhxOblique oblique, const PetscScalar *x, PetscScalar *f);
PetscErrorCode RhxObliqueTurnTransposed(RhxOblique oblique, Vec v);            /* v = Q^T v */
PetscErrorCode RhxObliqueTurnRows(RhxOblique oblique, PetscReal given, Mat A); /* A = Q A + given w (1 - Q) */
PetscErrorCode RhxObliqueCreateProjector(RhxOblique oblique, Mat *Q);          /* 1 where nothing turns */
/* Nodes whose velocity turns and their normals [n][dim], those of a node in turn; the caller frees both. */
PetscErrorCode RhxObliqueGetNormals(RhxOblique oblique, PetscInt *n, PetscInt **node, PetscReal **normal);
void RhxObliqueAddGiven(RhxOblique oblique, double given[3][3]); /* += sum n n^T of this rank */
#endif
