/* Gradients of nodal fields recovered from those of elements: superconvergent patch recovery (Zienkiewicz and Zhu, IJNME 33 (1992) 1331). */
#ifndef RHX_RECOVERY_IMPL_H
#define RHX_RECOVERY_IMPL_H
#include "space/space.h"

typedef struct RhxRecovery_s *RhxRecovery;
/* Patches of the mesh. Collective, as the rest. */
PetscErrorCode RhxRecoveryCreate(RhxSpace space, RhxRecovery *r);
PetscErrorCode RhxRecoveryDestroy(RhxRecovery *r);
/* G[nlocal][dim], complete in ghosts, of f[nlocal]: exact where f is quadratic on patches that are symmetric about their node. */
PetscErrorCode RhxRecoverGradient(RhxRecovery r, const PetscScalar *f, PetscScalar *G);

/* Position of node a in element e, periodic images as the element sees them, m, and its number. */
static inline PetscReal RhxCellsPlace(const RhxCells *c, PetscInt dim, PetscInt e, PetscInt a, PetscInt i)
{
  return c->x[((e / RHX_LANES * c->nn + a) * dim + i) * RHX_LANES + e % RHX_LANES];
}
static inline PetscInt RhxCellsNode(const RhxCells *c, PetscInt e, PetscInt a)
{
  return c->conn[(e / RHX_LANES * c->nn + a) * RHX_LANES + e % RHX_LANES];
}
#endif
