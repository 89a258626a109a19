/* A multigrid hierarchy folded into two matrices a level, and the inverse of the coarsest matrix.
 *
 * One V-cycle from a zero guess with one step of weighted Jacobi before and after the correction,
 *   x = W b,  x += P B_c P^T (b - A x),  x += W (b - A x),  W = w / diag(A),
 * is the linear map  B = S + Q B_c Q^T  with  S = 2 W - W A W  and  Q = (I - W A) P:  a level costs two products,
 *   b_c = Q^T b  and  x = [S Q] [b; x_c].
 * S is positive definite for w < 2 / lambda_max(D^-1 A), and so is B. */
#ifndef RHX_SOLVER_HIERARCHY_IMPL_H
#define RHX_SOLVER_HIERARCHY_IMPL_H
#include "solver/coarsen_impl.h"

typedef struct {
  PetscInt n, nc;
  PetscReal weight; /* w */
  RhxSell down, up; /* Q^T [nc][n]; [S Q] [n][n + nc] */
  double nonzeros;  /* of the level's matrix */
  float *right;     /* [n + nc] work of the host's product: b, then x_c */
} RhxLevel;

typedef struct {
  PetscInt nlevels, n; /* levels without the coarsest; rows of the finest matrix */
  RhxLevel *level;     /* finest first */
  PetscInt ncoarse, stride;
  float *inverse; /* [ncoarse][stride] */
  double *exact;  /* the same in double precision */
  PetscBool wide; /* it is kept, or was: where there are no levels, and options->exact */
} RhxHierarchy;

typedef struct {
  PetscReal weight; /* w lambda_max, between 0 and 2 */
  PetscInt dense;   /* rows up to which the inverse is kept */
  PetscInt gather;  /* rows up to which, of several ranks, each has all of a level, if more than `dense` */
  PetscBool exact;  /* the inverse may have to solve by itself */
} RhxHierarchyOptions;

#define RHX_DENSE_MOST 16384 /* rows of an inverse: 1 GiB */

/* As many of the levels as there are above options->dense rows; NULL: the inverse alone. singular: constants of the finest
 * level are A's null space. One rank. Uses up coarsening->ap. */
PetscErrorCode RhxHierarchyCreate(Mat A, RhxCoarsening *coarsening, PetscBool singular,
                                  const RhxHierarchyOptions *options, RhxHierarchy *hierarchy);
PetscErrorCode RhxHierarchyFree(RhxHierarchy *hierarchy);
/* After a copy to the device: frees the entries, keeps what View and Bytes say. */
PetscErrorCode RhxHierarchyDropHost(RhxHierarchy *hierarchy);
/* x = B b on the host, as the device does it but for the order of sums. */
PetscErrorCode RhxHierarchyApply(RhxHierarchy *hierarchy, const float *b, float *x);
double RhxHierarchyFlops(const RhxHierarchy *hierarchy); /* of one application */
double RhxHierarchyBytes(const RhxHierarchy *hierarchy); /* on the device, with vectors */
PetscErrorCode RhxHierarchyView(const RhxHierarchy *hierarchy, PetscViewer viewer);

/* A[n][n] becomes its inverse, both triangles; singular: the pseudo-inverse plus a multiple of the null vector's square. */
PetscErrorCode RhxDenseInvert(PetscInt n, PetscBool singular, PetscScalar *A);
#endif
