#include "form/host/slope.h"
#include "petsc_compat.h"
#include "space/face.h"

#define MOST_NODES 8

/* of face f at its point q, [dim][dim] of the stride RHX_LANES */
static const PetscReal *slope_at(const RhxFaceTerm *term, PetscInt g, PetscInt dim, PetscInt f, PetscInt q)
{
  const RhxFaceGroup *group = &term->faces->group[g];
  return term->slope[g] + ((f / RHX_LANES) * group->nfq + q) * dim * dim * RHX_LANES + f % RHX_LANES;
}

static void add_point(const RhxFaceGroup *g, PetscInt dim, PetscInt bs, PetscInt f, PetscInt q, const PetscReal *slope,
                      const PetscScalar *v, PetscScalar *r)
{
  const PetscReal *N = g->N + q * g->nn;
  PetscScalar u[3] = {0.0, 0.0, 0.0};
  double n[3];
  const double area = RhxFaceNormal(g, dim, f, q, n);
  for (PetscInt a = 0; a < g->nfn; a++)
    for (PetscInt d = 0; d < dim; d++)
      u[d] += N[g->fnode[a]] * v[(size_t)RhxFaceParentNode(g, f, g->fnode[a]) * bs + d];
  for (PetscInt d = 0; d < dim; d++) {
    PetscScalar more = 0.0;
    for (PetscInt e = 0; e < dim; e++) more += slope[(d * dim + e) * RHX_LANES] * u[e];
    for (PetscInt a = 0; a < g->nfn; a++)
      r[(size_t)RhxFaceParentNode(g, f, g->fnode[a]) * bs + d] -= area * N[g->fnode[a]] * more;
  }
}

void RhxSlopesAddProduct(RhxForm form, const PetscScalar *v, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  for (const RhxFaceTerm *term = form->face_term; term < form->face_term + form->nface_terms; term++)
    for (PetscInt k = 0; term->slope && k < term->faces->ngroups; k++) {
      const RhxFaceGroup *g = &term->faces->group[k];
      for (PetscInt f = 0; f < g->n; f++)
        for (PetscInt q = 0; q < g->nfq; q++)
          add_point(g, sp->dim, sp->bs, f, q, slope_at(term, k, sp->dim, f, q), v + u, r + u);
    }
}

/* block[nn][bs][nn][bs] += that of point q, from the component u of a node on */
static void add_block(const RhxFaceGroup *g, const RhxSpace sp, PetscInt u, PetscInt f, PetscInt q,
                      const PetscReal *slope, PetscScalar *block)
{
  const PetscInt dim = sp->dim, bs = sp->bs;
  const PetscReal *N = g->N + q * g->nn;
  double n[3];
  const double area = RhxFaceNormal(g, dim, f, q, n);
  for (PetscInt i = 0; i < g->nfn; i++)
    for (PetscInt j = 0; j < g->nfn; j++) {
      const PetscInt a = g->fnode[i], b = g->fnode[j];
      for (PetscInt d = 0; d < dim; d++)
        for (PetscInt e = 0; e < dim; e++)
          block[((a * bs + u + d) * g->nn + b) * bs + u + e] -= area * N[a] * N[b] * slope[(d * dim + e) * RHX_LANES];
    }
}

static PetscErrorCode add_group(RhxForm form, const RhxFaceTerm *term, PetscInt k, const RhxInsert *in)
{
  const RhxSpace sp = form->space;
  const RhxFaceGroup *g = &term->faces->group[k];
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), size = g->nn * sp->bs * g->nn * sp->bs;
  PetscScalar *block;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, &block));
  for (PetscInt f = 0; f < g->n; f++) {
    PetscInt node[MOST_NODES];
    PetscCall(PetscArrayzero(block, size));
    for (PetscInt a = 0; a < g->nn; a++) node[a] = RhxFaceParentNode(g, f, a);
    for (PetscInt q = 0; q < g->nfq; q++) add_block(g, sp, u, f, q, slope_at(term, k, sp->dim, f, q), block);
    PetscCall(RhxInsertAdd(in, g->nn, node, block));
  }
  PetscCall(PetscFree(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSlopesAddMatrix(RhxForm form, const RhxInsert *in)
{
  PetscFunctionBegin;
  for (const RhxFaceTerm *term = form->face_term; term < form->face_term + form->nface_terms; term++)
    for (PetscInt k = 0; term->slope && k < term->faces->ngroups; k++) PetscCall(add_group(form, term, k, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}
