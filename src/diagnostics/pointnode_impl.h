/* What plugins of scalar fields are told at a node. */
#ifndef RHX_POINTNODE_IMPL_H
#define RHX_POINTNODE_IMPL_H
#include "form/form.h"
#include "law/pointlaw.h"

/* Of local node `node` with block[bs], values c[nscalars] of its fields, which are borrowed, and eta_s, Pa s, of the law at their reference;
 * of gradient and stress nothing is known. */
PetscErrorCode RhxPointNodeSet(RhxForm form, PetscInt node, const PetscScalar *block, const PetscScalar *c,
                               double eta_s, RhxPointNode *at);
#endif
